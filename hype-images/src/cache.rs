//! Stores the results of inspecting files; opening a study again reads only their metadata.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rayon::prelude::*;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::digest::ContentDigest;
use crate::error::ImageError;
use crate::find::FoundFile;
use crate::format::FileFormat;
use crate::inspect::{Inspected, Stamp, stamp};
use crate::replace::replace_file;

/// The first line of the file; a cache of another version is ignored.
const HEADER: &str = r#"{"hype_image_cache":1}"#;

/// The coarsest resolution of modification times in use (that of FAT), in nanoseconds.
const COARSEST_STEP_NS: i64 = 2_000_000_000;

/// The results of the last inspection of files.
///
/// An entry has a relative path, a length and a modification time; a file that differs in one of
/// them is read again. A file modified less than two seconds before the cache was opened is not
/// stored, since it could change again without a change of its time; it is read again the next
/// time. Both times are the file system's.
///
/// The file is JSON Lines: a header that names the version, then one object for each file with a
/// check sum. Damaged or truncated lines are ignored, and their files are read again.
#[derive(Debug)]
pub struct Cache {
    path: PathBuf,
    /// As loaded.
    old: HashMap<Arc<str>, Entry>,
    /// Results used or added since then.
    seen: HashMap<Arc<str>, Entry>,
    /// Whether the file on disk differs from `seen`.
    stale: bool,
    horizon: Option<i64>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Entry {
    bytes: u64,
    modified_ns: i64,
    digest: ContentDigest,
    content: Content,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Content {
    Image {
        width: u32,
        height: u32,
        format: FileFormat,
    },
    /// A file of another kind, with its facts as JSON.
    Other {
        facts: Box<str>,
    },
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

/// A file that is not an image.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct OtherLine<'a> {
    #[serde(borrow)]
    path: std::borrow::Cow<'a, str>,
    bytes: u64,
    modified_ns: i64,
    digest: ContentDigest,
    facts: Box<str>,
    check: u32,
}

impl Cache {
    /// Opens a cache file. If it is missing, unreadable or of another version, the cache is empty.
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
        // A complete file ends with a line break, so the part after the last one is empty.
        let lines = entries.len() - 1;
        cache.old = entries.into_iter().flatten().collect();
        cache.stale = cache.old.len() != lines;
        cache
    }

    /// The number of entries when the cache was opened.
    #[must_use]
    pub fn len(&self) -> usize {
        self.old.len()
    }

    /// Whether there were no entries when the cache was opened.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.old.is_empty()
    }

    /// Writes the entries used or added since opening to a new file, which replaces the old one.
    ///
    /// Entries that were not used since opening are dropped. Does nothing if the file on disk
    /// already has the same content.
    ///
    /// # Errors
    /// [`ImageError::Write`]; the old file is then unchanged.
    pub fn save(&mut self) -> Result<(), ImageError> {
        if !self.stale && self.seen.len() == self.old.len() {
            return Ok(());
        }
        replace_file(&self.path, |file| self.write(file))
            .map_err(|source| ImageError::Write { path: self.path.display().to_string(), source })?;
        self.old = std::mem::take(&mut self.seen);
        self.stale = false;
        Ok(())
    }

    fn write(&self, file: &File) -> io::Result<()> {
        let mut sorted: Vec<(&Arc<str>, &Entry)> = self.seen.iter().collect();
        sorted.sort_unstable_by_key(|entry| entry.0);
        let mut file = BufWriter::new(file);
        writeln!(file, "{HEADER}")?;
        for (path, entry) in sorted {
            let Entry { bytes, modified_ns, digest, ref content } = *entry;
            let (path, check) = ((&**path).into(), check(path, entry));
            match content {
                &Content::Image { width, height, format } => {
                    let line = Line { path, bytes, modified_ns, digest, width, height, format, check };
                    serde_json::to_writer(&mut file, &line)?;
                }
                Content::Other { facts } => {
                    let line = OtherLine { path, bytes, modified_ns, digest, facts: facts.clone(), check };
                    serde_json::to_writer(&mut file, &line)?;
                }
            }
            file.write_all(b"\n")?;
        }
        file.flush()
    }

