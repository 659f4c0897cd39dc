//! Findings are exported as one tidy table with the numbers of `findings.json`, in which nothing unknown is a number.

#![allow(clippy::unwrap_used, clippy::expect_used, unreachable_pub, missing_docs, reason = "a test")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use hype::core::Findings;
use hype::exchange::{Format, RowWriter, export, layout};
use serde_json::{Value, json};

use crate::program;

type Row = BTreeMap<String, String>;

fn rows(text: &str) -> Vec<Row> {
    let mut table = csv::Reader::from_reader(text.as_bytes());
    let header: Vec<String> = table.headers().unwrap().iter().map(str::to_owned).collect();
    assert_eq!(header, layout::FINDINGS.names().collect::<Vec<_>>());
    table
        .records()
        .map(|record| header.iter().cloned().zip(record.unwrap().iter().map(str::to_owned)).collect())
        .collect()
}

/// Returns the cell of a JSON value: an absent value is empty.
fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// The columns that a row must have, from pairs of a column and a value; all other columns must be empty.
fn row(of: &[(&str, &Value)]) -> Row {
    let mut row: Row = layout::FINDINGS.names().map(|name| (name.to_owned(), String::new())).collect();
    for (name, value) in of {
        *row.get_mut(*name).expect("a column of the layout") = cell(value);
    }
    row
}

