//! Models over the levels of facets: golden figures, and the table with all digits.

use hype_core::model::findings::{Comparison, FacetLevelFindings, Interval};
use hype_core::{Estimate, FacetScale, Findings};
use hype_report::{PaperTable, figures, tables};

use crate::findings::{csv, drawn_of, figure_of, findings, over_facets, records, source};
use crate::typeset;

fn drawn(id: &str) -> String {
    let findings = over_facets();
    let records = records(&findings);
    drawn_of(&source(&findings, &records), id)
}

#[test]
fn levels_share_an_axis() {
    insta::assert_snapshot!(drawn("f17"));
}

#[test]
fn a_score_is_drawn_along_epochs() {
    insta::assert_snapshot!(drawn("f18"));
}

#[test]
fn a_map_has_a_cell_for_each_level_and_model() {
    let mut findings = over_facets();
    let records = records(&findings);
    let ids = |findings: &Findings| -> Vec<String> {
        figures(&source(findings, &records)).into_iter().map(|figure| figure.id).collect()
    };
    assert!(!ids(&findings).contains(&"f19".to_owned()), "two levels are compared in f17");
    for level in ["library", "samoyed"] {
        let more = FacetLevelFindings { level: level.into(), ..findings.measures[0].facets[0].clone() };
        findings.measures[0].facets.push(more);
    }
    insta::assert_snapshot!(drawn_of(&source(&findings, &records), "f19"));
}

#[test]
fn the_table_of_levels_has_models_tests_and_means() {
    let findings = over_facets();
    let records = records(&findings);
    let source = source(&findings, &records);
    let tables = tables(&source);
    typeset::compile(&tables.iter().map(PaperTable::latex).collect::<Vec<_>>());
    let table = tables.iter().find(|table| table.id == "s2-by-level").unwrap();
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
    let table = tables.iter().find(|table| table.id == "s2-by-level").unwrap();
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

/// The description of the figure by level.
fn described(all: &Findings) -> String {
    let records = records(all);
    figure_of(&source(all, &records), "f17").description
}

#[test]
fn columns_are_read_as_they_are_drawn() {
    let mut all = over_facets();
    let how = |all: &Findings| {
        let records = records(all);
        let reading = figure_of(&source(all, &records), "f17").reading;
        format!("{} {}", reading.how, reading.not)
    };
    assert!(how(&all).contains("bars their 95% intervals") && how(&all).contains("mean over levels"));
    let found = &mut all.measures[0];
    found.interactions[0].macro_means.clear();
    found.facets.iter_mut().flat_map(|level| &mut level.estimates).for_each(|one| one.interval = None);
    assert!(how(&all).contains("without intervals"));
    assert!(!how(&all).contains("mean over levels") && !how(&all).contains("Means are"));
}

#[test]
fn differences_at_levels_are_judged_at_the_level_of_the_study() {
    let mut all = over_facets();
    assert!(described(&all).starts_with("Models differ at lemon (adjusted p below 0.050)."));
    let estimates = all.measures[0].facets.iter_mut().flat_map(|level| &mut level.estimates);
    estimates.for_each(|one| one.interval.as_mut().unwrap().level = 0.99);
    assert!(described(&all).starts_with("Models are not shown to differ at any level of class."));
}

#[test]
fn each_facet_of_numbers_has_a_figure() {
    let mut all = over_facets();
    let mut second = all.measures[0].trends[0].clone();
    second.facet = "noise level".into();
    second.scale = FacetScale::Linear;
    all.measures[0].trends.push(second);
    // Without estimates at its levels, a facet has no figure.
    let ids = |all: &Findings| -> Vec<String> {
        let ids = figures(&source(all, &records(all))).into_iter().map(|figure| figure.id);
        ids.filter(|id| id.starts_with("f18")).collect()
    };
    assert_eq!(ids(&all), ["f18"]);
    // Levels of items or raters are not cells: their estimates are those of `by_facet`.
    for (level, value) in [("0.5", 0.4), ("0.25", 0.3)] {
        let mut at = all.measures[0].facets[0].clone();
        (at.facet, at.level) = ("noise level".into(), level.into());
        at.estimates.truncate(1);
        at.estimates[0].value = value;
        at.estimates[0].interval = Some(Interval::new(value - 0.1, value + 0.1, 0.9, "Student's t"));
        all.measures[0].facets.push(at);
    }
    assert_eq!(ids(&all), ["f18", "f18-noise-level"]);
    let figure = figure_of(&source(&all, &records(&all)), "f18-noise-level");
    let points: Vec<_> =
        figure.data.part("estimate").map(|row| (row.number("number"), row.number("value"))).collect();
    assert_eq!(points, [(Some(0.25), Some(0.3)), (Some(0.5), Some(0.4))]);
    assert!(figure.title.ends_with(" along noise level"));
    assert!(figure.reading.how.contains("90% intervals"));
    assert_eq!(figure.description, "stylegan changes by 10.0 points for 1 more of noise level (p < 0.001).");
    let first = figure_of(&source(&all, &records(&all)), "f18");
    assert_eq!(first.data.part("estimate").count(), 3, "points of the other facet are not drawn");
}

#[test]
fn levels_of_many_models_are_drawn_from_either_end() {
    let mut all = over_facets();
    let found = &mut all.measures[0];
    let one = found.facets[0].estimates[0].clone();
    for number in 0..60 {
        let model = Estimate { model: format!("model {number}").into(), ..one.clone() };
        found.facets[0].estimates.push(model);
    }
    for number in 0..30 {
        let mut level = found.facets[1].clone();
        level.level = format!("level {number}").into();
        found.facets.push(level);
    }
    let records = records(&all);
    let source = source(&all, &records);
    let drawn = drawn_of(&source, "f17");
    assert!(drawn.contains("… 54 more"));
    assert!(drawn.contains("Level 9") && !drawn.contains("Level 10"));
    let how = figure_of(&source, "f17").reading.how;
    assert!(how.contains("The first 12 of 32 levels are drawn; all of them are in the table."));
}

#[test]
fn studies_without_facets_have_none_of_these() {
    let findings = findings(&["stylegan", "biggan"], 8);
    let records = records(&findings);
    let source = source(&findings, &records);
    let is_facets = |id: &str| ["f17", "f18", "f19"].contains(&id);
    assert!(!figures(&source).iter().any(|figure| is_facets(&figure.id)));
    assert!(!tables(&source).iter().any(|table| table.id == "s2-by-level"));
}
