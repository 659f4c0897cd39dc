//! The tables of figures are of the findings, and drawings have the numbers of their tables.

use std::collections::BTreeMap;

use serde_json::Value;

use super::numbers::{numbers, plain};
use super::report::{Report, Rows, assert_near, assert_same, list};

/// The rows of key figures have the estimates of their measures, and texts that are these numbers, rounded.
pub fn forests_have_estimates(report: &Report) {
    let mut count = 0;
    for file in ["f1", "f1-also", "f8"] {
        let Some(rows) = report.rows(&format!("figures/{file}.csv")) else { continue };
        let is_own = |row: &&BTreeMap<String, String>| {
            row["part"] == "estimate" && row["panel"] != "difference" && !row["x"].is_empty()
        };
        for row in rows.iter().filter(is_own) {
            let what = format!("{}: {file}: {row:?}", report.study);
            let is_same = |one: &&Value| {
                one["model"] == row["row"].as_str()
                    && one["value"].as_f64() == row["x"].parse().ok()
                    && one["interval"]["low"].as_f64() == row["low"].parse().ok()
            };
            let of = |found: &'_ Value| list(&found["estimates"]).iter().find(is_same).cloned();
            let (found, one) = report
                .measures()
                .iter()
                .find_map(|found| Some((found, of(found)?)))
                .unwrap_or_else(|| panic!("{what}"));
            assert_same(&row["low"], &one["interval"]["low"], &what);
            assert_same(&row["high"], &one["interval"]["high"], &what);
            assert_same(&row["raters"], &one["raters"], &what);
            assert_same(&row["responses"], &one["responses"], &what);
            let named = [("value", "x"), ("low", "low"), ("high", "high")];
            let numbers = named.map(|(name, column)| (name.to_owned(), row[column].clone()));
            let text = format!("<text>{}</text>", row["text"]);
            assert!(is_written(&text, &numbers.into_iter().collect(), found), "{what}");
            count += 1;
        }
    }
    assert!(count > 0);
}

pub fn votes_and_agreement_are_of_the_findings(report: &Report) {
    if let Some(rows) = report.rows("figures/f14.csv") {
        let mut tables = report.measures().iter().flat_map(|found| list(&found["tables"]));
        let votes = tables.find(|table| table["name"] == "votes").unwrap();
        for found in list(&votes["rows"]) {
            let cell = |at: usize| found[at].as_str().unwrap();
            let is_pair = |row: &&BTreeMap<String, String>| {
                row["part"] == "pair" && row["model"] == cell(0) && row["against"] == cell(1)
            };
            let row = rows.iter().find(is_pair).unwrap();
            for (column, at) in [("wins", 2), ("ties", 3), ("losses", 4), ("share", 5)] {
                assert_near(&row[column], found[at].as_f64().unwrap(), column);
            }
            let all: f64 =
                ["wins", "ties", "losses"].map(|name| row[name].parse::<f64>().unwrap()).iter().sum();
            assert!(row["text"].contains(&format!("({} of {all}", row["wins"])), "{row:?}");
        }
    }
    if let Some(rows) = report.rows("figures/f13.csv") {
        for row in &rows {
            let same = |one: &&Value| {
                row["coefficient"] == one["coefficient"].as_str().unwrap()
                    && row["model"] == one["model"].as_str().unwrap_or_default()
            };
            let label = |found: &&Value| found["measure"]["label"] == row["measure"].as_str();
            let found = report.measures().iter().find(label).unwrap();
            let one = list(&found["agreement"]).iter().find(same).unwrap();
            assert_same(&row["value"], &one["value"], &row["coefficient"]);
            assert_same(&row["low"], &one["interval"]["low"], &row["coefficient"]);
        }
        assert!(rows.iter().any(|row| row["part"] != "supplement"));
    }
}

/// Whether the estimate of a row and its interval are written into a drawing, rounded.
pub fn is_written(drawn: &str, row: &BTreeMap<String, String>, found: &Value) -> bool {
    let factor = if found["measure"]["unit"] == "proportion" { 100.0 } else { 1.0 };
    let exact: Vec<f64> = ["value", "low", "high"]
        .into_iter()
        .filter_map(|column| row[column].parse::<f64>().ok())
        .map(|number| number * factor)
        .collect();
    let texts = drawn.split("<text").filter_map(|rest| rest.split_once('>'));
    texts.map(|(_, rest)| numbers(&plain(rest))).any(|written| {
        let is_rounded =
            |((number, half), exact): (&(f64, f64), &f64)| (number - exact).abs() <= half * (1.0 + 1e-9);
        written.len() == exact.len() && written.iter().zip(&exact).all(is_rounded)
    })
}

pub fn pairs_flow_and_widths_are_of_the_findings(report: &Report) {
    let score = &report.measures()[0];
    for row in report.rows("figures/f2.csv").into_iter().flatten().filter(|row| !row["first"].is_empty()) {
        let is_pair =
            |found: &&Value, a: &str, b: &str| found["a"] == row[a].as_str() && found["b"] == row[b].as_str();
        let what = format!("{}: f2: {row:?}", report.study);
        let forward = list(&score["comparisons"]).iter().find(|found| is_pair(found, "first", "second"));
        let backward = list(&score["comparisons"]).iter().find(|found| is_pair(found, "second", "first"));
        let (found, sign) =
            forward.map(|found| (found, 1.0)).or(backward.map(|found| (found, -1.0))).unwrap();
        assert_near(&row["difference"], sign * found["difference"].as_f64().unwrap(), &what);
        if let (Some(low), Some(high)) =
            (found["interval"]["low"].as_f64(), found["interval"]["high"].as_f64())
        {
            assert_near(&row["low"], (sign * low).min(sign * high), &what);
            assert_near(&row["high"], (sign * low).max(sign * high), &what);
        }
        assert_same(&row["p"], &found["p"], &what);
        if let Some(p) = found["p"].as_f64() {
            assert_eq!(row["separable"], if p < 0.05 { "yes" } else { "no" }, "{what}");
        }
    }
    let collected = &report.findings["collected"];
    for row in report.rows("figures/f3.csv").into_iter().flatten() {
        let count = |name: &str| collected[name].as_u64().unwrap();
        let expected = match &*row["step"] {
            "opened" => count("sessions"),
            "counted" => count("completed") - count("excluded"),
            name if collected[name].is_u64() => count(name),
            _ => continue,
        };
        assert_eq!(row["count"].parse().ok(), Some(expected), "{}: f3: {row:?}", report.study);
    }
    for row in report.rows("figures/f4.csv").into_iter().flatten().filter(|row| row["part"] == "study") {
        let is_model = |one: &&Value| one["model"] == row["model"].as_str();
        let one = list(&score["estimates"]).iter().find(is_model).unwrap();
        let ends = ["high", "low"].map(|end| one["interval"][end].as_f64().unwrap());
        assert_near(&row["width"], ends[0] - ends[1], "a width of an interval");
        assert_same(&row["raters"], &one["raters"], "raters");
    }
}

/// F9: the errors of models with their sensitivity.
pub fn errors_are_of_the_findings(report: &Report) {
    let rows: Rows = report.rows("figures/f9.csv").unwrap_or_default();
    for row in rows.iter().filter(|row| row["part"] == "model") {
        for name in ["fakes_error", "reals_error", "d_prime"] {
            let estimates = list(&report.measure(name)["estimates"]);
            let one = estimates.iter().find(|one| one["model"] == row["model"].as_str()).unwrap();
            assert_same(&row[name], &one["value"], &format!("{}: f9: {row:?}", report.study));
        }
    }
}
