//! The part of raters in a measure: how much they answer, who is excluded, and who decides the conclusion.

use std::collections::BTreeMap;

use hype_core::model::findings::{Column, GeneralizeTo, MeasureFindings, Note, Table};
use hype_core::words::counted;
use hype_core::{Measure, RaterDesign};
use hype_stats::correlation::{SpearmanMethod, spearman};
use hype_stats::describe;
use hype_stats::distributions::StudentT;
use hype_stats::ttest::{Alternative, welch};
use serde_json::json;

use super::Plan;
use super::sums::{Cell, ModelSample, Sample};
use crate::aggregators::measures::PROPORTION;
use crate::aggregators::without_rater::{LeaveOneOut, p_value};

/// The p value, adjusted for all measures, from which on raters are related to values. Under 5 %, as neither test is exact where
/// values of raters who answer more vary less, or are skewed.
const RELATED: f64 = 0.03;
/// The fewest answers of a rater for which it says something that all are the same.
const FEWEST_SAME: u64 = 10;
/// The number of raters with the same answer of two each time that is expected by chance, from which on it says nothing.
const BY_CHANCE: f64 = 0.01;

/// The values of one rater: the mean over models of what is above the mean of the model, and the number of answers.
#[derive(Debug, Clone, Copy, Default)]
struct RaterValue {
    above: f64,
    models: f64,
    answers: u64,
}

impl RaterValue {
    fn add(&mut self, cell: Cell, mean: f64) {
        self.above += cell.mean() - mean;
        self.models += 1.0;
        self.answers += cell.count;
    }

    fn mean(self) -> f64 {
        self.above / self.models
    }
}

/// The values of the raters who count, or of those who are excluded, above the means of models over raters who count.
fn values<'m>(sample: &'m Sample, of: impl Fn(&'m ModelSample) -> &'m [(u32, Cell)]) -> Vec<RaterValue> {
    let mut found: BTreeMap<u32, RaterValue> = BTreeMap::new();
    for model in &sample.models {
        let mean = describe::mean(&model.rater_means()).unwrap_or(f64::NAN);
        for &(rater, cell) in of(model) {
            found.entry(rater).or_default().add(cell, mean);
        }
    }
    found.into_values().collect()
}

/// Those samples whose measures compare models.
fn compared(samples: &[Sample]) -> impl Iterator<Item = &Sample> + Clone {
    samples.iter().filter(|sample| sample.measure.is_compared() && !sample.models.is_empty())
}

/// The measure of the smallest p value, which is adjusted for all of them, if it is small, and the number of those whose is.
fn most_related<'s, T>(
    tested: impl Iterator<Item = (&'s Measure, f64, T)>,
) -> Option<(&'s Measure, f64, T, usize)> {
    let all: Vec<(&Measure, f64, T)> = tested.collect();
    let family = all.len() as f64;
    let related = all.iter().filter(|(_, p, _)| p * family <= RELATED).count();
    let (measure, p, found) = all.into_iter().min_by(|(_, a, _), (_, b, _)| a.total_cmp(b))?;
    (related > 0).then_some((measure, (p * family).min(1.0), found, related))
}

fn in_the_same_way(measures: usize) -> String {
    match measures {
        1 => String::new(),
        several => format!(" ({} in the same way)", counted(several as u64, "measure")),
    }
}

/// Warnings that values are related to how much raters answer, and that those of excluded raters differ.
pub(in crate::aggregators) fn about_raters(samples: &[Sample], found: &mut [MeasureFindings]) -> Vec<Note> {
    informative_numbers(samples, found).into_iter().chain(excluded_differ(samples)).collect()
}

