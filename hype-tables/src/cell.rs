//! Cells that a spreadsheet would compute.

use std::borrow::Cow;

use super::number::number_of;

/// The text as a cell that no spreadsheet computes: text that begins like a formula follows an apostrophe. Numbers stay numbers.
///
/// Spreadsheets read text as a formula if it begins with `=`, `+`, `-`, `@` or a control character such as a tab, also in
/// quoted cells. What [`written`] reads back is the text, whatever it is.
///
/// # Examples
/// ```
/// use hype_tables::{harmless, written};
///
/// assert_eq!(harmless("=1+1"), "'=1+1");
/// assert_eq!(harmless("-1.5"), "-1.5");
/// assert_eq!(written("'=1+1"), "=1+1");
/// ```
#[must_use]
pub fn harmless(text: &str) -> Cow<'_, str> {
    if is_marked_or_computed(text) && number_of(text).is_none() {
        return Cow::Owned(format!("'{text}"));
    }
    Cow::Borrowed(text)
}

/// The text that [`harmless`] made a cell of.
#[must_use]
#[inline]
pub fn written(cell: &str) -> &str {
    cell.strip_prefix('\'').filter(|text| is_marked_or_computed(text)).unwrap_or(cell)
}

/// Whether text begins like a formula, after any number of apostrophes.
fn is_marked_or_computed(text: &str) -> bool {
    let begins = |first: char| matches!(first, '=' | '+' | '-' | '@') || first.is_control();
    text.trim_start_matches('\'').starts_with(begins)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn text_is_read_back_and_no_cell_is_computed(text in "['=+@\t\r0-9.,e-]{0,6}|.{0,8}") {
            let cell = harmless(&text);
            prop_assert_eq!(written(&cell), &*text);
            let is_safe = !cell.starts_with(['=', '+', '-', '@', '\t', '\r']) || cell.trim().parse::<f64>().is_ok();
            prop_assert!(is_safe, "{:?}", cell);
        }
    }
}
