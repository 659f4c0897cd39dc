//! From rows of scores to the findings of `opinion`.

use std::sync::Arc;

use hype_core::model::findings::{Estimate, Exclusion, GeneralizeTo, MeasureFindings, Note, WithExcluded};
use hype_core::words::first_few;
use hype_core::{AggregateError, Aggregated, Measure, Streams};
use hype_stats::describe;

use super::part::{Analysed, Part};
use super::tables::{raters_table, sos_table, stimuli_table};
use super::{AdjustmentRule, OpinionScores, ScreeningRule, SubjectModel};
use crate::aggregators::inference::{few_raters, no_interval};
use crate::aggregators::ordering::best_first;
use crate::aggregators::rated::{Rated, Rating};
use crate::score_rows::ScoreRows;
use crate::score_rows::distinct;

impl OpinionScores {
    pub(super) fn found(
        &self,
        score_rows: &ScoreRows,
        exclusions: &[Exclusion],
        chance: &Streams,
    ) -> Result<Aggregated, AggregateError> {
        let Some(measure) = score_rows.measures().first() else {
            return Err(score_rows.no_scores(self.measure.as_deref().unwrap_or("a score")));
        };
        let rated = Rated::of(score_rows, 0, exclusions);
        if let Some(error) = rated.nothing(score_rows, measure) {
            return Err(error);
        }
        let counted: Vec<Rating> = rated.counted().copied().collect();
        let parts = self.analyse(&rated, &counted, self.screening)?;
        let everyone =
            if rated.everyone().len() > counted.len() || parts.iter().any(|part| !part.rejected.is_empty()) {
                self.analyse(&rated, rated.everyone(), ScreeningRule::None)?
            } else {
                Vec::new()
            };
        let mut notes: Vec<Note> = rated.notes(measure).collect();
        let mut remarks = Notes { measure, rated: &rated, notes: &mut notes };
        self.add_notes(&parts, &mut remarks);
        let chance = chance.child("opinion", 0).child(&measure.name, 0);
        let mut estimates = Vec::new();
        for part in &parts {
            for model in part.models() {
                let seed = chance.child(&rated.models[model], 0).seed("bootstrap");
                if let Some(mut estimate) = self.estimate(part, model, seed, &mut remarks) {
                    let differs = rated.has_excluded(model) || part.rejects_of(model);
                    let with = everyone.iter().find(|part| part.models().contains(&model));
                    estimate.with_excluded = with.filter(|_| differs).and_then(|part| {
                        let found = part.value(self, model).ok()?;
                        Some(WithExcluded { value: found.value, raters: found.raters })
                    });
                    estimates.push(estimate);
                }
            }
        }
        estimates.sort_by(|a, b| best_first(measure.direction, a, b));
        if self.bootstrap.is_some() {
            let fewest = estimates.iter().map(|estimate| estimate.raters).min();
            let warning =
                fewest.and_then(|raters| few_raters(&measure.name, raters, "without `bootstrap` they cover"));
            notes.extend(warning);
        }
        let used = || counted.iter().filter(|one| !parts.iter().any(|part| part.is_rejected(one.rater)));
        let findings = MeasureFindings {
            raters: distinct(used().map(|one| one.rater)),
            items: distinct(used().map(|one| one.item)),
            responses: used().count() as u64,
            generalize_to: Some(GeneralizeTo::Raters),
            estimates,
            tables: vec![
                stimuli_table(self, &rated, &parts),
                raters_table(&rated, &parts),
                sos_table(self, &rated, &parts),
            ],
            ..MeasureFindings::new(measure.clone())
        };
        Ok(Aggregated { measures: vec![findings], notes })
    }

    fn analyse(
        &self,
        rated: &Rated,
        ratings: &[Rating],
        screening: ScreeningRule,
    ) -> Result<Vec<Analysed>, AggregateError> {
        let parts = Part::all(rated.models.len(), ratings)
            .map_err(|error| AggregateError::Other(error.to_string()))?;
        Ok(parts.into_iter().map(|part| Analysed::of(part, self, screening)).collect())
    }

    /// The estimate of a model; `None`, with a note, if it has none.
    fn estimate(
        &self,
        part: &Analysed,
        model: usize,
        seed: u64,
        remarks: &mut Notes<'_>,
    ) -> Option<Estimate> {
        let found = match part.value(self, model) {
            Ok(found) => found,
            Err(error) => {
                let name = Arc::clone(&remarks.rated.models[model]);
                let text = format!("no estimate of {name}: {error}");
                remarks.push(Note::meaning("no-estimate", text).on_models([name]));
                return None;
            }
        };
        let range = match part.interval(self, model, seed) {
            Ok(range) => Some(range),
            Err(error) => {
                let models = [&remarks.rated.models[model]];
                remarks.notes.push(no_interval(&remarks.measure.name, &models, error));
                None
            }
        };
        let means = part.rater_means(self, model).unwrap_or_default();
        Some(Estimate {
            model: Arc::clone(&remarks.rated.models[model]),
            value: found.value,
            bootstrap_sd: range.as_ref().and_then(|range| range.bootstrap_sd),
            sd: describe::standard_deviation(&means).ok(),
            sem: describe::standard_error(&means).ok(),
            se: range.as_ref().and_then(|range| range.se),
            interval: range.map(|range| range.interval),
            raters: found.raters,
            responses: found.responses,
            pseudo_values: Vec::new(),
            with_excluded: None,
        })
    }

