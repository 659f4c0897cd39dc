//! One model is compared with each of several baselines, and with these alone.

#![allow(clippy::unwrap_used, missing_docs, reason = "a test")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::program::{fails, json, succeeds};

fn study(folder: &Path, against: &str) {
    if !folder.join("drawn").exists() {
        succeeds(folder, &["new", "drawn", "--task", "rating", "--images", "12", "--size", "16"]);
    }
    let sets = [("ours", "good"), ("one", "middling"), ("two", "weak"), ("three", "real")];
    let sets: String = sets
        .iter()
        .map(|(name, images)| format!("  {name}: {{ role: generated, images: drawn/images/{images}/*.png }}\n"))
        .collect();
    fs::write(
        folder.join("study.yaml"),
        format!(
            "stimuli:\n{sets}items: {{ match: name }}\ntask: {{ kind: contrast, per_session: 12, tie: true, pairs: {{ against: \
             {against} }} }}\nraters: {{ per_item: 4 }}\nsimulate: {{ kind: synthetic, observers: {{ ours: {{ quality: 0.8 }}, one: {{ \
             quality: 0.5 }}, two: {{ quality: 0.4 }}, three: {{ quality: 0.3 }} }} }}\n"
        ),
    )
    .unwrap();
}

#[test]
fn every_vote_is_about_the_model_and_all_others_equally_often() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    study(folder, "ours");
    succeeds(folder, &["check", "study.yaml", "--strict"]);
    succeeds(folder, &["run", "study.yaml", "--simulate", "--progress", "none"]);
    succeeds(folder, &["export", "study.yaml", "-o", "scores.csv"]);
    let (mut votes, mut first) = (BTreeMap::<String, u32>::new(), 0);
    let mut table = csv::Reader::from_path(folder.join("scores.csv")).unwrap();
    for row in table.deserialize::<BTreeMap<String, String>>() {
        let row = row.unwrap();
        let (model, against) = (&row["model"], &row["against"]);
        assert!(model == "ours" || against == "ours", "{row:?}");
        first += u32::from(model == "ours");
        *votes.entry(if model == "ours" { against.clone() } else { model.clone() }).or_default() += 1;
    }
    // Four raters an item and three baselines on twelve items.
    assert_eq!(votes.values().copied().collect::<Vec<_>>(), [48, 48, 48]);
    assert_eq!(first, 72);
    let found = json(folder, &["score", "study.yaml", "--json"]);
    let strengths = &found["measures"][0];
    let pairs = strengths["comparisons"].as_array().unwrap();
    assert_eq!(pairs.len(), 3, "{pairs:?}");
    for pair in pairs {
        assert!(pair["a"] == "ours" || pair["b"] == "ours", "{pair}");
        assert!(pair["p"].as_f64().is_some() && pair["interval"]["low"].as_f64().is_some(), "{pair}");
    }
    assert!(strengths["family"].as_str().unwrap().contains("3 pairs"), "{}", strengths["family"]);
    assert!(found["notes"].to_string().contains("all votes are about ours"), "{}", found["notes"]);
    let planned = succeeds(folder, &["plan", "study.yaml", "--studies", "4", "--raters", "2,4"]);
    assert!(planned.contains("raters an"), "{planned}");
    study(folder, "our");
    let said = fails(folder, &["check", "study.yaml"]);
    assert!(said.contains("no model is named `our`") && said.contains("task.pairs.against"), "{said}");
}

#[test]
fn plans_of_equal_models_name_no_pair() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    study(folder, "ours");
    let text = fs::read_to_string(folder.join("study.yaml")).unwrap();
    let (before, _) = text.split_once("simulate:").unwrap();
    fs::write(folder.join("study.yaml"), format!("{before}simulate: {{ kind: synthetic }}\n")).unwrap();
    let planned = json(folder, &["plan", "study.yaml", "--studies", "8", "--raters", "2,4", "--json"]);
    assert!(planned["closest"].is_null(), "{planned}");
    let advice = planned["advice"].as_str().unwrap();
    assert!(advice.contains("tell two models apart that differ by"), "{advice}");
    let rows = planned["rows"].as_array().unwrap();
    for row in rows {
        let expected = &row["expected"];
        assert!(expected["power"].is_null() && expected["order"].is_null() && expected["best"].is_null(), "{row}");
        assert!(expected["detectable"].as_f64().unwrap() > 0.0, "{row}");
    }
    assert!(planned["assumptions"]["text"].as_str().unwrap().contains("all models are equal"), "{planned}");
}
