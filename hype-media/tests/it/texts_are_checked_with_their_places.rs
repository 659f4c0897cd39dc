//! Texts that cannot be shown are refused with line and column; others are brought into one form.

use hype_media::text::{Syntax, TEXT_BYTES, TextError, document, facts, render, scramble};

#[test]
fn faults_have_a_line_and_a_column() {
    for (bytes, message) in [
        (&b"ab\n\xc3\xa9\xff"[..], "a.md, line 2, column 2: not UTF-8; save the text as UTF-8"),
        (b"a\r\nb\x07", "a.md, line 2, column 2: control character U+0007; remove it"),
        ("é\u{9b}".as_bytes(), "a.md, line 1, column 2: control character U+009B; remove it"),
        (
            "\n\nshown \u{202e}desrever".as_bytes(),
            "a.md, line 3, column 7: U+202E overrides the direction of text; remove it",
        ),
        ("\u{2066}x".as_bytes(), "a.md, line 1, column 1: U+2066 overrides the direction of text; remove it"),
    ] {
        assert_eq!(document("a.md", bytes).unwrap_err().to_string(), message);
    }
    let error = document("a\u{202e}.md", &vec![b'a'; TEXT_BYTES + 1]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "a\\u{202e}.md has 1048577 bytes, more than the 1048576 allowed; shorten it"
    );
    // Composed, this letter takes more bytes.
    let growing = "\u{1d160}".repeat(TEXT_BYTES / 4);
    assert!(matches!(document("x", growing.as_bytes()), Err(TextError::TooLong { .. })));
}

#[test]
fn texts_have_one_form() {
    assert_eq!(document("x", "\u{feff}e\u{301}\r\na\rb\tc".as_bytes()).unwrap(), "é\na\nb\tc");
    for text in ["مرحبا بالعالم، هذا نص.", "שלום \u{200f}עולם", "👩\u{200d}👩\u{200d}👧", "한국어", ""]
    {
        assert_eq!(document("x", text.as_bytes()).unwrap(), text);
    }
}

#[test]
fn right_to_left_and_long_texts_are_rendered() {
    let arabic = document("x", "# عنوان\n\nمرحبا **بالعالم**.".as_bytes()).unwrap();
    let rendered = render("x", &arabic, Syntax::Markdown).unwrap();
    assert_eq!(rendered, "<h1>عنوان</h1>\n<p>مرحبا <strong>بالعالم</strong>.</p>\n");
    let long = "A paragraph of *some* words, and `code`.\n\n- an item\n\n".repeat(2000);
    assert!(long.len() > 100_000);
    assert_eq!(facts(&long, Syntax::Markdown).list_items, 2000);
    assert_eq!(render("x", &long, Syntax::Markdown).unwrap().matches("<li>").count(), 2000);
    assert_eq!(scramble(&long, 1).len(), long.len());
}
