//! Boxes: a length, a code of four characters, and a content.

use mp4_atom::Atom;

use super::body;
use crate::video::error::Flaw;

/// A box.
#[derive(Debug, Clone, Copy)]
pub(super) struct Found<'a> {
    pub(super) kind: [u8; 4],
    /// Its content.
    pub(super) body: &'a [u8],
    /// The place of its content in the file.
    pub(super) at: usize,
}

/// The most boxes within one: files have about twenty. Others are not listed.
const MOST: usize = 4096;

/// The boxes within some bytes, which begin at a place of the file.
pub(super) fn children(bytes: &[u8], at: usize) -> Result<Vec<Found<'_>>, Flaw> {
    let mut found = Vec::new();
    let mut rest = bytes;
    // A rest that is shorter than a header is padding, as QuickTime writes it.
    while rest.len() >= 8 && found.len() < MOST {
        let place = at + (bytes.len() - rest.len());
        let (stated, kind) = (u64::from(be32(rest)), [rest[4], rest[5], rest[6], rest[7]]);
        let (header, length) = match stated {
            0 => (8, rest.len() as u64),
            1 => match rest.get(8..16).and_then(|long| <[u8; 8]>::try_from(long).ok()) {
                Some(long) => (16, u64::from_be_bytes(long)),
                None => return Err(Flaw::truncated(format!("it ends within the box at byte {place}"))),
            },
            length => (8, length),
        };
        if length < header {
            return Err(Flaw::corrupt(format!("the box at byte {place} states a length of {length}")));
        }
        let Some(whole) = usize::try_from(length).ok().and_then(|length| rest.get(..length)) else {
            let name = String::from_utf8_lossy(&kind).escape_default().to_string();
            return Err(Flaw::truncated(format!(
                "the box `{name}` at byte {place} states {length} bytes, and {} are left",
                rest.len()
            )));
        };
        let header = usize::from(header as u8);
        found.push(Found { kind, body: &whole[header..], at: place + header });
        rest = &rest[whole.len()..];
    }
    Ok(found)
}

fn be32(bytes: &[u8]) -> u32 {
    bytes.iter().take(4).fold(0, |value, &byte| value << 8 | u32::from(byte))
}

/// The first box of a kind.
pub(super) fn one<'b, 'a>(boxes: &'b [Found<'a>], kind: &[u8; 4]) -> Option<&'b Found<'a>> {
    boxes.iter().find(|found| &found.kind == kind)
}

/// A box without boxes inside, read by the library.
pub(super) fn leaf<T: Atom>(found: &Found<'_>) -> Result<T, Flaw> {
    body(found.body)
}
