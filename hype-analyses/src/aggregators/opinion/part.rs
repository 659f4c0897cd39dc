//! Groups of models that share raters, which are analysed together.

use std::collections::HashMap;

use hype_stats::StatError;
use hype_stats::opinion::{
    AlternatingProjection, OpinionRatings, RatingsBuilder, Screened, Screening, StimulusScore,
    alternating_projection, mean_opinion_scores, remove_bias, screen, standardize,
};

use super::{AdjustmentRule, OpinionScores, ScreeningRule};
use crate::aggregators::rated::Rating;

/// A model's output for an item, by their numbers.
pub(super) type Stimulus = (usize, usize);

/// Ratings of models that share raters.
pub(super) struct Part {
    /// The stimuli behind the numbers in the ratings below.
    pub(super) stimuli: Vec<Stimulus>,
    /// The unadjusted scores.
    pub(super) given: OpinionRatings,
    /// Each rating, with the position of its stimulus.
    pub(super) rows: Vec<(usize, Rating)>,
}

/// The analysis of a group of models.
pub(super) struct Analysed {
    pub(super) part: Part,
    /// Adjusted scores of the included raters, and the names of raters without any.
    pub(super) adjusted: Result<Adjusted, StatError>,
    /// The outcome of BT.500 for the adjusted scores, whether it is applied or not.
    pub(super) screened: Result<Screened, StatError>,
    /// Numbers of the raters who fail the screening, ascending.
    pub(super) rejected: Vec<usize>,
    /// Means and spreads of the adjusted scores without the rejected raters.
    pub(super) opinion: Result<Vec<StimulusScore>, StatError>,
    /// Means and spreads of the unadjusted scores.
    pub(super) plain: Result<Vec<StimulusScore>, StatError>,
    /// The mean distance of each rater's scores from the stimuli's means, by number.
    pub(super) biases: HashMap<usize, f64>,
    /// P.910's model of all raters.
    pub(super) projection: Result<AlternatingProjection, StatError>,
    /// P.910's model without the rejected raters; `None` if no rater is rejected.
    pub(super) projection_of_kept: Option<Result<AlternatingProjection, StatError>>,
}

/// Adjusted scores.
pub(super) struct Adjusted {
    pub(super) ratings: OpinionRatings,
    /// Raters without z scores.
    pub(super) left_out: Vec<usize>,
}

impl Part {
    /// The parts of ratings in their order, that of their first models.
    pub(super) fn all(models: usize, ratings: &[Rating]) -> Result<Vec<Self>, StatError> {
        let part_of = connected(models, ratings);
        let mut rows: Vec<Vec<Rating>> = vec![Vec::new(); models];
        for rating in ratings {
            rows[part_of[rating.model]].push(*rating);
        }
        rows.into_iter().filter(|rows| !rows.is_empty()).map(Self::of).collect()
    }

    /// The part of ratings in their order.
    fn of(ratings: Vec<Rating>) -> Result<Self, StatError> {
        let mut stimuli: Vec<Stimulus> = Vec::new();
        let mut builder = RatingsBuilder::new();
        let mut rows = Vec::with_capacity(ratings.len());
        let mut before = None;
        let mut repetition = 0;
        for rating in ratings {
            let stimulus = (rating.model, rating.item);
            if stimuli.last() != Some(&stimulus) {
                stimuli.push(stimulus);
            }
            let key = (stimulus, rating.rater);
            repetition = if before.replace(key) == Some(key) { repetition + 1 } else { 0 };
            builder.add(stimuli.len() - 1, rating.rater, repetition, rating.value)?;
            rows.push((stimuli.len() - 1, rating));
        }
        Ok(Self { stimuli, given: builder.build()?, rows })
    }

    /// Whether every rater scored every stimulus.
    pub(super) fn is_complete(&self) -> bool {
        let mut cells =
            self.rows.iter().map(|(stimulus, rating)| (*stimulus, rating.rater)).collect::<Vec<_>>();
        cells.dedup();
        cells.len() == self.stimuli.len() * self.given.subjects().len()
    }
}

impl Analysed {
    pub(super) fn of(part: Part, settings: &OpinionScores, screening: ScreeningRule) -> Self {
        let given = &part.given;
        let removed = remove_bias(given);
        let biases = removed.as_ref().map_or_else(
            |_| HashMap::new(),
            |removed| removed.biases.iter().map(|one| (one.subject, one.bias)).collect(),
        );
        let as_they_are = |ratings: OpinionRatings| Adjusted { ratings, left_out: Vec::new() };
        let adjusted = match settings.adjust {
            AdjustmentRule::None => Ok(as_they_are(given.clone())),
            AdjustmentRule::BiasRemoved => removed.map(|removed| as_they_are(removed.ratings)),
            AdjustmentRule::ZScores => {
                standardize(given).map(|z| Adjusted { ratings: z.ratings, left_out: z.left_out })
            }
        };
        let screened = match &adjusted {
            Ok(adjusted) => screen(&adjusted.ratings, Screening::default()),
            Err(error) => Err(error.clone()),
        };
        let rejected: Vec<usize> = match &screened {
            Ok(found) if screening != ScreeningRule::None => {
                found.subjects.iter().filter(|one| one.rejected).map(|one| one.subject).collect()
            }
            _ => Vec::new(),
        };
        let adjusted = adjusted.and_then(|all| {
            Ok(Adjusted { ratings: all.ratings.without_subjects(&rejected)?, left_out: all.left_out })
        });
        let opinion = match &adjusted {
            Ok(adjusted) => mean_opinion_scores(&adjusted.ratings),
            Err(error) => Err(error.clone()),
        };
        let score_rows = given.without_subjects(&rejected);
        let plain = score_rows.clone().and_then(|score_rows| mean_opinion_scores(&score_rows));
        let projection_of_kept =
            (!rejected.is_empty()).then(|| score_rows.and_then(|kept| alternating_projection(&kept)));
        let projection = alternating_projection(given);
        Self { adjusted, screened, rejected, opinion, plain, biases, projection, projection_of_kept, part }
    }

    /// P.910's model of the included raters.
    pub(super) fn counted_projection(&self) -> &Result<AlternatingProjection, StatError> {
        self.projection_of_kept.as_ref().unwrap_or(&self.projection)
    }

    pub(super) fn is_rejected(&self, rater: usize) -> bool {
        self.rejected.binary_search(&rater).is_ok()
    }
}

/// For each model, the first model with which it shares raters, directly or through others.
fn connected(models: usize, ratings: &[Rating]) -> Vec<usize> {
    let mut first: Vec<usize> = (0..models).collect();
    let mut model_of: HashMap<usize, usize> = HashMap::new();
    for rating in ratings {
        let known = *model_of.entry(rating.rater).or_insert(rating.model);
        let (one, other) = (first[known], first[rating.model]);
        if one != other {
            let (low, high) = (one.min(other), one.max(other));
            first.iter_mut().filter(|part| **part == high).for_each(|part| *part = low);
        }
    }
    first
}
