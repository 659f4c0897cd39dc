//! `hype demo` needs no file and ends with a report; `hype skill` names commands that exist.

#![allow(clippy::unwrap_used, unreachable_pub, missing_docs, reason = "a test")]

use crate::program;

use std::fs;

#[cfg(feature = "web")]
#[test]
fn a_demo_needs_no_file_and_ends_with_a_report() {
    let folder = tempfile::tempdir().unwrap();
    let said = program::succeeds(folder.path(), &["demo"]);
    let last = said.lines().last().unwrap();
    let page = last.strip_prefix(" report  ").unwrap_or_else(|| panic!("the last line is {last:?}"));
    let page = fs::read_to_string(folder.path().join(page)).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("<svg") && page.contains("SIMULATED"));
    assert!(said.contains("good"), "{said}");
    assert!(program::fails(folder.path(), &["demo"]).contains("is not empty"));
}

#[test]
fn the_skill_names_commands_that_exist() {
    let folder = tempfile::tempdir().unwrap();
    let text = program::succeeds(folder.path(), &["skill"]);
    assert!(text.starts_with("---\nname: hype\n"), "{text}");
    let words = text.match_indices("`hype ").filter_map(|(at, _)| text[at + 6..].split([' ', '`']).next());
    let mut commands: Vec<&str> = words.collect();
    commands.sort_unstable();
    commands.dedup();
    assert!(commands.len() > 8, "{commands:?}");
    for command in commands {
        program::succeeds(folder.path(), &[command, "--help"]);
    }
}
