//! Texts as HTML that needs no exception from a page's policy.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use ammonia::Builder;
use pulldown_cmark::{CowStr, Event, Tag, TagEnd, html};

use super::{DEPTH, Syntax, TextError, events, place};

/// The elements that a rendered text may have.
const ELEMENTS: [&str; 23] = [
    "blockquote",
    "br",
    "code",
    "em",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "hr",
    "li",
    "ol",
    "p",
    "pre",
    "strong",
    "table",
    "tbody",
    "td",
    "th",
    "thead",
    "tr",
    "ul",
];

/// The allow-list: the elements, and the number at which a list begins. No other attribute, comment, script or style.
static ALLOWED: LazyLock<Builder<'static>> = LazyLock::new(|| {
    let mut builder = Builder::empty();
    builder.tags(HashSet::from(ELEMENTS)).tag_attributes(HashMap::from([("ol", HashSet::from(["start"]))]));
    builder
});

/// Renders a text that [`document`](super::document) has returned as HTML: headings, lists, emphasis, code, tables and
/// quotes. HTML in it is shown as text, images as `[image]` and links as their text. A plain text keeps its spaces
/// and lines.
///
/// # Examples
/// ```
/// use hype_media::text::{Syntax, document, render};
/// let text = document("answer.md", b"See **[this](https://example.org)**.")?;
/// assert_eq!(render("answer.md", &text, Syntax::Markdown)?, "<p>See <strong>this</strong>.</p>\n");
/// # Ok::<(), hype_media::text::TextError>(())
/// ```
///
/// # Errors
/// [`TextError::TooDeep`] if quotes and lists are nested more than [`DEPTH`] deep.
pub fn render(name: &str, text: &str, syntax: Syntax) -> Result<String, TextError> {
    let mut rendered = String::with_capacity(text.len() + text.len() / 4);
    match syntax {
        Syntax::Plain => html::push_html(&mut rendered, plain(text).into_iter()),
        Syntax::Markdown => html::push_html(&mut rendered, safe(name, text)?.into_iter()),
    }
    // What the events allow, the list allows: it stands guard over this crate and over the parser.
    Ok(ALLOWED.clean(&rendered).to_string())
}

fn plain(text: &str) -> [Event<'_>; 3] {
    let kind = pulldown_cmark::CodeBlockKind::Indented;
    [Event::Start(Tag::CodeBlock(kind)), Event::Text(text.into()), Event::End(TagEnd::CodeBlock)]
}

/// The events of a text without links, images and HTML.
fn safe<'a>(name: &str, text: &'a str) -> Result<Vec<Event<'a>>, TextError> {
    let mut kept = Vec::new();
    let (mut depth, mut images) = (0, 0_usize);
    for (event, range) in events(text) {
        match &event {
            Event::Start(_) => depth += 1,
            Event::End(_) => depth -= 1,
            _ => {}
        }
        if depth > DEPTH {
            let (line, column) = place(text, range.start);
            return Err(TextError::TooDeep { name: name.to_owned(), line, column });
        }
        match event {
            Event::Start(Tag::Image { .. }) => {
                if images == 0 {
                    kept.push(Event::Text(CowStr::Borrowed("[image]")));
                }
                images += 1;
            }
            Event::End(TagEnd::Image) => images = images.saturating_sub(1),
            _ if images > 0 => {}
            Event::Start(Tag::Link { .. } | Tag::HtmlBlock)
            | Event::End(TagEnd::Link | TagEnd::HtmlBlock) => {}
            Event::Html(part) | Event::InlineHtml(part) => kept.push(Event::Text(part)),
            event => kept.push(event),
        }
    }
    Ok(kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn markdown(text: &str) -> String {
        render("x", text, Syntax::Markdown).unwrap()
    }

    #[test]
    fn markdown_is_rendered_without_links_images_and_html() {
        assert_eq!(markdown("# *A* & b"), "<h1><em>A</em> &amp; b</h1>\n");
        assert_eq!(
            markdown("[text](javascript:x \"t\") <https://a.example>"),
            "<p>text https://a.example</p>\n"
        );
        assert_eq!(markdown("![an ![inner](b) image](a.png)."), "<p>[image].</p>\n");
        assert_eq!(markdown("a <b onclick=x>c</b>"), "<p>a &lt;b onclick=x&gt;c&lt;/b&gt;</p>\n");
        assert_eq!(markdown("<script>alert(1)</script>"), "&lt;script&gt;alert(1)&lt;/script&gt;");
        assert_eq!(markdown("```js\"onload=x\na<b\n```"), "<pre><code>a&lt;b\n</code></pre>\n");
        assert_eq!(markdown("3. x"), "<ol start=\"3\">\n<li>x</li>\n</ol>\n");
        assert_eq!(
            markdown("|a|b|\n|:-|-:|\n|1|2|"),
            "<table><thead><tr><th>a</th><th>b</th></tr></thead><tbody>\n<tr><td>1</td><td>2</td></tr>\n</tbody></table>\n"
        );
    }

    #[test]
    fn plain_text_keeps_its_spaces() {
        let rendered = render("x", "a  *b*\n<i>\n", Syntax::Plain).unwrap();
        assert_eq!(rendered, "<pre><code>a  *b*\n&lt;i&gt;\n</code></pre>\n");
    }

    #[test]
    fn deep_nesting_is_refused_with_its_place() {
        assert!(markdown(&format!("{}x", "> ".repeat(DEPTH - 1))).contains("<blockquote>"));
        let error = render("x", &format!("a\n\n{}x", "> ".repeat(100)), Syntax::Markdown).unwrap_err();
        assert_eq!(
            error.to_string(),
            "x, line 3, column 65: nested more than 32 deep; use fewer quotes and lists in each other"
        );
    }
}
