//! Removes side data inside coded pictures and sound: the names and settings of encoders, texts, padding.
//!
//! Decoders ignore all of it: the decoded pictures stay the same bit by bit.

use mp4_atom::Av1c;

use super::clip::{PictureConfig, SoundConfig};
use super::error::Flaw;
use super::h264::unescaped;

/// Appends the pictures of a sample without side data.
pub(crate) fn pictures(config: &PictureConfig, sample: &[u8], out: &mut Vec<u8>) -> Result<(), Flaw> {
    match config {
        PictureConfig::H264(avcc, _) => units(sample, usize::from(avcc.length_size), h264, out),
        PictureConfig::Hevc(hvcc, _) => units(sample, usize::from(hvcc.length_size_minus_one) + 1, hevc, out),
        PictureConfig::Av1(_) => obus(sample, out),
        PictureConfig::Vp9(_) => {
            out.extend_from_slice(sample);
            Ok(())
        }
    }
}

/// The fate of a unit.
enum Fate {
    Keep,
    Drop,
    /// It consists of messages, which begin after a header of this many bytes.
    Messages(usize),
}

/// ITU-T H.264, table 7-1.
fn h264(unit: &[u8]) -> Fate {
    match unit.first().map(|byte| byte & 0x1f) {
        Some(6) => Fate::Messages(1),
        // Filler, and types that the standard leaves to others.
        Some(0 | 12 | 24..) | None => Fate::Drop,
        Some(_) => Fate::Keep,
    }
}

/// ITU-T H.265, table 7-1.
fn hevc(unit: &[u8]) -> Fate {
    match unit.first().map(|byte| byte >> 1 & 0x3f) {
        Some(39 | 40) => Fate::Messages(2),
        // Filler, and types that the standard leaves to others.
        Some(38 | 48..) | None => Fate::Drop,
        Some(_) => Fate::Keep,
    }
}

/// Copies units, each after its length.
fn units(sample: &[u8], prefix: usize, fate: fn(&[u8]) -> Fate, out: &mut Vec<u8>) -> Result<(), Flaw> {
    let mut rest = sample;
    while !rest.is_empty() {
        let split = rest.split_at_checked(prefix).and_then(|(length, after)| {
            let length = length.iter().fold(0_usize, |value, &byte| value << 8 | usize::from(byte));
            after.split_at_checked(length)
        });
        let (unit, after) =
            split.ok_or_else(|| Flaw::corrupt("a coded picture ends within one of its units"))?;
        rest = after;
        match fate(unit) {
            Fate::Keep => put(unit, prefix, out),
            Fate::Drop => {}
            Fate::Messages(header) => {
                if let Some(unit) = messages(unit, header) {
                    put(&unit, prefix, out);
                }
            }
        }
    }
    Ok(())
}

/// Appends a unit after its length. Units never grow: the length fits.
fn put(unit: &[u8], prefix: usize, out: &mut Vec<u8>) {
    let length = (unit.len() as u64).to_be_bytes();
    out.extend_from_slice(&length[8 - prefix..]);
    out.extend_from_slice(unit);
}

/// A unit of messages without filler (payload 3), registered (4) and unregistered user data (5): ITU-T H.264, annex
/// D.
/// `None` if no message is left, or if the unit is not well formed.
fn messages(unit: &[u8], header: usize) -> Option<Vec<u8>> {
    let mut plain = unescaped(unit.get(header..)?);
    while plain.last() == Some(&0) {
        plain.pop();
    }
    // The stop bit ends the unit.
    plain.pop_if(|last| *last == 0x80)?;
    let mut kept = Vec::new();
    let mut rest = plain.as_slice();
    let mut dropped = false;
    while !rest.is_empty() {
        let start = rest;
        let kind = number(&mut rest)?;
        let length = number(&mut rest)?;
        rest = rest.get(length..)?;
        if matches!(kind, 3..=5) {
            dropped = true;
        } else {
            kept.extend_from_slice(&start[..start.len() - rest.len()]);
        }
    }
    match (dropped, kept.is_empty()) {
        (false, false) => Some(unit.to_vec()),
        (_, true) => None,
        (true, false) => {
            kept.push(0x80);
            let escaped = escaped(&kept);
            // Escapes that were not needed may be missing now, never the reverse.
            (escaped.len() + header <= unit.len()).then(|| [&unit[..header], &escaped].concat())
        }
    }
}

