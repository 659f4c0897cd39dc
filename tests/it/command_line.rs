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
fn raters_of_a_table_are_described() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let mut text = "rater,model,item,value\n".to_owned();
    for (item, values) in [[1, 3, 1], [2, 3, 2], [4, 3, 5], [5, 3, 4]].into_iter().enumerate() {
        for (rater, value) in ["ann", "ben", "=cy"].into_iter().zip(values) {
            text.push_str(&format!("{rater},x,{item},{value}\n"));
        }
    }
    fs::write(folder.join("table.csv"), text).unwrap();
    succeeds(folder, &["aggregate", "table.csv", "--raters", "raters.csv"]);
    let found = fs::read_to_string(folder.join("raters.csv")).unwrap();
    let rows: Vec<Vec<&str>> = found.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(rows[0], ["rater", "counts", "trials", "commonest", "agreement", "drift", "median_rt_us"]);
    // The means of the others are 2, 2.5, 4 and 3.5: r = 0.9 with those of ann.
    assert_eq!((rows[1][0], rows[1][2], rows[1][3]), ("ann", "4", "0.25"));
    assert!((rows[1][4].parse::<f64>().unwrap() - 0.9).abs() < 1e-9, "{found}");
    // Who always gives the same answer agrees with nobody, and what a table does not tell is empty.
    assert_eq!(rows[2][..], ["ben", "true", "4", "1.0", "", "", ""]);
    assert_eq!(rows[3][0], "'=cy");
}

#[test]
fn votes_of_a_table_have_covariates_of_outputs() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let (mut votes, mut outputs) =
        ("rater,model,against,item,preference\n".to_owned(), "model,item,words\n".to_owned());
    for item in 0..12 {
        let [long, short] = [100 + 5 * item, 40 + 3 * (item * 7 % 12)];
        outputs.push_str(&format!("x,i{item},{long}\ny,i{item},{short}\n"));
        for rater in 0..6 {
            let won = u8::from((item + rater) % 3 > 0);
            votes.push_str(&format!("r{rater},x,y,i{item},{won}\n"));
        }
    }
    fs::write(folder.join("votes.csv"), votes).unwrap();
    fs::write(folder.join("outputs.csv"), &outputs).unwrap();
    let votes = ["aggregate", "votes.csv", "--json", "--value", "preference"];
    let with = [&votes[..], &["--with", "{ kind: contrast, covariates: [words] }"]].concat();
    let message = fails(folder, &with);
    assert!(message.contains("--outputs") && message.contains("`item` and words"), "{message}");
    let message = fails(folder, &[&votes[..], &["--with", "contrast", "--outputs", "outputs.csv"]].concat());
    assert!(message.contains("no aggregator in --with uses any"), "{message}");
    let call = [&with[..], &["--outputs", "outputs.csv"]].concat();
    let found = json(folder, &call);
    let tables = found["measures"][0]["tables"].as_array().unwrap();
    assert!(tables.iter().any(|table| table["name"] == "covariates"), "{tables:?}");
    fs::write(folder.join("outputs.csv"), outputs + "x,i3,many\ny,i0,8\n").unwrap();
    let message = fails(folder, &call);
    assert!(message.contains("line 26") && message.contains("line 27"), "{message}");
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
