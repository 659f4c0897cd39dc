//! All answers of a model pooled, as HEIM reports them.

#![allow(missing_docs, dead_code, clippy::unwrap_used, reason = "a test")]

use crate::aggregating::{Cell, aggregate, measure, named, parts_make_the_whole, table, try_aggregate};
use hype_tasks::aggregators::pooled::Pooled;
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
fn every_answer_weighs_alike_and_the_spread_is_that_of_answers() {
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
