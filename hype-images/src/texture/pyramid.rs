//! The complex steerable pyramid.

use rustfft::num_complex::Complex;

use super::fourier::{Scratch, crop};
use super::level::{Level, phase};
use super::resample::embed;
use super::{Plane, TextureError};

/// The maximum number of orientations of a pyramid.
pub const MAX_ORIENTATIONS: usize = 16;

/// The maximum number of scales of a pyramid.
pub const MAX_SCALES: usize = 12;

/// A complex steerable pyramid for planes of one size.
///
/// # Method
/// Simoncelli & Freeman (1995, The steerable pyramid) and Portilla & Simoncelli (2000, section
/// 1.2), in the frequency domain with circular boundaries. With `r` the radius over the Nyquist
/// frequency, `t = log2 r` and `H(t) = sin(pi/2 clamp(t + 1, 0, 1))`, `L` its cosine: the high
/// residual is `H(t) F`; band `k` of scale `s = 1 ..= S` has the real part
/// `(-i)^(K-1) L(t + s - 1) H(t + s) c cos^(K-1)(theta - pi k / K) F` and its quadrature partner as
/// imaginary part; the low residual is `L(t + S) F`. Each scale keeps the centre half of the
/// transform without rescaling, so amplitudes grow fourfold for each.
///
/// The responses are evaluated in closed form, where the published programs interpolate tables;
/// the reconstruction is therefore exact to rounding.
pub struct Pyramid {
    pub(crate) levels: Vec<Level>,
    /// The responses at the size of the low residual.
    pub(crate) base: Level,
    pub(crate) orientations: usize,
}

/// The decomposition of a plane.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Bands {
    /// The high residual, of the plane's size.
    pub high: Plane,
    /// The oriented bands, `[scale][orientation]`, the finest scale first; the sides halve from
    /// scale to scale.
    pub oriented: Vec<Vec<Band>>,
    /// The low residual.
    pub low: Plane,
}

/// A complex band.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Band {
    /// The band of the real pyramid.
    pub real: Plane,
    /// The quadrature partner of `real`.
    pub imaginary: Plane,
}

impl Pyramid {
    /// Prepares a pyramid for planes of a size.
    ///
    /// # Errors
    /// [`TextureError::Size`] when a side is not a multiple of `2^(scales + 1)`, the least that
    /// leaves every band even; [`TextureError::Model`] for no scale or orientation, or more than
    /// [`MAX_SCALES`] or [`MAX_ORIENTATIONS`].
    pub fn new(
        width: usize,
        height: usize,
        scales: usize,
        orientations: usize,
    ) -> Result<Self, TextureError> {
        if !(1..=MAX_SCALES).contains(&scales) || !(1..=MAX_ORIENTATIONS).contains(&orientations) {
            return Err(TextureError::Model { scales, orientations });
        }
        let multiple = 2 << scales;
        if width == 0 || height == 0 || !width.is_multiple_of(multiple) || !height.is_multiple_of(multiple) {
            return Err(TextureError::Size { width, height, multiple });
        }
        let level = |scale: usize, orientations| Level::new(width >> scale, height >> scale, orientations);
        Ok(Self {
            levels: (0..scales).map(|scale| level(scale, orientations)).collect(),
            base: level(scales, 0),
            orientations,
        })
    }

    /// Samples in a row of this pyramid's planes.
    #[must_use]
    pub fn width(&self) -> usize {
        self.levels[0].fourier.width
    }

    /// Rows of this pyramid's planes.
    #[must_use]
    pub fn height(&self) -> usize {
        self.levels[0].fourier.height
    }

    pub(crate) fn admit(&self, plane: &Plane, field: &'static str) -> Result<(), TextureError> {
        if (plane.width(), plane.height()) == (self.width(), self.height()) {
            Ok(())
        } else {
            Err(TextureError::Mismatch { field })
        }
    }

    /// Decomposes a plane.
    ///
    /// # Errors
    /// [`TextureError::Mismatch`] when the plane's size differs from the pyramid's.
    pub fn decompose(&self, plane: &Plane) -> Result<Bands, TextureError> {
        self.admit(plane, "plane")?;
        let mut scratch = Scratch::default();
        let spectra = self.spectra(plane, &mut scratch);
        let top = &self.levels[0];
        let mut work = weighted(&spectra[0], &top.high);
        let high = settle(top, &mut work, &mut scratch);
        let turn = phase(self.orientations);
        let oriented = self
            .levels
            .iter()
            .zip(&spectra)
            .map(|(level, spectrum)| {
                let band = |response: &super::level::Response| {
                    let mut real = weighted(spectrum, &response.gain);
                    let mut imaginary = real.clone();
                    for ((real, imaginary), side) in real.iter_mut().zip(&mut imaginary).zip(&response.side) {
                        *real *= turn;
                        *imaginary = quadrature(*real, *side);
                    }
                    Band {
                        real: settle(level, &mut real, &mut Scratch::default()),
                        imaginary: settle(level, &mut imaginary, &mut Scratch::default()),
                    }
                };
                level.bands.iter().map(band).collect()
            })
            .collect();
        let mut low = weighted(&spectra[self.levels.len()], &self.base.low);
        Ok(Bands { high, oriented, low: settle(&self.base, &mut low, &mut scratch) })
    }

