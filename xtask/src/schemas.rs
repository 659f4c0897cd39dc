//! `cargo xtask schemas`: writes the committed schemas.

use std::fs;
use std::path::Path;
use std::process::Command;

const SCHEMAS: [(&str, &str); 10] = [
    ("spec", "evaluation.json"),
    ("findings", "findings.json"),
    ("staircase", "staircase.json"),
    ("plan", "plan.json"),
    ("diagnostics", "diagnostics.json"),
    ("crowd-plan", "crowd-plan.json"),
    ("crowd-status", "crowd-status.json"),
    ("crowd-ledger", "crowd-ledger.json"),
    ("crowd-audit", "crowd-audit.json"),
    ("board", "board.json"),
];

/// Asks the program for every schema before it writes any: a failure leaves none of them stale next to new ones.
pub(crate) fn run(root: &Path) -> Result<(), String> {
    let folder = root.join("schemas");
    fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    let mut written = Vec::new();
    for (of, file) in SCHEMAS {
        let output = Command::new("cargo")
            .current_dir(root)
            .args(["run", "--quiet", "--features", "board,mturk", "--", "schema", of])
            .output()
            .map_err(|error| error.to_string())?;
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into_owned());
        }
        written.push((file, output.stdout));
    }
    for (file, text) in written {
        let path = folder.join(file);
        let changed = fs::read(&path).map_or(true, |before| before != text);
        fs::write(path, text).map_err(|error| format!("schemas/{file}: {error}"))?;
        println!("schemas/{file}{}", if changed { ": changed" } else { "" });
    }
    Ok(())
}
