//! Graded comparisons become strengths in grades, and several criteria are shown side by side.

#![allow(missing_docs, clippy::unwrap_used, clippy::float_cmp, reason = "a test")]

use hype_analyses::aggregators::contrast::{IntervalKind, PairedPreferences};
use hype_analyses::aggregators::grades::GradedPreferences;
use hype_core::model::findings::GeneralizeTo;
use hype_core::{Aggregated, Diagnostics};
use serde_json::{Value, json};

use crate::aggregating::{
    Cell, aggregate, context, measure, named, parts_make_the_whole, range, table, try_aggregate, value,
};

const GRADES: [&str; 1] = ["grade"];
const ITEMS: [&str; 3] = ["i1", "i2", "i3"];

/// Four raters' grades of three models on three items.
fn grades() -> Vec<Cell<'static>> {
    let mut cells = Vec::new();
    for (rater, name) in ["r1", "r2", "r3", "r4"].into_iter().enumerate() {
        for (place, item) in ITEMS.into_iter().enumerate() {
            for (pair, (a, b, mean)) in [("a", "b", 1), ("b", "c", 1), ("c", "a", -2)].into_iter().enumerate()
            {
                let noise = [0, 1, -1, 0, 1][(rater * 2 + place + pair) % 5];
                cells.push((name, a, b, item, 0, "grade", f64::from(mean + noise)));
            }
        }
    }
    cells
}

#[test]
fn two_models_have_the_mean_of_raters_means() {
    // Raters' means are 0.5, 1.5 and 2.5: 1.5, with a standard error of 1 / √3 and t(2) = 4.302652729749.
    let cells: Vec<Cell<'_>> = [("r1", 0.0), ("r1", 1.0), ("r2", 1.0), ("r2", 2.0), ("r3", 2.0), ("r3", 3.0)]
        .into_iter()
        .map(|(rater, grade)| (rater, "x", "y", "", 0, "grade", grade))
        .collect();
    let found = aggregate(&GradedPreferences::default(), &GRADES, &[table(&cells)]);
    let strength = measure(&found, "graded_strength");
    assert!((value(strength, "x") - 0.75).abs() < 1e-12 && (value(strength, "y") + 0.75).abs() < 1e-12);
    let pair = &strength.comparisons[0];
    let error = 1.0 / 3_f64.sqrt();
    assert!((pair.difference - 1.5).abs() < 1e-12 && (pair.se.unwrap() - error).abs() < 1e-12);
    let interval = pair.interval.as_ref().unwrap();
    assert!((interval.high - 1.5 - 4.302_652_729_749 * error).abs() < 1e-9, "{interval:?}");
    let rows = &named(strength, "grades").rows;
    assert_eq!(rows[0][..4], [json!("x"), json!("y"), json!(6), json!(1.5)]);
    assert!((rows[0][4].as_f64().unwrap() - 1.1_f64.sqrt()).abs() < 1e-12);
}

#[test]
fn grades_stream_and_their_order_means_nothing() {
    for target in [GeneralizeTo::Raters, GeneralizeTo::RatersAndItems] {
        let settings = GradedPreferences { generalize_to: Some(target), ..GradedPreferences::default() };
        parts_make_the_whole(&settings, &GRADES, &grades());
        let turned: Vec<Cell<'_>> = grades()
            .into_iter()
            .rev()
            .map(|(rater, a, b, item, block, measure, grade)| (rater, b, a, item, block, measure, -grade))
            .collect();
        let [one, other] = [grades(), turned].map(|cells| aggregate(&settings, &GRADES, &[table(&cells)]));
        let strengths = [&one, &other].map(|found| measure(found, "graded_strength"));
        assert_eq!(strengths[0].generalize_to, Some(target));
        for model in ["a", "b", "c"] {
            let [one, other] = strengths.map(|found| value(found, model));
            assert!((one - other).abs() < 1e-12);
            let [one, other] = strengths.map(|found| range(found, model).low);
            assert!((one - other).abs() < 1e-9);
        }
        assert!(value(strengths[0], "a") > value(strengths[0], "b"));
        assert_eq!(strengths[0].family.as_deref(), Some("3 pairs of models"));
        assert!(strengths[0].ranks.is_some());
    }
}

#[test]
fn an_unbeaten_model_has_a_strength_by_grades() {
    let cells: Vec<Cell<'_>> = ["r1", "r2", "r3", "r4"]
        .into_iter()
        .zip([3.0, 2.0, 3.0, 1.0])
        .map(|(rater, grade)| (rater, "x", "y", "", 0, "grade", grade))
        .collect();
    let found = aggregate(&GradedPreferences::default(), &GRADES, &[table(&cells)]);
    let interval = measure(&found, "graded_strength").comparisons[0].interval.clone().unwrap();
    assert!(interval.low > 0.0 && interval.high < 4.0, "{interval:?}");
}

#[test]
fn invalid_grades_are_refused_with_their_place() {
    for (cell, told) in [
        (("r1", "a", "", "i", 0, "grade", 1.0), "against"),
        (("r1", "a", "b", "i", 0, "grade", 0.5), "whole number"),
        (("r1", "a", "b", "i", 0, "grade", 1001.0), "whole number"),
        (("r1", "a", "b", "i", 0, "grade", f64::NAN), "not a finite number"),
    ] {
        let error =
            try_aggregate(&GradedPreferences::default(), &GRADES, &[table(&[cell])], &[]).unwrap_err();
        assert!(error.to_string().contains(told), "{error}");
    }
    let none = try_aggregate(&GradedPreferences::default(), &GRADES, &[table(&[])], &[]).unwrap_err();
    assert!(none.to_string().contains("no scores of `grade`"), "{none}");
    let split = [("r1", "a", "b", "i", 0, "grade", 1.0), ("r1", "c", "d", "i", 0, "grade", 1.0)];
    let found = aggregate(&GradedPreferences::default(), &GRADES, &[table(&split)]);
    assert!(measure(&found, "graded_strength").estimates.is_empty());
    assert!(
        found.notes.iter().any(|note| &*note.code == "no-strengths" && note.text.contains("a, b | c, d"))
    );
    let mut at = Diagnostics::new();
    let by: &dyn hype_core::AggregatorSpec = &GradedPreferences::default();
    by.check(&context(&["preference"]).measures, &mut at);
    assert!(at.iter().any(|fault| fault.code == "wrong-aggregator"));
}

