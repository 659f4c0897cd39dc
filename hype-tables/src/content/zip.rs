//! Zip archives, by APPNOTE.TXT 6.3.10 of PKWARE: stored and deflated files, without encryption and Zip64.

use std::io::Read;

use flate2::Crc;
use flate2::read::DeflateDecoder;

use super::bounded::Bounded;
use super::{ContentError, held};

/// An archive in memory.
pub(super) struct Archive<'a> {
    bytes: &'a [u8],
    entries: Vec<Entry>,
}

struct Entry {
    name: String,
    is_encrypted: bool,
    method: u16,
    checksum: u32,
    packed: usize,
    unpacked: usize,
    /// Where the header before the data begins.
    header: usize,
}

/// The number of bytes of a directory's end without its comment.
const END: usize = 22;

impl<'a> Archive<'a> {
    /// Reads the directory of an archive.
    pub(super) fn read(bytes: &'a [u8]) -> Result<Self, ContentError> {
        let damaged = || damaged("it has no directory");
        let last = bytes.len().checked_sub(END).ok_or_else(damaged)?;
        let first = last.saturating_sub(usize::from(u16::MAX));
        let end =
            (first..=last).rev().find(|&at| bytes[at..].starts_with(b"PK\x05\x06")).ok_or_else(damaged)?;
        let count = half(bytes, end + 10).ok_or_else(damaged)?;
        let mut at = word(bytes, end + 16).ok_or_else(damaged)?;
        let mut entries = Vec::new();
        for _ in 0..count {
            let entry = Entry::read(bytes, &mut at).ok_or_else(damaged)?;
            entries.push(entry);
        }
        Ok(Self { bytes, entries })
    }

    /// Whether it has a file.
    pub(super) fn has(&self, name: &str) -> bool {
        self.entries.iter().any(|entry| entry.name == name)
    }

    /// The files, without folders and what systems add.
    pub(super) fn files(&self) -> Vec<&str> {
        let names = self.entries.iter().map(|entry| &*entry.name);
        let is_added = |name: &str| {
            name.starts_with("__MACOSX/")
                || [".DS_Store", "Thumbs.db", "desktop.ini"].iter().any(|one| name.ends_with(one))
        };
        names.filter(|name| !name.ends_with('/') && !is_added(name)).collect()
    }

    /// Unpacks a file, and compares its checksum.
    pub(super) fn open(&self, name: &str) -> Result<Vec<u8>, ContentError> {
        let entry = self
            .entries
            .iter()
            .find(|entry| entry.name == name)
            .ok_or_else(|| damaged(&format!("it lacks {name}")))?;
        if entry.is_encrypted {
            return Err(ContentError::other("encrypted", "save it without a password"));
        }
        let lacks = || damaged(&format!("{name} is cut off"));
        let after = |field: usize| half(self.bytes, entry.header + field).ok_or_else(lacks);
        let start = entry.header + 30 + after(26)? + after(28)?;
        let packed =
            start.checked_add(entry.packed).and_then(|end| self.bytes.get(start..end)).ok_or_else(lacks)?;
        let limit = entry.unpacked as u64 + 1;
        let unpacked = match entry.method {
            0 => packed.to_vec(),
            8 => held(Bounded::new(packed, DeflateDecoder::new).take(limit))?,
            _ => {
                return Err(ContentError::other(
                    "a zip archive of an unusual method",
                    "unpack it and name the file",
                ));
            }
        };
        let mut sum = Crc::new();
        sum.update(&unpacked);
        if unpacked.len() != entry.unpacked || sum.sum() != entry.checksum {
            return Err(damaged(&format!("{name} has another checksum")));
        }
        Ok(unpacked)
    }

    /// Unpacks a text.
    pub(super) fn text(&self, name: &str) -> Result<String, ContentError> {
        String::from_utf8(self.open(name)?).map_err(|_| damaged(&format!("{name} is not UTF-8")))
    }
}

impl Entry {
    /// Reads an entry of the directory, and moves behind it.
    fn read(bytes: &[u8], at: &mut usize) -> Option<Self> {
        let start = *at;
        if !bytes.get(start..)?.starts_with(b"PK\x01\x02") {
            return None;
        }
        let length = half(bytes, start + 28)?;
        let name = bytes.get(start + 46..start + 46 + length)?;
        *at = start + 46 + length + half(bytes, start + 30)? + half(bytes, start + 32)?;
        Some(Self {
            name: String::from_utf8_lossy(name).into_owned(),
            is_encrypted: half(bytes, start + 8)? & 1 == 1,
            method: u16::try_from(half(bytes, start + 10)?).ok()?,
            checksum: u32::try_from(word(bytes, start + 16)?).ok()?,
            packed: word(bytes, start + 20)?,
            unpacked: word(bytes, start + 24)?,
            header: word(bytes, start + 42)?,
        })
    }
}

fn damaged(how: &str) -> ContentError {
    ContentError::other(format!("a damaged zip archive: {how}"), "download or save it again")
}

fn half(bytes: &[u8], at: usize) -> Option<usize> {
    let bytes = bytes.get(at..at.checked_add(2)?)?;
    Some(usize::from(u16::from_le_bytes(bytes.try_into().ok()?)))
}

fn word(bytes: &[u8], at: usize) -> Option<usize> {
    let bytes = bytes.get(at..at.checked_add(4)?)?;
    usize::try_from(u32::from_le_bytes(bytes.try_into().ok()?)).ok()
}
