//! `cargo xtask schemas`: writes the committed schemas.

use std::fs;
use std::path::Path;
use std::process::Command;

const SCHEMAS: [(&str, &str); 5] = [
    ("spec", "evaluation.json"),
    ("findings", "findings.json"),
    ("staircase", "staircase.json"),
    ("plan", "plan.json"),
    ("diagnostics", "diagnostics.json"),
];

pub(crate) fn run(root: &Path) -> Result<(), String> {
    let folder = root.join("schemas");
    fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    for (of, file) in SCHEMAS {
        let output = Command::new("cargo")
            .current_dir(root)
            .args(["run", "--quiet", "--", "schema", of])
            .output()
            .map_err(|error| error.to_string())?;
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into_owned());
        }
        fs::write(folder.join(file), output.stdout).map_err(|error| error.to_string())?;
        println!("schemas/{file}");
    }
    Ok(())
}
