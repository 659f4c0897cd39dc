//! Plans of models that are assumed to be equal say which differences would be found, and name no pair.

#![allow(clippy::unwrap_used, missing_docs, reason = "a test")]

use std::fs;
use std::path::Path;

use crate::program::{json, succeeds};

fn study(folder: &Path) {
    if !folder.join("drawn").exists() {
        succeeds(folder, &["new", "drawn", "--task", "rating", "--images", "12", "--size", "16"]);
    }
    let sets = [("ours", "good"), ("one", "middling"), ("two", "weak"), ("three", "real")];
    let sets: String = sets
        .iter()
        .map(|(name, images)| {
            format!("  {name}: {{ role: generated, images: drawn/images/{images}/*.png }}\n")
        })
        .collect();
    fs::write(
        folder.join("study.yaml"),
        format!(
            "stimuli:\n{sets}items: {{ match: name }}\ntask: {{ kind: contrast, per_session: 12, tie: true }}\nraters: {{ per_item: 4 }}\nsimulate: {{ kind: synthetic }}\n"
        ),
    )
    .unwrap();
}

#[test]
fn plans_of_equal_models_name_no_pair() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    study(folder);
    let planned = json(folder, &["plan", "study.yaml", "--studies", "8", "--raters", "2,4", "--json"]);
    assert!(planned["closest"].is_null(), "{planned}");
    let advice = planned["advice"].as_str().unwrap();
    assert!(advice.contains("tell two models apart that differ by"), "{advice}");
    let rows = planned["rows"].as_array().unwrap();
    for row in rows {
        let expected = &row["expected"];
        assert!(
            expected["power"].is_null() && expected["order"].is_null() && expected["best"].is_null(),
            "{row}"
        );
        assert!(expected["detectable"].as_f64().unwrap() > 0.0, "{row}");
    }
    assert!(planned["assumptions"]["text"].as_str().unwrap().contains("all models are equal"), "{planned}");
}

#[test]
fn differences_that_are_found_are_those_of_the_study_s_own_test() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    succeeds(folder, &["new", "drawn", "--task", "contrast", "--images", "12", "--size", "16"]);
    fs::write(
        folder.join("study.yaml"),
        "stimuli:\n  good: { role: generated, images: drawn/images/good/*.png }\n  weak: { role: generated, images: \
         drawn/images/weak/*.png }\nitems: { match: name }\ntask: { kind: contrast, per_session: 12 }\nraters: { per_item: 5 \
         }\nsimulate: { kind: synthetic }\n",
    )
    .unwrap();
    let counts = ["--raters", "1,2,5,20", "--studies", "100", "--json"];
    let planned = json(folder, &[&["plan", "study.yaml"], &counts[..]].concat());
    let rows = planned["rows"].as_array().unwrap();
    let detected = |row: usize| rows[row]["expected"]["detectable"].as_f64();
    // One or two raters have no test.
    assert_eq!((detected(0), detected(1)), (None, None), "{planned}");
    // The strengths of two models are opposite, and raters judge both: the interval of the difference is twice as wide as that of
    // a strength. A test finds a difference with probability 80 % from 3.7611 standard errors on with 4 degrees of freedom, and
    // from 2.9536 on with 19: 1.355 and 1.411 half widths of the interval, whose quantiles are 2.7764 and 2.0930.
    for (row, half_widths) in [(2, 1.355), (3, 1.411)] {
        let width = rows[row]["expected"]["width"].as_f64().unwrap();
        let ratio = detected(row).unwrap() / width;
        assert!((ratio / half_widths - 1.0).abs() < 0.2, "{ratio} instead of {half_widths}");
    }
}
