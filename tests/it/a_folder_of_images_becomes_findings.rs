//! A user's folder of photographs and generated images is checked, run with synthetic raters, scored and exported.

#![allow(dead_code, clippy::unwrap_used, unreachable_pub, missing_docs, reason = "a test")]

use crate::program;

use std::fs;

const SETS: [(&str, &str); 8] = [
    ("real", "role: real"),
    ("stylegan2", "role: generated"),
    ("lightweight_gan", "role: generated"),
    ("ddpm", "role: generated"),
    ("vae", "role: generated"),
    ("ppca", "role: generated"),
    ("practice_real", "role: real, use: qualification"),
    ("practice_generated", "role: generated, use: qualification"),
];

fn spec(images: &str) -> String {
    let sets: String = SETS
        .iter()
        .map(|(set, role)| format!("  {set}: {{ {role}, images: '{images}/{set}/*' }}\n"))
        .collect();
    format!(
        "name: flowers\nseed: 7\nstimuli:\n{sets}task: {{ kind: hype_time, blocks: 3, trials_per_block: 24, staircase: {{ step_harder_ms: 40, step_easier_ms: 120 }} }}\n\
         raters:\n  per_model: 4\n  qualification: {{ trials: 16, pass: {{ rule: overall, at_least: 0.65 }} }}\n"
    )
}

#[test]
fn flowers_are_checked_run_and_scored() {
    let Some(images) = program::reference("images") else { return };
    let folder = tempfile::tempdir().unwrap();
    let images = fs::canonicalize(images).unwrap();
    fs::write(folder.path().join("flowers.yaml"), spec(images.to_str().unwrap())).unwrap();
    let checked = program::succeeds(folder.path(), &["check", "flowers.yaml"]);
    assert!(checked.contains("20 sessions"), "{checked}");
    let run =
        program::json(folder.path(), &["run", "flowers.yaml", "--simulate", "--json", "--progress", "none"]);
    assert_eq!(run["collected"]["completed"], 20);
    assert_eq!(run["measures"][0]["estimates"].as_array().unwrap().len(), 5);
    let scored = program::json(folder.path(), &["score", "flowers.yaml", "--json"]);
    assert_eq!(run, scored);
    let verified = program::succeeds(folder.path(), &["score", "flowers.simulated", "--verify"]);
    assert!(verified.contains("their logs agree with the study"), "{verified}");
    let trials = program::succeeds(folder.path(), &["export", "flowers.simulated", "--what", "trials"]);
    let answers = run["collected"]["responses"].as_u64().unwrap();
    assert_eq!(trials.lines().count() as u64, answers + 1);
    let scores = folder.path().join("scores.csv");
    program::succeeds(folder.path(), &["export", "flowers.simulated", "-o", scores.to_str().unwrap()]);
    let again = program::json(folder.path(), &["aggregate", "scores.csv", "--measure", "measure", "--json"]);
    let value = |findings: &serde_json::Value, measure: &str| {
        let measures = findings["measures"].as_array().unwrap();
        let found = measures.iter().find(|one| one["measure"]["name"] == measure).unwrap();
        found["estimates"].as_array().unwrap().iter().find(|one| one["model"] == "vae").unwrap()["value"]
            .clone()
    };
    for measure in ["mode_ms", "mean_last_half_ms", "d_prime", "error"] {
        assert_eq!(value(&run, measure), value(&again, measure), "{measure}");
    }
}
