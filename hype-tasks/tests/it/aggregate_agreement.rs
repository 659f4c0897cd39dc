//! Agreement of raters through the aggregator: published ratings, every coefficient, and tables without
//! agreement.

#![allow(missing_docs, dead_code, clippy::unwrap_used, clippy::float_cmp, reason = "a test")]

use crate::aggregating::{Cell, aggregate, measure, parts_make_the_whole, table, value};
use crate::reference;
use hype_analyses::aggregators::ByModel;
use hype_analyses::aggregators::agreement::{AgreementUnit, CoefficientKind, Over, RaterAgreement};
use hype_core::ScoreTable;
use hype_core::model::findings::Agreement;
use hype_core::model::score::Row;

fn of(coefficients: &[CoefficientKind]) -> RaterAgreement {
    RaterAgreement { coefficients: coefficients.to_vec(), over: Over::All, ..RaterAgreement::default() }
}

fn likert() -> Option<ScoreTable> {
    let text = reference::text("likert/tifa160_likert.csv")?;
    let mut scores = ScoreTable::default();
    for line in text.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let [model, item, rater, answer] = cells[..] else { panic!("{line}") };
        let Ok(value) = answer.trim().parse() else { continue };
        scores.push(&Row { rater, model, against: "", item, block: 0, measure: "m", value });
    }
    Some(scores)
}

#[test]
fn published_ratings_have_the_published_agreement_and_means() {
    let Some(scores) = likert() else { return };
    let kinds = [
        (CoefficientKind::KrippendorffOrdinal, 0.6854),
        (CoefficientKind::KrippendorffInterval, 0.6844),
        (CoefficientKind::KrippendorffNominal, 0.3969),
    ];
    let found = aggregate(&of(&kinds.map(|(kind, _)| kind)), &["m"], std::slice::from_ref(&scores));
    for (found, (kind, want)) in measure(&found, "m").agreement.iter().zip(kinds) {
        assert!((found.value.unwrap() - want).abs() < 5e-5, "{kind:?}: {found:?}");
        let range = found.interval.as_ref().unwrap();
        assert!(range.low < want && want < range.high && range.high - range.low < 0.1, "{range:?}");
    }
    let mut by_image = ScoreTable::default();
    for row in scores.rows() {
        // The mean of image means, with images in the role of raters.
        by_image.push(&Row { rater: row.item, ..row });
    }
    let means = aggregate(&ByModel::default(), &["m"], &[by_image]);
    for (model, want) in [
        ("mini-dalle", 3.8388),
        ("vq-diffusion", 3.6081),
        ("sd1dot1", 3.7313),
        ("sd1dot5", 3.9897),
        ("sd2dot1", 4.1456),
    ] {
        let got = value(&means.measures[0], model);
        assert!((got - want).abs() < 5e-5, "{model}: {got}");
    }
}

/// Shrout and Fleiss 1979, table 2: six targets by four judges.
const JUDGES: [[f64; 4]; 6] = [
    [9.0, 2.0, 5.0, 8.0],
    [6.0, 1.0, 3.0, 2.0],
    [8.0, 4.0, 6.0, 8.0],
    [7.0, 1.0, 2.0, 6.0],
    [10.0, 5.0, 6.0, 9.0],
    [6.0, 2.0, 4.0, 7.0],
];

fn judges() -> Vec<Cell<'static>> {
    let (raters, items) = (["a", "b", "c", "d"], ["1", "2", "3", "4", "5", "6"]);
    let row = |(item, values): (&'static str, [f64; 4])| {
        raters.into_iter().zip(values).map(move |(rater, value)| (rater, "m", "", item, 0, "m", value))
    };
    items.into_iter().zip(JUDGES).flat_map(row).collect()
}

