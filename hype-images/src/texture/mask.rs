//! Masks for images of any size and any number of channels.

use std::sync::Arc;

use super::adjust::{Correction, centre, gram};
use super::linear::Matrix;
use super::moments::{mean, spread};
use super::noise::stream;
use super::parents::views;
use super::pyramid::Pyramid;
use super::statistics::{Model, Statistics};
use super::synthesis::Synthesizer;
use super::{Plane, TextureError};

/// The largest correlation of a channel with the source; a mask is shifted circularly until it is not exceeded.
const CORRELATION_LIMIT: f64 = 0.03;

/// The number of shifts that are tried.
const PLACES: usize = 256;

/// The number of separate partial sums, which lets vector instructions add a row.
const LANES: usize = 8;

/// Components with less than this share of the greatest variance remain constant.
const FLAT: f64 = 1e-12;

/// The nth of positions that are spread evenly over a plane by two irrational steps (Roberts 2018, the generalized
/// golden ratio).
pub(crate) fn place_of(number: usize, width: usize, height: usize) -> [usize; 2] {
    [(width, 0.754_877_666_246_692_7), (height, 0.569_840_290_998_053_3)]
        .map(|(side, step)| ((number as f64 * step).fract() * side as f64) as usize)
}

/// How masks are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settings {
    /// The statistics of the source that are reproduced; by default [`Model::fitting`] for its size.
    pub model: Option<Model>,
    /// Iterations of the synthesis, 50 as published. Half as many come within a few decibels.
    pub iterations: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self { model: None, iterations: 50 }
    }
}

/// Makes masks that look like the texture of one source image and reveal nothing of it.
///
/// # Method
/// The channels are rotated to the principal components of their colours. Each component is described and synthesized
/// separately (Portilla & Simoncelli 2000) from separate noise. The results are decorrelated and scaled to the
/// components' variances, rotated back, shifted to the channels' means, and clipped at the channels' extremes. Mean
/// and covariance of the channels are therefore exact except for clipping; dependence between components beyond
/// covariance is lost.
///
/// Sides that are not multiples of [`Model::multiple`] are extended by mirroring at the right and lower edge before
/// the analysis, and the mask is cropped to size. A mirror uses the whole source and adds neither edges nor new
/// values, whereas a crop to the multiple would lose up to half of it.
///
/// The statistics are those of a plane without edges, so a circular shift does not change them. Small or smooth
/// sources have so few independent parts that a mask may correlate with them by chance. Of a fixed list of shifts
/// that begins with none, the first one is used for which the correlation of every channel with the source is below
/// 0.03, or else the best of 256.
///
/// # Examples
/// ```
/// use hype_images::texture::{MaskSource, Plane, Settings};
///
/// let source = (0..48 * 40).map(|at: u32| f64::from(at.wrapping_mul(2_654_435_761) >> 24)).collect();
/// let source = [Plane::new(48, 40, source)?];
/// let masks = MaskSource::new(&source, Settings { iterations: 3, ..Settings::default() })?;
/// let mask = masks.mask(1);
/// assert_eq!((mask[0].width(), mask[0].height()), (48, 40));
/// assert_ne!(mask, masks.mask(2));
/// # Ok::<(), hype_images::texture::TextureError>(())
/// ```
pub struct MaskSource {
    channels: Vec<Plane>,
    means: Vec<f64>,
    /// The mean and the variance of each channel, without the extension.
    spreads: Vec<(f64, f64)>,
    /// Principal components in the columns, one row for each channel.
    axes: Matrix,
    /// The variance of each component, over the number of pixels.
    variances: Vec<f64>,
    /// `None` for components without variance.
    synthesizers: Vec<Option<Synthesizer>>,
    pyramid: Arc<Pyramid>,
    iterations: usize,
}

impl MaskSource {
    /// Describes a source, given as channels of one size.
    ///
    /// # Errors
    /// [`TextureError::Mismatch`] for no channels or channels of several sizes,
    /// [`TextureError::Model`] or [`TextureError::Reach`] for a model out of range.
    pub fn new(channels: &[Plane], settings: Settings) -> Result<Self, TextureError> {
        Self::sharing(channels, settings, None)
    }

