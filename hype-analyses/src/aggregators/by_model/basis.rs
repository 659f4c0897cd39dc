//! Evidence about sensitivities in the rates of errors: the d' that raters have in common.

use std::collections::HashMap;

use hype_core::model::findings::{Column, GeneralizeTo, MeasureFindings, Note, Table};
use hype_core::words::first_few;
use hype_core::{Basis, Measure};
use hype_stats::describe;
use hype_stats::detection::{Answers, common_d_prime, d_prime_bias, d_prime_ceiling, detection};
use hype_stats::distributions::StudentT;
use serde_json::{Value, json};

use super::Plan;
use super::sums::{Cell, ModelSample, Sample};

/// The values of another measure, by the names of models and the numbers of raters.
struct Others<'s>(HashMap<&'s str, HashMap<u32, Cell>>);

impl<'s> Others<'s> {
    fn of(sample: &'s Sample) -> Self {
        let raters = |model: &'s ModelSample| (&*model.model, model.raters.iter().copied().collect());
        Self(sample.models.iter().map(raters).collect())
    }

    fn cell(&self, model: &ModelSample, rater: u32) -> Option<Cell> {
        self.0.get(&*model.model)?.get(&rater).copied()
    }
}

/// The bias of a mean d' from which on readers are warned.
const NOTED_BIAS: f64 = 0.1;

impl Plan {
    /// Adds the tables of what other measures say about a measure. `other` finds the values of another one by its name.
    pub(super) fn add_basis(
        &self,
        found: &mut MeasureFindings,
        sample: &Sample,
        other: impl Fn(&str) -> Sample,
        notes: &mut Vec<Note>,
    ) {
        if self.generalize_to != GeneralizeTo::Raters || sample.measure.descriptive.is_some() {
            return;
        }
        let models: Vec<&ModelSample> = found
            .estimates
            .iter()
            .filter_map(|estimate| sample.models.iter().find(|model| model.model == estimate.model))
            .collect();
        match &sample.measure.basis {
            Some(Basis::Errors { misses, false_alarms }) => {
                let (misses, alarms) = (other(misses), other(false_alarms));
                let (misses, alarms) = (Others::of(&misses), Others::of(&alarms));
                let people = |model: &ModelSample| answers(model, &misses, &alarms);
                let people: Vec<Vec<Answers>> = models.iter().map(|model| people(model)).collect();
                found.tables.extend(self.common_sensitivity(&sample.measure, &models, &people, notes));
            }
            Some(Basis::Censoring { .. }) | None => {}
        }
    }

    /// The d' that raters have in common, with the bias of the mean of theirs; `None` if every rater made errors of
    /// both kinds and gave right answers of both kinds.
    fn common_sensitivity(
        &self,
        measure: &Measure,
        models: &[&ModelSample],
        people: &[Vec<Answers>],
        notes: &mut Vec<Note>,
    ) -> Option<Table> {
        if !people.iter().flatten().any(Answers::is_extreme) {
            return None;
        }
        let mut biased = Vec::new();
        let rows: Vec<Vec<Value>> = models
            .iter()
            .zip(people)
            .map(|(model, people)| {
                let extreme = people.iter().filter(|answers| answers.is_extreme()).count();
                let common = common_d_prime(people);
                let ceiling =
                    mean_of(people, |answers| d_prime_ceiling(signals(answers), noise(answers)).ok());
                let bias = common.as_ref().ok().and_then(|common| {
                    mean_of(people, |answers| {
                        let criterion = detection(*answers).ok()?.criterion;
                        d_prime_bias(common.d_prime, criterion, signals(answers), noise(answers)).ok()
                    })
                });
                let counts = format!("{extreme} of {} raters", people.len());
                match bias {
                    Some(bias) if bias.abs() < NOTED_BIAS => {}
                    Some(bias) => {
                        let text = format!("{} by about {bias:.2} ({counts})", model.model);
                        biased.push((&model.model, text));
                    }
                    None if extreme > 0 => {
                        let text = format!("{} by an unknown amount ({counts})", model.model);
                        biased.push((&model.model, text));
                    }
                    None => {}
                }
                let margin = common.as_ref().ok().and_then(|common| {
                    let t = StudentT::new(common.informative as f64 - 1.0).ok()?;
                    Some(t.upper_quantile(0.5 * (1.0 - self.level)).ok()? * common.clustered_error)
                });
                let value = common.as_ref().ok().map(|common| common.d_prime);
                vec![
                    json!(model.model),
                    json!(people.len()),
                    json!(extreme),
                    json!(ceiling),
                    json!(bias),
                    json!(value),
                    json!(value.zip(margin).map(|(value, margin)| value - margin)),
                    json!(value.zip(margin).map(|(value, margin)| value + margin)),
                    json!(common.err().map(|error| error.to_string())),
                ]
            })
            .collect();
        if !biased.is_empty() {
            let (models, biased): (Vec<_>, Vec<String>) = biased.into_iter().unzip();
            let text = format!(
                "the mean over raters is biased towards 0, as some made no errors of one kind: {}; the d' that raters have in \
                 common errs on the other side",
                first_few(&biased)
            );
            notes.push(Note::meaning("biased-sensitivity", text).about(&measure.name).on_models(models));
        }
        let level = percent(self.level);
        Some(Table {
            name: "common_d_prime".into(),
            label: format!(
                "the d' that raters have in common, each with a separate criterion (maximum likelihood), with the {level} \
                 % interval by Student's t over raters, and the bias of the mean of the raters' d' at that value"
            )
            .into(),
            columns: common_columns(),
            rows,
        })
    }
}

fn common_columns() -> Vec<Column> {
    vec![
        Column::new("model", "model", ""),
        Column::new("raters", "raters", ""),
        Column::new("extreme", "with a rate of 0 or 1", ""),
        Column::new("ceiling", "greatest possible d'", ""),
        Column::new("bias", "bias of the mean", ""),
        Column::new("common", "common d'", ""),
        Column::new("low", "low", ""),
        Column::new("high", "high", ""),
        Column::new("undefined", "why undefined", ""),
    ]
}

/// The answers of every rater of a model who has answered both kinds of trials.
fn answers(model: &ModelSample, misses: &Others<'_>, false_alarms: &Others<'_>) -> Vec<Answers> {
    let counted = |others: &Others<'_>, rater| {
        let cell = others.cell(model, rater)?;
        // Sums of zeros and ones are exact.
        let wrong = cell.sum() as u64;
        Some((wrong, cell.count.checked_sub(wrong)?))
    };
    model
        .raters
        .iter()
        .filter_map(|&(rater, _)| {
            let (misses, hits) = counted(misses, rater)?;
            let (false_alarms, correct_rejections) = counted(false_alarms, rater)?;
            Some(Answers { hits, misses, false_alarms, correct_rejections })
        })
        .collect()
}

const fn signals(answers: &Answers) -> u64 {
    answers.hits + answers.misses
}

const fn noise(answers: &Answers) -> u64 {
    answers.false_alarms + answers.correct_rejections
}

/// The mean over raters; `None` if one has no value.
fn mean_of(people: &[Answers], value: impl Fn(&Answers) -> Option<f64>) -> Option<f64> {
    let values: Vec<f64> = people.iter().map(value).collect::<Option<_>>()?;
    describe::mean(&values).ok()
}

/// A level in percent, without rounding artefacts.
fn percent(level: f64) -> f64 {
    (level * 1e6).round() / 1e4
}
