//! Tables of scores in, findings out.

#![allow(dead_code, clippy::unwrap_used, reason = "test support, of which each test uses a part")]

use hype_core::RaterDesign;
use hype_core::model::findings::{Exclusion, MeasureFindings, Table};
use hype_core::model::score::{Direction, Measure, Row};
use hype_core::yaml::Document;
use hype_core::{
    AggregateError, Aggregated, Aggregation, AggregatorSpec, Diagnostics, Registry, ScoreTable, Severity,
    SpecPart, Streams,
};
use serde_json::Value;

/// Rater, model, item and value.
pub(crate) type Scored<'a> = (&'a str, &'a str, &'a str, f64);

pub(crate) fn table(rows: &[Scored<'_>]) -> ScoreTable {
    let mut table = ScoreTable::default();
    for &(rater, model, item, value) in rows {
        table.push(&Row { rater, model, against: "", item, block: 0, measure: "score", value });
    }
    table
}

pub(crate) fn measures() -> Vec<Measure> {
    vec![
        Measure::new("score", "score", "points", Direction::Higher),
        Measure::new("other", "other", "", Direction::Lower),
    ]
}

pub(crate) fn context() -> Aggregation {
    Aggregation::new(measures(), RaterDesign::Within)
}

pub(crate) fn excluded(raters: &[&str]) -> Vec<Exclusion> {
    let exclusion =
        |rater: &&str| Exclusion { rater: (*rater).into(), rule: "left".into(), reason: "test".into() };
    raters.iter().map(exclusion).collect()
}

/// An aggregator's findings, which survive JSON: none of them is NaN.
#[track_caller]
pub(crate) fn aggregate(
    by: &dyn AggregatorSpec,
    tables: &[ScoreTable],
    left_out: &[&str],
) -> Result<Aggregated, AggregateError> {
    let mut sums = by.begin(&context());
    for table in tables {
        sums.add(table)?;
    }
    let found = sums.findings(&excluded(left_out), &Streams::new(1))?;
    for measure in &found.measures {
        let text = serde_json::to_string(measure).unwrap();
        assert_eq!(&serde_json::from_str::<MeasureFindings>(&text).unwrap(), measure);
    }
    Ok(found)
}

/// Checks that chunks, threads and the order of rows change nothing.
#[track_caller]
pub(crate) fn streams_alike(by: &dyn AggregatorSpec, rows: &[Scored<'_>], left_out: &[&str]) {
    let whole = aggregate(by, &[table(rows)], left_out).unwrap();
    let (left, right) = rows.split_at(rows.len() / 3);
    assert_eq!(aggregate(by, &[table(left), table(right)], left_out).unwrap(), whole);
    let reversed: Vec<Scored<'_>> = rows.iter().rev().copied().collect();
    assert_eq!(aggregate(by, &[table(&reversed)], left_out).unwrap(), whole);
    assert_eq!(aggregate(by, &[table(right), table(left)], left_out).unwrap(), whole);
    for threads in [1, 2] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let found = pool.install(|| aggregate(by, &[table(rows)], left_out).unwrap());
        assert_eq!(format!("{found:?}"), format!("{whole:?}"), "{threads} threads");
    }
}

/// Path, code and severity of each fault that an aggregator finds in its settings.
pub(crate) fn faults(by: &dyn AggregatorSpec) -> Vec<(String, &'static str, Severity)> {
    let mut at = Diagnostics::new();
    by.check(&measures(), &mut at);
    at.iter().map(|fault| (fault.path.clone(), fault.code, fault.severity)).collect()
}

/// An aggregator from its YAML.
#[track_caller]
pub(crate) fn yaml(text: &str) -> Box<dyn AggregatorSpec> {
    let document = Document::parse(text).unwrap();
    document.root().read().unwrap_or_else(|fault| panic!("{text}: {fault}"))
}

/// The fault of YAML that is not an aggregator.
#[track_caller]
pub(crate) fn unreadable(text: &str) -> String {
    let document = Document::parse(text).unwrap();
    document.root().read::<Box<dyn AggregatorSpec>>().unwrap_err().to_string()
}

/// Checks that the example of a kind can be read and has no fault.
#[track_caller]
pub(crate) fn example_reads(kind: &str) {
    let registry = Registry::linked().unwrap();
    let entry = registry.find(SpecPart::Aggregator, kind).unwrap();
    assert_eq!(faults(&*yaml(entry.example)), []);
    assert!(entry.example.contains(kind) && !entry.summary.is_empty() && !entry.citation.is_empty());
}

#[track_caller]
pub(crate) fn find<'a>(found: &'a MeasureFindings, name: &str) -> &'a Table {
    found.tables.iter().find(|table| &*table.name == name).unwrap()
}

#[track_caller]
pub(crate) fn column(table: &Table, name: &str) -> Vec<Value> {
    let place = table.columns.iter().position(|column| &*column.name == name).unwrap();
    assert!(table.rows.iter().all(|row| row.len() == table.columns.len()));
    table.rows.iter().map(|row| row[place].clone()).collect()
}

#[track_caller]
pub(crate) fn numbers(table: &Table, name: &str) -> Vec<f64> {
    column(table, name).iter().map(|value| value.as_f64().unwrap()).collect()
}

#[track_caller]
pub(crate) fn texts(table: &Table, name: &str) -> Vec<String> {
    column(table, name).iter().map(|value| value.as_str().unwrap().to_owned()).collect()
}

pub(crate) fn codes(found: &Aggregated) -> Vec<&str> {
    found.notes.iter().map(|note| &*note.code).collect()
}

#[track_caller]
pub(crate) fn assert_close(got: f64, want: f64, relative: f64) {
    assert!((got - want).abs() <= relative * want.abs().max(1.0), "got {got}, want {want}");
}

#[track_caller]
pub(crate) fn all_close(got: &[f64], want: &[f64], absolute: f64) {
    assert_eq!(got.len(), want.len());
    for (place, (got, want)) in got.iter().zip(want).enumerate() {
        assert!((got - want).abs() <= absolute, "at {place}: got {got}, want {want}");
    }
}
