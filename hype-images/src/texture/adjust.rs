//! Single adjustments of the synthesis: each imposes one statistic on samples, with the least
//! change that its form allows.
//!
//! The form and the order of all adjustments are those of the published program (Portilla &
//! Simoncelli 2000, appendix). If a target cannot be reached, the samples are unchanged.

mod covariance;
mod marginal;

pub use covariance::{Correction, Imposed};
pub use marginal::{kurtosis, skewness};

pub(crate) use covariance::{Shares, gram};
pub(crate) use marginal::{centre, mean_and_variance, ratio, variance};

use rustfft::num_complex::Complex;

use super::fourier::{Fourier, Scratch};
use super::lags::{Correlator, Lags};
use super::level::sides;
use super::pyramid::quadrature;
use super::{Plane, TextureError};

/// Filters a plane to give the centre of its circular autocovariance, per pixel, the target values.
///
/// # Errors
/// [`TextureError::Size`] when a side of the plane is odd or too small for twice the target's
/// reach on either side, [`TextureError::Mismatch`] when the target is not finite.
pub fn autocovariance(plane: &mut Plane, target: &Lags) -> Result<(), TextureError> {
    let (width, height) = (plane.width(), plane.height());
    let multiple = 2;
    if !width.is_multiple_of(2) || !height.is_multiple_of(2) || width.min(height) < 4 * target.reach() + 1 {
        return Err(TextureError::Size { width, height, multiple });
    }
    if !target.is_whole() {
        return Err(TextureError::Mismatch { field: "target" });
    }
    let fourier = Fourier::new(width, height);
    let mut scratch = Scratch::default();
    let correlator = Correlator::new(&fourier, target.reach());
    let mut spectrum = fourier.zeros();
    fourier.forward(plane.values(), &mut spectrum, &mut scratch);
    let present = correlator.measure(&fourier, &spectrum, 2 * target.reach(), &mut scratch);
    correlator.impose(&fourier, &mut spectrum, &present, target);
    fourier.inverse(&mut spectrum, fourier.columns(), plane.values_mut(), &mut scratch);
    Ok(())
}

/// The circular autocovariance of a plane, per pixel, up to a lag.
///
/// # Errors
/// [`TextureError::Size`] when a side is odd or not larger than twice the lag.
pub fn measure_autocovariance(plane: &Plane, reach: usize) -> Result<Lags, TextureError> {
    let (width, height) = (plane.width(), plane.height());
    if !width.is_multiple_of(2) || !height.is_multiple_of(2) || width.min(height) < 2 * reach + 1 {
        return Err(TextureError::Size { width, height, multiple: 2 });
    }
    let fourier = Fourier::new(width, height);
    let mut scratch = Scratch::default();
    let mut spectrum = fourier.zeros();
    fourier.forward(plane.values(), &mut spectrum, &mut scratch);
    Ok(Correlator::new(&fourier, reach.div_ceil(2)).measure(&fourier, &spectrum, reach, &mut scratch))
}

/// The imaginary part that makes the spectrum of a real band one-sided about one of `orientations`
/// orientations: frequencies in its half-plane are doubled, those in the other removed, and those
/// on the border and at the Nyquist frequencies unchanged.
///
/// # Errors
/// [`TextureError::Size`] when a side is odd, [`TextureError::Model`] when there is no such
/// orientation.
pub fn analytic(plane: &Plane, orientation: usize, orientations: usize) -> Result<Plane, TextureError> {
    let (width, height) = (plane.width(), plane.height());
    if !width.is_multiple_of(2) || !height.is_multiple_of(2) {
        return Err(TextureError::Size { width, height, multiple: 2 });
    }
    if orientation >= orientations {
        return Err(TextureError::Model { scales: 1, orientations });
    }
    let fourier = Fourier::new(width, height);
    let mut scratch = Scratch::default();
    let mut spectrum = fourier.zeros();
    fourier.forward(plane.values(), &mut spectrum, &mut scratch);
    let (sin, cos) = libm::sincos(std::f64::consts::PI * orientation as f64 / orientations as f64);
    for (value, side) in spectrum.iter_mut().zip(sides(&fourier, cos, sin)) {
        *value = quadrature(*value, side);
    }
    let mut imaginary = Plane::zeros(width, height);
    fourier.inverse(&mut spectrum, fourier.columns(), imaginary.values_mut(), &mut scratch);
    Ok(imaginary)
}

/// The spectra of the real and the imaginary part after a complex band was made analytic.
pub(crate) fn make_analytic(real: &mut [Complex<f64>], imaginary: &mut [Complex<f64>], sides: &[f64]) {
    for ((real, imaginary), &side) in real.iter_mut().zip(imaginary).zip(sides) {
        let (from_real, from_imaginary) = (quadrature(*real, side), quadrature(*imaginary, side));
        *real -= from_imaginary;
        *imaginary += from_real;
    }
}
