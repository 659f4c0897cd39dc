//! `hype run --simulate` on a spec with a page: synthetic raters use HTTP from consent to the end, and the resulting
//! study is complete.

#![cfg(feature = "web")]
#![allow(clippy::unwrap_used, dead_code, unreachable_pub, missing_docs, reason = "a test")]

use std::fs;
use std::path::Path;

use crate::program::{fails, json, succeeds};

/// A study with its own images, and the spec's text after `change`.
fn study(folder: &Path, task: &str, change: impl FnOnce(String) -> String) {
    succeeds(folder, &["new", "study", "--task", task, "--images", "24", "--size", "32"]);
    let spec = folder.join("study/evaluation.yaml");
    let text = change(fs::read_to_string(&spec).unwrap());
    fs::write(&spec, text).unwrap();
}

/// The spec with another task and a page at any free port.
fn with_page(task: &str) -> impl FnOnce(String) -> String {
    move |text| {
        let stimuli = text.split("\ntask:").next().unwrap().to_owned();
        format!(
            "{stimuli}\ntask: {task}\nraters: {{ per_model: 2, qualification: null, payment: null }}\n\
             backend: {{ kind: web, listen: \"127.0.0.1:0\" }}\n"
        )
    }
}

#[test]
fn untimed_judgments_over_http_give_findings() {
    let folder = tempfile::tempdir().unwrap();
    study(folder.path(), "hype-infinity", with_page("{ kind: hype_infinity, generated: 6, real: 6 }"));
    let found = json(folder.path(), &["run", "study/evaluation.yaml", "--simulate", "2", "--json"]);
    let collected = &found["collected"];
    assert_eq!(collected["completed"], collected["places"], "{collected}");
    assert!(collected["places"].as_u64().unwrap() >= 2);
    assert_eq!(collected["responses"].as_u64().unwrap(), 12 * collected["completed"].as_u64().unwrap());
    // Nothing is collected again, and the logs replay.
    let again = json(folder.path(), &["score", "study/evaluation.simulated", "--json"]);
    assert_eq!(again["measures"], found["measures"]);
}

/// The first command of the README with `--simulate`, at any free port, with fewer raters and images: masks take most of the time.
#[test]
fn the_quickstart_ends_with_the_path_of_a_report() {
    let folder = tempfile::tempdir().unwrap();
    let quickstart = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/quickstart"));
    for set in fs::read_dir(quickstart.join("images")).unwrap() {
        let set = set.unwrap();
        let copied = folder.path().join("images").join(set.file_name());
        fs::create_dir_all(&copied).unwrap();
        let mut images: Vec<_> = fs::read_dir(set.path()).unwrap().map(|image| image.unwrap()).collect();
        images.sort_by_key(fs::DirEntry::file_name);
        for image in &images[..40] {
            fs::copy(image.path(), copied.join(image.file_name())).unwrap();
        }
    }
    let text = fs::read_to_string(quickstart.join("evaluation.yaml")).unwrap();
    let free = text
        .replace("127.0.0.1:7850", "127.0.0.1:0")
        .replace("trials_per_block: 150", "trials_per_block: 20");
    assert!(free.contains("127.0.0.1:0") && free.contains("trials_per_block: 20"), "{text}");
    fs::write(folder.path().join("evaluation.yaml"), free).unwrap();
    let said = succeeds(folder.path(), &["run", "evaluation.yaml", "--simulate", "2", "--progress", "none"]);
    let last = said.lines().last().unwrap();
    let page = last.strip_prefix(" report  ").unwrap_or_else(|| panic!("the last line is {last:?}"));
    let page = fs::read_to_string(folder.path().join(page)).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("<svg"), "{page}");
}

