//! Metrics of two images of one size, pixel by pixel: MSE, MAE, PSNR, SSIM and MS-SSIM.
//!
//! Samples are levels from 0 to 255, and the peak L is 255. Channels are compared each by itself and averaged; for luma give
//! images of one channel.

mod image;
mod multiscale;
mod similarity;
mod window;

pub use image::Image;
pub use multiscale::multiscale_similarity;
pub use similarity::{SimilarityWindow, structural_similarity};

use image::check_pair;

use crate::summary::check_values;
use crate::{MetricError, SampleMean};

/// The greatest level of a sample.
const PEAK: f64 = 255.0;

/// Computes the mean squared error over pixels and channels.
///
/// # Errors
///
/// [`MetricError::Sizes`] for images of different sizes.
///
/// # Examples
///
/// ```
/// use hype_metrics::pixels::{Image, mean_squared_error};
/// let dark = Image::new(&[10, 20], 2, 1, 1)?;
/// let light = Image::new(&[13, 24], 2, 1, 1)?;
/// assert_eq!(mean_squared_error(&dark, &light)?, 12.5);
/// # Ok::<(), hype_metrics::MetricError>(())
/// ```
pub fn mean_squared_error(left: &Image<'_>, right: &Image<'_>) -> Result<f64, MetricError> {
    check_pair("MSE", left, right)?;
    Ok(mean_of_differences(left, right, |difference| difference * difference))
}

/// Computes the mean absolute error over pixels and channels.
///
/// # Errors
///
/// As [`mean_squared_error`].
pub fn mean_absolute_error(left: &Image<'_>, right: &Image<'_>) -> Result<f64, MetricError> {
    check_pair("MAE", left, right)?;
    Ok(mean_of_differences(left, right, |difference| difference))
}

/// Computes the peak signal-to-noise ratio in decibels, 10 log₁₀(255² / MSE); infinite for equal images.
///
/// # Errors
///
/// As [`mean_squared_error`].
pub fn peak_signal_to_noise(left: &Image<'_>, right: &Image<'_>) -> Result<f64, MetricError> {
    check_pair("PSNR", left, right)?;
    let error = mean_of_differences(left, right, |difference| difference * difference);
    Ok(10.0 * (PEAK * PEAK / error).log10())
}

/// Summarizes the PSNR of a set of pairs by the mean of their PSNR.
///
/// Pooling the squared errors instead would weigh the worst pairs most. One pair of equal images makes the mean infinite;
/// then there is no interval.
///
/// # Errors
///
/// As [`SampleMean::of`].
pub fn mean_peak_signal_to_noise(values: &[f64], seed: u64) -> Result<SampleMean, MetricError> {
    if values.contains(&f64::INFINITY) {
        let others: Vec<f64> =
            values.iter().map(|&value| if value == f64::INFINITY { 0.0 } else { value }).collect();
        check_values("PSNR", &others)?;
        return Ok(SampleMean {
            mean: f64::INFINITY,
            standard_deviation: None,
            count: values.len(),
            interval: None,
            warnings: Vec::new(),
        });
    }
    SampleMean::of("PSNR", values, seed)
}

/// The mean of a whole-numbered function of the differences of all samples.
fn mean_of_differences(left: &Image<'_>, right: &Image<'_>, term: impl Fn(u64) -> u64) -> f64 {
    let (left, right) = (left.samples(), right.samples());
    let total: u64 = left.iter().zip(right).map(|(left, right)| term(u64::from(left.abs_diff(*right)))).sum();
    total as f64 / left.len() as f64
}