    /// Reconstructs a plane from the real parts of its bands and its residuals.
    ///
    /// # Errors
    /// [`TextureError::Mismatch`] when the number or the size of the bands is not this pyramid's.
    pub fn reconstruct(&self, bands: &Bands) -> Result<Plane, TextureError> {
        let fits = |plane: &Plane, level: &Level| {
            (plane.width(), plane.height()) == (level.fourier.width, level.fourier.height)
        };
        let whole = bands.oriented.len() == self.levels.len()
            && fits(&bands.low, &self.base)
            && fits(&bands.high, &self.levels[0])
            && bands.oriented.iter().zip(&self.levels).all(|(oriented, level)| {
                oriented.len() == self.orientations && oriented.iter().all(|band| fits(&band.real, level))
            });
        if !whole {
            return Err(TextureError::Mismatch { field: "bands" });
        }
        let mut scratch = Scratch::default();
        let mut below = &self.base;
        let mut sum = transform(below, &bands.low, &mut scratch);
        weigh(&mut sum, &below.low);
        let turn = phase(self.orientations).conj();
        for (level, oriented) in self.levels.iter().zip(&bands.oriented).rev() {
            let mut wider = level.fourier.zeros();
            embed(&below.fourier, &sum, &level.fourier, &mut wider);
            for (response, band) in level.bands.iter().zip(oriented) {
                let part = transform(level, &band.real, &mut scratch);
                for ((out, part), gain) in wider.iter_mut().zip(&part).zip(&response.gain) {
                    *out += part * turn * gain;
                }
            }
            (sum, below) = (wider, level);
        }
        let high = transform(below, &bands.high, &mut scratch);
        for ((out, high), gain) in sum.iter_mut().zip(&high).zip(&below.high) {
            *out += high * gain;
        }
        Ok(settle(below, &mut sum, &mut scratch))
    }

    /// The spectrum of a plane at every scale, that of the low residual last, without responses.
    pub(crate) fn spectra(&self, plane: &Plane, scratch: &mut Scratch) -> Vec<Vec<Complex<f64>>> {
        let mut spectra: Vec<Vec<Complex<f64>>> = self
            .levels
            .iter()
            .chain(std::iter::once(&self.base))
            .map(|level| level.fourier.zeros())
            .collect();
        self.fill_spectra(plane.values(), &mut spectra, scratch);
        spectra
    }

    pub(crate) fn fill_spectra(
        &self,
        plane: &[f64],
        spectra: &mut [Vec<Complex<f64>>],
        scratch: &mut Scratch,
    ) {
        let levels: Vec<&Level> = self.levels.iter().chain(std::iter::once(&self.base)).collect();
        levels[0].fourier.forward(plane, &mut spectra[0], scratch);
        for scale in 1..levels.len() {
            let (finer, coarser) = spectra.split_at_mut(scale);
            crop(&levels[scale - 1].fourier, &finer[scale - 1], &levels[scale].fourier, &mut coarser[0]);
        }
    }
}

/// The coefficient of the quadrature partner: `-i` in the half-plane of the band, `i` in the other.
pub(crate) fn quadrature(real: Complex<f64>, side: f64) -> Complex<f64> {
    Complex::new(real.im * side, -real.re * side)
}

pub(crate) fn weigh(spectrum: &mut [Complex<f64>], gains: &[f64]) {
    for (value, gain) in spectrum.iter_mut().zip(gains) {
        *value *= gain;
    }
}

pub(crate) fn weighted(spectrum: &[Complex<f64>], gains: &[f64]) -> Vec<Complex<f64>> {
    spectrum.iter().zip(gains).map(|(value, gain)| value * gain).collect()
}

fn transform(level: &Level, plane: &Plane, scratch: &mut Scratch) -> Vec<Complex<f64>> {
    let mut spectrum = level.fourier.zeros();
    level.fourier.forward(plane.values(), &mut spectrum, scratch);
    spectrum
}

pub(crate) fn settle(level: &Level, spectrum: &mut [Complex<f64>], scratch: &mut Scratch) -> Plane {
    let fourier = &level.fourier;
    let mut plane = Plane::zeros(fourier.width, fourier.height);
    fourier.inverse(spectrum, fourier.columns(), plane.values_mut(), scratch);
    plane
}
