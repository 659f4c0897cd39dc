//! Notes on what the data allow for.

use std::sync::Arc;

use hype_core::model::findings::{GeneralizeTo, MeasureFindings, Note};
use hype_core::model::score::Direction;
use hype_core::words::counted;
use hype_core::{MeasureScale, RaterDesign};

use super::sums::{ModelSample, Sample, distinct_raters};
use super::{IntervalMethod, Pairs, Plan, errors};
use crate::aggregators::inference::{few_raters, no_interval, not_by_item, uneven};
use crate::aggregators::many::too_many;
use crate::aggregators::measures::PROPORTION;

/// The number of models up to which tests of single answers were measured to hold their level (docs/measured/coverage.md).
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
        let measure = &*sample.measure.name;
        let mut notes = Vec::new();
        if sample.measure.descriptive.is_some() {
            return Vec::new();
        }
        if wanted != self.generalize_to {
            notes.push(not_by_item(measure, "values", self.generalize_to));
        }
        if sample.measure.scale == Some(MeasureScale::Nominal) {
            let text = "the values are codes of categories, whose means and differences say nothing; use the aggregator `agreement`";
            notes.push(Note::meaning("nominal-codes", text).about(measure));
        }
        notes.extend(too_many(measure, models.len()));
        notes.extend(self.few_raters(&models, measure));
        if self.generalize_to != GeneralizeTo::Raters && self.interval == IntervalMethod::T {
            let values: Vec<f64> =
                models.iter().map(|model| errors::value(model, self.generalize_to)).collect();
            let found = errors::clustered(&models, &values, self.generalize_to).ok();
            let found = found.and_then(|found| uneven(measure, &found, models.len(), self.generalize_to));
            // Models without an interval are named with their estimates.
            notes.extend(found.filter(|note| &*note.code != "no-interval"));
        }
        notes.extend(self.skewed(sample));
        notes.extend(self.single_answers(sample, design));
        let judged: usize = models.iter().map(|model| model.raters.len()).sum();
        let all = distinct_raters(&models);
        match design {
            RaterDesign::Between if all < judged => {
                let text = "some raters judged several models, and tests count them as different people: use the within design";
                notes.push(Note::precision("repeated-raters", text).about(measure));
            }
            RaterDesign::Within if models.len() > 1 => {
                let incomplete = all - judged_every(&models);
                // Measures of the raters themselves, such as consistency, do not exist for every model.
                if incomplete > 0 && sample.measure.direction != Direction::Neither {
                    let text = format!(
                        "{incomplete} of {} did not judge every model, and analyses of variance and of ranks leave them out",
                        counted(all, "rater")
                    );
                    notes.push(Note::precision("incomplete-raters", text).about(measure));
                }
                if !matches!(self.pairs, Pairs::Auto | Pairs::Wilcoxon) {
                    let text = "pairs are compared by Student's t of raters' differences, as each rater judged several models";
                    notes.push(Note::setting("paired-instead", text).about(measure));
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
                "raters gave one answer each, and tests over {} find differences between equal models in up to 9% of \
                 studies with fewer than {RATERS_WITH_SINGLE_ANSWERS} raters of each; ask for several answers",
                counted(models.len() as u64, "model")
            );
            Note::precision("single-answers", text).about(&sample.measure.name)
        })
    }

    /// A warning that bootstrap intervals of few raters are too narrow, with how often they cover.
    fn few_raters(&self, models: &[&ModelSample], measure: &str) -> Option<Note> {
        if !matches!(self.interval, IntervalMethod::Percentile | IntervalMethod::Bca) {
            return None;
        }
        let fewest = models.iter().map(|model| model.raters.len()).min()?;
        (fewest > 2).then(|| few_raters(measure, fewest as u64, "`interval: t` covers")).flatten()
    }
}

/// For each reason a note on the measures that describe the procedure, which have neither intervals nor tests.
pub(super) fn descriptive_notes(measures: &[MeasureFindings]) -> Vec<Note> {
    let mut reasons: Vec<(&Arc<str>, Vec<&str>)> = Vec::new();
    for measure in measures.iter().map(|found| &found.measure) {
        let Some(reason) = &measure.descriptive else { continue };
        match reasons.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, names)) => names.push(&measure.name),
            None => reasons.push((reason, vec![&measure.name])),
        }
    }
    let note = |(reason, names): (&Arc<str>, Vec<&str>)| {
        let text =
            format!("{reason}: this describes the procedure rather than models, without intervals and tests");
        names.into_iter().fold(Note::setting("descriptive-measures", text), Note::about)
    };
    reasons.into_iter().map(note).collect()
}

/// For each reason a note on the models that have no interval.
pub(super) fn without_intervals(measure: &str, models: Vec<(&str, String)>) -> Vec<Note> {
    let mut by_reason: Vec<(String, Vec<&str>)> = Vec::new();
    for (model, why) in models {
        match by_reason.iter_mut().find(|(known, _)| *known == why) {
            Some((_, models)) => models.push(model),
            None => by_reason.push((why, vec![model])),
        }
    }
    by_reason.into_iter().map(|(why, models)| no_interval(measure, &models, why)).collect()
}

/// How many raters judged every model.
fn judged_every(models: &[&ModelSample]) -> usize {
    let mut raters: Vec<u32> =
        models.iter().flat_map(|model| model.raters.iter().map(|(rater, _)| *rater)).collect();
    raters.sort_unstable();
    raters.chunk_by(|a, b| a == b).filter(|own| own.len() == models.len()).count()
}
