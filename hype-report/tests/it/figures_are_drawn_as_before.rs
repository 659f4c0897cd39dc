//! Golden figures: a change of how they are drawn is seen.

use hype_core::model::findings::{Findings, StudyCard};
use hype_core::{MediaKind, Row, ScoreTable};
use hype_report::{
    Pictures, Records, ReportSource, Setting, Sheet, figures, paper, pictured, report, svg, terminal,
};

use crate::findings::{card, drawn_of, figure_of, findings, of_errors, records, source};

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
fn clips_are_played_from_their_files_and_texts_are_quoted() {
    let (mut findings, records) = of_errors(9);
    let page = |findings: &Findings, pictures: &Pictures| {
        let source = ReportSource { pictures: Some(pictures), ..source(findings, &records) };
        report(&source).remove(0).text
    };
    let media = |kind| Some(StudyCard { media: kind, ..card("hype_infinity") });
    let images = page(&findings, &Pictures::default());
    assert!(!images.contains("class=\"media\""));
    let named = |excerpt: Option<&str>| {
        let mut pictures = Pictures::default();
        for path in pictured(&source(&findings, &records)) {
            pictures.add_media(&path, excerpt.map(str::to_owned));
        }
        pictures
    };
    let (clips, texts) = (named(None), named(Some("<b>first</b>\nsecond")));
    findings.study = media(MediaKind::Video);
    let names = page(&findings, &clips);
    assert!(names.contains("class=\"media\"") && !names.contains("<video"), "their folder is not known");
    let played = page(&findings, &clips.with_folder("../a%20b&/"));
    let first = "<video controls muted preload=\"metadata\" aria-label=\"";
    assert_eq!(played.matches(first).count(), 2 * (12 + 24), "{played}");
    assert!(played.contains("src=\"../a%20b&amp;/images/good/29.png\"></video>"), "{played}");
    assert!(!page(&findings, &Pictures::default()).contains("class=\"media\""));
    findings.study = media(MediaKind::Text);
    let quoted = page(&findings, &texts);
    assert!(quoted.contains("<blockquote dir=\"auto\">&lt;b&gt;first&lt;/b&gt;<br>second</blockquote>"));
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
