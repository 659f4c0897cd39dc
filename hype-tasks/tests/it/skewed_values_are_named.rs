//! Findings of `by_model` warn where few raters, few items or a long tail make intervals too narrow, and nowhere else.

#![allow(missing_docs, clippy::unwrap_used, reason = "a test")]

use hype_analyses::aggregators::ByModel;
use hype_core::model::findings::GeneralizeTo;
use hype_core::model::score::Row;
use hype_core::{
    Aggregated, Aggregation, AggregatorSpec, Direction, Measure, RaterDesign, ScoreTable, Streams,
};

fn analyse(unit: &str, target: GeneralizeTo, table: &ScoreTable) -> Aggregated {
    let measure = Measure::new("value", "value", unit, Direction::Higher);
    let context = Aggregation::new(vec![measure], RaterDesign::Between).generalizing_to(target);
    let by: &dyn AggregatorSpec = &ByModel::default();
    let mut sums = by.begin(&context);
    sums.add(table).unwrap();
    sums.findings(&[], &Streams::new(1)).unwrap()
}

fn warning(found: &Aggregated) -> Option<&str> {
    found.notes.iter().find(|note| &*note.code == "skewed").map(|note| &*note.text)
}

/// Judgments of 0 or 1 by raters of each of three models, each about 10 items.
fn rates(raters: usize, is_one: impl Fn(usize, usize) -> bool) -> ScoreTable {
    let mut table = ScoreTable::default();
    for model in ["a", "b", "c"] {
        for rater in 0..raters {
            for item in 0..10 {
                let value = f64::from(u8::from(is_one(rater, item)));
                let name = format!("{model}{rater}");
                table.push(&Row::new(&name, model, "value", value).of_item(&item.to_string()));
            }
        }
    }
    table
}

#[test]
fn rates_that_few_items_decide() {
    let warned = |raters, is_one: &dyn Fn(usize, usize) -> bool| {
        let found = analyse("proportion", GeneralizeTo::RatersAndItems, &rates(raters, is_one));
        warning(&found).is_some_and(|text| text.contains("few items") && text.contains("a, b and c"))
    };
    assert!(warned(12, &|_, item| item == 0));
    // With no more raters than items, raters are what makes the interval wide.
    assert!(!warned(10, &|_, item| item == 0));
    assert!(!warned(12, &|rater, item| rater % 10 == item));
    assert!(!warned(12, &|_, item| item < 5));
}

#[test]
fn rates_that_few_raters_decide_are_tested_by_their_pairs() {
    let of = |is_one: &dyn Fn(usize, usize) -> bool| {
        analyse("proportion", GeneralizeTo::Raters, &rates(12, is_one))
    };
    let rare = of(&|rater, item| rater == 0 || (rater == 1 && item < 4));
    assert_eq!(warning(&rare), None);
    assert!(rare.measures[0].tests[0].name.starts_with("the smallest p value"));
    let even = of(&|rater, item| (rater + item) % 2 == 0 || item < rater % 3);
    assert_eq!(warning(&even), None);
    assert_eq!(&*even.measures[0].tests[0].name, "Welch's ANOVA");
}

#[test]
fn times_of_two_kinds_of_raters() {
    // Half of 28 raters are ten times slower.
    let mut table = ScoreTable::default();
    for rater in 0..28 {
        let value = if rater % 2 == 0 { 100.0 } else { 1_000.0 };
        table.push(&Row::new(&rater.to_string(), "a", "value", value));
    }
    let found = analyse("ms", GeneralizeTo::Raters, &table);
    assert_eq!(warning(&found), None);
    let groups = found.notes.iter().find(|note| &*note.code == "two-groups").unwrap();
    assert!(groups.text.contains("14 of about 100 ms and 14 of about 1000"), "{}", groups.text);
    assert_eq!(warning(&analyse("points", GeneralizeTo::Raters, &table)), None);
}

#[test]
fn warnings_of_skewed_measures_say_the_same() {
    let text = |most: f64| {
        let mut table = ScoreTable::default();
        for rater in 0..9 {
            let value = if rater == 0 { most } else { f64::from(rater % 3) };
            table.push(&Row::new(&rater.to_string(), "a", "value", value));
        }
        warning(&analyse("points", GeneralizeTo::Raters, &table)).map(str::to_owned)
    };
    // Equal texts become one note.
    assert!(text(9.0).is_some() && text(9.0) == text(90.0));
}
