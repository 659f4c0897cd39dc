//! Notes on findings of synthetic raters.

use hype_core::Note;

/// A note that findings are based on synthetic raters.
#[must_use]
pub fn simulated_note() -> Note {
    Note::setting("simulated", "these are answers of synthetic raters, not of people")
}