/// The columns of an interval.
fn interval(of: &Value) -> [(&'static str, &Value); 6] {
    [
        ("low", &of["low"]),
        ("high", &of["high"]),
        ("level", &of["level"]),
        ("interval_method", &of["method"]),
        ("interval_df1", &of["df"][0]),
        ("interval_df2", &of["df"][1]),
    ]
}

fn list(of: &Value) -> &[Value] {
    of.as_array().map_or(&[], Vec::as_slice)
}

/// The rows of a measure, read from the JSON alone.
fn expected(found: &Value) -> Vec<Row> {
    let mut all = of_part(found, found);
    let label = |rows: &mut [Row], columns: &[(&str, &Value)]| {
        for row in rows {
            for (name, value) in columns {
                row.insert((*name).to_owned(), cell(value));
            }
        }
    };
    for level in list(&found["facets"]) {
        let mut rows = of_part(found, level);
        label(&mut rows, &[("facet", &level["facet"]), ("facet_level", &level["level"])]);
        all.append(&mut rows);
    }
    for together in list(&found["interactions"]) {
        let mut means = of_part(found, &json!({ "estimates": together["macro_means"] }));
        label(&mut means, &[("kind", &json!("macro-mean"))]);
        let test = together.get("test").into_iter().collect::<Vec<_>>();
        means.append(&mut of_part(found, &json!({ "tests": test })));
        label(&mut means, &[("facet", &together["facet"])]);
        all.append(&mut means);
    }
    for trend in list(&found["trends"]) {
        let as_test = json!({
            "name": trend["scale"], "statistic_name": "t", "statistic": trend["t"], "df": [trend["df"]],
            "p": trend["p"], "p_adjusted": trend["p_adjusted"], "undefined": trend["undefined"],
        });
        let mut slope = of_part(found, &json!({ "tests": [as_test] }));
        label(&mut slope, &[("kind", &json!("trend")), ("value", &trend["slope"]), ("se", &trend["se"])]);
        label(&mut slope, &interval(&trend["interval"]));
        let departure = trend.get("departure").into_iter().collect::<Vec<_>>();
        slope.append(&mut of_part(found, &json!({ "tests": departure })));
        label(&mut slope, &[("model", &trend["model"]), ("facet", &trend["facet"])]);
        all.append(&mut slope);
    }
    all
}

/// The rows of a part of a measure.
fn of_part(of: &Value, found: &Value) -> Vec<Row> {
    let measure = &of["measure"];
    let named = [
        ("measure", &measure["name"]),
        ("label", &measure["label"]),
        ("unit", &measure["unit"]),
        ("better", &measure["direction"]),
    ];
    let about = [named.as_slice(), &[("generalize_to", &of["generalize_to"])]].concat();
    let make = |kind: &str, columns: &[&[(&str, &Value)]]| {
        let kind = Value::from(kind);
        row(&[&[("kind", &kind)], columns.concat().as_slice()].concat())
    };
    let mut want = Vec::new();
    for one in list(&found["estimates"]) {
        let plain = ["model", "value", "se", "sd", "sem", "bootstrap_sd", "raters", "responses"];
        let with = &one["with_excluded"];
        want.push(make(
            "estimate",
            &[
                &about,
                &plain.map(|name| (name, &one[name])),
                &interval(&one["interval"]),
                &[("value_with_excluded", &with["value"]), ("raters_with_excluded", &with["raters"])],
            ],
        ));
    }
    for one in list(&found["tests"]) {
        let plain =
            ["statistic_name", "statistic", "p", "p_adjusted", "undefined"].map(|name| (name, &one[name]));
        let rest = [("method", &one["name"]), ("df1", &one["df"][0]), ("df2", &one["df"][1])];
        want.push(make("test", &[&about, &plain, &rest]));
        for effect in list(&one["effects"]) {
            let rest =
                [("method", &one["name"]), ("statistic_name", &effect["name"]), ("value", &effect["value"])];
            want.push(make("effect", &[&about, &rest]));
        }
    }
    for one in list(&found["comparisons"]) {
        let plain =
            ["method", "se", "statistic_name", "statistic", "p", "undefined"].map(|name| (name, &one[name]));
        let rest = [
            ("model", &one["a"]),
            ("against", &one["b"]),
            ("value", &one["difference"]),
            ("df1", &one["df"]),
            ("family", &found["family"]),
        ];
        want.push(make("comparison", &[&about, &plain, &rest, &interval(&one["interval"])]));
    }
    let ranks = &found["ranks"];
    for one in list(&ranks["models"]) {
        for (kind, range) in [("ranks", &one["simultaneous"]), ("marginal-ranks", &one["marginal"])] {
            let [best, worst] = ["best", "worst"].map(|name| Value::from(range[name].as_f64().unwrap()));
            let rest = [
                ("method", &ranks["method"]),
                ("model", &one["model"]),
                ("low", &best),
                ("high", &worst),
                ("level", &ranks["level"]),
            ];
            want.push(make(kind, &[&about, &rest]));
        }
    }
    let resampled = &found["resampled_orders"];
    for one in list(&resampled["lead"]) {
        let rest = [("method", &resampled["units"]), ("model", &one["model"]), ("value", &one["share"])];
        want.push(make("resampled-lead", &[&about, &rest]));
    }
    for (kind, name) in [("against-reference", "reference"), ("against-real", "real")] {
        let against = &found[kind.replace('-', "_").as_str()];
        for one in list(&against["models"]) {
            let other = if name == "real" { &one["real"] } else { &against["reference"]["label"] };
            let plain =
                ["model", "p", "bound", "se", "smallest_margin", "undefined"].map(|name| (name, &one[name]));
            let test = &one["within_margin"];
            let rest = [
                ("method", &against["method"]),
                ("against", other),
                ("value", &one["difference"]),
                ("df1", &one["df"][0]),
                ("df2", &one["df"][1]),
                ("margin", &against["margin"]),
                ("margin_p", &test["p"]),
                ("within_margin", &test["shown"]),
                ("family", &against["family"]),
            ];
            let mut of_interval = interval(&one["interval"]);
            of_interval[2].1 = &against["level"];
            want.push(make(kind, &[&about, &plain, &rest, &of_interval]));
        }
    }
    for one in list(&found["agreement"]) {
        let plain = ["model", "value", "raters", "items", "undefined"].map(|name| (name, &one[name]));
        let rest = [("method", &one["coefficient"]), ("responses", &one["ratings"])];
        want.push(make("agreement", &[&named, &plain, &rest, &interval(&one["interval"])]));
    }
    want
}

fn studies() -> PathBuf {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/studies")).to_owned()
}

/// Checks the table of an example study against its `findings.json`, and returns the kinds of rows that it has.
fn check(study: &str) -> BTreeSet<String> {
    let folder = tempfile::tempdir().unwrap();
    let stored = folder.path().join("kept");
    let kept = stored.to_str().unwrap();
    let spec = format!("{study}.yaml");
    program::succeeds(
        &studies(),
        &["run", &spec, "--simulate", "--study", kept, "--json", "--progress", "none"],
    );
    let saved: Value = serde_json::from_slice(&fs::read(stored.join("findings.json")).unwrap()).unwrap();
    let found = rows(&program::succeeds(&studies(), &["export", kept, "--what", "findings"]));
    for measure in list(&saved["measures"]) {
        let name = &measure["measure"]["name"];
        let mut found: Vec<&Row> = found.iter().filter(|row| row["measure"] == *name).collect();
        let want = expected(measure);
        let mut want: Vec<&Row> = want.iter().collect();
        found.sort_unstable();
        want.sort_unstable();
        assert_eq!(found.len(), want.len(), "{study}, {name}");
        for (found, want) in found.iter().zip(&want) {
            assert_eq!(found, want, "{study}, {name}");
        }
    }
    let measures: BTreeSet<&str> =
        list(&saved["measures"]).iter().map(|found| found["measure"]["name"].as_str().unwrap()).collect();
    assert!(found.iter().all(|row| measures.contains(&*row["measure"])), "{study}");
    found.into_iter().map(|row| row["kind"].clone()).collect()
}

#[test]
fn the_table_has_every_number_of_the_findings() {
    let mut kinds = BTreeSet::new();
    for study in ["contrast", "fooling", "photorealism", "hype-infinity", "heim", "imagenet5", "training"] {
        kinds.append(&mut check(study));
    }
    assert!(kinds.iter().all(|kind| export::FINDING_KINDS.contains(&&**kind)), "{kinds:?}");
    for kind in [
        "estimate",
        "test",
        "effect",
        "comparison",
        "ranks",
        "marginal-ranks",
        "against-reference",
        "against-real",
        "agreement",
    ] {
        assert!(kinds.contains(kind), "no {kind} among {kinds:?}");
    }
}

#[test]
fn every_kind_of_row_is_documented() {
    let text =
        fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/reference/exports.md")).unwrap();
    let table: String = text.lines().filter(|line| line.starts_with("| `")).collect();
    for kind in export::FINDING_KINDS {
        assert!(table.contains(&format!("`{kind}`")), "docs/reference/exports.md has no {kind}");
    }
}

#[test]
fn correlations_with_metrics_are_rows() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let mut scores = String::from("rater,model,value\n");
    for (model, value) in [("one", 1.0), ("two", 2.0), ("three", 3.0), ("four", 4.0)] {
        for (rater, shift) in [("a", -0.1), ("b", 0.0), ("c", 0.1)] {
            scores.push_str(&format!("{model}-{rater},{model},{}\n", value + shift));
        }
    }
    fs::write(folder.join("scores.csv"), scores).unwrap();
    fs::write(folder.join("metrics.csv"), "model,fid,same\none,1,2\ntwo,3,2\nthree,2,2\nfour,4,2\n").unwrap();
    let call = ["aggregate", "scores.csv", "--metrics", "metrics.csv", "--resamples", "2000", "--json"];
    let printed = program::json(folder, &call);
    let findings: Findings = serde_json::from_value(printed.clone()).unwrap();
    let mut out = RowWriter::begin(Vec::new(), Format::Csv, layout::FINDINGS.columns).unwrap();
    export::findings(&findings, &mut out).unwrap();
    let found = rows(&String::from_utf8(out.finish().unwrap()).unwrap());
    let mut found: Vec<&Row> = found.iter().filter(|row| row["kind"] == "correlation").collect();
    let measure = &printed["measures"][0]["measure"];
    let kind = Value::from("correlation");
    let want: Vec<Row> = list(&printed["correlations"])
        .iter()
        .map(|one| {
            let plain =
                ["models", "value", "p", "p_adjusted", "family", "undefined"].map(|name| (name, &one[name]));
            let rest = [
                ("kind", &kind),
                ("measure", &one["measure"]),
                ("label", &measure["label"]),
                ("unit", &measure["unit"]),
                ("better", &measure["direction"]),
                ("method", &one["coefficient"]),
                ("against", &one["with"]),
            ];
            row(&[plain.as_slice(), &rest, &interval(&one["interval"])].concat())
        })
        .collect();
    let mut want: Vec<&Row> = want.iter().collect();
    assert!(want.iter().any(|row| !row["undefined"].is_empty() && row["value"].is_empty()));
    found.sort_unstable();
    want.sort_unstable();
    assert_eq!((found.len(), &found), (6, &want));
}
