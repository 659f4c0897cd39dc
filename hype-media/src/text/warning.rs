//! Signs that give a text's origin away, or show that it is not a finished answer.

use std::fmt;

use pulldown_cmark::{Event, Tag, TagEnd};

use super::{Syntax, events, place};
use crate::shown::shown;

/// Something in a text that its author probably does not want raters to see.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Warning {
    /// The text has a tag by which models mark their thinking.
    Thinking {
        /// The line, from 1.
        line: usize,
        /// The tag as written.
        tag: String,
    },
    /// The text ends within a sentence or a block of code.
    CutOff {
        /// The last words.
        end: String,
    },
    /// The text has a name that the caller gave, such as that of a model or its maker.
    Named {
        /// The line of the first occurrence, from 1.
        line: usize,
        /// The name as given.
        name: String,
    },
}

/// The beginnings of tags of thinking, in lower case. Each is followed by a character other than a letter.
const TAGS: [&str; 13] = [
    "<think",
    "</think",
    "<thinking",
    "</thinking",
    "<thought",
    "</thought",
    "<reasoning",
    "</reasoning",
    "<scratchpad",
    "</scratchpad",
    "<|channel|",
    "<|im_",
    "[/think",
];

/// The number of warnings of a kind: more say nothing new.
const MOST: usize = 20;

/// A paragraph of fewer words may be a title or an item of a list, which end without a full stop.
const LEAST_WORDS: usize = 6;

/// The characters of the last words that a warning shows.
const END_SHOWN: usize = 40;

/// Finds what gives a text away that [`document`](super::document) has returned. Names are looked for as whole words, in
/// any case.
#[must_use]
pub fn warnings(text: &str, syntax: Syntax, names: &[&str]) -> Vec<Warning> {
    let lower = lower(text);
    let mut found = thinking(text, &lower);
    found.extend(names.iter().take(MOST * MOST).filter_map(|name| named(&lower, name)));
    found.extend(cut_off(text, syntax));
    found
}

/// The text in lower case, with characters that change their length as they are: places stay.
fn lower(text: &str) -> String {
    let one = |character: char| {
        let mut lower = character.to_lowercase();
        match (lower.next(), lower.next()) {
            (Some(one), None) if one.len_utf8() == character.len_utf8() => one,
            _ => character,
        }
    };
    text.chars().map(one).collect()
}

fn thinking(text: &str, lower: &str) -> Vec<Warning> {
    let starts = lower.char_indices().filter(|(_, character)| matches!(character, '<' | '['));
    let tags = starts.filter_map(|(at, _)| {
        let whole = |tag: &&&str| {
            lower[at..]
                .strip_prefix(**tag)
                .is_some_and(|rest| tag.ends_with(['|', '_']) || !rest.starts_with(char::is_alphanumeric))
        };
        TAGS.iter().find(whole).map(|tag| {
            let tag = &text[at..at + tag.len()];
            Warning::Thinking { line: place(text, at).0, tag: tag.to_owned() }
        })
    });
    tags.take(MOST).collect()
}

fn named(lower: &str, name: &str) -> Option<Warning> {
    let wanted = self::lower(name.trim());
    if wanted.is_empty() {
        return None;
    }
    let joined = |left: Option<char>, right: Option<char>| {
        left.is_some_and(char::is_alphanumeric) && right.is_some_and(char::is_alphanumeric)
    };
    let whole = |(at, _): &(usize, &str)| {
        let (before, after) = (&lower[..*at], &lower[at + wanted.len()..]);
        let begins = !joined(before.chars().next_back(), wanted.chars().next());
        begins && !joined(wanted.chars().next_back(), after.chars().next())
    };
    let (at, _) = lower.match_indices(&wanted).find(whole)?;
    Some(Warning::Named { line: place(lower, at).0, name: name.to_owned() })
}

/// Whether the last paragraph ends without a sign that ends a sentence, or a block of code without its end.
fn cut_off(text: &str, syntax: Syntax) -> Option<Warning> {
    let last = match syntax {
        Syntax::Plain => text.trim_end().rsplit("\n\n").next().unwrap_or("").to_owned(),
        Syntax::Markdown => last_block(text),
    };
    let end = last.trim_end().chars().next_back();
    let continues = matches!(end, Some(',' | '-' | '–' | '(' | '[' | '{' | '=' | '/'));
    let stops = !end.is_some_and(char::is_alphanumeric) || last.split_whitespace().count() < LEAST_WORDS;
    let open = syntax == Syntax::Markdown && is_open_code(text);
    if !open && !continues && stops {
        return None;
    }
    let text = text.trim_end();
    let start = text.char_indices().rev().nth(END_SHOWN - 1).map_or(0, |(at, _)| at);
    let start = if start == 0 {
        0
    } else {
        text[start..].find(char::is_whitespace).map_or(start, |space| start + space)
    };
    Some(Warning::CutOff { end: text[start..].trim_start().to_owned() })
}

