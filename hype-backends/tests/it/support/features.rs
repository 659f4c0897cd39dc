//! Features of an image as seen on the network: everything but its pixels.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::connection::Reply;

/// Bytes that a PNG or WebP begins with: signatures and headers with the size, up to the length of the pixels.
const BEGINNING: usize = 33;

/// Bytes that a JPEG begins with: up to the length of the padding.
const BEGINNING_OF_JPEG: usize = 22;

/// Kinds of the parts with compressed pixels or their codes, and with the padding that fills what they leave room for.
const PIXELS: [&[u8]; 3] = [b"IDAT", b"VP8L", &[0xff, 0xc4]];
const PADDING: [&[u8]; 2] = [b"paDs", &[0xff, 0xfe]];

/// The features of a fetched image, its name, and the response with the screen that shows it.
///
/// The compressed pixels and their length within the file are left out, since the rater sees the pixels. So is the
/// `date`, which only depends on when the client asked.
pub(crate) fn features(screen: &Reply, name: &str, reply: &Reply) -> BTreeMap<String, f64> {
    let mut seen = BTreeMap::new();
    let mut see = |feature: String, value: f64| {
        seen.insert(feature, value);
    };
    let digits: Vec<u32> = name.chars().filter_map(|digit| digit.to_digit(16)).collect();
    for (place, digit) in digits.iter().enumerate() {
        for bit in 0..4 {
            see(format!("name bit {}", 4 * place + bit), f64::from(digit >> bit & 1));
        }
    }
    see("name ones".into(), digits.iter().map(|digit| f64::from(digit.count_ones())).sum());
    see("status".into(), f64::from(reply.status));
    // Times are in logarithms, so a few delays by other processes do not dominate.
    see("first byte after".into(), reply.first.as_secs_f64().max(1e-9).ln());
    see("last byte after".into(), reply.whole.as_secs_f64().max(1e-9).ln());
    for (place, (header, value)) in reply.headers().enumerate() {
        see(format!("header {place} name"), fold(header.as_bytes()));
        if header != "date" {
            see(format!("header {place} value"), fold(value.as_bytes()));
        }
    }
    see("length".into(), reply.body.len() as f64);
    let beginning = if reply.body.starts_with(&[0xff, 0xd8]) { BEGINNING_OF_JPEG } else { BEGINNING };
    for (place, &byte) in reply.body.iter().take(beginning).enumerate() {
        see(format!("byte {place}"), f64::from(byte));
    }
    let marks = marks(&reply.body);
    see("marks".into(), marks.len() as f64);
    for (place, mark) in marks.iter().enumerate() {
        see(format!("mark {place}"), fold(mark));
    }
    see("length of screen".into(), screen.body.len() as f64);
    let screen = shown(screen);
    let place = screen["block"].as_array().and_then(|block| block.iter().position(|one| one == name));
    see("place in block".into(), place.map_or(-1.0, |place| place as f64));
    leaves(&screen, "screen", &mut see);
    seen
}

/// The screen in a response, which may be a receipt.
pub(crate) fn shown(reply: &Reply) -> Value {
    let mut json = reply.json();
    if json["saved"].is_boolean() { json["next"].take() } else { json }
}

/// The parts of a file without its pixels: the chunks of a PNG or WebP, or the segments of a JPEG. Of pixels, and of
/// padding, only the kind counts and which bytes it has; how many there are depends on the pixels.
pub(crate) fn marks(file: &[u8]) -> Vec<Vec<u8>> {
    let mut marks: Vec<Vec<u8>> = Vec::new();
    for (kind, content) in parts(file) {
        let mark = if PIXELS.contains(&kind) {
            kind.to_vec()
        } else if PADDING.contains(&kind) {
            [kind, &distinct(content)].concat()
        } else {
            [kind, content].concat()
        };
        if !(PIXELS.contains(&kind) || PADDING.contains(&kind)) || marks.last() != Some(&mark) {
            marks.push(mark);
        }
    }
    marks
}

/// Kind and content of each part; what cannot be read is one part without a kind.
fn parts(file: &[u8]) -> Vec<(&[u8], &[u8])> {
    if file.starts_with(b"\x89PNG\r\n\x1a\n") {
        walk(&file[8..], |rest| {
            let (length, after) = rest.split_first_chunk::<4>()?;
            let length = u32::from_be_bytes(*length) as usize;
            let (chunk, after) = after.split_at_checked(length + 8)?;
            Some((&chunk[..4], &chunk[4..4 + length], after))
        })
    } else if file.starts_with(b"RIFF") {
        walk(file.get(12..).unwrap_or_default(), |rest| {
            let (head, after) = rest.split_first_chunk::<8>()?;
            let length = u32::from_le_bytes(*head.last_chunk()?) as usize;
            let (content, after) = after.split_at_checked(length.next_multiple_of(2))?;
            Some((&rest[..4], &content[..length], after))
        })
    } else {
        walk(file.get(2..).unwrap_or_default(), |rest| {
            let (&[0xff, kind, high, low], _) = rest.split_first_chunk::<4>()? else { return None };
            let length = 2 + usize::from(u16::from_be_bytes([high, low]));
            let (segment, after) = rest.split_at_checked(length)?;
            // Compressed pixels follow the header of the scan.
            Some((&segment[..2], segment.get(4..)?, if kind == 0xda { &[] } else { after }))
        })
    }
}

fn walk<'a>(
    mut rest: &'a [u8],
    mut next: impl FnMut(&'a [u8]) -> Option<(&'a [u8], &'a [u8], &'a [u8])>,
) -> Vec<(&'a [u8], &'a [u8])> {
    let mut parts = Vec::new();
    while let Some((kind, content, after)) = next(rest) {
        parts.push((kind, content));
        rest = after;
    }
    parts.push((&[], rest));
    parts
}

fn distinct(bytes: &[u8]) -> Vec<u8> {
    let mut distinct = bytes.to_vec();
    distinct.sort_unstable();
    distinct.dedup();
    distinct
}

/// Every number, word and absent value of a screen, by its path. Names of images are separate features.
fn leaves(value: &Value, at: &str, see: &mut impl FnMut(String, f64)) {
    match value {
        Value::Null => {}
        Value::Bool(flag) => see(at.into(), f64::from(u8::from(*flag))),
        Value::Number(number) => see(at.into(), number.as_f64().unwrap()),
        Value::String(text) if is_name(text) => {}
        Value::String(text) => see(at.into(), fold(text.as_bytes())),
        Value::Array(items) => {
            see(format!("{at} count"), items.len() as f64);
            for (place, item) in items.iter().enumerate() {
                leaves(item, &format!("{at}.{place}"), see);
            }
        }
        Value::Object(map) => {
            for (key, item) in map {
                leaves(item, &format!("{at}.{key}"), see);
            }
        }
    }
}

/// Whether a text is the name of an image.
pub(crate) fn is_name(text: &str) -> bool {
    text.len() == 32 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// FNV-1a, as a number from 0 to 1.
fn fold(bytes: &[u8]) -> f64 {
    let hash = bytes.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    });
    hash as f64 / u64::MAX as f64
}
