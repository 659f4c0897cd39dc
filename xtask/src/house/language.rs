//! Comments, messages and documents read like English, not like a translation.
//!
//! Each phrase may occur a few times, in the places where it is the right one. Code in backticks or blocks is not counted, and
//! neither are strings of tests.

use std::path::Path;

use super::files::{File, Workspace, is_test};
use super::tokens::{outside_tests, tokens};
use super::{Verdict, book};

/// Phrases, with alternatives between bars, the number of times that each may occur, and better ones.
const PHRASES: [(&str, usize, &str); 9] = [
    ("so that", 46, "`to` and a verb, `which`, or two sentences"),
    ("nobody|whoever|somebody", 22, "the person's name, such as `raters`"),
    ("whom", 12, "`that`, or a sentence with another subject"),
    ("of which", 20, "`whose`, or two sentences"),
    ("is no|are no|was no|were no", 11, "`is not a`"),
    ("beside", 19, "`next to`, `with` or `in addition to`"),
    ("alike", 4, "`in the same way` or `equally`"),
    ("remedy", 2, "`advice`"),
    ("allows to|allow to|laden", 0, "`lets` or `can`"),
];

/// Words after `no` that make another phrase of it.
const ADVERBS: [&str; 5] = ["longer", "more", "less", "worse", "better"];

/// The first word of a doc that describes an item by a question.
const ASKING: &str = "/// What ";

/// A line of prose: its place, and its words in lower case.
type Line = (String, Vec<String>);

/// Counts the phrases in all prose.
pub(super) fn check(root: &Path, workspace: &Workspace) -> Verdict {
    let mut verdict = Verdict { rule: "language", faults: Vec::new(), notes: Vec::new() };
    let mut lines: Vec<Line> = Vec::new();
    for file in workspace.files() {
        lines.extend(comments(file));
        lines.extend(messages(file));
        verdict.faults.extend(questions(file));
    }
    match book::pages(root) {
        Ok(pages) => lines.extend(pages.iter().flat_map(|(path, text)| {
            book::prose(text).map(move |line| (path.display().to_string(), words(line)))
        })),
        Err(fault) => verdict.faults.push(fault),
    }
    verdict.faults.extend(PHRASES.iter().filter_map(|&phrase| too_many(phrase, &lines)));
    verdict
}

/// The fault of a phrase that occurs too often, with its places.
fn too_many((phrase, at_most, better): (&str, usize, &str), lines: &[Line]) -> Option<String> {
    let places: Vec<&str> = lines
        .iter()
        .flat_map(|(place, words)| std::iter::repeat_n(place.as_str(), occurrences(phrase, words)))
        .collect();
    (places.len() > at_most).then(|| {
        let found = places.len();
        format!(
            "`{phrase}` occurs {found} times, of at most {at_most}: write {better}\n  {}",
            places.join("\n  ")
        )
    })
}

fn occurrences(phrase: &str, words: &[String]) -> usize {
    let is_other = |at: usize, length: usize| {
        at.checked_sub(1).is_some_and(|before| words[before] == "there")
            || words.get(at + length).is_some_and(|next| ADVERBS.contains(&next.as_str()))
    };
    let of_one = |one: &str| {
        let wanted: Vec<&str> = one.split(' ').collect();
        let windows = words.windows(wanted.len()).enumerate();
        windows.filter(|(at, window)| *window == wanted && !is_other(*at, wanted.len())).count()
    };
    phrase.split('|').map(of_one).sum()
}

/// The words of a line outside backticks.
fn words(line: &str) -> Vec<String> {
    let trimmed = |word: &str| word.trim_matches(|it: char| !it.is_alphanumeric()).to_lowercase();
    line.split('`').step_by(2).flat_map(str::split_whitespace).map(trimmed).collect()
}

/// The comments of a file, without tags of types.
fn comments(file: &File) -> impl Iterator<Item = Line> {
    let lines = file.text.lines().enumerate();
    lines
        .filter(|(_, line)| line.trim_start().starts_with(['/', '*']) && !line.contains(" @"))
        .map(|(at, line)| (format!("{}:{}", file.path.display(), at + 1), words(line)))
}

/// The strings of a file in Rust outside tests that are more than a name or two.
fn messages(file: &File) -> Vec<Line> {
    if is_test(&file.path) || file.path.extension().is_none_or(|end| end != "rs") {
        return Vec::new();
    }
    let all = outside_tests(&tokens(&file.text));
    let strings = all.iter().filter(|token| token.text.starts_with('"') && token.text.contains(' '));
    strings.map(|token| (format!("{}:{}", file.path.display(), token.line), words(token.text))).collect()
}

/// Docs whose first line begins with [`ASKING`].
fn questions(file: &File) -> impl Iterator<Item = String> {
    let mut within = false;
    file.text.lines().enumerate().filter_map(move |(at, line)| {
        let line = line.trim_start().replace("//!", "///");
        let is_first = !std::mem::replace(&mut within, line.starts_with("///"));
        let place =
            || format!("{}:{}: a doc begins with `What`: name the thing", file.path.display(), at + 1);
        (is_first && line.starts_with(ASKING)).then(place)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, text: &str) -> File {
        File { path: path.into(), text: text.into() }
    }

    #[test]
    fn phrases_are_counted_outside_code_and_other_phrases() {
        let count = |phrase, line| occurrences(phrase, &words(line));
        assert_eq!(count("so that", "/// Sorted, so that it ends, and so `so that` is not it."), 1);
        assert_eq!(
            count(
                "is no|are no",
                "It is no rater. There is no rater, it is no longer one; they are no raters."
            ),
            2
        );
        assert_eq!(count("beside", "`beside` the beside:"), 1);
    }

    #[test]
    fn a_phrase_over_its_limit_is_a_fault_with_its_places() {
        let lines = comments(&file("a.rs", "/// Alike.\nlet alike = 1;\n// All alike\n")).collect::<Vec<_>>();
        assert_eq!(too_many(("alike", 2, "equally"), &lines), None);
        let fault = "`alike` occurs 2 times, of at most 1: write equally\n  a.rs:1\n  a.rs:3";
        assert_eq!(too_many(("alike", 1, "equally"), &lines).as_deref(), Some(fault));
    }

    #[test]
    fn messages_of_tests_are_not_read_and_docs_must_not_ask() {
        let text = "/// What is left.\n/// What else.\nfn a() { say(\"nobody is there\", \"name\"); }\n";
        assert_eq!(messages(&file("a.rs", text)).len(), 1);
        assert_eq!(messages(&file("tests/a.rs", text)).len(), 0);
        assert_eq!(questions(&file("a.rs", text)).count(), 1);
    }
}
