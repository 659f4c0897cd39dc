//! Figures and tables over the levels of facets.

use std::collections::BTreeMap;

use serde_json::Value;

use super::figures::is_written;
use super::numbers::numbers;
use super::report::{Report, assert_near, assert_same, list};

/// The level under which means over levels stand.
const MEAN: &str = "mean over levels";

fn named<'v>(values: &'v [Value], key: &str, name: &str) -> &'v Value {
    values.iter().find(|one| one[key] == name).unwrap_or_else(|| panic!("there is no {name}"))
}

pub fn levels_are_of_the_findings(report: &Report) {
    let score = &report.measures()[0];
    for together in list(&score["interactions"]) {
        forests(report, score, together);
        map(report, score);
        table(report, score, together);
    }
    if let [trend, ..] = list(&score["trends"]) {
        trends(report, score, trend);
    }
}

fn forests(report: &Report, score: &Value, together: &Value) {
    let levels = list(&score["facets"]);
    let rows = report.rows("figures/f17.csv").unwrap();
    let drawn = report.text("figures/f17.svg");
    let count: usize = levels.iter().map(|level| list(&level["estimates"]).len()).sum();
    assert_eq!(rows.len(), count + list(&together["macro_means"]).len());
    for row in &rows {
        let what = format!("{}: f17: {row:?}", report.study);
        let (estimates, adjusted) = if row["panel"] == MEAN {
            (list(&together["macro_means"]), &Value::Null)
        } else {
            let level = named(levels, "level", &row["panel"]);
            (list(&level["estimates"]), &list(&level["tests"])[0]["p_adjusted"])
        };
        let one = named(estimates, "model", &row["row"]);
        assert_same(&row["x"], &one["value"], &what);
        assert_same(&row["low"], &one["interval"]["low"], &what);
        assert_same(&row["high"], &one["interval"]["high"], &what);
        assert_same(&row["se"], &one["se"], &what);
        assert_same(&row["raters"], &one["raters"], &what);
        assert_same(&row["p_adjusted"], adjusted, &what);
        let value = ("value".to_owned(), row["x"].clone());
        let row: BTreeMap<String, String> =
            row.iter().map(|(name, cell)| (name.clone(), cell.clone())).chain([value]).collect();
        // Cells of many levels have no room for intervals.
        let mut alone = row.clone();
        alone.extend(["low", "high"].map(|end| (end.to_owned(), String::new())));
        let is_written = is_written(&drawn, &row, score) || is_written(&drawn, &alone, score);
        assert!(is_written, "{what} is not written in its cell");
    }
}

fn map(report: &Report, score: &Value) {
    let levels = list(&score["facets"]);
    // Fewer levels are compared in the figure by level.
    let Some(rows) = report.rows("figures/f19.csv") else { return assert!(levels.len() < 4) };
    let values = || {
        levels.iter().flat_map(|level| list(&level["estimates"])).map(|one| one["value"].as_f64().unwrap())
    };
    let (low, high) = (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max));
    assert_eq!(rows.len(), values().count());
    for row in &rows {
        let what = format!("{}: f19: {row:?}", report.study);
        let one = named(list(&named(levels, "level", &row["level"])["estimates"]), "model", &row["model"]);
        assert_same(&row["value"], &one["value"], &what);
        let value = one["value"].as_f64().unwrap();
        let [(shown, half)] = numbers(&row["text"])[..] else { panic!("{what}") };
        assert!((shown - 100.0 * value).abs() <= half * (1.0 + 1e-9), "{what}");
        // The darker, the higher.
        assert_near(&row["shade"], 0.06 + 0.44 * (value - low) / (high - low), &what);
    }
}

