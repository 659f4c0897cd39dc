//! The aggregator `elo`: Elo ratings averaged over random orders of the votes, for comparison with leaderboards only.

use hype_core::model::findings::{Column, Estimate, Exclusion, MeasureFindings, Note, Table};
use hype_core::model::score::NO_MODEL;
use hype_core::plugin::aggregator::Aggregation;
use hype_core::{
    AggregateError, Aggregated, Aggregator, Diagnostics, Direction, Measure, Streams, register_aggregator,
};
use hype_stats::preference::{self, ComparisonOutcome, OrderAveraged};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::contrast::place_of;
use super::measures::{PREFERENCE, check_votes, is_preference};
use super::ordering::greatest_first;
use crate::score_rows::{ScoreRow, ScoreRows, aggregates_score_rows, distinct};

/// The greatest change of a rating by one vote.
const K: f64 = 4.0;
/// The rating that all models begin with.
const START: f64 = 1000.0;
/// The difference that corresponds to odds of ten to one.
const SCALE: f64 = 400.0;
/// The number of random orders that are averaged.
const ORDERS: usize = 100;

/// The aggregator `elo`, as published leaderboards compute it: K = 4 from 1000 on the scale 400.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Elo {}

fn found_of(
    score_rows: &ScoreRows,
    measure: &Measure,
    rows: &[ScoreRow],
    seed: u64,
) -> Result<MeasureFindings, AggregateError> {
    let mut models: Vec<u32> = rows.iter().flat_map(|row| [row.model, row.against]).collect();
    models.sort_unstable_by_key(|&model| score_rows.model(model));
    models.dedup();
    let place = |model: u32| models.iter().position(|&known| known == model).unwrap_or_default() as u32;
    let first: Vec<u32> = rows.iter().map(|row| place(row.model)).collect();
    let second: Vec<u32> = rows.iter().map(|row| place(row.against)).collect();
    let outcomes = rows
        .iter()
        .map(|row| outcome(score_rows, measure, row))
        .collect::<Result<Vec<ComparisonOutcome>, _>>()?;
    let ratings = preference::EloSystem::new(K, START, SCALE)
        .and_then(|elo| elo.order_averaged(models.len(), &first, &second, &outcomes, ORDERS, seed))
        .map_err(|error| AggregateError::Other(error.to_string()))?;
    let mut estimates: Vec<Estimate> = models
        .iter()
        .zip(&ratings)
        .map(|(&model, rating)| {
            let own = || rows.iter().filter(|row| row.model == model || row.against == model);
            Estimate {
                model: score_rows.model(model),
                value: rating.mean,
                interval: None,
                bootstrap_sd: None,
                sd: None,
                sem: None,
                se: None,
                raters: distinct(own().map(|row| row.rater)),
                responses: own().count() as u64,
                pseudo_values: Vec::new(),
                with_excluded: None,
            }
        })
        .collect();
    estimates.sort_by(greatest_first);
    Ok(MeasureFindings {
        raters: distinct(rows.iter().map(|row| row.rater)),
        items: distinct(rows.iter().map(|row| row.item)),
        responses: rows.len() as u64,
        estimates,
        tables: vec![orders_table(score_rows, &models, &ratings)],
        ..MeasureFindings::new(rating(measure))
    })
}

fn orders_table(score_rows: &ScoreRows, models: &[u32], ratings: &[OrderAveraged]) -> Table {
    let row = |(&model, rating): (&u32, &OrderAveraged)| {
        vec![json!(score_rows.model(model)), json!(rating.mean), json!(rating.standard_deviation)]
    };
    Table {
        name: "elo".into(),
        label: format!("Elo over {ORDERS} orders of the same votes").into(),
        columns: vec![
            Column::new("model", "model", ""),
            Column::new("mean", "mean", "points"),
            Column::new("sd", "sd over orders", "points"),
        ],
        rows: models.iter().zip(ratings).map(row).collect(),
    }
}

/// The outcome of a vote by its value.
fn outcome(
    score_rows: &ScoreRows,
    measure: &Measure,
    row: &ScoreRow,
) -> Result<ComparisonOutcome, AggregateError> {
    let outcomes = [ComparisonOutcome::Second, ComparisonOutcome::Tie, ComparisonOutcome::First];
    place_of(row.value).map(|place| outcomes[place]).ok_or_else(|| {
        AggregateError::Other(format!(
            "rater {}, item {}: `{}` is {}, but a vote is 1, 0 or 0.5",
            score_rows.rater(row.rater),
            score_rows.item(row.item),
            measure.name,
            row.value
        ))
    })
}

impl Elo {
    fn found(
        &self,
        sums: &ScoreRows,
        exclusions: &[Exclusion],
        chance: &Streams,
    ) -> Result<Aggregated, AggregateError> {
        let excluded = sums.excluded(exclusions);
        let mut found = Aggregated::default();
        for (place, measure) in sums.measures().iter().enumerate() {
            let compared = |row: &&ScoreRow| row.against != NO_MODEL && row.against != row.model;
            let mut rows: Vec<ScoreRow> = sums.rows(place, &excluded).filter(compared).copied().collect();
            sums.sort_by_name(&mut rows);
            if !rows.is_empty() {
                let seed = chance.child("elo", 0).seed(&measure.name);
                found.measures.push(found_of(sums, measure, &rows, seed)?);
            }
        }
        if found.measures.is_empty() {
            return Err(sums.no_scores(PREFERENCE));
        }
        let text = "Elo ratings depend on the order of votes and have no interval: they serve comparison with leaderboards; \
                    read the strengths of `contrast`";
        let note = Note::setting("elo", text);
        found.notes.push(found.measures.iter().fold(note, |note, found| note.about(&found.measure.name)));
        Ok(found)
    }
}

impl Aggregator for Elo {
    aggregates_score_rows!();

    fn check(&self, measures: &[Measure], at: &mut Diagnostics) {
        check_votes("elo", measures, at);
    }

    fn reported(&self, measure: &Measure) -> Measure {
        if is_preference(measure) { rating(measure) } else { measure.clone() }
    }

    fn begin(&self, context: &Aggregation) -> ScoreRows {
        let votes = context.measures.iter().filter(|measure| is_preference(measure));
        let wanted: Vec<String> = votes.map(|measure| measure.name.to_string()).collect();
        ScoreRows::new(Some(&wanted), context)
    }
}

/// The rating of models by votes of a measure.
fn rating(votes: &Measure) -> Measure {
    let suffix = votes.name.strip_prefix(PREFERENCE).unwrap_or_default();
    let label = format!("{}: Elo, mean over orders", votes.label);
    Measure::new(&format!("elo{suffix}"), &label, "points", Direction::Higher)
}

register_aggregator!(
    Elo,
    "elo",
    summary = "Elo ratings averaged over random orders of the votes, for comparison with leaderboards",
    citation = "Elo 1978, The Rating of Chessplayers, Past and Present",
    example = "{ kind: elo }",
);