#[test]
fn excluded_raters_are_shown_apart() {
    let found = try_aggregate(&GradedPreferences::default(), &GRADES, &[table(&grades())], &["r1"]).unwrap();
    let everyone = aggregate(&GradedPreferences::default(), &GRADES, &[table(&grades())]);
    let strength = measure(&found, "graded_strength");
    assert_eq!((strength.raters, strength.responses), (3, 27));
    for estimate in &strength.estimates {
        let with = estimate.with_excluded.as_ref().unwrap();
        assert_eq!(with.value, value(measure(&everyone, "graded_strength"), &estimate.model));
        assert_eq!(with.raters, 4);
    }
}

/// Whether a rater judges a pair on an item the same way by both criteria.
fn agrees(rater: usize, place: usize, pair: usize) -> bool {
    !(rater * rater + place * (rater + 1) + pair).is_multiple_of(4)
}

/// Votes of six raters by two criteria.
fn by_criteria() -> Vec<Cell<'static>> {
    let mut cells = Vec::new();
    for (rater, name) in ["r1", "r2", "r3", "r4", "r5", "r6"].into_iter().enumerate() {
        for (place, item) in ITEMS.into_iter().enumerate() {
            for (pair, (a, b)) in [("a", "b"), ("b", "c"), ("c", "a")].into_iter().enumerate() {
                let realism = f64::from(u8::from((rater * 5 + place * 3 + pair * 7) % 4 < 2));
                let fit = if agrees(rater, place, pair) { realism } else { 1.0 - realism };
                cells.push((name, a, b, item, 0, "preference.realism", realism));
                cells.push((name, a, b, item, 0, "preference.fit", fit));
            }
        }
    }
    cells
}

#[test]
fn criteria_are_side_by_side_and_share_a_family() {
    let both = ["preference.realism", "preference.fit"];
    for intervals in [IntervalKind::Clustered, IntervalKind::Information] {
        let settings = PairedPreferences { intervals: Some(intervals), ..PairedPreferences::default() };
        parts_make_the_whole(&settings, &both, &by_criteria());
        let found = aggregate(&settings, &both, &[table(&by_criteria())]);
        let alone = |name: &str| -> Aggregated {
            let own: Vec<Cell<'_>> = by_criteria().into_iter().filter(|cell| cell.5 == name).collect();
            aggregate(&settings, &[name], &[table(&own)])
        };
        let first = measure(&found, "strength.realism");
        assert_eq!(first.family.as_deref(), Some("3 pairs of models on 2 measures"));
        let single = alone("preference.realism");
        let single = measure(&single, "strength.realism");
        assert_eq!(single.family.as_deref(), Some("3 pairs of models"));
        for (pair, own) in first.comparisons.iter().zip(&single.comparisons) {
            // Among twice as many pairs the p values are twice as large.
            let (p, own) = (pair.p.unwrap(), own.p.unwrap());
            assert!((p - (2.0 * own).min(1.0)).abs() < 1e-9, "{intervals:?}: {p}, {own}");
        }
        let table = named(first, "criteria");
        assert_eq!(
            table.columns.iter().map(|column| &*column.name).collect::<Vec<_>>(),
            ["model", "realism", "fit"]
        );
        for row in &table.rows {
            let model = row[0].as_str().unwrap();
            for (place, name) in ["strength.realism", "strength.fit"].into_iter().enumerate() {
                assert_eq!(row[place + 1], json!(value(measure(&found, name), model)));
            }
        }
        let correlations = &named(first, "criteria_correlation").rows;
        assert_eq!(correlations.len(), 1);
        let row = &correlations[0];
        assert_eq!((row.len(), &row[0], &row[1], &row[5]), (6, &json!("realism"), &json!("fit"), &json!(54)));
        // Outcomes are 1 or -1.
        let alike = (0..54).filter(|at| agrees(at / 9, at / 3 % 3, at % 3)).count() as f64;
        let want = (2.0 * alike - 54.0) / 54.0;
        assert!((row[2].as_f64().unwrap() - want).abs() < 1e-12);
        assert!(row[3].as_f64().unwrap() < want && row[4].as_f64().unwrap() > want);
        assert!(single.tables.is_empty());
    }
}

#[test]
fn criteria_that_always_agree_have_no_interval_but_a_reason() {
    let cells: Vec<Cell<'_>> = by_criteria()
        .into_iter()
        .filter(|cell| cell.5 == "preference.realism")
        .flat_map(|cell| [cell, (cell.0, cell.1, cell.2, cell.3, cell.4, "preference.fit", cell.6)])
        .collect();
    let both = ["preference.realism", "preference.fit"];
    let found = aggregate(&PairedPreferences::default(), &both, &[table(&cells)]);
    let row = &named(measure(&found, "strength.realism"), "criteria_correlation").rows[0];
    assert_eq!((&row[2], &row[3]), (&Value::Null, &Value::Null));
    assert!(row[6].as_str().unwrap().contains("throughout"), "{row:?}");
}
