//! The order of rows changes no bit of any aggregator's findings.

use hype_core::model::score::{Direction, Measure, Row};
use hype_core::{Aggregation, RaterDesign, ScoreTable, Streams};

use crate::tables::yaml;

/// Rater, model, the model compared with, item, measure and value.
type Given = (String, &'static str, &'static str, String, &'static str, f64);

const MODELS: [&str; 3] = ["b", "c", "a"];

fn given() -> Vec<Given> {
    let mut rows = Vec::new();
    for rater in 0..7_u32 {
        for item in 0..5_u32 {
            let (name, about) = (format!("r{rater}"), format!("i{item}"));
            let mut row = |model, against, measure, value| {
                rows.push((name.clone(), model, against, about.clone(), measure, value));
            };
            for (place, model) in (0_u32..).zip(MODELS) {
                let value = (rater * 7 + item * 3 + place * 5) % 11;
                // Tenths have no exact form: sums of them depend on their order.
                row(model, "", "score", f64::from(value) / 10.0);
                row(model, "", "stars", f64::from(1 + value % 5));
                row(model, "", "time", 100.0 + 10.1 * f64::from(value));
                row(model, "", "rank", f64::from(1 + (place + rater + item / 2) % 3));
            }
            for (first, second) in [("a", "b"), ("b", "c"), ("c", "a")] {
                let vote = f64::from((rater + item * item + u32::from(first == "a")) % 3) / 2.0;
                row(first, second, "preference", vote);
                row(first, second, "grade", 2.0 * vote - 1.0);
            }
        }
    }
    rows
}

fn found(by: &str, measure: &Measure, rows: &[Given]) -> String {
    let by = yaml(by);
    let context = Aggregation::new(vec![measure.clone()], RaterDesign::Within);
    let mut table = ScoreTable::default();
    for (rater, model, against, item, named, value) in rows {
        if **named == *measure.name {
            table.push(&Row { rater, model, against, item, block: 0, measure: named, value: *value });
        }
    }
    let mut sums = by.begin(&context);
    sums.add(&table).unwrap();
    let found = sums.findings(&[], &Streams::new(1)).unwrap();
    format!("{:?}\n{:?}", found.measures, found.notes)
}

#[test]
fn findings_do_not_depend_on_the_order_of_rows() {
    let cases = [
        ("score", "proportion", "{ kind: by_model }"),
        ("stars", "", "{ kind: by_model, bootstrap: {} }"),
        ("score", "proportion", "{ kind: by_model, bootstrap: {} }"),
        ("stars", "", "{ kind: by_model, interval: bca, bootstrap: {} }"),
        ("stars", "", "{ kind: by_model, interval: bootstrap-t }"),
        ("stars", "", "{ kind: by_model, interval: percentile, generalize_to: raters-and-items }"),
        ("time", "ms", "{ kind: by_model, preset: hype-2019 }"),
        ("time", "ms", "{ kind: by_model }"),
        ("stars", "", "{ kind: agreement }"),
        ("stars", "", "{ kind: agreement, unit: rater-item, bootstrap: {} }"),
        ("stars", "", "{ kind: opinion, bootstrap: {} }"),
        ("stars", "", "{ kind: components }"),
        ("stars", "", "{ kind: consensus }"),
        ("rank", "", "{ kind: ranking }"),
        ("rank", "", "{ kind: ranking, bootstrap: {} }"),
        ("preference", "", "{ kind: contrast }"),
        ("preference", "", "{ kind: contrast, intervals: bootstrap }"),
        ("preference", "", "{ kind: elo }"),
        ("grade", "", "{ kind: grades }"),
    ];
    let rows = given();
    for (measure, unit, by) in cases {
        let measure = Measure::new(measure, measure, unit, Direction::Higher);
        let expected = found(by, &measure, &rows);
        // The number of rows is not a multiple of these.
        for stride in [37, 101, 523] {
            let other: Vec<Given> =
                (0..rows.len()).map(|at| rows[at * stride % rows.len()].clone()).collect();
            assert_eq!(found(by, &measure, &other), expected, "{by}");
        }
    }
}
