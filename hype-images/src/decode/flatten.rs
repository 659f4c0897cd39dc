//! Converts samples of any kind to opaque sRGB.

use crate::colour::Conversion;
use crate::container::Flaw;
use crate::picture::Size;
use crate::raw::{Channels, Raw, Samples};

/// A sample of eight or sixteen bits.
trait Sample: Copy + Into<u32> {
    /// The highest level.
    const TOP: u32;

    /// The sample with eight bits, rounded to the nearest.
    fn eight(self) -> u8 {
        ((255 * u64::from(self.into()) + u64::from(Self::TOP / 2)) / u64::from(Self::TOP)) as u8
    }

    /// The sample with sixteen bits.
    fn sixteen(self) -> u16 {
        (self.into() * (65_535 / Self::TOP)) as u16
    }
}

impl Sample for u8 {
    const TOP: u32 = 255;
}

impl Sample for u16 {
    const TOP: u32 = 65_535;
}

/// Returns red, green and blue of every pixel, and whether the background is visible anywhere.
pub(super) fn flatten(
    raw: Raw,
    size: Size,
    conversion: Conversion,
    background: [u8; 3],
) -> Result<(Vec<u8>, bool), Flaw> {
    match (raw.samples, raw.channels, conversion) {
        (Samples::Eight(samples), Channels::Rgb, Conversion::Keep) => Ok((samples, false)),
        (Samples::Eight(samples), channels, conversion) => {
            Flattening { size, channels, conversion, background }.run(&samples)
        }
        (Samples::Sixteen(samples), channels, conversion) => {
            Flattening { size, channels, conversion, background }.run(&samples)
        }
    }
}

struct Flattening {
    size: Size,
    channels: Channels,
    conversion: Conversion,
    background: [u8; 3],
}

impl Flattening {
    fn run<S: Sample>(&self, samples: &[S]) -> Result<(Vec<u8>, bool), Flaw> {
        let mut pixels = Vec::with_capacity(self.size.pixels() * 3);
        let mut transparent = false;
        for row in samples.chunks_exact(self.size.width() as usize * self.channels.count()) {
            let start = pixels.len();
            self.convert(row, &mut pixels)?;
            transparent |= self.lay_over(row, &mut pixels[start..]);
        }
        Ok((pixels, transparent))
    }

    /// Appends a row in sRGB.
    fn convert<S: Sample>(&self, row: &[S], pixels: &mut Vec<u8>) -> Result<(), Flaw> {
        let each = row.chunks_exact(self.channels.count());
        match &self.conversion {
            Conversion::Keep if self.channels == Channels::Cmyk => {
                pixels.extend(each.flat_map(|inks| {
                    let paper = |ink: S| 255 - u32::from(ink.eight());
                    [inks[0], inks[1], inks[2]].map(|ink| ((paper(ink) * paper(inks[3]) + 127) / 255) as u8)
                }));
            }
            Conversion::Keep => pixels.extend(each.flat_map(|pixel| self.colour(pixel).map(S::eight))),
            Conversion::Shaper(shaper) => {
                pixels.extend(each.flat_map(|pixel| {
                    // The curves have a value for every level of these samples.
                    shaper.convert(self.colour(pixel).map(|sample| sample.into() as u16))
                }));
            }
            Conversion::Tables(transform) => {
                let levels: Vec<u16> = if self.channels == Channels::Cmyk {
                    row.iter().map(|ink| ink.sixteen()).collect()
                } else {
                    each.flat_map(|pixel| self.colour(pixel).map(S::sixteen)).collect()
                };
                let mut converted = vec![0; self.size.width() as usize * 3];
                transform
                    .transform(&levels, &mut converted)
                    .map_err(|error| Flaw::Colours(format!("its profile fails: {error}")))?;
                pixels.extend(converted.into_iter().map(u16::eight));
            }
        }
        Ok(())
    }

    /// Red, green and blue of a pixel in grey or colour.
    fn colour<S: Sample>(&self, pixel: &[S]) -> [S; 3] {
        match self.channels {
            Channels::Grey | Channels::GreyAlpha => [pixel[0]; 3],
            Channels::Rgb | Channels::Rgba | Channels::Cmyk => [pixel[0], pixel[1], pixel[2]],
        }
    }

    /// Blends the background in, and returns whether any of it is visible.
    fn lay_over<S: Sample>(&self, row: &[S], pixels: &mut [u8]) -> bool {
        if !matches!(self.channels, Channels::GreyAlpha | Channels::Rgba) {
            return false;
        }
        let count = self.channels.count();
        let mut transparent = false;
        for (pixel, samples) in pixels.as_chunks_mut::<3>().0.iter_mut().zip(row.chunks_exact(count)) {
            let alpha: u32 = samples[count - 1].into();
            if alpha == S::TOP {
                continue;
            }
            transparent = true;
            for (level, behind) in pixel.iter_mut().zip(self.background) {
                // At most 1.5 · 255 · 65,535.
                let sum = u32::from(*level) * alpha + u32::from(behind) * (S::TOP - alpha);
                *level = ((sum + S::TOP / 2) / S::TOP) as u8;
            }
        }
        transparent
    }
}
