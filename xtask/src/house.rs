//! `cargo xtask house`: rules of the workspace that no compiler checks.
//!
//! | rule | limit |
//! |---|---|
//! | circles | modules import each other in one direction, except a module and those inside it |
//! | names | no public name has two definitions in two crates, and no public type two in one crate |
//! | repeats | no run of 20 lines or more is written twice outside tests |
//! | lengths | a file has at most 1,000 lines; those over 600 are listed |
//! | excerpts | the code in CONTRIBUTING.md stands in the files that it names |
//!
//! The sources are read as text: macros are not expanded, and `cfg` other than `test` is taken to hold.

use std::fmt::Write as _;
use std::path::Path;

mod circles;
mod excerpts;
mod files;
mod lengths;
mod modules;
mod names;
mod repeats;
mod tokens;

/// What a rule found.
struct Verdict {
    rule: &'static str,
    /// Each is a line, or a line and those that explain it.
    faults: Vec<String>,
    /// What is listed without failing.
    notes: Vec<String>,
}

/// Checks every rule, prints what each found, and fails if any rule is broken.
pub(crate) fn run(root: &Path) -> Result<(), String> {
    let workspace = files::Workspace::read(root)?;
    let crates = modules::crates(&workspace)?;
    let verdicts = [
        circles::check(&crates),
        names::check(&crates),
        repeats::check(&workspace),
        lengths::check(&workspace),
        excerpts::check(root),
    ];
    let mut report = String::new();
    for verdict in &verdicts {
        for note in &verdict.notes {
            println!("note: {}: {note}", verdict.rule);
        }
        for fault in &verdict.faults {
            let _ = writeln!(report, "{}: {fault}", verdict.rule);
        }
    }
    println!("{}", summary(&verdicts));
    if report.is_empty() { Ok(()) } else { Err(report.trim_end().to_owned()) }
}

/// One line with the number of faults of each rule.
fn summary(verdicts: &[Verdict]) -> String {
    let counts: Vec<String> =
        verdicts.iter().map(|verdict| format!("{} {}", verdict.rule, verdict.faults.len())).collect();
    format!("faults: {}", counts.join(", "))
}
