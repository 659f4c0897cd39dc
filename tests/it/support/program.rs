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

/// Runs the program, which must succeed, and gives what it printed.
pub fn succeeds(folder: &Path, arguments: &[&str]) -> String {
    let output = hype(folder, arguments);
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "hype {arguments:?} failed:\n{out}\n{err}");
    out
}

/// Runs the program, which must succeed, and gives what it said on standard error.
pub fn says(folder: &Path, arguments: &[&str]) -> String {
    let output = hype(folder, arguments);
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "hype {arguments:?} failed:\n{out}\n{err}");
    err
}

/// Runs the program, which must fail with status 1, and gives what it said.
pub fn fails(folder: &Path, arguments: &[&str]) -> String {
    let output = hype(folder, arguments);
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(1), "hype {arguments:?}:\n{out}\n{err}");
    err
}

/// Runs the program and reads the JSON that it printed.
pub fn json(folder: &Path, arguments: &[&str]) -> serde_json::Value {
    serde_json::from_str(&succeeds(folder, arguments)).expect("it prints JSON")
}

/// A file or folder of the reference data; `None`, after saying that the test is skipped, if there is none.
///
/// The data are in the folder that `HYPE_REFERENCE` names, by default beside the repository.
///
/// # Panics
/// If the data are absent in continuous integration, where the variable `CI` is set.
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
    assert!(!is_ci, "there are no reference data at {}", found.display());
    eprintln!("skipped: there are no reference data at {}", found.display());
    None
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
