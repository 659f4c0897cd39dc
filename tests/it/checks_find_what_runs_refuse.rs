//! `hype check` finds everything that would stop `hype run`: missing files, environment variables and certificates.
//! Faults in reading a spec do not hide others.

#![allow(clippy::unwrap_used, missing_docs, reason = "a test")]

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::program::{fails, hype, json, succeeds};

const SPEC: &str = "study/evaluation.yaml";

/// A small study with the given sections from `task` on.
fn study(folder: &Path, rest: &str) {
    if !folder.join("study").exists() {
        succeeds(folder, &["new", "study", "--images", "24", "--size", "16"]);
        fs::rename(folder.join(SPEC), folder.join("study/whole.yaml")).unwrap();
    }
    let text = fs::read_to_string(folder.join("study/whole.yaml")).unwrap();
    let stimuli = text.split("\n# HYPE-time").next().unwrap();
    let task =
        "task: { kind: hype_infinity, generated: 3, real: 3 }\nraters: { per_model: 2, qualification: null }";
    let task = if rest.contains("task:") { "" } else { task };
    fs::write(folder.join(SPEC), format!("{stimuli}\n{task}\n{rest}\n")).unwrap();
}

/// The codes and paths of the errors that `check` finds.
fn faults(folder: &Path) -> Vec<(String, String)> {
    let output = hype(folder, &["check", SPEC, "--json"]);
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(output.status.success(), found["ok"] == true);
    let diagnostics = found["diagnostics"].as_array().unwrap().iter();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    diagnostics
        .filter(|one| one["severity"] == "error")
        .map(|one| (text(&one["code"]), text(&one["path"])))
        .collect()
}

fn one(code: &str, path: &str) -> Vec<(String, String)> {
    vec![(code.to_owned(), path.to_owned())]
}

#[test]
fn missing_scripted_answers_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    study(folder, "backend: { kind: local, cohort: { kind: scripted, answers: answers.csv } }");
    assert_eq!(faults(folder), one("bad-script", "backend.cohort.answers"));
    let message = fails(folder, &["run", SPEC, "--progress", "none"]);
    assert!(message.contains("error[bad-script]") && message.contains("answers.csv"), "{message}");
    // Synthetic raters need no script.
    succeeds(folder, &["simulate", SPEC]);
    succeeds(folder, &["run", SPEC, "--simulate", "--progress", "none"]);
    fs::write(folder.join("study/answers.csv"), "rater,trial,judgment\n").unwrap();
    assert_eq!(faults(folder), []);
}

#[test]
fn a_store_without_an_address_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    study(folder, "store: { env: HYPE_TEST_UNSET_STORE }");
    if cfg!(feature = "postgres") {
        assert_eq!(faults(folder), one("missing-variable", "store.env"));
        let message = fails(folder, &["run", SPEC, "--progress", "none"]);
        assert!(
            message.contains("HYPE_TEST_UNSET_STORE is not set") && message.contains("export "),
            "{message}"
        );
    } else {
        assert_eq!(faults(folder)[0], one("missing-feature", "store")[0]);
        let message = fails(folder, &["run", SPEC, "--progress", "none"]);
        assert!(message.contains("cargo install --path hype-cli --features postgres"), "{message}");
    }
    // Simulated studies are kept in memory and in folders.
    succeeds(folder, &["simulate", SPEC]);
    succeeds(folder, &["run", SPEC, "--simulate", "--progress", "none"]);
}

#[cfg(feature = "web")]
#[test]
fn a_missing_certificate_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    study(folder, "backend: { kind: web, tls: { certificate: chain.pem, key: key.pem } }");
    assert_eq!(faults(folder), one("bad-certificate", "backend.tls"));
    let message = fails(folder, &["run", SPEC, "--progress", "none"]);
    let reason =
        if cfg!(feature = "tls") { "chain.pem" } else { "cargo install --path hype-cli --features tls" };
    assert!(message.contains(reason), "{message}");
    succeeds(folder, &["simulate", SPEC]);
}

#[test]
fn all_faults_are_found_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    study(
        folder,
        "task: { kind: hype_time, blocks: 2, trials_per_blok: 12, exposure: { floor_ms: 900, ceiling_ms: 300 } }\n\
         masks: { count: 99999 }\n\
         items: { table: items.csv }\n\
         raters: { per_model: 0, replacements: 5000, payment: { currency: dollars } }\n\
         backend: { kind: local, cohort: { kind: scripted, answers: nowhere.csv } }",
    );
    fs::write(folder.join("study/items.csv"), "item,promt\n1,a\n2,b,c\n").unwrap();
    let spec = fs::read_to_string(folder.join(SPEC)).unwrap();
    fs::write(folder.join(SPEC), spec.replace("images/weak/*.png", "images/strong/*.png")).unwrap();
    let mut found = faults(folder);
    found.sort();
    let expected = [
        ("bad-currency", "raters.payment.currency"),
        ("bad-row", "items.table"),
        ("bad-script", "backend.cohort.answers"),
        ("no-images", "stimuli.weak.images"),
        ("out-of-range", "masks.count"),
        ("out-of-range", "raters.per_model"),
        ("out-of-range", "raters.replacements"),
        ("unknown-field", "task.trials_per_blok"),
    ];
    for (code, path) in expected {
        assert!(found.contains(&one(code, path)[0]), "{code} at {path} is not among {found:?}");
    }
    let in_task = found.iter().filter(|(_, path)| path.starts_with("task.exposure")).count();
    assert!(in_task > 0, "the range of exposures is checked although another field is misspelt: {found:?}");
    // Values that depend on the misspelt field are not reported.
    assert!(found.iter().all(|(code, _)| code != "too-few-images"), "{found:?}");

    // No task can be read.
    let spec = fs::read_to_string(folder.join(SPEC)).unwrap();
    fs::write(folder.join(SPEC), spec.replace("kind: hype_time", "kind: hype_tine")).unwrap();
    let found = faults(folder);
    for (code, path) in &expected[..7] {
        assert!(found.contains(&one(code, path)[0]), "{code} at {path} is not among {found:?}");
    }
}

