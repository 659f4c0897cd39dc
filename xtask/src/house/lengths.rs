//! No file has more lines than a reader can keep in mind.

use super::Verdict;
use super::files::Workspace;

/// Files with more lines are refused.
const LONGEST: usize = 600;

/// Counts the lines of every file.
pub(crate) fn check(workspace: &Workspace) -> Verdict {
    let lengths = workspace.files().iter().map(|file| (file, file.text.lines().count()));
    let faults = lengths.filter(|(_, lines)| *lines > LONGEST).map(|(file, lines)| {
        format!("{} has {lines} lines; at most {LONGEST} are allowed", file.path.display())
    });
    Verdict { rule: "lengths", faults: faults.collect(), notes: Vec::new() }
}