    /// Describes a source, with the pyramid of another source of the same size and settings.
    pub(crate) fn sharing(
        channels: &[Plane],
        settings: Settings,
        pyramid: Option<Arc<Pyramid>>,
    ) -> Result<Self, TextureError> {
        let size = |plane: &Plane| (plane.width(), plane.height());
        let Some(first) = channels.first().map(size) else {
            return Err(TextureError::Mismatch { field: "channels" });
        };
        if channels.iter().any(|channel| size(channel) != first) {
            return Err(TextureError::Mismatch { field: "channels" });
        }
        let model = settings.model.unwrap_or_else(|| Model::fitting(first.0, first.1)).check()?;
        let [width, height] = [first.0, first.1].map(|side| side.next_multiple_of(model.multiple()));
        let pyramid = match pyramid {
            Some(pyramid) => pyramid,
            None => Arc::new(Pyramid::new(width, height, model.scales, model.orientations)?),
        };
        let mut planes: Vec<Vec<f64>> =
            channels.iter().map(|channel| channel.mirrored(width, height).into_values()).collect();
        let means = planes.iter_mut().map(|plane| centre(plane)).collect();
        let products = gram(&views(&planes), &views(&planes));
        let eigen = products.eigen();
        let largest = eigen.largest();
        let synthesizers = (0..channels.len())
            .map(|component| {
                if eigen.values[component] <= FLAT * largest {
                    return None;
                }
                let mut values = vec![0.0; width * height];
                for (channel, plane) in planes.iter().enumerate() {
                    let share = eigen.vectors.at(channel, component);
                    for (value, sample) in values.iter_mut().zip(plane) {
                        *value += share * sample;
                    }
                }
                let statistics = Statistics::by(&pyramid, &Plane::wrap(width, height, values), model);
                Some(Synthesizer::by(Arc::clone(&pyramid), statistics))
            })
            .collect();
        Ok(Self {
            spreads: channels.iter().map(|channel| spread(channel.values())).collect(),
            channels: channels.to_vec(),
            means,
            axes: eigen.vectors,
            variances: eigen.values,
            synthesizers,
            pyramid,
            iterations: settings.iterations,
        })
    }

    /// The pyramid of the source's size, for other sources.
    pub(crate) fn pyramid(&self) -> Arc<Pyramid> {
        Arc::clone(&self.pyramid)
    }

    /// The mask for a seed, with the source's size, number of channels and range.
    ///
    /// A seed gives the same mask on any thread. Working space is released at the end: many
    /// masks need no more memory than one for each thread.
    #[must_use]
    pub fn mask(&self, seed: u64) -> Vec<Plane> {
        let mut planes = self.mixed(&self.components(seed));
        let mut best = (f64::INFINITY, [0, 0]);
        for place in 0..PLACES {
            let shift = place_of(place, self.pyramid.width(), self.pyramid.height());
            let correlation = self.correlation(&planes, shift);
            if correlation < best.0 {
                best = (correlation, shift);
            }
            if correlation <= CORRELATION_LIMIT {
                break;
            }
        }
        let [columns, rows] = best.1;
        for (plane, channel) in planes.iter_mut().zip(&self.channels) {
            *plane = plane.rolled(columns, rows).mirrored(channel.width(), channel.height());
        }
        planes
    }

    /// Components with mean zero, uncorrelated, and with the source's variances.
    fn components(&self, seed: u64) -> Vec<Vec<f64>> {
        let mut made: Vec<(usize, Vec<f64>)> = Vec::new();
        for (component, synthesizer) in self.synthesizers.iter().enumerate() {
            if let Some(synthesizer) = synthesizer {
                let seed = stream(seed, component as u64);
                let mut values = synthesizer.synthesize(seed, self.iterations).into_values();
                centre(&mut values);
                made.push((component, values));
            }
        }
        let mut columns: Vec<&mut [f64]> = made.iter_mut().map(|(_, values)| values.as_mut_slice()).collect();
        let products = {
            let columns: Vec<&[f64]> = columns.iter().map(|column| &**column).collect();
            gram(&columns, &columns)
        };
        let kept: Vec<f64> = self
            .synthesizers
            .iter()
            .zip(&self.variances)
            .filter_map(|(synthesizer, &variance)| synthesizer.as_ref().map(|_| variance))
            .collect();
        let target = Matrix::of(kept.len(), kept.len(), |i, j| if i == j { kept[i] } else { 0.0 });
        Correction::within(&products, &target).apply(&mut columns, &[]);
        let mut components: Vec<Vec<f64>> = vec![Vec::new(); self.synthesizers.len()];
        for (component, values) in made {
            components[component] = values;
        }
        components
    }

