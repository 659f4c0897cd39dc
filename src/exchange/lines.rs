//! Texts line by line, with any kind of line ending.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Read};
use std::path::{Path, PathBuf};

use hype_tables::{ContentError, TableContent, TableForm};

use super::fault::ImportError;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Opens a file, or standard input for `-`, as text: unpacked, and decoded if it is UTF-16.
///
/// # Errors
/// If it cannot be read, or is not text; the error says what it is.
pub(super) fn open(path: &Path) -> Result<Box<dyn Read>, ImportError> {
    let content = TableContent::recognize(file(path)?).map_err(unlike(path))?;
    match content.form {
        TableForm::Text => Ok(content.text),
        TableForm::Parquet => Err(not_text(path, "a file of Apache Parquet")),
        _ => Err(not_text(path, "a workbook")),
    }
}

/// Opens a file, a sheet as `FILE#SHEET`, or standard input for `-`, as a table of text whatever its form; only that of Parquet is not text.
pub(super) fn open_table(path: &Path) -> Result<TableContent, ImportError> {
    match sheet_in(path) {
        Some((workbook, sheet)) => TableContent::sheet(file(&workbook)?, &sheet).map_err(unlike(path)),
        None => TableContent::table(file(path)?).map_err(unlike(path)),
    }
}

/// The workbook and the sheet of a path such as `ratings.xlsx#Main study`, which is not itself a file.
fn sheet_in(path: &Path) -> Option<(PathBuf, String)> {
    let (workbook, sheet) = path.to_str().filter(|_| !path.exists())?.rsplit_once('#')?;
    Path::new(workbook).is_file().then(|| (workbook.into(), sheet.to_owned()))
}

fn not_text(path: &Path, what: &str) -> ImportError {
    ImportError::Options(format!("{} is {what}, and this format is text: write it as JSON", path.display()))
}

fn unlike(path: &Path) -> impl FnOnce(ContentError) -> ImportError {
    let path = path.to_owned();
    move |error| match error {
        ContentError::Disk(source) => ImportError::Disk { path, source },
        other => ImportError::Options(format!("{} is {other}", path.display())),
    }
}

fn file(path: &Path) -> Result<Box<dyn Read>, ImportError> {
    if path.as_os_str() == "-" {
        return Ok(Box::new(std::io::stdin()));
    }
    let file = File::open(path).map_err(ImportError::disk(path))?;
    // A folder can be opened, and fails only when it is read.
    if file.metadata().is_ok_and(|found| found.is_dir()) {
        return Err(ImportError::disk(path)(std::io::ErrorKind::IsADirectory.into()));
    }
    Ok(Box::new(file))
}

/// The lines of a text, without their endings.
pub(super) struct Lines {
    input: BufReader<Box<dyn Read>>,
    bytes: Vec<u8>,
    number: u64,
}

impl Lines {
    pub(super) fn open(path: &Path) -> Result<Self, ImportError> {
        Ok(Self { input: BufReader::new(open(path)?), bytes: Vec::new(), number: 0 })
    }

    /// Reads the next line; the text is `None` if it is not UTF-8.
    pub(super) fn next_line(&mut self) -> std::io::Result<Option<(u64, Option<&str>)>> {
        self.bytes.clear();
        if self.input.read_until(b'\n', &mut self.bytes)? == 0 {
            return Ok(None);
        }
        self.number += 1;
        let mut line = self.bytes.as_slice();
        line = line.strip_suffix(b"\n").unwrap_or(line);
        line = line.strip_suffix(b"\r").unwrap_or(line);
        if self.number == 1 {
            line = line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line);
        }
        Ok(Some((self.number, std::str::from_utf8(line).ok())))
    }
}
