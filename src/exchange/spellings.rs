//! Names that may be one, and rows that are there twice: what a reader of a table is told to look at.

use std::collections::HashMap;

use hype_core::ScoreTable;
use hype_core::words::{counted, cut};

/// The names or lines that a note lists.
const LISTED: usize = 3;
/// The most names that are compared, and the most rows.
const MOST_NAMES: usize = 1 << 17;
const MOST_ROWS: usize = 1 << 16;

/// Notes on names of a kind, such as `models`, that differ only in capitals, accents or blanks.
pub fn spellings<'a>(kind: &str, names: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let mut first: HashMap<String, &str> = HashMap::new();
    let mut alike = Vec::new();
    for name in names.into_iter().take(MOST_NAMES) {
        match first.get(&*folded(name)) {
            Some(known) => alike.push(format!("`{known}` and `{name}`")),
            None => {
                first.insert(folded(name), name);
            }
        }
    }
    (!alike.is_empty()).then(|| {
        let pairs = cut(&alike, LISTED, ", ");
        format!("the {kind} {pairs} differ only in capitals, accents or blanks, and count as different")
    })
}

/// A name in small letters without accents, with single spaces.
fn folded(name: &str) -> String {
    let words: Vec<&str> = name.split_whitespace().collect();
    let is_mark = |letter: &char| ('\u{300}'..='\u{36f}').contains(letter);
    let letters = words.join(" ").to_lowercase();
    letters.chars().filter(|letter| !is_mark(letter)).map(base).collect()
}

/// The Latin letter under an accent.
const fn base(letter: char) -> char {
    match letter {
        'à'..='å' | 'ā' | 'ă' | 'ą' => 'a',
        'ç' | 'ć' | 'č' => 'c',
        'ď' | 'đ' => 'd',
        'è'..='ë' | 'ē' | 'ė' | 'ę' | 'ě' => 'e',
        'ğ' => 'g',
        'ì'..='ï' | 'ī' | 'į' | 'ı' => 'i',
        'ł' | 'ľ' => 'l',
        'ñ' | 'ń' | 'ň' => 'n',
        'ò'..='ö' | 'ø' | 'ō' | 'ő' => 'o',
        'ř' => 'r',
        'ś' | 'š' | 'ş' | 'ș' => 's',
        'ť' | 'ţ' | 'ț' => 't',
        'ù'..='ü' | 'ū' | 'ů' | 'ű' => 'u',
        'ý' | 'ÿ' => 'y',
        'ź' | 'ż' | 'ž' => 'z',
        other => other,
    }
}

/// Finds rows that are exact copies of earlier ones: of the same rater, models, item, block, measure and value. Rows without an
/// item are none, as they may be about different outputs.
#[derive(Default)]
pub(super) struct Copies {
    /// By the digest of a row its line.
    lines: HashMap<u64, u64>,
    /// The lines of the first copies, and of the rows that they are copies of.
    listed: Vec<(u64, u64)>,
    count: u64,
}

impl Copies {
    /// Adds the rows of a table from one on, by their lines. All rows have to be added with the same table, whose names have numbers.
    pub(super) fn add(&mut self, table: &ScoreTable, from: usize, line_of: impl Fn(usize) -> u64) {
        let columns = table.columns();
        for row in from..table.len() {
            if self.lines.len() >= MOST_ROWS {
                return;
            }
            let item = columns.item[row];
            if table.items.name(item).is_none_or(|item| item.is_empty()) {
                continue;
            }
            let pair = |first: u32, second: u32| u64::from(first) << 32 | u64::from(second);
            let parts = [
                pair(columns.rater[row], columns.model[row]),
                pair(columns.against[row], item),
                pair(u32::from(columns.block[row]), columns.measure[row]),
                columns.value[row].to_bits(),
            ];
            let mix = |sum: u64, part: u64| (sum.rotate_left(23) ^ part).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let digest = parts.into_iter().fold(0, mix);
            let line = line_of(row);
            match self.lines.get(&digest) {
                Some(&before) => {
                    self.count += 1;
                    if self.listed.len() < LISTED {
                        self.listed.push((line, before));
                    }
                }
                None => {
                    self.lines.insert(digest, line);
                }
            }
        }
    }

    /// Returns a note on the copies, if there are any.
    pub(super) fn note(&self) -> Option<String> {
        let (first, of) = *self.listed.first()?;
        let others = self.listed[1..].iter().map(|(line, of)| format!(", {line} (of line {of})"));
        let others: String = others.collect();
        let more = if self.count > LISTED as u64 { ", …" } else { "" };
        let copies = match self.count {
            1 => "1 exact copy of an earlier row".to_owned(),
            count => counted(count, "exact copy") + " of earlier rows",
        };
        let lines = if self.count == 1 { "line" } else { "lines" };
        let within = if self.lines.len() >= MOST_ROWS { " among the first rows" } else { "" };
        Some(format!(
            "{copies}{within}: {lines} {first} (of line {of}){others}{more}; copies count: remove them if a file was written twice"
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_differ_in_capitals_accents_or_blanks_are_equal() {
        let said = spellings("models", ["SDXL", "b", "sdxl ", "Zoé", "Zoe\u{301}"]).unwrap();
        assert!(
            said.starts_with("the models `SDXL` and `sdxl `, `Zoé` and `Zoe\u{301}` differ only in"),
            "{said}"
        );
        assert_eq!(spellings("models", ["a", "b", "a1"]), None);
    }
}
