//! From rows of scores to the findings of `components`.

use std::sync::Arc;

use hype_core::model::findings::{
    Comparison, Effect, Estimate, Exclusion, MeasureFindings, Note, Test, WithExcluded,
};
use hype_core::{AggregateError, Aggregated, Measure, Streams};
use hype_stats::describe;
use hype_stats::multiple::holm;

use super::Components;
use super::analysis::Analysis;
use super::tables::{components_table, generalizability_table, means_table};
use crate::aggregators::by_model::no_test;
use crate::aggregators::many::{are_compared, too_many};
use crate::aggregators::ordering::best_first;
use crate::aggregators::rated::{Rated, Rating, of_each_measure};
use crate::aggregators::resampling::interval;
use crate::score_rows::ScoreRows;
use crate::score_rows::distinct;

const MEAN: &str = "Student's t with Satterthwaite's df, raters and items random";
const DIFFERENCE: &str = "Student's t with Satterthwaite's df, raters and items random, each by itself";

impl Components {
    pub(super) fn found(
        &self,
        score_rows: &ScoreRows,
        exclusions: &[Exclusion],
        _: &Streams,
    ) -> Result<Aggregated, AggregateError> {
        of_each_measure(score_rows, exclusions, "a score", |measure, rated, notes| {
            notes.extend(too_many(&measure.name, rated.models.len()));
            self.measure_findings(measure, rated, score_rows.units().are_clusters(), notes)
        })
    }

    fn measure_findings(
        &self,
        measure: &Measure,
        rated: &Rated,
        are_clusters: bool,
        notes: &mut Vec<Note>,
    ) -> MeasureFindings {
        let ratings: Vec<Rating> = rated.counted().copied().collect();
        let (analyses, apart) = self.analyses(&ratings, are_clusters);
        if apart {
            let text = "the models share neither raters nor items, and each is analysed alone";
            notes.push(Note::setting("nothing-shared", text).about(&measure.name));
        }
        for analysis in &analyses {
            if let Err(error) = &analysis.found {
                let model = analysis.model.map(|model| &rated.models[model]);
                let name = model.map_or("all models", |model| model);
                let text = format!("no variance components of {name}: {error}");
                notes.push(Note::precision("no-components", text).about(&measure.name).on_models(model));
            }
        }
        let everyone = if rated.everyone().len() > ratings.len() {
            self.analyses(rated.everyone(), are_clusters).0
        } else {
            Vec::new()
        };
        let mut models: Vec<usize> = ratings.iter().map(|rating| rating.model).collect();
        models.dedup();
        let mut estimates: Vec<(usize, Estimate)> = models
            .iter()
            .map(|&model| {
                let own: Vec<Rating> = ratings.iter().filter(|one| one.model == model).copied().collect();
                let with = rated.has_excluded(model).then(|| {
                    let all = rated.everyone().iter().filter(|one| one.model == model);
                    WithExcluded {
                        value: value(&everyone, model, all.clone()),
                        raters: distinct(all.map(|one| one.rater)),
                    }
                });
                (model, self.estimate(&analyses, model, &own, with, rated))
            })
            .collect();
        estimates.sort_by(|(_, a), (_, b)| best_first(measure.direction, a, b));
        let order: Vec<usize> = estimates.iter().map(|(model, _)| *model).collect();
        let together = analyses.iter().find(|analysis| analysis.model.is_none());
        MeasureFindings {
            raters: distinct(ratings.iter().map(|one| one.rater)),
            items: distinct(ratings.iter().map(|one| one.item)),
            responses: ratings.len() as u64,
            estimates: estimates.into_iter().map(|(_, estimate)| estimate).collect(),
            tests: together.map(quasi_f).into_iter().collect(),
            comparisons: together.map_or_else(Vec::new, |found| self.comparisons(found, &order, rated)),
            tables: vec![
                components_table(rated, &analyses),
                means_table(self.confidence(), rated, &analyses),
                generalizability_table(rated, &analyses),
            ],
            ..MeasureFindings::new(measure.clone())
        }
    }

