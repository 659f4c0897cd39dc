//! PNG: a signature, then chunks with check sums up to `IEND` (W3C PNG, third edition, §5).

use super::{Flaw, Header, size};

pub(super) fn walk(bytes: &[u8]) -> Result<Header, Flaw> {
    let mut rest = &bytes[8..];
    let mut header = None;
    let mut data = false;
    let mut profile = false;
    loop {
        let Some((&[a, b, c, d, k0, k1, k2, k3], after)) = rest.split_first_chunk::<8>() else {
            return Err(Flaw::truncated("it has no IEND chunk"));
        };
        let length = u32::from_be_bytes([a, b, c, d]) as usize;
        let kind = [k0, k1, k2, k3];
        if !kind.iter().all(u8::is_ascii_alphabetic) {
            return Err(Flaw::corrupt("a chunk has no proper name"));
        }
        let name = String::from_utf8_lossy(&kind);
        if header.is_none() {
            if &kind != b"IHDR" || length != 13 {
                return Err(Flaw::corrupt("it does not begin with an IHDR chunk"));
            }
        } else if &kind == b"IHDR" {
            return Err(Flaw::corrupt("it has two IHDR chunks"));
        }
        let cut = || Flaw::truncated(format!("it ends inside its {name} chunk"));
        let content = after.get(..length).ok_or_else(cut)?;
        let (check, next) = after[length..].split_first_chunk::<4>().ok_or_else(cut)?;
        let mut hasher = crc32fast::Hasher::new();
        hasher.update(&kind);
        hasher.update(content);
        if hasher.finalize() != u32::from_be_bytes(*check) {
            return Err(Flaw::corrupt(format!("the check sum of its {name} chunk is wrong")));
        }
        match &kind {
            b"IHDR" => header = Some(ihdr(content)?),
            b"acTL" | b"fcTL" | b"fdAT" => return Err(Flaw::Animated),
            b"IDAT" => data = true,
            b"iCCP" => profile = true,
            b"IEND" => {
                return match header {
                    Some(header) if data => Ok(Header { profile, ..header }),
                    _ => Err(Flaw::corrupt("it has no image data")),
                };
            }
            _ => {}
        }
        rest = next;
    }
}

fn ihdr(content: &[u8]) -> Result<Header, Flaw> {
    let Some(&[w0, w1, w2, w3, h0, h1, h2, h3, depth, colour]) = content.first_chunk::<10>() else {
        return Err(Flaw::corrupt("its IHDR chunk is too short"));
    };
    let width = u32::from_be_bytes([w0, w1, w2, w3]);
    let height = u32::from_be_bytes([h0, h1, h2, h3]);
    size(width, height)?;
    let deep = if depth == 16 { 2 } else { 1 };
    // Palettes and grey may be transparent, and are widened to four and two channels.
    let channels = match colour {
        0 | 4 => 2,
        _ => 4,
    };
    let pixels = u64::from(width) * u64::from(height);
    // The two bytes of a sample are first stored separately, then combined.
    Ok(Header { width, height, memory: pixels * channels * deep * deep, work: pixels, profile: false })
}
