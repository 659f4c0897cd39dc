//! The statistics of a texture.

use serde::{Deserialize, Serialize};

use super::TextureError;
use super::lags::Lags;
use super::linear::Matrix;
use super::pyramid::{MAX_ORIENTATIONS, MAX_SCALES};

/// The extent to which a texture is described.
///
/// The default is the published one: four scales, four orientations and lags up to three pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Model {
    /// Scales of the pyramid, each an octave, 1 to [`MAX_SCALES`].
    pub scales: usize,
    /// Orientations of each scale, 1 to [`MAX_ORIENTATIONS`].
    pub orientations: usize,
    /// The greatest lag of autocovariances, in pixels of the band: 3 for a neighbourhood of 7 x 7.
    pub reach: usize,
}

impl Default for Model {
    fn default() -> Self {
        Self { scales: 4, orientations: 4, reach: 3 }
    }
}

impl Model {
    /// The published model with as many of its four scales as planes of a size support: the low
    /// residual has at least 16 pixels on each side, as lags up to 3 require.
    ///
    /// These are four scales for sides from 256 pixels, three from 128, two from 64, and one below.
    #[must_use]
    pub fn fitting(width: usize, height: usize) -> Self {
        let scales = (width.min(height) / 16).max(2).ilog2() as usize;
        Self { scales: scales.min(4), ..Self::default() }
    }

    /// Both sides of a plane must be multiples of this number, in pixels. The low residual's
    /// sides are then multiples of four.
    #[must_use]
    pub const fn multiple(self) -> usize {
        4 << self.scales
    }

    /// The number of parameters without those that follow from others by symmetry, at full reach:
    /// 710 for the published model, 1046 with lags up to 4.
    ///
    /// # Method
    /// Six of the pixels; skewness and kurtosis of `S + 1` partial images; the variance of the high
    /// residual; `((2r + 1)^2 + 1) / 2` lags of `S + 1` partial images and `S K` magnitudes;
    /// covariances of magnitudes, `S K (K - 1) / 2` within and `(S - 1) K^2` between scales;
    /// `2 (S - 1) K^2` covariances with phases (Portilla & Simoncelli 2000, section 2).
    #[must_use]
    pub const fn parameters(self) -> usize {
        let Self { scales, orientations, reach } = self;
        let lags = ((2 * reach + 1) * (2 * reach + 1)).div_ceil(2);
        let pairs = orientations * orientations;
        6 + 2 * (scales + 1)
            + 1
            + (scales + 1 + scales * orientations) * lags
            + scales * (pairs - orientations) / 2
            + 3 * (scales - 1) * pairs
    }

    pub(crate) const fn check(self) -> Result<Self, TextureError> {
        let Self { scales, orientations, reach } = self;
        if scales == 0 || scales > MAX_SCALES || orientations == 0 || orientations > MAX_ORIENTATIONS {
            return Err(TextureError::Model { scales, orientations });
        }
        if reach > MAX_REACH {
            return Err(TextureError::Reach { reach });
        }
        Ok(self)
    }

    /// The lags analysed in a band whose smaller side is given.
    pub(crate) fn reach_of_analysis(self, side: usize) -> usize {
        self.reach.min((side / 2).saturating_sub(1))
    }

    /// The lags imposed on a band whose smaller side is given.
    pub(crate) fn reach_of_synthesis(self, side: usize) -> usize {
        self.reach_of_analysis(side).min((side / 4).saturating_sub(1))
    }
}

/// The greatest lag allowed; the size of the filters' equations grows with its fourth power.
pub const MAX_REACH: usize = 8;

