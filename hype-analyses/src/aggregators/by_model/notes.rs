//! Notes on what the data allow for.

use std::sync::Arc;

use hype_core::model::findings::{GeneralizeTo, MeasureFindings, Note};
use hype_core::model::score::Direction;
use hype_core::words::counted;
use hype_core::{MeasureScale, RaterDesign};

use super::sums::{ModelSample, Sample, distinct_raters};
use super::{IntervalMethod, Pairs, Plan, errors};
use crate::aggregators::inference::{few_raters, not_by_item, uneven};
use crate::aggregators::many::too_many;
use crate::aggregators::measures::PROPORTION;

/// The number of models up to which tests of single answers were measured to hold their level (docs/COVERAGE.md).
const MODELS_WITH_SINGLE_ANSWERS: usize = 3;
/// The raters of each model from which on they hold it with more models too.
const RATERS_WITH_SINGLE_ANSWERS: usize = 100;

impl Plan {
    /// Notes on how the raters' design affects the analysis, before its results.
    pub(super) fn design_notes(
        &self,
        sample: &Sample,
        design: RaterDesign,
        wanted: GeneralizeTo,
    ) -> Vec<Note> {
        let models: Vec<&ModelSample> = sample.models.iter().collect();
        let label = &sample.measure.label;
        let mut notes = Vec::new();
        if sample.measure.descriptive.is_some() {
            return Vec::new();
        }
        if wanted != self.generalize_to {
            notes.push(not_by_item(label, "values", self.generalize_to));
        }
        if sample.measure.scale == Some(MeasureScale::Nominal) {
            let text = format!(
                "{label}: the values are codes of categories, whose means and differences say nothing; use the aggregator \
                 `agreement`"
            );
            notes.push(Note::warning("nominal-codes", text));
        }
        notes.extend(too_many(label, models.len()));
        notes.extend(self.few_raters(&models, label));
        if self.generalize_to != GeneralizeTo::Raters && self.interval == IntervalMethod::T {
            let values: Vec<f64> =
                models.iter().map(|model| errors::value(model, self.generalize_to)).collect();
            let found = errors::clustered(&models, &values, self.generalize_to).ok();
            let found = found.and_then(|found| uneven(label, &found, models.len(), self.generalize_to));
            // Models without an interval are named with their estimates.
            notes.extend(found.filter(|note| &*note.code != "no-interval"));
        }
        notes.extend(self.skewed(sample));
        notes.extend(self.single_answers(sample, design));
        let judged: usize = models.iter().map(|model| model.raters.len()).sum();
        let all = distinct_raters(&models);
        match design {
            RaterDesign::Between if all < judged => notes.push(Note::warning(
                "repeated-raters",
                format!(
                    "{label}: some raters judged several models, but the design is between raters: use the within design"
                ),
            )),
            RaterDesign::Within if models.len() > 1 => {
                let incomplete = all - judged_every(&models);
                // Measures of the raters themselves, such as consistency, do not exist for every model.
                if incomplete > 0 && sample.measure.direction != Direction::Neither {
                    notes.push(Note::warning(
                        "incomplete-raters",
                        format!(
                            "{label}: {incomplete} of {} did not judge every model, and analyses of variance and of \
                             ranks leave them out",
                            counted(all, "rater")
                        ),
                    ));
                }
                if !matches!(self.pairs, Pairs::Auto | Pairs::Wilcoxon) {
                    notes.push(Note::warning(
                        "paired-instead",
                        format!(
                            "{label}: the design is within raters, so pairs are compared by Student's t of the raters' \
                             differences"
                        ),
                    ));
                }
            }
            _ => {}
        }
        notes
    }

    /// A warning that tests over many models whose raters each gave one answer of two do not hold their level.
    fn single_answers(&self, sample: &Sample, design: RaterDesign) -> Option<Note> {
        let models = &sample.models;
        let fewest = models.iter().map(|model| model.raters.len()).min()?;
        let is_single = |model: &ModelSample| {
            model.raters.iter().all(|(_, cell)| cell.count == 1 && (cell.sum() <= 0.0 || cell.sum() >= 1.0))
        };
        let concerns = design == RaterDesign::Between
            && &*sample.measure.unit == PROPORTION
            && models.len() > MODELS_WITH_SINGLE_ANSWERS
            && fewest < RATERS_WITH_SINGLE_ANSWERS;
        (concerns && models.iter().all(is_single)).then(|| {
            let text = format!(
                "{}: raters gave one answer each, and tests over {} find differences between equal models in up to 9 % of \
                 studies with fewer than {RATERS_WITH_SINGLE_ANSWERS} raters of each",
                sample.measure.label,
                counted(models.len() as u64, "model")
            );
            Note::warning("single-answers", text)
        })
    }

    /// A warning that bootstrap intervals of few raters are too narrow, with how often they cover.
    fn few_raters(&self, models: &[&ModelSample], label: &str) -> Option<Note> {
        if !matches!(self.interval, IntervalMethod::Percentile | IntervalMethod::Bca) {
            return None;
        }
        let fewest = models.iter().map(|model| model.raters.len()).min()?;
        (fewest > 2).then(|| few_raters(label, fewest as u64, "`interval: t` covers")).flatten()
    }
}

/// For each reason a note on the measures that describe the procedure, which have neither intervals nor tests.
pub(super) fn descriptive_notes(measures: &[MeasureFindings]) -> Vec<Note> {
    let mut reasons: Vec<(&Arc<str>, Vec<&str>)> = Vec::new();
    for measure in measures.iter().map(|found| &found.measure) {
        let Some(reason) = &measure.descriptive else { continue };
        match reasons.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, labels)) => labels.push(&measure.label),
            None => reasons.push((reason, vec![&measure.label])),
        }
    }
    let note = |(reason, labels): (&Arc<str>, Vec<&str>)| {
        let text = format!(
            "{reason}, so these describe the procedure rather than the models, without intervals and tests: {}",
            labels.join(", ")
        );
        Note::remark("descriptive-measures", text)
    };
    reasons.into_iter().map(note).collect()
}

/// Models that lack an interval for the same reason have a warning each up to this many, and one of all beyond.
const MOST_WARNED_EACH: usize = 20;

/// Warnings about models without an interval, with the reason of each.
pub(super) fn no_interval(label: &str, models: Vec<(&str, String)>) -> Vec<Note> {
    let mut by_reason: Vec<(String, Vec<&str>)> = Vec::new();
    for (model, why) in models {
        match by_reason.iter_mut().find(|(known, _)| *known == why) {
            Some((_, models)) => models.push(model),
            None => by_reason.push((why, vec![model])),
        }
    }
    let texts = by_reason.into_iter().flat_map(|(why, models)| match models.as_slice() {
        [first, second, rest @ ..] if models.len() > MOST_WARNED_EACH => {
            vec![format!(
                "{first}, {second} and {} more, {label}: no interval: {why}",
                counted(rest.len(), "model")
            )]
        }
        each => each.iter().map(|model| format!("{model}, {label}: no interval: {why}")).collect(),
    });
    texts.map(|text| Note::warning("no-interval", text)).collect()
}

/// How many raters judged every model.
fn judged_every(models: &[&ModelSample]) -> usize {
    let mut raters: Vec<u32> =
        models.iter().flat_map(|model| model.raters.iter().map(|(rater, _)| *rater)).collect();
    raters.sort_unstable();
    raters.chunk_by(|a, b| a == b).filter(|own| own.len() == models.len()).count()
}