/// A warning that values of raters are related to how much they answer, with the means over raters and over answers of the measure
/// where they are most. `found` gets a table of both.
fn informative_numbers(samples: &[Sample], found: &mut [MeasureFindings]) -> Option<Note> {
    let tested = compared(samples).filter_map(|sample| {
        let raters = values(sample, |model| &model.raters);
        let answers: Vec<f64> = raters.iter().map(|one| one.answers as f64).collect();
        let means: Vec<f64> = raters.iter().map(|one| one.mean()).collect();
        let related = spearman(&answers, &means, SpearmanMethod::Auto, 0.95).ok()?;
        Some((&sample.measure, related.p, (sample, related.rho)))
    });
    let (measure, p, (sample, rho), measures) = most_related(tested)?;
    let into = found.iter_mut().find(|found| found.measure.name == measure.name)?;
    let both = |model: &ModelSample| {
        let over_raters = describe::mean(&model.rater_means()).unwrap_or(f64::NAN);
        let (sum, count) = model
            .raters
            .iter()
            .fold((0.0, 0), |(sum, count), (_, cell)| (sum + cell.sum(), count + cell.count));
        (over_raters, sum / count as f64)
    };
    into.tables.push(Table {
        name: "mean_over_answers".into(),
        label: "means in which each rater counts the same, and in which each answer does".into(),
        columns: vec![
            Column::new("model", "model", ""),
            Column::new("over_raters", "mean over raters", &measure.unit),
            Column::new("over_answers", "mean over answers", &measure.unit),
        ],
        rows: sample
            .models
            .iter()
            .map(|model| {
                let (over_raters, over_answers) = both(model);
                vec![json!(model.model), json!(over_raters), json!(over_answers)]
            })
            .collect(),
    });
    let gap = |model: &&ModelSample| {
        let (over_raters, over_answers) = both(model);
        (over_raters - over_answers).abs()
    };
    let widest = sample.models.iter().max_by(|a, b| gap(a).total_cmp(&gap(b)))?;
    let (over_raters, over_answers) = both(widest);
    let how = if rho > 0.0 { "higher" } else { "lower" };
    let text = format!(
        "raters who answer more give {how} values (rho {rho:.2}, {}){}: the mean of {} is {over_raters:.3} over raters, \
         {over_answers:.3} over answers; `generalize_to` sets which counts",
        p_value(p),
        in_the_same_way(measures),
        widest.model
    );
    Some(Note::meaning("informative-numbers", text).about(&measure.name))
}

/// A warning that values of excluded raters differ from those of raters who count.
fn excluded_differ(samples: &[Sample]) -> Option<Note> {
    let has_excluded = |sample: &&Sample| sample.models.iter().any(|model| !model.excluded.is_empty());
    let mean = |values: &[f64]| describe::mean(values).unwrap_or(f64::NAN);
    let tested = compared(samples).filter(has_excluded).filter_map(|sample| {
        let of = |raters: Vec<RaterValue>| raters.into_iter().map(RaterValue::mean).collect::<Vec<f64>>();
        let kept = of(values(sample, |model| &model.raters));
        let excluded = of(values(sample, |model| &model.excluded));
        let found = welch(&excluded, &kept, Alternative::TwoSided, 0.95).ok()?;
        // Where raters judged one model each, every mean of a model that was subtracted took a degree of freedom.
        let judged: usize = sample.models.iter().map(|model| model.raters.len()).sum();
        let means = if judged == kept.len() { sample.models.len() as f64 } else { 1.0 };
        let raters = kept.len() as f64;
        let t = found.t * ((raters - means).max(0.0) / (raters - 1.0)).sqrt();
        let p = StudentT::new(found.degrees_of_freedom).ok()?.two_sided(t);
        Some((&sample.measure, p, (found.difference, excluded.len())))
    });
    let (measure, p, (difference, excluded), measures) = most_related(tested)?;
    let level =
        mean(&compared(samples).find(|sample| sample.measure.name == measure.name)?.models[0].rater_means());
    let how = if difference > 0.0 { "higher" } else { "lower" };
    let text = format!(
        "the values of {} are {how} by {:.3} on average than those of raters who count, whose mean is about {level:.3} ({}){}: \
         results are about raters who pass; report both",
        counted(excluded as u64, "excluded rater"),
        difference.abs(),
        p_value(p),
        in_the_same_way(measures)
    );
    Some(Note::meaning("excluded-differ", text).about(&measure.name))
}

