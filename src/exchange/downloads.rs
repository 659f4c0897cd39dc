//! Downloads from the operator's page of a running study: the exports, as files.

use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use hype_core::study::backend::{DownloadFile, Downloads};
use hype_core::{Store, Study, analyse};

use super::error::ExportError;
use super::layout::{self, Layout};
use super::package::package;
use super::rows::{Format, RowWriter};
use super::{export, tar};
use crate::simulated::simulated_note;

const CSV: &str = "text/csv; charset=utf-8";

/// The files on offer.
const FILES: [DownloadFile; 5] = [
    DownloadFile { name: "scores.csv", about: "scores of the raters who count", kind: CSV },
    DownloadFile { name: "answers.csv", about: "every answer", kind: CSV },
    DownloadFile { name: "trials.csv", about: "every trial, with its times", kind: CSV },
    DownloadFile {
        name: "findings.json",
        about: "the findings, with tests and notes",
        kind: "application/json",
    },
    DownloadFile {
        name: "package.tar",
        about: "everything, with a codebook and without the raters' keys",
        kind: "application/x-tar",
    },
];

/// The exports of a study that is being collected. Participants' ids are not among them.
#[derive(Debug)]
pub struct StudyDownloads {
    folder: PathBuf,
    simulated: bool,
    packages: AtomicU64,
}

impl StudyDownloads {
    /// The downloads of the study in a folder, in which packages are built.
    #[must_use]
    pub fn new(folder: &Path, simulated: bool) -> Self {
        Self { folder: folder.to_owned(), simulated, packages: AtomicU64::new(0) }
    }

    fn package(&self, study: &Study, store: &dyn Store, out: &mut dyn Write) -> Result<(), ExportError> {
        let number = self.packages.fetch_add(1, Ordering::Relaxed);
        let folder = Built(self.folder.join(format!(".package-{}-{number}", std::process::id())));
        let mut findings = crate::block_on(analyse(study, store))?;
        if self.simulated {
            findings.add_notes([simulated_note()]);
        }
        let packaged = package(study, store, findings, self.simulated, &folder.0)?;
        let name = Path::new("package");
        for file in packaged.files {
            append(out, &name.join(&file), &folder.0.join(&file))?;
        }
        Ok(tar::finish(out)?)
    }
}

/// Appends a file, or the files of a folder in the order of their names.
fn append(out: &mut dyn Write, name: &Path, path: &Path) -> io::Result<()> {
    if !path.is_dir() {
        return tar::append(out, name, path);
    }
    let mut inside: Vec<_> =
        fs::read_dir(path)?.map(|entry| Ok(entry?.file_name())).collect::<io::Result<_>>()?;
    inside.sort();
    inside.iter().try_for_each(|entry| append(out, &name.join(entry), &path.join(entry)))
}

/// A folder that is removed when dropped.
struct Built(PathBuf);

impl Drop for Built {
    fn drop(&mut self) {
        // What cannot be removed is hidden, and named after the process.
        let _ = fs::remove_dir_all(&self.0);
    }
}

impl Downloads for StudyDownloads {
    fn files(&self) -> Vec<DownloadFile> {
        FILES.to_vec()
    }

    fn write(
        &self,
        file: &str,
        study: &Study,
        store: &dyn Store,
        out: &mut (dyn Write + Send),
    ) -> Result<(), String> {
        let written = match file {
            "scores.csv" => table(out, layout::SCORES, |rows| export::scores(study, store, false, rows)),
            "answers.csv" => table(out, layout::ANSWERS, |rows| export::answers(study, store, rows)),
            "trials.csv" => table(out, layout::TRIALS, |rows| export::trials(study, store, rows)),
            "findings.json" => crate::block_on(analyse(study, store))
                .map_err(ExportError::from)
                .and_then(|findings| Ok(out.write_all(serde_json::to_string_pretty(&findings)?.as_bytes())?)),
            "package.tar" => self.package(study, store, out),
            other => return Err(format!("there is no file {other}")),
        };
        written.map_err(|error| error.to_string())
    }
}

type Rows<'a> = RowWriter<BufWriter<&'a mut (dyn Write + Send)>>;

fn table<'a>(
    out: &'a mut (dyn Write + Send),
    layout: Layout,
    write: impl FnOnce(&mut Rows<'a>) -> Result<(), ExportError>,
) -> Result<(), ExportError> {
    let mut rows = RowWriter::begin(BufWriter::new(out), Format::Csv, layout.columns)?;
    write(&mut rows)?;
    Ok(rows.finish()?.flush()?)
}
