//! Every number of figures and tables is one of the findings.

use std::collections::BTreeMap;

use hype_core::ScoreTable;
use hype_core::model::score::Row;
use hype_report::{Records, ReportSource, figures, report, tables};

use crate::findings::{csv, findings, of_errors, of_ratings, of_votes, records, source};

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

/// The rows of a figure's table.
fn rows_of(source: &ReportSource<'_>, id: &str) -> Vec<BTreeMap<String, String>> {
    let figures = figures(source);
    csv(&figures.iter().find(|figure| figure.id == id).unwrap_or_else(|| panic!("no {id}")).data.csv())
}

#[test]
fn answers_lie_on_either_side_of_the_middle() {
    let (findings, records) = of_ratings();
    let rows = rows_of(&source(&findings, &records), "f12");
    let ends = |value: &str| {
        let row = rows.iter().find(|row| row["model"] == "a" && row["value"] == value).unwrap();
        [number(&row["share"]), number(&row["low"]), number(&row["high"])]
    };
    assert_eq!(ends("0"), [0.25, -0.375, -0.125]);
    assert_eq!(ends("0.5"), [0.25, -0.125, 0.125]);
    assert_eq!(ends("1"), [0.5, 0.125, 0.625]);
}

#[test]
fn values_given_together_are_counted() {
    let (findings, records) = of_ratings();
    let rows = rows_of(&source(&findings, &records), "f12-sc-pq");
    let cells: Vec<[&str; 4]> =
        rows.iter().map(|row| [&*row["model"], &*row["SC"], &*row["PQ"], &*row["count"]]).collect();
    assert_eq!(cells, [["a", "0", "0.5", "1"], ["a", "0.5", "0.5", "1"], ["a", "1", "1", "2"]]);
}

#[test]
fn reliability_grows_with_raters_from_that_of_the_findings() {
    let (findings, records) = of_ratings();
    let rows = rows_of(&source(&findings, &records), "f13-reliability");
    let expected = |raters: &str| {
        let row = |row: &&BTreeMap<String, String>| row["part"] == "expected" && row["raters"] == raters;
        number(&rows.iter().find(row).unwrap()["reliability"])
    };
    assert_eq!([expected("1"), expected("2"), expected("4")], [1.0 / 3.0, 0.5, 2.0 / 3.0]);
    let study = rows.iter().find(|row| row["part"] == "study").unwrap();
    assert_eq!((number(&study["raters"]), number(&study["reliability"])), (4.0, 2.0 / 3.0));
}

#[test]
fn circular_triads_are_those_of_each_rater() {
    let (findings, records) = of_votes();
    // By the majority there are none: a tie has no winner.
    let page = &report(&source(&findings, &records))[0].text;
    let said = "Circular triads of models: 1 of 2 by the votes of single raters; coin tosses give a quarter.";
    assert!(page.contains(said), "{page}");
}

/// Grades of the same comparisons, and votes by another criterion, are not added to the votes of the first.
#[test]
fn triads_are_those_of_one_criterion() {
    let (mut findings, _) = of_votes();
    for found in &mut findings.measures {
        found.measure.name = "win_rate.realism".into();
    }
    let circle = [("a", "b"), ("b", "c"), ("c", "a")];
    let mut table = ScoreTable::default();
    for (model, against) in circle {
        // By `fit` there is an order, in which `a` is the best.
        let fit = if model == "c" { 0.0 } else { 1.0 };
        for (measure, value) in
            [("grade.realism", -3.0), ("preference.fit", fit), ("preference.realism", 1.0)]
        {
            table.push(&Row { against, ..Row::new("r", model, measure, value) });
        }
    }
    let mut records = Records::default();
    records.add_scores(table.rows());
    let page = &report(&source(&findings, &records))[0].text;
    assert!(page.contains(" 1 of 1 by the votes of single raters; "), "{page}");
}

#[test]
fn two_models_are_drawn_above_their_difference() {
    let findings = findings(&["good", "weak"], 8);
    let records = records(&findings);
    let rows = rows_of(&source(&findings, &records), "f2");
    let part = |name: &str| rows.iter().filter(|row| row["part"] == name).collect::<Vec<_>>();
    assert_eq!(part("rater").len(), 16);
    let [first, second] = [0, 1].map(|at| findings.measures[0].estimates[at].value);
    let pair = &findings.measures[0].comparisons[0];
    let [difference] = part("difference")[..] else { panic!("there is one pair") };
    assert_eq!(number(&difference["difference"]), pair.difference);
    assert_eq!(number(&difference["low"]), pair.interval.as_ref().unwrap().low);
    assert!((number(&difference["drawn_at"]) - first).abs() < 1e-12, "it is drawn where the better model is");
    assert_eq!(number(&part("no difference")[0]["drawn_at"]), second);
}

#[test]
fn images_are_in_the_order_of_shrunken_rates() {
    let (findings, records) = of_errors(9);
    let rows = rows_of(&source(&findings, &records), "f10-good");
    let rates: Vec<f64> = rows.iter().map(|row| number(&row["rate"])).collect();
    assert_eq!(rates.len(), 30);
    assert!(rates.windows(2).all(|pair| pair[0] >= pair[1]));
    for row in &rows {
        assert_eq!(row["text"], format!("{} of 9", row["taken_for_real"]));
        assert!(row["path"].ends_with(&row["image"]) && row["path"].starts_with("images/good/"));
    }
}
