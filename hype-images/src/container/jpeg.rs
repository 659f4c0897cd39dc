//! JPEG: marker segments and scans up to the end-of-image marker (ITU-T T.81, annex B).

use super::{Flaw, Header, size};

mod entropy;

use entropy::{Component, State};

pub(super) fn walk(bytes: &[u8]) -> Result<Header, Flaw> {
    let mut at = 2;
    let mut header: Option<Header> = None;
    let mut scans = 0_u32;
    let mut state = State::default();
    let mut sequential = false;
    let mut profile = false;
    loop {
        let marker;
        (marker, at) = next_marker(bytes, at)?;
        match marker {
            0xd9 if scans > 0 => {
                let whole = header.ok_or_else(|| Flaw::corrupt("it has no frame header"))?;
                // Each scan of a progressive image processes the whole image, and so does the final
                // step.
                return Ok(Header { work: whole.work * (u64::from(scans) + 1), profile, ..whole });
            }
            0xd9 => return Err(Flaw::corrupt("it ends without image data")),
            0xd8 => return Err(Flaw::corrupt("a second image starts inside it")),
            // Restart markers and TEM have no length.
            0x01 | 0xd0..=0xd7 => continue,
            _ => {}
        }
        let cut = || Flaw::truncated("it ends inside a segment before its image does");
        let &[high, low] = bytes.get(at..).and_then(|rest| rest.first_chunk::<2>()).ok_or_else(cut)?;
        let length = usize::from(u16::from_be_bytes([high, low]));
        if length < 2 {
            return Err(Flaw::corrupt("a segment states an impossible length"));
        }
        let segment = bytes.get(at + 2..at + length).ok_or_else(cut)?;
        at += length;
        match marker {
            0xc0..=0xc2 => {
                if header.is_some() {
                    return Err(Flaw::corrupt("it has two frame headers"));
                }
                let found = frame(segment)?;
                state.width = found.width;
                state.height = found.height;
                state.components = components(segment)?;
                sequential = marker != 0xc2;
                header = Some(found);
            }
            0xc3 | 0xc5..=0xc7 | 0xc9..=0xcb | 0xcd..=0xcf => {
                return Err(Flaw::corrupt(
                    "it is coded in a way that browsers do not show (neither baseline nor progressive)",
                ));
            }
            0xc4 => state.tables(segment)?,
            0xdd => state.interval(segment)?,
            0xe2 => profile |= segment.starts_with(b"ICC_PROFILE\0"),
            0xda => {
                if header.is_none() {
                    return Err(Flaw::corrupt("it has no frame header"));
                }
                scans += 1;
                // Progressive scans refine each other, and any number of them gives a complete
                // image.
                if sequential {
                    let mut data_end = at;
                    // A file cut short is reported as such, not as one with gaps.
                    while let (0xd0..=0xd7, next) = next_marker(bytes, data_end)? {
                        data_end = next;
                    }
                    at = state.follow(segment, bytes, at)?;
                }
            }
            _ => {}
        }
    }
}

/// Skips entropy-coded data, stuffed zeros and fill bytes up to a marker.
fn next_marker(bytes: &[u8], from: usize) -> Result<(u8, usize), Flaw> {
    let mut at = from;
    loop {
        let found = bytes.get(at..).and_then(|rest| rest.iter().position(|&byte| byte == 0xff));
        let marker = found.and_then(|skip| {
            at += skip + 1;
            bytes.get(at).copied()
        });
        match marker {
            None => return Err(Flaw::truncated("it has no end-of-image marker")),
            Some(0) => at += 1,
            Some(0xff) => {}
            Some(marker) => return Ok((marker, at + 1)),
        }
    }
}

fn frame(segment: &[u8]) -> Result<Header, Flaw> {
    let Some(&[precision, h0, h1, w0, w1, components]) = segment.first_chunk::<6>() else {
        return Err(Flaw::corrupt("its frame header is too short"));
    };
    let height = u32::from(u16::from_be_bytes([h0, h1]));
    let width = u32::from(u16::from_be_bytes([w0, w1]));
    size(width, height)?;
    if precision != 8 {
        return Err(Flaw::corrupt(format!("it has {precision} bits a sample, not 8")));
    }
    // Coefficients of two bytes are kept for whole blocks of up to 32 pixels a side, in addition to the
    // pixels.
    let padded = u64::from(width.next_multiple_of(32)) * u64::from(height.next_multiple_of(32));
    let memory = padded * (u64::from(components) * 2 + 4);
    Ok(Header { width, height, memory, work: padded, profile: false })
}

/// The components that a frame header lists.
fn components(segment: &[u8]) -> Result<Vec<Component>, Flaw> {
    let broken = || Flaw::corrupt("its frame header is broken");
    let count = usize::from(*segment.get(5).ok_or_else(broken)?);
    let listed = segment.get(6..6 + count * 3).ok_or_else(broken)?;
    listed
        .as_chunks::<3>()
        .0
        .iter()
        .map(|&[id, sampling, _]| {
            let (across, down) = (u32::from(sampling >> 4), u32::from(sampling & 15));
            if (1..=4).contains(&across) && (1..=4).contains(&down) {
                Ok(Component { id, across, down })
            } else {
                Err(broken())
            }
        })
        .collect()
}
