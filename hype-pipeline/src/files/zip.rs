//! Archives: as much of the format ZIP as programs write that pack arrays or images.

use std::io::Read as _;

use flate2::read::DeflateDecoder;

/// The most bytes that an entry may have: a hostile archive cannot fill the memory.
const LARGEST: u64 = 1 << 36;

/// A file of an archive.
#[derive(Debug)]
pub struct ZipEntry {
    /// Its name, as it is in the archive; it may be any text.
    pub name: String,
    method: u16,
    crc: u32,
    compressed: u64,
    size: u64,
    /// Where its local header begins.
    offset: u64,
}

/// The files of an archive, by its directory at the end.
///
/// # Errors
/// If the archive is damaged.
pub fn entries(bytes: &[u8]) -> Result<Vec<ZipEntry>, String> {
    let damaged = || "the archive is damaged: it has no directory".to_owned();
    // The record at the end is followed by a comment of at most 65,535 bytes.
    let first = bytes.len().saturating_sub(22 + 0xffff);
    let end = (first..bytes.len().saturating_sub(21))
        .rev()
        .find(|&at| bytes.get(at..at + 4) == Some(b"PK\x05\x06"))
        .ok_or_else(damaged)?;
    let (mut count, mut offset) = (
        u64::from(half_word(bytes, end + 10).ok_or_else(damaged)?),
        u64::from(word(bytes, end + 16).ok_or_else(damaged)?),
    );
    if count == 0xffff || offset == 0xffff_ffff {
        let locator = end.checked_sub(20).filter(|&at| bytes.get(at..at + 4) == Some(b"PK\x06\x07"));
        let record = locator.and_then(|at| double_word(bytes, at + 8)).ok_or_else(damaged)? as usize;
        count = double_word(bytes, record.saturating_add(32)).ok_or_else(damaged)?;
        offset = double_word(bytes, record.saturating_add(48)).ok_or_else(damaged)?;
    }
    let mut at = usize::try_from(offset).map_err(|_| damaged())?;
    let mut found = Vec::new();
    for _ in 0..count {
        let (entry, next) = directory_entry(bytes, at).ok_or_else(damaged)?;
        found.push(entry);
        at = next;
    }
    Ok(found)
}

fn directory_entry(bytes: &[u8], at: usize) -> Option<(ZipEntry, usize)> {
    if bytes.get(at..at.checked_add(46)?)?.get(..4)? != b"PK\x01\x02" {
        return None;
    }
    let method = half_word(bytes, at + 10)?;
    let crc = word(bytes, at + 16)?;
    let mut sizes = [word(bytes, at + 24)?, word(bytes, at + 20)?, word(bytes, at + 42)?].map(u64::from);
    let lengths = [28, 30, 32].map(|place| half_word(bytes, at + place).map(usize::from));
    let [name_length, extra_length, comment_length] = [lengths[0]?, lengths[1]?, lengths[2]?];
    let name = String::from_utf8_lossy(bytes.get(at + 46..at + 46 + name_length)?).into_owned();
    let mut extra = bytes.get(at + 46 + name_length..at + 46 + name_length + extra_length)?;
    while let (Some(kind), Some(length)) = (half_word(extra, 0), half_word(extra, 2)) {
        let body = extra.get(4..4 + usize::from(length))?;
        // Numbers that do not fit into 32 bits are here, in this order.
        if kind == 1 {
            let mut place = 0;
            for size in sizes.iter_mut().filter(|size| **size == 0xffff_ffff) {
                *size = double_word(body, place)?;
                place += 8;
            }
        }
        extra = &extra[4 + usize::from(length)..];
    }
    let [size, compressed, offset] = sizes;
    let next = at + 46 + name_length + extra_length + comment_length;
    Some((ZipEntry { name, method, crc, compressed, size, offset }, next))
}

impl ZipEntry {
    /// The number of bytes that the file has by the directory; [`content`](Self::content) gives no more.
    #[must_use]
    pub const fn size(&self) -> u64 {
        self.size
    }

    /// The number of bytes that it has in the archive.
    #[must_use]
    pub const fn compressed(&self) -> u64 {
        self.compressed
    }

    /// The bytes of the file.
    ///
    /// # Errors
    /// If the archive is damaged, or the file is compressed by another method than Deflate.
    pub fn content(&self, bytes: &[u8]) -> Result<Vec<u8>, String> {
        let damaged = || format!("the archive is damaged at `{}`", self.name);
        let at = usize::try_from(self.offset).map_err(|_| damaged())?;
        if bytes.get(at..at.saturating_add(4)) != Some(b"PK\x03\x04") {
            return Err(damaged());
        }
        let name = usize::from(half_word(bytes, at + 26).ok_or_else(damaged)?);
        let extra = usize::from(half_word(bytes, at + 28).ok_or_else(damaged)?);
        let begin = at + 30 + name + extra;
        let length = usize::try_from(self.compressed).map_err(|_| damaged())?;
        let body = begin.checked_add(length).and_then(|end| bytes.get(begin..end)).ok_or_else(damaged)?;
        if self.size > LARGEST {
            return Err(format!("`{}` would have {} bytes", self.name, self.size));
        }
        let content = match self.method {
            0 => body.to_vec(),
            8 => {
                let mut content = Vec::new();
                DeflateDecoder::new(body)
                    .take(self.size + 1)
                    .read_to_end(&mut content)
                    .map_err(|error| format!("{}: {error}", damaged()))?;
                content
            }
            other => {
                return Err(format!(
                    "`{}` is compressed by method {other}: Deflate is read, and none",
                    self.name
                ));
            }
        };
        let mut sum = flate2::Crc::new();
        sum.update(&content);
        if content.len() as u64 != self.size || sum.sum() != self.crc {
            return Err(damaged());
        }
        Ok(content)
    }
}

fn half_word(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(bytes.get(at..at.checked_add(2)?)?.try_into().ok()?))
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at.checked_add(4)?)?.try_into().ok()?))
}

fn double_word(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(bytes.get(at..at.checked_add(8)?)?.try_into().ok()?))
}
