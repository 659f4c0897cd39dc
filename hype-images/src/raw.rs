//! The output of a decoder: samples as stored in the file, and metadata about them.

/// Decoded samples with the file's metadata on colours and orientation.
#[derive(Debug)]
pub(crate) struct Raw {
    pub(crate) samples: Samples,
    pub(crate) channels: Channels,
    pub(crate) colours: Described,
    /// Exif data, beginning with their byte order mark.
    pub(crate) exif: Option<Vec<u8>>,
}

/// Samples of all channels, pixel by pixel.
#[derive(Debug)]
pub(crate) enum Samples {
    Eight(Vec<u8>),
    Sixteen(Vec<u16>),
}

/// The meaning of a pixel's samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Channels {
    Grey,
    GreyAlpha,
    Rgb,
    Rgba,
    /// The share of each ink: 0 is paper.
    Cmyk,
}

/// A file's colour information; only the one with the highest precedence.
#[derive(Debug)]
pub(crate) enum Described {
    Nothing,
    Srgb,
    Icc(Vec<u8>),
    /// There is a profile that could not be unpacked.
    Unreadable,
    /// Code points of ITU-T H.273.
    CodePoints {
        primaries: u8,
        transfer: u8,
        matrix: u8,
        full_range: bool,
    },
    /// PNG's `gAMA` (the exponent of encoding) and `cHRM` (white, red, green, blue).
    Gamma {
        exponent: Option<f64>,
        chromaticities: Option<[(f64, f64); 4]>,
    },
}

impl Channels {
    pub(crate) const fn count(self) -> usize {
        match self {
            Self::Grey => 1,
            Self::GreyAlpha => 2,
            Self::Rgb => 3,
            Self::Rgba | Self::Cmyk => 4,
        }
    }
}
