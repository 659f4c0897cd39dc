//! Names whose accents are written in one way, as systems of files differ in how they write them.

use std::borrow::Cow;

use unicode_normalization::{IsNormalized, UnicodeNormalization as _, is_nfc_quick};

/// A text in Unicode's form C, in which letters and their accents are one character where there is one. File systems of macOS write
/// the two apart.
#[must_use]
pub fn composed(text: &str) -> Cow<'_, str> {
    if is_nfc_quick(text.chars()) == IsNormalized::Yes {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.nfc().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_and_accents_are_joined() {
        for (apart, whole) in [
            ("cafe\u{301}", "café"),
            ("Mu\u{308}sli", "Müsli"),
            ("e\u{302}\u{301}", "ế"),
            // In either order.
            ("a\u{323}\u{302}", "ậ"),
            ("a\u{302}\u{323}", "ậ"),
            ("\u{30ab}\u{3099}", "ガ"),
            ("\u{1112}\u{1161}\u{11ab}", "한"),
            ("и\u{306}", "й"),
            ("x\u{301}", "x\u{301}"),
            ("plain", "plain"),
        ] {
            assert_eq!(composed(apart), whole);
            assert_eq!(composed(whole), whole);
        }
    }
}
