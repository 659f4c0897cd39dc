//! The folder of prepared files.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::Prepared;
use crate::decode::{Decoding, decode};
use crate::digest::{ContentDigest, PixelDigest};
use crate::encode::{Encoding, encode};
use crate::error::ImageError;
use crate::format::FileFormat;
use crate::picture::Picture;
use crate::replace::replace_file;

/// Raised whenever the same file and rule would give different bytes.
const VERSION: u32 = 1;

/// A folder for one rule.
///
/// For each original there is an encoded picture and, written after it, a note that describes it. A result
/// without a complete note does not count.
pub(crate) struct Store {
    folder: PathBuf,
    encoding: Encoding,
}

/// The description of a result, read without opening it.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Note {
    digest: ContentDigest,
    pixels: PixelDigest,
    bytes: u64,
    width: u32,
    height: u32,
}

impl Store {
    /// Opens the folder of a rule, which includes the encoding, and creates it if it does not exist.
    pub(crate) fn open(folder: &Path, rule: &impl Serialize, encoding: Encoding) -> Result<Self, ImageError> {
        let unwritable = |source| ImageError::Write { path: folder.display().to_string(), source };
        // Fields are written in the order of their declaration, so that equal rules have equal
        // texts.
        let written = serde_json::to_string(&(VERSION, rule)).map_err(|error| unwritable(error.into()))?;
        let name = ContentDigest::of(written.as_bytes()).to_string();
        let folder = folder.join(&name[..16]);
        fs::create_dir_all(&folder).map_err(unwritable)?;
        Ok(Self { folder, encoding })
    }

    /// The result for an original, if there is one.
    pub(crate) fn look_up(&self, original: ContentDigest) -> Option<Prepared> {
        let (path, note) = self.names(original);
        let note: Note = serde_json::from_slice(&fs::read(note).ok()?).ok()?;
        let found = fs::metadata(&path).ok()?;
        (found.is_file() && found.len() == note.bytes).then(|| note.about(path, original))
    }

    /// Encodes and stores a result.
    pub(crate) fn keep(&self, original: ContentDigest, picture: &Picture) -> Result<Prepared, ImageError> {
        let (path, note_path) = self.names(original);
        let encoded = encode(picture, self.encoding);
        let pixels = if self.encoding.is_lossless() {
            PixelDigest::of(picture)
        } else {
            let decoded = decode(&path.display().to_string(), &encoded, &Decoding::default())?;
            PixelDigest::of(&decoded.picture)
        };
        let note = Note {
            digest: ContentDigest::of(&encoded),
            pixels,
            bytes: encoded.len() as u64,
            width: picture.width(),
            height: picture.height(),
        };
        let unwritable = |source| ImageError::Write { path: path.display().to_string(), source };
        let written = serde_json::to_vec(&note).map_err(|error| unwritable(error.into()))?;
        put(&path, &encoded).and_then(|()| put(&note_path, &written)).map_err(unwritable)?;
        Ok(note.about(path, original))
    }

    fn names(&self, original: ContentDigest) -> (PathBuf, PathBuf) {
        let extension = match self.encoding.format() {
            FileFormat::Png => "png",
            FileFormat::Jpeg => "jpg",
            FileFormat::Webp => "webp",
        };
        let name = |extension: &str| self.folder.join(format!("{original}.{extension}"));
        (name(extension), name("json"))
    }
}

fn put(path: &Path, bytes: &[u8]) -> io::Result<()> {
    replace_file(path, |mut file| file.write_all(bytes))
}

impl Note {
    fn about(self, path: PathBuf, original: ContentDigest) -> Prepared {
        let Self { digest, pixels, bytes, width, height } = self;
        Prepared { path, original, digest, pixels, bytes, width, height }
    }
}
