//! `cargo xtask count`: how large the workspace is, as tables in Markdown.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::build_report;
use crate::house::files::{File, Workspace, is_test};
use crate::house::modules;
use crate::house::settings::settings;
use crate::house::tokens::{outside_tests, tokens};

/// The lines of Rust of a package, and what it defines for others.
#[derive(Debug, Default, PartialEq, Eq)]
struct Size {
    code: usize,
    comments: usize,
    docs: usize,
    blank: usize,
    tests: usize,
    /// Public types, traits, functions, constants, without methods and fields.
    public: usize,
}

/// Prints the sizes of all packages, and the figures of the whole.
pub(crate) fn run(root: &Path) -> Result<(), String> {
    let workspace = Workspace::read(root)?;
    let crates = modules::crates(&workspace)?;
    println!("| crate | code | comments | doc comments | blank | tests | public items |");
    println!("|---|---|---|---|---|---|---|");
    let mut total = Size::default();
    for package in &workspace.packages {
        let mut size = Size::default();
        let own = workspace.files().iter().filter(|file| {
            package_of(&workspace, file) == Some(package.name.as_str())
                && file.path.extension().is_some_and(|ending| ending == "rs")
        });
        own.for_each(|file| size.add(file));
        let library = crates.iter().find(|one| one.is_library && one.name == package.name);
        let defined = library.iter().flat_map(|one| &one.modules).flat_map(|module| &module.definitions);
        size.public = defined.filter(|definition| definition.is_public).count();
        println!("| `{}` | {} |", package.name, size.cells());
        total.join(&size);
    }
    println!("| all | {} |", total.cells());
    println!("\n| | |\n|---|---|");
    let schema = root.join("schemas/evaluation.json");
    let schema = fs::read_to_string(&schema).map_err(|error| format!("{}: {error}", schema.display()))?;
    for (what, number) in [
        ("settings", settings(&schema).len()),
        ("lines of Markdown", lines_of_markdown(root)?),
        ("files in git", tracked(root)?.len()),
        ("crates from elsewhere, of the program", build_report::crates(root, &[])?),
        (
            "crates from elsewhere, of an embedder",
            build_report::crates(root, &["--package", "hype", "--no-default-features"])?,
        ),
    ] {
        println!("| {what} | {number} |");
    }
    Ok(())
}

/// The package whose folder contains a file; the deepest one, as the root contains all.
fn package_of<'a>(workspace: &'a Workspace, file: &File) -> Option<&'a str> {
    let containing = workspace.packages.iter().filter(|package| file.path.starts_with(&package.folder));
    containing.max_by_key(|package| package.folder.components().count()).map(|package| package.name.as_str())
}

impl Size {
    /// Adds the lines of a file.
    fn add(&mut self, file: &File) {
        let lines: Vec<&str> = file.text.lines().collect();
        if is_test(&file.path) {
            self.tests += lines.len();
            return;
        }
        let (code, tests) = lines_of_code(&file.text);
        for (line, text) in (1..).zip(lines) {
            let text = text.trim_start();
            let count = if tests.contains(&line) {
                &mut self.tests
            } else if code.contains(&line) {
                &mut self.code
            } else if text.is_empty() {
                &mut self.blank
            } else if text.starts_with("///") || text.starts_with("//!") {
                &mut self.docs
            } else {
                &mut self.comments
            };
            *count += 1;
        }
    }

    fn join(&mut self, other: &Self) {
        self.code += other.code;
        self.comments += other.comments;
        self.docs += other.docs;
        self.blank += other.blank;
        self.tests += other.tests;
        self.public += other.public;
    }

    fn cells(&self) -> String {
        let Self { code, comments, docs, blank, tests, public } = self;
        format!("{code} | {comments} | {docs} | {blank} | {tests} | {public}")
    }
}

/// The numbers of the lines with code outside tests, and of all lines of items that are for tests only.
fn lines_of_code(text: &str) -> (BTreeSet<usize>, BTreeSet<usize>) {
    let all = tokens(text);
    let kept = outside_tests(&all);
    let (mut code, mut tests) = (BTreeSet::new(), BTreeSet::new());
    let mut kept = kept.iter().peekable();
    // The last line of the test-only token before.
    let mut testing = None;
    for token in &all {
        let last = token.line + token.text.matches('\n').count();
        if kept.next_if(|kept| std::ptr::eq(kept.text, token.text)).is_some() {
            code.extend(token.line..=last);
            testing = None;
        } else {
            tests.extend(testing.unwrap_or(token.line)..=last);
            testing = Some(last);
        }
    }
    (code, tests)
}

/// The paths of the files in git.
fn tracked(root: &Path) -> Result<Vec<String>, String> {
    let output = Command::new("git")
        .current_dir(root)
        .arg("ls-files")
        .output()
        .map_err(|error| format!("git cannot be run: {error}"))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    Ok(String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect())
}

fn lines_of_markdown(root: &Path) -> Result<usize, String> {
    let mut lines = 0;
    for path in tracked(root)?.iter().filter(|path| path.ends_with(".md")) {
        let text = fs::read_to_string(root.join(path)).map_err(|error| format!("{path}: {error}"))?;
        lines += text.lines().count();
    }
    Ok(lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_line_is_of_one_kind() {
        let text = "//! Doc.\n\n// Why.\nfn a() -> &'static str {\n    \"x\n\ny\"\n}\n#[cfg(test)]\nmod tests {\n\n    // No.\n}\n";
        let mut size = Size::default();
        size.add(&File { path: "a/src/lib.rs".into(), text: text.into() });
        assert_eq!(size, Size { code: 5, comments: 1, docs: 1, blank: 1, tests: 5, public: 0 });
    }
}
