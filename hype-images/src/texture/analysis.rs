//! Analysis: from a plane to its statistics.

use rustfft::num_complex::Complex;

use super::adjust::{centre, gram};
use super::fourier::Scratch;
use super::lags::{Correlator, Lags};
use super::level::{Level, phase};
use super::linear::Matrix;
use super::moments::{mean, mean_of, spread};
use super::parents::{Parents, views};
use super::pyramid::{Pyramid, quadrature, settle, weigh, weighted};
use super::resample::{embed, embed_complex};
use super::statistics::{Model, PixelStatistics, ShapeStatistics, Statistics};
use super::{Plane, TextureError};

/// Partial images of less than this share of the pixels' variance count as empty.
const EMPTY: f64 = 1e-6;

/// The spectra of the real and the imaginary part of a band.
type Parts = [Vec<Complex<f64>>; 2];

impl Statistics {
    /// Measures the statistics of a plane with circular boundaries.
    ///
    /// # Errors
    /// [`TextureError::Size`] when a side is not a multiple of [`Model::multiple`];
    /// [`TextureError::Model`] or [`TextureError::Reach`] for a model out of range.
    ///
    /// # Examples
    /// ```
    /// use hype_images::texture::{Model, Plane, Statistics};
    ///
    /// let stripes = (0..64 * 64).map(|at| f64::from(at % 8)).collect();
    /// let statistics = Statistics::of(&Plane::new(64, 64, stripes)?, Model::fitting(64, 64))?;
    /// assert!((statistics.pixels.mean - 3.5).abs() < 1e-12);
    /// # Ok::<(), hype_images::texture::TextureError>(())
    /// ```
    pub fn of(plane: &Plane, model: Model) -> Result<Self, TextureError> {
        let model = model.check()?;
        let (width, height, multiple) = (plane.width(), plane.height(), model.multiple());
        if !width.is_multiple_of(multiple) || !height.is_multiple_of(multiple) {
            return Err(TextureError::Size { width, height, multiple });
        }
        Ok(Self::by(&Pyramid::new(width, height, model.scales, model.orientations)?, plane, model))
    }

    /// Measures with the pyramid of the plane's size and the model.
    pub(crate) fn by(pyramid: &Pyramid, plane: &Plane, model: Model) -> Self {
        let pixels = pixels(plane.values());
        let mut scratch = Scratch::default();
        let spectra = pyramid.spectra(plane, &mut scratch);
        let mut work = weighted(&spectra[0], &pyramid.levels[0].high);
        let high = settle(&pyramid.levels[0], &mut work, &mut scratch);

        let mut measured = Self {
            model,
            pixels,
            partial_shape: Vec::new(),
            partial_autocovariance: Vec::new(),
            magnitude_autocovariance: Vec::new(),
            magnitude_means: vec![mean_of(high.values(), f64::abs)],
            magnitude_covariance: Vec::new(),
            real_products: Vec::new(),
            parent_magnitude_covariance: Vec::new(),
            parent_phase_products: Vec::new(),
            parent_magnitude_variance: Vec::new(),
            parent_phase_squares: Vec::new(),
            high_variance: mean_of(high.values(), |value| value * value),
        };
        measured.partial_images(pyramid, &spectra, &mut scratch);
        let parts: Vec<Vec<Parts>> = pyramid
            .levels
            .iter()
            .zip(&spectra)
            .map(|(level, spectrum)| {
                level.bands.iter().map(|response| parts(spectrum, response, pyramid.orientations)).collect()
            })
            .collect();
        for scale in 0..model.scales {
            measured.scale(pyramid, &parts, scale, &mut scratch);
        }
        let mut low = weighted(&spectra[model.scales], &pyramid.base.low);
        low[0] = Complex::ZERO;
        let low = settle(&pyramid.base, &mut low, &mut scratch);
        measured.magnitude_means.push(mean_of(low.values(), f64::abs));
        measured
    }

    /// Shape and autocovariance of the partial sums of the low residual and each coarser scale.
    fn partial_images(&mut self, pyramid: &Pyramid, spectra: &[Vec<Complex<f64>>], scratch: &mut Scratch) {
        let mut below = &pyramid.base;
        let mut sum = weighted(&spectra[pyramid.levels.len()], &below.low);
        weigh(&mut sum, &below.low);
        sum[0] = Complex::ZERO;
        self.partial_image(below, &sum, scratch);
        for (level, spectrum) in pyramid.levels.iter().zip(spectra).rev() {
            let mut wider = level.fourier.zeros();
            embed(&below.fourier, &sum, &level.fourier, &mut wider);
            for response in &level.bands {
                for ((out, value), gain) in wider.iter_mut().zip(spectrum).zip(&response.gain) {
                    *out += value * (gain * gain);
                }
            }
            self.partial_image(level, &wider, scratch);
            (sum, below) = (wider, level);
        }
        self.partial_shape.reverse();
        self.partial_autocovariance.reverse();
    }

