//! If the reader of its output stops, as `head` does, the program ends without a message.

#![allow(clippy::unwrap_used, missing_docs, reason = "a test")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// Runs the program with an output that is not read.
fn unread(folder: &Path, arguments: &[&str]) -> Output {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut program = Command::new(env!("CARGO_BIN_EXE_hype"));
    program.current_dir(folder).args(arguments).stdout(writer).stderr(Stdio::piped()).output().unwrap()
}

#[test]
fn every_command_ends_quietly() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("scores.csv"), "rater,model,value\na,x,1\nb,x,2\nc,y,3\nd,y,5\n").unwrap();
    let commands: [&[&str]; 14] = [
        &["new", "study", "--images", "12", "--size", "16"],
        &["check", "study/evaluation.yaml"],
        &["check", "study/evaluation.yaml", "--json"],
        &["simulate", "study/evaluation.yaml", "--raters", "2"],
        &["run", "study/evaluation.yaml", "--simulate", "2", "--progress", "none"],
        &["score", "study/evaluation.simulated"],
        &["export", "study/evaluation.simulated"],
        &["import", "csv", "scores.csv", "--rater", "rater", "--model", "model", "--value", "value"],
        &["aggregate", "scores.csv"],
        &["aggregate", "scores.csv", "--json"],
        &["list"],
        &["schema"],
        &["staircase"],
        &["staircase", "--json"],
    ];
    for arguments in commands {
        let output = unread(folder, arguments);
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(141), "{arguments:?}: {message}");
        assert!(!message.contains("panicked") && !message.contains("error:"), "{arguments:?}: {message}");
    }
}

#[test]
fn a_closed_standard_error_stops_nothing() {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut program = Command::new(env!("CARGO_BIN_EXE_hype"));
    let status =
        program.args(["aggregate", "absent.csv"]).stdout(Stdio::null()).stderr(writer).status().unwrap();
    assert_eq!(status.code(), Some(1));
}
