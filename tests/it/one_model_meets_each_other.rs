//! `contrast: { pairs: { against: MODEL } }`: the spec, its plan, its findings and its report are about the pairs with that model.

#![allow(clippy::unwrap_used, missing_docs, reason = "a test")]

use std::fs;
use std::path::Path;

use crate::program::{fails, json, succeeds};

fn spec(folder: &Path, pairs: &str) {
    let set = |name: &str, from: &str| {
        format!("  {name}: {{ role: generated, images: drawn/images/{from}/*.png }}\n")
    };
    fs::write(
        folder.join("study.yaml"),
        format!(
            "stimuli:\n{}{}{}items: {{ match: name }}\ntask: {{ kind: contrast, per_session: 12, pairs: {pairs} }}\n\
             raters: {{ per_item: 4 }}\nsimulate:\n  kind: synthetic\n  observers: {{ ours: {{ quality: 0.7 }}, base: {{ quality: \
             0.5 }}, other: {{ quality: 0.4 }} }}\n",
            set("base", "middling"),
            set("other", "weak"),
            set("ours", "good"),
        ),
    )
    .unwrap();
}

#[test]
fn every_part_of_a_study_is_about_the_pairs_with_one_model() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    succeeds(folder, &["new", "drawn", "--task", "rating", "--images", "12", "--size", "16"]);
    spec(folder, "{ against: theirs }");
    let said = fails(folder, &["check", "study.yaml"]);
    assert!(
        said.contains("unknown-model") && said.contains("`theirs`") && said.contains("task.pairs"),
        "{said}"
    );
    spec(folder, "{ against: ours }");
    // 2 pairs on 12 items, 4 votes each, in sessions of 12.
    let checked = succeeds(folder, &["check", "study.yaml"]);
    assert!(checked.contains("8 sessions"), "{checked}");
    let findings = json(folder, &["simulate", "study.yaml", "--json"]);
    let strength =
        findings["measures"].as_array().unwrap().iter().find(|one| one["measure"]["name"] == "strength");
    let strength = strength.unwrap();
    let pairs: Vec<[&str; 2]> = strength["comparisons"]
        .as_array()
        .unwrap()
        .iter()
        .map(|pair| [pair["a"].as_str().unwrap(), pair["b"].as_str().unwrap()])
        .collect();
    assert_eq!(pairs, [["ours", "base"], ["ours", "other"]]);
    assert_eq!(strength["family"], "2 pairs of models");
    let tables = strength["tables"].as_array().unwrap();
    let against = tables.iter().find(|table| table["name"] == "against").unwrap();
    assert_eq!(against["rows"].as_array().unwrap().len(), 2);
    assert!(findings["notes"].to_string().contains("against-one"), "{}", findings["notes"]);
    let plan = json(folder, &["plan", "study.yaml", "--studies", "4", "--raters", "4", "--json"]);
    assert!(plan["closest"].to_string().contains("ours"), "{}", plan["closest"]);
    // 12 comparisons of 7 seconds each, whatever synthetic raters take.
    assert!((plan["session"]["minutes"].as_f64().unwrap() - 1.4).abs() < 0.01, "{}", plan["session"]);
    assert_eq!(plan["session"]["minutes_of"], "task");
    succeeds(folder, &["run", "study.yaml", "--simulate"]);
    succeeds(folder, &["report", "study.yaml"]);
    let page = fs::read_to_string(folder.join("study.simulated/report/index.html")).unwrap();
    assert!(
        page.contains("ours is compared with each of the others"),
        "the methods say how pairs are chosen"
    );
}
