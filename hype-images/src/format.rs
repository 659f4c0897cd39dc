//! The three formats that every browser shows and whose files can be checked completely.

use std::fmt;

use serde::{Deserialize, Serialize};

/// An image format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum FileFormat {
    /// Portable Network Graphics.
    Png,
    /// JPEG, baseline or progressive.
    Jpeg,
    /// WebP, lossy or lossless.
    Webp,
}

impl FileFormat {
    /// The format that a file name's extension announces, if it is supported.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        let (stem, extension) = name.rsplit_once('.')?;
        if stem.is_empty() || stem.ends_with('/') {
            return None;
        }
        let is = |known: &str| extension.eq_ignore_ascii_case(known);
        if is("png") {
            Some(Self::Png)
        } else if is("jpg") || is("jpeg") {
            Some(Self::Jpeg)
        } else if is("webp") {
            Some(Self::Webp)
        } else {
            None
        }
    }

    /// The format according to a file's first bytes, if it is supported.
    #[must_use]
    pub fn of_content(bytes: &[u8]) -> Option<Self> {
        if bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
            Some(Self::Png)
        } else if bytes.starts_with(b"\xff\xd8\xff") {
            Some(Self::Jpeg)
        } else if bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP") {
            Some(Self::Webp)
        } else {
            None
        }
    }
}

impl fmt::Display for FileFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Png => "png",
            Self::Jpeg => "jpeg",
            Self::Webp => "webp",
        })
    }
}

/// Returns the format that a file of an unsupported format resembles, to help its owner.
pub(crate) fn resemblance(bytes: &[u8]) -> &'static str {
    let starts = |known: &[u8]| bytes.starts_with(known);
    let brand = bytes.get(4..12).unwrap_or_default();
    if starts(b"GIF87a") || starts(b"GIF89a") {
        "a GIF"
    } else if starts(b"BM") {
        "a BMP"
    } else if starts(b"II*\0") || starts(b"MM\0*") {
        "a TIFF"
    } else if brand == b"ftypavif" {
        "an AVIF"
    } else if brand == b"ftypheic" || brand == b"ftypmif1" {
        "a HEIC"
    } else if starts(b"\xff\x0a") || starts(b"\0\0\0\x0cJXL ") {
        "a JPEG XL"
    } else if starts(b"%PDF") {
        "a PDF"
    } else if starts(b"version https://git-lfs") {
        "a Git LFS pointer, not the file itself"
    } else if starts(b"<svg") || starts(b"<?xml") {
        "an SVG or XML text"
    } else if starts(b"<") {
        "a web page, as a failed download leaves"
    } else {
        "something else"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_promise_formats() {
        for (name, want) in [
            ("a/b.png", Some(FileFormat::Png)),
            ("B.PNG", Some(FileFormat::Png)),
            ("x.y.jpg", Some(FileFormat::Jpeg)),
            ("x.Jpeg", Some(FileFormat::Jpeg)),
            ("ü.webp", Some(FileFormat::Webp)),
            ("x.gif", None),
            ("png", None),
            (".png", None),
            ("a/.png", None),
            ("a.png/b", None),
        ] {
            assert_eq!(FileFormat::of_name(name), want, "{name}");
        }
    }
}
