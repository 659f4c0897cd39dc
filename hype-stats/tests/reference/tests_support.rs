//! Reads the reference cases and compares numbers.

use serde_json::Value;

/// Text of a file of the reference data, or nothing, said on the output, where there are none.
#[allow(clippy::disallowed_methods, reason = "reference data lie outside the repository")]
pub(crate) fn text(file: &str) -> Option<String> {
    let folder = std::env::var("HYPE_REFERENCE")
        .unwrap_or_else(|_| concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/reference").to_owned());
    let path = format!("{folder}/{file}");
    let found = std::fs::read_to_string(&path).ok();
    if found.is_none() {
        println!("skipped: no reference data at {path}");
    }
    found
}

/// The cases of a file of statistics.
pub(crate) fn cases(file: &str) -> Vec<Value> {
    let Some(text) = text(&format!("statistics/{file}")) else {
        return Vec::new();
    };
    let file: Value = serde_json::from_str(&text).unwrap();
    let cases = file["cases"].as_array().unwrap().clone();
    assert!(!cases.is_empty(), "no cases in {file}");
    cases
}

/// A number, or one of the strings that stand for numbers that JSON lacks.
pub(crate) fn number(value: &Value) -> f64 {
    match value.as_str() {
        Some("inf") => f64::INFINITY,
        Some("-inf") => f64::NEG_INFINITY,
        Some("nan") => f64::NAN,
        _ => value.as_f64().unwrap_or_else(|| panic!("{value} is no number")),
    }
}

pub(crate) fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(number).collect()
}

#[track_caller]
pub(crate) fn close(case: &Value, field: &str, got: f64, want: f64, relative: f64, absolute: f64) {
    let same = got == want || (got.is_nan() && want.is_nan());
    assert!(
        same || (got - want).abs() <= relative * want.abs() + absolute,
        "{} {field}: got {got:e}, want {want:e}",
        case["id"]
    );
}
