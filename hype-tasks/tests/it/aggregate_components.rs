//! `components` agrees with values computed by hand and published values, and states the reason if there is no
//! result.

#![allow(missing_docs, clippy::unwrap_used, clippy::float_cmp, reason = "a test")]

use crate::tables::{
    Scored, aggregate, all_close, assert_close, codes, column, example_reads, faults, find, numbers,
    streams_alike, table, texts, unreadable, yaml,
};
use hype_analyses::aggregators::components::Components;
use hype_core::Aggregated;
use hype_core::Severity::Error;
use serde_json::Value;

#[track_caller]
fn found(settings: &str, rows: &[Scored<'_>], left_out: &[&str]) -> Aggregated {
    aggregate(&*yaml(&format!("{{ kind: components{settings} }}")), &[table(rows)], left_out).unwrap()
}

const RATERS: [&str; 4] = ["r1", "r2", "r3", "r4"];
const ITEMS: [&str; 6] = ["i1", "i2", "i3", "i4", "i5", "i6"];

/// Rows of scores by rater and item.
fn rows(model: &'static str, by_rater: &[&[u8]]) -> Vec<Scored<'static>> {
    let mut rows = Vec::new();
    for (rater, scores) in RATERS.iter().zip(by_rater) {
        rows.extend(ITEMS.iter().zip(*scores).map(|(item, &score)| (*rater, model, *item, f64::from(score))));
    }
    rows
}

/// Shrout and Fleiss (1979), table 2: four judges of six targets.
fn shrout_and_fleiss() -> Vec<Scored<'static>> {
    rows("m", &[&[9, 6, 8, 7, 10, 6], &[2, 1, 4, 1, 5, 2], &[5, 3, 6, 2, 6, 4], &[8, 2, 8, 6, 9, 7]])
}

#[test]
fn shrout_and_fleiss_by_hand() {
    let found = found("", &shrout_and_fleiss(), &[]);
    let measure = &found.measures[0];
    assert_eq!((measure.raters, measure.items, measure.responses), (4, 6, 24));
    let components = find(measure, "components");
    assert_eq!(texts(components, "source"), ["rater", "item", "residual"]);
    assert_eq!(texts(components, "method"), ["mean squares"; 3]);
    // Their mean squares: between targets 11.24, between judges 32.49, residual 1.02; exactly in 24ths and more.
    let (targets, judges, residual) = (1349.0 / 120.0, 3508.5 / 108.0, 183.5 / 180.0);
    let want = [(judges - residual) / 6.0, (targets - residual) / 4.0, residual];
    all_close(&numbers(components, "variance"), &want, 1e-12);
    let total: f64 = want.iter().sum();
    all_close(&numbers(components, "share"), &want.map(|one| one / total), 1e-12);
    let error = (want[0] / 4.0 + want[1] / 6.0 + want[2] / 24.0).sqrt();
    assert_close(numbers(find(measure, "means"), "standard_error")[0], error, 1e-12);
    let estimate = &measure.estimates[0];
    assert_close(estimate.value, 127.0 / 24.0, 1e-14);
    let interval = estimate.interval.as_ref().unwrap();
    assert_close(0.5 * (interval.low + interval.high), estimate.value, 1e-12);
    assert!(interval.high - interval.low > 2.0 * 1.96 * error);
    assert!(interval.method.contains("raters and items random"));

    // Their ICC(3,4) and ICC(2,4).
    let reliability = find(measure, "generalizability");
    assert_eq!(texts(reliability, "object"), ["items"]);
    assert_eq!((numbers(reliability, "raters"), numbers(reliability, "items")), (vec![4.0], vec![6.0]));
    let two = |name: &str| format!("{:.2}", numbers(reliability, name)[0]);
    assert_eq!((two("generalizability"), two("dependability")), ("0.91".into(), "0.62".into()));
    // 0.8 / 0.2 times the residual over the items' variance, 1.6, rounded up.
    assert_eq!(numbers(reliability, "raters_needed"), [2.0]);
    assert!(measure.tests.is_empty() && measure.comparisons.is_empty() && found.notes.is_empty());
}

/// Two models by the same three raters on the same four items, with all components positive.
fn two_models() -> Vec<Scored<'static>> {
    let mut all = rows("a", &[&[2, 4, 6, 4], &[2, 8, 8, 7], &[8, 7, 7, 4]]);
    all.extend(rows("b", &[&[1, 3, 3, 5], &[1, 7, 7, 6], &[2, 1, 6, 5]]));
    all
}

