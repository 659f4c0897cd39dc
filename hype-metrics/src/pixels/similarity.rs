//! SSIM: similarity of luminance, contrast and structure under a sliding window.

use super::image::{Image, check_least_side, check_pair};
use super::window::{Rows, Window, sums};
use crate::MetricError;

/// The window of [`structural_similarity`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum SimilarityWindow {
    /// The published one: 11 × 11, Gaussian with a standard deviation of 1.5 pixels, population covariance.
    #[default]
    Gaussian,
    /// 7 × 7, uniform, sample covariance: the default of scikit-image.
    Uniform7,
}

/// The published window: exp(-x² / (2 · 1.5²)) at x from -5 to 5, divided by its sum.
pub(crate) fn gaussian() -> Window<11> {
    let taps = std::array::from_fn(|tap| {
        let place = tap as f64 - 5.0;
        (-place * place / (2.0 * 1.5 * 1.5)).exp()
    });
    let total: f64 = taps.iter().sum();
    Window { taps: taps.map(|tap| tap / total), unbiased: 1.0 }
}

const UNIFORM: Window<7> = Window { taps: [1.0 / 7.0; 7], unbiased: 49.0 / 48.0 };

impl Rows for Image<'_> {
    fn length(&self) -> usize {
        self.extent().width * self.extent().channels
    }

    fn count(&self) -> usize {
        self.extent().height
    }

    fn copy(&self, row: usize, target: &mut [f64]) {
        let samples = &self.samples()[row * target.len()..(row + 1) * target.len()];
        target.iter_mut().zip(samples).for_each(|(to, &from)| *to = f64::from(from));
    }
}

/// Computes the structural similarity (SSIM) of two images, from -1 to 1.
///
/// # Method
///
/// Wang, Bovik, Sheikh and Simoncelli (2004), "Image quality assessment: from error visibility to structural similarity",
/// equation 13, with C₁ = (0.01 · 255)² and C₂ = (0.03 · 255)²: the mean over the positions at which the window is within the
/// image, then over channels. Images are not reduced before, and borders are not padded; implementations that do either
/// give other values.
///
/// # Errors
///
/// [`MetricError::Sizes`] for images of different sizes, [`MetricError::TooSmall`] for a side below the window's.
///
/// # Examples
///
/// ```
/// use hype_metrics::pixels::{Image, SimilarityWindow, structural_similarity};
/// let (black, white) = ([0; 256], [255; 256]);
/// let (black, white) = (Image::new(&black, 16, 16, 1)?, Image::new(&white, 16, 16, 1)?);
/// let found = structural_similarity(&black, &white, SimilarityWindow::Gaussian)?;
/// let constant = (0.01_f64 * 255.0).powi(2);
/// assert!((found - constant / (255.0 * 255.0 + constant)).abs() < 1e-12);
/// # Ok::<(), hype_metrics::MetricError>(())
/// ```
pub fn structural_similarity(
    left: &Image<'_>,
    right: &Image<'_>,
    window: SimilarityWindow,
) -> Result<f64, MetricError> {
    check_pair("SSIM", left, right)?;
    match window {
        SimilarityWindow::Gaussian => under(left, right, &gaussian()),
        SimilarityWindow::Uniform7 => under(left, right, &UNIFORM),
    }
}

fn under<const T: usize>(
    left: &Image<'_>,
    right: &Image<'_>,
    window: &Window<T>,
) -> Result<f64, MetricError> {
    check_least_side("SSIM", left, T)?;
    let channels = left.extent().channels;
    let found = sums(left, right, channels, window);
    let total: f64 = found.similarity.iter().sum();
    Ok(total / (found.positions * channels) as f64)
}
