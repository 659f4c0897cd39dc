//! `cargo xtask affected [COMMIT]`: runs the tests of the crates that the changes since a commit can reach.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// Folders whose files belong to the tests of other crates, and these crates.
const ELSEWHERE: [(&str, &str); 9] = [
    ("examples/plugin/", "hype-example-plugin"),
    ("examples/", "hype-cli hype"),
    ("tests/", "hype-cli"),
    ("schemas/", "hype-cli"),
    ("docs/", "hype-cli xtask"),
    ("src/", "hype"),
    ("benches/", "hype"),
    ("README.md", "hype-cli"),
    ("CONTRIBUTING.md", "xtask"),
];

/// Runs the tests that the changes since a commit, or since the last one, can reach.
pub(crate) fn run(root: &Path, mut arguments: impl Iterator<Item = String>) -> Result<(), String> {
    let since = arguments.next().unwrap_or_else(|| "HEAD".to_owned());
    let changed = lines(root, "git", &["diff", "--name-only", &since])?;
    let new = lines(root, "git", &["ls-files", "--others", "--exclude-standard"])?;
    let crates = lines(root, "cargo", &["tree", "--workspace", "--depth", "0", "--prefix", "none"])?;
    let crates: BTreeSet<&str> = crates.iter().filter_map(|line| line.split(' ').next()).collect();
    let Some(owners) = owners(changed.iter().chain(&new).map(String::as_str), &crates) else {
        return test(root, &["--workspace".to_owned()]);
    };
    let mut reached = BTreeSet::new();
    for owner in owners {
        let tree = [
            "tree",
            "--workspace",
            "--all-features",
            "--edges",
            "normal,build,dev",
            "--prefix",
            "none",
            "--invert",
            owner,
        ];
        for line in lines(root, "cargo", &tree)? {
            reached.extend(line.split(' ').next().filter(|name| crates.contains(name)).map(str::to_owned));
        }
    }
    if reached.is_empty() {
        println!("no crate is affected");
        return Ok(());
    }
    println!("{}", reached.iter().cloned().collect::<Vec<_>>().join(" "));
    test(root, &reached.into_iter().map(|name| format!("--package={name}")).collect::<Vec<_>>())
}

/// The crates whose files changed; `None` if a file concerns all of them.
fn owners<'a>(
    changed: impl Iterator<Item = &'a str>,
    crates: &BTreeSet<&'a str>,
) -> Option<BTreeSet<&'a str>> {
    let mut owners = BTreeSet::new();
    for path in changed {
        if path.starts_with("Cargo.") || path.starts_with(".cargo/") || path == "clippy.toml" {
            return None;
        }
        let folder = path.split('/').next().unwrap_or(path);
        if crates.contains(folder) {
            owners.insert(folder);
        } else if let Some((_, names)) = ELSEWHERE.iter().find(|(prefix, _)| path.starts_with(prefix)) {
            owners.extend(names.split(' '));
        }
    }
    Some(owners)
}

/// Runs the tests of some packages.
fn test(root: &Path, packages: &[String]) -> Result<(), String> {
    let mut command = Command::new("cargo");
    command.args(["nextest", "run", "--all-features"]).args(packages).current_dir(root);
    let status = command.status().map_err(|error| format!("cargo cannot be run: {error}"))?;
    if status.success() { Ok(()) } else { Err("tests failed".to_owned()) }
}

/// The lines that a command prints.
fn lines(root: &Path, program: &str, arguments: &[&str]) -> Result<Vec<String>, String> {
    let output = Command::new(program).args(arguments).current_dir(root).output();
    let output = output.map_err(|error| format!("{program} cannot be run: {error}"))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    Ok(String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(changed: &[&str], expected: Option<&[&str]>) {
        let crates = ["hype", "hype-cli", "hype-core", "xtask"].into();
        let found = owners(changed.iter().copied(), &crates);
        assert_eq!(found, expected.map(|names| names.iter().copied().collect()));
    }

    #[test]
    fn files_belong_to_the_crates_that_test_them() {
        check(&["hype-core/src/lib.rs", "src/open.rs"], Some(&["hype", "hype-core"]));
        check(&["tests/it/main.rs", "xtask/src/main.rs"], Some(&["hype-cli", "xtask"]));
        check(&[".ci/run"], Some(&[]));
        check(&["hype-core/src/lib.rs", "Cargo.lock"], None);
    }
}
