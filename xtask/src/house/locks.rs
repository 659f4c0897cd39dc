//! The lock files of workspaces of their own, which `./test` does not compile, fit the crates that they depend on: their builds are
//! `--locked`.

use std::path::Path;
use std::process::Command;

use super::Verdict;

/// The folders with a lock file of their own.
const FOLDERS: [&str; 2] = ["fuzz", "hype-python"];

/// Resolves each of them without the network.
pub(crate) fn check(root: &Path) -> Result<Verdict, String> {
    let mut verdict = Verdict { rule: "locks", faults: Vec::new(), notes: Vec::new() };
    for folder in FOLDERS {
        let arguments = ["update", "--quiet", "--workspace", "--locked", "--offline"];
        let output = Command::new("cargo").args(arguments).current_dir(root.join(folder)).output();
        let output = output.map_err(|error| format!("cargo cannot be run: {error}"))?;
        let said = String::from_utf8_lossy(&output.stderr);
        if said.contains("because --locked was passed") {
            verdict.faults.push(fault(folder));
        } else if !output.status.success() {
            // The list of crates is not on this machine.
            verdict.notes.push(format!("{folder}/Cargo.lock was not checked: {}", said.trim()));
        }
    }
    Ok(verdict)
}

fn fault(folder: &str) -> String {
    format!("{folder}/Cargo.lock is not current: run `cargo update --workspace` in {folder}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_file_without_a_dependency_is_a_fault() {
        let root = tempfolder();
        for folder in FOLDERS {
            let inside = root.join(folder);
            std::fs::create_dir_all(inside.join("src")).unwrap();
            std::fs::write(inside.join("src/lib.rs"), "").unwrap();
            let manifest = "[workspace]\n[package]\nname = \"one\"\nversion = \"0.1.0\"\n";
            std::fs::write(inside.join("Cargo.toml"), manifest).unwrap();
            let lock = "version = 4\n\n[[package]]\nname = \"one\"\nversion = \"0.1.0\"\n";
            std::fs::write(inside.join("Cargo.lock"), lock).unwrap();
        }
        assert_eq!(check(&root).unwrap().faults, Vec::<String>::new());
        std::fs::write(root.join("fuzz/Cargo.lock"), "version = 4\n").unwrap();
        assert_eq!(check(&root).unwrap().faults, [fault("fuzz")]);
        std::fs::remove_dir_all(root).unwrap();
    }

    fn tempfolder() -> std::path::PathBuf {
        std::env::temp_dir().join(format!("hype-locks-{}", std::process::id()))
    }
}