#[test]
fn a_stopping_rule_ends_visits_over_http() {
    let folder = tempfile::tempdir().unwrap();
    let task = "{ kind: hype_infinity, generated: 6, real: 6 }\nstopping: { kind: spending, looks: [6, 12, 24], until: \
                pair }\nsimulate: { kind: synthetic, observers: { good: { untimed: { fakes_error: 0.8, reals_error: 0.2 } }, \
                weak: { untimed: { fakes_error: 0.1, reals_error: 0.2 } } } }";
    study(folder.path(), "hype-infinity", |text| {
        with_page(task)(text).replace("per_model: 2", "per_model: 24")
    });
    let found = json(folder.path(), &["run", "study/evaluation.yaml", "--simulate", "--json"]);
    let stopped_at = found["stopping"]["stopped_at"].as_u64().unwrap();
    assert!(stopped_at < 24, "{}", found["stopping"]);
    let collected = &found["collected"];
    assert!(collected["completed"].as_u64() < collected["places"].as_u64(), "{collected}");
    let again = json(folder.path(), &["score", "study/evaluation.simulated", "--json"]);
    assert_eq!(again["stopping"], found["stopping"]);
}

#[test]
fn timed_judgments_over_http_report_masks_and_timing() {
    let folder = tempfile::tempdir().unwrap();
    let task = "{ kind: hype_time, blocks: 1, trials_per_block: 12, catch: { trials: 8 } }\nmasks: { count: 6, \
                iterations: 2 }";
    study(folder.path(), "hype-time", with_page(task));
    let found = json(folder.path(), &["run", "study/evaluation.yaml", "--simulate", "2", "--json"]);
    assert_eq!(found["collected"]["completed"], found["collected"]["places"]);
    let timing = &found["timing"];
    assert_eq!(timing["displayed"], found["collected"]["responses"]);
    assert_eq!((&timing["exact"], timing["suspect"].as_u64()), (&timing["displayed"], Some(0)));
    // Every catch trial was shown for one frame at 60 Hz, and counts.
    let completed = found["collected"]["completed"].as_u64().unwrap();
    let counts = |check: &serde_json::Value| {
        let count = |state: &str| check[state].as_u64().unwrap();
        (check["name"].as_str().unwrap().to_owned(), count("passed") + count("failed"), count("unclear"))
    };
    let checks: Vec<_> = found["checks"].as_array().unwrap().iter().map(counts).collect();
    assert_eq!(checks, [("catch".to_owned(), completed, 0), ("timing".to_owned(), completed, 0)]);
    assert_eq!(found["checks"][1]["passed"].as_u64(), Some(completed));
}

#[test]
fn masks_are_made_once_and_can_be_previewed() {
    let folder = tempfile::tempdir().unwrap();
    let task = "{ kind: hype_time, blocks: 1, trials_per_block: 12 }\nmasks: { count: 4, iterations: 2 }";
    study(folder.path(), "hype-time", with_page(task));
    let prepared = || {
        let mut files: Vec<(String, Vec<u8>)> = Vec::new();
        for rule in fs::read_dir(folder.path().join("study/.hype-page")).unwrap() {
            for file in fs::read_dir(rule.unwrap().path()).unwrap() {
                let path = file.unwrap().path();
                files.push((path.display().to_string(), fs::read(path).unwrap()));
            }
        }
        files.sort();
        files
    };
    let message = succeeds(folder.path(), &["masks", "study/evaluation.yaml", "--preview"]);
    assert!(message.contains("4 masks are ready"), "{message}");
    let sheet = fs::read(folder.path().join("study/evaluation.masks.png")).unwrap();
    let first = prepared();
    succeeds(folder.path(), &["masks", "study/evaluation.yaml", "--preview", "again.png"]);
    assert_eq!(prepared(), first);
    assert_eq!(fs::read(folder.path().join("again.png")).unwrap(), sheet);
    fs::remove_dir_all(folder.path().join("study/.hype-page")).unwrap();
    succeeds(folder.path(), &["masks", "study/evaluation.yaml"]);
    assert_eq!(prepared(), first, "the same seed gives the same bytes");
}

#[test]
fn tasks_without_masks_say_so() {
    let folder = tempfile::tempdir().unwrap();
    study(folder.path(), "hype-infinity", with_page("{ kind: hype_infinity, generated: 6, real: 6 }"));
    let message = fails(folder.path(), &["masks", "study/evaluation.yaml"]);
    assert!(message.contains("the task hype_infinity shows no masks"), "{message}");
}
