//! Perceptual distance from the activations of a network's layers: LPIPS and its diversity.
//!
//! # Method
//!
//! Zhang, Isola, Efros, Shechtman and Wang (2018), "The unreasonable effectiveness of deep features as a perceptual metric",
//! equation 1: the activations of each layer are divided by their length over channels, at each place; squared
//! differences are weighted by channel, averaged over places and added over layers.

use hype_images::Picture;
use hype_stats::describe;

use crate::{MetricError, SampleMean};

const NAME: &str = "LPIPS";
/// Added to the length of a place's activations before they are divided by it.
const EPSILON: f64 = 1e-10;
/// Subtracted from red, green and blue in -1..1 before the network.
pub const SHIFT: [f32; 3] = [-0.030, -0.088, -0.188];
/// The divisors of the shifted channels.
pub const SCALE: [f32; 3] = [0.458, 0.448, 0.450];

/// The activations of one layer for one image: planes of the channels, row by row.
#[derive(Debug, Clone, Copy)]
pub struct Layer<'a> {
    values: &'a [f32],
    channels: usize,
}

impl<'a> Layer<'a> {
    /// Takes activations of so many channels.
    ///
    /// # Errors
    ///
    /// [`MetricError::Rows`] unless all channels have the same number of places, at least one;
    /// [`MetricError::NotFinite`] for NaN or infinity, with the channel as row and the place as column.
    pub fn new(values: &'a [f32], channels: usize) -> Result<Self, MetricError> {
        if channels == 0 || values.is_empty() || !values.len().is_multiple_of(channels) {
            return Err(MetricError::Rows { values: values.len(), width: channels });
        }
        let places = values.len() / channels;
        if let Some(index) = values.iter().position(|value| !value.is_finite()) {
            let got = f64::from(values[index]);
            return Err(MetricError::NotFinite { row: index / places, column: index % places, got });
        }
        Ok(Self { values, channels })
    }

    fn places(&self) -> usize {
        self.values.len() / self.channels
    }

    /// One over the length of the activations at each place.
    fn inverse_lengths(&self) -> Vec<f64> {
        let mut squares = vec![0.0; self.places()];
        for plane in self.values.chunks_exact(self.places()) {
            for (square, &value) in squares.iter_mut().zip(plane) {
                *square += f64::from(value) * f64::from(value);
            }
        }
        squares.iter().map(|square| 1.0 / (square.sqrt() + EPSILON)).collect()
    }
}

/// The weights of the channels of each layer, none of them negative.
#[derive(Debug, Clone, Copy)]
pub struct LayerWeights<'a> {
    layers: &'a [&'a [f32]],
}

impl<'a> LayerWeights<'a> {
    /// Takes weights for each layer.
    ///
    /// # Errors
    ///
    /// [`MetricError::Parameter`] for a weight that is negative or not finite: trained weights are not, and with one the
    /// result would not be a distance.
    pub fn new(layers: &'a [&'a [f32]]) -> Result<Self, MetricError> {
        let weights = layers.iter().flat_map(|layer| layer.iter());
        match weights.copied().find(|weight| !(*weight >= 0.0 && weight.is_finite())) {
            Some(weight) => Err(MetricError::Parameter {
                parameter: "weight of a channel",
                expected: "finite and not negative",
                got: f64::from(weight),
            }),
            None => Ok(Self { layers }),
        }
    }
}

/// Prepares a picture as input of the network: levels to -1..1, less [`SHIFT`], over [`SCALE`]; planes of red, green and blue.
#[must_use]
pub fn network_input(picture: &Picture) -> Vec<f32> {
    let places = picture.pixels().len() / 3;
    let mut planes = vec![0.0; 3 * places];
    for (place, pixel) in picture.pixels().chunks_exact(3).enumerate() {
        for (channel, &level) in pixel.iter().enumerate() {
            let signed = f32::from(level) / 127.5 - 1.0;
            planes[channel * places + place] = (signed - SHIFT[channel]) / SCALE[channel];
        }
    }
    planes
}

