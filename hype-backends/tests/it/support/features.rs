//! Features of an image as seen on the network: everything but its pixels.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::connection::Reply;

/// Bytes that a PNG begins with: its signature and its header with size and depth.
const BEGINNING: usize = 33;

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
    // Times are in logarithms, so that a few delays by other processes do not dominate.
    see("first byte after".into(), reply.first.as_secs_f64().max(1e-9).ln());
    see("last byte after".into(), reply.whole.as_secs_f64().max(1e-9).ln());
    for (place, (header, value)) in reply.headers().enumerate() {
        see(format!("header {place} name"), fold(header.as_bytes()));
        if header != "date" {
            see(format!("header {place} value"), fold(value.as_bytes()));
        }
    }
    see("length".into(), reply.body.len() as f64);
    for (place, &byte) in reply.body.iter().take(BEGINNING).enumerate() {
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

/// The parts of a file: the chunks of a PNG with their contents except the pixels, or the segments of a JPEG.
pub(crate) fn marks(file: &[u8]) -> Vec<Vec<u8>> {
    if file.starts_with(b"\x89PNG\r\n\x1a\n") {
        let mut marks: Vec<Vec<u8>> = Vec::new();
        let mut rest = &file[8..];
        while let Some((length, after)) = rest.split_first_chunk::<4>() {
            let length = u32::from_be_bytes(*length) as usize;
            let Some((chunk, after)) = after.split_at_checked(length + 8) else { break };
            let (kind, content) = chunk.split_at(4);
            let mark = match kind {
                b"IDAT" => kind.to_vec(),
                // The padding is as long as the pixels leave room for. Its bytes must all be equal.
                b"paDs" => [kind, &distinct(&content[..length])].concat(),
                _ => chunk.to_vec(),
            };
            // The number of chunks depends on the pixels too.
            if kind != b"IDAT" || marks.last() != Some(&mark) {
                marks.push(mark);
            }
            rest = after;
        }
        marks.push(rest.to_vec());
        return marks;
    }
    let mut marks = Vec::new();
    let mut rest = file.get(2..).unwrap_or_default();
    while let Some(([0xff, kind, high, low], _)) = rest.split_first_chunk::<4>() {
        let length = 2 + usize::from(u16::from_be_bytes([*high, *low]));
        let Some((segment, after)) = rest.split_at_checked(length) else { break };
        marks.push(segment.to_vec());
        if *kind == 0xda {
            break;
        }
        rest = after;
    }
    marks
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
