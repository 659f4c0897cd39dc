//! Mean opinion scores and the spread around them.

use super::ratings::OpinionRatings;
use crate::StatError;
use crate::anova::Group;
use crate::bootstrap::IntervalEstimate;
use crate::distributions::{StudentT, check_level, normal_upper_quantile};

/// Mean and spread of the scores of one stimulus.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct StimulusScore {
    /// Name of the stimulus.
    pub stimulus: usize,
    /// Number of scores.
    pub count: usize,
    /// Mean opinion score.
    pub mos: f64,
    /// Standard deviation of opinion scores (n - 1); `None` for a single score.
    pub sos: Option<f64>,
    /// Standard error of the mean, SOS / √n; `None` for a single score.
    pub standard_error: Option<f64>,
}

impl StimulusScore {
    fn of(stimulus: usize, scores: &[f64]) -> Result<Self, StatError> {
        let count = scores.len();
        if count < 2 {
            let mos = crate::describe::mean(scores)?;
            return Ok(Self { stimulus, count, mos, sos: None, standard_error: None });
        }
        let group = Group::of(scores)?;
        let largest = scores.iter().fold(0.0_f64, |largest, score| largest.max(score.abs()));
        // The spread of equal scores after an adjustment is due to rounding, and must not count.
        let sos = group.variance.sqrt();
        let sos = if sos <= 1e-13 * largest { 0.0 } else { sos };
        let standard_error = Some(sos / (count as f64).sqrt());
        Ok(Self { stimulus, count, mos: group.mean, sos: Some(sos), standard_error })
    }

    /// Interval of the mean by Student's t with n - 1 degrees of freedom.
    ///
    /// # Errors
    ///
    /// [`StatError::TooFew`] for a single score, [`StatError::Parameter`] for a level outside 0..1.
    pub fn student_interval(&self, level: f64) -> Result<IntervalEstimate, StatError> {
        check_level(level)?;
        let error = self.error()?;
        let deviate = StudentT::new((self.count - 1) as f64)?.upper_quantile(0.5 * (1.0 - level))?;
        Ok(symmetric(self.mos, deviate * error, level))
    }

    fn error(&self) -> Result<f64, StatError> {
        self.standard_error.ok_or(StatError::TooFew {
            statistic: "interval of a mean opinion score",
            needed: 2,
            of: "scores",
            got: self.count,
        })
    }
}

pub(super) fn normal_interval(centre: f64, error: f64, level: f64) -> Result<IntervalEstimate, StatError> {
    check_level(level)?;
    Ok(symmetric(centre, normal_upper_quantile(0.5 * (1.0 - level))? * error, level))
}

const fn symmetric(centre: f64, margin: f64, level: f64) -> IntervalEstimate {
    IntervalEstimate { lower: centre - margin, upper: centre + margin, level }
}

/// Computes the mean opinion score of every stimulus and the spread of its scores, in the order of the table.
///
/// # Method
///
/// MOS_j is the mean of all scores of a stimulus, over subjects and repetitions, and SOS_j their
/// standard deviation (n - 1) (ITU-T P.800.1; P.913, 12). Scores may be adjusted beforehand by
/// [`remove_bias`](super::remove_bias) or [`standardize`](super::standardize), and subjects screened by the adjusted scores
/// with [`screen`](super::screen): bias removal with screening is P.913's, 12.4.
///
/// # Errors
///
/// [`StatError::Degenerate`] if the scores are too large for double precision.
///
/// # Examples
///
/// ```
/// use hype_stats::opinion::{OpinionRatings, mean_opinion_scores};
/// let cells = [Some(5.0), Some(4.0), Some(3.0), Some(1.0), None, Some(2.0)];
/// let scores = mean_opinion_scores(&OpinionRatings::from_matrix(2, 3, &cells)?)?;
/// assert_eq!((scores[0].mos, scores[0].sos), (4.0, Some(1.0)));
/// assert_eq!((scores[1].mos, scores[1].count), (1.5, 2));
/// # Ok::<(), hype_stats::StatError>(())
/// ```
pub fn mean_opinion_scores(ratings: &OpinionRatings) -> Result<Vec<StimulusScore>, StatError> {
    let stimuli = ratings.stimuli().iter().zip(ratings.by_stimulus());
    stimuli.map(|(&stimulus, (_, scores))| StimulusScore::of(stimulus, scores)).collect()
}
