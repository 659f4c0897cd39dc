//! From rows of scores to the findings of `consensus`.

use std::sync::Arc;

use hype_core::model::findings::{Estimate, Exclusion, MeasureFindings, Note, WithExcluded};
use hype_core::{AggregateError, Aggregated, Measure, Streams};
use hype_stats::bootstrap::mean as bootstrap_mean;
use hype_stats::{StatError, describe};

use super::fit::{Fitted, Sample};
use super::tables::{consensus_table, raters_table, shares_table};
use super::{Consensus, ConsensusMethod};
use crate::aggregators::inference::no_interval;
use crate::aggregators::ordering::best_first;
use crate::aggregators::rated::{Rated, Rating, of_each_measure};
use crate::aggregators::resampling::Bootstrap;
use crate::score_rows::ScoreRows;
use crate::score_rows::distinct;

/// The maximum number of different labels.
const MOST_LABELS: usize = 100;

impl Consensus {
    pub(super) fn found(
        &self,
        score_rows: &ScoreRows,
        exclusions: &[Exclusion],
        chance: &Streams,
    ) -> Result<Aggregated, AggregateError> {
        of_each_measure(score_rows, exclusions, "a label", |measure, rated, notes| {
            let chance = chance.child("consensus", 0).child(&measure.name, 0);
            self.measure_findings(measure, rated, &chance, notes)
        })
    }

    fn measure_findings(
        &self,
        measure: &Measure,
        rated: &Rated,
        chance: &Streams,
        notes: &mut Vec<Note>,
    ) -> MeasureFindings {
        let counted = || rated.counted();
        let bare = MeasureFindings {
            raters: distinct(counted().map(|one| one.rater)),
            items: distinct(counted().map(|one| one.item)),
            responses: counted().count() as u64,
            ..MeasureFindings::new(measure.clone())
        };
        let ratings: Vec<Rating> = counted().copied().collect();
        let fit = match self.fit(&ratings, chance) {
            Ok(fit) => fit,
            Err(error) => {
                let text = format!("there is no consensus: {error}");
                notes.push(Note::meaning("no-consensus", text).about(&measure.name));
                return bare;
            }
        };
        let has_more = rated.everyone().len() > ratings.len();
        let everyone = has_more.then(|| self.fit(rated.everyone(), chance).ok()).flatten();
        let mut estimates = Vec::new();
        notes.extend(self.unfinished(&fit, &measure.name));
        for model in fit.models() {
            let name = &rated.models[model];
            notes.extend(tied(&fit, model, name).map(|note| note.about(&measure.name)));
            let own = chance.child(&rated.models[model], 0);
            let (mut estimate, why) = self.estimate(&fit, model, rated, &own);
            notes.extend(why.map(|why| no_interval(&measure.name, &[name], &why)));
            if rated.has_excluded(model) {
                let all = everyone.as_ref().filter(|all| all.models().contains(&model));
                estimate.with_excluded = all.and_then(|all| {
                    Some(WithExcluded { value: all.mean(model)?, raters: all.raters_of(model) })
                });
            }
            estimates.push(estimate);
        }
        if !estimates.is_empty() {
            notes.extend(labels_held(self.method, &measure.name));
        }
        estimates.sort_by(|a, b| best_first(measure.direction, a, b));
        let tables = vec![
            consensus_table(rated, &fit),
            shares_table(rated, &fit),
            raters_table(self.method, rated, &fit),
        ];
        MeasureFindings { estimates, tables, ..bare }
    }

    /// The consensus on the items of all models together.
    fn fit(&self, ratings: &[Rating], chance: &Streams) -> Result<Fitted, StatError> {
        let mut values: Vec<f64> = ratings.iter().map(|rating| rating.value).collect();
        values.sort_by(f64::total_cmp);
        values.dedup_by(|a, b| a.total_cmp(b).is_eq());
        if values.len() > MOST_LABELS {
            return Err(StatError::Parameter {
                parameter: "number of different values that are labels",
                expected: "at most 100",
                got: values.len() as f64,
            });
        }
        Fitted::of(Sample::of(ratings.iter(), &values)?, self, chance)
    }

