//! Documents that show the program's output are current.

#![allow(dead_code, clippy::unwrap_used, unreachable_pub, missing_docs, reason = "a test")]

use crate::program;

use std::fs;
use std::path::Path;

#[test]
fn shown_output_is_not_stale() {
    is_current("docs/measured/terminal.md");
    is_current("docs/measured/settings.md");
}

#[test]
#[cfg(all(
    unix,
    feature = "board",
    feature = "crowd",
    feature = "fakes",
    feature = "figures",
    feature = "manual"
))]
fn shown_options_are_not_stale() {
    is_current("docs/measured/commands.md");
}

fn is_current(document: &str) {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
    let text = fs::read_to_string(root.join(document)).unwrap();
    let blocks: Vec<&str> = text.split("```text\n$ hype ").skip(1).collect();
    assert!(blocks.len() >= 10, "{} blocks", blocks.len());
    for block in blocks {
        let (command, rest) = block.split_once('\n').unwrap();
        let (shown, _) = rest.split_once("\n```\n").unwrap();
        let printed = program::succeeds(root, &command.split(' ').collect::<Vec<_>>());
        let printed: String = printed.lines().map(|line| format!("{}\n", line.trim_end())).collect();
        let current = match shown.strip_suffix("\n…") {
            Some(shown) => printed.starts_with(&format!("{shown}\n")),
            None => printed.trim_end() == shown,
        };
        assert!(current, "{document} is stale at `hype {command}`: run `cargo xtask terminal`");
    }
}
