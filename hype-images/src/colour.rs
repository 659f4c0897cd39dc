//! Colour information in files, and the conversion to sRGB.

use std::sync::Arc;

use moxcms::Transform16BitExecutor;

use crate::container::Flaw;
use crate::raw::{Channels, Described, Raw, Samples};

mod curve;
mod described;
mod icc;
mod shaper;

use shaper::Shaper;

/// The colour information of a file, and how it was used.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Colours {
    /// There is none: the levels are taken to be sRGB.
    Unstated,
    /// It specifies sRGB, or a profile equal to sRGB within one level: the levels are unchanged.
    Srgb,
    /// The levels were converted to sRGB.
    Converted,
    /// It cannot be used: the levels are taken to be sRGB, as in browsers.
    Ignored {
        /// The fault.
        reason: String,
    },
}

/// The conversion of a file's levels to sRGB.
pub(crate) enum Conversion {
    /// Levels are already sRGB; inks are converted without a profile.
    Keep,
    /// Curves and a matrix.
    Shaper(Box<Shaper>),
    /// A profile's tables, from 16-bit levels (four inks or three colours) to 16-bit sRGB.
    Tables(Arc<Transform16BitExecutor>),
}

/// Why a file's colour information is ignored.
struct Unusable(String);

impl Unusable {
    fn because(reason: impl Into<String>) -> Self {
        Self(reason.into())
    }
}

impl Conversion {
    /// The conversion that a file requires.
    ///
    /// # Errors
    /// [`Flaw::Colours`] if its levels cannot be interpreted without tone mapping or range
    /// expansion.
    pub(crate) fn of(raw: &Raw) -> Result<(Self, Colours), Flaw> {
        let levels = match raw.samples {
            Samples::Eight(_) => 256,
            Samples::Sixteen(_) => 65_536,
        };
        let found = match &raw.colours {
            Described::Nothing => return Ok((Self::Keep, Colours::Unstated)),
            Described::Srgb => return Ok((Self::Keep, Colours::Srgb)),
            Described::Unreadable => Err(Unusable::because("its profile is broken or too long")),
            Described::Icc(profile) => icc::conversion(profile, raw.channels, levels),
            Described::CodePoints { primaries, transfer, matrix, full_range } => {
                if matches!(transfer, 16 | 18) {
                    return Err(Flaw::Colours("it is coded for HDR displays (PQ or HLG)".into()));
                }
                if *matrix != 0 || !full_range {
                    return Err(Flaw::Colours(
                        "its levels are coded as video's, not as full-range RGB".into(),
                    ));
                }
                described::code_points(*primaries, *transfer, levels)
            }
            Described::Gamma { exponent, chromaticities } => {
                described::gamma(*exponent, *chromaticities, levels)
            }
        };
        Ok(match found {
            Ok(Self::Shaper(shaper)) if shaper.is_srgb() => (Self::Keep, Colours::Srgb),
            Ok(conversion) => (conversion, Colours::Converted),
            Err(Unusable(reason)) => (Self::Keep, Colours::Ignored { reason }),
        })
    }
}

/// Whether the profile's colour space (grey, colour or inks) fits the samples.
fn fits(space: moxcms::DataColorSpace, channels: Channels) -> bool {
    use moxcms::DataColorSpace::{Cmyk, Gray, Rgb};
    match channels {
        Channels::Cmyk => space == Cmyk,
        // With a colour profile, grey is the colour with equal levels.
        Channels::Grey | Channels::GreyAlpha => matches!(space, Gray | Rgb),
        Channels::Rgb | Channels::Rgba => space == Rgb,
    }
}
