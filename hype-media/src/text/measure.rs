//! Facts about a text: its length and its style.

use pulldown_cmark::{Event, Tag, TagEnd};

use super::{Syntax, events};

/// The measures of a text, by which preferences are adjusted for length and style.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TextFacts {
    /// Characters that are shown, of Unicode, with spaces between words and without the signs of Markdown.
    pub characters: u32,
    /// Words that are shown: parts between spaces that have a letter or a digit. A text in Chinese or Japanese,
    /// which has no spaces, has few.
    pub words: u32,
    /// Lines of the source that are not blank.
    pub lines: u32,
    /// Headings; 0 in plain text, as the following.
    pub headings: u32,
    /// Items of lists.
    pub list_items: u32,
    /// Spans in bold.
    pub bold: u32,
}

/// Measures a text that [`document`](super::document) has returned.
#[must_use]
pub fn facts(text: &str, syntax: Syntax) -> TextFacts {
    let lines = text.lines().filter(|line| !line.trim().is_empty()).count();
    let mut facts = TextFacts { lines: count(lines), ..TextFacts::default() };
    let visible = match syntax {
        Syntax::Plain => text.to_owned(),
        Syntax::Markdown => visible(text, &mut facts),
    };
    let parts = || visible.split_whitespace();
    let written: usize = parts().map(|part| part.chars().count() + 1).sum();
    facts.characters = count(written.saturating_sub(1));
    facts.words = count(parts().filter(|part| part.contains(char::is_alphanumeric)).count());
    facts
}

/// Texts are short enough for 32 bits.
fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// The text that Markdown shows; counts what it marks.
fn visible(text: &str, facts: &mut TextFacts) -> String {
    let mut visible = String::with_capacity(text.len());
    let mut images = 0_usize;
    for (event, _) in events(text) {
        match event {
            Event::Start(Tag::Image { .. }) => images += 1,
            Event::End(TagEnd::Image) => {
                images = images.saturating_sub(1);
            }
            // What stands for an image is not shown.
            _ if images > 0 => {}
            Event::Start(Tag::Heading { .. }) => facts.headings += 1,
            Event::Start(Tag::Item) => facts.list_items += 1,
            Event::Start(Tag::Strong) => facts.bold += 1,
            Event::Text(part) | Event::Code(part) | Event::Html(part) | Event::InlineHtml(part) => {
                visible.push_str(&part);
            }
            Event::SoftBreak | Event::HardBreak => visible.push('\n'),
            Event::End(TagEnd::Strong | TagEnd::Emphasis | TagEnd::Link) => {}
            Event::End(_) => visible.push('\n'),
            _ => {}
        }
    }
    visible
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markdown_is_measured_as_it_is_shown() {
        let text = "# A *title*\n\nSome **bold** text, with [a link](https://x.example/long) – and `code`.\n\n\
                    - one\n- two **and __half__**\n\n![what is shown](p.png)\n";
        let found = facts(text, Syntax::Markdown);
        let expected = TextFacts { characters: 64, words: 14, lines: 5, headings: 1, list_items: 2, bold: 3 };
        assert_eq!(found, expected);
        let plain = facts("# one  two\n\n- three\n", Syntax::Plain);
        assert_eq!(plain, TextFacts { characters: 17, words: 3, lines: 2, ..TextFacts::default() });
        assert_eq!(facts("", Syntax::Markdown), TextFacts::default());
    }
}
