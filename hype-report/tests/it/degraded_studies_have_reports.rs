//! Few and many models, few and many raters, missing values, and any name.

use hype_report::{Setting, figures, report, svg, tables, terminal};

use crate::findings::{findings, records, source};

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
    for table in tables(&source) {
        let latex = table.latex();
        let depth = latex.replace("\\{", "").replace("\\}", "").chars().try_fold(0_i32, |depth, letter| {
            let depth = depth + i32::from(letter == '{') - i32::from(letter == '}');
            (depth >= 0).then_some(depth)
        });
        assert_eq!(depth, Some(0), "{latex}");
    }
    files[0].text.clone()
}

#[test]
fn one_model_and_no_model() {
    let page = check(&["alone"], 10);
    assert!(!page.contains("id=\"f2\""), "there is no pair");
    assert!(!page.contains("comes first"), "nobody else could have come first");
    let page = check(&[], 0);
    assert!(page.contains("There is no estimate"));
}

#[test]
fn two_raters() {
    let page = check(&["a", "b", "c"], 2);
    assert!(page.contains("too few raters"));
    assert!(page.contains("without intervals"));
}

#[test]
fn two_hundred_models() {
    let names: Vec<String> = (0..200).map(|number| format!("model {number}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let page = check(&names, 30);
    assert!(page.contains("160 others are in the table"));
    let findings = findings(&names, 3);
    let records = records(&findings);
    let table = &tables(&source(&findings, &records))[0];
    assert!(table.latex().contains("longtable"));
    assert_eq!(table.csv().lines().count(), 201);
}

#[test]
fn ten_thousand_raters() {
    let findings = findings(&["a", "b"], 10_000);
    let records = records(&findings);
    let figures = figures(&source(&findings, &records));
    let drawn = svg(&figures[0], Setting::Alone, None);
    assert!(drawn.len() < 20_000, "{} bytes", drawn.len());
    assert!(figures[0].data.has("raters, 25 % to 75 %") && !figures[0].data.has("rater"));
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
    assert!(page.contains(&long), "the whole name is in the page");
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
    assert!(page.contains("does not test its lead"));
    assert_well_formed(page);
}
