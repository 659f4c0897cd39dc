//! MS-SSIM: structural similarity at five scales.

use super::image::{Image, check_least_side, check_pair};
use super::similarity::gaussian;
use super::window::{Rows, Sums, sums};
use crate::MetricError;

/// The exponents of the five scales, fine to coarse.
const EXPONENTS: [f64; 5] = [0.0448, 0.2856, 0.3001, 0.2363, 0.1333];
/// The least side: 11 pixels remain at the fifth scale.
const LEAST_SIDE: usize = 11 << 4;

/// An image at a coarser scale.
struct Reduced {
    values: Vec<f64>,
    length: usize,
}

impl Rows for Reduced {
    fn length(&self) -> usize {
        self.length
    }

    fn count(&self) -> usize {
        self.values.len() / self.length
    }

    fn copy(&self, row: usize, target: &mut [f64]) {
        target.copy_from_slice(&self.values[row * self.length..(row + 1) * self.length]);
    }
}

/// Computes the multi-scale structural similarity (MS-SSIM) of two images, from 0 to 1.
///
/// # Method
///
/// Wang, Simoncelli and Bovik (2003), "Multi-scale structural similarity for image quality assessment", equation 7, with
/// their exponents: for each channel the product of contrast and structure at scales 1 to 4 and of the whole similarity at
/// scale 5, each the mean over the positions of the Gaussian window; then the mean over channels. The next scale is the mean
/// of 2 × 2 pixels; an odd row or column at the end is dropped. Negative means count as 0, since their powers are not real.
///
/// # Errors
///
/// [`MetricError::Sizes`] for images of different sizes, [`MetricError::TooSmall`] for a side below 176 pixels.
pub fn multiscale_similarity(left: &Image<'_>, right: &Image<'_>) -> Result<f64, MetricError> {
    check_pair("MS-SSIM", left, right)?;
    check_least_side("MS-SSIM", left, LEAST_SIDE)?;
    let channels = left.extent().channels;
    let window = gaussian();
    let mut products = vec![1.0; channels];
    let mut reduced: Option<[Reduced; 2]> = None;
    for (scale, exponent) in EXPONENTS.into_iter().enumerate() {
        let is_last = scale + 1 == EXPONENTS.len();
        let [one, other]: [&dyn Rows; 2] = match &reduced {
            None => [left, right],
            Some([one, other]) => [one, other],
        };
        multiply(&mut products, &sums(one, other, channels, &window), exponent, is_last);
        if !is_last {
            reduced = Some([reduce(one, channels), reduce(other, channels)]);
        }
    }
    Ok(products.iter().sum::<f64>() / channels as f64)
}

/// Multiplies each channel by the mean of its scale.
fn multiply(products: &mut [f64], sums: &Sums, exponent: f64, whole: bool) {
    let values = if whole { &sums.similarity } else { &sums.contrast };
    for (product, sum) in products.iter_mut().zip(values) {
        *product *= (sum / sums.positions as f64).max(0.0).powf(exponent);
    }
}

/// The mean of each 2 × 2 pixels.
fn reduce(image: &dyn Rows, channels: usize) -> Reduced {
    let (columns, rows) = (image.length() / channels / 2, image.count() / 2);
    let (mut upper, mut lower) = (vec![0.0; image.length()], vec![0.0; image.length()]);
    let mut values = Vec::with_capacity(columns * rows * channels);
    for row in 0..rows {
        image.copy(2 * row, &mut upper);
        image.copy(2 * row + 1, &mut lower);
        for column in 0..columns {
            let place = 2 * column * channels;
            values.extend((place..place + channels).map(|sample| {
                let next = sample + channels;
                0.25 * ((upper[sample] + upper[next]) + (lower[sample] + lower[next]))
            }));
        }
    }
    Reduced { values, length: columns * channels }
}
