//! Diagnostics for people: the faulty line, a caret, and what to write instead.

use std::fmt::Write as _;
use std::ops::Range;

use annotate_snippets::{AnnotationKind, Level, Origin, Renderer, Snippet};
use hype_core::diagnostics::{Diagnostic, Severity, Span};
use hype_core::words::counted;

use crate::terminal::escaped;

/// The width around the caret to which long lines are cut, in columns.
const WIDTH: usize = 120;

/// The diagnostics of one kind that are shown; of the others there is a count.
const MOST_OF_KIND: usize = 10;

/// Renders diagnostics with the lines of the text to which they refer, and a summary in the last line. Of those of one kind beyond
/// the first ten, only the number is said.
///
/// `name` is the name of the text, usually its file name. A diagnostic without a position is rendered without a line.
/// `color` adds escape sequences for a terminal. Without diagnostics the result is empty.
pub(crate) fn render(diagnostics: &[Diagnostic], name: &str, text: &str, color: bool) -> String {
    let renderer = if color { Renderer::styled().hyperlink(false) } else { Renderer::plain() };
    let renderer = renderer.term_width(WIDTH);
    let name = &*escaped(name);
    let mut rendered = String::new();
    let mut kinds: Vec<(Severity, &str, usize)> = Vec::new();
    for diagnostic in diagnostics {
        let is_same = |&(severity, code, _): &(Severity, &str, usize)| {
            severity == diagnostic.severity && code == diagnostic.code
        };
        let place = kinds.iter().position(is_same).unwrap_or_else(|| {
            kinds.push((diagnostic.severity, diagnostic.code, 0));
            kinds.len() - 1
        });
        kinds[place].2 += 1;
        if kinds[place].2 <= MOST_OF_KIND {
            rendered.push_str(&render_one(&renderer, diagnostic, name, text));
            rendered.push_str("\n\n");
        }
    }
    for (severity, code, count) in kinds {
        if let Some(more) = count.checked_sub(MOST_OF_KIND).filter(|&more| more > 0) {
            let _ = writeln!(rendered, "and {more} more of {severity}[{code}]\n");
        }
    }
    if !diagnostics.is_empty() {
        rendered.push_str(&summary(diagnostics));
        rendered.push('\n');
    }
    rendered
}

/// Counts diagnostics in words: `3 errors, 1 warning`.
pub(crate) fn summary(diagnostics: &[Diagnostic]) -> String {
    let count = |severity: Severity| {
        let count = diagnostics.iter().filter(|found| found.severity == severity).count();
        (count > 0).then(|| counted(count, &severity.to_string()))
    };
    let counts = [Severity::Error, Severity::Warning, Severity::Note].map(count);
    counts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

fn render_one(renderer: &Renderer, diagnostic: &Diagnostic, name: &str, text: &str) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        _ => Level::NOTE,
    };
    let title = level.primary_title(escaped(&diagnostic.message)).id(diagnostic.code);
    let place = diagnostic.line.zip(diagnostic.column);
    let mut shown_column = None;
    let mut group = match (diagnostic.span, place) {
        (Some(span), Some((line, _))) => {
            let (source, caret) = excerpt(text, span);
            shown_column = Some(1 + source[..caret.start].chars().count());
            let snippet = Snippet::source(source).path(name).line_start(line);
            title.element(snippet.annotation(AnnotationKind::Primary.span(caret)))
        }
        _ => title.element(Origin::path(name)),
    };
    if !diagnostic.path.is_empty() {
        group = group.element(Level::NOTE.with_name("path").message(escaped(&diagnostic.path)));
    }
    if let Some(help) = &diagnostic.help {
        group = group.element(Level::HELP.message(escaped(help)));
    }
    let mut rendered = renderer.render(&[group]);
    if let (Some((line, column)), Some(shown)) = (place, shown_column)
        && column != shown
    {
        // The renderer counts columns from the start of the excerpt, and prints them in the line after the title.
        let title = rendered.find('\n').unwrap_or(0);
        let wrong = format!("{name}:{line}:{shown}");
        if let Some(from) = rendered[title..].find(&wrong) {
            let from = title + from;
            rendered.replace_range(from..from + wrong.len(), &format!("{name}:{line}:{column}"));
        }
    }
    rendered
}

/// The line on which a span starts, and the part of the span on it.
///
/// Text far from the caret is cut off: long lines cost no more than others.
fn excerpt(text: &str, span: Span) -> (String, Range<usize>) {
    let start = text.floor_char_boundary(span.start);
    let end = text.floor_char_boundary(span.end).max(start);
    let before = text[..start]
        .char_indices()
        .rev()
        .take_while(|(_, character)| !matches!(character, '\n' | '\r'))
        .take(4 * WIDTH)
        .last()
        .map_or(start, |(first, _)| first);
    let shown_end = text[start..]
        .char_indices()
        .take(2 * WIDTH)
        .take_while(|(_, character)| !matches!(character, '\n' | '\r'))
        .last()
        .map_or(start, |(last, character)| start + last + character.len_utf8());
    let before = escaped(text[before..start].trim_start_matches('\u{FEFF}'));
    let marked = escaped(&text[start..end.min(shown_end)]);
    let after = escaped(&text[end.min(shown_end)..shown_end]);
    let caret = before.len()..before.len() + marked.len();
    ([before, marked, after].concat(), caret)
}

#[cfg(test)]
mod tests {
    use hype_core::diagnostics::Diagnostics;
    use hype_core::yaml::Document;

    use super::{render, summary};

    fn rendered(text: &str, find: impl FnOnce(&mut Diagnostics)) -> String {
        let mut at = Diagnostics::new();
        match Document::parse(text) {
            Ok(document) => {
                find(&mut at);
                at.locate(&document);
            }
            Err(faults) => at.extend(faults),
        }
        render(at.as_slice(), "evaluation.yaml", text, false)
    }

