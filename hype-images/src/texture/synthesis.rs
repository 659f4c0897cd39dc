//! Synthesis: from statistics to planes that have them.

mod step;

use std::sync::Arc;

use step::Workspace;

use super::lags::Correlator;
use super::noise::white_noise;
use super::pyramid::Pyramid;
use super::statistics::Statistics;
use super::{Plane, TextureError};

/// The distance of each start beyond the last result, as a share of the last change: the published
/// acceleration.
const ACCELERATION: f64 = 0.8;

/// Makes planes of one size that have given statistics.
///
/// # Method
/// Portilla & Simoncelli (2000, sections 3 and appendix), in the order of their program: starting
/// from noise, each iteration imposes, from coarse to fine, the covariances and autocovariances of
/// the magnitudes, the relation of phases between scales, and autocovariance, skewness and kurtosis
/// of the partial images; then the variance of the high residual, and the distribution of the
/// samples. Each start lies 0.8 times the last change beyond the last result.
///
/// # Numerics
/// One build on one processor gives the same bytes for the same start, on any thread. Transforms
/// use the vector instructions that the processor has; another type of processor may differ in
/// the last digits, by about `1e-13` standard deviations after one iteration.
///
/// # Examples
/// ```
/// use hype_images::texture::{Model, Plane, Statistics, Synthesizer};
///
/// let source = (0..64 * 64).map(|at: u32| f64::from(at.wrapping_mul(2_654_435_761) >> 24)).collect();
/// let statistics = Statistics::of(&Plane::new(64, 64, source)?, Model::fitting(64, 64))?;
/// let synthesizer = Synthesizer::new(statistics, 64, 64)?;
/// let mut run = synthesizer.run(synthesizer.noise(7))?;
/// for _ in 0..5 {
///     run.step();
/// }
/// assert_eq!(run.into_image(), synthesizer.synthesize(7, 5));
/// # Ok::<(), hype_images::texture::TextureError>(())
/// ```
pub struct Synthesizer {
    statistics: Statistics,
    pyramid: Arc<Pyramid>,
    /// One for each scale, and one for the low residual.
    correlators: Vec<Correlator>,
    /// The lags imposed at each of them.
    reaches: Vec<usize>,
}

/// A synthesis in progress.
pub struct Run<'a> {
    synthesizer: &'a Synthesizer,
    workspace: Workspace,
    start: Plane,
    image: Plane,
    iterations: usize,
}

impl Synthesizer {
    /// Prepares the synthesis of planes of a size, which need not be that of the source.
    ///
    /// # Errors
    /// [`TextureError::Size`] when a side is not a multiple of [`super::Model::multiple`],
    /// [`TextureError::Mismatch`], [`TextureError::Model`] or [`TextureError::Reach`] when the
    /// statistics are incomplete.
    pub fn new(statistics: Statistics, width: usize, height: usize) -> Result<Self, TextureError> {
        statistics.check()?;
        let model = statistics.model;
        let multiple = model.multiple();
        if width == 0 || height == 0 || !width.is_multiple_of(multiple) || !height.is_multiple_of(multiple) {
            return Err(TextureError::Size { width, height, multiple });
        }
        let pyramid = Pyramid::new(width, height, model.scales, model.orientations)?;
        Ok(Self::by(Arc::new(pyramid), statistics))
    }

    /// Prepares with a pyramid of the size and of the statistics' model.
    pub(crate) fn by(pyramid: Arc<Pyramid>, statistics: Statistics) -> Self {
        let (model, width, height) = (statistics.model, pyramid.width(), pyramid.height());
        let reaches: Vec<usize> =
            (0..=model.scales).map(|scale| model.reach_of_synthesis(width.min(height) >> scale)).collect();
        let levels = pyramid.levels.iter().chain(std::iter::once(&pyramid.base));
        let correlators =
            levels.zip(&reaches).map(|(level, &reach)| Correlator::new(&level.fourier, reach)).collect();
        Self { statistics, pyramid, correlators, reaches }
    }

    /// The statistics that are imposed.
    #[must_use]
    pub const fn statistics(&self) -> &Statistics {
        &self.statistics
    }

    /// Normal noise with the mean and variance of the source, the start of a synthesis; see
    /// [`white_noise`].
    #[must_use]
    pub fn noise(&self, seed: u64) -> Plane {
        let (width, height) = (self.pyramid.width(), self.pyramid.height());
        let pixels = self.statistics.pixels;
        let deviation = pixels.variance.max(0.0).sqrt();
        let mut noise = white_noise(seed, width * height);
        for value in &mut noise {
            *value = pixels.mean + deviation * *value;
        }
        Plane::wrap(width, height, noise)
    }

    /// Begins a synthesis from any plane; [`Synthesizer::noise`] is the usual one.
    ///
    /// # Errors
    /// [`TextureError::Mismatch`] when the start has another size.
    pub fn run(&self, start: Plane) -> Result<Run<'_>, TextureError> {
        self.pyramid.admit(&start, "start")?;
        Ok(self.begin(start))
    }

    fn begin(&self, start: Plane) -> Run<'_> {
        let workspace = Workspace::new(&self.pyramid);
        Run { synthesizer: self, workspace, image: start.clone(), start, iterations: 0 }
    }

    /// The plane after a number of iterations from the noise of a seed.
    #[must_use]
    pub fn synthesize(&self, seed: u64, iterations: usize) -> Plane {
        let mut run = self.begin(self.noise(seed));
        for _ in 0..iterations {
            run.step();
        }
        run.into_image()
    }
}

impl Run<'_> {
    /// Performs one more iteration, and returns its result.
    pub fn step(&mut self) -> &Plane {
        self.synthesizer.iterate(&mut self.start, &mut self.workspace);
        // `start` is now the result; `image` is still the previous one.
        let (result, last) = (self.start.values_mut(), self.image.values_mut());
        for (result, last) in result.iter_mut().zip(last) {
            let next = *result + ACCELERATION * (*result - *last);
            *last = *result;
            *result = next;
        }
        self.iterations += 1;
        &self.image
    }

    /// The number of iterations done.
    #[must_use]
    pub const fn iterations(&self) -> usize {
        self.iterations
    }

    /// The result of the last iteration; before the first, the start.
    #[must_use]
    pub const fn image(&self) -> &Plane {
        &self.image
    }

    /// Returns the result of the last iteration.
    #[must_use]
    pub fn into_image(self) -> Plane {
        self.image
    }
}
