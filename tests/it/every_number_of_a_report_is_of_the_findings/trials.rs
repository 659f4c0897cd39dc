//! Figures that count answers, which findings do not have one by one.

use std::collections::BTreeMap;

use super::report::{Report, Rows};
use crate::program::succeeds;

fn exported(report: &Report, what: &str) -> Rows {
    let study = report.folder.parent().unwrap();
    let table = succeeds(study, &["export", study.to_str().unwrap(), "--what", what]);
    csv::Reader::from_reader(table.as_bytes()).deserialize().map(|row| row.unwrap()).collect()
}

/// The trials that count.
fn trials(report: &Report) -> Rows {
    let mut rows = exported(report, "trials");
    rows.retain(|row| row["phase"] == "main" && row["ending"] == "completed");
    rows
}

fn number(text: &str) -> u64 {
    text.parse().unwrap_or_else(|_| panic!("{text} is not a count"))
}

pub fn answers_are_counted(report: &Report) {
    match report.findings["study"]["task"].as_str().unwrap() {
        "hype_infinity" => {
            images(report);
            tenths(report);
        }
        "hype_time" => accuracy(report),
        "rating" if report.study == "opinion" => ratings(report),
        _ => {}
    }
}

/// F10, where images differ by more than chance: how often each was judged real, of how many answers.
fn images(report: &Report) {
    let mut counts: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    for trial in trials(report) {
        let count = counts.entry(trial["stimulus"].clone()).or_default();
        count.0 += u64::from(trial["answer"] == "real");
        count.1 += 1;
    }
    let files = std::fs::read_dir(report.folder.join("figures")).unwrap();
    for file in files.map(|file| file.unwrap().file_name().into_string().unwrap()) {
        if !file.starts_with("f10-") || !file.ends_with(".csv") {
            continue;
        }
        for row in &report.rows(&format!("figures/{file}")).unwrap() {
            let (real, all) = counts[&row["path"]];
            let what = format!("{}: {file}: {row:?}", report.study);
            assert_eq!((number(&row["taken_for_real"]), number(&row["answers"])), (real, all), "{what}");
            assert_eq!(row["text"], format!("{real} of {all}"), "{what}");
            let [rate, low, high] = ["rate", "low", "high"].map(|column| row[column].parse::<f64>().unwrap());
            assert!(low <= rate && rate <= high && (0.0..=1.0).contains(&rate), "{what}");
        }
    }
}

/// F11: all answers are in one tenth of a session.
fn tenths(report: &Report) {
    let trials = trials(report);
    let rows = report.rows("figures/f11.csv").unwrap();
    for model in rows.iter().map(|row| &row["model"]) {
        let own: Vec<_> = rows.iter().filter(|row| row["model"] == *model).collect();
        // Many models are drawn together.
        let of_model = || trials.iter().filter(|trial| model == "all models" || trial["model"] == *model);
        let sum = |column: &str| own.iter().map(|row| number(&row[column])).sum::<u64>();
        assert_eq!(sum("answers"), of_model().count() as u64, "{model}");
        assert_eq!(
            sum("wrong"),
            of_model().filter(|trial| trial["correct"] == "false").count() as u64,
            "{model}"
        );
        for row in own {
            let share = number(&row["wrong"]) as f64 / number(&row["answers"]) as f64;
            assert_eq!(row["share"].parse::<f64>().unwrap(), share, "{row:?}");
        }
    }
}

/// F7: all answers are at one exposure.
fn accuracy(report: &Report) {
    let rows = report.rows("figures/f7.csv").unwrap();
    let points: Vec<_> = rows.iter().filter(|row| !row["answers"].is_empty()).collect();
    let trials = trials(report);
    assert!(!points.is_empty());
    let sum: u64 = points.iter().map(|row| number(&row["answers"])).sum();
    assert_eq!(sum, trials.len() as u64, "{}", report.study);
}

/// F6: the number of blocks, the lowest and the highest mean exposure of their second halves, and how many are censored.
pub fn blocks(report: &Report) -> [f64; 4] {
    let mut blocks: BTreeMap<[String; 3], Vec<f64>> = BTreeMap::new();
    for trial in trials(report) {
        let key = ["rater", "model", "block"].map(|column| trial[column].clone());
        blocks.entry(key).or_default().push(trial["exposure_ms"].parse().unwrap());
    }
    let late = |all: &Vec<f64>| {
        let late = &all[all.len() / 2..];
        late.iter().sum::<f64>() / late.len() as f64
    };
    let means = || blocks.values().map(late);
    let scores = exported(report, "scores");
    let is_end = |row: &&BTreeMap<String, String>| ["at_floor", "at_ceiling"].contains(&&*row["measure"]);
    let censored = scores.iter().filter(is_end).map(|row| row["value"].parse::<f64>().unwrap()).sum();
    let ends = [means().fold(f64::INFINITY, f64::min), means().fold(0.0, f64::max)];
    [blocks.len() as f64, ends[0], ends[1], censored]
}

/// The shortest and the longest exposure of trials that count.
pub fn exposures(report: &Report) -> Vec<f64> {
    let mut all: Vec<f64> =
        trials(report).iter().filter_map(|trial| trial["exposure_ms"].parse().ok()).collect();
    all.sort_unstable_by(f64::total_cmp);
    [all.first(), all.last()].into_iter().flatten().copied().collect()
}

/// The fewest and the most values of an item of a model.
pub fn values_per_item(report: &Report) -> Vec<u64> {
    let score = report.measures()[0]["measure"]["name"].as_str().unwrap();
    let mut counts: BTreeMap<[String; 2], u64> = BTreeMap::new();
    for row in
        exported(report, "scores").iter().filter(|row| row["measure"] == score && !row["item"].is_empty())
    {
        *counts.entry(["model", "item"].map(|column| row[column].clone())).or_default() += 1;
    }
    let counts: Vec<u64> = counts.into_values().collect();
    [counts.iter().min(), counts.iter().max()].into_iter().flatten().copied().collect()
}

/// F12: how often each value was given.
fn ratings(report: &Report) {
    let answers = exported(report, "answers");
    let rows = report.rows("figures/f12.csv").unwrap();
    assert!(rows.len() > 10);
    for row in &rows {
        let is_counted =
            |one: &&BTreeMap<String, String>| one["model"] == row["model"] && one["answer"] == row["value"];
        assert_eq!(number(&row["count"]), answers.iter().filter(is_counted).count() as u64, "{row:?}");
    }
}
