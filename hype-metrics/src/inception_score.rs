//! Scores from the class probabilities of a classifier: IS and CIS.
//!
//! # Method
//!
//! Salimans et al. (2016), "Improved techniques for training GANs", section 4: exp(E KL(p(y|x) ‖ p(y))), where p(y) is the mean
//! of p(y|x) over the images. Huang et al. (2018), "Multimodal unsupervised image-to-image translation", section 5.1: the
//! conditional score takes p(y) within the outputs of each input.
//!
//! # Numerics
//!
//! Logits are normalized in double precision with their greatest subtracted. A class with probability 0 contributes 0.

use hype_stats::bootstrap::IntervalEstimate;
use hype_stats::describe;

use crate::summary::check_lengths;
use crate::{Features, MetricError, SampleMean};

const NAME: &str = "IS";

/// The meaning of the columns of a classifier's output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClassOutput {
    /// Unnormalized logarithms, to which softmax is applied.
    Logits,
    /// Probabilities, each row with the sum 1.
    Probabilities,
}

/// An Inception Score.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct InceptionScore {
    /// Mean over the splits.
    pub mean: f64,
    /// Population standard deviation over the splits, as quoted by custom.
    pub standard_deviation: f64,
    /// The score of each split.
    pub splits: Vec<f64>,
}

/// Computes the Inception Score in splits.
///
/// Split i takes rows ⌊i n / s⌋ to ⌊(i + 1) n / s⌋ in the order given. The score depends on that order and on the number of
/// splits, 10 by custom: a split of few images cannot score high.
///
/// # Errors
///
/// [`MetricError::TooFew`] for fewer images than splits, [`MetricError::Parameter`] for no splits or for probabilities that are
/// negative or do not sum to 1.
///
/// # Examples
///
/// ```
/// use hype_metrics::{Features, inception_score::{ClassOutput, inception_score}};
/// // Four classes, each certain for one image.
/// let certain: Vec<f32> = (0..16).map(|place| f32::from(u8::from(place % 5 == 0))).collect();
/// let found = inception_score(&Features::new(&certain, 4)?, ClassOutput::Probabilities, 1)?;
/// assert!((found.mean - 4.0).abs() < 1e-12);
/// # Ok::<(), hype_metrics::MetricError>(())
/// ```
pub fn inception_score(
    output: &Features<'_>,
    kind: ClassOutput,
    splits: usize,
) -> Result<InceptionScore, MetricError> {
    if splits == 0 {
        return Err(MetricError::Parameter { parameter: "splits of IS", expected: "at least 1", got: 0.0 });
    }
    let rows = output.rows();
    if rows < splits {
        return Err(MetricError::TooFew { metric: NAME, needed: splits, of: "images", got: rows });
    }
    let logarithms = LogProbabilities::new(output, kind)?;
    let scores: Vec<f64> = (0..splits)
        .map(|split| {
            let chosen: Vec<usize> = (split * rows / splits..(split + 1) * rows / splits).collect();
            logarithms.mean_divergence(&chosen).exp()
        })
        .collect();
    let mean = describe::mean(&scores)?;
    let squares: Vec<f64> = scores.iter().map(|score| (score - mean) * (score - mean)).collect();
    let standard_deviation = (describe::sum(&squares) / splits as f64).sqrt();
    Ok(InceptionScore { mean, standard_deviation, splits: scores })
}

/// A conditional Inception Score.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ConditionalInceptionScore {
    /// exp of the mean divergence.
    pub score: f64,
    /// Mean over inputs of E KL(p(y|x) ‖ p(y|input)), in nats, with its interval.
    pub divergence: SampleMean,
    /// exp of the limits of the divergence: a 95 % interval of the score.
    pub interval: Option<IntervalEstimate>,
}

/// Computes the conditional Inception Score: `inputs[i]` names the input from which image i was made.
///
/// The interval is for other inputs, which are the resampled units; each input has the same weight.
///
/// # Errors
///
/// As [`inception_score`], [`MetricError::Lengths`] unless each image has an input, [`MetricError::TooFew`] for no images.
pub fn conditional_inception_score(
    output: &Features<'_>,
    kind: ClassOutput,
    inputs: &[u32],
    seed: u64,
) -> Result<ConditionalInceptionScore, MetricError> {
    check_lengths("CIS", output.rows(), inputs.len())?;
    let logarithms = LogProbabilities::new(output, kind)?;
    let divergences: Vec<f64> =
        crate::summary::groups(inputs).iter().map(|rows| logarithms.mean_divergence(rows)).collect();
    let divergence = SampleMean::of("CIS", &divergences, seed)?;
    let interval = divergence.interval.map(|limits| IntervalEstimate {
        lower: limits.lower.exp(),
        upper: limits.upper.exp(),
        level: limits.level,
    });
    Ok(ConditionalInceptionScore { score: divergence.mean.exp(), divergence, interval })
}

/// log p(y|x), row by row.
struct LogProbabilities {
    values: Vec<f64>,
    width: usize,
}

impl LogProbabilities {
    fn new(output: &Features<'_>, kind: ClassOutput) -> Result<Self, MetricError> {
        let width = output.width();
        let mut values = vec![0.0; output.rows() * width];
        for (row, target) in values.chunks_exact_mut(width).enumerate() {
            output.copy_row(row, target);
            match kind {
                ClassOutput::Logits => {
                    let greatest = target.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                    let terms: Vec<f64> = target.iter().map(|logit| (logit - greatest).exp()).collect();
                    let norm = greatest + describe::sum(&terms).ln();
                    target.iter_mut().for_each(|logit| *logit -= norm);
                }
                ClassOutput::Probabilities => {
                    let total = describe::sum(target);
                    // Single precision leaves a sum of a thousand classes within 1e-4 of 1.
                    if (total - 1.0).abs() > 1e-3 || target.iter().any(|&value| value < 0.0) {
                        return Err(MetricError::Parameter {
                            parameter: "the sum of a row of probabilities",
                            expected: "1, of values that are not negative",
                            got: total,
                        });
                    }
                    target.iter_mut().for_each(|value| *value = (*value / total).ln());
                }
            }
        }
        Ok(Self { values, width })
    }

    /// The mean of KL(p(y|x) ‖ p(y)) over rows, with p(y) their mean.
    fn mean_divergence(&self, rows: &[usize]) -> f64 {
        let row = |index: usize| &self.values[index * self.width..(index + 1) * self.width];
        let count = rows.len() as f64;
        let mut marginal = vec![0.0; self.width];
        for &index in rows {
            marginal.iter_mut().zip(row(index)).for_each(|(sum, logarithm)| *sum += logarithm.exp());
        }
        marginal.iter_mut().for_each(|sum| *sum = (*sum / count).ln());
        let divergences: Vec<f64> = rows
            .iter()
            .map(|&index| {
                let terms = row(index).iter().zip(&marginal).map(|(&logarithm, marginal)| {
                    let probability = logarithm.exp();
                    if probability > 0.0 { probability * (logarithm - marginal) } else { 0.0 }
                });
                terms.sum()
            })
            .collect();
        describe::sum(&divergences) / count
    }
}