    fn estimate(
        &self,
        analyses: &[Analysis],
        model: usize,
        own: &[Rating],
        with_excluded: Option<WithExcluded>,
        rated: &Rated,
    ) -> Estimate {
        let range =
            best(analyses).find_map(|analysis| analysis.mean_of(model)?.interval(self.confidence()).ok());
        Estimate {
            model: Arc::clone(&rated.models[model]),
            value: value(analyses, model, own.iter()),
            interval: range.map(|range| interval(range, MEAN)),
            bootstrap_sd: None,
            sd: None,
            sem: None,
            se: None,
            raters: distinct(own.iter().map(|one| one.rater)),
            responses: own.len() as u64,
            pseudo_values: Vec::new(),
            with_excluded,
        }
    }

    /// The differences of all pairs, the better model first.
    fn comparisons(&self, together: &Analysis, order: &[usize], rated: &Rated) -> Vec<Comparison> {
        let Some(found) = together.found.as_ref().ok().filter(|_| are_compared(order.len())) else {
            return Vec::new();
        };
        let place = |model: usize| order.iter().position(|&known| known == model);
        let raw: Vec<f64> = found.differences.iter().filter_map(|pair| pair.p).collect();
        let mut adjusted = holm(&raw).unwrap_or_default().into_iter();
        let mut pairs: Vec<(_, Comparison)> = found
            .differences
            .iter()
            .map(|pair| {
                let turned = place(pair.first) > place(pair.second);
                let (a, b) = if turned { (pair.second, pair.first) } else { (pair.first, pair.second) };
                let sign = if turned { -1.0 } else { 1.0 };
                let range = pair.interval(self.confidence()).ok().map(|mut range| {
                    if turned {
                        (range.lower, range.upper) = (-range.upper, -range.lower);
                    }
                    interval(range, DIFFERENCE)
                });
                let difference = sign * pair.difference;
                let comparison = Comparison {
                    method: "t, raters and items random, Holm".into(),
                    a: Arc::clone(&rated.models[a]),
                    b: Arc::clone(&rated.models[b]),
                    difference,
                    interval: range,
                    statistic_name: "t".into(),
                    statistic: pair.p.map(|_| difference / pair.standard_error),
                    se: Some(pair.standard_error),
                    df: pair.degrees_of_freedom,
                    p: pair.p.and_then(|_| adjusted.next()),
                    undefined: pair.p.is_none().then(|| "the difference has no standard error".into()),
                };
                ((place(a), place(b)), comparison)
            })
            .collect();
        pairs.sort_by_key(|(places, _)| *places);
        pairs.into_iter().map(|(_, comparison)| comparison).collect()
    }
}

/// The analyses, the joint one first.
fn best(analyses: &[Analysis]) -> impl Iterator<Item = &Analysis> {
    let of = |together: bool| analyses.iter().filter(move |one| one.model.is_none() == together);
    of(true).chain(of(false))
}

/// The mean of a model from the best analysis that has one, else the plain mean.
fn value<'a>(analyses: &[Analysis], model: usize, own: impl Iterator<Item = &'a Rating>) -> f64 {
    let found = best(analyses).find_map(|analysis| Some(analysis.mean_of(model)?.mean));
    found.unwrap_or_else(|| {
        let values: Vec<f64> = own.map(|rating| rating.value).collect();
        // Every model has a rating, and ratings are finite.
        describe::mean(&values).unwrap_or_default()
    })
}

/// The test of equal models.
fn quasi_f(together: &Analysis) -> Test {
    let bare = no_test("quasi F, raters and items random", "F'", None);
    match together.found.as_ref().map(|found| found.quasi_f) {
        Ok(Some(found)) => Test {
            statistic: Some(found.f),
            df: vec![found.df_numerator, found.df_denominator],
            p: Some(found.p),
            effects: vec![
                Effect { name: "min F'".into(), value: found.min_f },
                Effect { name: "p of min F'".into(), value: found.min_p },
            ],
            ..bare
        },
        Ok(None) => Test {
            undefined: Some(
                "it needs the same raters and items for every model, and mean squares above 0".into(),
            ),
            ..bare
        },
        Err(error) => Test { undefined: Some(error.to_string().into()), ..bare },
    }
}
