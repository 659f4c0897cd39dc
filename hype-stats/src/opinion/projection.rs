//! ITU-T P.910 annex E: quality, bias and inconsistency by alternating projection.

use super::adjusted::{stimulus_means, subject_bias};
use super::mean::normal_interval;
use super::ratings::OpinionRatings;
use crate::StatError;
use crate::bootstrap::IntervalEstimate;
use crate::describe::{mean, sum_by};

const NAME: &str = "alternating projection";
/// The amount that annex E adds to a subject's variance, which keeps weights finite.
const LEAST_VARIANCE: f64 = 1e-8;
/// Length of the change of the vector of qualities at which annex E stops.
const LEAST_CHANGE: f64 = 1e-8;
/// Annex E stops silently after 1000 steps, which loosely linked designs may need.
const MOST_ITERATIONS: usize = 20_000;

/// Estimated quality of one stimulus.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct StimulusQuality {
    /// Name of the stimulus.
    pub stimulus: usize,
    /// Number of scores.
    pub count: usize,
    /// The estimate ψ_j on the scale of the scores, as from a subject without bias.
    pub quality: f64,
    /// Standard error from the inconsistencies of its subjects, (Σ 1/σ_i²)^(-1/2).
    pub standard_error: f64,
    /// Standard error from the spread of the residuals of this stimulus, σ_j / √n_j. Annex E's program
    /// calls it SOS. It does not assume equal ambiguity of all stimuli.
    pub stimulus_standard_error: f64,
}

impl StimulusQuality {
    /// Normal interval of the quality from [`Self::standard_error`].
    ///
    /// # Errors
    ///
    /// [`StatError::Parameter`] for a level outside 0..1.
    pub fn interval(&self, level: f64) -> Result<IntervalEstimate, StatError> {
        normal_interval(self.quality, self.standard_error, level)
    }
}

/// Estimated parameters of one subject.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct SubjectEstimate {
    /// Name of the subject.
    pub subject: usize,
    /// Number of scores.
    pub count: usize,
    /// The bias b_i by which the subject scores above the others; the biases of all subjects add up to
    /// zero.
    pub bias: f64,
    /// Standard error of the bias, σ_i / √n_i.
    pub bias_standard_error: f64,
    /// Standard deviation of the subject's scores around quality plus bias, σ_i.
    pub inconsistency: f64,
    /// Standard error of the inconsistency from the curvature of the likelihood, σ_i / √(2 n_i).
    pub inconsistency_standard_error: f64,
}

impl SubjectEstimate {}

/// Quality of stimuli with bias and inconsistency of subjects.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct AlternatingProjection {
    /// Each stimulus, in the order of the table.
    pub stimuli: Vec<StimulusQuality>,
    /// Each subject, in the order of the table.
    pub subjects: Vec<SubjectEstimate>,
    /// Steps until the qualities converged.
    pub iterations: usize,
    /// Number of parts that no subject links. Qualities and biases of different parts are not comparable,
    /// so a number other than 1 is a fault of the design.
    pub parts: usize,
    /// Names of the subjects whose residuals vanish. Such a subject attracts all weight, and the
    /// likelihood has no maximum. This is always so for a subject with a single score. Omit such subjects
    /// with [`OpinionRatings::without_subjects`], or use [`alternating_projection_with`].
    pub vanishing: Vec<usize>,
}

