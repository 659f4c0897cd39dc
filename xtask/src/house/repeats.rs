//! No long run of lines is repeated outside tests.

use std::collections::HashMap;
use std::path::Path;

use super::Verdict;
use super::files::{File, Workspace, is_test};
use super::tokens::{Token, outside_tests, tokens};

/// The length at which a repeated run is a fault, in lines.
const LONGEST: usize = 20;

/// A relevant line: neither blank nor a comment nor an import.
struct Line {
    /// Tokens with one space between them.
    text: String,
    number: usize,
}

/// A run of lines shared by two places.
#[derive(Debug, PartialEq, Eq)]
struct Repeat {
    lines: usize,
    /// File and first line of both places.
    places: [(usize, usize); 2],
}

/// Compares all files outside tests with one another.
pub(crate) fn check(workspace: &Workspace) -> Verdict {
    let files: Vec<&File> = workspace.files().iter().filter(|file| !is_test(&file.path)).collect();
    let lines: Vec<Vec<Line>> = files.iter().map(|file| lines(&file.path, &file.text)).collect();
    let place = |(file, line): (usize, usize)| format!("{}:{line}", files[file].path.display());
    let faults = repeats(&lines)
        .into_iter()
        .map(|repeat| {
            let [first, second] = repeat.places;
            format!("{} lines of {} are repeated at {}", repeat.lines, place(first), place(second))
        })
        .collect();
    Verdict { rule: "repeats", faults, notes: Vec::new() }
}

/// The relevant lines of a file.
fn lines(path: &Path, text: &str) -> Vec<Line> {
    if path.extension().is_some_and(|ending| ending == "rs") { rust_lines(text) } else { script_lines(text) }
}

fn rust_lines(text: &str) -> Vec<Line> {
    let all = outside_tests(&tokens(text));
    let mut lines: Vec<Line> = Vec::new();
    let mut importing = false;
    for (place, token) in all.iter().enumerate() {
        importing |= begins_import(&all, place);
        if !importing {
            match lines.last_mut() {
                Some(last) if last.number == token.line => {
                    last.text.push(' ');
                    last.text.push_str(token.text);
                }
                _ => lines.push(Line { text: token.text.to_owned(), number: token.line }),
            }
        }
        importing &= token.text != ";";
    }
    lines
}

/// Whether `use`, or `pub use`, begins an item here.
fn begins_import(all: &[Token<'_>], place: usize) -> bool {
    let is_first = place == 0 || matches!(all[place - 1].text, ";" | "{" | "}" | "]");
    let word = |ahead: usize| all.get(place + ahead).map_or("", |token| token.text);
    is_first && (word(0) == "use" || (word(0) == "pub" && word(1) == "use"))
}

/// The page's modules are formatted: comments and imports begin their lines.
fn script_lines(text: &str) -> Vec<Line> {
    let mut lines = Vec::new();
    let (mut comment, mut importing) = (false, false);
    for (place, line) in text.lines().enumerate() {
        let line = line.trim();
        comment |= line.starts_with("/*");
        importing |= line.starts_with("import ");
        if !comment && !importing && !line.is_empty() && !line.starts_with("//") {
            lines.push(Line { text: line.to_owned(), number: place + 1 });
        }
        comment &= !line.ends_with("*/");
        importing &= !line.ends_with(';');
    }
    lines
}

/// The longest runs of at least [`LONGEST`] lines shared by two places, in the order of the files.
fn repeats(files: &[Vec<Line>]) -> Vec<Repeat> {
    let mut seen: HashMap<Vec<&str>, (usize, usize)> = HashMap::new();
    let mut found = Vec::new();
    for (file, lines) in files.iter().enumerate() {
        let mut at = 0;
        while at + LONGEST <= lines.len() {
            let window: Vec<&str> = lines[at..at + LONGEST].iter().map(|line| line.text.as_str()).collect();
            let Some(&(earlier, start)) = seen.get(&window) else {
                seen.insert(window, (file, at));
                at += 1;
                continue;
            };
            let ahead = files[earlier][start..].iter().zip(&lines[at..]);
            let mut shared = ahead.take_while(|(a, b)| a.text == b.text).count();
            // A run must not overlap itself.
            if earlier == file {
                shared = shared.min(at - start);
            }
            if shared >= LONGEST {
                let first = (earlier, files[earlier][start].number);
                found.push(Repeat { lines: shared, places: [first, (file, lines[at].number)] });
            }
            at += shared.max(1);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(names: std::ops::Range<usize>) -> String {
        names.map(|name| format!("let x{name} = {name};\n")).collect()
    }

    #[test]
    fn a_run_of_twenty_lines_is_found_and_one_of_nineteen_is_not() {
        let first = rust_lines(&written(0..40));
        let long = rust_lines(&(written(100..105) + &written(10..30) + &written(105..110)));
        let short = rust_lines(&(written(200..205) + &written(10..29) + &written(205..210)));
        let found = repeats(&[first, long, short]);
        assert_eq!(found, [Repeat { lines: 20, places: [(0, 11), (1, 6)] }]);
    }

    #[test]
    fn a_run_in_one_file_is_found_too() {
        let lines = rust_lines(&(written(0..25) + &written(0..25)));
        assert_eq!(repeats(&[lines]), [Repeat { lines: 25, places: [(0, 1), (0, 26)] }]);
    }

    #[test]
    fn comments_blanks_imports_and_layout_do_not_count() {
        let plain = rust_lines("use a::{\n  b,\n};\nfn f( a:u8 ) {}\n\n// c\npub use d;\nfn g() {}");
        let texts: Vec<&str> = plain.iter().map(|line| line.text.as_str()).collect();
        assert_eq!(texts, ["fn f ( a : u8 ) { }", "fn g ( ) { }"]);
        let script = script_lines("import {\n  a,\n} from 'b';\n/**\n * c\n */\nd();\n// e\n");
        let texts: Vec<&str> = script.iter().map(|line| line.text.as_str()).collect();
        assert_eq!(texts, ["d();"]);
    }
}
