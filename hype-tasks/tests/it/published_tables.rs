//! Small tables through the aggregators, published or simulated by us, which prove the essentials without the
//! reference data.

use hype_analyses::aggregators::agreement::{CoefficientKind, Over, RaterAgreement};
use hype_analyses::aggregators::contrast::{IntervalKind, PairedPreferences, PreferenceModel};
use hype_analyses::aggregators::imagenhub::ImagenHub;
use hype_analyses::aggregators::opinion::{OpinionScores, SubjectModel};
use hype_core::ScoreTable;
use hype_core::model::findings::Table;
use hype_core::model::score::Row;
use serde_json::Value;

use crate::aggregating::{Cell, aggregate, measure, named, table, value};

/// Four observers of twelve units, some of them not rated (Krippendorff 2011, "Computing Krippendorff's
/// Alpha-Reliability", section C); 0 means no value.
const OBSERVERS: [[u8; 12]; 4] = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, 0, 0, 0],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, 0, 3],
    [0, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, 0],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, 0],
];

/// Four judges of six targets (Shrout & Fleiss 1979, "Intraclass correlations", Psychological Bulletin, table 2).
const JUDGES: [[u8; 6]; 4] =
    [[9, 6, 8, 7, 10, 6], [2, 1, 4, 1, 5, 2], [5, 3, 6, 2, 6, 4], [8, 2, 8, 6, 9, 7]];

/// Raters by items, without the values 0.
fn ratings<const ITEMS: usize>(raters: &[[u8; ITEMS]]) -> ScoreTable {
    let mut scores = ScoreTable::default();
    for (rater, values) in raters.iter().enumerate() {
        for (item, &value) in values.iter().enumerate().filter(|(_, value)| **value > 0) {
            scores.push(&Row {
                rater: &format!("rater {rater}"),
                model: "m",
                against: "",
                item: &format!("item {item}"),
                block: 0,
                measure: "score",
                value: f64::from(value),
            });
        }
    }
    scores
}

/// Checks coefficients to the digits that were published.
#[track_caller]
fn check(scores: &ScoreTable, published: &[(CoefficientKind, f64)], digits: i32) {
    let coefficients = published.iter().map(|&(kind, _)| kind).collect();
    let by = RaterAgreement { coefficients, over: Over::All, ..RaterAgreement::default() };
    let found = aggregate(&by, &["score"], std::slice::from_ref(scores));
    let found = &measure(&found, "score").agreement;
    assert_eq!(found.len(), published.len());
    for (found, &(kind, want)) in found.iter().zip(published) {
        let got = found.value.unwrap();
        assert!((got - want).abs() <= 0.5 * 10_f64.powi(-digits) + 1e-9, "{kind:?}: got {got}, want {want}");
    }
}

#[test]
fn krippendorffs_alpha_matches_its_author() {
    let published = [
        (CoefficientKind::KrippendorffNominal, 0.743),
        (CoefficientKind::KrippendorffOrdinal, 0.815),
        (CoefficientKind::KrippendorffInterval, 0.849),
        (CoefficientKind::KrippendorffRatio, 0.797),
    ];
    check(&ratings(&OBSERVERS), &published, 3);
}

#[test]
fn intraclass_correlations_match_their_authors() {
    let published = [
        (CoefficientKind::Icc1, 0.17),
        (CoefficientKind::Icc2, 0.29),
        (CoefficientKind::Icc3, 0.71),
        (CoefficientKind::Icc1k, 0.44),
        (CoefficientKind::Icc2k, 0.62),
        (CoefficientKind::Icc3k, 0.91),
    ];
    check(&ratings(&JUDGES), &published, 2);
}

/// With two models the strength of Bradley and Terry has a closed form: half the log odds on either side of 0.
#[test]
fn strengths_of_two_models_are_the_log_odds_of_their_votes() {
    let votes: Vec<Cell<'_>> = (0_u16..40)
        .map(|number| ("r", "a", "b", "i", number, "preference", f64::from(u8::from(number < 30))))
        .collect();
    let by = PairedPreferences {
        model: PreferenceModel::BradleyTerry,
        intervals: Some(IntervalKind::Information),
        ..PairedPreferences::default()
    };
    let found = aggregate(&by, &["preference"], &[table(&votes)]);
    let strength = measure(&found, "strength");
    let difference = value(strength, "a") - value(strength, "b");
    assert!((difference - 3_f64.ln()).abs() < 1e-6, "{difference}");
}

/// Simulated tables, with the results of an independent program (`tests/data/make_tables.py`).
fn own_tables() -> Value {
    serde_json::from_str(include_str!("../data/tables.json")).unwrap()
}

fn numbers_of(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|one| one.as_f64().unwrap()).collect()
}

/// Adds a table of values, one row for each item and one column for each rater.
fn add(scores: &mut ScoreTable, model: &str, measure: &str, cells: &Value) {
    for (item, row) in cells.as_array().unwrap().iter().enumerate() {
        for (rater, value) in numbers_of(row).into_iter().enumerate() {
            let (rater, item) = (format!("rater {rater}"), format!("item {item:02}"));
            scores.push(&Row::new(&rater, model, measure, value).of_item(&item));
        }
    }
}

#[track_caller]
fn all_close(got: &[f64], want: &[f64], tolerance: f64) {
    assert_eq!(got.len(), want.len());
    let far = got.iter().zip(want).find(|(got, want)| (*got - *want).abs() > tolerance);
    assert!(far.is_none(), "{far:?} in {got:?}, {want:?}");
}

/// The numbers of a column of a table.
fn column(found: &Table, name: &str) -> Vec<f64> {
    let place = found.columns.iter().position(|column| &*column.name == name).unwrap();
    found.rows.iter().map(|row| row[place].as_f64().unwrap()).collect()
}

#[test]
fn p910_agrees_with_an_independent_program() {
    let want = &own_tables()["p910"];
    let mut scores = ScoreTable::default();
    add(&mut scores, "m", "score", &want["scores"]);
    let by = OpinionScores { model: SubjectModel::P910, ..OpinionScores::default() };
    let found = aggregate(&by, &["score"], &[scores]);
    let found = measure(&found, "score");
    let (stimuli, raters) = (named(found, "stimuli"), named(found, "opinion_raters"));
    all_close(&column(stimuli, "mos"), &numbers_of(&want["mos"]), 1e-12);
    all_close(&column(stimuli, "psi"), &numbers_of(&want["psi"]), 1e-7);
    all_close(&column(raters, "bias"), &numbers_of(&want["bias"]), 1e-7);
    all_close(&column(raters, "inconsistency"), &numbers_of(&want["inconsistency"]), 1e-7);
}

#[test]
fn imagenhubs_table_agrees_with_an_independent_program() {
    let tables = own_tables();
    let mut scores = ScoreTable::default();
    for model in ["good", "weak"] {
        let cells = &tables["imagenhub"][model];
        add(&mut scores, model, "SC", &cells["sc"]);
        add(&mut scores, model, "PQ", &cells["pq"]);
    }
    let found = aggregate(&ImagenHub::default(), &["SC", "PQ"], &[scores]);
    let paper = named(measure(&found, "O"), "imagenhub");
    let models: Vec<&str> = paper.rows.iter().map(|row| row[0].as_str().unwrap()).collect();
    assert_eq!(models, ["good", "weak"]);
    for row in &paper.rows {
        let want = numbers_of(&tables["imagenhub"][row[0].as_str().unwrap()]["line"]);
        let got: Vec<f64> = row[1..].iter().map(|one| one.as_f64().unwrap()).collect();
        all_close(&got, &want, 1e-12);
    }
}
