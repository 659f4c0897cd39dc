//! All answers of a model pooled, as HEIM reports them.

#![allow(missing_docs, dead_code, clippy::unwrap_used, reason = "a test")]

use crate::aggregating::{
    Cell, aggregate, context, measure, named, parts_make_the_whole, table, try_aggregate,
};
use hype_analyses::aggregators::agreement::{CoefficientKind, Over, RaterAgreement};
use hype_analyses::aggregators::imagenhub::ImagenHub;
use hype_analyses::aggregators::pooled::Pooled;
use hype_core::{AggregatorSpec, MeasureFindings, Streams};
use serde_json::json;

/// The rater `a` answered thrice about m and the rater `b` once.
const CELLS: [Cell<'static>; 5] = [
    ("a", "m", "", "1", 0, "alignment", 1.0),
    ("a", "m", "", "2", 0, "alignment", 2.0),
    ("a", "m", "", "3", 0, "alignment", 3.0),
    ("b", "m", "", "1", 0, "alignment", 6.0),
    ("b", "n", "", "1", 0, "alignment", 4.0),
];

#[test]
fn answers_have_equal_weight_and_the_spread_is_that_of_answers() {
    let found = aggregate(&Pooled::default(), &["alignment"], &[table(&CELLS)]);
    let found = measure(&found, "alignment");
    assert_eq!((found.raters, found.items, found.responses), (2, 3, 5));
    // The squared deviations from 3 are 4, 1, 0 and 9.
    let rows = [json!(["m", 4, 3.0, 3.5_f64.sqrt()]), json!(["n", 1, 4.0, 0.0])];
    assert_eq!(json!(named(found, "pooled").rows), json!(rows));
    parts_make_the_whole(&Pooled::default(), &["alignment"], &CELLS);
}

#[test]
fn excluded_raters_are_left_out() {
    let found = try_aggregate(&Pooled::default(), &["alignment"], &[table(&CELLS)], &["b"]).unwrap();
    let rows = &named(measure(&found, "alignment"), "pooled").rows;
    assert_eq!((rows.len(), &rows[0][2]), (1, &json!(2.0)));
    assert!(try_aggregate(&Pooled::default(), &["alignment"], &[table(&CELLS)], &["a", "b"]).is_err());
}

/// The models in which an aggregator lists cells of a study whose spec names `n` before `m`.
fn listed(
    by: &dyn AggregatorSpec,
    measures: &[&str],
    cells: &[Cell<'_>],
    list: fn(&MeasureFindings) -> Vec<String>,
) -> Vec<String> {
    let mut context = context(measures);
    context.models = vec!["n".into(), "m".into()];
    let mut sums = by.begin(&context);
    sums.add(&table(cells)).unwrap();
    list(&sums.findings(&[], &Streams::new(1)).unwrap().measures[0])
}

#[test]
fn models_come_in_the_order_of_the_spec() {
    let pooled = |found: &MeasureFindings| {
        named(found, "pooled").rows.iter().map(|row| row[0].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(listed(&Pooled::default(), &["alignment"], &CELLS, pooled), ["n", "m"]);

    let agreed = |found: &MeasureFindings| {
        found.agreement.iter().filter_map(|found| Some(found.model.as_ref()?.to_string())).collect()
    };
    let agreement = RaterAgreement {
        over: Over::Model,
        coefficients: vec![CoefficientKind::KrippendorffOrdinal],
        ..RaterAgreement::default()
    };
    assert_eq!(listed(&agreement, &["alignment"], &CELLS, agreed), ["n", "m"]);

    let both = |measure: &'static str| {
        CELLS.map(|(rater, model, against, item, block, _, _)| {
            (rater, model, against, item, block, measure, 1.0)
        })
    };
    let cells = [both("SC"), both("PQ")].concat();
    let mut models = listed(&ImagenHub::default(), &["SC", "PQ"], &cells, agreed);
    models.dedup();
    assert_eq!(models, ["n", "m"]);
}
