//! Few and many models, few and many raters, missing values, and any name.

use std::collections::BTreeSet;

use hype_core::model::findings::{MetricFindings, ModelMetric, Note};
use hype_core::{Direction, Estimate, Measure, Row, ScoreTable};
use hype_report::{PaperTable, Records, Setting, Sheet, figures, report, svg, tables, terminal};

use crate::findings::{MEASURE, findings, headline, lead, of_errors, records, source};
use crate::proof::sized;
use crate::{latex, typeset};

/// Whether tags are balanced and no text has a bare `<` or `&`.
fn assert_well_formed(text: &str) {
    let mut open: Vec<&str> = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find('<') {
        let words = &rest[..start];
        for (at, _) in words.match_indices('&') {
            let entity = words[at + 1..].split(';').next().unwrap();
            assert!(["amp", "lt", "gt", "quot", "#39"].contains(&entity), "&{entity}");
        }
        let end = start + rest[start..].find('>').unwrap();
        let tag = &rest[start + 1..end];
        rest = &rest[end + 1..];
        let name = tag.trim_start_matches('/').split([' ', '/']).next().unwrap();
        if tag.starts_with('/') {
            assert_eq!(open.pop(), Some(name), "in {tag}");
        } else if !tag.ends_with('/') && !tag.starts_with('!') && !["meta", "link"].contains(&name) {
            open.push(name);
        }
    }
    assert!(open.is_empty(), "{open:?}");
}

/// Checks all files of a report about these models, and returns its page.
fn check(models: &[&str], raters: u64) -> String {
    let findings = findings(models, raters);
    let records = records(&findings);
    let source = source(&findings, &records);
    let files = report(&source);
    for file in &files {
        if file.path.ends_with(".svg") || file.path.ends_with(".html") {
            assert_well_formed(&file.text);
        }
        for bad in ["NaN", "inf\"", "Infinity"] {
            assert!(!file.text.contains(bad), "{} has {bad}", file.path);
        }
    }
    for figure in figures(&source) {
        for columns in [40, 80, 200] {
            assert!(terminal(&figure, columns, None).lines().count() > 2);
        }
    }
    let tables: Vec<String> = tables(&source).iter().map(PaperTable::latex).collect();
    for table in &tables {
        assert_eq!(latex::rows(table), models.len().max(source.findings.measures[0].estimates.len()));
    }
    typeset::compile(&tables);
    let paths: BTreeSet<&str> = files.iter().map(|file| &*file.path).collect();
    assert_eq!(paths.len(), files.len(), "no file is written twice");
    for path in paths {
        let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-._/".contains(letter);
        assert!(path.chars().all(is_plain) && path.len() < 120, "{path}");
    }
    files[0].text.clone()
}

#[test]
fn one_model_and_no_model() {
    let page = check(&["alone"], 10);
    assert!(!page.contains("Difference from"), "there is no pair");
    assert_eq!(
        headline(&page),
        "Judged wrong: alone 90.0% [85.8, 94.3].",
        "no one else could have come first"
    );
    assert!(!page.contains("class=\"lead\""));
    let page = check(&[], 0);
    assert_eq!(headline(&page), "No estimate of judged wrong: 60 of 60 places are complete.");
}

#[test]
fn two_raters() {
    let page = check(&["a", "b", "c"], 2);
    assert!(page.contains("n = 2 raters per model."));
    assert!(page.contains("Marks: estimates, without intervals."));
    assert!(
        page.contains(">Judged wrong (%)</th>") && page.contains(">Estimate</th>"),
        "there is no interval"
    );
}