/// A number of bytes of 255 and a smaller one.
fn number(rest: &mut &[u8]) -> Option<usize> {
    let mut value = 0_usize;
    loop {
        let (&byte, after) = rest.split_first()?;
        *rest = after;
        value += usize::from(byte);
        if byte != 255 {
            return Some(value);
        }
    }
}

fn escaped(plain: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(plain.len() + 2);
    let mut zeros = 0;
    for &byte in plain {
        if zeros >= 2 && byte <= 3 {
            bytes.push(3);
            zeros = 0;
        }
        zeros = if byte == 0 { zeros + 1 } else { 0 };
        bytes.push(byte);
    }
    bytes
}

/// Open bitstream units of AV1: their type and all their bytes.
struct Obus<'a>(&'a [u8]);

impl<'a> Iterator for Obus<'a> {
    type Item = Option<(u8, &'a [u8])>;

    fn next(&mut self) -> Option<Self::Item> {
        let whole = self.0;
        let &header = whole.first()?;
        let (extended, sized) = (header & 4 != 0, header & 2 != 0);
        let mut length = 1 + usize::from(extended);
        if sized {
            let (mut value, mut shift) = (0_u64, 0);
            loop {
                let Some(&byte) = whole.get(length) else { return self.broken() };
                length += 1;
                value |= u64::from(byte & 0x7f) << shift;
                shift += 7;
                if byte & 0x80 == 0 {
                    break;
                }
                if shift > 49 {
                    return self.broken();
                }
            }
            length = length.saturating_add(usize::try_from(value).unwrap_or(usize::MAX));
        } else {
            length = whole.len();
        }
        let Some((unit, rest)) = whole.split_at_checked(length) else { return self.broken() };
        self.0 = rest;
        Some(Some((header >> 3 & 0x0f, unit)))
    }
}

impl<'a> Obus<'a> {
    fn broken(&mut self) -> Option<Option<(u8, &'a [u8])>> {
        self.0 = &[];
        Some(None)
    }
}

/// Copies the units of AV1 that carry pictures: sequence headers, frame headers, tile groups, frames, repeated frame
/// headers and lists of tiles (AV1 specification, 6.2.2). Dropped are metadata, padding, delimiters, which containers
/// replace, and types that the standard leaves to others.
fn obus(sample: &[u8], out: &mut Vec<u8>) -> Result<(), Flaw> {
    for unit in Obus(sample) {
        let (kind, unit) =
            unit.ok_or_else(|| Flaw::corrupt("a coded picture ends within one of its units"))?;
        if matches!(kind, 1 | 3 | 4 | 6 | 7 | 8) {
            out.extend_from_slice(unit);
        }
    }
    Ok(())
}

/// The configuration of AV1 with its sequence header only.
pub(crate) fn av1_config(mut config: Av1c) -> Result<Av1c, Flaw> {
    let mut kept = Vec::new();
    for unit in Obus(&config.config_obus) {
        let (kind, unit) = unit.ok_or_else(|| Flaw::corrupt("its box `av1C` ends within a unit"))?;
        if kind == 1 {
            kept.extend_from_slice(unit);
        }
    }
    config.config_obus = kept;
    Ok(config)
}

/// Appends a packet of sound. Of AAC, filler and data at a packet's beginning are blanked, where encoders sign; the
/// packet keeps its length.
pub(crate) fn sound(config: &SoundConfig, packet: &[u8], out: &mut Vec<u8>) {
    let start = out.len();
    out.extend_from_slice(packet);
    if matches!(config, SoundConfig::Aac(_)) {
        blank_leading(&mut out[start..]);
    }
}

/// Blanks the elements of filler (6) and data (4) with which a block of AAC begins: ISO/IEC 14496-3, 4.4.2.
fn blank_leading(packet: &mut [u8]) {
    let mut at = 0;
    while let Some(kind) = bits(packet, at, 3) {
        let mut place = at + 3;
        let Some(count) = (match kind {
            4 => data_length(packet, &mut place),
            6 => filler_length(packet, &mut place),
            _ => None,
        }) else {
            return;
        };
        let end = place + 8 * count;
        if end > 8 * packet.len() {
            return;
        }
        // Other types of filler extend the sound.
        if kind == 6 && count > 0 && bits(packet, place, 4).is_some_and(|extension| extension > 1) {
            return;
        }
        for bit in place..end {
            packet[bit / 8] &= !(0x80 >> (bit % 8));
        }
        at = end;
    }
}

fn filler_length(packet: &[u8], place: &mut usize) -> Option<usize> {
    let mut count = bits(packet, *place, 4)?;
    *place += 4;
    if count == 15 {
        count += bits(packet, *place, 8)?;
        count -= 1;
        *place += 8;
    }
    Some(count)
}

fn data_length(packet: &[u8], place: &mut usize) -> Option<usize> {
    let aligned = bits(packet, *place + 4, 1)?;
    let mut count = bits(packet, *place + 5, 8)?;
    *place += 13;
    if count == 255 {
        count += bits(packet, *place, 8)?;
        *place += 8;
    }
    if aligned == 1 {
        *place = place.next_multiple_of(8);
    }
    Some(count)
}

/// At most 8 bits from a place on.
fn bits(bytes: &[u8], at: usize, count: usize) -> Option<usize> {
    (at..at + count).try_fold(0, |value, bit| {
        let byte = bytes.get(bit / 8)?;
        Some(value << 1 | usize::from(byte >> (7 - bit % 8) & 1))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stripped(sample: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        units(sample, 2, h264, &mut out).unwrap();
        out
    }

    #[test]
    fn user_data_are_dropped_and_other_messages_stay() {
        let picture = [0, 3, 0x65, 1, 2];
        let user = [0, 7, 6, 5, 3, 9, 9, 9, 0x80];
        assert_eq!(stripped(&[&user[..], &picture].concat()), picture);
        // A recovery point (6) after user data, with bytes that need an escape.
        let both = [0, 13, 6, 4, 2, 9, 9, 6, 4, 0, 0, 3, 1, 1, 0x80];
        assert_eq!(stripped(&both), [0, 9, 6, 6, 4, 0, 0, 3, 1, 1, 0x80]);
        let other = [0, 5, 6, 6, 1, 0x40, 0x80];
        assert_eq!(stripped(&other), other);
        // Filler and units of private types.
        assert_eq!(stripped(&[0, 2, 12, 0xff, 0, 2, 30, 7, 0, 1, 9]), [0, 1, 9]);
    }

    #[test]
    fn long_messages_are_followed() {
        let mut user = vec![6, 5, 255, 45];
        user.extend([7; 300]);
        user.push(0x80);
        let sample = [&(user.len() as u16).to_be_bytes()[..], &user, &[0, 1, 9]].concat();
        assert_eq!(stripped(&sample), [0, 1, 9]);
        assert!(units(&[0, 5, 6], 2, h264, &mut Vec::new()).is_err());
        assert!(units(&[0], 2, h264, &mut Vec::new()).is_err());
    }

    #[test]
    fn metadata_and_padding_of_av1_are_dropped() {
        let (delimiter, metadata, padding) = ([0x12, 0], [0x2a, 2, 1, 1], [0x7a, 1, 0]);
        let (sequence, frame) = ([0x0a, 1, 5], [0x30, 1, 2, 3]);
        let sample = [&delimiter[..], &sequence, &metadata, &padding, &frame].concat();
        let mut out = Vec::new();
        obus(&sample, &mut out).unwrap();
        assert_eq!(out, [&sequence[..], &frame].concat());
        for broken in
            [&[0x0a][..], &[0x0a, 9, 1], &[0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]]
        {
            assert!(obus(broken, &mut Vec::new()).is_err());
        }
    }

    #[test]
    fn signatures_in_aac_are_blanked() {
        // Filler of 3 bytes (110, 0011, 24 bits with 4 for its type), then a channel (000).
        let mut packet = [0b1100_0110, 0b0001_1111, 0xff, 0b1111_1110, 0b0011_1111];
        blank_leading(&mut packet);
        assert_eq!(packet, [0b1100_0110, 0, 0, 0, 0b0011_1111]);
        // Data of 2 bytes from the next byte on (100, 4 bits, 1, 8 bits).
        let mut packet = [0b1000_0001, 0b0000_0010, 0xff, 0xff, 0b0011_1111];
        blank_leading(&mut packet);
        assert_eq!(packet, [0b1000_0001, 2, 0, 0, 0b0011_1111]);
        let mut extension = [0b1100_0011, 0b1011_0000, 0];
        blank_leading(&mut extension);
        assert_eq!(extension, [0b1100_0011, 0b1011_0000, 0]);
        for length in 0..3 {
            blank_leading(&mut [0xdf; 3][..length]);
        }
    }
}