    fn partial_image(&mut self, level: &Level, spectrum: &[Complex<f64>], scratch: &mut Scratch) {
        let lags = self.lags(level, spectrum, scratch);
        let variance = lags.variance();
        let image = settle(level, &mut spectrum.to_vec(), scratch);
        let shape = if variance / self.pixels.variance > EMPTY {
            ShapeStatistics {
                skewness: mean_of(image.values(), |x| x.powi(3)) / (variance * variance.sqrt()),
                kurtosis: mean_of(image.values(), |x| x.powi(4)) / (variance * variance),
            }
        } else {
            ShapeStatistics { skewness: 0.0, kurtosis: 3.0 }
        };
        self.partial_shape.push(shape);
        self.partial_autocovariance.push(lags);
    }

    fn lags(&self, level: &Level, spectrum: &[Complex<f64>], scratch: &mut Scratch) -> Lags {
        let side = level.fourier.width.min(level.fourier.height);
        let reach = self.model.reach_of_analysis(side);
        Correlator::new(&level.fourier, reach).measure(&level.fourier, spectrum, reach, scratch)
    }

    /// The statistics of the bands of one scale, with each other and with the next coarser scale.
    fn scale(&mut self, pyramid: &Pyramid, parts: &[Vec<Parts>], scale: usize, scratch: &mut Scratch) {
        let (level, orientations) = (&pyramid.levels[scale], pyramid.orientations);
        let mut reals = Vec::new();
        let mut magnitudes = Vec::new();
        let mut lags = Vec::new();
        for band in &parts[scale] {
            let [real, imaginary] =
                [0, 1].map(|part: usize| settle(level, &mut band[part].clone(), scratch).into_values());
            let mut magnitude: Vec<f64> =
                real.iter().zip(&imaginary).map(|(a, b)| (a * a + b * b).sqrt()).collect();
            self.magnitude_means.push(centre(&mut magnitude));
            let mut spectrum = level.fourier.zeros();
            level.fourier.forward(&magnitude, &mut spectrum, scratch);
            lags.push(self.lags(level, &spectrum, scratch));
            reals.push(real);
            magnitudes.push(magnitude);
        }
        self.magnitude_autocovariance.push(lags);
        let (reals, magnitudes) = (views(&reals), views(&magnitudes));
        self.magnitude_covariance.push(gram(&magnitudes, &magnitudes));
        self.real_products.push(gram(&reals, &reals));
        let Some(coarser) = parts.get(scale + 1) else { return };

        let mut parents = Parents::zeros(orientations, level.fourier.pixels());
        let [mut first, mut second] = [level.fourier.zeros(), level.fourier.zeros()];
        for (orientation, [real, imaginary]) in coarser.iter().enumerate() {
            let from = &pyramid.levels[scale + 1].fourier;
            embed_complex(from, [real, imaginary], &level.fourier, [&mut first, &mut second]);
            for (slot, spectrum) in parents.slots(orientation).into_iter().zip([&mut first, &mut second]) {
                level.fourier.inverse(spectrum, level.fourier.columns(), slot, scratch);
            }
            parents.double_phase(orientation);
        }
        self.parent_magnitude_covariance.push(gram(&magnitudes, &views(&parents.magnitudes)));
        self.parent_phase_products.push(gram(&reals, &views(&parents.phases)));
        let squares = |planes: &[Vec<f64>]| planes.iter().map(|plane| mean_of(plane, |x| x * x)).collect();
        self.parent_magnitude_variance.push(squares(&parents.magnitudes));
        self.parent_phase_squares.push(squares(&parents.phases));
    }

