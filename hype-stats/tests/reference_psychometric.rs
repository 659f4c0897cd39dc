//! Psychometric fits agree with independent maximum-likelihood and psignifit results.
#![allow(clippy::unwrap_used, clippy::float_cmp, reason = "tests")]

use std::path::PathBuf;

use hype_stats::psychometric::{Axis, FitOptions, Lapse, Sigmoid, Tally, fit};
use serde_json::Value;

fn reference(file: &str) -> Option<Value> {
    let folder = std::env::var_os("HYPE_REFERENCE").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/reference")),
        PathBuf::from,
    );
    let path = folder.join("statistics").join(file);
    let Ok(text) = std::fs::read_to_string(&path) else {
        println!("skipped: no reference data at {}", path.display());
        return None;
    };
    Some(serde_json::from_str(&text).unwrap())
}

/// The counts of a case, with the level as it stands or back from its logarithm.
fn tallies(case: &Value, exponentiate: bool) -> Vec<Tally> {
    let rows = case["data_x_k_n"].as_array().unwrap();
    rows.iter()
        .map(|row| {
            let number = |column: usize| row[column].as_f64().unwrap();
            let level = if exponentiate { number(0).exp() } else { number(0) };
            Tally::new(level, number(1) as u32, number(2) as u32)
        })
        .collect()
}

#[track_caller]
fn check(what: &str, got: f64, want: f64, tolerance: f64) {
    assert!(
        (got - want).abs() <= tolerance,
        "{what}: got {got}, want {want} ± {tolerance}"
    );
}

fn check_maximum_likelihood(what: &str, name: &str, case: &Value, want: &Value) {
    let sigmoid = if name.contains("weibull") {
        Sigmoid::Gumbel
    } else {
        assert!(name.contains("logistic"), "{what}");
        Sigmoid::Logistic
    };
    let lapse = if name.ends_with("lapse_free") {
        Lapse::Free { greatest: 0.1 }
    } else {
        Lapse::Fixed(want["lapse"].as_f64().unwrap())
    };
    for (axis, exponentiate) in [(Axis::Linear, false), (Axis::Logarithmic, true)] {
        let options = FitOptions::new(sigmoid, axis, 0.5, lapse).unwrap();
        let fit = fit(&tallies(case, exponentiate), &options).unwrap();
        let function = fit.function;
        for (field, want) in want.as_object().unwrap() {
            let want = want.as_f64().unwrap();
            let what = format!("{what} {axis:?} {field}");
            let errors = || fit.standard_errors.unwrap();
            let (got, tolerance) = match field.as_str() {
                "alpha_ln" => (function.location(), 1e-5),
                "alpha" => (function.location().exp(), 1e-5 * want),
                "beta" => (function.slope(), 1e-4 * want),
                "lapse" => (function.lapse(), 1e-5),
                "negloglik" => (fit.negative_log_likelihood, 1e-7),
                "deviance" => (fit.deviance, 2e-7),
                "se_alpha_ln" => (errors().location, 1e-4 * want),
                "se_beta" => (errors().slope, 1e-4 * want),
                other => panic!("unknown field {other}"),
            };
            check(&what, got, want, tolerance);
        }
    }
}

#[test]
fn maximum_likelihood_fits_agree() {
    let Some(reference) = reference("psychometric.json") else {
        return;
    };
    let mut checked = 0;
    for case in reference["cases"].as_array().unwrap() {
        for (name, want) in case.as_object().unwrap() {
            if name.starts_with("mle_") && !want.is_null() {
                let what = format!("{} {name}", case["id"]);
                check_maximum_likelihood(&what, name, case, want);
                checked += 1;
            }
        }
    }
    assert!(checked >= 8, "only {checked} fits were checked");
}
