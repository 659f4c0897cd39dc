//! Real judgments of real models by people give the findings that their authors published.

#![allow(dead_code, clippy::unwrap_used, unreachable_pub, missing_docs, reason = "a test")]

use crate::program;

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

fn findings(table: &str) -> Option<Value> {
    let table = program::reference("hype_infinity")?.join(table);
    let table = table.to_str()?;
    let arguments = [
        "aggregate",
        table,
        "--rater",
        "id",
        "--model",
        "model",
        "--value",
        "err_rt",
        "--pairs",
        "tukey-kramer",
        "--json",
    ];
    Some(program::json(Path::new("."), &arguments))
}

fn close(got: &Value, want: f64, tolerance: f64) {
    let got = got.as_f64().unwrap();
    assert!((got - want).abs() <= tolerance, "got {got}, want {want}");
}

fn means(findings: &Value) -> BTreeMap<String, Value> {
    let estimates = findings["measures"][0]["estimates"].as_array().unwrap();
    estimates.iter().map(|one| (one["model"].as_str().unwrap().to_owned(), one.clone())).collect()
}

#[test]
fn ffhq256_of_stein_et_al() {
    let Some(found) = findings("ffhq256.csv") else { return };
    let means = means(&found);
    assert_eq!(means.len(), 9);
    close(&means["stylenat"]["value"], 0.298_600, 5e-7);
    close(&means["stylenat"]["sem"], 0.018_738, 5e-7);
    close(&means["insgen"]["value"], 0.255_200, 5e-7);
    close(&means["insgen"]["sem"], 0.017_601, 5e-7);
    close(&means["efficient-vdvae"]["value"], 0.0884, 5e-5);
    let anova = &found["measures"][0]["tests"][0];
    assert_eq!(anova["df"], serde_json::json!([8.0, 218.0]));
    close(&anova["statistic"], 18.938, 5e-4);
    assert!(anova["p"].as_f64().unwrap() < 1e-20);
    let pairs = found["measures"][0]["comparisons"].as_array().unwrap();
    assert_eq!(pairs.len(), 36);
    for pair in pairs {
        assert_eq!(pair["method"], "Tukey-Kramer");
        let (low, high) =
            (pair["interval"]["low"].as_f64().unwrap(), pair["interval"]["high"].as_f64().unwrap());
        let difference = pair["difference"].as_f64().unwrap();
        assert!(low < difference && difference < high);
        // A simultaneous interval and its p value agree.
        assert_eq!(low > 0.0 || high < 0.0, pair["p"].as_f64().unwrap() < 0.05, "{pair}");
    }
}

#[test]
fn cifar10_of_stein_et_al() {
    let Some(found) = findings("cifar10.csv") else { return };
    let anova = &found["measures"][0]["tests"][0];
    assert_eq!(anova["df"], serde_json::json!([12.0, 315.0]));
    close(&anova["statistic"], 87.475, 5e-4);
    assert_eq!(found["measures"][0]["comparisons"].as_array().unwrap().len(), 78);
}