fn trends(report: &Report, score: &Value, trend: &Value) {
    let rows = report.rows("figures/f18.csv").unwrap();
    let cells = list(&report.findings["study"]["cells"]);
    assert_eq!(rows.len(), cells.len());
    for row in &rows {
        let what = format!("{}: f18: {row:?}", report.study);
        let level =
            |cell: &Value| cell["levels"][trend["facet"].as_str().unwrap()].as_str().unwrap().parse().ok();
        let cell = cells.iter().find(|cell| level(cell) == row["number"].parse::<f64>().ok()).unwrap();
        let one = named(list(&score["estimates"]), "model", cell["name"].as_str().unwrap());
        assert_same(&row["value"], &one["value"], &what);
        assert_same(&row["low"], &one["interval"]["low"], &what);
        assert_same(&row["high"], &one["interval"]["high"], &what);
        assert_same(&row["raters"], &one["raters"], &what);
    }
}

/// The table of levels: its CSV is of the findings, and LaTeX and Markdown are rounded the same way.
fn table(report: &Report, score: &Value, together: &Value) {
    let facet = together["facet"].as_str().unwrap();
    let rows = report.rows("tables/s2-by-level.csv").unwrap();
    let levels = list(&score["facets"]);
    assert_eq!(rows.len(), levels.len() + 1);
    let models: Vec<&str> =
        list(&together["macro_means"]).iter().map(|one| one["model"].as_str().unwrap()).collect();
    for row in &rows {
        let what = format!("{}: s2: {row:?}", report.study);
        let level = levels.iter().find(|level| level["level"] == row[facet].as_str());
        let estimates = list(level.map_or(&together["macro_means"], |level| &level["estimates"]));
        for &model in &models {
            let one = named(estimates, "model", model);
            assert_same(&row[model], &one["value"], &what);
            assert_same(&row[&format!("{model}_low")], &one["interval"]["low"], &what);
            assert_same(&row[&format!("{model}_high")], &one["interval"]["high"], &what);
            assert_same(&row[&format!("{model}_se")], &one["se"], &what);
        }
        for (number, test) in level.iter().flat_map(|level| list(&level["tests"])).enumerate() {
            let end = if number == 0 { String::new() } else { format!("_{}", number + 1) };
            for (column, found) in [
                ("statistic", &test["statistic"]),
                ("df1", &test["df"][0]),
                ("df2", &test["df"][1]),
                ("p", &test["p"]),
                ("p_adjusted", &test["p_adjusted"]),
            ] {
                assert_same(&row[&format!("{column}{end}")], found, &what);
            }
        }
        for pair in level.iter().flat_map(|level| list(&level["comparisons"])) {
            let (a, b) = (pair["a"].as_str().unwrap(), pair["b"].as_str().unwrap());
            let (key, sign) = [(format!("{a}_minus_{b}"), 1.0), (format!("{b}_minus_{a}"), -1.0)]
                .into_iter()
                .find(|(key, _)| row.contains_key(&format!("{key}_p")))
                .unwrap();
            assert_same(&row[&format!("{key}_p")], &pair["p"], &what);
            assert_near(
                &row[&format!("{key}_difference")],
                sign * pair["difference"].as_f64().unwrap(),
                &what,
            );
            let ends = ["low", "high"].map(|end| sign * pair["interval"][end].as_f64().unwrap());
            assert_near(&row[&format!("{key}_low")], ends[0].min(ends[1]), &what);
            assert_near(&row[&format!("{key}_high")], ends[0].max(ends[1]), &what);
        }
    }
    let markdown = report.text("tables/s2-by-level.md");
    let printed =
        markdown.lines().filter_map(|line| Some(line.strip_prefix("| ")?.strip_suffix(" |")?.split(" | ")));
    let mut count = 0;
    for (row, cells) in rows.iter().zip(printed.skip(2)) {
        let values = models.iter().zip(cells.skip(1)).map(|(model, cell)| {
            (["", "_low", "_high"].map(|end| row[&format!("{model}{end}")].parse::<f64>().unwrap()), cell)
        });
        for (exact, cell) in values {
            let shown = numbers(cell);
            assert_eq!(shown.len(), 3, "{cell}");
            for ((shown, half), exact) in shown.into_iter().zip(exact) {
                assert!((shown - 100.0 * exact).abs() <= half * (1.0 + 1e-9), "{cell} of {row:?}");
                count += 1;
            }
        }
    }
    assert_eq!(count, 3 * models.len() * rows.len());
}
