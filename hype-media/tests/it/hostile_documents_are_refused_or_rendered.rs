//! 200 documents that attack a page or a reader: no node outside of the list, in bounded time.

use std::time::{Duration, Instant};

use hype_chance::Streams;
use hype_media::text::{Syntax, TEXT_BYTES, document, facts, render, scramble, warnings};
use proptest::prelude::*;

use crate::support::processor_time;

/// Everything between `<` and `>` that a rendered text may have, apart from the number of a list.
const TAGS: [&str; 23] = [
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

#[track_caller]
fn check_nodes(html: &str) {
    for part in html.split('<').skip(1) {
        let (tag, _) = part.split_once('>').unwrap_or_else(|| panic!("an open tag: {part}"));
        let name = tag.strip_prefix('/').unwrap_or(tag);
        let start = name.strip_prefix("ol start=\"").and_then(|rest| rest.strip_suffix('"'));
        let numbered = start
            .is_some_and(|number| !number.is_empty() && number.chars().all(|digit| digit.is_ascii_digit()));
        assert!(TAGS.contains(&name) || numbered, "<{tag}> in {html}");
    }
}

/// Reads and renders a text; returns whether it is one.
pub(crate) fn attempt(bytes: &[u8]) -> bool {
    let begin = Instant::now();
    let start = processor_time(begin);
    let text = document("hostile", bytes);
    if let Ok(text) = &text {
        for syntax in [Syntax::Plain, Syntax::Markdown] {
            if let Ok(html) = render("hostile", text, syntax) {
                check_nodes(&html);
                assert!(html.len() <= 64 + 40 * text.len(), "{} from {}", html.len(), text.len());
            }
            let found = facts(text, syntax);
            assert!(found.words as usize <= text.len());
            let _ = warnings(text, syntax, &["Model", "ma\u{308}ker"]);
        }
        assert_eq!(scramble(text, 1).len(), text.len());
    }
    let took = processor_time(begin) - start;
    assert!(took < Duration::from_secs(60), "{took:?} for {} bytes", bytes.len());
    text.is_ok()
}

/// Parts that attack by what a browser does with them.
pub(crate) const ATTACKS: [&str; 34] = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<svg/onload=alert(1)>",
    "<iframe src=javascript:alert(1)></iframe>",
    "<a href=\"javascript:alert(1)\">x</a>",
    "[x](javascript:alert(1))",
    "[x](data:text/html;base64,PHNjcmlwdD4=)",
    "![x](https://track.example/p.png)",
    "![x\"onerror=alert(1)](x)",
    "[a]: javascript:alert(1)\n\n[a]",
    "<javascript:alert(1)>",
    "<https://example.org/\"onmouseover=alert(1)>",
    "<style>*{display:none}</style>",
    "<p style=\"position:fixed\">x</p>",
    "<meta http-equiv=refresh content=0>",
    "<base href=//evil.example>",
    "<form action=//evil.example><input></form>",
    "<!-- a comment --!><script>",
    "<![CDATA[<script>]]>",
    "<?php echo 1 ?>",
    "<math><mtext></p><style><img src onerror=1>",
    "<noscript><p title=\"</noscript><img src=x onerror=1>\">",
    "<template><script>1</script></template>",
    "```html\" onload=alert(1)\n<script>\n```",
    "`<script>`",
    "&lt;script&gt;&#60;script&#62;",
    "<details open ontoggle=alert(1)>",
    "# <h1 id=main class=x>x",
    "| <b> | ![x](y) |\n|-|:-:|\n| <i onclick=1> | [x](//y) |",
    "99999999999999. <li>",
    "<textarea></textarea><title></title>",
    "<object data=x><embed src=y>",
    "<video autoplay src=x>",
    "<b\nonclick\n=\n1>",
];

/// Parts that attack by how long they take, repeated.
const REPEATED: [&str; 20] = [
    "[",
    "![",
    "*a ",
    "**",
    "_a__b",
    "`",
    "> ",
    "- ",
    "<",
    "</",
    "&",
    "[a](",
    "[a]: b\n",
    "|",
    "a|b\n-|-\n",
    "\\",
    "~~~\n",
    "<!--",
    "* a *b _c ",
    "\u{301}",
];

fn documents() -> Vec<Vec<u8>> {
    let mut documents: Vec<Vec<u8>> = ATTACKS.iter().map(|part| part.as_bytes().to_vec()).collect();
    for part in REPEATED {
        documents.push(part.repeat(20_000 / part.len()).into_bytes());
        documents.push(format!("x{}", part.repeat(2000)).into_bytes());
    }
    documents.push(vec![b'['; TEXT_BYTES]);
    documents.push("a b ".repeat(TEXT_BYTES / 4).into_bytes());
    let mut chance = Streams::new(200).stream("documents");
    while documents.len() < 200 {
        let mut text = String::new();
        for _ in 0..chance.below(12) + 1 {
            let part = ATTACKS[chance.below(ATTACKS.len() as u32) as usize];
            let cut = chance.below(part.len() as u32 + 1) as usize;
            text.push_str(part.get(..cut).unwrap_or(part));
            text.push_str(
                ["", "\n", "\n\n", "> ", "- ", "\t", "|", "\0", "\u{202e}"][chance.below(7) as usize],
            );
            let repeated = REPEATED[chance.below(REPEATED.len() as u32) as usize];
            text.push_str(&repeated.repeat(chance.below(6) as usize));
        }
        let mut bytes = text.into_bytes();
        if chance.happens(0.1) {
            bytes.push(0xff);
        }
        documents.push(bytes);
    }
    documents
}

#[test]
fn no_document_has_a_node_outside_of_the_list() {
    let documents = documents();
    assert_eq!(documents.len(), 200);
    for bytes in &documents {
        attempt(bytes);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 500, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_refused_or_rendered(text in "(\\PC|[\\[\\]()<>*_`#|!&\n\\-]){0,300}") {
        attempt(text.as_bytes());
    }

    #[test]
    fn any_bytes_are_refused_or_rendered(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        attempt(&bytes);
    }
}
