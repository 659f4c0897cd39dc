//! Models over the levels of facets: golden figures, and the table with all digits.

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
fn studies_without_facets_have_none_of_these() {
    let findings = findings(&["stylegan", "biggan"], 8);
    let records = records(&findings);
    let source = source(&findings, &records);
    let is_facets = |id: &str| ["f17", "f18", "f19"].contains(&id);
    assert!(!figures(&source).iter().any(|figure| is_facets(&figure.id)));
    assert!(!tables(&source).iter().any(|table| table.id == "t3"));
}
