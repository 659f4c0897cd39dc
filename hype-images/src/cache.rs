//! Remembers inspected files, so that opening a study again reads only their metadata.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::digest::ContentDigest;
use crate::error::ImageError;
use crate::format::FileFormat;
use crate::inspect::{Inspected, Stamp};

/// The first line of the file; another version's cache is not read.
const HEADER: &str = r#"{"hype_image_cache":1}"#;

/// The coarsest steps of modification times in use (those of FAT), in nanoseconds.
const COARSEST_STEP_NS: i64 = 2_000_000_000;

/// What is known of files from their last inspection.
///
/// Entries belong to a relative path, a length and a modification time; a file that differs in
/// one of them is read again. A file modified less than two seconds before the cache was opened is
/// not remembered, since it could change once more without a change of its time; so what was
/// written just now is read once more the next time. Both times are the file system's.
///
/// The file is JSON Lines: a header that names the version, then one object for each image with a
/// check sum. Lines that are damaged or cut are ignored, and their files are read again.
#[derive(Debug)]
pub struct Cache {
    path: PathBuf,
    /// As loaded.
    old: HashMap<Arc<str>, Entry>,
    /// As seen since then.
    seen: HashMap<Arc<str>, Entry>,
    /// Whether the file on disk says something else than what was seen.
    stale: bool,
    horizon: Option<i64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Entry {
    bytes: u64,
    modified_ns: i64,
    digest: ContentDigest,
    width: u32,
    height: u32,
    format: FileFormat,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line<'a> {
    #[serde(borrow)]
    path: std::borrow::Cow<'a, str>,
    bytes: u64,
    modified_ns: i64,
    digest: ContentDigest,
    width: u32,
    height: u32,
    format: FileFormat,
    check: u32,
}

impl Cache {
    /// Opens a cache file; one that is missing, unreadable or of another version is an empty cache.
    #[must_use]
    pub fn open(path: &Path) -> Self {
        let mut cache = Self {
            path: path.to_path_buf(),
            old: HashMap::new(),
            seen: HashMap::new(),
            stale: true,
            horizon: probe(path),
        };
        let Ok(content) = fs::read(path) else {
            return cache;
        };
        let Some(body) = content.strip_prefix(HEADER.as_bytes()).and_then(|rest| rest.strip_prefix(b"\n"))
        else {
            return cache;
        };
        let entries: Vec<Option<(Arc<str>, Entry)>> =
            body.par_split(|&byte| byte == b'\n').map(parse).collect();
        // A whole file ends with a line break, after which nothing is split off.
        let lines = entries.len() - 1;
        cache.old = entries.into_iter().flatten().collect();
        cache.stale = cache.old.len() != lines;
        cache
    }

    /// How many files the cache knows from the time it was opened.
    #[must_use]
    pub fn len(&self) -> usize {
        self.old.len()
    }

    /// Whether nothing was known when it was opened.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.old.is_empty()
    }

    /// Writes what was seen since opening to a new file and puts that in the old one's place.
    ///
    /// Files that were not asked for since opening are forgotten. Does nothing where the file on
    /// disk already says the same.
    ///
    /// # Errors
    /// [`ImageError::Write`]; the old file is then as it was.
    pub fn save(&mut self) -> Result<(), ImageError> {
        if !self.stale && self.seen.len() == self.old.len() {
            return Ok(());
        }
        let temporary = beside(&self.path);
        let outcome = self.write(&temporary).and_then(|()| fs::rename(&temporary, &self.path));
        if let Err(source) = outcome {
            // What remains is harmless, and the first error is the one to tell.
            let _ = fs::remove_file(&temporary);
            return Err(ImageError::Write { path: self.path.display().to_string(), source });
        }
        self.old = std::mem::take(&mut self.seen);
        self.stale = false;
        Ok(())
    }