    /// The digest and the facts of a file that is not an image. `read` finds them if they are not in the cache, the file has
    /// changed since, or the facts were stored in another form.
    ///
    /// # Errors
    /// Those of `read`. Faults are not stored.
    pub fn facts_of<T, E>(
        &mut self,
        file: &FoundFile,
        read: impl FnOnce() -> Result<(ContentDigest, T), E>,
    ) -> Result<(ContentDigest, T), E>
    where
        T: Serialize + DeserializeOwned,
    {
        let now = || stamp(&file.path, &file.relative).ok();
        let before = now();
        if let Some(before) = before
            && let Some(entry) = self.entry(&file.relative, before)
            && let Content::Other { facts } = &entry.content
            && let Ok(known) = serde_json::from_str(facts)
        {
            let entry = entry.clone();
            let digest = entry.digest;
            self.seen.insert(Arc::clone(&file.relative), entry);
            return Ok((digest, known));
        }
        let (digest, found) = read()?;
        if let (Some(before), Ok(facts)) = (before, serde_json::to_string(&found))
            && now() == Some(before)
        {
            let content = Content::Other { facts: facts.into() };
            self.store(&file.relative, before, self.horizon, digest, content);
        }
        Ok((digest, found))
    }

    fn entry(&self, path: &Arc<str>, stamp: Stamp) -> Option<&Entry> {
        let entry = self.seen.get(path).or_else(|| self.old.get(path))?;
        let same = entry.bytes == stamp.bytes && Some(entry.modified_ns) == stamp.modified_ns;
        same.then_some(entry)
    }

    /// The entry of an image in this state.
    pub(crate) fn look_up(&self, path: &Arc<str>, stamp: Stamp) -> Option<Inspected> {
        let entry = self.entry(path, stamp)?;
        let Content::Image { width, height, format } = entry.content else { return None };
        let path = Arc::clone(path);
        Some(Inspected { path, digest: entry.digest, bytes: entry.bytes, format, width, height })
    }

    /// The latest modification time that can be relied on: a file read since opening cannot have
    /// changed again within the same step of the file system's clock.
    pub(crate) const fn horizon(&self) -> Option<i64> {
        self.horizon
    }

    /// Stores the result of inspecting a file in this state.
    pub(crate) fn remember(&mut self, image: &Inspected, stamp: Stamp, horizon: Option<i64>) {
        let Inspected { digest, format, width, height, .. } = *image;
        self.store(&image.path, stamp, horizon, digest, Content::Image { width, height, format });
    }

    fn store(
        &mut self,
        path: &Arc<str>,
        stamp: Stamp,
        horizon: Option<i64>,
        digest: ContentDigest,
        content: Content,
    ) {
        let (Some(modified_ns), Some(horizon)) = (stamp.modified_ns, horizon) else {
            return;
        };
        let entry = Entry { bytes: stamp.bytes, modified_ns, digest, content };
        let unchanged = self.old.get(path) == Some(&entry);
        // An entry that was reliable when it was first stored remains reliable.
        if !unchanged && modified_ns >= horizon {
            return;
        }
        self.stale |= !unchanged;
        self.seen.insert(Arc::clone(path), entry);
    }
}

fn parse(line: &[u8]) -> Option<(Arc<str>, Entry)> {
    let (path, entry, sum) = match serde_json::from_slice(line) {
        Ok(Line { path, bytes, modified_ns, digest, width, height, format, check }) => {
            let content = Content::Image { width, height, format };
            (path, Entry { bytes, modified_ns, digest, content }, check)
        }
        Err(_) => {
            let OtherLine { path, bytes, modified_ns, digest, facts, check } =
                serde_json::from_slice(line).ok()?;
            (path, Entry { bytes, modified_ns, digest, content: Content::Other { facts } }, check)
        }
    };
    (sum == check(&path, &entry)).then(|| (path.as_ref().into(), entry))
}

/// CRC-32 of the content of a line.
fn check(path: &str, entry: &Entry) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(path.as_bytes());
    hasher.update(&entry.bytes.to_le_bytes());
    hasher.update(&entry.modified_ns.to_le_bytes());
    hasher.update(&entry.digest.0);
    match &entry.content {
        Content::Image { width, height, format } => {
            hasher.update(&width.to_le_bytes());
            hasher.update(&height.to_le_bytes());
            hasher.update(&[match format {
                FileFormat::Png => 1,
                FileFormat::Jpeg => 2,
                FileFormat::Webp => 3,
            }]);
        }
        Content::Other { facts } => hasher.update(facts.as_bytes()),
    }
    hasher.finalize()
}

/// The name of this process's temporary file.
fn beside(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.{}.tmp", std::process::id()))
}

/// The current time of the file system minus its coarsest resolution; `None` if no file can be
/// written.
fn probe(path: &Path) -> Option<i64> {
    let temporary = beside(path);
    let metadata = File::create(&temporary).and_then(|file| file.metadata());
    // If the file cannot be removed, it is overwritten the next time.
    let _ = fs::remove_file(&temporary);
    let now = Stamp::of(&metadata.ok()?).modified_ns?;
    Some(now.saturating_sub(COARSEST_STEP_NS))
}
