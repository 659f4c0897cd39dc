//! Explanations of YAML syntax errors, with help.

use std::collections::BTreeSet;

/// An explanation of a parser error that helps authors of YAML to correct it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Explanation {
    /// The fault, if the parser's message does not explain it.
    pub(super) message: Option<String>,
    /// The text to write instead.
    pub(super) help: Option<String>,
}

/// Explains a parser error at a place in the text.
pub(super) fn explain(info: &str, text: &str, start: usize) -> Explanation {
    let explain = |message: Option<String>, help: &str| Explanation { message, help: Some(help.to_owned()) };
    let is_at = |marks: &[char]| text[start..].starts_with(marks);
    if info.contains("tab") || is_at(&['\t']) {
        return explain(None, "indent with spaces, not with tabs");
    }
    let is_of_block = ["a block mapping", "a block collection", "mapping values are not allowed"];
    if is_of_block.iter().any(|part| info.contains(part)) {
        if let Some(explanation) = indentation(text, start) {
            return explanation;
        }
        if info.contains("a block collection") {
            return explain(
                None,
                "begin each item of the list with `- `, and indent what follows the list less",
            );
        }
        let message = info
            .contains("mapping values are not allowed")
            .then(|| "text that contains `: ` cannot stand here without quotes".to_owned());
        return explain(
            message,
            "write each entry as `key: value`, and put text that contains `: ` in quotes",
        );
    }
    if info.contains("a flow mapping") {
        return explain(
            Some("this map in braces is not closed".into()),
            "separate entries by commas, and close the map with `}`",
        );
    }
    if info.contains("a flow sequence") {
        return explain(
            Some("this list in brackets is not closed".into()),
            "separate items by commas, and close the list with `]`",
        );
    }
    if info.contains("illegal placement of ':'") {
        return explain(
            Some("a `:` cannot stand here: the map or list that was opened before it is not closed".into()),
            "close braces and brackets before the next entry, and put text that contains `:` in quotes",
        );
    }
    if info.contains("unknown escape character") {
        return explain(
            Some("the backslash does not begin a known escape sequence".into()),
            "write `\\\\` for a backslash, or put the text in single quotes",
        );
    }
    if info.contains("a quoted scalar") && info.contains("end of stream") {
        return explain(
            Some("the quotation mark is not closed".into()),
            "close the text with the mark that opens it",
        );
    }
    if is_at(&['@', '`', '%', '*', '&', '!']) {
        return explain(None, "put text that starts with this character in quotes");
    }
    Explanation { message: None, help: None }
}

/// Reports a line whose indentation matches none of the lines to which it could belong; `None` if there is no such
/// fault.
fn indentation(text: &str, start: usize) -> Option<Explanation> {
    let begin = text[..start].rfind('\n').map_or(0, |end| end + 1);
    let own = indent(&text[begin..]);
    let mut open = BTreeSet::new();
    let mut least = usize::MAX;
    for line in text[..begin].lines().rev().filter(|line| holds_something(line)) {
        let indent = indent(line);
        if indent < least {
            open.insert(indent);
            least = indent;
        }
    }
    if open.is_empty() || open.contains(&own) {
        return None;
    }
    let spaces = |count: usize| if count == 1 { "1 space".to_owned() } else { format!("{count} spaces") };
    let wanted: Vec<String> = open.iter().map(ToString::to_string).collect();
    let last = open.last().copied().unwrap_or_default();
    Some(Explanation {
        message: Some(format!("the line is indented by {}, which matches no earlier entry", spaces(own))),
        help: Some(match wanted.split_last() {
            Some((_, before)) if !before.is_empty() => {
                format!(
                    "indent it by {} or {}, like the entries it belongs with",
                    before.join(", "),
                    spaces(last)
                )
            }
            _ => format!("indent it by {}, like the entries it belongs with", spaces(last)),
        }),
    })
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

fn holds_something(line: &str) -> bool {
    !matches!(line.trim_start().as_bytes().first(), None | Some(b'#'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indentation_is_compared_with_that_of_open_entries() {
        let said = |text: &str| {
            let start = text.trim_end().rfind('\n').map_or(0, |end| end + 1);
            indentation(text, start).and_then(|found| found.help)
        };
        let help = |wanted: &str| Some(format!("indent it by {wanted}, like the entries it belongs with"));
        assert_eq!(said("a:\n  b: 1\n c: 2\n"), help("0 or 2 spaces"));
        assert_eq!(said("a:\n  b:\n      c: 1\n\n# no\n    d: 2\n"), help("0, 2 or 6 spaces"));
        assert_eq!(said("a: 1\n b: 2\n"), help("0 spaces"));
        assert_eq!(said("a:\n - x\n b: 1\n"), None);
        assert_eq!(said("a: b: c\n"), None);
    }
}