/// Estimates the quality of stimuli together with each subject's bias and inconsistency.
///
/// The model is x_ijr = ψ_j + b_i + σ_i ε with standard normal ε: a careless subject gets a small weight
/// instead of being rejected.
///
/// # Method
///
/// ITU-T P.910 (2023), annex E (Li et al. 2020, "A simple model for subject behavior in subjective
/// experiments"), the alternating projection that sureal calls `Subject_MLE_Projection`. From ψ_j the
/// plain MOS and b_i the mean of x - ψ_j, the steps
///
/// - σ_i = standard deviation (n) of x - ψ_j - b_i over the subject's scores,
/// - ψ_j = Σ w_i (x - b_i) / Σ w_i over the stimulus's scores, w_i = 1 / (σ_i² + 10⁻⁸),
/// - b_i = mean of x - ψ_j over the subject's scores
///
/// repeat until ψ moves by less than 10⁻⁸ in Euclidean length; then the mean bias of the subjects is
/// moved from the biases to the qualities. The standard errors are those of sureal's two forms, from
/// σ_i and from the residuals of the stimulus.
///
/// # Errors
///
/// [`StatError::TooFew`] for fewer than two stimuli or subjects, [`StatError::Degenerate`] if the
/// scores are too large for double precision, and [`StatError::NoConvergence`] if ψ still moves after
/// 20,000 steps.
///
/// # Examples
///
/// ```
/// use hype_stats::opinion::{OpinionRatings, alternating_projection};
/// // The third subject is strict, the fourth erratic.
/// let cells = [5.0, 5.0, 4.0, 2.0, 4.0, 3.0, 2.0, 5.0, 2.0, 2.0, 1.0, 1.0, 3.0, 4.0, 2.0, 1.0];
/// let found = alternating_projection(&OpinionRatings::from_matrix(4, 4, &cells.map(Some))?)?;
/// assert!(found.subjects[2].bias < -0.5);
/// assert!(found.subjects[3].inconsistency > 1.0);
/// # Ok::<(), hype_stats::StatError>(())
/// ```
pub fn alternating_projection(ratings: &OpinionRatings) -> Result<AlternatingProjection, StatError> {
    alternating_projection_with(ratings, LEAST_VARIANCE)
}

/// [`alternating_projection`] with another variance than 10⁻⁸ added to that of each subject.
///
/// In tables of few subjects or stimuli the likelihood often has no maximum: a subject that happens to
/// fit gains weight, fits better, and ends up with all weight. A larger variance prevents this; for
/// integer scores the variance of rounding, 1/12, is a natural choice.
///
/// # Errors
///
/// As [`alternating_projection`], and [`StatError::Parameter`] for a variance that is not positive.
pub fn alternating_projection_with(
    ratings: &OpinionRatings,
    least_variance: f64,
) -> Result<AlternatingProjection, StatError> {
    if !(least_variance > 0.0 && least_variance.is_finite()) {
        return Err(StatError::Parameter {
            parameter: "least variance",
            expected: "positive and finite",
            got: least_variance,
        });
    }
    for (of, got) in [("stimuli", ratings.stimuli().len()), ("subjects", ratings.subjects().len())] {
        if got < 2 {
            return Err(StatError::TooFew { statistic: NAME, needed: 2, of, got });
        }
    }
    let counts = ratings.subject_counts();
    let mut state = State::start(ratings)?;
    let mut iterations = 0;
    loop {
        iterations += 1;
        let change = state.step(ratings, &counts, least_variance);
        if !change.is_finite() {
            return Err(StatError::Degenerate {
                statistic: NAME,
                reason: "the values are too large for double precision",
            });
        }
        if change < LEAST_CHANGE {
            break;
        }
        if iterations == MOST_ITERATIONS {
            return Err(StatError::NoConvergence { statistic: NAME, iterations });
        }
    }
    state.finish(ratings, &counts, iterations)
}

struct State {
    quality: Vec<f64>,
    bias: Vec<f64>,
    inconsistency: Vec<f64>,
    /// Standard deviation (n) of each stimulus's residuals, before the last step moved the qualities.
    stimulus_spread: Vec<f64>,
}

impl State {
    fn start(ratings: &OpinionRatings) -> Result<Self, StatError> {
        let quality = stimulus_means(ratings)?;
        let bias = subject_bias(ratings, &quality);
        Ok(Self {
            inconsistency: vec![0.0; bias.len()],
            stimulus_spread: vec![0.0; quality.len()],
            quality,
            bias,
        })
    }

