//! `cargo xtask guard OLD NEW`: runs studies by two programs and compares everything that they leave, byte for byte.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The parts of what a study leaves: columns of the table.
const PARTS: [(&str, &str); 5] = [
    ("logs", "event logs"),
    ("wire", "wire"),
    ("ledger", "ledger"),
    ("findings", "findings"),
    ("folder-", "folder"),
];

/// Runs both programs, prints a table, and fails where they differ.
pub(crate) fn run(root: &Path, mut arguments: impl Iterator<Item = String>) -> Result<(), String> {
    let (Some(old), Some(new)) = (arguments.next(), arguments.next()) else {
        return Err("name the program of before and that of now: cargo xtask guard OLD NEW".to_owned());
    };
    let folder = root.join("target/guard");
    let [old, new] =
        [("old", old), ("new", new)].map(|(name, program)| kept(root, &folder.join(name), &program));
    let (old, new) = (old?, new?);
    println!(
        "| study | {} |\n|---|{}",
        PARTS.map(|(_, title)| title).join(" | "),
        "---|".repeat(PARTS.len())
    );
    let mut differ = Vec::new();
    for study in names(&old)?.union(&names(&new)?) {
        let (old, new) = (old.join(study), new.join(study));
        let mut cells = PARTS.map(|_| "");
        for file in names(&old)?.union(&names(&new)?) {
            let same = fs::read(old.join(file)).ok() == fs::read(new.join(file)).ok();
            if !same {
                differ.push(format!("diff {} {}", old.join(file).display(), new.join(file).display()));
            }
            let place = PARTS.iter().position(|(part, _)| file.starts_with(part));
            let place = place.ok_or_else(|| format!("{file} is no part of a study"))?;
            cells[place] = if same && cells[place] != "differs" { "same" } else { "differs" };
        }
        println!("| {study} | {} |", cells.join(" | "));
    }
    if differ.is_empty() { Ok(()) } else { Err(differ.join("\n")) }
}

/// The folder of what a program has left.
fn kept(root: &Path, folder: &Path, program: &str) -> Result<PathBuf, String> {
    let guard = root.join("tests/stored/make/guard.py");
    let status = Command::new("python3").arg(guard).arg(program).arg(folder).status();
    let status = status.map_err(|error| format!("python3 cannot be run: {error}"))?;
    if status.success() { Ok(folder.join("kept")) } else { Err(format!("{program} did not run every study")) }
}

/// The names in a folder; none if there is no folder.
fn names(folder: &Path) -> Result<BTreeSet<String>, String> {
    let Ok(entries) = fs::read_dir(folder) else { return Ok(BTreeSet::new()) };
    let names = entries.map(|entry| entry.map(|entry| entry.file_name().to_string_lossy().into_owned()));
    names.collect::<Result<_, _>>().map_err(|error| format!("{}: {error}", folder.display()))
}
