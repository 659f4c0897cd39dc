//! The book in `docs`: its words are counted, and its links, first lines, blocks and named paths are checked.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Component, Path, PathBuf};

use super::Verdict;

/// The words that may be written by hand, in the book and in the documents next to it, but for the list of pages.
const WORDS_AT_MOST: usize = 40_000;

/// Documents next to the book.
const OTHERS: [&str; 3] = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"];

/// The book, its list of pages, and tables that programs write.
const BOOK: &str = "docs";
const SUMMARY: &str = "docs/SUMMARY.md";
const MEASURED: &str = "docs/measured";

/// Texts by their paths from the root.
pub(super) type Pages = BTreeMap<PathBuf, String>;

/// Checks the book, prints its size, and fails if a rule is broken.
pub(crate) fn run(root: &Path) -> Result<(), String> {
    let verdict = check(root);
    verdict.notes.iter().for_each(|note| println!("{note}"));
    if verdict.faults.is_empty() { Ok(()) } else { Err(verdict.faults.join("\n")) }
}

/// Reads the pages and checks them.
pub(super) fn check(root: &Path) -> Verdict {
    let mut verdict = Verdict { rule: "book", faults: Vec::new(), notes: Vec::new() };
    let pages = match pages(root) {
        Ok(pages) => pages,
        Err(fault) => {
            verdict.faults.push(fault);
            return verdict;
        }
    };
    let words: usize = pages.iter().filter(|page| is_by_hand(page.0)).map(|page| words(page.1)).sum();
    verdict.notes.push(format!("{words} words by hand, of at most {WORDS_AT_MOST}"));
    if words > WORDS_AT_MOST {
        verdict.faults.push(format!("there are {} words too many", words - WORDS_AT_MOST));
    }
    for (path, text) in &pages {
        let faults = broken_links(root, path, text, &pages).chain(missing_paths(root, text)).chain(
            (path.starts_with(BOOK) && is_by_hand(path)).then(|| form_faults(text)).into_iter().flatten(),
        );
        verdict.faults.extend(faults.map(|fault| format!("{}: {fault}", path.display())));
    }
    verdict
}

/// Reads the pages of the book and the documents next to it.
pub(super) fn pages(root: &Path) -> Result<Pages, String> {
    let mut pages = Pages::new();
    OTHERS.iter().try_for_each(|name| read(root, Path::new(name), &mut pages))?;
    read_folder(root, Path::new(BOOK), &mut pages)?;
    Ok(pages)
}

fn read(root: &Path, path: &Path, pages: &mut Pages) -> Result<(), String> {
    let text = fs::read_to_string(root.join(path)).map_err(|error| format!("{}: {error}", path.display()))?;
    pages.insert(path.to_owned(), text);
    Ok(())
}

fn read_folder(root: &Path, folder: &Path, pages: &mut Pages) -> Result<(), String> {
    let entries =
        fs::read_dir(root.join(folder)).map_err(|error| format!("{}: {error}", folder.display()))?;
    for entry in entries {
        let entry = entry.map_err(|error| error.to_string())?;
        match folder.join(entry.file_name()) {
            path if root.join(&path).is_dir() => read_folder(root, &path, pages)?,
            path if path.extension().is_some_and(|it| it == "md") => read(root, &path, pages)?,
            _ => {}
        }
    }
    Ok(())
}

fn is_by_hand(path: &Path) -> bool {
    !path.starts_with(MEASURED) && path != Path::new(SUMMARY)
}

/// Words have a letter or a digit.
fn words(text: &str) -> usize {
    text.split_whitespace().filter(|word| word.chars().any(char::is_alphanumeric)).count()
}

/// The lines outside fenced blocks.
pub(super) fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut fenced = false;
    text.lines().filter(move |line| {
        let is_fence = line.trim_start().starts_with("```");
        fenced ^= is_fence;
        !fenced && !is_fence
    })
}

/// The first line names a page's readers, and a page with blocks ends with a sentence in italics on which of them are run.
fn form_faults(text: &str) -> Vec<String> {
    let mut faults = Vec::new();
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    if !lines.nth(1).is_some_and(|line| line.starts_with("*For ")) {
        faults.push("the first line does not name the page's readers, as in `*For authors: …*`".to_owned());
    }
    let paragraph = text.trim_end().rsplit("\n\n").next().unwrap_or_default();
    if text.contains("\n```") && !(paragraph.contains('*') && paragraph.ends_with('*')) {
        faults.push("the last paragraph does not say, in italics, which blocks are run by a test".to_owned());
    }
    faults
}

