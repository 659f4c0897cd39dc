//! The commands do what their help says, and report why if they cannot.

#![allow(dead_code, clippy::unwrap_used, unreachable_pub, missing_docs, reason = "a test")]

use crate::program;

use std::fs;
use std::path::Path;

use crate::program::{fails, json, succeeds};

fn table(folder: &Path) {
    let mut text = String::from("who,system,score,blk\n");
    for (rater, model, score) in [("a", "x", 1.0), ("b", "x", 2.0), ("c", "y", 4.0), ("d", "y", 6.0)] {
        text.push_str(&format!("{rater},{model},{score},0\n"));
    }
    fs::write(folder.join("ratings.csv"), text).unwrap();
}

/// Whether findings say that they are those of synthetic raters.
fn is_simulated(findings: &serde_json::Value) -> bool {
    findings["notes"].as_array().unwrap().iter().any(|note| note["code"] == "simulated")
}

#[test]
fn a_new_study_is_checked_simulated_run_and_scored() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for (task, score) in [("hype-time", "mode_ms"), ("hype-infinity", "error")] {
        succeeds(folder, &["new", task, "--task", task, "--images", "24", "--size", "16"]);
        let spec = format!("{task}/evaluation.yaml");
        assert!(succeeds(folder, &["check", &spec]).contains("the study can run"));
        let simulated = json(folder, &["simulate", &spec, "--raters", "4", "--json"]);
        assert_eq!(simulated["measures"][0]["measure"]["name"], score);
        let run = json(folder, &["run", &spec, "--simulate", "4", "--json", "--progress", "none"]);
        assert_eq!(run["measures"], simulated["measures"]);
        assert!(is_simulated(&run), "{}", run["notes"]);
        let earned = succeeds(folder, &["export", &spec, "--what", "earnings"]);
        let sessions = run["collected"]["sessions"].as_u64().unwrap();
        assert_eq!(earned.lines().count() as u64, sessions + 1);
    }
    let message = fails(folder, &["new", "hype-time"]);
    assert!(message.contains("exists and is not empty"), "{message}");
}

#[test]
fn a_folder_without_a_study_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    succeeds(folder, &["new", "study", "--images", "14", "--size", "16"]);
    let message = fails(folder, &["score", "study"]);
    assert!(message.contains("is not the folder of a study"), "{message}");
    let message = fails(folder, &["score", "nowhere.yaml"]);
    assert!(message.contains("does not exist"), "{message}");
}

#[test]
fn a_folder_is_not_mixed_with_another_study() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    succeeds(folder, &["new", "study", "--images", "14", "--size", "16"]);
    let spec = folder.join("study/evaluation.yaml");
    let run = ["run", "study/evaluation.yaml", "--simulate", "2", "--progress", "none"];
    succeeds(folder, &run);
    let text = fs::read_to_string(&spec).unwrap();
    fs::write(&spec, text.replace("seed: 20190401", "seed: 3")).unwrap();
    let message = fails(folder, &run);
    assert!(message.contains("Choose another folder with --study"), "{message}");
    fs::write(&spec, text.replace("threshold_ms: 363", "threshold_ms: 300")).unwrap();
    let message = fails(folder, &run);
    assert!(message.contains("synthetic raters have changed"), "{message}");
    // How scores are aggregated may change while a study runs.
    fs::write(&spec, text.replace("level: 0.95", "level: 0.9")).unwrap();
    succeeds(folder, &run);
}

#[test]
fn synthetic_raters_never_count_as_people_and_no_folder_is_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    succeeds(folder, &["new", "study", "--images", "14", "--size", "16"]);
    let spec = folder.join("study/evaluation.yaml");
    let text = fs::read_to_string(&spec).unwrap();
    let named = "backend: { kind: local, cohort: { kind: synthetic } }";
    fs::write(
        &spec,
        text.replace("backend: { kind: web, listen: \"127.0.0.1:7850\" }", named)
            .replace("per_model: 30", "per_model: 2"),
    )
    .unwrap();
    let run = json(folder, &["run", "study/evaluation.yaml", "--progress", "none", "--json"]);
    assert!(is_simulated(&run), "{}", run["notes"]);
    assert!(folder.join("study/evaluation.simulated/about.json").exists());
    let message = fails(folder, &["run", "study/evaluation.yaml", "--study", "study", "--progress", "none"]);
    assert!(message.contains("is not the folder of a study: it contains"), "{message}");
    assert!(fs::read_to_string(&spec).unwrap().contains(named));
}

