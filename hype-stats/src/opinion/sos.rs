//! The dependence of the spread of opinions on their mean.

use super::mean::StimulusScore;
use crate::StatError;
use crate::describe::sum_by;

/// The fit of the SOS hypothesis to the stimuli of a test.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct SosHypothesis {
    /// The parameter a: 0 if all subjects agree, 1 if they only use the ends of the scale.
    pub a: f64,
    /// Root mean square of SOS² - a (MOS - L)(H - MOS) over the stimuli, in squared units of the scale.
    pub residual: f64,
    /// Number of stimuli with a spread, from two scores or more.
    pub stimuli: usize,
}

/// Fits the variance of opinions as a function of their mean.
///
/// # Method
///
/// Hossfeld, Schatz and Egger (2011), "SOS: The MOS is not enough!": SOS² = a (MOS - L)(H - MOS) on a
/// scale from L to H, which bounds the variance at a = 1. The parameter is the least-squares estimate,
/// a = Σ SOS_j² g_j / Σ g_j² with g = (MOS - L)(H - MOS), over stimuli with two scores or more. With
/// the sample variance it may exceed 1 by n / (n - 1).
///
/// # Errors
///
/// [`StatError::Parameter`] if the scale is empty or a mean lies outside it, [`StatError::TooFew`] if
/// no stimulus has two scores, and [`StatError::Degenerate`] if all means lie at the ends of the scale.
///
/// # Examples
///
/// ```
/// use hype_stats::opinion::{OpinionRatings, mean_opinion_scores, sos_hypothesis};
/// let cells = [2.0, 3.0, 4.0, 4.0, 5.0, 4.0].map(Some);
/// let scores = mean_opinion_scores(&OpinionRatings::from_matrix(2, 3, &cells)?)?;
/// let fit = sos_hypothesis(&scores, (1.0, 5.0))?;
/// assert!(fit.a > 0.1 && fit.a < 0.3);
/// # Ok::<(), hype_stats::StatError>(())
/// ```
pub fn sos_hypothesis(stimuli: &[StimulusScore], scale: (f64, f64)) -> Result<SosHypothesis, StatError> {
    const NAME: &str = "SOS hypothesis";
    let (low, high) = scale;
    let width = high - low;
    if !(width > 0.0 && width.is_finite()) {
        return Err(StatError::Parameter {
            parameter: "width of the scale",
            expected: "positive and finite",
            got: width,
        });
    }
    let points: Vec<(f64, f64)> =
        stimuli.iter().filter_map(|stimulus| Some((stimulus.mos, stimulus.sos?))).collect();
    // A mean of equal scores may round to just outside the scale.
    let slack = 1e-12 * width;
    if let Some(&(mos, _)) = points.iter().find(|(mos, _)| !(low - slack..=high + slack).contains(mos)) {
        return Err(StatError::Parameter {
            parameter: "mean opinion score",
            expected: "within the scale",
            got: mos,
        });
    }
    if points.is_empty() {
        return Err(StatError::TooFew { statistic: NAME, needed: 1, of: "stimuli with two scores", got: 0 });
    }
    let bound = |mos: f64| ((mos - low) * (high - mos)).max(0.0);
    let squares = sum_by(points.len(), |index| bound(points[index].0).powi(2));
    if squares <= 0.0 {
        return Err(StatError::Degenerate {
            statistic: NAME,
            reason: "all means lie at the ends of the scale",
        });
    }
    let products = sum_by(points.len(), |index| points[index].1.powi(2) * bound(points[index].0));
    let a = products / squares;
    let rest = sum_by(points.len(), |index| {
        let (mos, sos) = points[index];
        (sos * sos - a * bound(mos)).powi(2)
    });
    let residual = (rest / points.len() as f64).sqrt();
    Ok(SosHypothesis { a, residual, stimuli: points.len() })
}
