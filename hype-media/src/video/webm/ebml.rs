//! Elements of EBML: an identifier, a length, and a content (RFC 8794).

use crate::video::error::Flaw;

/// An element.
#[derive(Debug, Clone, Copy)]
pub(super) struct Element<'a> {
    pub(super) id: u32,
    pub(super) body: &'a [u8],
    /// The place of its content in the file.
    pub(super) at: usize,
}

/// The most elements within one, of 32 bytes each. A cluster of a minute has 6,000.
const MOST: usize = 1 << 20;

/// A segment may be left open: it ends with the file.
const SEGMENT: u32 = super::id::SEGMENT;

/// The elements within some bytes, which begin at a place of the file.
pub(super) fn elements(bytes: &[u8], at: usize) -> Result<Vec<Element<'_>>, Flaw> {
    let mut found = Vec::new();
    let mut rest = bytes;
    while !rest.is_empty() {
        let place = at + (bytes.len() - rest.len());
        let cut = || Flaw::truncated(format!("it ends within the element at byte {place}"));
        let id_length = rest[0].leading_zeros() as usize + 1;
        if id_length > 4 {
            return Err(Flaw::corrupt(format!("there is no element at byte {place}")));
        }
        let (id, after) = rest.split_at_checked(id_length).ok_or_else(cut)?;
        let id = id.iter().fold(0, |value, &byte| value << 8 | u32::from(byte));
        let (length, size_length) = number(after).ok_or_else(cut)?;
        let content = &after[size_length..];
        let open = length == (1 << (7 * size_length)) - 1;
        if open && id != SEGMENT {
            return Err(Flaw::remux("was written as a stream, with parts of unknown length"));
        }
        let length = if open { content.len() } else { usize::try_from(length).unwrap_or(usize::MAX) };
        let (body, next) = content.split_at_checked(length).ok_or_else(|| {
            Flaw::truncated(format!(
                "the element at byte {place} states {length} bytes, and {} are left",
                content.len()
            ))
        })?;
        found.push(Element { id, body, at: place + id_length + size_length });
        Flaw::bound("elements in one", found.len(), MOST)?;
        rest = next;
    }
    Ok(found)
}

/// A number of variable length, and its length.
pub(super) fn number(bytes: &[u8]) -> Option<(u64, usize)> {
    let length = bytes.first()?.leading_zeros() as usize + 1;
    let value = bytes.get(..length).filter(|_| length <= 8)?;
    let value = value.iter().fold(0_u64, |value, &byte| value << 8 | u64::from(byte));
    Some((value & ((1 << (7 * length)) - 1), length))
}

/// The first element with an identifier.
pub(super) fn find<'b, 'a>(elements: &'b [Element<'a>], id: u32) -> Option<&'b Element<'a>> {
    elements.iter().find(|element| element.id == id)
}

/// An element's content as a number; of more than 8 bytes, the last ones count.
pub(super) fn unsigned(element: &Element<'_>) -> u64 {
    element.body.iter().fold(0, |value, &byte| value << 8 | u64::from(byte))
}

/// An element's content as a text, up to a zero.
pub(super) fn text(element: &Element<'_>) -> String {
    let text = element.body.split(|&byte| byte == 0).next().unwrap_or_default();
    // Names of codecs and kinds of documents are short.
    String::from_utf8_lossy(&text[..text.len().min(64)]).into_owned()
}

/// An element's content as a number with a fraction.
pub(super) fn float(element: &Element<'_>) -> Option<f64> {
    match element.body.len() {
        4 => element.body.try_into().ok().map(f32::from_be_bytes).map(f64::from),
        8 => element.body.try_into().ok().map(f64::from_be_bytes),
        _ => None,
    }
}
