//! The program `hype` as a user runs it.

use std::path::{Path, PathBuf};
use std::process::Output;

use assert_cmd::Command;

/// Runs the program in a folder.
pub fn hype(folder: &Path, arguments: &[&str]) -> Output {
    Command::cargo_bin("hype")
        .expect("the program is built")
        .current_dir(folder)
        .args(arguments)
        .output()
        .expect("it runs")
}

/// Runs the program, which must succeed, and returns its standard output.
pub fn succeeds(folder: &Path, arguments: &[&str]) -> String {
    let output = hype(folder, arguments);
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "hype {arguments:?} failed:\n{out}\n{err}");
    out
}

/// Runs the program, which must succeed, and returns its standard error.
pub fn says(folder: &Path, arguments: &[&str]) -> String {
    let output = hype(folder, arguments);
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "hype {arguments:?} failed:\n{out}\n{err}");
    err
}

/// Runs the program, which must fail with status 1, and returns its standard error.
pub fn fails(folder: &Path, arguments: &[&str]) -> String {
    let output = hype(folder, arguments);
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(1), "hype {arguments:?}:\n{out}\n{err}");
    err
}

/// Runs the program with environment variables.
pub fn hype_with(folder: &Path, variables: &[(&str, &str)], arguments: &[&str]) -> Output {
    let mut command = Command::cargo_bin("hype").expect("the program is built");
    command.current_dir(folder).args(arguments).envs(variables.iter().copied()).output().expect("it runs")
}

/// Runs the program with environment variables. Returns its standard output if it should succeed, or else its standard error.
pub fn ends(folder: &Path, variables: &[(&str, &str)], arguments: &[&str], succeeds: bool) -> String {
    let output = hype_with(folder, variables, arguments);
    assert_eq!(output.status.success(), succeeds, "{output:?}");
    text(if succeeds { &output.stdout } else { &output.stderr })
}

/// Runs the program and parses the JSON that it prints.
pub fn json(folder: &Path, arguments: &[&str]) -> serde_json::Value {
    serde_json::from_str(&succeeds(folder, arguments)).expect("it prints JSON")
}

/// A file or folder of the reference data. If there is none, prints that the test is skipped and returns `None`.
///
/// The data are in the folder named by `HYPE_REFERENCE`, by default next to the repository.
///
/// # Panics
/// If the data are absent in continuous integration, that is, if the variable `CI` is set.
pub fn reference(path: &str) -> Option<PathBuf> {
    let root = std::env::var_os("HYPE_REFERENCE").map_or_else(
        || Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/..")).join("../shared/reference"),
        PathBuf::from,
    );
    let found = root.join(path);
    if found.exists() {
        return Some(found);
    }
    let is_ci = std::env::var_os("CI").is_some_and(|value| !value.is_empty());
    assert!(!is_ci, "no reference data at {}: set HYPE_REFERENCE to their folder", found.display());
    eprintln!("skipped: no reference data at {}: set HYPE_REFERENCE to their folder", found.display());
    None
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