/// The text of the last block, empty unless it is a paragraph: headings, items, code and tables end as they like.
fn last_block(text: &str) -> String {
    let mut last = String::new();
    let mut items = 0_usize;
    for (event, _) in events(text) {
        match event {
            Event::Start(Tag::Item) => items += 1,
            Event::End(TagEnd::Item) => items = items.saturating_sub(1),
            Event::Start(
                Tag::Paragraph | Tag::Heading { .. } | Tag::CodeBlock(_) | Tag::Table(_) | Tag::HtmlBlock,
            )
            | Event::Rule => last.clear(),
            Event::End(TagEnd::Heading(_) | TagEnd::CodeBlock | TagEnd::Table | TagEnd::HtmlBlock) => {
                last.clear()
            }
            Event::Text(part) | Event::Code(part) | Event::InlineHtml(part) if items == 0 => {
                last.push_str(&part)
            }
            Event::Text(part) | Event::Code(part) => {
                last.clear();
                // Of an item, only a sign that something follows counts.
                last.extend(part.chars().next_back());
            }
            Event::SoftBreak | Event::HardBreak => last.push(' '),
            _ => {}
        }
    }
    last
}

/// Whether the text ends in a fenced block of code without a closing fence.
fn is_open_code(text: &str) -> bool {
    let mut open = false;
    for (event, range) in events(text) {
        if let Event::Start(Tag::CodeBlock(kind)) = event {
            let block = text[range].trim_end();
            let sign = if block.starts_with('~') { "~~~" } else { "```" };
            let last = block.lines().skip(1).last().unwrap_or_default();
            open = kind.is_fenced() && !last.trim_start_matches(['>', ' ']).starts_with(sign);
        }
    }
    open
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Thinking { line, tag } => write!(f, "line {line} has a tag of thinking, `{}`", shown(tag)),
            Self::CutOff { end } => write!(f, "the text seems cut off: it ends with “{}”", shown(end)),
            Self::Named { line, name } => write!(f, "line {line} names “{}”", shown(name)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str, names: &[&str]) -> Vec<String> {
        warnings(text, Syntax::Markdown, names).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn tags_and_names_are_found_with_their_lines() {
        assert_eq!(
            found("x\n<THINK>\nhm</think> As Model-X, I am.", &["model-x", "Acme", ""]),
            [
                "line 2 has a tag of thinking, `<THINK>`",
                "line 3 has a tag of thinking, `</think>`",
                "line 3 names “model-x”"
            ]
            .map(|line| line.replace(">`", "`"))
        );
        assert_eq!(found("I rethink <thinkers> and Acmeist poems.", &["Acme", "ink"]), [""; 0]);
        assert_eq!(found("By ACME.", &["Acme"]), ["line 1 names “Acme”"]);
        assert_eq!(found("<|im_start|> and İ Acme.", &["acme"]).len(), 2);
    }

    #[test]
    fn answers_that_end_within_a_sentence_are_found() {
        let cut = |text: &str| !found(text, &[]).is_empty();
        for whole in [
            "",
            "Yes",
            "Paris",
            "It ends with a full stop, as it should.",
            "Was it so, as they say?",
            "“It was so, he said.”",
            "# A heading that has a great many words",
            "Text:\n\n- one\n- two words without a stop at the end",
            "```\ncode with an end\n```",
            "|a|b|\n|-|-|\n|1|2 and more words than six here|",
            "これは文です。",
            "Emphasis at the end of this sentence **counts.**",
        ] {
            assert!(!cut(whole), "{whole}");
        }
        for open in [
            "The answer has several parts, of which the first",
            "First,",
            "- one\n- and then,",
            "Text.\n\n```python\nprint(1)",
            "It is shown in (",
            "a b c d e f **g**",
        ] {
            assert!(cut(open), "{open}");
        }
        assert!(warnings("one two three four five six", Syntax::Plain, &[]).len() == 1);
        let long = format!("{}so it goes on", "word ".repeat(100));
        assert_eq!(
            found(&long, &[]),
            ["the text seems cut off: it ends with “word word word word word so it goes on”"]
        );
    }
}
