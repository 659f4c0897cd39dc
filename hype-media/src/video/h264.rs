//! Facts that only the sequence parameter set of H.264 has.

use super::{Chroma, PixelFormat};

/// Facts of a sequence parameter set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Sequence {
    pub(crate) pixels: PixelFormat,
    /// Whether pictures may consist of two fields.
    pub(crate) interlaced: bool,
    /// The width and the height of a pixel.
    pub(crate) shape: Option<[u32; 2]>,
    /// The number of the transfer function in ITU-T H.273.
    pub(crate) transfer: Option<u32>,
}

/// The widths and the heights of pixels by the number of their shape: ITU-T H.264, table E-1.
const WIDTHS: [u32; 17] = [0, 1, 12, 10, 16, 40, 24, 20, 32, 80, 18, 15, 64, 160, 4, 3, 2];
const HEIGHTS: [u32; 17] = [0, 1, 11, 11, 11, 33, 11, 11, 11, 33, 11, 11, 33, 99, 3, 2, 1];

/// The number of a shape that is written out.
const OWN_SHAPE: u32 = 255;

/// The profiles that state how pixels are stored; those of others are 4:2:0 of 8 bits: ITU-T H.264, 7.3.2.1.1.
const WITH_PIXELS: [u32; 13] = [100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135];

/// Reads a sequence parameter set with its header of one byte; `None` if it is cut off.
pub(crate) fn sequence(unit: &[u8]) -> Option<Sequence> {
    let bytes = unescaped(unit.get(1..)?);
    let mut bits = Bits { bytes: &bytes, at: 0 };
    let profile = bits.take(8)?;
    bits.take(16)?;
    bits.number()?;
    let mut pixels = PixelFormat { chroma: Chroma::Yuv420, bits: 8 };
    if WITH_PIXELS.contains(&profile) {
        let chroma = bits.number()?;
        if chroma == 3 {
            bits.take(1)?;
        }
        pixels = PixelFormat {
            chroma: Chroma::of_idc(u8::try_from(chroma).ok()?),
            bits: u8::try_from(bits.number()?.checked_add(8)?).ok()?,
        };
        bits.number()?;
        bits.take(1)?;
        if bits.is_set()? {
            bits.skip_scaling(if chroma == 3 { 12 } else { 8 })?;
        }
    }
    bits.number()?;
    bits.skip_order()?;
    bits.number()?;
    bits.take(1)?;
    bits.number()?;
    bits.number()?;
    let interlaced = !bits.is_set()?;
    if interlaced {
        bits.take(1)?;
    }
    bits.take(1)?;
    if bits.is_set()? {
        (0..4).try_for_each(|_| bits.number().map(drop))?;
    }
    let (shape, transfer) = if bits.is_set()? { bits.usability()? } else { (None, None) };
    Some(Sequence { pixels, interlaced, shape, transfer })
}

/// Reads bits, the highest first.
struct Bits<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Bits<'_> {
    /// At most 32 bits.
    fn take(&mut self, count: usize) -> Option<u32> {
        let mut value = 0;
        for bit in self.at..self.at + count {
            value = value << 1 | u32::from(self.bytes.get(bit / 8)? >> (7 - bit % 8) & 1);
        }
        self.at += count;
        Some(value)
    }

    fn is_set(&mut self) -> Option<bool> {
        self.take(1).map(|bit| bit == 1)
    }

    /// A number in the code of 9.1; those with a sign have as many bits.
    fn number(&mut self) -> Option<u32> {
        let mut zeros = 0;
        while !self.is_set()? {
            zeros += 1;
        }
        let rest = (zeros < 32).then(|| self.take(zeros)).flatten()?;
        (1_u32 << zeros).checked_add(rest).map(|value| value - 1)
    }

    /// The step from one factor of a list to the next, modulo 256, which has a sign.
    fn step(&mut self) -> Option<u8> {
        let code = self.number()?;
        let half = (code.div_ceil(2) & 0xff) as u8;
        Some(if code % 2 == 1 { half } else { half.wrapping_neg() })
    }

    fn skip_scaling(&mut self, lists: usize) -> Option<()> {
        for list in 0..lists {
            if !self.is_set()? {
                continue;
            }
            let mut last = 8_u8;
            for _ in 0..if list < 6 { 16 } else { 64 } {
                last = last.wrapping_add(self.step()?);
                // The rest of the list repeats.
                if last == 0 {
                    break;
                }
            }
        }
        Some(())
    }

    fn skip_order(&mut self) -> Option<()> {
        let numbers = match self.number()? {
            0 => 1,
            1 => {
                self.take(1)?;
                self.number()?;
                self.number()?;
                self.number()?.min(255)
            }
            _ => 0,
        };
        (0..numbers).try_for_each(|_| self.number().map(drop))
    }

    /// The shape of pixels and the transfer function: ITU-T H.264, E.1.1.
    fn usability(&mut self) -> Option<(Option<[u32; 2]>, Option<u32>)> {
        let mut shape = None;
        if self.is_set()? {
            shape = match self.take(8)? {
                OWN_SHAPE => Some([self.take(16)?, self.take(16)?]),
                number => {
                    WIDTHS.iter().zip(HEIGHTS).nth(number as usize).map(|(width, height)| [*width, height])
                }
            };
        }
        if self.is_set()? {
            self.take(1)?;
        }
        let mut transfer = None;
        if self.is_set()? {
            self.take(4)?;
            if self.is_set()? {
                self.take(8)?;
                transfer = Some(self.take(8)?);
                self.take(8)?;
            }
        }
        Some((shape.filter(|[across, down]| *across > 0 && *down > 0), transfer))
    }
}

/// Bytes without those that prevent the code of a unit's start.
pub(crate) fn unescaped(bytes: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(bytes.len());
    let mut zeros = 0;
    for &byte in bytes {
        if zeros >= 2 && byte == 3 {
            zeros = 0;
            continue;
        }
        zeros = if byte == 0 { zeros + 1 } else { 0 };
        plain.push(byte);
    }
    plain
}
