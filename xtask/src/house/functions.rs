//! No function has more lines than a screen.

use super::Verdict;
use super::files::{Workspace, is_test};
use super::tokens::{Token, closing, outside_tests, tokens};

/// Functions with more lines are refused.
const LONGEST: usize = 80;

/// Counts the lines of every function in Rust outside tests, from `fn` to the brace that closes its body.
pub(crate) fn check(workspace: &Workspace) -> Verdict {
    let mut faults = Vec::new();
    let sources =
        workspace.files().iter().filter(|file| file.path.extension().is_some_and(|end| end == "rs"));
    for file in sources.filter(|file| !is_test(&file.path)) {
        let tokens = outside_tests(&tokens(&file.text));
        for (name, line, lines) in functions(&tokens).filter(|(.., lines)| *lines > LONGEST) {
            let place = format!("{}:{line}", file.path.display());
            faults.push(format!("{place}: {name} has {lines} lines; at most {LONGEST} are allowed"));
        }
    }
    Verdict { rule: "functions", faults, notes: Vec::new() }
}

/// The name, the first line and the number of lines of each function with a body.
fn functions<'a>(tokens: &[Token<'a>]) -> impl Iterator<Item = (&'a str, usize, usize)> {
    (0..tokens.len()).filter_map(|at| {
        let name = tokens.get(at + 1).filter(|name| tokens[at].text == "fn" && name.text != "(")?;
        let body = tokens[at..].iter().position(|token| matches!(token.text, "{" | ";"))?;
        let end = tokens.get(closing(tokens, at + body)).filter(|end| end.text == "}")?;
        Some((name.text, tokens[at].line, end.line - tokens[at].line + 1))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_to_the_end_of_the_body() {
        let source =
            "trait A { fn a(&self) -> [u8; 2];\nfn b() {\n  let f: fn(u8) = |_| {};\n fn c() {}\n}\n}";
        let found: Vec<_> = functions(&tokens(source)).collect();
        assert_eq!(found, [("b", 2, 4), ("c", 4, 1)]);
    }
}
