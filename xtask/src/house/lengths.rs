//! No file has more lines than a reader can keep in mind.

use super::Verdict;
use super::files::Workspace;

/// Files with more lines are listed.
const LISTED: usize = 600;

/// Files with more lines are refused.
const REFUSED: usize = 1_000;

/// Counts the lines of every file.
pub(crate) fn check(workspace: &Workspace) -> Verdict {
    let mut verdict = Verdict { rule: "lengths", faults: Vec::new(), notes: Vec::new() };
    for file in workspace.files() {
        let lines = file.text.lines().count();
        let length = format!("{} has {lines} lines", file.path.display());
        if lines > REFUSED {
            verdict.faults.push(format!("{length}; at most {REFUSED} are allowed"));
        } else if lines > LISTED {
            verdict.notes.push(length);
        }
    }
    verdict
}
