//! ITU-R BT.500: subjects whose scores deviate from the others' on both sides.

use super::ratings::OpinionRatings;
use crate::StatError;
use crate::describe::{check_sample, mean, sum_by};

/// The measure of the spread of a stimulus's scores.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Spread {
    /// The standard deviation with n - 1, as in the recommendation.
    #[default]
    Sample,
    /// The standard deviation with n, as in sureal: somewhat more scores are extreme.
    Population,
}

/// How subjects are screened; the default is ITU-R BT.500.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Screening {
    /// The standard deviation that the limits are multiples of.
    pub spread: Spread,
}

impl Screening {
    /// Screens with the given standard deviation.
    #[must_use]
    pub const fn with_spread(mut self, spread: Spread) -> Self {
        self.spread = spread;
        self
    }
}

/// The result of screening for one subject.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct SubjectScreening {
    /// Name of the subject.
    pub subject: usize,
    /// P, the number of its scores at or above the upper limit of their stimulus.
    pub above: usize,
    /// Q, the number of its scores at or below the lower limit of their stimulus.
    pub below: usize,
    /// (P + Q) / presentations.
    pub extreme_share: f64,
    /// |P - Q| / (P + Q); `None` for a subject without extreme scores.
    pub imbalance: Option<f64>,
    /// Whether the share exceeds 0.05 and the imbalance is below 0.3.
    pub rejected: bool,
}

/// The result of screening.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Screened {
    /// Each subject, in the order of the table.
    pub subjects: Vec<SubjectScreening>,
    /// β₂ of the scores of each stimulus, in the order of the table; `None` if all are equal.
    pub kurtosis: Vec<Option<f64>>,
    /// The scores of the subjects that were not rejected.
    pub ratings: OpinionRatings,
    /// Whether the rule applied to every subject, in which case none was rejected.
    pub rule_met_all: bool,
}

/// Share of extreme scores above which a subject may be rejected.
const LARGEST_SHARE: f64 = 0.05;
/// The imbalance from which a subject is considered biased rather than erratic.
const LEAST_IMBALANCE: f64 = 0.3;
/// Relative distance within which a score lies on a limit.
///
/// Scores are small integers, so a kurtosis of exactly 2 or a score of exactly mean + 2 SD does occur,
/// and rounding must not decide the case.
const ROUNDING: f64 = 1e-12;

/// Rejects subjects whose scores are often extreme on both sides.
///
/// A subject that is always strict or lenient is not rejected: its extremes lie on one side. The
/// recommendation applies the procedure once, not until no subject is rejected.
///
/// # Method
///
/// ITU-R BT.500-15, annex 1, 2.3 (screening of observers): for each stimulus with mean ū, standard
/// deviation S and kurtosis β₂ = m₄ / m₂², the limits are ū ± 2 S if 2 ≤ β₂ ≤ 4 and ū ± √20 S
/// otherwise. For each subject P counts the scores at or above the upper limit and Q those at or below
/// the lower one; a subject is rejected if (P + Q) / (J K R) > 0.05 and |P - Q| / (P + Q) < 0.3, J K R
/// being the number of presentations.
///
/// A stimulus whose scores are all equal has no extreme ones. Were all subjects to be rejected, none
/// is.
///
/// # Errors
///
/// [`StatError::TooFew`] for fewer than two subjects, [`StatError::Degenerate`] if the scores are too
/// large for double precision.
///
/// # Examples
///
/// ```
/// use hype_stats::opinion::{OpinionRatings, Screening, screen};
/// let cells = [5.0, 5.0, 4.0, 2.0, 1.0, 2.0].map(Some);
/// let screened = screen(&OpinionRatings::from_matrix(2, 3, &cells)?, Screening::default())?;
/// assert_eq!(screened.ratings.subjects().len(), 3);
/// # Ok::<(), hype_stats::StatError>(())
/// ```
pub fn screen(ratings: &OpinionRatings, screening: Screening) -> Result<Screened, StatError> {
    const NAME: &str = "screening of subjects";
    let subjects = ratings.subjects();
    if subjects.len() < 2 {
        return Err(StatError::TooFew { statistic: NAME, needed: 2, of: "subjects", got: subjects.len() });
    }
    check_sample(NAME, ratings.scores(), 1)?;
    let mut counts = vec![(0_usize, 0_usize); subjects.len()];
    let mut kurtosis = Vec::with_capacity(ratings.stimuli().len());
    for (places, scores) in ratings.by_stimulus() {
        let limits = Limits::of(scores, screening.spread)?;
        kurtosis.push(limits.as_ref().map(|limits| limits.kurtosis));
        let Some(Limits { low, high, .. }) = limits else { continue };
        for (&place, &score) in places.iter().zip(scores) {
            counts[place].0 += usize::from(score >= high);
            counts[place].1 += usize::from(score <= low);
        }
    }
    let design = (ratings.stimuli().len() * ratings.repetitions()) as f64;
    let mut found: Vec<SubjectScreening> = subjects
        .iter()
        .zip(counts)
        .map(|(&subject, (above, below))| {
            let extreme = (above + below) as f64;
            let extreme_share = extreme / design;
            let imbalance = (extreme > 0.0).then(|| above.abs_diff(below) as f64 / extreme);
            let rejected = extreme_share > LARGEST_SHARE
                && imbalance.is_some_and(|imbalance| imbalance < LEAST_IMBALANCE);
            SubjectScreening { subject, above, below, extreme_share, imbalance, rejected }
        })
        .collect();
    let rule_met_all = found.iter().all(|subject| subject.rejected);
    if rule_met_all {
        for subject in &mut found {
            subject.rejected = false;
        }
    }
    let dropped: Vec<bool> = found.iter().map(|subject| subject.rejected).collect();
    Ok(Screened { subjects: found, kurtosis, ratings: ratings.without(&dropped)?, rule_met_all })
}

/// Kurtosis of a stimulus's scores and the limits beyond which a score is extreme.
struct Limits {
    kurtosis: f64,
    low: f64,
    high: f64,
}

impl Limits {
    /// `None` if all scores are equal.
    fn of(scores: &[f64], spread: Spread) -> Result<Option<Self>, StatError> {
        let centre = mean(scores)?;
        let count = scores.len() as f64;
        let moment = |power: i32| sum_by(scores.len(), |index| (scores[index] - centre).powi(power)) / count;
        let constant = scores.iter().all(|score| score.total_cmp(&scores[0]).is_eq());
        let second = if constant { 0.0 } else { moment(2) };
        let kurtosis = moment(4) / (second * second);
        if second <= 0.0 {
            return Ok(None);
        }
        if !kurtosis.is_finite() {
            return Err(StatError::Degenerate {
                statistic: "screening of subjects",
                reason: "the values are too large or too close for double precision",
            });
        }
        let variance = match spread {
            Spread::Sample => second * count / (count - 1.0),
            Spread::Population => second,
        };
        let normal = (2.0 * (1.0 - ROUNDING)..=4.0 * (1.0 + ROUNDING)).contains(&kurtosis);
        let reach = if normal { 2.0 } else { 20.0_f64.sqrt() } * variance.sqrt();
        let slack = ROUNDING * (centre.abs() + reach);
        Ok(Some(Self { kurtosis, low: centre - reach + slack, high: centre + reach - slack }))
    }
}
