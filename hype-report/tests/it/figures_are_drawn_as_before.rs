//! Golden figures: a change of how they are drawn is seen.

use hype_core::{Row, ScoreTable};
use hype_report::{Pictures, Records, Setting, Sheet, figures, paper, pictured, svg, terminal};

use crate::findings::{drawn_of, figure_of, findings, of_errors, records, source};

fn drawn(id: &str) -> String {
    let findings = findings(&["stylegan", "biggan", "dcgan"], 8);
    let records = records(&findings);
    drawn_of(&source(&findings, &records), id)
}

#[test]
fn key_figure() {
    insta::assert_snapshot!(drawn("f1"));
}

#[test]
fn key_figure_on_a_phone_and_in_a_column() {
    let findings = findings(&["stylegan", "biggan", "dcgan"], 8);
    let records = records(&findings);
    let figure = figure_of(&source(&findings, &records), "f1");
    for (name, sheet) in [("phone", Sheet::PHONE), ("column", paper("cvpr").unwrap())] {
        insta::assert_snapshot!(name, svg(&figure, sheet, Setting::InPage, None));
    }
}

#[test]
fn flow() {
    insta::assert_snapshot!(drawn("f3"));
}

#[test]
fn precision() {
    insta::assert_snapshot!(drawn("f4"));
}

#[test]
fn key_figure_in_a_terminal() {
    let findings = findings(&["stylegan", "biggan", "dcgan"], 8);
    let records = records(&findings);
    let source = source(&findings, &records);
    insta::assert_snapshot!(terminal(&figures(&source)[0], 80, source.caution()));
}

#[test]
fn key_figure_of_two_models() {
    let findings = findings(&["stylegan", "biggan"], 8);
    let records = records(&findings);
    insta::assert_snapshot!(drawn_of(&source(&findings, &records), "f1"));
}

#[test]
fn errors() {
    let (findings, records) = of_errors(9);
    insta::assert_snapshot!(drawn_of(&source(&findings, &records), "f9"));
    let (findings, records) = of_errors(7);
    let few = drawn_of(&source(&findings, &records), "f9");
    assert!(!few.contains("stroke-width=\"1.5\">"), "there is no region of the mean of seven raters");
}

#[test]
fn gallery() {
    let (findings, records) = of_errors(9);
    let mut source = source(&findings, &records);
    let wanted = pictured(&source);
    assert_eq!(wanted.len(), 48, "twelve from either end of both models");
    let mut pictures = Pictures::default();
    for path in &wanted[1..] {
        pictures.add(path, "image/png", path.as_bytes());
    }
    source.pictures = Some(&pictures);
    insta::assert_snapshot!(drawn_of(&source, "f10-good"));
    let figure = figure_of(&source, "f10-good");
    let rates = |part| -> Vec<f64> { figure.data.part(part).filter_map(|row| row.number("rate")).collect() };
    let (most, least) = (rates("most"), rates("least"));
    assert!(most.iter().chain(&least).is_sorted_by(|a, b| a >= b) && most[5] > least[0]);
}

#[test]
fn images_with_one_answer_are_not_compared() {
    let (findings, _) = of_errors(9);
    let mut records = Records::default();
    let mut table = ScoreTable::default();
    for image in ["a.png", "b.png"] {
        table.push(&Row { item: image, ..Row::new("rater", "good", "fakes_error", 1.0) });
    }
    records.add_scores(table.rows());
    assert!(!figures(&source(&findings, &records)).iter().any(|figure| figure.id.starts_with("f10")));
    assert!(pictured(&source(&findings, &records)).is_empty());
}
