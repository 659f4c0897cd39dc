//! Before anybody has finished a study, `score`, `report` and `export` say so in one sentence.

#![allow(clippy::unwrap_used, missing_docs, reason = "a test")]

use std::fs;

use crate::program::{fails, succeeds};

#[test]
fn studies_without_finished_raters_say_so() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    succeeds(folder, &["new", "study", "--task", "rating", "--images", "12", "--size", "16"]);
    let spec = "study/evaluation.yaml";
    let message = fails(folder, &["score", spec]);
    assert!(message.contains("nothing was collected for") && message.lines().count() == 1, "{message}");
    // Raters who leave at once have begun, and have not finished.
    let text = fs::read_to_string(folder.join(spec)).unwrap();
    let leaving = text.replace("  kind: synthetic\n", "  kind: synthetic\n  dropout: 1.0\n");
    fs::write(folder.join(spec), leaving.replace("per_item: 5", "per_item: 1")).unwrap();
    let _ = crate::program::hype(folder, &["run", spec, "--simulate", "--progress", "none"]);
    for call in [
        &["score", spec][..],
        &["score", spec, "--json"],
        &["report", spec],
        &["export", spec],
        &["export", spec, "--what", "findings"],
        &["export", spec, "--what", "raters"],
        &["export", spec, "--package", "package"],
    ] {
        let message = fails(folder, call);
        assert!(
            message.contains("no rater has finished study/evaluation.simulated yet, "),
            "{call:?}: {message}"
        );
        assert_eq!(message.lines().count(), 1, "{message}");
    }
    assert!(!folder.join("package").exists());
    assert!(succeeds(folder, &["export", spec, "--what", "trials"]).lines().count() >= 1);
}