    /// The estimate of a model, and the reason if it has no interval.
    fn estimate(
        &self,
        fit: &Fitted,
        model: usize,
        rated: &Rated,
        chance: &Streams,
    ) -> (Estimate, Option<StatError>) {
        let values = fit.values_of(model);
        let resampling = Bootstrap::resampling(None, self.level);
        let resamples = resampling.seeded(chance.seed("bootstrap"));
        let found = bootstrap_mean(&values, resamples).map(|distribution| {
            let units = "items, their labels held";
            (resampling.expanded(Some(&distribution), values.len(), units), distribution)
        });
        let (interval, bootstrap_sd, why) = match found {
            Ok((interval, distribution)) => (interval, distribution.standard_deviation().ok(), None),
            Err(StatError::TooFew { got, .. }) => {
                let few = StatError::TooFew { statistic: "an interval", needed: 2, of: "items", got };
                (None, None, Some(few))
            }
            Err(error) => (None, None, Some(error)),
        };
        let estimate = Estimate {
            model: Arc::clone(&rated.models[model]),
            value: fit.mean(model).unwrap_or_default(),
            interval,
            bootstrap_sd,
            sd: None,
            sem: None,
            se: None,
            raters: fit.raters_of(model),
            responses: rated.counted().filter(|rating| rating.model == model).count() as u64,
            pseudo_values: Vec::new(),
            with_excluded: None,
        };
        (estimate, why)
    }

    fn unfinished(&self, fit: &Fitted, measure: &str) -> Option<Note> {
        let iterations = fit.unfinished?;
        let method = self.method.words();
        let text = format!("{method} has not converged after {iterations} iterations");
        Some(Note::meaning("not-converged", text).about(measure))
    }
}

impl ConsensusMethod {
    /// The method as the subject of a sentence.
    const fn words(self) -> &'static str {
        match self {
            Self::Majority => "the majority",
            Self::DawidSkene => "Dawid and Skene's model",
            Self::OneCoin => "the one-coin model",
            Self::Glad => "GLAD",
            Self::Mace => "MACE",
        }
    }
}

/// A warning that intervals treat labels as certain that were estimated together with the raters.
fn labels_held(method: ConsensusMethod, measure: &str) -> Option<Note> {
    (method != ConsensusMethod::Majority).then(|| {
        let text = format!(
            "intervals treat the labels that {} estimated together with the raters as certain: with five raters, 95% intervals \
             cover the truth in 70 to 75% of studies, those of `majority` in 94%",
            method.words()
        );
        Note::precision("labels-held", text).about(measure)
    })
}

impl Fitted {
    /// The models, ascending.
    pub(super) fn models(&self) -> Vec<usize> {
        let mut models: Vec<usize> = self.sample.items.iter().map(|item| item.0).collect();
        models.dedup();
        models
    }

    /// The items of a model, by their numbers in the votes.
    pub(super) fn items_of(&self, model: usize) -> impl Iterator<Item = usize> {
        self.sample.items.iter().enumerate().filter(move |(_, item)| item.0 == model).map(|(place, _)| place)
    }

    fn values_of(&self, model: usize) -> Vec<f64> {
        self.items_of(model).map(|item| self.value(item)).collect()
    }

    /// The mean of a model's consensus values; every model of a fit has an item.
    fn mean(&self, model: usize) -> Option<f64> {
        describe::mean(&self.values_of(model)).ok()
    }

    fn raters_of(&self, model: usize) -> u64 {
        distinct(
            self.items_of(model).flat_map(|item| self.sample.votes.of_item(item).map(|(rater, _)| rater)),
        )
    }
}

/// A note on how many of a model's items have tied labels.
fn tied(fit: &Fitted, model: usize, name: &Arc<str>) -> Option<Note> {
    let all = fit.items_of(model).count();
    let tied = fit.items_of(model).filter(|&item| fit.winners(item).len() > 1).count();
    (tied > 0).then(|| {
        let text = format!(
            "labels of {name} are tied on {tied} of {all} items, which have no consensus and count as the mean of the tied \
             values"
        );
        Note::setting("ties", text).on_models([name])
    })
}
