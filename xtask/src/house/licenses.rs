//! Every foreign crate comes from the registry, under a license that deny.toml allows, and is none that it denies.
//!
//! `cargo xtask prove crates` has `cargo deny` read the license files themselves.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use super::Verdict;

/// Checks the graph of all features.
pub(crate) fn check(root: &Path) -> Result<Verdict, String> {
    let read = |name: &str| fs::read_to_string(root.join(name)).map_err(|error| format!("{name}: {error}"));
    let (rules, lock) = (read("deny.toml")?, read("Cargo.lock")?);
    let mut faults: Vec<String> = crates(root)?.iter().filter_map(|line| fault(line, &rules)).collect();
    let elsewhere =
        lock.lines().filter(|line| line.starts_with("source = ") && !line.contains("/crates.io-index\""));
    faults.extend(elsewhere.map(|line| format!("Cargo.lock: {line}: crates come from crates.io only")));
    Ok(Verdict { rule: "licenses", faults, notes: Vec::new() })
}

/// Every foreign crate: its name and version, and its license.
fn crates(root: &Path) -> Result<BTreeSet<String>, String> {
    let arguments = [
        "tree",
        "--workspace",
        "--all-features",
        "--edges",
        "normal,build,dev",
        "--prefix",
        "none",
        "--format",
        "{p}|{l}",
    ];
    let output = Command::new("cargo").args(arguments).current_dir(root).output();
    let output = output.map_err(|error| format!("cargo cannot be run: {error}"))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    let text = String::from_utf8_lossy(&output.stdout);
    // Crates of the workspace are shown with their folders, and those that were shown before with `(*)`.
    Ok(text.lines().filter(|line| !line.contains(" (/")).map(|line| line.replace(" (*)", "")).collect())
}

/// The fault of a crate.
fn fault(line: &str, rules: &str) -> Option<String> {
    let (package, license) = line.rsplit_once('|')?;
    let name = package.split(' ').next().unwrap_or(package);
    if rules.contains(&format!("crate = \"{name}\", reason")) {
        return Some(format!("{package} is denied by deny.toml"));
    }
    let excepted = rules.lines().find(|line| line.contains(&format!("crate = \"{name}\", allow")));
    let allowed = excepted.or_else(|| rules.lines().find(|line| line.starts_with("allow = ")))?;
    let allowed: BTreeSet<&str> = allowed.split('"').collect();
    let terms = license.replace('/', " OR ").replace(['(', ')'], " ");
    // No license of the graph nests one choice in another: a choice is allowed if all of its terms are.
    let allows = |choice: &str| choice.split(" AND ").all(|term| allowed.contains(term.trim()));
    let choices = if terms.contains(" AND ") && license.contains('(') {
        terms.split(" AND ").all(|part| part.split(" OR ").any(|term| allowed.contains(term.trim())))
    } else {
        terms.split(" OR ").any(allows)
    };
    (!choices).then(|| format!("{package} is licensed under `{license}`, which deny.toml does not allow"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: &str = "allow = [\"MIT\", \"Zlib\"]\nexceptions = [{ crate = \"certs\", allow = [\"CDLA\"] }]\n\
                         deny = [\n    { crate = \"bad\", reason = \"unsound\" },\n]\n";

    #[track_caller]
    fn check(line: &str, allowed: bool) {
        assert_eq!(fault(line, RULES).is_none(), allowed, "{line}");
    }

    #[test]
    fn licenses_match_the_list() {
        check("a v1.0.0|MIT", true);
        check("a v1.0.0|MIT/Apache-2.0", true);
        check("a v1.0.0|GPL-3.0 OR Zlib", true);
        check("a v1.0.0|GPL-3.0 AND MIT", false);
        check("a v1.0.0|(MIT OR Apache-2.0) AND Zlib", true);
        check("a v1.0.0|(MIT OR Apache-2.0) AND Unicode-3.0", false);
        check("a v1.0.0|", false);
        check("certs v1.0.0|CDLA", true);
        check("bad v1.0.0|MIT", false);
    }
}
