//! WebP: RIFF chunks within the length that the file states (RFC 9649, §2).

use super::{Flaw, Header, size};

/// Bytes of decoding tables that one byte of a lossless image can require: a prefix code of 11
/// symbols takes about 12 bytes of file and 4 KiB of table.
const TABLE_BYTES_PER_BYTE: u64 = 350;

/// The maximum size of decoding tables: 65,536 groups of five such codes.
const MOST_TABLE_BYTES: u64 = 65_536 * 5 * 4_200;

pub(super) fn walk(bytes: &[u8]) -> Result<Header, Flaw> {
    let stated = number(bytes, 4, 4)?;
    let mut rest = bytes[8..].get(..stated).ok_or_else(|| {
        Flaw::truncated(format!(
            "it has {} of the {} bytes that it states",
            bytes.len(),
            stated.saturating_add(8)
        ))
    })?;
    rest = rest.get(4..).ok_or_else(|| Flaw::corrupt("it states an impossible length"))?;
    let mut canvas = None;
    let mut image = None;
    let mut tables = 0;
    let mut profile = false;
    while !rest.is_empty() {
        let cut = || Flaw::corrupt("a chunk is longer than the file");
        let kind = *rest.first_chunk::<4>().ok_or_else(cut)?;
        let length = number(rest, 4, 4)?;
        let content = rest[8..].get(..length).ok_or_else(cut)?;
        let found = match &kind {
            b"VP8X" => {
                if content.first().is_some_and(|flags| flags & 2 != 0) {
                    return Err(Flaw::Animated);
                }
                let side = |from| Ok(number(content, from, 3)? as u32 + 1);
                canvas = Some((side(4)?, side(7)?));
                canvas
            }
            b"ANIM" | b"ANMF" => return Err(Flaw::Animated),
            b"VP8 " => {
                let side = |from| Ok::<_, Flaw>(number(content, from, 2)? as u32 & 0x3fff);
                image = Some((side(6)?, side(8)?));
                image
            }
            b"VP8L" => {
                let packed = number(content, 1, 4)? as u32;
                image = Some(((packed & 0x3fff) + 1, (packed >> 14 & 0x3fff) + 1));
                tables += length as u64 * TABLE_BYTES_PER_BYTE;
                image
            }
            b"ALPH" => {
                tables += length as u64 * TABLE_BYTES_PER_BYTE;
                None
            }
            b"ICCP" => {
                profile = true;
                None
            }
            _ => None,
        };
        if let Some((width, height)) = found {
            size(width, height)?;
        }
        rest = rest.get(8 + length.next_multiple_of(2)..).unwrap_or_default();
    }
    let (width, height) = image.ok_or_else(|| Flaw::corrupt("it has no image data"))?;
    if canvas.is_some_and(|canvas| canvas != (width, height)) {
        return Err(Flaw::corrupt("its canvas and its image differ in size"));
    }
    // Four bytes a pixel twice, the planes of a lossy image, and its alpha.
    let padded = u64::from(width.next_multiple_of(16)) * u64::from(height.next_multiple_of(16));
    let tables = tables.min(MOST_TABLE_BYTES);
    // Tables are written four bytes at a time.
    Ok(Header { width, height, memory: padded * 12 + tables, work: padded * 2 + tables / 4, profile })
}

/// A little-endian number of up to four bytes.
fn number(bytes: &[u8], from: usize, count: usize) -> Result<usize, Flaw> {
    let digits = bytes.get(from..from + count).ok_or_else(|| Flaw::corrupt("a chunk is too short"))?;
    Ok(digits.iter().rev().fold(0, |number, &digit| number << 8 | usize::from(digit)))
}
