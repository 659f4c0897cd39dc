//! A command that is being put together.

use std::path::{Path, PathBuf};

use super::Recognized;
use super::sample::Sample;

/// A command that is being put together, with what is open.
#[derive(Debug, Clone)]
pub(super) struct Draft {
    what: String,
    format: &'static str,
    options: Vec<String>,
    open: Vec<String>,
    /// Whether nothing in a table names the rater; several tables may then be one for each.
    has_no_rater: bool,
    /// Whether each table is of one rater.
    is_of_one: bool,
    /// Whether a folder of files is named as a whole.
    takes_folders: bool,
}

impl Draft {
    pub(super) fn new(what: &str, format: &'static str) -> Self {
        Self {
            what: what.to_owned(),
            format,
            options: Vec::new(),
            open: Vec::new(),
            has_no_rater: false,
            is_of_one: false,
            takes_folders: false,
        }
    }

    pub(super) const fn without_rater(mut self) -> Self {
        self.has_no_rater = true;
        self
    }

    pub(super) const fn of_one_rater(mut self) -> Self {
        self.is_of_one = true;
        self
    }

    pub(super) const fn of_folders(mut self) -> Self {
        self.takes_folders = true;
        self
    }

    /// Whether another file is of the same kind.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        self.what == other.what
    }

    /// Adds an option with its value.
    pub(super) fn set(&mut self, option: &str, value: impl Into<String>) {
        self.options.extend([option.to_owned(), value.into()]);
    }

    pub(super) fn flag(&mut self, option: &str) {
        self.options.push(option.to_owned());
    }

    /// Adds an option whose value only the author knows, and the question.
    pub(super) fn ask(&mut self, option: &str, value: &str, question: impl Into<String>) {
        self.set(option, value);
        self.wonder(question);
    }

    /// Adds a question.
    pub(super) fn wonder(&mut self, question: impl Into<String>) {
        self.open.push(question.into());
    }

    pub(super) fn finished(mut self, path: &Path, files: &[PathBuf], sample: &Sample) -> Recognized {
        let shown = |path: &PathBuf| path.display().to_string();
        let mut words = vec![self.format.to_owned()];
        match files {
            _ if self.takes_folders && path.is_dir() => words.push(path.display().to_string()),
            several => words.extend(several.iter().map(shown)),
        }
        if self.is_of_one || (self.has_no_rater && files.len() > 1) {
            let stems = files.iter().map(|file| file.file_stem()).collect::<Vec<_>>();
            let is_one_name = (files.len() > 1 && stems.windows(2).all(|pair| pair[0] == pair[1]))
                || stems[0].is_some_and(|stem| stem == "annotated_instances");
            let by = if is_one_name { "folder" } else { "file" };
            self.set("--rater-by", by);
        }
        if sample.has_blanks {
            self.set("--delimiter", " ");
        }
        words.append(&mut self.options);
        let what = match files.len() {
            1 => self.what,
            several => format!("{several} files, the first of them {}", self.what),
        };
        Recognized { what, words, open: self.open }
    }
}
