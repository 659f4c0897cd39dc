//! Scores are compared with automated metrics of the same models, and invalid tables of metrics are refused.

#![allow(dead_code, clippy::unwrap_used, unreachable_pub, missing_docs, reason = "a test")]

use std::fs;
use std::path::Path;

use crate::program::{fails, json, succeeds};
use serde_json::Value;

const AGGREGATE: &[&str] = &["aggregate", "scores.csv", "--metrics", "metrics.csv", "--resamples", "2000"];

fn scores(folder: &Path, models: &[(&str, f64)]) {
    let mut text = String::from("rater,model,value\n");
    for (model, value) in models {
        for (rater, shift) in [("a", -0.1), ("b", 0.0), ("c", 0.1)] {
            text.push_str(&format!("{model}-{rater},{model},{}\n", value + shift));
        }
    }
    fs::write(folder.join("scores.csv"), text).unwrap();
}

fn close(value: &Value, want: f64) {
    let got = value.as_f64().unwrap();
    assert!((got - want).abs() < 1e-9, "got {got}, want {want}");
}

/// The four pairs in the documentation of `pearson` and `kendall`, computed by hand: r = rho = 0.8, p = 0.2; tau =
/// 2/3, and 8 of 24 orders are at least as extreme.
#[test]
fn four_models_by_hand() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    scores(folder, &[("one", 1.0), ("two", 2.0), ("three", 3.0), ("four", 4.0), ("unknown", 9.0)]);
    fs::write(
        folder.join("metrics.csv"),
        "fid,model,speed\n4,four,1\n1,one,\n3,two,1\n2,three,1\n7,other,1\n",
    )
    .unwrap();
    let found = json(folder, &[AGGREGATE, &["--json"]].concat());
    let correlations = found["correlations"].as_array().unwrap();
    assert_eq!(correlations.len(), 6);
    let of = |metric: &str, coefficient: &str| {
        let same = |one: &&Value| one["with"] == metric && one["coefficient"] == coefficient;
        correlations.iter().find(same).unwrap().clone()
    };
    for (coefficient, value, p) in [
        ("Spearman's rho", 0.8, 1.0 / 3.0),
        ("Kendall's tau-b", 2.0 / 3.0, 1.0 / 3.0),
        ("Pearson's r", 0.8, 0.2),
    ] {
        let one = of("fid", coefficient);
        close(&one["value"], value);
        close(&one["p"], p);
        // Holm: 3 x 0.2, and no less for the greater ones.
        close(&one["p_adjusted"], if p < 0.3 { 0.6 } else { 2.0 / 3.0 });
        assert_eq!(one["family"], "3 coefficients of value with 1 metric");
        assert_eq!((&one["models"], &one["measure"]), (&4.into(), &"value".into()));
        let interval = &one["interval"];
        assert!(interval["low"].as_f64().unwrap() < value && interval["high"] == 1.0, "{interval}");
        let method = interval["method"].as_str().unwrap();
        assert!(method.starts_with("percentile bootstrap over models, 2000 resamples, seed "), "{method}");
        assert!(method.ends_with("omitted because a variable is constant"), "{method}");
        let constant = of("speed", coefficient);
        assert!(constant["undefined"].as_str().unwrap().contains("constant"), "{constant}");
        assert!(constant["value"].is_null() && constant["models"] == 3, "{constant}");
    }
    let notes: Vec<&str> =
        found["notes"].as_array().unwrap().iter().map(|note| note["text"].as_str().unwrap()).collect();
    for expected in [
        "models without a row in metrics.csv, omitted from correlations: unknown",
        "models in metrics.csv that were not judged, omitted from correlations: other",
        "models without speed, omitted from its correlations: one",
    ] {
        assert!(notes.contains(&expected), "{notes:?}");
    }
    assert_eq!(found, json(folder, &[AGGREGATE, &["--json"]].concat()));
    let printed = succeeds(folder, &[AGGREGATE, &["--full"]].concat());
    for expected in [
        "correlations over models",
        "Kendall's tau-b",
        "0.6667",
        "interval: 95 %, percentile bootstrap over",
        "adjusted p: Holm; a family each: 3 coefficients of value with 1 metric",
    ] {
        assert!(printed.contains(expected), "{printed}");
    }
    // The order of rows and additional columns change nothing.
    fs::write(folder.join("metrics.csv"), "model,fid\none,1\ntwo,3\nthree,2\nfour,4\n").unwrap();
    let again = json(folder, &[AGGREGATE, &["--json"]].concat());
    assert_eq!(again["correlations"][0], of("fid", "Spearman's rho"));
}

#[test]
fn too_few_models_and_perfect_orders_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    scores(folder, &[("one", 1.0), ("two", 2.0)]);
    fs::write(folder.join("metrics.csv"), "model,fid\none,1\ntwo,3\n").unwrap();
    let found = json(folder, &[AGGREGATE, &["--json"]].concat());
    let rho = &found["correlations"][0];
    assert!(rho["undefined"].as_str().unwrap().contains("needs at least 3 pairs, got 2"), "{rho}");
    scores(folder, &[("one", 1.0), ("two", 2.0), ("three", 5.0), ("four", 6.0)]);
    fs::write(folder.join("metrics.csv"), "model,fid\none,4\ntwo,3\nthree,2\nfour,1\n").unwrap();
    let found = json(folder, &[AGGREGATE, &["--json"]].concat());
    let rho = &found["correlations"][0];
    close(&rho["value"], -1.0);
    assert!(
        rho["undefined"].as_str().unwrap().contains("every resample of the models gives the same"),
        "{rho}"
    );
}

