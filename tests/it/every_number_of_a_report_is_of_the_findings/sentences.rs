//! The numbers of sentences.

use std::collections::BTreeMap;

use serde_json::Value;

use super::numbers::{between, numbers, plain};
use super::report::{Report, Rows, list};
use super::trials::blocks;

/// Numbers that a text may have, each with a factor of 100 where people read it in percent.
pub struct Known(Vec<f64>);

impl Known {
    pub fn new() -> Self {
        // Smaller p values are written as being below it.
        Self(vec![0.001])
    }

    pub fn add(&mut self, number: f64) {
        self.0.push(number);
        if number.abs() <= 1.0 {
            self.0.push(100.0 * number);
        }
    }

    /// All numbers of a value. Labels and methods have numbers of their own.
    pub fn add_all(&mut self, value: &Value) {
        match value {
            Value::Number(number) => number.as_f64().into_iter().for_each(|number| self.add(number)),
            Value::Array(all) => all.iter().for_each(|one| self.add_all(one)),
            Value::Object(all) => all.iter().for_each(|(name, one)| {
                self.add_text(name);
                self.add_all(one);
            }),
            Value::String(text) => self.add_text(text),
            _ => {}
        }
    }

    /// The numbers of all texts of a value.
    pub fn add_texts(&mut self, value: &Value) {
        match value {
            Value::Array(all) => all.iter().for_each(|one| self.add_texts(one)),
            Value::Object(all) => all.iter().for_each(|(name, one)| {
                self.add_text(name);
                self.add_texts(one);
            }),
            Value::String(text) => self.add_text(text),
            _ => {}
        }
    }

    pub fn add_text(&mut self, text: &str) {
        numbers(text).into_iter().for_each(|(number, _)| self.add(number));
    }

    fn has(&self, number: f64, half: f64) -> bool {
        // The sign of a lead is that of the order.
        let is_near = |one: f64| (one - number).abs() <= half * (1.0 + 1e-9);
        self.0.iter().any(|&one| is_near(one) || is_near(-one))
    }
}

/// The sentences seen in all studies.
#[derive(Debug, Default)]
pub struct Seen {
    /// Numbers that were changed by seven units of their last digit, and those that were known nevertheless.
    changed: u32,
    unnoticed: u32,
}

impl Seen {
    /// Checks a text. Returns how many numbers it has.
    pub fn check(&mut self, text: &str, known: &Known, what: &str) -> usize {
        let all = numbers(text);
        for &(number, half) in &all {
            assert!(known.has(number, half), "{what}: {number} of \"{text}\" is not known");
            self.changed += 1;
            self.unnoticed += u32::from(known.has(number + 14.0 * half, half));
        }
        all.len()
    }

    /// Most wrong numbers would have been noticed.
    pub fn is_strict(&self) {
        assert!(self.changed > 300 && 3 * self.unnoticed < self.changed, "{self:?}");
    }
}

/// The measures that a figure shows.
fn shown<'r>(report: &'r Report, id: &str) -> Vec<&'r Value> {
    let all = report.measures();
    // Further measures, thresholds, agreement and errors are measures of their own.
    let has_own = ["f1-also", "f8", "f9", "f12", "f13"].contains(&id) || id.starts_with("f13-");
    all.iter().take(if has_own { all.len() } else { 1 }).collect()
}

/// The parts of a measure whose numbers a figure's sentence may have in addition to those of the figure's table.
fn parts_of(id: &str) -> &'static [&'static str] {
    match id {
        "f2" => &["comparisons"],
        "f17" | "f19" => &["interactions"],
        "f18" => &["trends"],
        _ if id.starts_with("f13") => &["agreement"],
        _ if id.starts_with("f1") && !id.starts_with("f1-") && id != "f1" => &[],
        _ if id.starts_with("f1") => &["estimates", "comparisons", "resampled_orders"],
        _ => &[],
    }
}

/// Returns the numbers that sentences count.
fn counts(report: &Report, found: &Value) -> Vec<usize> {
    let separable = list(&found["comparisons"])
        .iter()
        .filter(|pair| pair["p"].as_f64().is_some_and(|p| p < 0.05))
        .count();
    let models = list(&found["ranks"]["models"]).iter();
    let single =
        models.filter(|model| model["simultaneous"]["best"] == model["simultaneous"]["worst"]).count();
    let models = list(&found["estimates"]).len();
    let collected = &report.findings["collected"];
    let count = |name: &str| collected[name].as_u64().unwrap() as usize;
    let counting = count("completed") - count("excluded");
    vec![separable, single, models, models.saturating_sub(1), list(&found["comparisons"]).len(), counting]
}

