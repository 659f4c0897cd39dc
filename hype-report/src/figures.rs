//! The figures of a report, by task.

use crate::figure::Figure;
use crate::source::Source;

mod flow;
mod forest;
mod pairs;
mod precision;

/// The most categories that a figure draws in full; of more, as many as [`ENDS`] from either end are drawn.
const MOST_ROWS: usize = 40;
const ENDS: usize = 20;

/// All figures that the records allow, in the order of the page.
#[must_use]
pub fn figures(source: &Source<'_>) -> Vec<Figure> {
    let mut all: Vec<Figure> = source.compared().enumerate().map(|(at, found)| forest::forest(source, found, at)).collect();
    if let Some(score) = source.score() {
        all.extend(pairs::pairs(score));
    }
    all.extend(flow::flow(source));
    all.extend(flow::with_excluded(source));
    if let Some(score) = source.score() {
        all.extend(precision::precision(source, score));
    }
    all
}

/// The categories that are drawn, and the gap for those that are not.
fn ends_of(names: &[String]) -> (Vec<String>, Option<(usize, usize)>) {
    if names.len() <= MOST_ROWS {
        return (names.to_vec(), None);
    }
    let missing = names.len() - 2 * ENDS;
    let drawn = names[..ENDS].iter().chain(&names[ENDS + missing..]).cloned().collect();
    (drawn, Some((ENDS, missing)))
}

/// A key for files: lower-case letters, digits and hyphens.
fn slug(text: &str) -> String {
    let mut out = String::new();
    for letter in text.chars() {
        match letter {
            letter if letter.is_ascii_alphanumeric() => out.push(letter.to_ascii_lowercase()),
            _ if !out.ends_with('-') => out.push('-'),
            _ => {}
        }
    }
    out.trim_matches('-').to_owned()
}