    /// The agreement with other statistics of the same model, in decibels as in the published
    /// programs: `10 log10(sum a^2 / sum (a - b)^2)` over the parameters of
    /// [`Statistics::parameters`]; infinite when they are equal.
    ///
    /// The measure depends on the planes' unit, as means and standard deviations are among the
    /// parameters; samples are usually from 0 to 1.
    ///
    /// # Errors
    /// [`TextureError::Mismatch`] when the models or the sizes of lags differ.
    pub fn signal_to_noise_db(&self, other: &Self) -> Result<f64, TextureError> {
        let (own, others) = (self.parameters(), other.parameters());
        if self.model != other.model || own.len() != others.len() {
            return Err(TextureError::Mismatch { field: "model" });
        }
        let signal: f64 = own.iter().map(|a| a * a).sum();
        let noise: f64 = own.iter().zip(&others).map(|(a, b)| (a - b) * (a - b)).sum();
        Ok(10.0 * libm::log10(signal / noise))
    }
}

fn parts(spectrum: &[Complex<f64>], response: &super::level::Response, orientations: usize) -> Parts {
    let turn = phase(orientations);
    let mut real = weighted(spectrum, &response.gain);
    let mut imaginary = Vec::with_capacity(real.len());
    for (real, side) in real.iter_mut().zip(&response.side) {
        *real *= turn;
        imaginary.push(quadrature(*real, *side));
    }
    [real, imaginary]
}

fn pixels(values: &[f64]) -> PixelStatistics {
    let (centre, squares) = spread(values);
    let count = values.len() as f64;
    let variance = squares * count / (count - 1.0).max(1.0);
    let moment = |power: i32| mean_of(values, |value| (value - centre).powi(power));
    let shape = (moment(3) / (variance * variance.sqrt()), moment(4) / (variance * variance));
    let (skewness, kurtosis) = if shape.0.is_finite() && shape.1.is_finite() { shape } else { (0.0, 3.0) };
    let bound = |pick: fn(f64, f64) -> f64| values.iter().copied().reduce(pick).unwrap_or(0.0);
    PixelStatistics {
        mean: mean(values),
        variance,
        skewness,
        kurtosis,
        min: bound(f64::min),
        max: bound(f64::max),
    }
}

/// The covariance over both standard deviations; zero if one of them is zero.
pub(crate) fn correlation(covariance: f64, left: f64, right: f64) -> f64 {
    let scale = (left * right).sqrt();
    if scale > 0.0 { covariance / scale } else { 0.0 }
}

impl Statistics {
    /// The parameters without those that follow from others, as correlations and standard
    /// deviations. There are [`Model::parameters`] of them if the bands are large enough for every
    /// lag.
    ///
    /// Pixels; skewness, kurtosis, standard deviation and autocorrelation of partial images;
    /// standard deviation and autocorrelation of magnitudes; correlations of magnitudes within and
    /// between scales; correlations with phases, the sign of the first half changed to that of the
    /// true real part; the variance of the high residual.
    #[must_use]
    pub fn parameters(&self) -> Vec<f64> {
        let PixelStatistics { mean, variance, skewness, kurtosis, min, max } = self.pixels;
        let mut out = vec![mean, variance, skewness, kurtosis, min, max];
        for (shape, lags) in self.partial_shape.iter().zip(&self.partial_autocovariance) {
            out.extend([shape.skewness, shape.kurtosis]);
            half(&mut out, lags);
        }
        for lags in self.magnitude_autocovariance.iter().flatten() {
            half(&mut out, lags);
        }
        for (scale, within) in self.magnitude_covariance.iter().enumerate() {
            let count = within.rows();
            let spread = |i: usize| within.at(i, i);
            for i in 0..count {
                out.extend((0..i).map(|j| correlation(within.at(i, j), spread(i), spread(j))));
            }
            let mut between = |cross: &Matrix, other: &[f64], own: &dyn Fn(usize) -> f64, turned: usize| {
                for i in 0..cross.rows() {
                    for (j, square) in other.iter().enumerate() {
                        let sign = if j < turned { -1.0 } else { 1.0 };
                        out.push(sign * correlation(cross.at(i, j), own(i), *square));
                    }
                }
            };
            if let Some(cross) = self.parent_magnitude_covariance.get(scale) {
                between(cross, &self.parent_magnitude_variance[scale], &spread, 0);
                let real = |i: usize| self.real_products[scale].at(i, i);
                between(&self.parent_phase_products[scale], &self.parent_phase_squares[scale], &real, count);
            }
        }
        out.push(self.high_variance);
        out
    }
}

/// The standard deviation and the first half of the autocorrelation.
fn half(out: &mut Vec<f64>, lags: &Lags) {
    let variance = lags.variance();
    out.push(variance.max(0.0).sqrt());
    let before = &lags.values()[..lags.values().len() / 2];
    out.extend(before.iter().map(|value| correlation(*value, variance, variance)));
}
