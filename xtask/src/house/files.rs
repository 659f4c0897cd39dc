//! The files of the workspace that the rules apply to.

use std::fs;
use std::path::{Path, PathBuf};

/// A package of the workspace.
pub(crate) struct Package {
    pub(crate) name: String,
    /// The path relative to the workspace.
    pub(crate) folder: PathBuf,
}

/// A file of source text.
pub(crate) struct File {
    /// The path relative to the workspace.
    pub(crate) path: PathBuf,
    pub(crate) text: String,
}

/// The packages and their files.
pub(crate) struct Workspace {
    pub(crate) packages: Vec<Package>,
    files: Vec<File>,
}

/// Folders without sources of the project.
const SKIPPED: [&str; 4] = ["target", "node_modules", "data", "vendor"];

/// The extensions of source files.
const SOURCES: [&str; 3] = ["rs", "js", "ts"];

impl Workspace {
    /// Reads the members of the workspace, its root package, and the fuzz targets.
    pub(crate) fn read(root: &Path) -> Result<Self, String> {
        let manifest = read(&root.join("Cargo.toml"))?;
        let mut folders: Vec<PathBuf> = members(&manifest).map(PathBuf::from).collect();
        folders.sort();
        let mut workspace = Self { packages: Vec::new(), files: Vec::new() };
        for folder in folders {
            let manifest = read(&root.join(&folder).join("Cargo.toml"))?;
            let name = package_name(&manifest).ok_or_else(|| format!("{}: no package", folder.display()))?;
            workspace.collect(root, &folder)?;
            workspace.packages.push(Package { name, folder });
        }
        if let Some(name) = package_name(&manifest) {
            for folder in ["src", "tests", "benches", "examples", "fuzz"] {
                workspace.collect(root, Path::new(folder))?;
            }
            workspace.packages.push(Package { name, folder: PathBuf::new() });
        }
        workspace.files.sort_by(|a, b| a.path.cmp(&b.path));
        workspace.files.dedup_by(|a, b| a.path == b.path);
        Ok(workspace)
    }

    /// All files.
    pub(crate) fn files(&self) -> &[File] {
        &self.files
    }

    /// A file by its path relative to the workspace.
    pub(crate) fn file(&self, path: &Path) -> Option<&File> {
        let place = self.files.binary_search_by(|file| file.path.as_path().cmp(path)).ok()?;
        self.files.get(place)
    }

    fn collect(&mut self, root: &Path, folder: &Path) -> Result<(), String> {
        let whole = root.join(folder);
        let Ok(entries) = fs::read_dir(&whole) else { return Ok(()) };
        for entry in entries {
            let entry = entry.map_err(|error| format!("{}: {error}", whole.display()))?;
            let name = entry.file_name();
            let path = folder.join(&name);
            let name = name.to_string_lossy();
            if entry.path().is_dir() {
                if !SKIPPED.contains(&name.as_ref()) && !name.starts_with('.') {
                    self.collect(root, &path)?;
                }
            } else if path.extension().is_some_and(|ending| SOURCES.iter().any(|source| ending == *source)) {
                self.files.push(File { text: read(&root.join(&path))?, path });
            }
        }
        Ok(())
    }
}

/// Whether a file contains tests, benchmarks, or their shared code.
pub(crate) fn is_test(path: &Path) -> bool {
    const TESTS: [&str; 6] = ["tests", "tests.rs", "benches", "mock", "timing", "support"];
    path.components().any(|part| TESTS.iter().any(|test| part.as_os_str() == *test))
        || path.file_stem().is_some_and(|stem| stem.to_string_lossy().ends_with(".test"))
}

fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

/// The quoted names in the list `members`.
fn members(manifest: &str) -> impl Iterator<Item = &str> {
    let list = manifest.split_once("\nmembers = [").and_then(|(_, rest)| rest.split_once(']'));
    list.map_or("", |(names, _)| names).split('"').skip(1).step_by(2)
}

/// The value of `name` in the package section.
fn package_name(manifest: &str) -> Option<String> {
    let (_, package) = manifest.split_once("[package]")?;
    let line = package.lines().find(|line| line.starts_with("name"))?;
    line.split('"').nth(1).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn manifests_name_members_and_packages() {
        let manifest =
            "[workspace]\nmembers = [\n  \"a\",\n  \"b/c\",\n]\n[package]\nversion = \"1\"\nname = \"d\"\n";
        assert_eq!(members(manifest).collect::<Vec<_>>(), ["a", "b/c"]);
        assert_eq!(package_name(manifest).as_deref(), Some("d"));
    }

    #[test]
    fn tests_are_recognized_by_their_folders() {
        assert!(is_test(Path::new("a/tests/it/main.rs")));
        assert!(is_test(Path::new("a/src/b/tests.rs")));
        assert!(is_test(Path::new("page/tests/a.test.js")));
        assert!(!is_test(Path::new("a/src/testing.rs")));
    }
}
