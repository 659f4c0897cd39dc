//! Raters whose means or differences are equal show no error, whatever rounding makes of them.

#![allow(missing_docs, clippy::unwrap_used, reason = "a test")]

use crate::aggregating::{Cell, aggregate, measure, table};
use hype_analyses::aggregators::ByModel;
use hype_analyses::aggregators::contrast::{IntervalKind, PairedPreferences};

const RATERS: [&str; 7] = ["r1", "r2", "r3", "r4", "r5", "r6", "r7"];

/// Each rater's mean of model `a` is this much above that of `b`, in tenths and over ten trials.
fn fooled(raters: usize, of_b: impl Fn(usize) -> u16, more: u16) -> Vec<Cell<'static>> {
    let trials = (0..raters).flat_map(|rater| (0..10).map(move |trial| (rater, trial)));
    trials
        .flat_map(|(rater, trial)| {
            let value = |wrong: u16| f64::from(u8::from(trial < wrong));
            let own = of_b(rater);
            [
                (RATERS[rater], "a", "", "i", trial, "error", value(own + more)),
                (RATERS[rater], "b", "", "i", trial, "error", value(own)),
            ]
        })
        .collect()
}

#[test]
fn differences_that_are_equal_up_to_rounding_are_not_tested() {
    for raters in 3..=RATERS.len() {
        for base in [|_| 0, |rater| rater as u16] {
            let found = aggregate(&ByModel::default(), &["error"], &[table(&fooled(raters, base, 1))]);
            let error = measure(&found, "error");
            let pair = &error.comparisons[0];
            assert_eq!(pair.p, None, "{raters} raters: {pair:?}");
            assert!(pair.interval.is_none(), "{raters} raters: {pair:?}");
        }
    }
}

#[test]
fn means_that_are_equal_up_to_rounding_have_no_interval() {
    for raters in 3..=RATERS.len() {
        let cells: Vec<Cell<'_>> = RATERS[..raters]
            .iter()
            .flat_map(|&rater| [3.3, 2.1].map(|value| (rater, if value > 3.0 { "a" } else { "b" }, value)))
            .map(|(rater, model, value)| (rater, model, "", "i", 0, "score", value))
            .collect();
        let found = aggregate(&ByModel::default(), &["score"], &[table(&cells)]);
        let ranges = measure(&found, "score").estimates.iter().map(|one| one.interval.as_ref());
        assert!(
            ranges.clone().all(|range| range.is_none()),
            "{raters} raters: {:?}",
            ranges.collect::<Vec<_>>()
        );
    }
}

#[test]
fn win_rates_that_are_equal_up_to_rounding_have_the_interval_of_few_raters() {
    let width = |won: u16| {
        let votes = RATERS[..3].iter().flat_map(|&rater| (0..25).map(move |vote| (rater, vote)));
        let cells: Vec<Cell<'_>> = votes
            .map(|(rater, vote)| (rater, "a", "b", "i", vote, "preference", f64::from(u8::from(vote < won))))
            .collect();
        let settings = PairedPreferences {
            intervals: Some(IntervalKind::Clustered),
            order_effect: Some(false),
            ..PairedPreferences::default()
        };
        let found = aggregate(&settings, &["preference"], &[table(&cells)]);
        let estimate = measure(&found, "win_rate").estimates.iter().find(|one| &*one.model == "a").unwrap();
        let range = estimate.interval.as_ref().unwrap();
        range.high - range.low
    };
    // Of eight votes each, the deviations from the rate are exact.
    assert!((width(7) - width(8)).abs() < 0.05, "{} {}", width(7), width(8));
}
