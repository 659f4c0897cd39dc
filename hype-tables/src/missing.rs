//! Cells that say that there is no value.

/// Whether a cell is what programs write for a value that is not there: nothing, `NaN`, `NA`, `N/A`, `#N/A`, `null`, `None`
/// or a dash.
#[must_use]
pub fn is_missing(cell: &str) -> bool {
    const WORDS: [&str; 9] = ["nan", "na", "n/a", "#n/a", "<na>", "null", "none", "-", "\u{2013}"];
    cell.is_empty() || WORDS.iter().any(|word| cell.eq_ignore_ascii_case(word))
}
