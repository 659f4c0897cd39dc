//! Analyses of single models and of all models together.

use std::collections::HashMap;

use hype_stats::components::{
    self, DecisionStudy, ModelMean, Observation, ReliabilityCoefficient, Responses, Source, raters_needed,
    variance_components,
};
use hype_stats::{StatError, describe};

use super::Components;
use crate::aggregators::rated::Rating;
use crate::score_rows::distinct;

/// The reliability for which the needed number of raters is reported.
pub(super) const RELIABILITY: f64 = 0.8;

/// The analysis of one model, or of all models together.
pub(super) struct Analysis {
    /// The model; `None` for all together.
    pub(super) model: Option<usize>,
    pub(super) found: Result<components::VarianceComponents, StatError>,
    pub(super) raters: u64,
    pub(super) items: u64,
    /// The typical number of raters of an item.
    pub(super) raters_of_item: usize,
}

/// Reliability of the models' means.
pub(super) struct OfModels {
    pub(super) variance: f64,
    pub(super) relative_error: f64,
    pub(super) absolute_error: f64,
    pub(super) generalizability: Option<f64>,
    pub(super) dependability: Option<f64>,
}

impl Components {
    /// The requested analyses, and whether a joint analysis was impossible because the models share nothing. Items of clusters have
    /// none, as there is no component of clusters.
    pub(super) fn analyses(&self, ratings: &[Rating], are_clusters: bool) -> (Vec<Analysis>, bool) {
        let mut models: Vec<usize> = ratings.iter().map(|rating| rating.model).collect();
        models.dedup();
        let linked = models.len() < 2 || share(ratings, |one| one.rater) || share(ratings, |one| one.item);
        let each = models.iter().map(|&model| {
            let own: Vec<Rating> = ratings.iter().filter(|rating| rating.model == model).copied().collect();
            Analysis::of(Some(model), &own, are_clusters)
        });
        let together = (models.len() > 1 && linked).then(|| Analysis::of(None, ratings, are_clusters));
        (each.chain(together).collect(), !linked)
    }
}

impl Analysis {
    fn of(model: Option<usize>, ratings: &[Rating], are_clusters: bool) -> Self {
        let responses = Responses::new(ratings.iter().map(|rating| Observation {
            model: rating.model,
            rater: rating.rater,
            item: rating.item,
            value: rating.value,
        }));
        Self {
            model,
            found: check_independence(are_clusters)
                .and_then(|()| check_evenness(ratings))
                .and(responses)
                .and_then(|responses| variance_components(&responses)),
            raters: distinct(ratings.iter().map(|rating| rating.rater)),
            items: distinct(ratings.iter().map(|rating| rating.item)),
            raters_of_item: typical_raters(ratings),
        }
    }

    /// The mean of a model, if this analysis has one.
    pub(super) fn mean_of(&self, model: usize) -> Option<&ModelMean> {
        self.found.as_ref().ok()?.models.iter().find(|mean| mean.model == model)
    }

    /// Reliability of the mean of an item.
    pub(super) fn of_items(&self) -> Option<DecisionStudy> {
        self.found.as_ref().ok()?.decision_study(self.raters_of_item).ok()
    }

    /// Minimum number of raters of an item whose mean compares items reliably.
    pub(super) fn raters_needed(&self) -> Option<usize> {
        let found = self.found.as_ref().ok()?;
        let variance = |source| found.of(source).map_or(0.0, |component| component.variance);
        raters_needed(
            variance(Source::Item) + variance(Source::ModelByItem),
            variance(Source::Rater) + variance(Source::ModelByRater),
            variance(Source::Residual) + variance(Source::RaterByItem),
            RELIABILITY,
            ReliabilityCoefficient::Generalizability,
        )
        .ok()
    }

    /// Reliability of the models' means; `None` for a single model.
    pub(super) fn of_models(&self) -> Option<OfModels> {
        let found = self.found.as_ref().ok()?;
        let means: Vec<f64> = found.models.iter().map(|model| model.mean).collect();
        let spread = describe::variance(&means).ok()?;
        let half = |error: f64| 0.5 * error * error;
        let relative: Vec<f64> = found.differences.iter().map(|pair| half(pair.standard_error)).collect();
        let absolute: Vec<f64> =
            found.models.iter().map(|model| model.standard_error * model.standard_error).collect();
        let (relative_error, absolute_error) =
            (describe::mean(&relative).ok()?, describe::mean(&absolute).ok()?);
        let variance = (spread - relative_error).max(0.0);
        let share = |error: f64| {
            let total = variance + error;
            (total > 0.0).then(|| variance / total)
        };
        Some(OfModels {
            variance,
            relative_error,
            absolute_error,
            generalizability: share(relative_error),
            dependability: share(absolute_error),
        })
    }
}

/// Refuses items that are in clusters.
fn check_independence(are_clusters: bool) -> Result<(), StatError> {
    let reason = "items share prompts or other clusters, for which there is no component; use the aggregator `by_model`";
    match are_clusters {
        true => Err(StatError::Degenerate { statistic: "variance components", reason }),
        false => Ok(()),
    }
}

/// Refuses components where one rater has nearly all responses: with the number of responses n of each rater, (Σ n²)² / Σ n⁴ is
/// below 2. Then differences between raters rest on a few responses, which iterations overrate.
fn check_evenness(ratings: &[Rating]) -> Result<(), StatError> {
    let mut counts: HashMap<usize, f64> = HashMap::new();
    ratings.iter().for_each(|rating| *counts.entry(rating.rater).or_default() += 1.0);
    let (mut squares, mut fourth) = (0.0, 0.0);
    for count in counts.values() {
        squares += count * count;
        fourth += (count * count) * (count * count);
    }
    if counts.len() < 2 || squares * squares >= 2.0 * fourth {
        return Ok(());
    }
    Err(StatError::Degenerate {
        statistic: "variance components",
        reason: "one of the raters has nearly all responses",
    })
}

/// Whether two models have a rater, or an item, in common.
fn share(ratings: &[Rating], of: impl Fn(&Rating) -> usize) -> bool {
    let mut first: HashMap<usize, usize> = HashMap::new();
    ratings.iter().any(|rating| *first.entry(of(rating)).or_insert(rating.model) != rating.model)
}

/// The rounded harmonic mean of the number of raters per output; at least 1.
fn typical_raters(ratings: &[Rating]) -> usize {
    let groups = ratings.chunk_by(|a, b| (a.model, a.item) == (b.model, b.item));
    let counts: Vec<f64> =
        groups.map(|group| distinct(group.iter().map(|rating| rating.rater)) as f64).collect();
    let inverse: f64 = counts.iter().map(|count| count.recip()).sum();
    ((counts.len() as f64 / inverse).round() as usize).max(1)
}