#[test]
fn studies_are_scored_together_with_metrics() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    succeeds(folder, &["new", "study", "--images", "14", "--size", "16", "--task", "hype-infinity"]);
    succeeds(folder, &["run", "study/evaluation.yaml", "--simulate", "3", "--progress", "none"]);
    fs::write(folder.join("metrics.csv"), "model,fid\ngood,4\nmiddling,30\nweak,80\n").unwrap();
    let found = json(folder, &["score", "study/evaluation.yaml", "--metrics", "metrics.csv", "--json"]);
    let measures = found["measures"].as_array().unwrap().len();
    assert_eq!(found["correlations"].as_array().unwrap().len(), 3 * measures);
    let schema = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/..")).join("schemas/findings.json");
    let schema: Value = serde_json::from_str(&fs::read_to_string(schema).unwrap()).unwrap();
    assert!(jsonschema::is_valid(&schema, &found));
}

#[test]
fn invalid_tables_are_refused_with_their_lines() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    scores(folder, &[("one", 1.0), ("two", 2.0)]);
    for (text, message) in [
        ("", &["metrics.csv is empty"][..]),
        ("name,fid\none,1\n", &["there is no column `model`"]),
        ("model\none\n", &["there is no metric column besides `model`"]),
        ("model,fid\n", &["there are no models"]),
        ("model,fid,fid\none,1,2\n", &["there are two columns `fid`"]),
        ("model,fid,\none,1,2\n", &["column 3 has no name"]),
        (
            "model,fid\none,1\none,2\n,3\ntwo,good\nthree\n",
            &[
                "4 faults",
                "metrics.csv, line 3, column `model`: one is already on line 2",
                "metrics.csv, line 4, column `model`: the model is empty",
                "metrics.csv, line 5, column `fid`: \"good\" is not a finite number; leave unknown numbers empty",
                "metrics.csv, line 6: the row has 1 cell, but the table has 2 columns",
            ],
        ),
    ] {
        fs::write(folder.join("metrics.csv"), text).unwrap();
        let expected = fails(folder, AGGREGATE);
        message.iter().for_each(|message| assert!(expected.contains(message), "{text:?}: {expected}"));
    }
}

/// Spearman's coefficient by the sums of squared differences of ranks, which have no ties.
fn rho(pairs: &[(f64, f64)]) -> f64 {
    let rank = |of: fn(&(f64, f64)) -> f64, at: usize| {
        pairs.iter().filter(|other| of(other) < of(&pairs[at])).count() as f64
    };
    let squares: f64 =
        (0..pairs.len()).map(|at| (rank(|pair| pair.0, at) - rank(|pair| pair.1, at)).powi(2)).sum();
    let count = pairs.len() as f64;
    1.0 - 6.0 * squares / (count * (count * count - 1.0))
}

#[test]
fn levels_of_one_model_have_coefficients_of_their_own() {
    let folder = tempfile::tempdir().unwrap();
    let studies = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/..")).join("examples/studies");
    let kept = folder.path().join("kept");
    let kept = kept.to_str().unwrap();
    succeeds(&studies, &["run", "imagenet5.yaml", "--simulate", "--study", kept, "--progress", "none"]);
    let mut table = String::from("model,fid\n");
    let classes = ["lemon", "samoyed", "library", "horn", "baseball"];
    for (place, model) in ["BigGAN-trunc", "BigGAN", "SN-GAN"].into_iter().enumerate() {
        for (at, class) in classes.into_iter().enumerate() {
            table.push_str(&format!("{model}/{class},{}\n", 20 + 7 * place + 3 * ((at + place) * 2 % 5)));
        }
    }
    fs::write(folder.path().join("fid.csv"), table).unwrap();
    let found = json(folder.path(), &["score", kept, "--metrics", "fid.csv", "--json"]);
    let score = &found["measures"][0];
    let values = |model: &str| -> Vec<(f64, f64)> {
        let of_level = |class: &&str| {
            let name = format!("{model}/{class}");
            let judged =
                score["estimates"].as_array().unwrap().iter().find(|one| one["model"] == name).unwrap();
            let metric = found["metrics"][0]["values"].as_array().unwrap();
            let metric = metric.iter().find(|one| one["model"] == name).unwrap();
            (judged["value"].as_f64().unwrap(), metric["value"].as_f64().unwrap())
        };
        classes.iter().map(of_level).collect()
    };
    let correlations = found["correlations"].as_array().unwrap();
    let of_score = |one: &&Value| one["measure"] == score["measure"]["name"];
    for model in ["BigGAN-trunc", "BigGAN", "SN-GAN"] {
        let own: Vec<&Value> =
            correlations.iter().filter(of_score).filter(|one| one["within"] == model).collect();
        assert_eq!(own.len(), 3, "{model}");
        let spearman = own.iter().find(|one| one["coefficient"] == "Spearman's rho").unwrap();
        close(&spearman["value"], rho(&values(model)));
        assert_eq!(spearman["models"], 5);
        assert!(spearman["interval"]["method"].as_str().unwrap().contains("over levels"), "{spearman}");
        assert!(spearman["family"].as_str().unwrap().ends_with("with 1 metric within models"), "{spearman}");
    }
    let over = correlations.iter().filter(of_score).find(|one| one["within"].is_null()).unwrap();
    assert_eq!(over["models"], 15);
    let codes: Vec<&Value> = found["notes"].as_array().unwrap().iter().map(|note| &note["code"]).collect();
    assert!(codes.contains(&&Value::from("few-levels")), "{codes:?}");
}
