//! ImagenHub's released ratings reproduce the paper's table.

#![allow(missing_docs, dead_code, clippy::unwrap_used, clippy::float_cmp, reason = "a test")]

use crate::aggregating::{
    Cell, aggregate, measure, named, parts_make_the_whole, table, try_aggregate, value,
};
use crate::reference;
use hype_analyses::aggregators::imagenhub::ImagenHub;
use hype_core::ScoreTable;
use hype_core::model::score::Row;

const MEASURES: [&str; 2] = ["SC", "PQ"];

fn scores(folder: &str) -> Option<ScoreTable> {
    let mut scores = ScoreTable::default();
    for number in 1..=3 {
        let rater = format!("rater{number}");
        let text = reference::text(&format!("imagenhub/{folder}/{folder}_{rater}.tsv"))?;
        let mut lines = text.lines().map(|line| line.trim_end_matches('\r').split('\t'));
        let models: Vec<&str> = lines.next().unwrap().skip(1).map(str::trim).collect();
        for mut line in lines {
            let item = line.next().unwrap().trim();
            for (model, cell) in models.iter().zip(line) {
                let numbers: Vec<f64> = cell
                    .trim()
                    .trim_matches(['[', ']'])
                    .split(',')
                    .map(|number| number.trim().parse().unwrap())
                    .collect();
                for (measure, value) in MEASURES.into_iter().zip(numbers) {
                    scores.push(&Row { rater: &rater, model, against: "", item, block: 0, measure, value });
                }
            }
        }
    }
    Some(scores)
}

#[test]
fn published_cells_come_out_at_two_decimals() {
    let Some(published) = reference::text("imagenhub/published_table.csv") else { return };
    // Two cells of the paper do not follow from the ratings that its authors released.
    let unreleased = [("BlendedDiffusion", "SC"), ("SDXLInpaint", "fleiss_O")];
    let columns = ["SC", "SC_sd", "PQ", "PQ_sd", "O", "O_sd", "fleiss_O", "krippendorff_O"];
    let mut checked = 0;
    for line in published.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let (folder, model) = (cells[0], cells[2]);
        let found = aggregate(&ImagenHub::default(), &MEASURES, &[scores(folder).unwrap()]);
        let paper = named(measure(&found, "O"), "imagenhub");
        let row = paper.rows.iter().find(|row| row[0] == model).unwrap();
        for (place, column) in columns.into_iter().enumerate() {
            let want: f64 = cells[place + 3].trim().parse().unwrap();
            let got = row[place + 1].as_f64().unwrap();
            let tolerance = if unreleased.contains(&(model, column)) { 0.0072 } else { 0.005 + 1e-9 };
            assert!((got - want).abs() <= tolerance, "{folder}, {model}, {column}: {got}, published {want}");
            checked += 1;
        }
    }
    assert_eq!(checked, 152);
}

const CELLS: [Cell<'_>; 12] = [
    ("a", "m", "", "1", 0, "SC", 1.0),
    ("a", "m", "", "1", 0, "PQ", 0.25),
    ("a", "m", "", "2", 0, "SC", 0.0),
    ("a", "m", "", "2", 0, "PQ", 1.0),
    ("b", "m", "", "1", 0, "SC", 1.0),
    ("b", "m", "", "1", 0, "PQ", 1.0),
    ("b", "m", "", "2", 0, "SC", 0.25),
    ("b", "m", "", "2", 0, "PQ", 1.0),
    ("a", "n", "", "1", 0, "SC", 1.0),
    ("a", "n", "", "1", 0, "PQ", 1.0),
    ("b", "n", "", "1", 0, "SC", 1.0),
    ("b", "n", "", "1", 0, "PQ", 1.0),
];

#[test]
fn the_overall_score_is_of_cells_and_the_spread_of_raters() {
    let found = aggregate(&ImagenHub::default(), &MEASURES, &[table(&CELLS)]);
    let overall = measure(&found, "O");
    // Rater a: (1/2 + 0) / 2, rater b: (1 + 1/2) / 2; half their difference is the population standard
    // deviation.
    assert_eq!(value(overall, "m"), 0.5);
    let paper = named(overall, "imagenhub");
    assert_eq!(paper.rows[1][5..7], [serde_json::json!(0.5), serde_json::json!(0.25)]);
    assert_eq!((value(measure(&found, "SC"), "m"), value(measure(&found, "PQ"), "m")), (0.5625, 0.8125));
    parts_make_the_whole(&ImagenHub::default(), &MEASURES, &CELLS);
}

#[test]
fn a_constant_column_has_no_agreement_and_says_why() {
    let found = aggregate(&ImagenHub::default(), &MEASURES, &[table(&CELLS)]);
    let of_n = measure(&found, "O").agreement.iter().filter(|found| found.model.as_deref() == Some("n"));
    let reasons: Vec<&str> = of_n.map(|found| found.undefined.as_deref().unwrap()).collect();
    assert_eq!(reasons.len(), 2);
    assert!(reasons.iter().all(|reason| !reason.is_empty()));
    let paper = named(measure(&found, "O"), "imagenhub");
    assert!(paper.rows[0][7].is_null() && paper.rows[0][8].is_null());
}

#[test]
fn estimates_with_excluded_raters_are_shown() {
    let found = try_aggregate(&ImagenHub::default(), &MEASURES, &[table(&CELLS)], &["b"]).unwrap();
    let estimate = &measure(&found, "O").estimates.iter().find(|estimate| &*estimate.model == "m").unwrap();
    assert_eq!(estimate.value, 0.25);
    let with = estimate.with_excluded.as_ref().unwrap();
    assert_eq!((with.value, with.raters), (0.5, 2));
}

#[test]
fn cells_with_a_single_score_are_reported() {
    let found = aggregate(&ImagenHub::default(), &MEASURES, &[table(&CELLS[..11])]);
    assert_eq!(&*found.notes[0].code, "incomplete-cells");
    assert!(try_aggregate(&ImagenHub::default(), &MEASURES, &[table(&CELLS[..1])], &[]).is_err());
}
