//! Mean opinion scores and the spread around them.

use super::adjusted::{SubjectBias, remove_bias, standardize};
use super::ratings::OpinionRatings;
use super::screening::{Screening, SubjectScreening, screen};
use crate::StatError;
use crate::anova::Group;
use crate::bootstrap::IntervalEstimate;
use crate::distributions::{StudentT, check_level, normal_upper_quantile};

/// How scores are adjusted before they are averaged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum ScoreAdjustment {
    /// None: the plain mean opinion score.
    #[default]
    Plain,
    /// [`standardize`]: z scores of each subject.
    Standardized,
    /// [`remove_bias`]: each score minus the bias of its subject.
    BiasRemoved,
}

/// How scores become mean opinion scores: adjusted first, then screened; the default is neither.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Protocol {
    /// The adjustment of the scores.
    pub adjustment: ScoreAdjustment,
    /// How subjects are screened by the adjusted scores; `None` for no screening.
    pub screening: Option<Screening>,
}

impl Protocol {
    /// Adjusts the scores first.
    #[must_use]
    pub const fn with_adjustment(mut self, adjustment: ScoreAdjustment) -> Self {
        self.adjustment = adjustment;
        self
    }

    /// Omits the subjects that screening rejects.
    #[must_use]
    pub const fn with_screening(mut self, screening: Screening) -> Self {
        self.screening = Some(screening);
        self
    }
}

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

    /// Interval of the mean by the normal distribution, as in ITU-R BT.500; too narrow for few scores.
    ///
    /// # Errors
    ///
    /// As [`Self::student_interval`].
    pub fn normal_interval(&self, level: f64) -> Result<IntervalEstimate, StatError> {
        let error = self.error()?;
        normal_interval(self.mos, error, level)
    }

    fn error(&self) -> Result<f64, StatError> {
        self.standard_error.ok_or(StatError::TooFew {
            statistic: "interval of a mean opinion score",
            needed: 2,
            of: "scores",
            got: self.count,
        })
    }

    /// Σ ln of the normal density of the scores around their mean; 0 if they are all equal.
    fn log_likelihood(&self) -> f64 {
        let count = self.count as f64;
        match self.sos {
            Some(sos) if sos > 0.0 => -count * (sos.ln() + LN_SQRT_TWO_PI) - 0.5 * (count - 1.0),
            _ => 0.0,
        }
    }
}

/// ln √(2π).
pub(super) const LN_SQRT_TWO_PI: f64 = 0.918_938_533_204_672_8;

pub(super) fn normal_interval(centre: f64, error: f64, level: f64) -> Result<IntervalEstimate, StatError> {
    check_level(level)?;
    Ok(symmetric(centre, normal_upper_quantile(0.5 * (1.0 - level))? * error, level))
}

const fn symmetric(centre: f64, margin: f64, level: f64) -> IntervalEstimate {
    IntervalEstimate { lower: centre - margin, upper: centre + margin, level }
}

/// The fit of a model of scores, in nats per score, so that tables of different size
/// compare.
///
/// # Method
///
/// As reported by sureal: the number of parameters is divided by the number N of scores before
/// screening and counts the parameters of a subject once for each repetition; the log-likelihood is
/// averaged over the scores after screening. AIC = 2 k/N - 2 L, BIC = ln N · k/N - 2 L. The likelihood
/// of adjusted scores differs from that of plain ones, so only models with the same adjustment are
/// comparable.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Information {
    /// Mean log-likelihood of a score.
    pub log_likelihood: f64,
    /// Parameters for each score.
    pub degrees_of_freedom: f64,
    /// Akaike's criterion for each score, smaller is better.
    pub aic: f64,
    /// Schwarz's criterion for each score, smaller is better.
    pub bic: f64,
}

impl Information {
    /// From the mean log-likelihood, the number of parameters and of all scores.
    pub(super) fn new(log_likelihood: f64, parameters: f64, scores: f64) -> Self {
        let degrees_of_freedom = parameters / scores;
        Self {
            log_likelihood,
            degrees_of_freedom,
            aic: 2.0 * degrees_of_freedom - 2.0 * log_likelihood,
            bic: scores.ln() * degrees_of_freedom - 2.0 * log_likelihood,
        }
    }
}

/// Mean opinion scores of all stimuli.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct MeanOpinion {
    /// Each stimulus with remaining scores, in the order of the table.
    pub stimuli: Vec<StimulusScore>,
    /// Bias of each subject if it was removed, otherwise empty.
    pub biases: Vec<SubjectBias>,
    /// The result of screening for each subject, empty without screening.
    pub screening: Vec<SubjectScreening>,
    /// Names of the subjects without z scores, as all their scores are equal.
    pub left_out: Vec<usize>,
    /// The fit of the means and standard deviations of the stimuli. Stimuli whose scores are all equal
    /// are omitted from the likelihood, which would be unbounded.
    pub information: Information,
}

/// Computes the mean opinion score of every stimulus and the spread of its scores.
///
/// # Method
///
/// MOS_j is the mean of all scores of a stimulus, over subjects and repetitions, and SOS_j their
/// standard deviation (n - 1) (ITU-T P.800.1; P.913, 12). Beforehand, according to [`Protocol`], scores
/// are adjusted by subject, and subjects are screened by the adjusted scores: bias removal with
/// screening is P.913's, 12.4.
///
/// # Errors
///
/// Those of [`standardize`], [`remove_bias`] and [`screen`] if they are used, and
/// [`StatError::Degenerate`] if the scores are too large for double precision.
///
/// # Examples
///
/// ```
/// use hype_stats::opinion::{Protocol, OpinionRatings, mean_opinion_scores};
/// let cells = [Some(5.0), Some(4.0), Some(3.0), Some(1.0), None, Some(2.0)];
/// let opinion = mean_opinion_scores(&OpinionRatings::from_matrix(2, 3, &cells)?, Protocol::default())?;
/// assert_eq!((opinion.stimuli[0].mos, opinion.stimuli[0].sos), (4.0, Some(1.0)));
/// assert_eq!((opinion.stimuli[1].mos, opinion.stimuli[1].count), (1.5, 2));
/// # Ok::<(), hype_stats::StatError>(())
/// ```
pub fn mean_opinion_scores(ratings: &OpinionRatings, protocol: Protocol) -> Result<MeanOpinion, StatError> {
    let (mut biases, mut left_out, mut screening) = (Vec::new(), Vec::new(), Vec::new());
    let mut parameters = 2 * ratings.stimuli().len();
    let mut used = match protocol.adjustment {
        ScoreAdjustment::Plain => ratings.clone(),
        ScoreAdjustment::Standardized => {
            let standardized = standardize(ratings)?;
            left_out = standardized.left_out;
            standardized.ratings
        }
        ScoreAdjustment::BiasRemoved => {
            let removed = remove_bias(ratings)?;
            biases = removed.biases;
            parameters += ratings.subjects().len() * ratings.repetitions();
            removed.ratings
        }
    };
    if let Some(how) = protocol.screening {
        let screened = screen(&used, how)?;
        screening = screened.subjects;
        used = screened.ratings;
    }
    let stimuli = used
        .stimuli()
        .iter()
        .zip(used.by_stimulus())
        .map(|(&stimulus, (_, scores))| StimulusScore::of(stimulus, scores))
        .collect::<Result<Vec<_>, StatError>>()?;
    let log_likelihood = stimuli.iter().map(StimulusScore::log_likelihood).sum::<f64>() / used.len() as f64;
    let information = Information::new(log_likelihood, parameters as f64, ratings.len() as f64);
    Ok(MeanOpinion { stimuli, biases, screening, left_out, information })
}
