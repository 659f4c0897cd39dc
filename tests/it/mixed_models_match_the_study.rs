//! `hype export --what r` writes the scores, and models of R that fit them.

#![allow(dead_code, clippy::unwrap_used, unreachable_pub, missing_docs, reason = "a test")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use serde_json::Value;

use crate::program;
use crate::proof::{is_proof, row};

fn studies() -> PathBuf {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/..")).join("examples/studies")
}

/// A simulated study as R gets it: its folder, and the findings.
fn exported(folder: &Path, study: &str) -> (PathBuf, Value) {
    let stored = folder.join(study);
    let (stored, spec) = (stored.to_str().unwrap(), format!("{study}.yaml"));
    let run = ["run", &spec, "--simulate", "--study", stored, "--json", "--progress", "none"];
    let found = program::json(&studies(), &run);
    let models = folder.join(format!("{study}-r"));
    program::succeeds(&studies(), &["export", stored, "--what", "r", "-o", models.to_str().unwrap()]);
    (models, found)
}

#[test]
fn answers_are_the_scores_of_raters_who_count() {
    let folder = tempfile::tempdir().unwrap();
    let (models, _) = exported(folder.path(), "imagenet5");
    let stored = folder.path().join("imagenet5");
    let scores = program::succeeds(folder.path(), &["export", stored.to_str().unwrap()]);
    let cells = |text: &str, names: &[&str]| -> Vec<Vec<String>> {
        let mut table = csv::Reader::from_reader(text.as_bytes());
        let header = table.headers().unwrap().clone();
        let places: Vec<usize> =
            names.iter().map(|name| header.iter().position(|column| column == *name).unwrap()).collect();
        table
            .records()
            .map(|row| places.iter().map(|&place| row.as_ref().unwrap()[place].to_owned()).collect())
            .collect()
    };
    let answers = fs::read_to_string(models.join("answers.csv")).unwrap();
    let common = ["rater", "item", "block", "measure", "value"];
    assert_eq!(cells(&answers, &common), cells(&scores, &common));
    // A model at a level is the model, and its level in a column.
    let joined = cells(&answers, &["model", "facet.class"]).into_iter().map(|cells| cells.join("/"));
    // d' and the criterion, too, have a class.
    assert!(joined.eq(cells(&scores, &["model"]).into_iter().map(|mut cells| cells.remove(0))));
    let script = fs::read_to_string(models.join("analysis.R")).unwrap();
    assert!(script.contains("glmer(value ~ model * facet.class + (1 | rater) + (1 | item)"), "{script}");
    let again = ["export", stored.to_str().unwrap(), "--what", "r", "-o", models.to_str().unwrap()];
    let refused = program::fails(folder.path(), &again);
    assert!(refused.contains("not empty"), "{refused}");
}

#[test]
fn choices_and_missing_folders_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let stored = folder.path().join("best-of");
    let stored = stored.to_str().unwrap();
    program::succeeds(
        &studies(),
        &["run", "best-of.yaml", "--simulate", "--study", stored, "--progress", "none"],
    );
    let refused = program::fails(folder.path(), &["export", stored, "--what", "r", "-o", "models"]);
    assert!(refused.contains("mclogit") && refused.contains("--what scores"), "{refused}");
    assert!(!folder.path().join("models").exists());
    let refused = program::fails(folder.path(), &["export", stored, "--what", "r"]);
    assert!(refused.contains("-o"), "{refused}");
}

/// The estimates that the script prints under a title.
fn estimates(printed: &str, title: &str) -> Option<Vec<(String, f64)>> {
    let (_, section) = printed.split_once(&format!("======== {title} ========"))?;
    let (_, table) = section.split_once("\nEstimates:\n")?;
    let rows = table.lines().skip(1).map_while(|line| {
        let mut words = line.split_whitespace();
        Some((words.next()?.to_owned(), words.next()?.parse().ok()?))
    });
    Some(rows.collect())
}

/// `cargo xtask prove r`: R fits every example without a complaint. In balanced designs the means of numbers are those of hype.
#[test]
fn every_example_is_fitted_by_r() {
    let (balanced, others) = (
        ["opinion", "imagenhub-generation", "imagenhub-editing", "hype-infinity"],
        [
            "likert",
            "metrics",
            "heim",
            "photorealism",
            "fooling",
            "imagenet5",
            "training",
            "hype-time-quest-plus",
            "contrast",
            "contrast-criteria",
            "contrast-categories",
            "contrast-complete",
            "contrast-gold",
        ],
    );
    let all = balanced.iter().chain(&others);
    // Without R, the script of one.
    for study in all.take(if is_proof() { usize::MAX } else { 1 }) {
        let folder = tempfile::tempdir().unwrap();
        let (models, found) = exported(folder.path(), study);
        let script = fs::read_to_string(models.join("analysis.R")).unwrap();
        let mut answers = csv::Reader::from_path(models.join("answers.csv")).unwrap();
        let place = answers.headers().unwrap().iter().position(|column| column == "measure").unwrap();
        let names: BTreeSet<String> = answers.records().map(|row| row.unwrap()[place].to_owned()).collect();
        for name in names {
            let is_fitted = script.contains(&format!("checked(\"{name}, "));
            let is_left_out = script.contains(&format!("# Left out: {name} ("));
            assert!(is_fitted != is_left_out, "{study}, {name}: {script}");
        }
        if !is_proof() {
            continue;
        }
        let begin = Instant::now();
        let out = Command::new("Rscript").arg("analysis.R").current_dir(&models).output().unwrap();
        let (printed, said) = (String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr));
        assert!(out.status.success(), "{study}: {said}\n{printed}");
        assert!(!printed.contains("WARNING"), "{study}: {printed}");
        let mut compared = 0;
        for measure in found["measures"].as_array().unwrap() {
            let title = format!("{}, as numbers", measure["measure"]["name"].as_str().unwrap());
            let Some(of_r) = estimates(&printed, &title).filter(|_| balanced.contains(study)) else {
                continue;
            };
            for (model, mean) in of_r {
                let own = measure["estimates"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .find(|one| one["model"] == *model)
                    .unwrap();
                let own = own["value"].as_f64().unwrap();
                assert!(
                    (mean - own).abs() <= 1e-6 * own.abs(),
                    "{study}, {title}, {model}: {mean} and {own}"
                );
                compared += 1;
            }
        }
        assert_eq!(compared > 0, balanced.contains(study), "{study}");
        let fits = printed.matches("\n========").count();
        row(&[
            study,
            &fits.to_string(),
            &compared.to_string(),
            &format!("{:.0}", begin.elapsed().as_secs_f64()),
        ]);
    }
}