/// The mean squares are 50/3, 21/2, 79/6, 8/3, 3, 29/6 and 7/3: of models, raters, items, models by raters, models by
/// items, raters by items and the rest.
#[test]
fn two_models_together_by_hand() {
    let found = found("", &two_models(), &[]);
    let measure = &found.measures[0];
    let components = find(measure, "components");
    let (models, sources) = (column(components, "model"), texts(components, "source"));
    assert_eq!(models[..6], ["a", "a", "a", "b", "b", "b"].map(Value::from));
    assert_eq!(models[6..], vec![Value::Null; 6]);
    assert_eq!(
        sources[6..],
        ["rater", "item", "model by rater", "model by item", "rater by item", "residual"]
    );
    let want = [2.0 / 3.0, 23.0 / 18.0, 1.0 / 12.0, 2.0 / 9.0, 1.25, 7.0 / 3.0];
    all_close(&numbers(components, "variance")[6..], &want, 1e-13);
    assert_eq!(texts(components, "at_zero")[6..], ["no"; 6]);

    let [a, b] = measure.estimates.as_slice() else { panic!("two models") };
    assert_eq!((&*a.model, &*b.model), ("a", "b"));
    assert_close(a.value, 67.0 / 12.0, 1e-14);
    assert_close(b.value, 47.0 / 12.0, 1e-14);
    let means = find(measure, "means");
    assert_eq!(texts(means, "analysed_with"), ["itself", "itself", "all models", "all models"]);
    all_close(&numbers(means, "standard_error")[2..], &[(133.0_f64 / 144.0).sqrt(); 2], 1e-13);
    assert_eq!(a.interval.as_ref().unwrap().low, numbers(means, "low")[2]);

    let [test] = measure.tests.as_slice() else { panic!("one test") };
    assert_close(test.statistic.unwrap(), 57.0 / 17.0, 1e-13);
    all_close(&test.df, &[19_494.0 / 15_049.0, 289.0 / 59.0], 1e-12);
    assert_close(test.effects[0].value, 50.0 / 17.0, 1e-13);
    let [pair] = measure.comparisons.as_slice() else { panic!("one pair") };
    assert_eq!((&*pair.a, &*pair.b), ("a", "b"));
    assert_close(pair.difference, 5.0 / 3.0, 1e-13);
    assert_close(pair.statistic.unwrap(), 5.0_f64.sqrt(), 1e-13);
    let range = pair.interval.as_ref().unwrap();
    assert!(range.low < 0.0 && range.high > 2.0 * pair.difference && pair.p.unwrap() > 0.05);

    // The variance of models is 25/18 - 5/18, the relative error 5/18, the absolute one 133/144.
    let reliability = find(measure, "generalizability");
    assert_eq!(texts(reliability, "object"), ["items", "items", "items", "models"]);
    assert_close(numbers(reliability, "object_variance")[3], 10.0 / 9.0, 1e-13);
    assert_close(numbers(reliability, "generalizability")[3], 0.8, 1e-13);
    assert_close(numbers(reliability, "dependability")[3], 160.0 / 293.0, 1e-13);
    // Items within models: (1.5) / (1.5 + 43/36) and (1.5) / (1.5 + 13/9).
    assert_close(numbers(reliability, "generalizability")[2], 54.0 / 97.0, 1e-13);
    assert_close(numbers(reliability, "dependability")[2], 27.0 / 53.0, 1e-13);
}

/// The better model is first for any order of names.
#[test]
fn differences_are_of_the_better_less_the_worse() {
    let swapped: Vec<Scored<'_>> = two_models()
        .into_iter()
        .map(|(rater, model, item, value)| (rater, if model == "a" { "z" } else { model }, item, value))
        .collect();
    let (one, other) = (found("", &two_models(), &[]), found("", &swapped, &[]));
    let (one, other) = (&one.measures[0].comparisons[0], &other.measures[0].comparisons[0]);
    assert_eq!((&*other.a, &*other.b), ("z", "b"));
    assert_close(other.difference, one.difference, 1e-13);
    assert_close(other.statistic.unwrap(), one.statistic.unwrap(), 1e-12);
    let (one, other) = (one.interval.as_ref().unwrap(), other.interval.as_ref().unwrap());
    assert_close(other.low, one.low, 1e-12);
    assert_close(other.high, one.high, 1e-12);
}