    /// Adds notes for readers of the numbers.
    fn add_notes(&self, parts: &[Analysed], remarks: &mut Notes<'_>) {
        let plain = self.screening == ScreeningRule::None
            && self.adjust == AdjustmentRule::None
            && self.model == SubjectModel::Mos;
        if parts.len() > 1 && !plain {
            let groups: Vec<String> = parts
                .iter()
                .map(|part| {
                    let names: Vec<&str> =
                        part.models().iter().map(|&model| &*remarks.rated.models[model]).collect();
                    first_few(&names)
                })
                .collect();
            let text = format!("models that share no rater are analysed apart: {}", groups.join("; "));
            remarks.push(Note::setting("analysed-apart", text));
        }
        if self.adjust == AdjustmentRule::ZScores {
            remarks.push(Note::setting(
                "z-scores",
                "estimates are in standard deviations of each rater's scores",
            ));
        }
        for part in parts {
            self.note_screening(part, remarks);
            if let Ok(adjusted) = &part.adjusted
                && !adjusted.left_out.is_empty()
            {
                let names = names(remarks.rated, &adjusted.left_out);
                let text = format!("left out, as all scores of each are equal: {names}");
                remarks.push(Note::meaning("no-z-scores", text));
            }
            self.note_projection(part, remarks);
        }
    }

    fn note_screening(&self, part: &Analysed, remarks: &mut Notes<'_>) {
        let applied = self.screening != ScreeningRule::None;
        match &part.screened {
            Ok(found) => {
                if found.rule_met_all {
                    let text = "BT.500 would reject every rater, and so none is rejected";
                    remarks.push(Note::meaning("screening-met-all", text));
                }
                let rejected: Vec<usize> =
                    found.subjects.iter().filter(|one| one.rejected).map(|one| one.subject).collect();
                if !rejected.is_empty() {
                    let names = names(remarks.rated, &rejected);
                    if applied {
                        remarks.push(Note::setting("screened", format!("left out by BT.500: {names}")));
                    } else {
                        let text = format!("BT.500 would reject, but `screening` is off: {names}");
                        remarks.push(Note::setting("not-screened", text));
                    }
                }
            }
            Err(error) if applied => {
                remarks.push(Note::meaning("no-screening", format!("raters are not screened: {error}")));
            }
            Err(_) => {}
        }
        if applied && !part.part.is_complete() {
            let text = "not every rater scored every stimulus: BT.500's share of extreme scores among all presentations is \
                        small, and it rejects fewer";
            remarks.push(Note::precision("incomplete-screening", text));
        }
    }

    fn note_projection(&self, part: &Analysed, remarks: &mut Notes<'_>) {
        let decides = self.model == SubjectModel::P910;
        let rated = remarks.rated;
        let mut tell = |code: &str, text: String| {
            remarks.push(if decides { Note::meaning(code, text) } else { Note::setting(code, text) });
        };
        match part.counted_projection() {
            Ok(found) => {
                if found.parts > 1 {
                    let text = format!(
                        "by P.910, stimuli fall into {} groups that share no rater: qualities and biases of different groups \
                         do not compare",
                        found.parts
                    );
                    tell("unlinked", text);
                }
                if !found.vanishing.is_empty() {
                    let names = names(rated, &found.vanishing);
                    let text = format!("P.910 finds no spread at all in {names}, who take all weight");
                    tell("vanishing", text);
                }
            }
            // If the column decides, the models without estimates already have a note.
            Err(_) if decides => {}
            Err(error) => tell("no-rater-model", format!("no bias and inconsistency by P.910: {error}")),
        }
    }
}

impl Analysed {
    /// The models, ascending.
    pub(super) fn models(&self) -> Vec<usize> {
        let mut models: Vec<usize> = self.part.stimuli.iter().map(|stimulus| stimulus.0).collect();
        models.dedup();
        models
    }

    /// Whether a rejected rater scored a model.
    fn rejects_of(&self, model: usize) -> bool {
        self.part.rows.iter().any(|(_, rating)| rating.model == model && self.is_rejected(rating.rater))
    }
}

fn names(rated: &Rated, raters: &[usize]) -> String {
    let names: Vec<&str> = raters.iter().map(|&rater| &*rated.raters[rater]).collect();
    first_few(&names)
}

/// Notes about a measure.
struct Notes<'a> {
    measure: &'a Measure,
    rated: &'a Rated,
    notes: &'a mut Vec<Note>,
}

impl Notes<'_> {
    fn push(&mut self, note: Note) {
        self.notes.push(note.about(&self.measure.name));
    }
}
