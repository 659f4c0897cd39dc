//! Content that no document may have is refused with its exact place, before anything is read from
//! it.

#![allow(clippy::unwrap_used, reason = "tests may panic")]

use std::collections::BTreeMap;

use crate::faults_of::{check, line};
use hype_yaml::Document;

/// All faults of a text, or the first fault of reading it as a map of texts.
fn fault(text: &str) -> String {
    match Document::parse(text) {
        Err(faults) => faults.iter().map(line).collect::<Vec<_>>().join("\n"),
        Ok(document) => line(&document.root().read::<BTreeMap<String, String>>().unwrap_err()),
    }
}

#[test]
fn faults_of_the_text() {
    let cases = [
        ("", "1:1  [empty] the document is empty"),
        ("# nothing\n", "1:1  [empty] the document is empty"),
        ("~\n", "1:1  [wrong-type] expected a map, found nothing"),
        ("---\n", "1:1  [empty] the document is empty"),
        (
            "task: a\nname: b\ntask: c\n",
            "3:1 task [duplicate-key] the key `task` is repeated; it first appears in line 1",
        ),
        (
            "models:\n  a: {images: x}\n  b: {images: y}\n  a: {images: z, images: w}\n",
            "4:3 models.a [duplicate-key] the key `a` is repeated; it first appears in line 2\n4:18 models.a.images [duplicate-key] the key `images` is repeated; it first appears in line 4",
        ),
        (
            "'name': a\nname: b\n",
            "2:1 name [duplicate-key] the key `name` is repeated; it first appears in line 1",
        ),
        (
            "a: &x 1\nb: *x\n",
            "1:4 a [anchor] anchors (`&name`) are not supported / put the text in quotes if it is meant to be text\n2:4 b [alias] aliases (`*name`) are not supported / put the text in quotes if it is meant to be text",
        ),
        (
            "a: *x\n",
            "1:4 a [alias] aliases (`*name`) are not supported / put the text in quotes if it is meant to be text",
        ),
        (
            "images: *.png\n",
            "1:9 images [alias] aliases (`*name`) are not supported / put the text in quotes if it is meant to be text",
        ),
        (
            "a:\n  <<: {b: 1}\n",
            "2:3 a[\"<<\"] [merge-key] merge keys (`<<`) are not supported / write the entries out",
        ),
        (
            "a: !!str 3\n",
            "1:4 a [tag] tags (`!name`) are not supported / put the text in quotes if it is meant to be text",
        ),
        (
            "a: !env NAME\n",
            "1:4 a [tag] tags (`!name`) are not supported / put the text in quotes if it is meant to be text",
        ),
        (
            "a: 1\n---\nb: 2\n",
            "2:1  [several-documents] a second document starts here / remove the line `---` and everything after it, or put it in a separate text",
        ),
        (
            "{{ name }}: 1\n",
            "1:1  [complex-key] a key must be text, not a map or a list / put text that starts with `{` or `[` in quotes",
        ),
        (
            "? [a]\n: 1\n",
            "1:3  [complex-key] a key must be text, not a map or a list / put text that starts with `{` or `[` in quotes",
        ),
        (": 1\n", "1:1 [\"\"] [missing-key] an entry has no key"),
        (
            "a:\n\tb: 1\n",
            "2:2 a [syntax] tabs disallowed within this context (block indentation) / indent with spaces, not with tabs",
        ),
        (
            "a: 'open\n",
            "1:4 a [syntax] the quotation mark is not closed / close the text with the mark that opens it",
        ),
        (
            "a: [1, 2\n",
            "2:1 a[2] [syntax] this list in brackets is not closed / separate items by commas, and close the list with `]`",
        ),
        (
            "a: b: c\n",
            "1:5  [syntax] text that contains `: ` cannot stand here without quotes / write each entry as `key: value`, and put text that contains `: ` in quotes",
        ),
        (
            "a: @x\n",
            "1:4 a [syntax] unexpected character: `@' / put text that starts with this character in quotes",
        ),
        (
            "a: %x\n",
            "1:4 a [syntax] unexpected character: `%' / put text that starts with this character in quotes",
        ),
        (
            "a: 1\n b: 2\n",
            "2:3  [syntax] the line is indented by 1 space, which matches no earlier entry / indent it by 0 spaces, like the entries it belongs with",
        ),
        (
            "a: \"\\q\"\n",
            r"1:4 a [syntax] the backslash does not begin a known escape sequence / write `\\` for a backslash, or put the text in single quotes",
        ),
        (
            "a: x\0y\n",
            "1:5  [control-character] the text contains the control character U+0000 / remove it, or write it as an escape within double quotes",
        ),
        (
            "a: \"\\u0007\u{7}\"\n",
            "1:11  [control-character] the text contains the control character U+0007 / remove it, or write it as an escape within double quotes",
        ),
        ("a: 1\n... x\n", "2:5  [syntax] invalid content after document end marker"),
        (
            "%YAML 1.2\n---\nname: 3\n",
            "3:7 name [wrong-type] expected a string, found an integer / put it in quotes: `\"3\"`",
        ),
        (
            "- - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - 1\n",
            "1:129 [0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0] [too-deep] more than 64 maps and lists within each other",
        ),
        (
            "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]",
            "1:65 [0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0] [too-deep] more than 64 maps and lists within each other",
        ),
        (
            "a: &x\n  - *x\n",
            "1:4 a [anchor] anchors (`&name`) are not supported / put the text in quotes if it is meant to be text\n2:5 a[0] [alias] aliases (`*name`) are not supported / put the text in quotes if it is meant to be text",
        ),
    ];
    check(fault, &cases);
}