#[test]
fn every_coefficient_has_its_published_value() {
    let kinds = [
        (CoefficientKind::Icc1, 0.17),
        (CoefficientKind::Icc2, 0.29),
        (CoefficientKind::Icc3, 0.71),
        (CoefficientKind::Icc1k, 0.44),
        (CoefficientKind::Icc2k, 0.62),
        (CoefficientKind::Icc3k, 0.91),
    ];
    let found = aggregate(&of(&kinds.map(|(kind, _)| kind)), &["m"], &[table(&judges())]);
    for (found, (kind, want)) in measure(&found, "m").agreement.iter().zip(kinds) {
        assert!((found.value.unwrap() - want).abs() < 0.005, "{kind:?}: {found:?}");
        assert!(found.interval.is_some());
    }
    let kappas = [CoefficientKind::Cohen, CoefficientKind::CohenQuadratic, CoefficientKind::KendallW];
    let found = aggregate(&of(&kappas), &["m"], &[table(&judges())]);
    let found = measure(&found, "m");
    assert!(found.agreement.iter().all(|found| found.value.is_some()), "{:?}", found.agreement);
    assert_eq!(found.tables[0].rows.len(), 6);
    parts_make_the_whole(&of(&kappas), &["m"], &judges());
}

#[test]
fn items_raters_or_both_are_resampled() {
    let mut widths = Vec::new();
    for unit in [AgreementUnit::Item, AgreementUnit::Rater, AgreementUnit::RaterItem] {
        let settings = RaterAgreement { unit, ..of(&[CoefficientKind::KrippendorffInterval]) };
        let found = aggregate(&settings, &["m"], &[table(&judges())]);
        let range = measure(&found, "m").agreement[0].interval.clone().unwrap();
        widths.push(range.high - range.low);
    }
    assert!(widths[2] > widths[0], "{widths:?}");
}

#[test]
fn tables_without_agreement_say_why() {
    let constant: Vec<Cell<'_>> =
        judges().into_iter().map(|cell| (cell.0, cell.1, cell.2, cell.3, 0, "m", 3.0)).collect();
    let alone: Vec<Cell<'_>> = judges().into_iter().filter(|cell| cell.0 == "a").collect();
    let kinds = [
        CoefficientKind::Cohen,
        CoefficientKind::Fleiss,
        CoefficientKind::KrippendorffOrdinal,
        CoefficientKind::Icc2,
        CoefficientKind::KendallW,
    ];
    for cells in [constant, alone] {
        let found = aggregate(&of(&kinds), &["m"], &[table(&cells)]);
        let undefined = |found: &Agreement| {
            found.value.is_none() && found.undefined.as_ref().is_some_and(|why| !why.is_empty())
        };
        let found = &measure(&found, "m").agreement;
        assert!(found.iter().all(undefined), "{found:?}");
    }
}

#[test]
fn counts_are_of_the_ratings_used() {
    // Item 1 has three ratings of four, item 2 a single one, and the rater e rated that item alone.
    let mut cells: Vec<Cell<'_>> = judges()
        .into_iter()
        .filter(|cell| (cell.3, cell.0) != ("1", "d") && (cell.3 != "2" || cell.0 == "a"))
        .collect();
    let kinds = [CoefficientKind::Percent, CoefficientKind::Icc2, CoefficientKind::KendallW];
    let counts = |cells: &[Cell<'_>]| -> Vec<[u64; 4]> {
        let found = aggregate(&of(&kinds), &["m"], &[table(cells)]);
        let counts = |one: &Agreement| [one.raters, one.items, one.ratings, one.items_left_out];
        measure(&found, "m").agreement.iter().map(counts).collect()
    };
    assert_eq!(counts(&cells), [[4, 5, 19, 0], [4, 4, 16, 1], [4, 4, 16, 1]]);
    cells.push(("e", "m", "", "7", 0, "m", 3.0));
    assert_eq!(counts(&cells), [[4, 5, 19, 0], [0, 0, 0, 5], [0, 0, 0, 5]]);
}

#[test]
fn models_are_looked_at_together_and_one_by_one() {
    let mut cells = judges();
    cells.extend(judges().into_iter().map(|cell| (cell.0, "n", cell.2, cell.3, 0, "m", 11.0 - cell.6)));
    let settings = RaterAgreement { over: Over::Both, ..of(&[CoefficientKind::KrippendorffInterval]) };
    let found = aggregate(&settings, &["m"], &[table(&cells)]);
    let found = &measure(&found, "m").agreement;
    let models: Vec<Option<&str>> = found.iter().map(|found| found.model.as_deref()).collect();
    assert_eq!(models, [None, Some("m"), Some("n")]);
    assert!((found[1].value.unwrap() - found[2].value.unwrap()).abs() < 1e-12);
    assert_eq!(found[0].items, 12);
}
