//! Models over the levels of facets: golden figures, and the table with all digits.

use hype_core::model::findings::{Comparison, Interval};
use hype_report::{PaperTable, figures, tables};

use crate::findings::{csv, drawn_of, findings, over_facets, records, source};
use crate::typeset;

fn drawn(id: &str) -> String {
    let findings = over_facets();
    let records = records(&findings);
    drawn_of(&source(&findings, &records), id)
}

#[test]
fn forests_by_level_share_an_axis() {
    insta::assert_snapshot!(drawn("f17"));
}

#[test]
fn a_score_is_drawn_along_epochs() {
    insta::assert_snapshot!(drawn("f18"));
}

#[test]
fn a_map_has_a_cell_for_each_level_and_model() {
    insta::assert_snapshot!(drawn("f19"));
}

#[test]
fn the_table_of_levels_has_models_tests_and_means() {
    let findings = over_facets();
    let records = records(&findings);
    let source = source(&findings, &records);
    let tables = tables(&source);
    typeset::compile(&tables.iter().map(PaperTable::latex).collect::<Vec<_>>());
    let table = tables.iter().find(|table| table.id == "t3").unwrap();
    insta::assert_snapshot!(table.markdown());
    let rows = csv(&table.csv());
    assert_eq!(rows.len(), 3);
    assert_eq!(
        (&*rows[0]["class"], &*rows[0]["stylegan"], &*rows[0]["stylegan_low"]),
        ("lemon", "0.4", "0.35000000000000003")
    );
    assert_eq!((&*rows[0]["p"], &*rows[0]["p_adjusted"], &*rows[2]["p"]), ("0.01", "0.02", ""));
    assert_eq!((&*rows[2]["class"], &*rows[2]["biggan"]), ("mean", "0.255"));
}

#[test]
fn each_level_has_its_tests_and_its_pairs() {
    let mut findings = over_facets();
    for (level, (statistic, p)) in findings.measures[0].facets.iter_mut().zip([(5.25, 0.0185), (2.5, 0.2529)])
    {
        let mut further = level.tests[0].clone();
        (further.name, further.statistic, further.p, further.p_adjusted) =
            ("one-way ANOVA".into(), Some(statistic), Some(p), None);
        level.tests.push(further);
        level.comparisons.push(Comparison {
            method: "Tukey-Kramer".into(),
            a: "biggan".into(),
            b: "stylegan".into(),
            difference: -0.2,
            interval: Some(Interval::new(-0.3, -0.1, 0.95, "Tukey-Kramer")),
            statistic_name: "q".into(),
            statistic: Some(3.0),
            se: Some(0.05),
            df: Some(14.0),
            p: Some(p),
            undefined: None,
        });
    }
    // A pair that was not compared at a level.
    findings.measures[0].facets[1].comparisons.clear();
    let records = records(&findings);
    let tables = tables(&source(&findings, &records));
    typeset::compile(&tables.iter().map(PaperTable::latex).collect::<Vec<_>>());
    let table = tables.iter().find(|table| table.id == "t3").unwrap();
    insta::assert_snapshot!(table.markdown());
    let rows = csv(&table.csv());
    assert_eq!(
        (&*rows[0]["statistic"], &*rows[0]["statistic_2"], &*rows[1]["p_2"]),
        ("4.5", "5.25", "0.2529")
    );
    let pair = |end: &str| rows[0][&format!("stylegan_minus_biggan_{end}")].clone();
    assert_eq!(["difference", "low", "high", "p"].map(pair), ["0.2", "0.1", "0.3", "0.0185"]);
    assert_eq!(&*rows[1]["stylegan_minus_biggan_p"], "");
}

#[test]
fn studies_without_facets_have_none_of_these() {
    let findings = findings(&["stylegan", "biggan"], 8);
    let records = records(&findings);
    let source = source(&findings, &records);
    let is_facets = |id: &str| ["f17", "f18", "f19"].contains(&id);
    assert!(!figures(&source).iter().any(|figure| is_facets(&figure.id)));
    assert!(!tables(&source).iter().any(|table| table.id == "t3"));
}
