//! Recognizes files of ratings by their columns and cells, and says how to import them.

use std::path::{Path, PathBuf};

use self::draft::Draft;
use self::sample::Sample;
use super::fault::ImportError;

mod draft;
mod grid;
mod outputs;
mod programs;
mod roles;
mod sample;
mod tables;

pub(crate) use self::outputs::BETWEEN_TURNS;
pub use self::outputs::{TextItem, TextOutputs};

/// The kind of a file, and how `hype import` reads it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Recognized {
    /// The kind of the file, such as `a table of comparisons`.
    pub what: String,
    /// The words after `hype import`. Those in capitals stand for values that are open.
    pub words: Vec<String>,
    /// The facts that only the file's author knows, one line each; empty if the command is complete.
    pub open: Vec<String>,
}

/// Looks at the beginning of a file, or at the files in a folder, and recognizes what it is by names of columns and by cells.
///
/// # Errors
/// If the file cannot be read as a table, or nothing in it looks like ratings.
pub fn recognize(path: &Path) -> Result<Recognized, ImportError> {
    if !path.is_dir() {
        let sample = Sample::read(path)?;
        let draft = draft_of(&sample).ok_or_else(|| nothing(path, path, &sample))?;
        return Ok(draft.finished(path, &[path.to_owned()], &sample));
    }
    let files = files_in(path)?;
    let Some(first) = files.first() else {
        return Err(ImportError::Options(format!("{} has no tables: name a file", path.display())));
    };
    // Other files may lie among the answers: those of the first kind that is known are meant.
    let read = |file: &PathBuf| {
        let sample = Sample::read(file).ok()?;
        let draft = draft_of(&sample)?;
        Some((file.clone(), draft, sample))
    };
    let mut known = files.iter().filter_map(read);
    let Some((file, draft, sample)) = known.next() else {
        return Err(nothing(path, first, &Sample::read(first)?));
    };
    let same = known.filter(|(_, other, _)| other.is_like(&draft)).map(|(file, ..)| file);
    let files: Vec<PathBuf> = [file].into_iter().chain(same).collect();
    Ok(draft.finished(path, &files, &sample))
}

/// The command of a table of a kind that is known.
fn draft_of(sample: &Sample) -> Option<Draft> {
    let kinds = [
        programs::mechanical_turk,
        programs::imagenhub,
        programs::rankings,
        programs::heim,
        programs::webmushra,
        programs::jspsych,
        programs::label_studio,
        programs::potato,
        grid::matrix,
        tables::comparisons,
        grid::votes,
        grid::survey,
        tables::ratings,
        tables::lists_of_votes,
    ];
    kinds.into_iter().find_map(|kind| kind(sample))
}

/// The tables in a folder, and those in its folders, as a program writes one for each person.
fn files_in(folder: &Path) -> Result<Vec<PathBuf>, ImportError> {
    let entries = |folder: &Path| -> Result<Vec<PathBuf>, ImportError> {
        let entries = std::fs::read_dir(folder).map_err(ImportError::disk(folder))?;
        let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
        paths.sort();
        Ok(paths)
    };
    let is_table = |path: &PathBuf| {
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        // Spreadsheets and macOS leave files of their own.
        let is_own = !name.starts_with(['.', '~']);
        is_own && path.is_file() && ["csv", "tsv", "json", "jsonl", "txt", "xlsx"].contains(&ending)
    };
    let all = entries(folder)?;
    let own: Vec<PathBuf> = all.iter().filter(|path| is_table(path)).cloned().collect();
    if !own.is_empty() {
        return Ok(own);
    }
    let mut inner = Vec::new();
    for folder in all.iter().filter(|path| path.is_dir()) {
        inner.extend(entries(folder)?.into_iter().filter(is_table));
    }
    Ok(inner)
}

fn nothing(named: &Path, path: &Path, sample: &Sample) -> ImportError {
    if outputs::are_in(sample) {
        return ImportError::Options(format!(
            "{}: it has the answers of models, and no judgments of them. `hype new --from {}` makes a study of texts, in which \
             people judge them",
            path.display(),
            named.display()
        ));
    }
    ImportError::Options(format!(
        "{}: nothing in it looks like ratings, comparisons or rankings. The columns are {}. Name them with `hype import csv`, or \
         see `hype import --help`",
        path.display(),
        sample.listed_headers()
    ))
}
