//! Reads cases computed by independent implementations, and compares numbers.
//!
//! A small set of cases is part of the repository (`tests/data`, whose README states the source of each). The
//! reference data, which are not, contain many more.

#![allow(clippy::disallowed_methods, reason = "cases are read from files, from where the environment says")]

use std::path::{Path, PathBuf};

use serde_json::Value;

/// The path of a file of the reference data: under `HYPE_REFERENCE`, by default `../shared/reference` next to the
/// repository. `None`, said on standard error, if it is not there.
///
/// # Panics
/// If it is not there and `CI` is set: a run that has to prove everything cannot pass without the data.
pub(crate) fn reference(path: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("HYPE_REFERENCE")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/reference"), PathBuf::from);
    let file = folder.join(path);
    if file.exists() {
        return Some(file);
    }
    let is_ci = std::env::var_os("CI").is_some_and(|value| !value.is_empty());
    assert!(!is_ci, "no reference data at {}: set HYPE_REFERENCE to their folder", file.display());
    eprintln!("skipped: no reference data at {}", file.display());
    None
}

/// The text of a file of the reference data, if it exists.
pub(crate) fn text(path: &str) -> Option<String> {
    reference(path).map(|file| read(&file))
}

/// The texts of a file: the one in the repository, if there is one, then that of the reference data, if it exists.
pub(crate) fn texts(path: &str) -> Vec<String> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(path);
    own.exists().then(|| read(&own)).into_iter().chain(text(path)).collect()
}

fn read(file: &Path) -> String {
    std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// The cases of a file: those in the repository, then those of the reference data if they exist.
pub(crate) fn cases(path: &str) -> Vec<Value> {
    let mut all = Vec::new();
    for text in texts(path) {
        let file: Value = serde_json::from_str(&text).unwrap();
        let cases = file["cases"].as_array().unwrap();
        assert!(!cases.is_empty(), "no cases in {path}");
        all.extend(cases.iter().cloned());
    }
    all
}

/// A number, or one of the strings for numbers that JSON lacks.
pub(crate) fn number(value: &Value) -> f64 {
    match value.as_str() {
        Some("inf") => f64::INFINITY,
        Some("-inf") => f64::NEG_INFINITY,
        Some("nan") => f64::NAN,
        _ => value.as_f64().unwrap_or_else(|| panic!("{value} is not a number")),
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