#[test]
fn designs_that_do_not_fit_the_table_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let rows = [("a", 1.0), ("b", 2.0), ("c", 4.0)];
    let mut text = String::from("rater,model,value\n");
    for (rater, value) in rows {
        text.push_str(&format!("{rater},x,{value}\n{rater},y,{}\n", value + 1.5 + value / 10.0));
    }
    fs::write(folder.join("table.csv"), text).unwrap();
    let codes = |arguments: &[&str]| {
        let found = json(folder, arguments);
        found["notes"].as_array().unwrap().iter().map(|note| note["code"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(codes(&["aggregate", "table.csv", "--json"]), ["within-raters"]);
    assert_eq!(codes(&["aggregate", "table.csv", "--json", "--design", "between"]), ["repeated-raters"]);
    let within = ["aggregate", "table.csv", "--json", "--design", "within"];
    assert_eq!(codes(&within), [""; 0]);
    assert_eq!(codes(&[&within[..], &["--pairs", "welch"]].concat()), ["paired-instead"]);
}

#[test]
fn tables_made_elsewhere_are_aggregated_and_imported() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    table(folder);
    let call =
        ["aggregate", "ratings.csv", "--rater", "who", "--model", "system", "--value", "score", "--json"];
    let found = json(folder, &call);
    assert_eq!(found["measures"][0]["estimates"][0]["model"], "y");
    assert_eq!(found["measures"][0]["estimates"][0]["value"], 5.0);
    let import = [
        "import",
        "csv",
        "ratings.csv",
        "--rater",
        "who",
        "--model",
        "system",
        "--value",
        "score",
        "-o",
        "scores.csv",
    ];
    let message = program::says(folder, &import);
    assert!(message.contains("4 values of 4 raters, 2 models and 0 items"), "{message}");
    let again = json(folder, &["aggregate", "scores.csv", "--json"]);
    assert_eq!(again["measures"], found["measures"]);
}

#[test]
fn bad_tables_are_refused_with_their_line() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    table(folder);
    let message = fails(
        folder,
        &["aggregate", "ratings.csv", "--rater", "who", "--model", "sytem", "--value", "score"],
    );
    assert!(message.contains("did you mean `system`?"), "{message}");
    fs::write(folder.join("bad.csv"), "rater,model,value\na,x,1\nb,x,many\n").unwrap();
    let message = fails(folder, &["aggregate", "bad.csv"]);
    assert!(message.contains("line 3") && message.contains("not a finite number"), "{message}");
    fs::write(folder.join("short.csv"), "rater,model,value\na,x\n").unwrap();
    let message = fails(folder, &["aggregate", "short.csv"]);
    assert!(message.contains("line: 2") || message.contains("line 2"), "{message}");
    let message = fails(folder, &["aggregate", "absent.csv"]);
    assert!(message.contains("absent.csv"), "{message}");
}

#[test]
fn agreement_alone_prints_no_empty_estimates() {
    let folder = tempfile::tempdir().unwrap();
    let text = "rater,model,item,value\na,x,1,1\nb,x,1,1\na,x,2,2\nb,x,2,3\n";
    fs::write(folder.path().join("ratings.csv"), text).unwrap();
    let shown = succeeds(folder.path(), &["aggregate", "ratings.csv", "--with", "agreement", "--full"]);
    assert!(shown.contains("percent agreement") && !shown.contains("standard error"), "{shown}");
}

#[test]
fn plugins_and_schemas_are_listed() {
    let listed = json(Path::new("."), &["list", "--json"]);
    let kinds: Vec<&str> =
        listed.as_array().unwrap().iter().map(|entry| entry["kind"].as_str().unwrap()).collect();
    for kind in ["hype_time", "hype_infinity", "by_model", "local", "synthetic", "scripted"] {
        assert!(kinds.contains(&kind), "{kinds:?}");
    }
    assert!(succeeds(Path::new("."), &["list", "task"]).contains("hype_infinity"));
}

#[test]
fn usage_errors_exit_with_two() {
    let output =
        program::hype(Path::new("."), &["staircase", "--preset", "weighted", "--step-harder-ms", "10"]);
    assert_eq!(output.status.code(), Some(2));
}
