//! Golden figures: a change of how they are drawn is seen.

use hype_report::{Setting, figures, svg, terminal};

use crate::findings::{findings, records, source};

fn drawn(id: &str) -> String {
    let findings = findings(&["stylegan", "biggan", "dcgan"], 8);
    let records = records(&findings);
    let source = source(&findings, &records);
    let figures = figures(&source);
    let figure = figures.iter().find(|figure| figure.id == id).unwrap();
    svg(figure, Setting::Alone, source.caution())
}

#[test]
fn forest() {
    insta::assert_snapshot!(drawn("f1"));
}

#[test]
fn differences() {
    insta::assert_snapshot!(drawn("f2"));
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
fn forest_in_a_terminal() {
    let findings = findings(&["stylegan", "biggan", "dcgan"], 8);
    let records = records(&findings);
    let source = source(&findings, &records);
    insta::assert_snapshot!(terminal(&figures(&source)[0], 80, source.caution()));
}
