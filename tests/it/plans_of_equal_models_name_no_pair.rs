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
