//! Code blocks of documents match the files that they name.
//!
//! A line that ends with a path in backticks and a colon names the file of the next code block. The block's lines
//! must occur in that file, one after another. A line of `…` or `// …` stands for omitted lines.

use std::fs;
use std::path::Path;

use super::Verdict;

/// The documents whose blocks are compared.
const DOCUMENTS: [&str; 2] = ["docs/how-to/own-task.md", "docs/tutorial/rust.md"];

/// A code block of a document.
#[derive(Debug, PartialEq, Eq)]
struct Excerpt<'a> {
    path: &'a str,
    /// The line where the block begins.
    line: usize,
    text: Vec<&'a str>,
}

/// Compares every block that names a file.
pub(crate) fn check(root: &Path) -> Verdict {
    let mut verdict = Verdict { rule: "excerpts", faults: Vec::new(), notes: Vec::new() };
    for document in DOCUMENTS {
        match fs::read_to_string(root.join(document)) {
            Ok(text) => verdict.faults.extend(faults(root, document, &text)),
            Err(error) => verdict.faults.push(format!("{document}: {error}")),
        }
    }
    verdict
}

/// Blocks of a document that are not in the files that they name.
fn faults(root: &Path, document: &str, text: &str) -> Vec<String> {
    let mut faults = Vec::new();
    for excerpt in excerpts(text) {
        let fault = match fs::read_to_string(root.join(excerpt.path)) {
            Ok(source) => excerpt.missing(&source).map(|line| format!("has no lines `{line}` in this order")),
            Err(error) => Some(error.to_string()),
        };
        let place = format!("{document}:{}: {}", excerpt.line, excerpt.path);
        faults.extend(fault.map(|fault| format!("{place} {fault}")));
    }
    faults
}

fn excerpts(document: &str) -> Vec<Excerpt<'_>> {
    let mut found = Vec::new();
    let mut named = None;
    let mut lines = document.lines().map(str::trim).enumerate();
    while let Some((place, line)) = lines.next() {
        if line.starts_with("```") {
            let text: Vec<&str> =
                lines.by_ref().map(|(_, line)| line).take_while(|line| !line.starts_with("```")).collect();
            found.extend(named.take().map(|path| Excerpt { path, line: place + 1, text }));
        } else if !line.is_empty() {
            named = line.strip_suffix("`:").and_then(|line| line.rsplit('`').next());
        }
    }
    found
}

impl Excerpt<'_> {
    /// The first line of a part that the source does not contain.
    fn missing(&self, source: &str) -> Option<&str> {
        let source: Vec<&str> = source.lines().map(str::trim).collect();
        let mut from = 0;
        for part in self.text.split(|line| matches!(*line, "…" | "// …")).filter(|part| !part.is_empty())
        {
            let place = source[from..].windows(part.len()).position(|lines| lines == part);
            let Some(place) = place else { return Some(part[0]) };
            from += place + part.len();
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_name_their_files() {
        let document = "1. In `src/a.rs`:\n\n   ```rust\n   fn a() {\n   }\n   ```\n\n```sh\nls\n```\n";
        let found = excerpts(document);
        assert_eq!(found, [Excerpt { path: "src/a.rs", line: 3, text: vec!["fn a() {", "}"] }]);
    }

    #[test]
    fn blocks_match_their_files_in_order() {
        let shown = |text: &'static str| Excerpt { path: "", line: 1, text: text.lines().collect() };
        let source = "a\n  b\nc\nd\n";
        assert_eq!(shown("b\nc").missing(source), None);
        assert_eq!(shown("a\n…\nd").missing(source), None);
        assert_eq!(shown("a\nc").missing(source), Some("a"));
        assert_eq!(shown("d\n// …\na").missing(source), Some("a"));
    }
}
