//! Digests of files and of their pixels.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use sha2::{Digest as _, Sha256};

/// The SHA-256 digest of a file's bytes, written as 64 lower-case hexadecimal digits.
///
/// It identifies the file that a study was made with. [`PixelDigest`] identifies the pixels in it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContentDigest(pub [u8; 32]);

impl ContentDigest {
    /// Digests bytes.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }
}

/// The SHA-256 digest of a picture's pixels, written as 64 lower-case hexadecimal digits.
///
/// The input is width and height as four little-endian bytes each, then red, green and blue of
/// every pixel, row by row. A picture has the same digest in any file, while each file has its own
/// [`ContentDigest`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PixelDigest(pub [u8; 32]);

/// A text is not a digest of 64 lower-case hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a digest is 64 lower-case hexadecimal digits")]
pub struct ParseDigestError;

/// Reads 32 bytes from hexadecimal digits.
fn read(text: &str) -> Result<[u8; 32], ParseDigestError> {
    let digit = |byte: u8| match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        _ => None,
    };
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    if pairs.len() != 32 || !rest.is_empty() {
        return Err(ParseDigestError);
    }
    let mut bytes = [0; 32];
    for (byte, &[high, low]) in bytes.iter_mut().zip(pairs) {
        *byte = digit(high).ok_or(ParseDigestError)? << 4 | digit(low).ok_or(ParseDigestError)?;
    }
    Ok(bytes)
}

/// Reads a digest from any text that serde provides.
struct Digits;

impl de::Visitor<'_> for Digits {
    type Value = [u8; 32];

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("64 lower-case hexadecimal digits")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<[u8; 32], E> {
        read(text).map_err(E::custom)
    }
}

/// Writes a digest as hexadecimal digits and reads it from them.
macro_rules! written_as_digits {
    ($digest:ident) => {
        impl fmt::Display for $digest {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                for byte in self.0 {
                    write!(f, "{byte:02x}")?;
                }
                Ok(())
            }
        }

        impl fmt::Debug for $digest {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($digest), "({})"), self)
            }
        }

        impl FromStr for $digest {
            type Err = ParseDigestError;

            fn from_str(text: &str) -> Result<Self, ParseDigestError> {
                read(text).map(Self)
            }
        }

        impl Serialize for $digest {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $digest {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.deserialize_str(Digits).map(Self)
            }
        }
    };
}

written_as_digits!(ContentDigest);
written_as_digits!(PixelDigest);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_match_the_standard_and_survive_writing() {
        // FIPS 180-2, appendix B.1.
        let text = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        let digest = ContentDigest::of(b"abc");
        assert_eq!(digest.to_string(), text);
        assert_eq!(text.parse(), Ok(digest));
        let json = serde_json::to_string(&digest).unwrap();
        assert_eq!(json, format!("\"{text}\""));
        assert_eq!(serde_json::from_str::<ContentDigest>(&json).unwrap(), digest);
        for bad in [&text[1..], &text.to_uppercase(), &format!("{text}0"), "", &text.replace('b', "é")] {
            assert_eq!(bad.parse::<ContentDigest>(), Err(ParseDigestError), "{bad}");
        }
    }
}