    #[test]
    fn each_diagnostic_shows_its_line_path_and_help() {
        let text = "task:\n  kind: hype_time\n  staircase:\n    start_ms: often\n    step_hardr_ms: 10\n";
        let found = rendered(text, |at| {
            at.within("task", |at| {
                let mut at = at.field("staircase");
                at.field("start_ms").error("wrong-type", "expected an integer, found a string");
                at.field("step_hardr_ms")
                    .warning("unknown-field", "unknown field `step_hardr_ms`")
                    .help("did you mean `step_harder_ms`?");
                at.field("reset").error("missing-field", "missing field `reset`");
            });
        });
        insta::assert_snapshot!(found, @r"
        error[wrong-type]: expected an integer, found a string
         --> evaluation.yaml:4:15
          |
        4 |     start_ms: often
          |               ^^^^^
          |
          = path: task.staircase.start_ms

        warning[unknown-field]: unknown field `step_hardr_ms`
         --> evaluation.yaml:5:5
          |
        5 |     step_hardr_ms: 10
          |     ^^^^^^^^^^^^^
          |
          = path: task.staircase.step_hardr_ms
          = help: did you mean `step_harder_ms`?

        error[missing-field]: missing field `reset`
         --> evaluation.yaml:3:3
          |
        3 |   staircase:
          |   ^^^^^^^^^
          |
          = path: task.staircase.reset

        2 errors, 1 warning
        ");
    }

    #[test]
    fn long_lines_are_cut_and_keep_their_columns() {
        let text = format!("{{a: \"{}\", größe: often, b: \"{}\"}}", "ä".repeat(300), "z".repeat(300));
        let found = rendered(&text, |at| {
            at.field("größe").error("wrong-type", "expected an integer, found a string");
        });
        insta::assert_snapshot!(found, @r#"
        error[wrong-type]: expected an integer, found a string
         --> evaluation.yaml:1:316
          |
        1 | ...ääääääääääääääääääääääääääääääääääääääääää", größe: often, b: "zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz...
          |                                                        ^^^^^
          |
          = path: größe

        1 error
        "#);
    }

    #[test]
    fn control_characters_and_the_byte_order_mark_do_not_reach_the_terminal() {
        insta::assert_snapshot!(rendered("\u{feff}a: \"\u{1b}[31m\"\n", |_| ()), @r#"
        error[control-character]: the text contains the control character U+001B
         --> evaluation.yaml:1:5
          |
        1 | a: "␛[31m"
          |     ^
          |
          = help: remove it, or write it as an escape within double quotes

        1 error
        "#);
    }

    #[test]
    fn a_fault_at_the_end_of_the_text_has_an_empty_line() {
        insta::assert_snapshot!(rendered("a:\r\n- [\r\n", |_| ()), @r"
        error[syntax]: while parsing a node, did not find expected node content
         --> evaluation.yaml:3:1
          |
        3 |
          | ^
          |
          = path: a[0][0]

        1 error
        ");
    }

    #[test]
    fn no_part_of_a_diagnostic_commands_the_terminal() {
        let text = "\"\\e[31m\\x9b\\x7f\": 1 # \u{9b}31m\n";
        let found = rendered(text, |at| {
            at.field("\u{1b}[31m\u{9b}\u{7f}").error("e", "\u{9b}31m\u{1b}").help("\u{7}\u{202e}");
        });
        insta::assert_snapshot!(found, @r#"
        error[e]: �31m␛
         --> evaluation.yaml:1:19
          |
        1 | "\e[31m\x9b\x7f": 1 # �31m
          |                   ^
          |
          = path: ["␛[31m�␡"]
          = help: ␇�

        1 error
        "#);
    }

    #[test]
    fn faults_far_into_a_long_line_keep_their_column() {
        let text = format!("[{}]", "1, ".repeat(100_000));
        let found = rendered(&text, |at| {
            at.item(99_999).error("e", "m");
        });
        assert!(found.contains("evaluation.yaml:1:299999\n"), "{found}");
        assert!(found.len() < 1_000, "{found}");
    }

    #[test]
    fn a_diagnostic_without_a_place_has_no_line() {
        let mut at = Diagnostics::new();
        at.note("more", "nothing to do").help("rest");
        insta::assert_snapshot!(render(at.as_slice(), "evaluation.yaml", "", false), @r"
        note[more]: nothing to do
        --> evaluation.yaml
         = help: rest

        1 note
        ");
    }

    #[test]
    fn a_span_that_the_text_does_not_have_is_cut_to_it() {
        let mut at = Diagnostics::new();
        at.field("x").error("e", "m");
        at.locate(&Document::parse("größe: 1\nx: 2\n").unwrap());
        for text in ["", "ö", "ööö\rö", "ab\u{feff}"] {
            assert!(render(at.as_slice(), "name", text, false).ends_with("1 error\n"), "{text}");
        }
    }

    #[test]
    fn only_color_writes_escape_sequences() {
        let mut at = Diagnostics::new();
        at.error("e", "m").help("h");
        assert!(!render(at.as_slice(), "name", "a", false).contains('\u{1b}'));
        assert!(render(at.as_slice(), "name", "a", true).contains("\u{1b}["));
    }

    #[test]
    fn the_summary_counts_existing_files() {
        let mut at = Diagnostics::new();
        assert_eq!(summary(at.as_slice()), "");
        assert_eq!(render(at.as_slice(), "name", "a", true), "");
        for _ in 0..3 {
            at.error("e", "m");
        }
        at.note("n", "m");
        at.warning("w", "m");
        assert_eq!(summary(at.as_slice()), "3 errors, 1 warning, 1 note");
    }
}
