//! Texture by example: the complex steerable pyramid, the statistics of Portilla & Simoncelli, and
//! the synthesis of images that have them.
//!
//! Masks made from an image's own texture hide it better than noise does. Everything here maps
//! planes of numbers to planes of numbers, without files, clock or ambient randomness.
//!
//! [`MaskSource`] makes masks for images of any size and colour. It is built on [`Synthesizer`],
//! [`Statistics`], [`Pyramid`] and the single adjustments of [`adjust`].
//!
//! # Sources
//! - J. Portilla & E. P. Simoncelli (2000), A parametric texture model based on joint statistics of
//!   complex wavelet coefficients, International Journal of Computer Vision 40, 49-71, and the
//!   authors' program `textureSynth`.
//! - E. P. Simoncelli & W. T. Freeman (1995), The steerable pyramid, ICIP.
//!
//! # Conventions
//! Boundaries are circular. Rows go downward. Forward transforms are not normalised, and bands are
//! cropped without rescaling: amplitudes grow fourfold with each scale.

pub mod adjust;
mod analysis;
mod fourier;
mod lags;
mod level;
mod linear;
mod mask;
mod moments;
mod noise;
mod parents;
mod plane;
mod pyramid;
mod resample;
mod roots;
mod statistics;
mod synthesis;

pub(crate) use fourier::{Fourier, Scratch};
pub use lags::Lags;
pub use linear::Matrix;
pub(crate) use mask::place_of;
pub use mask::{MaskSource, Settings, pixel_correlation};
pub use noise::white_noise;
pub use plane::{MAX_MAGNITUDE, Plane};
pub use pyramid::{Band, Bands, MAX_ORIENTATIONS, MAX_SCALES, Pyramid};
pub use resample::{expand, expand_complex, shrink};
pub use statistics::{MAX_REACH, Model, PixelStatistics, ShapeStatistics, Statistics};
pub use synthesis::{Run, Synthesizer};

/// Why a texture cannot be described or made. All are errors of the caller.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TextureError {
    /// The number of samples is not that of the plane.
    #[error("{values} samples do not fill {width} x {height} pixels")]
    Shape {
        /// Samples in a row.
        width: usize,
        /// Rows.
        height: usize,
        /// Samples given.
        values: usize,
    },
    /// A sample is not a number, or too large to compute with.
    #[error("sample {value} in column {column}, row {row} is not a number of at most {MAX_MAGNITUDE:e}")]
    Sample {
        /// Its column, from zero.
        column: usize,
        /// Its row, from zero.
        row: usize,
        /// The sample.
        value: f64,
    },
    /// A side does not fit the number of scales or the lags.
    #[error("{width} x {height} pixels are too few, or not multiples of {multiple}")]
    Size {
        /// Samples in a row.
        width: usize,
        /// Rows.
        height: usize,
        /// Both must be multiples of this number.
        multiple: usize,
    },
    /// The number of scales or orientations is out of range.
    #[error("no pyramid has {scales} scales of {orientations} orientations")]
    Model {
        /// Requested scales.
        scales: usize,
        /// Requested orientations.
        orientations: usize,
    },
    /// The lags are too large.
    #[error("lags up to {reach} pixels exceed {MAX_REACH}")]
    Reach {
        /// The largest requested lag.
        reach: usize,
    },
    /// Parts that belong together differ in size, or contain values that are not finite.
    #[error("{field} does not match the other parts")]
    Mismatch {
        /// Which part.
        field: &'static str,
    },
}
