//! The fractal coefficient of an image.

use super::slope;
use crate::pixels::Image;
use crate::{MetricError, SampleMean, SampleWarning};

/// The dimension that people prefer (Spehar et al. 2003; HEIM, appendix E).
pub const IDEAL_DIMENSION: f64 = 1.4;
/// Pixels darker than this share of white form the set whose dimension is taken.
const DARK: f64 = 0.2;

/// Computes the box-counting dimension of the dark pixels of an image; `None` where it has none.
///
/// # Method
///
/// As in the published code of HEIM: pixels whose luma is below 0.2 form a set. Boxes of 4, 8, … pixels, up to the greatest
/// power of two within the shorter side, are laid from the top left, cut off at the right and the bottom. Those that
/// contain dark pixels, but fewer than a whole box has, are counted; the dimension is the negative slope of the logarithm
/// of the count over that of the size. An image has none if no box of some size is counted, or there is only one size.
///
/// Luma is ⌊(9797 R + 19234 G + 3737 B) / 2¹⁵⌋, that of ITU-R BT.601 as libpng computes it, by which that code reads PNG.
#[must_use]
pub fn fractal_dimension(image: &Image<'_>) -> Option<f64> {
    let extent = image.extent();
    let dark: Vec<bool> = image.pixels().map(|pixel| f64::from(luma(pixel)) / 255.0 < DARK).collect();
    let greatest = extent.width.min(extent.height).ilog2();
    let (mut sizes, mut counts) = (Vec::new(), Vec::new());
    for exponent in (2..=greatest).rev() {
        let size = 1_usize << exponent;
        let count = mixed_boxes(&dark, extent.width, size);
        if count == 0 {
            return None;
        }
        sizes.push((size as f64).ln());
        counts.push((count as f64).ln());
    }
    slope(&sizes, &counts).map(|slope| -slope)
}

/// How far the dimensions of images lie from the preferred one.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct FractalCoefficient {
    /// |D - 1.4| of each image; `None` for those without a dimension.
    pub coefficients: Vec<Option<f64>>,
    /// Mean over the images that have one, with a warning if some have none.
    pub summary: SampleMean,
}

/// Computes the fractal coefficient |D - 1.4| of images.
///
/// # Errors
///
/// [`MetricError::TooFew`] if no image has a dimension.
pub fn fractal_coefficients(images: &[Image<'_>], seed: u64) -> Result<FractalCoefficient, MetricError> {
    let coefficients: Vec<Option<f64>> = images
        .iter()
        .map(|image| fractal_dimension(image).map(|dimension| (dimension - IDEAL_DIMENSION).abs()))
        .collect();
    let known: Vec<f64> = coefficients.iter().flatten().copied().collect();
    let mut summary = SampleMean::of("fractal coefficient", &known, seed)?;
    let count = coefficients.len() - known.len();
    if count > 0 {
        summary.warnings.push(SampleWarning::LeftOut { count });
    }
    Ok(FractalCoefficient { coefficients, summary })
}

/// Luma with eight bits; the first channel of an image that is not in colour.
fn luma(pixel: &[u8]) -> u8 {
    match *pixel {
        [red, green, blue] => {
            let sum = 9797 * u32::from(red) + 19234 * u32::from(green) + 3737 * u32::from(blue);
            (sum >> 15) as u8
        }
        ref other => other.first().copied().unwrap_or(0),
    }
}

/// The number of boxes with dark pixels, but fewer than size².
fn mixed_boxes(dark: &[bool], width: usize, size: usize) -> usize {
    let columns = width.div_ceil(size);
    let mut mixed = 0;
    for rows in dark.chunks(width * size) {
        let mut counts = vec![0; columns];
        for row in rows.chunks(width) {
            for (count, pixels) in counts.iter_mut().zip(row.chunks(size)) {
                *count += pixels.iter().filter(|&&dark| dark).count();
            }
        }
        mixed += counts.iter().filter(|&&count| count > 0 && count < size * size).count();
    }
    mixed
}