impl Plan {
    /// A remark on the rater whose removal changes a conclusion, by the name of a rater by number.
    pub(super) fn without_rater<'n>(
        &self,
        sample: &Sample,
        design: RaterDesign,
        found: &MeasureFindings,
        name: impl Fn(u32) -> &'n str,
    ) -> Option<Note> {
        let of = |name: &str| sample.models.iter().find(|model| &*model.model == name);
        let weights = |[first, other]: [&str; 2]| match (of(first), of(other)) {
            (Some(first), Some(other)) => self.weights(first, other, design),
            _ => BTreeMap::new(),
        };
        let without = |rater| {
            let left: Vec<ModelSample> = sample.models.iter().map(|model| without(model, rater)).collect();
            let has_all = left.iter().all(|model| !model.raters.is_empty());
            has_all.then(|| self.comparisons(&left.iter().collect::<Vec<_>>(), design))
        };
        let same = same_answers(sample, &name);
        LeaveOneOut { found, level: self.level, same, weights, without }.note(name)
    }

    /// How much each rater adds to the difference of two models.
    fn weights(&self, first: &ModelSample, other: &ModelSample, design: RaterDesign) -> BTreeMap<u32, f64> {
        let over_answers = self.generalize_to != GeneralizeTo::Raters;
        let mut weights: BTreeMap<u32, (f64, usize)> = BTreeMap::new();
        for (model, sign) in [(first, 1.0), (other, -1.0)] {
            let mean = describe::mean(&model.rater_means()).unwrap_or(f64::NAN);
            for (rater, cell) in &model.raters {
                let weight = if over_answers { cell.count as f64 } else { 1.0 };
                let (sum, models) = weights.entry(*rater).or_default();
                *sum += sign * weight * (cell.mean() - mean) / model.raters.len() as f64;
                *models += 1;
            }
        }
        // Raters who judged only one of the models are left out where others judged both.
        let paired = design == RaterDesign::Within
            && !over_answers
            && weights.values().any(|(_, models)| *models == 2);
        weights.retain(|_, (_, models)| !paired || *models == 2);
        weights.into_iter().map(|(rater, (sum, _))| (rater, sum)).collect()
    }
}

fn without(model: &ModelSample, rater: u32) -> ModelSample {
    let mut left = model.clone();
    left.raters.retain(|(one, _)| *one != rater);
    left.responses.retain(|(one, ..)| *one != rater);
    left
}

/// The rater whose answers are all the same, if there is one and those of each other rater differ.
#[expect(clippy::disallowed_methods, reason = "a probability of a note, which decides no trial")]
fn same_answers<'n>(sample: &Sample, name: &impl Fn(u32) -> &'n str) -> Option<u32> {
    let mut raters: BTreeMap<u32, Cell> = BTreeMap::new();
    for (rater, cell) in sample.models.iter().flat_map(|model| &model.raters) {
        raters.entry(*rater).or_default().add(*cell);
    }
    let is_same = |cell: &Cell| {
        let mean = cell.mean();
        cell.squares() / cell.count as f64 - mean * mean <= 1e-12 * mean * mean
    };
    let mut same: Vec<(u32, &Cell)> =
        raters.iter().filter(|(_, cell)| is_same(cell)).map(|(rater, cell)| (*rater, cell)).collect();
    same.sort_by(|(a, _), (b, _)| name(*a).cmp(name(*b)));
    let [(rater, cell)] = same.as_slice() else { return None };
    let by_chance = if &*sample.measure.unit == PROPORTION {
        let others = raters.iter().filter(|(other, _)| *other != rater);
        let all_same = |(_, one): (&u32, &Cell)| {
            let answers = i32::try_from(cell.count).unwrap_or(i32::MAX);
            one.mean().powi(answers) + (1.0 - one.mean()).powi(answers)
        };
        let sum: f64 = others.map(all_same).sum();
        sum * raters.len() as f64 / (raters.len() as f64 - 1.0)
    } else {
        0.0
    };
    (cell.count >= FEWEST_SAME && raters.len() > 2 && by_chance <= BY_CHANCE).then_some(*rater)
}
