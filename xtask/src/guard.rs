//! `cargo xtask guard OLD NEW`: runs studies by two programs and compares everything that they leave, byte for byte.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The parts of what a study leaves: columns of the table.
const PARTS: [(&str, &str); 6] = [
    ("logs", "logs"),
    ("tables", "tables"),
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
        let mut cells = PARTS.map(|_| None);
        for file in names(&old)?.union(&names(&new)?) {
            let lines = different_lines(&read(&old.join(file)), &read(&new.join(file)));
            if lines > 0 {
                differ.push(format!("diff {} {}", old.join(file).display(), new.join(file).display()));
            }
            let place = PARTS.iter().position(|(part, _)| file.starts_with(part));
            let place = place.ok_or_else(|| format!("{file} is not part of a study"))?;
            *cells[place].get_or_insert(0) += lines;
        }
        let cells = cells.map(|lines| match lines {
            None => String::new(),
            Some(0) => "same".to_owned(),
            Some(lines) => format!("{lines} lines differ"),
        });
        println!("| {study} | {} |", cells.join(" | "));
    }
    if differ.is_empty() { Ok(()) } else { Err(differ.join("\n")) }
}

/// The text of a file; empty if there is none.
fn read(path: &Path) -> String {
    fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default()
}

/// The number of lines of either text that the other one lacks.
fn different_lines(old: &str, new: &str) -> usize {
    if old == new {
        return 0;
    }
    let mut counts: BTreeMap<&str, isize> = BTreeMap::new();
    old.lines().for_each(|line| *counts.entry(line).or_default() += 1);
    new.lines().for_each(|line| *counts.entry(line).or_default() -= 1);
    // The same lines in another order differ, too.
    counts.values().map(|count| count.unsigned_abs()).sum::<usize>().max(1)
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