#[test]
fn two_hundred_models() {
    let names: Vec<String> = (0..200).map(|number| format!("model {number}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let page = check(&names, 30);
    assert!(page.contains("… 189 more"));
    let findings = findings(&names, 3);
    let records = records(&findings);
    let table = &tables(&source(&findings, &records))[0];
    assert!(table.latex().contains("longtable"));
    assert_eq!(table.csv().lines().count(), 201);
}

#[test]
fn a_thousand_models_whose_pairs_are_not_compared() {
    let mut findings = findings(&["model 0"], 30);
    let found = &mut findings.measures[0];
    (found.ranks, found.family) = (None, None);
    let models = sized(400, 1_000);
    for number in 1..models {
        let value = 0.9 - 0.0005 * f64::from(number);
        let one = Estimate::new(&format!("model {number}"), value, 30, 300);
        found.add(one.interval(value - 0.04, value + 0.04, 0.95, "Student's t over raters"));
    }
    let many = format!("{models} models are more than the 300");
    findings.notes.push(Note::precision("too-many-models", many.clone()));
    let records = records(&findings);
    let files = report(&source(&findings, &records));
    let page = &files[0].text;
    assert_well_formed(page);
    assert!(page.contains(&many) && page.contains(&format!("… {} more", models - 11)));
    assert!(page.contains("Differences between models were not tested."));
    assert!(
        !page.contains("id=\"f2\"") && !page.contains("common letter") && !page.contains("Difference from")
    );
    let table = files.iter().find(|file| file.path == "tables/t1.csv").unwrap();
    assert_eq!(table.text.lines().count(), models as usize + 1);
}

#[test]
fn ten_thousand_raters() {
    let findings = findings(&["a", "b"], 10_000);
    let records = records(&findings);
    let figures = figures(&source(&findings, &records));
    let drawn = svg(&figures[0], Sheet::PAGE, Setting::Alone, None);
    assert!(drawn.len() < 20_000, "{} bytes", drawn.len());
    assert!(figures[0].data.has("25 % to 75 %") && !figures[0].data.has("rater"));
    assert!(figures[0].reading.how.contains("Pale bars: the middle 50% and 90% of raters."));
    // Of a hundred raters, each dot stands for a twentieth.
    let some = crate::findings::findings(&["a", "b"], 100);
    let figures = hype_report::figures(&source(&some, &crate::findings::records(&some)));
    assert_eq!(figures[0].data.part("rater").count(), 40);
    assert!(figures[0].reading.how.contains("Dots: 5% of raters each."));
}

#[test]
fn names_in_every_script_and_with_markup() {
    let long = "ж".repeat(200);
    let names = [
        "<script>alert(1)</script>",
        "a & b \"c\" 'd'",
        "モデル生成",
        "نموذج",
        "मॉडल",
        &long,
        "</svg></style>{}$%_#~^\\",
        "|pipes|*stars*",
    ];
    let page = check(&names, 12);
    assert!(!page.contains("<script"));
    assert!(page.contains("&lt;script&gt;"));
    let short = format!("{}…{}", "ж".repeat(14), "ж".repeat(9));
    assert!(page.contains(&short), "a name of {} characters is shortened", long.len());
    let findings = findings(&names, 12);
    let records = records(&findings);
    let all = source(&findings, &records);
    assert!(tables(&all)[0].csv().contains(&long), "the whole name is in the table's file");
}

#[test]
fn names_that_pdflatex_knows_need_no_other_program() {
    let names =
        ["Modèle – \"générateur\"", "[a] & b_c #1 100 %", "$x^{2}$ ~ \\o/ <|>", "O = √(SC·PQ) ± 1", "Łódź"];
    check(&names, 12);
    let findings = findings(&names, 12);
    let records = records(&findings);
    for table in tables(&source(&findings, &records)) {
        assert!(table.latex().starts_with("% \\usepackage{booktabs"), "{}", table.latex());
    }
}

#[test]
fn models_without_values_are_named() {
    let mut findings = findings(&["a", "b"], 12);
    findings.measures[0].estimates[1].interval = None;
    findings.measures[0].comparisons[0].p = None;
    findings.measures[0].comparisons[0].interval = None;
    let records = records(&findings);
    let source = source(&findings, &records);
    let page = &report(&source)[0].text;
    assert!(page.contains("Differences between models were not tested."));
    assert_well_formed(page);
}

/// The sentence of the page about models whose pairs, from the best one, have these p values.
fn sentence(p: &[Option<f64>]) -> String {
    let names: Vec<String> = (0..=p.len()).map(|number| format!("m{number}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut findings = findings(&names, 12);
    for (pair, p) in findings.measures[0].comparisons.iter_mut().filter(|pair| &*pair.a == "m0").zip(p) {
        pair.p = *p;
    }
    let records = records(&findings);
    let page = report(&source(&findings, &records)).swap_remove(0).text;
    lead(&page)
}

#[test]
fn statements_about_a_lead_hold_for_each_other_model() {
    let (far, near) = (Some(0.001), Some(0.3));
    assert_eq!(
        sentence(&[near]),
        "The difference of 40.0 points [33.0, 47.0] (p = 0.30) does not show that they are equal."
    );
    assert_eq!(sentence(&[far]), "It leads m1 by 40.0 points [33.0, 47.0] (p = 0.0010).");
    let two = ["m1 by 26.7 points [19.7, 33.7]", "m2 by 53.3 points [46.3, 60.3]"];
    let near_two = ["m1 (26.7 points [19.7, 33.7])", "m2 (53.3 points [46.3, 60.3])"];
    // The two others are not told apart from each other.
    assert_eq!(sentence(&[far, far]), format!("It leads {} and {} (p ≤ 0.0010).", two[0], two[1]));
    assert_eq!(
        sentence(&[near, near]),
        format!("It is not told apart from {} and {}.", near_two[0], near_two[1])
    );
    assert_eq!(
        sentence(&[near, far]),
        format!("It leads {} (p = 0.0010), and is not told apart from {}.", two[1], near_two[0])
    );
    // More than three are counted, with the first of them.
    assert_eq!(
        sentence(&[far; 4]),
        "It leads the 4 others, such as m1 by 16.0 points [9.0, 23.0] (p ≤ 0.0010)."
    );
    let mut many = vec![near; 6];
    many.extend([far; 2]);
    assert!(sentence(&many).starts_with("It leads m7 by 62.2 points [55.2, 69.2] and m8 by "));
    let most = "6 of the 8 others, such as m1 (8.9 points [1.9, 15.9])";
    assert!(sentence(&many).ends_with(&format!("(p ≤ 0.0010), and is not told apart from {most}.")));
    // A lead is untested over those whose pair has no p value, and over no other.
    assert!(sentence(&[far, None, near]).ends_with(" It was not compared with m2."));
    assert_eq!(
        sentence(&[None, far, None]),
        "It leads m2 by 40.0 points [33.0, 47.0] (p = 0.0010). It was not compared with m1 and m3."
    );
    assert_eq!(sentence(&[None, None]), "Differences between models were not tested.");
    let mut most = vec![None; 6];
    most.push(far);
    assert!(sentence(&most).ends_with(" It was not compared with 6 of the 7 others, such as m1."));
}

#[test]
fn cells_may_be_missing() {
    let mut findings = findings(&["a", "b", "c"], 9);
    findings.measures[0].estimates[2].interval = None;
    let mut records = Records::default();
    for rater in 0..9_u32 {
        let mut table = ScoreTable::default();
        let name = format!("secret-rater-{rater}");
        for (place, model) in (0..).zip(["a", "b", "c"]) {
            let value = if rater == 4 { f64::NAN } else { 0.5 };
            if (rater + place) % 3 > 0 {
                table.push(&Row::new(&name, model, MEASURE, value));
            }
        }
        records.add_scores(table.rows());
    }
    let source = source(&findings, &records);
    for file in report(&source) {
        for bad in ["NaN", "inf\"", "Infinity"] {
            assert!(!file.text.contains(bad), "{} has {bad}", file.path);
        }
    }
}

#[test]
fn names_without_latin_letters_have_files_of_their_own() {
    let (mut findings, records) = of_errors(9);
    for name in ["誤り", "間違い"] {
        let value = |(model, value): (&str, f64)| ModelMetric {
            model: model.into(),
            value: Some(value),
            ..ModelMetric::default()
        };
        findings.metrics.push(MetricFindings {
            measure: Measure::new(name, name, "", Direction::Lower),
            pipeline: Vec::new(),
            values: [("good", 4.5), ("weak", 9.25)].into_iter().map(value).collect(),
        });
    }
    let files = report(&source(&findings, &records));
    let paths: BTreeSet<&str> = files.iter().map(|file| &*file.path).collect();
    assert_eq!(paths.len(), files.len());
    assert!(paths.contains("figures/f5.svg") && paths.contains("figures/f5-2.svg"), "{paths:?}");
    let page = &files[0].text;
    assert!(page.contains("<h2 id=\"f5-2\">") && page.contains("href=\"figures/f5-2.csv\""));
}