    /// One round of the three projections; returns the length of the change of the qualities.
    fn step(&mut self, ratings: &OpinionRatings, counts: &[f64], least_variance: f64) -> f64 {
        let mut squares = vec![0.0; counts.len()];
        for (index, (places, scores)) in ratings.by_stimulus().enumerate() {
            let quality = self.quality[index];
            let (mut total, mut total_squares) = (0.0, 0.0);
            for (&place, score) in places.iter().zip(scores) {
                let residual = score - quality - self.bias[place];
                squares[place] += residual * residual;
                total += residual;
                total_squares += residual * residual;
            }
            // Residuals are of the size of their spread, so this form loses no digits.
            let count = scores.len() as f64;
            let centre = total / count;
            self.stimulus_spread[index] = (total_squares / count - centre * centre).max(0.0).sqrt();
        }
        // The bias of a subject is the mean of its distances, so its residuals average zero.
        for ((spread, squares), count) in self.inconsistency.iter_mut().zip(squares).zip(counts) {
            *spread = (squares / count).sqrt();
        }
        let weights: Vec<f64> =
            self.inconsistency.iter().map(|spread| (spread * spread + least_variance).recip()).collect();
        let mut changes = Vec::with_capacity(self.quality.len());
        for (index, (places, scores)) in ratings.by_stimulus().enumerate() {
            let (mut total, mut total_weights) = (0.0, 0.0);
            for (&place, score) in places.iter().zip(scores) {
                total += weights[place] * (score - self.bias[place]);
                total_weights += weights[place];
            }
            let quality = total / total_weights;
            changes.push(quality - self.quality[index]);
            self.quality[index] = quality;
        }
        self.bias = subject_bias(ratings, &self.quality);
        sum_by(changes.len(), |index| changes[index] * changes[index]).sqrt()
    }

    fn finish(
        self,
        ratings: &OpinionRatings,
        counts: &[f64],
        iterations: usize,
    ) -> Result<AlternatingProjection, StatError> {
        let vanishing: Vec<usize> = ratings
            .subjects()
            .iter()
            .zip(&self.inconsistency)
            .filter(|(_, spread)| **spread * **spread <= LEAST_VARIANCE)
            .map(|(&subject, _)| subject)
            .collect();
        let centre = mean(&self.bias)?;
        let by_stimulus = ratings.stimuli().iter().zip(ratings.by_stimulus()).enumerate();
        let stimuli = by_stimulus.map(|(index, (&stimulus, (places, _)))| {
            let precision: f64 = places.iter().map(|&place| self.inconsistency[place].powi(-2)).sum();
            StimulusQuality {
                stimulus,
                count: places.len(),
                quality: self.quality[index] + centre,
                standard_error: precision.sqrt().recip(),
                stimulus_standard_error: self.stimulus_spread[index] / (places.len() as f64).sqrt(),
            }
        });
        let subjects = ratings.subjects().iter().enumerate().map(|(place, &subject)| {
            let inconsistency = self.inconsistency[place];
            SubjectEstimate {
                subject,
                count: counts[place] as usize,
                bias: self.bias[place] - centre,
                bias_standard_error: inconsistency / counts[place].sqrt(),
                inconsistency,
                inconsistency_standard_error: inconsistency / (2.0 * counts[place]).sqrt(),
            }
        });
        Ok(AlternatingProjection {
            stimuli: stimuli.collect(),
            subjects: subjects.collect(),
            iterations,
            parts: parts(ratings),
            vanishing,
        })
    }
}

/// Number of parts of the design that share no subject.
fn parts(ratings: &OpinionRatings) -> usize {
    let mut parents: Vec<usize> = (0..ratings.subjects().len()).collect();
    let mut parts = parents.len();
    for (places, _) in ratings.by_stimulus() {
        for pair in places.windows(2) {
            let (left, right) = (root(&mut parents, pair[0]), root(&mut parents, pair[1]));
            if left != right {
                parents[left] = right;
                parts -= 1;
            }
        }
    }
    parts
}

/// The representative of all subjects linked with the one at `place`, with path halving.
fn root(parents: &mut [usize], mut place: usize) -> usize {
    while parents[place] != place {
        parents[place] = parents[parents[place]];
        place = parents[place];
    }
    place
}
