//! Scores adjusted for the subject's bias or use of the scale.

use super::ratings::OpinionRatings;
use crate::StatError;
use crate::describe::mean;

/// Bias of one subject.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct SubjectBias {
    /// Name of the subject.
    pub subject: usize,
    /// How far the subject's scores lie above the mean opinion scores of the stimuli it saw, in units
    /// of the scale.
    pub bias: f64,
}

/// Scores without the bias of their subjects.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct BiasRemoved {
    /// Bias of each subject, in the order of the table.
    pub biases: Vec<SubjectBias>,
    /// The scores minus the bias of their subjects.
    pub ratings: OpinionRatings,
}

/// Subtracts from every score the bias of its subject.
///
/// # Method
///
/// ITU-T P.913 (2021), 12.4: with ψ_j the mean of all scores of stimulus j, the bias of a subject is
/// the mean of x_ij - ψ_j over the scores it gave; it is subtracted from each of them. If cells are
/// missing the biases need not add up to zero.
///
/// # Errors
///
/// [`StatError::Degenerate`] if the scores are too large for double precision.
pub fn remove_bias(ratings: &OpinionRatings) -> Result<BiasRemoved, StatError> {
    let centres = stimulus_means(ratings)?;
    let bias = subject_bias(ratings, &centres);
    let biases = ratings.subjects().iter().zip(&bias);
    Ok(BiasRemoved {
        biases: biases.map(|(&subject, &bias)| SubjectBias { subject, bias }).collect(),
        ratings: ratings.with_scores(|place, score| score - bias[place]),
    })
}

/// Mean of the scores of each stimulus.
pub(super) fn stimulus_means(ratings: &OpinionRatings) -> Result<Vec<f64>, StatError> {
    ratings.by_stimulus().map(|(_, scores)| mean(scores)).collect()
}

/// Mean distance of each subject's scores from the centres of the stimuli.
pub(super) fn subject_bias(ratings: &OpinionRatings, centres: &[f64]) -> Vec<f64> {
    let mut totals = vec![0.0; ratings.subjects().len()];
    for ((places, scores), centre) in ratings.by_stimulus().zip(centres) {
        for (&place, score) in places.iter().zip(scores) {
            totals[place] += score - centre;
        }
    }
    for (total, count) in totals.iter_mut().zip(ratings.subject_counts()) {
        *total /= count;
    }
    totals
}

/// Scores in units of each subject's own spread.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Standardized {
    /// The z scores.
    pub ratings: OpinionRatings,
    /// Names of the subjects without z scores, as all their scores are equal.
    pub left_out: Vec<usize>,
}

/// Converts every score to the z score of its subject.
///
/// # Method
///
/// z = (x - x̄_i) / s_i with mean and standard deviation (n - 1) of all scores of the subject. A
/// subject that gives all its stimuli the same score has no z scores and is omitted.
///
/// # Errors
///
/// [`StatError::Degenerate`] if no subject has scores that differ.
pub fn standardize(ratings: &OpinionRatings) -> Result<Standardized, StatError> {
    const NAME: &str = "z scores of opinions";
    let (scores, places) = (ratings.scores(), ratings.places());
    let counts = ratings.subject_counts();
    let share = |totals: Vec<f64>, less: f64| -> Vec<f64> {
        totals.iter().zip(&counts).map(|(total, count)| total / (count - less)).collect()
    };
    let centres = share(ratings.total_by_subject(|row| scores[row]), 0.0);
    let squares = ratings.total_by_subject(|row| (scores[row] - centres[places[row]]).powi(2));
    let spreads: Vec<f64> = share(squares, 1.0).into_iter().map(f64::sqrt).collect();
    let mut extremes = vec![(f64::INFINITY, f64::NEG_INFINITY); counts.len()];
    for (&place, &score) in places.iter().zip(scores) {
        let (low, high) = extremes[place];
        extremes[place] = (low.min(score), high.max(score));
    }
    let constant: Vec<bool> = extremes.iter().map(|(low, high)| low >= high).collect();
    if spreads.iter().zip(&constant).any(|(spread, constant)| !constant && !spread.is_finite()) {
        return Err(StatError::Degenerate {
            statistic: NAME,
            reason: "the values are too large for double precision",
        });
    }
    if constant.iter().all(|&constant| constant) {
        return Err(StatError::Degenerate { statistic: NAME, reason: "no subject has scores that differ" });
    }
    let left_out = ratings.subjects().iter().zip(&constant).filter(|(_, constant)| **constant);
    let left_out = left_out.map(|(&subject, _)| subject).collect();
    let standardized = ratings.with_scores(|place, score| (score - centres[place]) / spreads[place]);
    Ok(Standardized { ratings: standardized.without(&constant)?, left_out })
}