/// Computes the perceptual distance of two images from the activations of their layers.
///
/// # Errors
///
/// [`MetricError::Lengths`] unless both images have as many layers as there are weights, each with as many channels and
/// places, [`MetricError::TooFew`] for no layers.
///
/// # Examples
///
/// ```
/// use hype_metrics::perceptual::{Layer, LayerWeights, perceptual_distance};
/// // One layer of two channels at one place: unit vectors at a right angle.
/// let (one, other) = ([Layer::new(&[2.0, 0.0], 2)?], [Layer::new(&[0.0, 0.5], 2)?]);
/// let weights = LayerWeights::new(&[&[1.0, 0.5]])?;
/// assert!((perceptual_distance(&one, &other, weights)? - 1.5).abs() < 1e-9);
/// # Ok::<(), hype_metrics::MetricError>(())
/// ```
pub fn perceptual_distance(
    left: &[Layer<'_>],
    right: &[Layer<'_>],
    weights: LayerWeights<'_>,
) -> Result<f64, MetricError> {
    if left.is_empty() {
        return Err(MetricError::TooFew { metric: NAME, needed: 1, of: "layers", got: 0 });
    }
    for (one, other) in [(left.len(), right.len()), (left.len(), weights.layers.len())] {
        crate::summary::check_lengths(NAME, one, other)?;
    }
    let mut total = 0.0;
    for ((one, other), weights) in left.iter().zip(right).zip(weights.layers) {
        crate::summary::check_lengths(NAME, one.channels, weights.len())?;
        crate::summary::check_lengths(NAME, one.channels, other.channels)?;
        crate::summary::check_lengths(NAME, one.values.len(), other.values.len())?;
        total += layer_distance(one, other, weights);
    }
    Ok(total)
}

fn layer_distance(one: &Layer<'_>, other: &Layer<'_>, weights: &[f32]) -> f64 {
    let places = one.places();
    let lengths = [one.inverse_lengths(), other.inverse_lengths()];
    let planes = one.values.chunks_exact(places).zip(other.values.chunks_exact(places));
    let sums: Vec<f64> = planes
        .zip(weights)
        .map(|((one, other), &weight)| {
            let squares: Vec<f64> = (0..places)
                .map(|place| {
                    let unit = f64::from(one[place]) * lengths[0][place];
                    let difference = unit - f64::from(other[place]) * lengths[1][place];
                    difference * difference
                })
                .collect();
            f64::from(weight) * describe::sum(&squares)
        })
        .collect();
    describe::sum(&sums) / places as f64
}

/// Summarizes the diversity of the outputs of each input: the mean perceptual distance of all their pairs.
///
/// `distances` has one entry for each input: the distances of the pairs of its outputs. The standard deviation is over inputs,
/// as DRIT reports it (Lee et al. 2018, section 5.2).
///
/// # Errors
///
/// [`MetricError::TooFew`] for no inputs or an input without pairs, [`MetricError::NotFiniteValue`] for NaN or infinity.
pub fn perceptual_diversity(distances: &[Vec<f64>], seed: u64) -> Result<SampleMean, MetricError> {
    let means = distances
        .iter()
        .map(|pairs| {
            crate::summary::check_values(NAME, pairs)?;
            if pairs.is_empty() {
                return Err(MetricError::TooFew {
                    metric: "LPIPS diversity",
                    needed: 2,
                    of: "outputs of each input",
                    got: 1,
                });
            }
            Ok(describe::mean(pairs)?)
        })
        .collect::<Result<Vec<f64>, MetricError>>()?;
    SampleMean::of("LPIPS diversity", &means, seed)
}

/// The perceptual distances of all pairs of outputs of one input.
///
/// # Errors
///
/// As [`perceptual_distance`], and [`MetricError::TooFew`] for fewer than two outputs.
pub fn pairwise_distances(
    outputs: &[Vec<Layer<'_>>],
    weights: LayerWeights<'_>,
) -> Result<Vec<f64>, MetricError> {
    if outputs.len() < 2 {
        return Err(MetricError::TooFew {
            metric: "LPIPS diversity",
            needed: 2,
            of: "outputs of each input",
            got: outputs.len(),
        });
    }
    let mut distances = Vec::with_capacity(outputs.len() * (outputs.len() - 1) / 2);
    for (index, one) in outputs.iter().enumerate() {
        for other in &outputs[index + 1..] {
            distances.push(perceptual_distance(one, other, weights)?);
        }
    }
    Ok(distances)
}
