//! Strengths where covariates of outputs, such as their length, are held equal.

use std::sync::Arc;

use hype_core::model::findings::{Column, Estimate, Interval, MeasureFindings, Note, Table};
use hype_core::words::listed;
use hype_stats::StatError;
use hype_stats::clustered::{Clustered, ClusteredVariance};
use hype_stats::preference::AdjustedFit;
use serde_json::{Value, json};

use super::findings::has_ties;
use super::votes::Sample;
use super::{IntervalKind, PairedPreferences};
use crate::aggregators::inference::{check_target, no_intervals, student, target};
use crate::aggregators::sides::Sides;
use crate::aggregators::strengths::explain;

/// The code of the note on what strengths with covariates mean.
const CODE: &str = "covariates";

/// Strengths with covariates, with the source of their errors.
struct Adjusted<'s> {
    sample: &'s Sample,
    fit: AdjustedFit,
    /// `None` where votes count as independent.
    errors: Option<Clustered>,
    level: f64,
}

impl PairedPreferences {
    /// The strengths without and with covariates next to each other, and the effects of covariates. Empty without covariates, and
    /// with a note on the reason if there are no estimates.
    pub(super) fn adjusted(
        &self,
        sample: &Sample,
        without: &MeasureFindings,
        notes: &mut Vec<Note>,
    ) -> Vec<Table> {
        let (measure, names) = (&without.measure.name, listed(&sample.covariates));
        if sample.covariates.is_empty() {
            return Vec::new();
        }
        let model = self.fitted_model(has_ties(sample), sample.sides);
        let fit = model
            .and_then(|model| model.fit_adjusted(sample.models.len(), &sample.cells, &sample.differences));
        let fit = match fit {
            Ok(fit) => fit,
            Err(error) => {
                let why = match &error {
                    StatError::Covariate { covariate, reason, .. } => {
                        format!("`{}` {reason}", sample.covariates[*covariate])
                    }
                    other => explain(other, &sample.models),
                };
                let text = format!("no strengths with {names} held equal: {why}");
                notes.push(Note::meaning("no-adjusted-strengths", text).about(measure));
                return Vec::new();
            }
        };
        let is_independent = self.interval_kind() == IntervalKind::Information;
        let (errors, is_known) = match (is_independent, sample.sides) {
            (true, _) => (None, true),
            (false, Sides::Confounded) => (None, false),
            (false, Sides::Ignored | Sides::Allowed) => match clustered(sample, &fit) {
                Ok(errors) => (Some(errors), true),
                Err(error) => {
                    notes.push(no_intervals(measure, &error));
                    (None, false)
                }
            },
        };
        if !notes.iter().any(|note| &*note.code == CODE) {
            let over = if errors.is_some() { sample.generalize_to.units() } else { "independent votes" };
            let text = format!(
                "adjusted strengths hold {names} equal (style control over {over}, by relative differences): quality that goes with \
                 them, such as completeness with length, is taken out as well"
            );
            notes.push(Note::setting(CODE, text).about(measure));
        }
        let adjusted = Adjusted { sample, fit, errors, level: self.confidence() };
        vec![adjusted.strengths(&without.estimates, is_known), adjusted.effects(is_known)]
    }
}

/// The clustered errors of strengths and effects, over enough raters.
fn clustered(sample: &Sample, fit: &AdjustedFit) -> Result<Clustered, StatError> {
    check_target(sample.by_rater.len(), || sample.items as usize, sample.generalize_to)?;
    fit.crossed(&sample.cells, &sample.differences, target(sample.generalize_to))
}

impl Adjusted<'_> {
    /// The variance of an estimate, which is at least that of independent votes.
    fn variance(&self, place: usize, independent: f64) -> Option<ClusteredVariance> {
        match &self.errors {
            Some(errors) => Some(errors.of(place).ok()?.at_least(independent * independent)),
            None => ClusteredVariance::of_error(independent, f64::INFINITY).ok(),
        }
    }

    fn interval(&self, value: f64, variance: Option<&ClusteredVariance>) -> Option<Interval> {
        student(value, variance?, self.level, self.sample.generalize_to).ok()
    }

    /// Strengths without and with covariates, in the order of those without.
    fn strengths(&self, without: &[Estimate], is_known: bool) -> Table {
        let row = |before: &Estimate| {
            let place = self.sample.models.iter().position(|model| *model == before.model)?;
            let (value, error) = (self.fit.theta[place], self.fit.covariance.standard_error(place));
            let variance = self.variance(place, error).filter(|_| is_known);
            let mut row = vec![json!(before.model), json!(before.value)];
            row.extend(limits(before.interval.as_ref()));
            row.push(json!(value));
            row.extend(limits(self.interval(value, variance.as_ref()).as_ref()));
            Some(row)
        };
        Table {
            name: "adjusted".into(),
            label: format!("strengths without and with {} held equal", listed(&self.sample.covariates))
                .into(),
            rows: without.iter().filter_map(row).collect(),
            columns: vec![
                Column::new("model", "model", ""),
                Column::new("without", "strength", ""),
                Column::new("without_low", "from", ""),
                Column::new("without_high", "to", ""),
                Column::new("with", "strength, covariates equal", ""),
                Column::new("with_low", "from", ""),
                Column::new("with_high", "to", ""),
            ],
        }
    }

    /// The effect of each covariate.
    fn effects(&self, is_known: bool) -> Table {
        let row = |(number, name): (usize, &Arc<str>)| {
            let (beta, error) = (self.fit.beta[number], self.fit.standard_error(number));
            let variance = self.variance(self.fit.place_of(number), error).filter(|_| is_known);
            let mut row = vec![json!(name), json!(self.fit.scales[number]), json!(beta)];
            row.extend(limits(self.interval(beta, variance.as_ref()).as_ref()));
            row.push(json!(variance.and_then(|variance| variance.p(beta).ok())));
            row
        };
        Table {
            name: "covariates".into(),
            label: "log odds that one standard deviation of a covariate adds".into(),
            rows: self.sample.covariates.iter().enumerate().map(row).collect(),
            columns: vec![
                Column::new("covariate", "covariate", ""),
                Column::new("sd", "standard deviation of relative differences", ""),
                Column::new("beta", "log odds", ""),
                Column::new("low", "from", ""),
                Column::new("high", "to", ""),
                Column::new("p", "p, each alone", ""),
            ],
        }
    }
}

/// The limits of an interval, as cells of a table.
fn limits(range: Option<&Interval>) -> [Value; 2] {
    [json!(range.map(|range| range.low)), json!(range.map(|range| range.high))]
}

#[cfg(test)]
mod tests;