#[cfg(feature = "web")]
#[test]
fn bytes_and_seconds_of_a_trial_are_stated_for_pages_and_long_ones_are_warned_of() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    study(folder, "backend: { kind: local, cohort: { kind: synthetic } }");
    assert!(!succeeds(folder, &["check", SPEC]).contains("images of a trial"), "no page");
    let web = "backend: { kind: web }";
    study(folder, web);
    let text = succeeds(folder, &["check", SPEC]);
    assert!(text.contains("judged images: at least "), "{text}");
    assert!(text.contains(" pixels in a window of 1366 × 768\n"), "{text}");
    assert!(text.contains(" pixels on a phone of 390 × 844\n"), "{text}");
    assert!(text.contains("\n  images of a trial: about 1 kB, under 0.1 s at 10 Mbit/s\n"), "{text}");
    // Noise cannot be compressed: three megabytes, to which all images are padded.
    let side = hype_images::Size::new(1_000, 1_000).unwrap();
    let mut state = 1_u32;
    let noise = hype_images::Picture::from_fn(side, |_, _| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        [state >> 24, state >> 16, state >> 8].map(|level| level as u8)
    });
    let first =
        fs::read_dir(folder.join("study/images/real")).unwrap().map(|file| file.unwrap().path()).min();
    fs::write(first.unwrap(), hype_images::encode(&noise, hype_images::Encoding::Png)).unwrap();
    study(folder, web);
    let output = hype(folder, &["check", SPEC, "--json"]);
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    let slow = found["diagnostics"].as_array().unwrap().iter().find(|one| one["code"] == "slow-trials");
    let slow = slow.unwrap_or_else(|| panic!("{found}"));
    assert_eq!((&slow["severity"], &slow["path"]), (&json!("warning"), &json!("backend.resize")));
    assert!(slow["line"].is_number() && slow["help"].as_str().unwrap().contains("kind: jpeg"), "{slow}");
    study(
        folder,
        "task: { kind: hype_time, blocks: 1, trials_per_block: 40 }\nraters: { per_model: 2, qualification: null }\nbackend: { kind: web }",
    );
    assert!(succeeds(folder, &["check", SPEC]).contains("\n  images of a timed block: about "));
}

#[test]
fn pay_is_offered_only_if_the_spec_states_it() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    study(folder, "");
    assert!(!succeeds(folder, &["check", SPEC]).contains("pay"));
    let found = json(folder, &["simulate", SPEC, "--json"]);
    assert_eq!(found["earnings"], Value::Null);
    study(
        folder,
        "task: { kind: hype_infinity, generated: 3, real: 3 }\n\
         raters: { per_model: 2, qualification: null, payment: { base: 2.50 } }",
    );
    let found = json(folder, &["simulate", SPEC, "--json"]);
    assert_eq!((&found["earnings"]["currency"], &found["earnings"]["total"]), (&"USD".into(), &15.0.into()));
}

/// Pay is part of the sessions' digest.
#[test]
fn a_study_that_began_with_pay_continues_with_it_alone() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let paid = "task: { kind: hype_infinity, generated: 3, real: 3 }\n\
                raters: { per_model: 2, qualification: null, payment: { base: 1.00, per_correct: 0.02 } }";
    study(folder, paid);
    let run = ["run", SPEC, "--simulate", "--progress", "none", "--json"];
    json(folder, &run);
    study(folder, &paid.replace("base: 1.00", "base: 3.00"));
    assert!(fails(folder, &run).contains("Choose another folder with --study"));
    study(folder, &paid.replace("payment: { base: 1.00, per_correct: 0.02 }", "payment: null"));
    assert!(fails(folder, &run).contains("Choose another folder with --study"));
}

#[test]
fn examples_are_of_the_task_and_not_of_the_survey_before_it() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let with = |answer: &str| {
        let page = format!(
            "before: [{{ kind: age }}]\nbackend: {{ kind: web, instructions: {{ examples: [{{ image: whole.png, answer: {answer} }}] }} }}"
        );
        study(folder, &page);
        let side = hype_images::Size::new(16, 16).unwrap();
        let image = hype_images::Picture::from_fn(side, |_, _| [128; 3]);
        fs::write(folder.join("study/whole.png"), hype_images::encode(&image, hype_images::Encoding::Png))
            .unwrap();
        faults(folder)
    };
    assert_eq!(with("real"), []);
    assert_eq!(with("under 18"), one("unknown-option", "backend.instructions.examples.0.answer"));
}