/// Links to files or headings that are not there, and pages that the summary does not list.
fn broken_links(root: &Path, page: &Path, text: &str, pages: &Pages) -> impl Iterator<Item = String> {
    let mut faults = Vec::new();
    let targets = prose(text).flat_map(|line| {
        let links = line.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        let pictures = line.split("src").skip(1).filter_map(|rest| rest.split('"').nth(1));
        links.chain(pictures.filter(|_| line.contains("<img"))).map(str::to_owned).collect::<Vec<_>>()
    });
    for target in targets.filter(|target| !target.contains(':')) {
        let (file, heading) = target.split_once('#').unwrap_or((&target, ""));
        let path = if file.is_empty() { page.to_owned() } else { resolved(&page.with_file_name(file)) };
        if !pages.contains_key(&path) && !root.join(&path).exists() {
            faults.push(format!("there is no {target}"));
        } else if page.starts_with(BOOK) && !path.starts_with(BOOK) {
            faults.push(format!("{target} is not part of the book: write its path as code"));
        } else if !heading.is_empty()
            && !pages.get(&path).is_some_and(|text| headings(text).any(|it| it == heading))
        {
            faults.push(format!("{} has no heading #{heading}", path.display()));
        }
    }
    let listed = page.strip_prefix(BOOK).ok().filter(|_| page != Path::new(SUMMARY));
    let summary = pages.get(Path::new(SUMMARY)).map_or("", |text| text.as_str());
    if listed.is_some_and(|page| !summary.contains(&format!("({})", page.display()))) {
        faults.push(format!("{SUMMARY} does not list this page"));
    }
    faults.into_iter()
}

/// A path without `..`.
fn resolved(path: &Path) -> PathBuf {
    let mut kept = PathBuf::new();
    for part in path.components() {
        if part == Component::ParentDir {
            kept.pop();
        } else {
            kept.push(part);
        }
    }
    kept
}

/// The anchors of headings, as mdBook makes them.
fn headings(text: &str) -> impl Iterator<Item = String> {
    prose(text).filter(|line| line.starts_with('#')).map(|line| {
        let text = line.trim_start_matches('#').trim().to_lowercase().replace(' ', "-");
        text.chars().filter(|it| it.is_alphanumeric() || matches!(it, '_' | '-')).collect()
    })
}

/// Paths in backticks that begin with a folder of the repository and are not there.
fn missing_paths(root: &Path, text: &str) -> impl Iterator<Item = String> {
    let codes = prose(text).flat_map(|line| line.split('`').skip(1).step_by(2));
    let is_path = |code: &&str| {
        let plain = code.chars().all(|it| it.is_ascii_alphanumeric() || "/._-".contains(it));
        let folder = code.split('/').next().unwrap_or_default();
        plain && code.contains('/') && !matches!(folder, "" | "." | "target") && root.join(folder).is_dir()
    };
    let missing = codes.filter(is_path).filter(|code| !root.join(code).exists());
    missing.map(|code| format!("there is no file {code}")).collect::<Vec<_>>().into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_headings_are_found() {
        assert_eq!(words("| a task | 3 |\n|---|---|\n— `x` …"), 4);
        let text = "# A study's folder\n```sh\n# no heading\n```\n## 10. Stopping early\n";
        assert_eq!(headings(text).collect::<Vec<_>>(), ["a-studys-folder", "10-stopping-early"]);
    }

    #[test]
    fn pages_name_their_readers_and_the_blocks_that_run() {
        let page = "# Pairs\n\n*For authors.*\n\n```sh\nhype demo\n```\n";
        assert_eq!(form_faults(page).len(), 1);
        assert!(form_faults(&format!("{page}\n*A test runs it.*\n")).is_empty());
        assert_eq!(form_faults("# Pairs\n\nText.\n").len(), 1);
    }

    #[test]
    fn broken_links_and_paths_are_named() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let page = Path::new("docs/why/page.md");
        let text = "[a](../none.md) [b](#there) [c](#not) [d](../../README.md)\n## There\n";
        let pages = Pages::from([(page.to_owned(), text.to_owned())]);
        let found: Vec<String> = broken_links(root, page, text, &pages).collect();
        assert_eq!(found.len(), 4, "{found:?}");
        assert!(
            found[0].contains("../none.md") && found[1].contains("#not") && found[2].contains("README.md")
        );
        let missing: Vec<String> =
            missing_paths(root, "`xtask/src/main.rs` and `xtask/src/none.rs`").collect();
        assert_eq!(missing, ["there is no file xtask/src/none.rs"]);
    }
}