pub fn sentences_have_known_numbers(report: &Report, seen: &mut Seen) {
    let page = report.text("index.html");
    let mut count = 0;
    let mut check = |id: &str, sentence: &str| {
        let mut known = Known::new();
        for found in shown(report, id) {
            known.add_texts(found);
            parts_of(id).iter().for_each(|part| known.add_all(&found[*part]));
            counts(report, found).into_iter().for_each(|count| known.add(count as f64));
        }
        // A sentence that begins with a measure is about its estimates.
        for found in report.measures() {
            if sentence.starts_with(&format!("{}: ", found["measure"]["label"].as_str().unwrap())) {
                known.add_all(&found["estimates"]);
            }
        }
        known.add_all(&report.findings["collected"]);
        known.add_all(&report.findings["study"]["protocol"]);
        if ["f1", "f1-also", "f8"].contains(&id) {
            let estimates = || report.measures().iter().flat_map(|found| list(&found["estimates"]));
            estimates().for_each(|one| known.add_all(one));
            known.add(report.measures().len() as f64);
            // How far estimators put the same model apart.
            for (one, other) in estimates().flat_map(|one| estimates().map(move |other| (one, other))) {
                if one["model"] == other["model"] {
                    known.add(one["value"].as_f64().unwrap() - other["value"].as_f64().unwrap());
                }
            }
        }
        // Cells are compared with findings and trials where they come from them.
        let rows = report.rows(&format!("figures/{id}.csv")).unwrap_or_default();
        for cell in rows.iter().flat_map(|row| row.values()) {
            match cell.parse() {
                Ok(number) => known.add(number),
                Err(_) => known.add_text(cell),
            }
        }
        if id == "f6" {
            blocks(report).into_iter().for_each(|number| known.add(number));
        }
        if id == "f4" {
            widths_of_median_spread(&rows).into_iter().for_each(|width| known.add(width));
        }
        // The first and the last tenth of sessions, of all models together.
        for end in ["1", "10"] {
            let own = || rows.iter().filter(|row| row.get("tenth").is_some_and(|tenth| tenth == end));
            let sum = |column: &str| own().map(|row| row[column].parse::<f64>().unwrap()).sum::<f64>();
            if own().next().is_some() {
                known.add(sum("wrong") / sum("answers"));
            }
        }
        // How many there are of each part, such as the images at either end.
        for part in rows.iter().map(|row| &row["part"]) {
            known.add(rows.iter().filter(|row| row["part"] == *part).count() as f64);
        }
        count += seen.check(&without_rests(sentence), &known, &format!("{}: {id}", report.study));
    };
    check("f1", &plain(between(&page, "<h1>", "</h1>")));
    if page.contains("<p class=\"lead\">") {
        check("f1", &plain(between(&page, "<p class=\"lead\">", "</p>")));
    }
    for section in page.split("<h2 id=\"f").skip(1) {
        let id = format!("f{}", section.split_once('"').unwrap().0);
        let sentence = plain(between(section, "<p>", "</p>"));
        check(&id, &sentence);
    }
    assert!(count > 5, "{}: {count} numbers", report.study);
}

/// The width of a model of median spread, by the number of raters.
fn widths_of_median_spread(rows: &Rows) -> Vec<f64> {
    let mut widths: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for row in rows.iter().filter(|row| row["part"] == "expected") {
        widths.entry(&row["raters"]).or_default().push(row["width"].parse().unwrap());
    }
    let median = |mut all: Vec<f64>| {
        all.sort_unstable_by(f64::total_cmp);
        f64::midpoint(all[(all.len() - 1) / 2], all[all.len() / 2])
    };
    widths.into_values().map(median).collect()
}

/// A sentence without how many more there are of what it names, which is checked with what it names.
fn without_rests(sentence: &str) -> String {
    let words: Vec<&str> = sentence.split(' ').collect();
    let is_rest = |at: usize| words.get(at + 1).is_some_and(|next| next.starts_with("more"));
    let kept = words.iter().enumerate().filter(|(at, _)| !is_rest(*at)).map(|(_, word)| *word);
    kept.collect::<Vec<_>>().join(" ")
}
