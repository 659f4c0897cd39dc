//! `cargo xtask house`: rules of the workspace that no compiler checks.
//!
//! | rule | limit |
//! |---|---|
//! | circles | modules import each other in one direction, except a module and those inside it |
//! | names | no public name has two definitions in two crates, and no public type two in one crate |
//! | repeats | no run of 20 lines or more is written twice outside tests |
//! | lengths | a file has at most 600 lines |
//! | functions | a function in Rust has at most 80 lines, outside tests |
//! | methods | the trait `Store` has at most 12 methods, and a type named `…Service` at most 25 |
//! | licenses | foreign crates come from the registry, under licenses that deny.toml allows |
//! | locks | lock files of workspaces that `./test` does not compile are current |
//! | excerpts | code in the documents matches the files that it names |
//! | book | at most 40,000 words are written by hand; links, first lines and named paths hold |
//! | language | phrases that read like a translation are rare in comments, messages and documents |
//! | settings | counted, without a limit |
//!
//! The sources are read as text: macros are not expanded, and every `cfg` other than `test` is assumed to hold.

use std::path::Path;

pub(crate) mod book;
mod circles;
mod excerpts;
pub(crate) mod files;
mod functions;
mod language;
mod lengths;
mod licenses;
mod locks;
mod methods;
pub(crate) mod modules;
mod names;
mod repeats;
pub(crate) mod settings;
pub(crate) mod tokens;

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
        functions::check(&workspace),
        methods::check(&workspace),
        excerpts::check(root),
        book::check(root),
        language::check(root, &workspace),
        licenses::check(root)?,
        locks::check(root)?,
        settings::check(root),
    ];
    for verdict in &verdicts {
        for note in &verdict.notes {
            println!("note: {}: {note}", verdict.rule);
        }
    }
    println!("{}", summary(&verdicts));
    let faults = report(&verdicts);
    if faults.is_empty() { Ok(()) } else { Err(faults) }
}

/// The faults, each after the name of its rule.
fn report(verdicts: &[Verdict]) -> String {
    let faults =
        verdicts.iter().flat_map(|verdict| verdict.faults.iter().map(move |fault| (verdict.rule, fault)));
    faults.map(|(rule, fault)| format!("{rule}: {fault}")).collect::<Vec<_>>().join("\n")
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

    #[test]
    fn every_fault_is_reported_with_its_rule() {
        let verdicts = [
            Verdict {
                rule: "circles",
                faults: vec!["hype: a, b import each other".into()],
                notes: Vec::new(),
            },
            Verdict { rule: "repeats", faults: Vec::new(), notes: vec!["short ones".into()] },
            Verdict { rule: "names", faults: vec!["Fit is defined 2 times".into()], notes: Vec::new() },
        ];
        assert_eq!(report(&verdicts), "circles: hype: a, b import each other\nnames: Fit is defined 2 times");
        assert_eq!(summary(&verdicts), "faults: circles 1, repeats 0, names 1");
    }
}
