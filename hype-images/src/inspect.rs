//! Reads image files and checks that they are complete.

use std::fs::{self, File, Metadata};
use std::io::Read as _;
use std::path::Path;
use std::sync::Arc;
use std::time::UNIX_EPOCH;

use crate::decode::{Decoding, Examined};
use crate::digest::ContentDigest;
use crate::error::ImageError;
use crate::format::FileFormat;
use crate::limits;

pub(crate) mod budget;

use budget::Budget;

/// An image that was completely read and decoded without fault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inspected {
    /// The path: relative with `/` for [`inspect_all`](crate::inspect_all), as given for [`inspect`].
    pub path: Arc<str>,
    /// SHA-256 of the file's bytes.
    pub digest: ContentDigest,
    /// Length of the file, in bytes.
    pub bytes: u64,
    /// The format of the content.
    pub format: FileFormat,
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
}

impl Inspected {
    /// The format that the name's extension announces, if the content has another format.
    ///
    /// Not a fault, but a server that relies on names will announce the wrong type.
    #[must_use]
    pub fn misnamed(&self) -> Option<FileFormat> {
        FileFormat::of_name(&self.path).filter(|promised| *promised != self.format)
    }
}

/// Inspects one file: reads it, digests it, and decodes it to check that it is complete.
///
/// # Errors
/// Any variant of [`ImageError`] about a file; hostile content never panics, and never takes more
/// than [`limits::MEMORY`].
pub fn inspect(path: &Path) -> Result<Inspected, ImageError> {
    let shown: Arc<str> = path.display().to_string().into();
    read(path, &shown, &Budget::new(limits::MEMORY)).map(|(inspected, _)| inspected)
}

/// The file system's metadata of a file, by which a change of the file is noticed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stamp {
    pub(crate) bytes: u64,
    /// Nanoseconds since 1970, if the system provides them and they fit.
    pub(crate) modified_ns: Option<i64>,
}

impl Stamp {
    pub(crate) fn of(metadata: &Metadata) -> Self {
        let modified_ns = metadata.modified().ok().and_then(|time| match time.duration_since(UNIX_EPOCH) {
            Ok(after) => i64::try_from(after.as_nanos()).ok(),
            Err(before) => i64::try_from(before.duration().as_nanos()).ok().map(|ns| -ns),
        });
        Self { bytes: metadata.len(), modified_ns }
    }
}

/// The stamp of a regular file.
pub(crate) fn stamp(path: &Path, shown: &Arc<str>) -> Result<Stamp, ImageError> {
    let metadata = fs::metadata(path).map_err(|source| {
        let link = fs::symlink_metadata(path).is_ok_and(|found| found.is_symlink());
        if link && source.kind() == std::io::ErrorKind::NotFound {
            ImageError::BrokenLink { path: shown.to_string() }
        } else {
            ImageError::Unreadable { path: shown.to_string(), source }
        }
    })?;
    // Checked before opening, because opening a named pipe would wait for its writer.
    if !metadata.is_file() {
        return Err(ImageError::NotAFile { path: shown.to_string() });
    }
    Ok(Stamp::of(&metadata))
}

pub(crate) fn read(path: &Path, shown: &Arc<str>, budget: &Budget) -> Result<(Inspected, Stamp), ImageError> {
    let (bytes, stamp) = load(path, shown)?;
    let examined = Examined::of(shown, &bytes, &Decoding::default())?;
    let _share = budget.take(examined.memory());
    examined.prove(shown, &bytes)?;
    let (width, height) = examined.size();
    let inspected = Inspected {
        path: Arc::clone(shown),
        digest: ContentDigest::of(&bytes),
        bytes: stamp.bytes,
        format: examined.format(),
        width,
        height,
    };
    Ok((inspected, stamp))
}

/// Reads a complete regular file, which must not change meanwhile.
pub(crate) fn load(path: &Path, shown: &Arc<str>) -> Result<(Vec<u8>, Stamp), ImageError> {
    let before = stamp(path, shown)?;
    if before.bytes > limits::FILE_BYTES {
        return Err(ImageError::TooManyBytes {
            path: shown.to_string(),
            bytes: before.bytes,
            limit: limits::FILE_BYTES,
        });
    }
    let unreadable = |source| ImageError::Unreadable { path: shown.to_string(), source };
    let mut bytes = Vec::with_capacity(usize::try_from(before.bytes).unwrap_or(0));
    let file = File::open(path).map_err(unreadable)?;
    (&file).take(before.bytes + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    let after = Stamp::of(&file.metadata().map_err(unreadable)?);
    if after != before || bytes.len() as u64 != before.bytes {
        return Err(ImageError::Changed { path: shown.to_string() });
    }
    Ok((bytes, before))
}