    /// Channels from components, within the range of the source's.
    fn mixed(&self, components: &[Vec<f64>]) -> Vec<Plane> {
        let limits = |channel: &Plane, pick: fn(f64, f64) -> f64| {
            channel.values().iter().copied().reduce(pick).unwrap_or(0.0)
        };
        let mix = |(index, channel): (usize, &Plane)| {
            let mut values = vec![self.means[index]; self.pyramid.width() * self.pyramid.height()];
            for (component, samples) in components.iter().enumerate() {
                let share = self.axes.at(index, component);
                for (value, sample) in values.iter_mut().zip(samples) {
                    *value += share * sample;
                }
            }
            let (low, high) = (limits(channel, f64::min), limits(channel, f64::max));
            for value in &mut values {
                *value = value.clamp(low, high);
            }
            Plane::wrap(self.pyramid.width(), self.pyramid.height(), values)
        };
        self.channels.iter().enumerate().map(mix).collect()
    }

    /// The greatest magnitude of the correlation of a channel with the source, after a shift.
    fn correlation(&self, planes: &[Plane], [columns, rows]: [usize; 2]) -> f64 {
        let one = |((plane, channel), &(middle, spread)): ((&Plane, &Plane), &(f64, f64))| {
            let (across, down) = (channel.width(), channel.height());
            // A shifted row is its end followed by its beginning.
            let end = (self.pyramid.width() - columns).min(across);
            let mut sums = Sums::default();
            for (row, line) in channel.values().chunks_exact(across).enumerate() {
                let from = &plane.values()[(row + rows) % self.pyramid.height() * self.pyramid.width()..]
                    [..self.pyramid.width()];
                let (left, right) = line.split_at(end);
                sums.add(&from[columns..columns + end], left, middle);
                sums.add(&from[..across - end], right, middle);
            }
            let count = (across * down) as f64;
            let [mean, square, cross] = [sums.sample, sums.square, sums.cross].map(|sum| sum / count);
            super::analysis::correlation(cross, square - mean * mean, spread).abs()
        };
        planes.iter().zip(&self.channels).zip(&self.spreads).map(one).fold(0.0, f64::max)
    }
}

/// Sums over pairs of samples.
#[derive(Default)]
struct Sums {
    sample: f64,
    square: f64,
    /// Of the products of samples with the source's deviations from its mean.
    cross: f64,
}

impl Sums {
    fn add(&mut self, samples: &[f64], source: &[f64], middle: f64) {
        // Separate lanes, which the processor adds at once.
        let mut lanes = [[0.0; 3]; LANES];
        let sum = |lane: &mut [f64; 3], sample: f64, source: f64| {
            lane[0] += sample;
            lane[1] += sample * sample;
            lane[2] += sample * (source - middle);
        };
        let (samples, source) = (samples.chunks(LANES), source.chunks(LANES));
        for (samples, source) in samples.zip(source) {
            for ((lane, sample), source) in lanes.iter_mut().zip(samples).zip(source) {
                sum(lane, *sample, *source);
            }
        }
        for [sample, square, cross] in lanes {
            self.sample += sample;
            self.square += square;
            self.cross += cross;
        }
    }
}

/// The correlation of two planes' samples, pixel by pixel; zero if one has no variance.
///
/// # Errors
/// [`TextureError::Mismatch`] when their sizes differ.
pub fn pixel_correlation(left: &Plane, right: &Plane) -> Result<f64, TextureError> {
    if (left.width(), left.height()) != (right.width(), right.height()) {
        return Err(TextureError::Mismatch { field: "planes" });
    }
    let moved = |plane: &Plane| {
        let middle = mean(plane.values());
        plane.values().iter().map(|value| value - middle).collect::<Vec<f64>>()
    };
    let (left, right) = (moved(left), moved(right));
    let sums = gram(&[&left, &right], &[&left, &right]);
    Ok(super::analysis::correlation(sums.at(0, 1), sums.at(0, 0), sums.at(1, 1)))
}
