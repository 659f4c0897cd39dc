//! `cargo xtask house`: rules of the workspace that no compiler checks.
//!
//! | rule | limit |
//! |---|---|
//! | circles | modules import each other in one direction, except a module and those inside it |
//! | names | no public name has two definitions in two crates, and no public type two in one crate |
//! | repeats | no run of 20 lines or more is written twice outside tests |
//! | lengths | a file has at most 1,000 lines; those over 600 are listed |
//! | excerpts | the code in CONTRIBUTING.md matches the files that it names |
//!
//! The sources are read as text: macros are not expanded, and every `cfg` other than `test` is assumed to hold.
//!
//! `xtask/house.known` lists faults that are yet to be fixed. The check fails for a fault that is not listed, and for
//! a listed fault that no longer exists, so the list can only become shorter.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;
use std::{fs, io};

mod circles;
mod excerpts;
mod files;
mod lengths;
mod modules;
mod names;
mod repeats;
mod tokens;

/// The result of a rule.
struct Verdict {
    rule: &'static str,
    /// Each fault is a line, optionally followed by lines that explain it.
    faults: Vec<String>,
    /// Notes, which do not fail the check.
    notes: Vec<String>,
}

/// Checks every rule, prints the results, and fails if any rule is broken.
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
    let list = root.join("xtask/house.known");
    let text = match fs::read_to_string(&list) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            return Err(format!("{}: {error}", list.display()));
        }
        read => read.unwrap_or_default(),
    };
    for verdict in &verdicts {
        for note in &verdict.notes {
            println!("note: {}: {note}", verdict.rule);
        }
    }
    println!("{}", summary(&verdicts));
    let report = unexpected(&verdicts, &text);
    if report.is_empty() { Ok(()) } else { Err(report.trim_end().to_owned()) }
}

/// The faults that are not in the list, and the lines of the list without a fault.
fn unexpected(verdicts: &[Verdict], list: &str) -> String {
    let lines = list.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let mut listed: BTreeSet<&str> = lines.collect();
    let mut report = String::new();
    for verdict in verdicts {
        for fault in &verdict.faults {
            let named = format!("{}: {}", verdict.rule, name_of(fault));
            if !listed.remove(named.as_str()) {
                let _ = writeln!(report, "{}: {fault}", verdict.rule);
            }
        }
    }
    for line in listed {
        let _ = writeln!(report, "xtask/house.known: `{line}` is fixed: remove the line");
    }
    report
}

/// The line of a fault in the list: its first line without the explanation.
fn name_of(fault: &str) -> &str {
    let first = fault.lines().next().unwrap_or_default();
    [" import each other", " is defined "]
        .iter()
        .find_map(|end| first.split_once(end))
        .map_or(first, |(name, _)| name)
}

/// One line with the number of faults of each rule.
fn summary(verdicts: &[Verdict]) -> String {
    let counts: Vec<String> =
        verdicts.iter().map(|verdict| format!("{} {}", verdict.rule, verdict.faults.len())).collect();
    format!("faults: {}", counts.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdicts() -> [Verdict; 2] {
        let circle = "hype: a, b import each other\n    a from b: src/a.rs:1".to_owned();
        [
            Verdict { rule: "circles", faults: vec![circle], notes: Vec::new() },
            Verdict {
                rule: "names",
                faults: vec!["Fit is defined 2 times: here, there".into()],
                notes: Vec::new(),
            },
        ]
    }

    #[test]
    fn a_fault_fails_unless_it_is_listed() {
        assert_eq!(unexpected(&verdicts(), "# yet to be fixed\ncircles: hype: a, b\nnames: Fit\n"), "");
        let report = unexpected(&verdicts(), "names: Fit\n");
        assert!(
            report.starts_with("circles: hype: a, b import each other\n    a from b: src/a.rs:1\n"),
            "{report}"
        );
        assert_eq!(report.lines().count(), 2, "{report}");
    }

    #[test]
    fn a_listed_fault_that_is_fixed_fails() {
        let report = unexpected(&verdicts(), "circles: hype: a, b\nnames: Fit\nnames: Gone\n");
        assert_eq!(report, "xtask/house.known: `names: Gone` is fixed: remove the line\n");
    }
}
