//! `cargo xtask terminal`: writes the program's output into docs/TERMINAL.md.

use std::fs;
use std::path::Path;
use std::process::Command;

/// The number of lines shown of one command's output.
const LINES: usize = 62;

/// The beginning of a block, before the arguments of the program.
const BLOCK: &str = "```text\n$ hype ";

/// Runs the command of each block again, and replaces the block's content by its output.
pub(crate) fn run(root: &Path) -> Result<(), String> {
    let path = root.join("docs/TERMINAL.md");
    let text = fs::read_to_string(&path).map_err(|error| error.to_string())?;
    let mut blocks = text.split(BLOCK);
    let mut written = blocks.next().unwrap_or_default().to_owned();
    for block in blocks {
        let (command, rest) = block.split_once('\n').ok_or("a block ends with its command")?;
        let (_, after) = rest.split_once("\n```\n").ok_or("a block has no end")?;
        println!("hype {command}");
        let shown = shown(&printed(root, command)?);
        written.push_str(&format!("{BLOCK}{command}\n{shown}\n```\n{after}"));
    }
    fs::write(path, written).map_err(|error| error.to_string())
}

fn printed(root: &Path, command: &str) -> Result<String, String> {
    let output = Command::new("cargo")
        .current_dir(root)
        .args(["run", "--quiet", "--"])
        .args(command.split(' '))
        .output()
        .map_err(|error| error.to_string())?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    String::from_utf8(output.stdout).map_err(|error| error.to_string())
}

/// The first lines without trailing blanks, and a mark if there are more.
fn shown(printed: &str) -> String {
    let mut lines: Vec<&str> = printed.lines().map(str::trim_end).take(LINES).collect();
    if printed.lines().count() > LINES {
        lines.push("…");
    }
    lines.join("\n")
}
