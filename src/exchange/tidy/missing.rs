//! Values that are not there, by column.

use std::collections::BTreeMap;

use hype_core::words::{counted, listed};

/// The values of a column that are not there, which are left out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct EmptyValues {
    /// The column.
    pub column: String,
    /// How many.
    pub count: u64,
    /// How they are written, if not by empty cells, and how often.
    pub words: BTreeMap<String, u64>,
    /// The lines of the first ones.
    pub lines: Vec<u64>,
}

/// The number of lines that [`EmptyValues`] lists.
const LISTED: usize = 3;

impl EmptyValues {
    pub(super) fn of(column: &str) -> Self {
        Self { column: column.to_owned(), ..Self::default() }
    }

    pub(super) fn add(&mut self, line: u64, text: &str) {
        self.count += 1;
        if !text.is_empty() {
            *self.words.entry(text.to_owned()).or_default() += 1;
        }
        if self.lines.len() < LISTED {
            self.lines.push(line);
        }
    }

    /// Why the values are left out, and how many for each reason.
    pub(super) fn reasons(&self) -> Vec<(String, u64)> {
        let empty = self.count - self.words.values().sum::<u64>();
        let words = self.words.iter().map(|(word, count)| (format!("missing values ({word})"), *count));
        words.chain((empty > 0).then(|| ("empty cells".to_owned(), empty))).collect()
    }
}

impl std::fmt::Display for EmptyValues {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let lines: Vec<String> = self.lines.iter().map(u64::to_string).collect();
        let more = if self.count > LISTED as u64 { ", …" } else { "" };
        let word = if self.count == 1 { "line" } else { "lines" };
        let lines = lines.join(", ");
        if self.words.is_empty() {
            let values = counted(self.count, "empty value");
            return write!(f, "{values} in column `{}` ({word} {lines}{more})", self.column);
        }
        let mut words: Vec<&str> = Vec::new();
        for text in self.words.keys() {
            if !words.iter().any(|known| known.eq_ignore_ascii_case(text)) {
                words.push(text);
            }
        }
        if self.words.values().sum::<u64>() < self.count {
            words.push("empty");
        }
        let values = counted(self.count, "missing value");
        write!(f, "{values} in column `{}` ({} on {word} {lines}{more})", self.column, listed(&words))
    }
}
