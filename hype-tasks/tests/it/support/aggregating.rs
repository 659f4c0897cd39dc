//! Aggregates tables of scores, whole or in parts.

use hype_core::RaterDesign;
use hype_core::model::findings::{Exclusion, Interval, MeasureFindings, Table};
use hype_core::model::score::{Direction, Measure, Row};
use hype_core::plugin::aggregator::Aggregation;
use hype_core::{AggregateError, Aggregated, AggregatorSpec, ScoreTable, Streams};

/// Rater, model, against, item, block, measure, value.
pub(crate) type Cell<'a> = (&'a str, &'a str, &'a str, &'a str, u16, &'a str, f64);

pub(crate) fn table(cells: &[Cell<'_>]) -> ScoreTable {
    let mut table = ScoreTable::default();
    for &(rater, model, against, item, block, measure, value) in cells {
        table.push(&Row { rater, model, against, item, block, measure, value });
    }
    table
}

pub(crate) fn context(measures: &[&str]) -> Aggregation {
    let measures = measures.iter().map(|name| Measure::new(name, name, "", Direction::Higher)).collect();
    Aggregation::new(measures, RaterDesign::Within)
}

pub(crate) fn try_aggregate(
    by: &dyn AggregatorSpec,
    measures: &[&str],
    tables: &[ScoreTable],
    left_out: &[&str],
) -> Result<Aggregated, AggregateError> {
    let mut sums = by.begin(&context(measures));
    for table in tables {
        sums.add(table)?;
    }
    let exclusions: Vec<Exclusion> = left_out
        .iter()
        .map(|&rater| Exclusion { rater: rater.into(), rule: "left".into(), reason: "test".into() })
        .collect();
    sums.findings(&exclusions, &Streams::new(1))
}

#[track_caller]
pub(crate) fn aggregate(by: &dyn AggregatorSpec, measures: &[&str], tables: &[ScoreTable]) -> Aggregated {
    try_aggregate(by, measures, tables, &[]).unwrap()
}

/// Splits the rows in two and adds the parts one after the other; the result has to be that of all rows together.
#[track_caller]
pub(crate) fn parts_make_the_whole(by: &dyn AggregatorSpec, measures: &[&str], cells: &[Cell<'_>]) {
    let whole = aggregate(by, measures, &[table(cells)]);
    let (first, second) = cells.split_at(cells.len() / 2);
    assert_eq!(aggregate(by, measures, &[table(first), table(second)]), whole);
}

#[track_caller]
pub(crate) fn measure<'a>(found: &'a Aggregated, name: &str) -> &'a MeasureFindings {
    found.measures.iter().find(|measure| &*measure.measure.name == name).unwrap()
}

#[track_caller]
pub(crate) fn value(found: &MeasureFindings, model: &str) -> f64 {
    found.estimates.iter().find(|estimate| &*estimate.model == model).unwrap().value
}

#[track_caller]
pub(crate) fn range<'a>(found: &'a MeasureFindings, model: &str) -> &'a Interval {
    let estimate = found.estimates.iter().find(|estimate| &*estimate.model == model).unwrap();
    estimate.interval.as_ref().unwrap()
}

#[track_caller]
pub(crate) fn named<'a>(found: &'a MeasureFindings, name: &str) -> &'a Table {
    found.tables.iter().find(|table| &*table.name == name).unwrap()
}
