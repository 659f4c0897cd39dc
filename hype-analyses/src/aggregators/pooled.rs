//! The aggregator `pooled`: the mean and the population standard deviation of all answers about a model, as HEIM
//! reports them.
//!
//! Lee et al. 2023 (HEIM, appendix C) pool the answers of all raters about all images of a model: every answer has the
//! same weight, and the spread is the standard deviation of the answers themselves, with n in the denominator. It
//! describes how answers vary, not how precise the mean is; `by_model` gives intervals. In studies with real
//! and generated images, each set has its own row, as in HEIM's photorealism.

use std::collections::BTreeMap;
use std::sync::Arc;

use hype_core::model::findings::{Column, Exclusion, MeasureFindings, Table};
use hype_core::model::score::NO_MODEL;
use hype_core::plugin::aggregator::Aggregation;
use hype_core::{
    AggregateError, Aggregated, Aggregator, Diagnostics, Direction, Measure, Streams, register_aggregator,
};
use hype_stats::describe;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::measures::is_preference;
use crate::score_rows::{ScoreRows, aggregates_score_rows, check_measures, distinct};

/// The aggregator `pooled`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Pooled {
    /// The measures to report, the study's score first; by default all that the aggregator is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub measures: Option<Vec<String>>,
}

impl Pooled {
    fn found(
        &self,
        score_rows: &ScoreRows,
        exclusions: &[Exclusion],
        _: &Streams,
    ) -> Result<Aggregated, AggregateError> {
        let excluded = score_rows.excluded(exclusions);
        let mut found = Aggregated::default();
        for (place, measure) in score_rows.measures().iter().enumerate() {
            let rows = || score_rows.rows(place, &excluded).filter(|row| row.against == NO_MODEL);
            let mut models: BTreeMap<Arc<str>, Vec<f64>> = BTreeMap::new();
            rows().for_each(|row| models.entry(score_rows.model(row.model)).or_default().push(row.value));
            if models.is_empty() {
                continue;
            }
            let named = |row: &&crate::score_rows::ScoreRow| !score_rows.item(row.item).is_empty();
            found.measures.push(MeasureFindings {
                raters: distinct(rows().map(|row| row.rater)),
                items: distinct(rows().filter(named).map(|row| row.item)),
                responses: rows().count() as u64,
                tables: vec![table(score_rows.in_order(models))],
                ..MeasureFindings::new(measure.clone())
            });
        }
        if found.measures.is_empty() {
            return Err(
                score_rows.no_scores(score_rows.measures().first().map_or("", |measure| &*measure.name))
            );
        }
        Ok(found)
    }
}

fn table(models: Vec<(Arc<str>, Vec<f64>)>) -> Table {
    let rows = models.into_iter().map(|(model, mut answers)| {
        // After sorting, the result does not depend on the order of the rows.
        answers.sort_by(f64::total_cmp);
        vec![
            json!(model),
            json!(answers.len()),
            json!(describe::mean(&answers).ok()),
            json!(describe::population_standard_deviation(&answers).ok()),
        ]
    });
    Table {
        name: "pooled".into(),
        label: "all answers pooled, as HEIM reports them".into(),
        rows: rows.collect(),
        columns: vec![
            Column::new("model", "model", ""),
            Column::new("answers", "answers", ""),
            Column::new("mean", "mean", ""),
            Column::new("population_sd", "population sd", ""),
        ],
    }
}

impl Aggregator for Pooled {
    aggregates_score_rows!();

    fn check(&self, measures: &[Measure], at: &mut Diagnostics) {
        at.within("measures", |at| check_measures(self.measures.as_deref(), measures, at));
        if measures.iter().any(is_preference) {
            at.warning(
                "untestable",
                "the rubric gives votes between two models, and `pooled` is about answers to one at a time",
            )
            .help("use `contrast`, or leave `aggregate` out");
        }
    }

    fn begin(&self, context: &Aggregation) -> ScoreRows {
        let judged = context.measures.iter().filter(|measure| measure.direction != Direction::Neither);
        let judged: Vec<String> = judged.map(|measure| measure.name.to_string()).collect();
        ScoreRows::new(Some(self.measures.as_deref().unwrap_or(&judged)), context)
    }
}

register_aggregator!(
    Pooled,
    "pooled",
    summary = "Mean and population standard deviation of all answers about a model, as HEIM reports them",
    citation = "Lee et al. 2023, Holistic Evaluation of Text-to-Image Models, NeurIPS, appendix C",
    example = "{ kind: pooled, measures: [alignment] }",
);
