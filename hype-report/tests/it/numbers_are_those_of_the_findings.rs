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
fn the_key_figure_has_estimates_intervals_and_raters() {
    let findings = findings(&MODELS, 25);
    let records = records(&findings);
    let figures = figures(&source(&findings, &records));
    let rows = csv(&figures.iter().find(|figure| figure.id == "f1").unwrap().data.csv());
    let part = |name: &str| {
        let is_ours = |row: &&BTreeMap<String, String>| row["part"] == name && row["panel"] == "judged wrong";
        rows.iter().filter(is_ours).collect::<Vec<_>>()
    };
    let estimates = part("estimate");
    assert_eq!(estimates.len(), MODELS.len());
    for (row, one) in estimates.iter().zip(&findings.measures[0].estimates) {
        let interval = one.interval.as_ref().unwrap();
        assert_eq!(row["row"], *one.model);
        assert_eq!(number(&row["x"]), one.value);
        assert_eq!([number(&row["low"]), number(&row["high"])], [interval.low, interval.high]);
        assert_eq!(number(&row["raters"]), one.raters as f64);
        let means: Vec<f64> = part("rater")
            .iter()
            .filter(|rater| rater["row"] == *one.model)
            .map(|rater| number(&rater["x"]))
            .collect();
        assert_eq!(means.len() as u64, one.raters);
        assert!(means.is_sorted(), "raters are in no order of theirs");
        assert!((means.iter().sum::<f64>() / means.len() as f64 - one.value).abs() < 1e-12);
        let with = part("with excluded").into_iter().find(|with| with["row"] == *one.model).unwrap();
        assert_eq!(number(&with["x"]), one.with_excluded.as_ref().unwrap().value);
    }
    let letters: Vec<&str> = estimates.iter().map(|row| &*row["letters"]).collect();
    assert_eq!(letters, ["a", "ab", "bc", "c"]);
    let [guessing] = part("reference")[..] else { panic!("there is one reference") };
    assert_eq!((number(&guessing["x"]), &*guessing["text"]), (0.5, "guessing"));
}

#[test]
fn differences_match_the_comparisons_with_the_best_model() {
    let findings = findings(&MODELS, 25);
    let records = records(&findings);
    let figures = figures(&source(&findings, &records));
    let rows = csv(&figures.iter().find(|figure| figure.id == "f1").unwrap().data.csv());
    let part = |name: &str| {
        let is_ours = |row: &&BTreeMap<String, String>| row["part"] == name && row["panel"] == "difference";
        rows.iter().filter(is_ours).collect::<Vec<_>>()
    };
    let of_best = findings.measures[0].comparisons.iter().filter(|one| &*one.a == MODELS[0]);
    let differences = part("estimate");
    assert_eq!(differences.len(), MODELS.len() - 1);
    for (row, known) in differences.into_iter().zip(of_best) {
        assert_eq!(row["row"], *known.b);
        // Worse models lie below zero.
        assert_eq!(number(&row["x"]), -known.difference);
        let ends = known.interval.as_ref().unwrap();
        assert_eq!([number(&row["low"]), number(&row["high"])], [-ends.high, -ends.low]);
    }
    assert_eq!(number(&part("reference")[0]["x"]), 0.0);
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
fn tables_have_all_digits_of_the_findings() {
    let findings = findings(&MODELS, 25);
    let records = records(&findings);
    let tables = tables(&source(&findings, &records));
    let of = |id: &str| csv(&tables.iter().find(|table| table.id == id).unwrap().csv());
    let found = &findings.measures[0];
    for (place, (row, one)) in of("t1").iter().zip(&found.estimates).enumerate() {
        let interval = one.interval.as_ref().unwrap();
        assert_eq!(
            [number(&row["error"]), number(&row["low"]), number(&row["high"])],
            [one.value, interval.low, interval.high]
        );
        if place == 0 {
            assert!(
                row["difference"].is_empty() && row["p"].is_empty(),
                "the best differs from no other best"
            );
            continue;
        }
        let pair = &found.comparisons[place - 1];
        let ends = pair.interval.as_ref().unwrap();
        assert_eq!(
            ["difference", "difference_low", "difference_high", "p"].map(|key| number(&row[key])),
            [-pair.difference, -ends.high, -ends.low, pair.p.unwrap()]
        );
    }
    let all = of("s1-all-measures");
    assert_eq!(all.len(), found.estimates.len());
    for (row, one) in all.iter().zip(&found.estimates) {
        assert_eq!((&*row["measure"], &*row["model"]), ("error", &*one.model));
        assert_eq!(
            ["value", "se", "sd", "raters", "answers"].map(|key| number(&row[key])),
            [one.value, one.se.unwrap(), one.sd.unwrap(), one.raters as f64, one.responses as f64]
        );
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
fn circular_triads_are_counted_for_each_rater() {
    let (findings, records) = of_votes();
    // By the majority there are none: a tie has no winner.
    let page = &report(&source(&findings, &records))[0].text;
    let said = "Circular triads of models: 1 of 2 by the votes of single raters; coin tosses give a quarter.";
    assert!(page.contains(said), "{page}");
}

/// Grades of the same comparisons, and votes by another criterion, are not added to the votes of the first.
#[test]
fn triads_belong_to_one_criterion() {
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
fn two_models_are_drawn_with_their_difference() {
    let findings = findings(&["good", "weak"], 8);
    let records = records(&findings);
    let rows = rows_of(&source(&findings, &records), "f1");
    let part = |panel: &str, name: &str| {
        rows.iter().filter(|row| row["panel"] == panel && row["part"] == name).collect::<Vec<_>>()
    };
    assert_eq!(part("judged wrong", "rater").len(), 16);
    let pair = &findings.measures[0].comparisons[0];
    let [difference] = part("difference", "estimate")[..] else { panic!("there is one pair") };
    assert_eq!((&*difference["row"], number(&difference["x"])), ("weak", -pair.difference));
    assert_eq!(number(&difference["low"]), -pair.interval.as_ref().unwrap().high);
    // The lane of differences has the same units for each pixel: ticks ten points apart are equally far apart.
    let drawn = crate::findings::drawn_of(&source(&findings, &records), "f1");
    let at = |text: &str| -> f64 {
        let end = format!("\">{text}</text>");
        let before = drawn.split(&*end).next().unwrap();
        assert!(before.len() < drawn.len(), "{text} is written");
        number(before.rsplit("x=\"").next().unwrap().split('"').next().unwrap())
    };
    let of_values = (at("80") - at("60")) / 20.0;
    let of_differences = (at("0") - at("−40")) / 40.0;
    assert!((of_values - of_differences).abs() < 0.01, "{of_values} and {of_differences}");
}

#[test]
fn images_are_in_the_order_of_shrunken_rates() {
    let (findings, records) = of_errors(9);
    let rows = rows_of(&source(&findings, &records), "f10-good");
    let rows: Vec<_> =
        rows.iter().filter(|row| ["most", "least", "image"].contains(&&*row["part"])).collect();
    let rates: Vec<f64> = rows.iter().map(|row| number(&row["rate"])).collect();
    assert_eq!(rates.len(), 12, "six from either end");
    assert!(rates.windows(2).all(|pair| pair[0] >= pair[1]));
    for row in rows {
        assert_eq!(row["text"], format!("{} of 9", row["taken_for_real"]));
        assert!(row["path"].ends_with(&row["image"]) && row["path"].starts_with("images/good/"));
    }
}
