//! Files that are not tables of text, by their kind.

use super::ContentError;
use super::zip::Archive;

/// Files by their first bytes: what they are, and what to do.
const BY_BYTES: [(&[u8], &str, &str); 23] = [
    (
        b"SQLite format 3\0",
        "an SQLite database",
        "write a table of it as CSV: sqlite3 -header -csv FILE 'SELECT * FROM votes'",
    ),
    (
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
        "an Excel workbook of before 2007 (or another file of Office)",
        "save it as .xlsx or as CSV",
    ),
    (
        b"version https://git-lfs.github.com/",
        "a pointer to a file that Git LFS keeps",
        "fetch the file: git lfs pull",
    ),
    (b"%PDF", "a PDF", "copy its table into a spreadsheet, and save it as CSV"),
    (b"\x89HDF", "an HDF5 file", "write its table as CSV or Parquet"),
    (
        b"\x93NUMPY",
        "a NumPy array, which names no columns",
        "write a table as CSV: pandas.DataFrame(…).to_csv(…)",
    ),
    (b"\x80\x02", "a pickle of Python", PANDAS),
    (b"\x80\x03", "a pickle of Python", PANDAS),
    (b"\x80\x04", "a pickle of Python", PANDAS),
    (b"\x80\x05", "a pickle of Python", PANDAS),
    (b"ARROW1", "an Arrow or Feather file", "write it as CSV or Parquet"),
    (b"FEA1", "a Feather file", "write it as CSV or Parquet"),
    (b"RDX", "a data file of R", "write it as CSV: write.csv(data, \"t.csv\", row.names = FALSE)"),
    (
        b"X\n\0\0",
        "a data file of R (RDS)",
        "write it as CSV: write.csv(readRDS(\"FILE\"), \"t.csv\", row.names = FALSE)",
    ),
    (b"$FL2", "a data file of SPSS", "write it as CSV"),
    (b"<stata_dta>", "a data file of Stata", "write it as CSV: export delimited"),
    (b"\x28\xb5\x2f\xfd", "compressed by zstd", "unpack it: zstd -d FILE"),
    (b"\xfd7zXZ", "compressed by xz", "unpack it: unxz FILE"),
    (b"BZh", "compressed by bzip2", "unpack it: bunzip2 FILE"),
    (b"7z\xbc\xaf", "a 7z archive", "unpack it"),
    (b"Rar!", "a RAR archive", "unpack it"),
    (b"\x89PNG", "an image", "name the table of its ratings"),
    (b"\xff\xd8\xff", "an image", "name the table of its ratings"),
];
const PANDAS: &str = "write it as CSV: pandas.read_pickle(…).to_csv(…)";

/// Recognizes a file that is not a table by its first bytes.
pub(super) fn named(head: &[u8]) -> Option<ContentError> {
    if let Some((_, what, help)) = BY_BYTES.iter().find(|(bytes, ..)| head.starts_with(bytes)) {
        return Some(ContentError::other(*what, *help));
    }
    let start = String::from_utf8_lossy(&head[..head.len().min(4_096)]).to_ascii_lowercase();
    let start = start.trim_start_matches('\u{feff}').trim_start();
    let begins = |with: &[&str]| with.iter().any(|&text| start.starts_with(text));
    if begins(&["<!doctype html", "<html", "<head", "<body"]) {
        let help = "download the file itself; the page that shows it was saved";
        return Some(ContentError::other("a page of HTML", help));
    }
    if begins(&["<?xml", "<"]) && start.contains('>') {
        return Some(ContentError::other("XML", "save the table as CSV or as .xlsx"));
    }
    let is_sql =
        ["create table", "insert into", "drop table if", "begin transaction;", "pragma foreign_keys"]
            .iter()
            .any(|statement| start.lines().any(|line| line.trim_start().starts_with(statement)));
    if is_sql {
        let help = "load it into a database, and write its table of answers as CSV";
        return Some(ContentError::other("an SQL dump", help));
    }
    None
}

/// Recognizes an archive that is a document by its files.
pub(super) fn archived(archive: &Archive) -> Option<ContentError> {
    let known = [
        ("word/document.xml", "a Word document", "copy its table into a spreadsheet, and save it as CSV"),
        ("xl/workbook.bin", "a binary workbook of Excel (.xlsb)", "save it as .xlsx or as CSV"),
        ("Index/Document.iwa", "a document of Apple Numbers", "export it as CSV"),
        ("META-INF/manifest.xml", "an OpenDocument file", "save it as .xlsx or as CSV"),
    ];
    let found = known.iter().find(|(file, ..)| archive.has(file))?;
    Some(ContentError::other(found.1, found.2))
}