/// The statistics of a plane after Portilla & Simoncelli (2000), in the conventions of their
/// program: raw means of products over the pixels of a band, in squared units of the plane, where
/// amplitudes grow fourfold with each scale. The finest scale comes first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Statistics {
    /// The extent of the description.
    pub model: Model,
    /// Statistics of the samples.
    pub pixels: PixelStatistics,
    /// The shape of the partial image of each scale, that of the low residual last (`pixelLPStats`).
    pub partial_shape: Vec<ShapeStatistics>,
    /// The autocovariance of the partial images, likewise (`autoCorrReal`).
    pub partial_autocovariance: Vec<Lags>,
    /// The autocovariance of the bands' magnitudes, `[scale][orientation]` (`autoCorrMag`).
    pub magnitude_autocovariance: Vec<Vec<Lags>>,
    /// The mean magnitude of the high residual, of each band, `[scale][orientation]` in one row,
    /// and of the low residual minus its mean (`magMeans`).
    pub magnitude_means: Vec<f64>,
    /// The covariance of magnitudes within each scale, `K x K` (`cousinMagCorr`).
    pub magnitude_covariance: Vec<Matrix>,
    /// The mean products of real parts within each scale, `K x K` (`cousinRealCorr`); not imposed.
    pub real_products: Vec<Matrix>,
    /// The covariance of magnitudes with those of the next coarser scale, `K x K`, a row for each
    /// fine band, of all scales but the coarsest (`parentMagCorr`).
    pub parent_magnitude_covariance: Vec<Matrix>,
    /// The mean products of real parts with the phase-doubled next coarser scale, `K x 2K`: first
    /// its real parts, sign turned as in the published program, then its imaginary parts
    /// (`parentRealCorr`).
    pub parent_phase_products: Vec<Matrix>,
    /// The variances of the coarser magnitudes, for correlations (not in the published program).
    pub parent_magnitude_variance: Vec<Vec<f64>>,
    /// The mean squares of the phase-doubled parts, for correlations (likewise).
    pub parent_phase_squares: Vec<Vec<f64>>,
    /// The mean square of the high residual (`varianceHPR`).
    pub high_variance: f64,
}

/// Statistics of the samples (`pixelStats`).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PixelStatistics {
    /// In the plane's unit.
    pub mean: f64,
    /// Divided by one less than the number of samples, in the squared unit.
    pub variance: f64,
    /// The third central moment over `variance^1.5`.
    pub skewness: f64,
    /// The fourth central moment over `variance^2`.
    pub kurtosis: f64,
    /// The smallest sample.
    pub min: f64,
    /// The greatest sample.
    pub max: f64,
}

/// The shape of a distribution.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ShapeStatistics {
    /// `<x^3> / <x^2>^1.5`; zero without variance.
    pub skewness: f64,
    /// `<x^4> / <x^2>^2`; three without variance.
    pub kurtosis: f64,
}

impl Statistics {
    /// Whether every part has the shape that the model requires and only finite numbers, which parts
    /// read from a file may lack.
    pub(crate) fn check(&self) -> Result<(), TextureError> {
        let Model { scales, orientations, .. } = self.model.check()?;
        let whole = |holds: bool, field: &'static str| {
            if holds { Ok(()) } else { Err(TextureError::Mismatch { field }) }
        };
        let matrices = |list: &[Matrix], count: usize, columns: usize| {
            list.len() == count && list.iter().all(|matrix| matrix.is_whole(orientations, columns))
        };
        let PixelStatistics { mean, variance, skewness, kurtosis, min, max } = self.pixels;
        let finite = [mean, variance, skewness, kurtosis, min, max, self.high_variance];
        whole(finite.iter().all(|value| value.is_finite()) && min <= max, "pixels")?;
        let shapes = self.partial_shape.iter().all(|shape| (shape.skewness + shape.kurtosis).is_finite());
        whole(self.partial_shape.len() == scales + 1 && shapes, "partial_shape")?;
        let partial = &self.partial_autocovariance;
        whole(partial.len() == scales + 1 && partial.iter().all(Lags::is_whole), "partial_autocovariance")?;
        let bands = self
            .magnitude_autocovariance
            .iter()
            .all(|scale| scale.len() == orientations && scale.iter().all(Lags::is_whole));
        whole(self.magnitude_autocovariance.len() == scales && bands, "magnitude_autocovariance")?;
        let means = &self.magnitude_means;
        whole(
            means.len() == scales * orientations + 2 && means.iter().all(|mean| mean.is_finite()),
            "magnitude_means",
        )?;
        whole(matrices(&self.magnitude_covariance, scales, orientations), "magnitude_covariance")?;
        whole(
            matrices(&self.parent_magnitude_covariance, scales - 1, orientations),
            "parent_magnitude_covariance",
        )?;
        whole(matrices(&self.parent_phase_products, scales - 1, 2 * orientations), "parent_phase_products")
    }
}
