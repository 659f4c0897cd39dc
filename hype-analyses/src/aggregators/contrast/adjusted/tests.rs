#![allow(clippy::unwrap_used, reason = "tests")]

use hype_core::model::output_facts::OutputFacts;
use hype_core::model::score::{Direction, Measure, Row};
use hype_core::plugin::aggregator::Aggregation;
use hype_core::{Aggregated, Aggregator, Diagnostics, RaterDesign, ScoreTable, Streams};

use super::super::PairedPreferences;
use super::*;
use crate::aggregators::resampling::Bootstrap;

/// The words of both models' texts for the items.
const WORDS: [(&str, f64, f64); 3] = [("i1", 70.0, 30.0), ("i2", 30.0, 70.0), ("i3", 50.0, 50.0)];

fn context(items: &[(&str, f64, f64)]) -> Aggregation {
    let votes = Measure::new("preference", "preference", "", Direction::Higher);
    let mut facts = OutputFacts::default();
    for &(item, of_long, of_short) in items {
        facts.insert("x", item, vec![("words", of_long), ("headings", 2.0)]);
        facts.insert("y", item, vec![("words", of_short), ("headings", 2.0)]);
    }
    Aggregation::new(vec![votes], RaterDesign::Within).with_facts(facts)
}

/// Of 4 votes of each of five raters on an item, `x` wins 3 where it is longer, and half of them elsewhere; on one item each votes
/// with `y` named first.
fn votes() -> ScoreTable {
    let mut table = ScoreTable::default();
    for rater in ["r1", "r2", "r3", "r4", "r5"] {
        for (item, won) in [("i1", 3), ("i2", 2), ("i3", 2)] {
            for vote in 0..4 {
                let is_won = vote < won;
                let [model, against] = if item == "i2" { ["y", "x"] } else { ["x", "y"] };
                let value = f64::from(u8::from(is_won == (model == "x")));
                let measure = "preference";
                table.push(&Row { rater, model, against, item, block: vote, measure, value });
            }
        }
    }
    table
}

fn settings(covariates: &[&str]) -> PairedPreferences {
    PairedPreferences {
        covariates: covariates.iter().map(|&name| name.to_owned()).collect(),
        order_effect: Some(false),
        ..PairedPreferences::default()
    }
}

fn analyse(by: &PairedPreferences, context: &Aggregation, scores: &[ScoreTable]) -> Aggregated {
    let mut sums = Aggregator::begin(by, context);
    scores.iter().for_each(|table| Aggregator::add(by, &mut sums, table).unwrap());
    by.findings(sums, &[], &Streams::new(1)).unwrap()
}

fn table<'a>(found: &'a Aggregated, name: &str) -> Option<&'a Table> {
    found.measures[0].tables.iter().find(|table| &*table.name == name)
}

#[test]
fn strengths_are_given_without_and_with_the_length() {
    let by = settings(&["words"]);
    let found = analyse(&by, &context(&WORDS), &[votes()]);
    let adjusted = table(&found, "adjusted").unwrap();
    let effects = table(&found, "covariates").unwrap();
    // Log odds of ln 3, 0 and 0 at 1.22, -1.22 and 0 standard deviations: a slope near 0.45. Lengths are balanced, so that strengths
    // are nearly those without.
    let beta = effects.rows[0][2].as_f64().unwrap();
    assert!((0.4..0.5).contains(&beta), "{effects:?}");
    assert!((effects.rows[0][1].as_f64().unwrap() - 0.4 * (2.0_f64 / 3.0).sqrt()).abs() < 1e-12);
    let [low, high] = [3, 4].map(|place| effects.rows[0][place].as_f64().unwrap());
    assert!(low < beta && beta < high && (0.0..1.0).contains(&effects.rows[0][5].as_f64().unwrap()));
    assert_eq!(adjusted.rows[0][0], "x");
    let [without, with] = [1, 4].map(|place| adjusted.rows[0][place].as_f64().unwrap());
    assert!((without - found.measures[0].estimates[0].value).abs() < 1e-12 && (without - with).abs() < 0.05);
    assert_eq!(found.notes.iter().filter(|note| &*note.code == CODE).count(), 1);
    // The strengths themselves are those without.
    let plain = analyse(&settings(&[]), &context(&WORDS), &[votes()]);
    assert_eq!(plain.measures[0].estimates, found.measures[0].estimates);
    assert!(table(&plain, "adjusted").is_none() && plain.notes.iter().all(|note| &*note.code != CODE));
}

#[test]
fn the_order_and_the_parts_of_scores_do_not_matter() {
    let by = settings(&["words"]);
    let whole = analyse(&by, &context(&WORDS), &[votes()]);
    let all = votes();
    let mut parts = [ScoreTable::default(), ScoreTable::default()];
    let rows: Vec<Row<'_>> = all.rows().collect();
    rows.iter().rev().enumerate().for_each(|(index, row)| parts[index % 2].push(row));
    assert_eq!(analyse(&by, &context(&WORDS), &parts), whole);
}

#[test]
fn a_covariate_without_an_estimate_is_named() {
    let found = analyse(&settings(&["words", "headings"]), &context(&WORDS), &[votes()]);
    let note = found.notes.iter().find(|note| &*note.code == "no-adjusted-strengths").unwrap();
    assert!(note.text.contains("`headings` is equal in all pairs"), "{}", note.text);
    assert!(table(&found, "adjusted").is_none() && !found.measures[0].estimates.is_empty());
}

#[test]
fn outputs_of_which_nothing_is_known_are_refused() {
    let by = settings(&["words"]);
    for (context, reason) in [
        (context(&WORDS[..2]), "the `words` of the output of x is not known"),
        (context(&[]), "covariates need a study of clips or texts, or a table of outputs"),
    ] {
        let mut sums = Aggregator::begin(&by, &context);
        let error = Aggregator::add(&by, &mut sums, &votes()).unwrap_err().to_string();
        assert!(error.contains(reason), "{error}");
    }
}

#[test]
fn a_bootstrap_has_no_covariates() {
    let by = PairedPreferences { bootstrap: Some(Bootstrap::default()), ..settings(&["words"]) };
    let mut at = Diagnostics::new();
    Aggregator::check(&by, &context(&WORDS).measures, &mut at);
    let codes: Vec<String> = at.into_iter().map(|fault| fault.code.to_string()).collect();
    assert_eq!(codes, ["no-such-interval"]);
}
