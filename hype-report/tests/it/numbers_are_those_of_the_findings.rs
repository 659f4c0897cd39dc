//! Every number of figures and tables is one of the findings.

use hype_report::{figures, report, tables};

use crate::findings::{csv, findings, records, source};

const MODELS: [&str; 4] = ["stylegan", "biggan", "dcgan", "vae"];

fn number(text: &str) -> f64 {
    text.parse().unwrap()
}

#[test]
fn forests_have_estimates_intervals_and_raters() {
    let findings = findings(&MODELS, 25);
    let records = records(&findings);
    let figures = figures(&source(&findings, &records));
    let rows = csv(&figures.iter().find(|figure| figure.id == "f1").unwrap().data.csv());
    let part = |name: &str| rows.iter().filter(|row| row["part"] == name).collect::<Vec<_>>();
    let estimates = part("estimate");
    assert_eq!(estimates.len(), MODELS.len());
    for (row, one) in estimates.iter().zip(&findings.measures[0].estimates) {
        let interval = one.interval.as_ref().unwrap();
        assert_eq!(row["model"], *one.model);
        assert_eq!(number(&row["value"]), one.value);
        assert_eq!([number(&row["low"]), number(&row["high"])], [interval.low, interval.high]);
        assert_eq!(number(&row["raters"]), one.raters as f64);
        let means: Vec<f64> = part("rater")
            .iter()
            .filter(|rater| rater["model"] == *one.model)
            .map(|rater| number(&rater["value"]))
            .collect();
        assert_eq!(means.len() as u64, one.raters);
        assert!(means.is_sorted(), "raters are in no order of theirs");
        assert!((means.iter().sum::<f64>() / means.len() as f64 - one.value).abs() < 1e-12);
    }
    let letters: Vec<&str> = estimates.iter().map(|row| &*row["letters"]).collect();
    assert_eq!(letters, ["a", "ab", "bc", "c"]);
    assert_eq!(number(&part("reference")[0]["value"]), 0.5);
}

#[test]
fn differences_are_those_of_the_comparisons() {
    let findings = findings(&MODELS, 25);
    let records = records(&findings);
    let figures = figures(&source(&findings, &records));
    let rows = csv(&figures.iter().find(|figure| figure.id == "f2").unwrap().data.csv());
    let comparisons = &findings.measures[0].comparisons;
    let pairs: Vec<_> = rows.iter().filter(|row| row["part"] != "no difference").collect();
    assert_eq!(pairs.len(), comparisons.len());
    for row in pairs {
        let known = comparisons.iter().find(|one| *one.a == row["first"] && *one.b == row["second"]).unwrap();
        assert_eq!(number(&row["difference"]), known.difference);
        assert_eq!(number(&row["low"]), known.interval.as_ref().unwrap().low);
        assert_eq!(number(&row["p"]), known.p.unwrap());
        assert_eq!(row["separable"] == "yes", known.p.unwrap() < 0.05);
    }
}

#[test]
fn flows_add_up() {
    let findings = findings(&MODELS, 25);
    let records = records(&findings);
    let figures = figures(&source(&findings, &records));
    let rows = csv(&figures.iter().find(|figure| figure.id == "f3").unwrap().data.csv());
    let count = |text: &str| number(&rows.iter().find(|row| row["text"] == text).unwrap()["count"]);
    assert_eq!(count("sessions opened"), 71.0);
    assert_eq!(count("excluded by the rule \"gold\""), 2.0);
    assert_eq!(count("sessions that count"), 60.0);
    let of = |step: &str| {
        rows.iter().filter(|row| row["of"] == step).map(|row| number(&row["count"])).sum::<f64>()
    };
    assert_eq!(count("sessions opened") - of("opened"), count("sessions completed"));
    assert_eq!(count("sessions completed") - of("completed"), count("sessions that count"));
}

#[test]
fn tables_are_rounded_findings() {
    let findings = findings(&MODELS, 25);
    let records = records(&findings);
    let table = &tables(&source(&findings, &records))[0];
    let rows = csv(&table.csv());
    let latex: Vec<String> = table
        .latex()
        .lines()
        .skip_while(|line| !line.starts_with("\\midrule"))
        .skip(1)
        .take(MODELS.len())
        .map(str::to_owned)
        .collect();
    for ((row, line), one) in rows.iter().zip(&latex).zip(&findings.measures[0].estimates) {
        assert_eq!(number(&row["error"]), one.value);
        let cells: Vec<&str> = line.trim_end_matches("\\\\").split('&').map(str::trim).collect();
        assert_eq!(cells[1], &*one.model);
        let printed = [cells[2], cells[3], cells[4]].map(number);
        let interval = one.interval.as_ref().unwrap();
        for (printed, exact) in printed.into_iter().zip([one.value, interval.low, interval.high]) {
            assert!((printed - exact * 100.0).abs() <= 0.05 + 1e-9, "{printed} is not {exact}");
        }
    }
}

#[test]
fn reports_are_the_same_bytes_and_name_no_rater() {
    let findings = findings(&MODELS, 25);
    let (first, second) = (records(&findings), records(&findings));
    let files = report(&source(&findings, &first));
    assert_eq!(files, report(&source(&findings, &second)));
    for file in &files {
        assert!(!file.text.contains("secret"), "{} names a rater", file.path);
        assert!(!file.text.contains("NaN") && !file.text.contains("inf,"), "{}", file.path);
    }
    let page = &files[0];
    assert_eq!(page.path, "index.html");
    assert!(page.text.contains("answers of synthetic raters"));
    for forbidden in ["<script", "http://", "https://", "src="] {
        let others = page.text.replace("http://www.w3.org/2000/svg", "");
        assert!(!others.contains(forbidden), "the page has {forbidden}");
    }
    for figure in files.iter().filter(|file| file.path.ends_with(".svg")) {
        assert!(figure.text.contains("answers of synthetic raters"), "{}", figure.path);
        assert!(figure.text.contains("<title id=") && figure.text.contains("<desc id="), "{}", figure.path);
    }
}

#[test]
fn links_lead_to_files_of_the_report() {
    let findings = findings(&MODELS, 25);
    let records = records(&findings);
    let files = report(&source(&findings, &records));
    let page = &files[0].text;
    let mut links = 0;
    for link in page.split("href=\"").skip(1).map(|rest| rest.split('"').next().unwrap()) {
        match link.strip_prefix('#') {
            Some(id) => assert!(page.contains(&format!("id=\"{id}\"")), "{id}"),
            None if link == "data:," => {}
            None => assert!(files.iter().any(|file| file.path == link), "{link}"),
        }
        links += 1;
    }
    assert!(links > 20);
}
