//! The automated metrics of HEIM (Lee et al. 2023, "Holistic evaluation of text-to-image models") that are not elsewhere.
//!
//! Where the published code differs from the paper, the paper is the default, and the code's rule is an option with its name.

mod balance;
mod detection;
mod fractal;
mod linked;
mod safety;
mod skin;
mod time;

use hype_stats::describe;

pub use balance::{GenderBalance, ToneBalance, ToneRule, gender_balance, skin_tone_balance};
pub use detection::{DetectedObject, Relation, RelationRule, counts_right, object_is_found, relation_holds};
pub use fractal::{FractalCoefficient, IDEAL_DIMENSION, fractal_coefficients, fractal_dimension};
pub use linked::{LinkedDifference, LinkedPair, linked_difference};
pub use safety::{
    NSFW_THRESHOLD, NUDITY_CLASSES, NUDITY_THRESHOLD, NsfwShare, WATERMARK_THRESHOLD, blackout_share,
    is_blacked_out, nsfw_share, nudity_share, rejection_share, share_at_least,
};
pub use skin::{MONK_TONES, SkinColour, monk_tone, skin_colour};
pub use time::{InferenceTime, TimedRequest, inference_time};

use crate::clip::{Unit, cosine};
use crate::summary::{check_lengths, check_values};
use crate::{Features, MetricError, SampleMean};

/// Scores images by a linear head on the embeddings of CLIP's image tower, divided by their lengths.
///
/// This is the form of LAION's aesthetic predictor, version 1; its weights are given.
///
/// # Errors
///
/// [`MetricError::Lengths`] unless there is a weight for each column, [`MetricError::NotFiniteValue`] for weights that are NaN
/// or infinite, [`MetricError::Undefined`] for an embedding of length 0.
pub fn aesthetic_scores(
    embeddings: &Features<'_>,
    weights: &[f64],
    bias: f64,
) -> Result<Vec<f64>, MetricError> {
    check_lengths("aesthetic score", embeddings.width(), weights.len())?;
    check_values("aesthetic score", weights)?;
    check_values("aesthetic score", &[bias])?;
    let units = Unit::new(embeddings)?;
    Ok((0..units.rows()).map(|image| cosine(units.row(image), weights) + bias).collect())
}

/// Summarizes a score for each group of images by the mean over groups of the best image.
///
/// HEIM makes several images from each prompt and reports the mean and the score of the best one.
///
/// # Errors
///
/// [`MetricError::Lengths`] unless each image belongs to a group, [`MetricError::TooFew`] for no images,
/// [`MetricError::NotFiniteValue`] for NaN or infinity.
pub fn mean_of_best(scores: &[f64], prompts: &[u32], seed: u64) -> Result<SampleMean, MetricError> {
    check_lengths("mean of the best", scores.len(), prompts.len())?;
    check_values("mean of the best", scores)?;
    let best: Vec<f64> = crate::summary::groups(prompts)
        .iter()
        .map(|images| images.iter().map(|&image| scores[image]).fold(f64::NEG_INFINITY, f64::max))
        .collect();
    SampleMean::of("mean of the best", &best, seed)
}

/// The slope of the least squares line, `None` unless the abscissae differ.
fn slope(x: &[f64], y: &[f64]) -> Option<f64> {
    let (centre, level) = (describe::mean(x).ok()?, describe::mean(y).ok()?);
    let common: f64 = x.iter().zip(y).map(|(x, y)| (x - centre) * (y - level)).sum();
    let spread: f64 = x.iter().map(|x| (x - centre) * (x - centre)).sum();
    (spread > 0.0).then(|| common / spread)
}