    fn write(&self, path: &Path) -> io::Result<()> {
        let mut sorted: Vec<(&Arc<str>, &Entry)> = self.seen.iter().collect();
        sorted.sort_unstable_by_key(|entry| entry.0);
        let mut file = BufWriter::new(File::create(path)?);
        writeln!(file, "{HEADER}")?;
        for (path, entry) in sorted {
            let line = Line {
                path: (&**path).into(),
                bytes: entry.bytes,
                modified_ns: entry.modified_ns,
                digest: entry.digest,
                width: entry.width,
                height: entry.height,
                format: entry.format,
                check: check(path, entry),
            };
            serde_json::to_writer(&mut file, &line)?;
            file.write_all(b"\n")?;
        }
        file.into_inner().map_err(io::IntoInnerError::into_error)?;
        Ok(())
    }

    /// What is known of a file in this state.
    pub(crate) fn look_up(&self, path: &Arc<str>, stamp: Stamp) -> Option<Inspected> {
        let entry = self.seen.get(path).or_else(|| self.old.get(path))?;
        let same = entry.bytes == stamp.bytes && Some(entry.modified_ns) == stamp.modified_ns;
        same.then(|| Inspected {
            path: Arc::clone(path),
            digest: entry.digest,
            bytes: entry.bytes,
            format: entry.format,
            width: entry.width,
            height: entry.height,
        })
    }

    /// The latest modification time that can be relied on: nothing read since opening can have
    /// changed again within the same step of the file system's clock.
    pub(crate) const fn horizon(&self) -> Option<i64> {
        self.horizon
    }

    /// Remembers what was found out about a file in this state.
    pub(crate) fn remember(&mut self, image: &Inspected, stamp: Stamp, horizon: Option<i64>) {
        let (Some(modified_ns), Some(horizon)) = (stamp.modified_ns, horizon) else {
            return;
        };
        let entry = Entry {
            bytes: stamp.bytes,
            modified_ns,
            digest: image.digest,
            width: image.width,
            height: image.height,
            format: image.format,
        };
        let unchanged = self.old.get(&image.path) == Some(&entry);
        // What was relied on when it was first remembered may be relied on still.
        if !unchanged && modified_ns >= horizon {
            return;
        }
        self.stale |= !unchanged;
        self.seen.insert(Arc::clone(&image.path), entry);
    }
}

fn parse(line: &[u8]) -> Option<(Arc<str>, Entry)> {
    let line: Line<'_> = serde_json::from_slice(line).ok()?;
    let entry = Entry {
        bytes: line.bytes,
        modified_ns: line.modified_ns,
        digest: line.digest,
        width: line.width,
        height: line.height,
        format: line.format,
    };
    (line.check == check(&line.path, &entry)).then(|| (line.path.as_ref().into(), entry))
}

/// CRC-32 of all that a line says.
fn check(path: &str, entry: &Entry) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(path.as_bytes());
    hasher.update(&entry.bytes.to_le_bytes());
    hasher.update(&entry.modified_ns.to_le_bytes());
    hasher.update(&entry.digest.0);
    hasher.update(&entry.width.to_le_bytes());
    hasher.update(&entry.height.to_le_bytes());
    hasher.update(&[match entry.format {
        FileFormat::Png => 1,
        FileFormat::Jpeg => 2,
        FileFormat::Webp => 3,
    }]);
    hasher.finalize()
}

/// The name of this process's temporary file.
fn beside(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.{}.tmp", std::process::id()))
}

/// The file system's time now, less its coarsest step; none where nothing can be written.
fn probe(path: &Path) -> Option<i64> {
    let temporary = beside(path);
    let metadata = File::create(&temporary).and_then(|file| file.metadata());
    // A file that stays is overwritten the next time.
    let _ = fs::remove_file(&temporary);
    let now = Stamp::of(&metadata.ok()?).modified_ns?;
    Some(now.saturating_sub(COARSEST_STEP_NS))
}
