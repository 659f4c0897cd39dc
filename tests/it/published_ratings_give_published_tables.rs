//! Published ratings go through the program, from the authors' files to their tables.

#![allow(dead_code, clippy::unwrap_used, unreachable_pub, missing_docs, reason = "a test")]

use std::collections::BTreeMap;
use std::path::Path;

use crate::program::{fails, json, reference, succeeds};

/// Imports a file and aggregates it.
fn aggregated(folder: &Path, import: &[&str], aggregate: &[&str]) -> serde_json::Value {
    succeeds(folder, &[&["import"], import, &["-o", "scores.csv"]].concat());
    json(
        folder,
        &[&["aggregate", "scores.csv", "--measure", "measure", "--item", "item", "--json"], aggregate]
            .concat(),
    )
}

fn cell(found: &serde_json::Value, model: &str, place: usize) -> f64 {
    let tables = found["measures"][0]["tables"].as_array().unwrap();
    let paper = tables.iter().find(|table| table["name"] == "imagenhub").unwrap();
    let row = paper["rows"].as_array().unwrap().iter().find(|row| row[0] == model).unwrap();
    row[place].as_f64().unwrap()
}

#[test]
fn imagenhub_from_its_released_files() {
    let Some(ratings) = reference("imagenhub/Text-To-Image") else { return };
    let ratings = std::fs::canonicalize(ratings).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let found =
        aggregated(folder.path(), &["imagenhub", ratings.to_str().unwrap()], &["--with", "imagenhub"]);
    for (place, want) in
        [(1, 0.79), (2, 0.02), (3, 0.79), (4, 0.14), (5, 0.76), (6, 0.08), (7, 0.19), (8, 0.34)]
    {
        let got = cell(&found, "DALLE3", place);
        assert!((got - want).abs() <= 0.005 + 1e-9, "column {place}: {got}, published {want}");
    }
}

#[test]
fn votes_of_pairs_from_their_released_file() {
    let Some(votes) = reference("pairwise/PartiPromptsAllDecisions_Alignment.tsv") else { return };
    let votes = std::fs::canonicalize(votes).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let import = [
        "votes",
        votes.to_str().unwrap(),
        "--item",
        "Prompt",
        "--decisions",
        "Decisions",
        "--compare",
        "gen,ret",
    ];
    let found = aggregated(folder.path(), &import, &["--with", "contrast"]);
    let measures = found["measures"].as_array().unwrap();
    let rate = measures.iter().find(|found| found["measure"]["name"] == "win_rate").unwrap();
    let (wins, ties, losses) = (3854.0, 1468.0, 2836.0);
    let want = (wins + 0.5 * ties) / (wins + ties + losses);
    let of_gen = rate["estimates"].as_array().unwrap().iter().find(|found| found["model"] == "gen").unwrap();
    assert!((of_gen["value"].as_f64().unwrap() - want).abs() < 1e-12);
}

/// The votes of each category of prompts, whose categories stand in the same file. Of both models the win rate at each level is that
/// of its votes, counted here from the text.
#[test]
fn votes_of_pairs_by_the_category_of_their_prompts() {
    let Some(votes) = reference("pairwise/PartiPromptsAllDecisions_Alignment.tsv") else { return };
    let votes = std::fs::canonicalize(votes).unwrap();
    let file = votes.to_str().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let import = ["votes", file, "--item", "Prompt", "--decisions", "Decisions", "--compare", "gen,ret"];
    let with = ["--with", "{ kind: contrast, within: Category }", "--facet", "Category"];
    let found =
        aggregated(folder.path(), &import, &[&with[..], &["--items", file, "--items-by", "Prompt"]].concat());
    let text = std::fs::read_to_string(&votes).unwrap();
    let mut counts: BTreeMap<&str, [f64; 2]> = BTreeMap::new();
    for line in text.lines().skip(1) {
        let cells: Vec<&str> = line.split('\t').collect();
        let [won, all] = counts.entry(cells[1]).or_default();
        for vote in cells[4].split(',').map(str::trim).filter(|vote| !vote.is_empty()) {
            *won += match vote {
                "gen" => 1.0,
                "same" => 0.5,
                _ => 0.0,
            };
            *all += 1.0;
        }
    }
    let measures = found["measures"].as_array().unwrap();
    let of = |name: &str| measures.iter().find(|found| found["measure"]["name"] == name).unwrap();
    let levels = of("win_rate")["facets"].as_array().unwrap();
    assert_eq!((levels.len(), counts.len()), (12, 12));
    for level in levels {
        let [won, all] = counts[level["level"].as_str().unwrap()];
        let estimates = level["estimates"].as_array().unwrap();
        let of_gen = estimates.iter().find(|one| one["model"] == "gen").unwrap();
        assert!((of_gen["value"].as_f64().unwrap() - won / all).abs() < 1e-12, "{level}");
        assert_eq!(of_gen["responses"].as_f64(), Some(all));
    }
    let together = &of("strength")["interactions"][0];
    assert_eq!(together["family"], "12 pairs of models at 12 levels of Category");
    // Of two models there is one departure at each level, and categories differ in these votes.
    let test = &together["test"];
    assert_eq!(test["effects"][0]["value"], 12.0);
    assert!(test["p"].as_f64().unwrap() < 0.01, "{test}");
}

#[test]
fn rankings_from_their_released_file() {
    let Some(rankings) = reference("ranking/imagereward_test.json") else { return };
    let folder = tempfile::tempdir().unwrap();
    let text = std::fs::read_to_string(rankings).unwrap();
    let spoilt = text.replacen("\"ranking\": [\n            1,", "\"ranking\": [\n            0,", 1);
    assert_ne!(text, spoilt);
    std::fs::write(folder.path().join("spoilt.json"), spoilt).unwrap();
    let said = fails(folder.path(), &["import", "ranking-json", "spoilt.json", "-o", "scores.csv"]);
    assert!(said.contains("1") && said.contains("rank"), "{said}");
    assert!(!folder.path().join("scores.csv").exists());
}

#[test]
fn requested_aggregators_are_checked() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("t.csv"), "rater,model,value\nr1,a,1\nr2,a,2\n").unwrap();
    for (with, says) in [
        ("contrst", "contrast"),
        ("contrast", "preference"),
        ("{ kind: by_model, level: 2 }", "level: level is 2"),
        ("{ kind: by_model", "--with"),
    ] {
        let said = fails(folder.path(), &["aggregate", "t.csv", "--with", with]);
        assert!(said.contains(says), "{with}: {said}");
    }
}