#[test]
fn missing_cells_go_to_restricted_likelihood() {
    let mut rows = two_models();
    rows.remove(5);
    rows.remove(17);
    let found = found("", &rows, &[]);
    let measure = &found.measures[0];
    let methods = texts(find(measure, "components"), "method");
    assert_eq!(methods.last().unwrap(), "restricted maximum likelihood");
    assert!(measure.tests[0].undefined.is_some() && measure.tests[0].p.is_none());
    assert!(measure.comparisons[0].p.is_some());
    assert_eq!(measure.estimates.len(), 2);
}

#[test]
fn models_without_common_raters_and_items_are_analysed_separately() {
    // Nothing is shared: each model is analysed separately, and a note says so.
    let apart: Vec<Scored<'_>> = shrout_and_fleiss()
        .into_iter()
        .chain([("x1", 1.0), ("x2", 3.0), ("x3", 2.0)].into_iter().flat_map(|(rater, value)| {
            [("y1", 0.0), ("y2", 2.0), ("y3", value)].map(|(item, more)| (rater, "n", item, value + more))
        }))
        .collect();
    let apart = found("", &apart, &[]);
    assert!(codes(&apart).contains(&"nothing-shared"));
    assert_eq!(texts(find(&apart.measures[0], "means"), "model"), ["m", "n"]);
}

#[test]
fn excluded_raters_are_left_out_and_estimates_with_them_are_shown() {
    let found = found("", &two_models(), &["r3"]);
    let measure = &found.measures[0];
    assert_eq!((measure.raters, measure.responses), (2, 16));
    let a = &measure.estimates[0];
    assert_close(a.value, 41.0 / 8.0, 1e-13);
    let with = a.with_excluded.as_ref().unwrap();
    assert_close(with.value, 67.0 / 12.0, 1e-13);
    assert_eq!(with.raters, 3);
}

#[test]
fn chunks_workers_threads_and_order_change_nothing() {
    let mut missing = two_models();
    missing.remove(7);
    for rows in [shrout_and_fleiss(), two_models(), missing] {
        streams_alike(&Components::default(), &rows, &["r2"]);
    }
}

#[test]
fn degenerate_tables_say_why() {
    // One rater; one item; a different item for each rater; all equal.
    let one_rater: Vec<Scored<'_>> = shrout_and_fleiss().into_iter().filter(|row| row.0 == "r1").collect();
    let one_item: Vec<Scored<'_>> = shrout_and_fleiss().into_iter().filter(|row| row.2 == "i1").collect();
    let nested = vec![("r1", "m", "i1", 1.0), ("r2", "m", "i2", 2.0), ("r3", "m", "i3", 4.0)];
    let equal: Vec<Scored<'_>> =
        two_models().into_iter().map(|(rater, model, item, _)| (rater, model, item, 3.0)).collect();
    for (rows, mean) in [(one_rater, 46.0 / 6.0), (one_item, 6.0), (nested, 7.0 / 3.0), (equal, 3.0)] {
        let found = found("", &rows, &[]);
        let measure = &found.measures[0];
        assert_close(measure.estimates[0].value, mean, 1e-14);
        assert_eq!(measure.estimates[0].interval, None);
        assert!(codes(&found).contains(&"no-components"));
        assert!(column(find(measure, "components"), "undefined").iter().all(|why| why.is_string()));
        assert!(measure.tests.iter().all(|test| test.undefined.is_some()));
    }
    let refused = aggregate(&Components::default(), &[], &[]).unwrap_err();
    assert_eq!(refused.to_string(), "there are no scores of `score`; there are none at all");
}

#[test]
fn faults_are_found() {
    example_reads("components");
    let told = |settings: &str| faults(&*yaml(&format!("{{ kind: components{settings} }}")));
    assert_eq!(told(", measures: [score, score]"), [("measures[1]".into(), "duplicate", Error)]);
    assert!(unreadable("{ kind: components, models: some }").contains("unknown field"));
}
