//! Pictures inside a report.

use std::collections::BTreeMap;
use std::sync::Arc;

/// Small pictures by their names, as addresses that hold their content (`data:`), so that a page shows them without asking for
/// anything.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Pictures(Arc<BTreeMap<Arc<str>, String>>);

impl Pictures {
    /// Adds a picture: the bytes of a file of a media type such as `image/png`.
    pub fn add(&mut self, name: &str, media_type: &str, bytes: &[u8]) {
        let address = format!("data:{media_type};base64,{}", base64(bytes));
        Arc::make_mut(&mut self.0).insert(name.into(), address);
    }

    /// Whether there is a picture of this name.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// The address of a picture.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }
}

/// Bytes in base 64 (RFC 4648, section 4).
fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let at = |place: usize| u32::from(three.get(place).copied().unwrap_or(0));
        let bits = (at(0) << 16) | (at(1) << 8) | at(2);
        for place in 0..4 {
            let letter = LETTERS[((bits >> (18 - 6 * place)) & 63) as usize];
            text.push(if place <= three.len() { char::from(letter) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_that_of_the_standard() {
        let cases = [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ];
        for (bytes, text) in cases {
            assert_eq!(base64(bytes.as_bytes()), text, "RFC 4648, section 10");
        }
        assert_eq!(base64(&[0xfb, 0xff, 0xfe]), "+//+");
    }
}
