//! `cargo xtask terminal`: writes the program's output into documents.

use std::fs;
use std::path::Path;
use std::process::Command;

/// The documents, and the number of lines that each shows of one command's output.
const DOCUMENTS: [(&str, usize); 3] = [
    ("docs/measured/terminal.md", 62),
    ("docs/measured/settings.md", usize::MAX),
    ("docs/measured/commands.md", usize::MAX),
];

/// The features with which `./test` builds the program, whose commands and options depend on them.
const FEATURES: &str = "board,crowd,fakes,figures,manual,media,metrics,mturk,parquet,postgres,tls";

/// The beginning of a block, before the arguments of the program.
const BLOCK: &str = "```text\n$ hype ";

/// Runs the command of each block again, and replaces the block's content by its output.
pub(crate) fn run(root: &Path) -> Result<(), String> {
    DOCUMENTS.iter().try_for_each(|(document, lines)| write(root, &root.join(document), *lines))
}

fn write(root: &Path, path: &Path, lines: usize) -> Result<(), String> {
    let text = fs::read_to_string(path).map_err(|error| error.to_string())?;
    let mut blocks = text.split(BLOCK);
    let mut written = blocks.next().unwrap_or_default().to_owned();
    for block in blocks {
        let (command, rest) = block.split_once('\n').ok_or("a block ends with its command")?;
        let (_, after) = rest.split_once("\n```\n").ok_or("a block has no end")?;
        println!("hype {command}");
        let shown = shown(&printed(root, command)?, lines);
        written.push_str(&format!("{BLOCK}{command}\n{shown}\n```\n{after}"));
    }
    fs::write(path, written).map_err(|error| error.to_string())
}

fn printed(root: &Path, command: &str) -> Result<String, String> {
    let output = Command::new("cargo")
        .current_dir(root)
        .args(["run", "--quiet", "--package", "hype-cli", "--features", FEATURES, "--"])
        .args(command.split(' '))
        .output()
        .map_err(|error| error.to_string())?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    String::from_utf8(output.stdout).map_err(|error| error.to_string())
}

/// The first lines without trailing blanks, and a mark if there are more.
fn shown(printed: &str, at_most: usize) -> String {
    let mut lines: Vec<&str> = printed.lines().map(str::trim_end).take(at_most).collect();
    if printed.lines().count() > at_most {
        lines.push("…");
    }
    lines.join("\n")
}
