//! Any text is read or refused without a panic, in bounded time and memory, and written documents are read
//! back unchanged.

#![allow(clippy::unwrap_used, reason = "tests may panic")]

use hype_yaml::diagnostics::Diagnostics;
use hype_yaml::{Document, Limits, Node, to_json};
use proptest::prelude::*;
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Debug, Deserialize)]
#[expect(dead_code, reason = "read, never used")]
struct Anything {
    a: Option<Box<Self>>,
    b: Vec<f64>,
    c: (u8, String),
}

/// Calls everything that a document provides.
fn walk(node: Node<'_>) {
    let document_path = node.path();
    let span = node.span();
    assert!(span.start <= span.end);
    let pointer = node.pointer();
    assert!(pointer.start <= pointer.end);
    if let Some(entries) = node.as_map() {
        for entry in entries {
            assert_eq!(node.get(entry.key).map(Node::path), Some(entry.value.path()), "{document_path}");
            walk(entry.value);
        }
    }
    if let Some(items) = node.as_list() {
        items.for_each(walk);
    }
}

fn try_all(bytes: &[u8]) {
    match Document::parse_bytes(bytes) {
        Ok(document) => {
            walk(document.root());
            assert_eq!(to_json(document.root()).is_object(), document.root().as_map().is_some());
            let mut at = Diagnostics::new();
            let _ = document.root().read_collecting::<Anything>(&mut at);
            let _ = document.root().read::<Value>();
            for found in &at {
                let span = found.span.unwrap();
                assert!(document.text().get(span.start..span.end).is_some(), "{found}");
            }
        }
        Err(faults) => {
            assert!(faults.has_errors());
            for fault in &faults {
                if let Some(span) = fault.span {
                    assert!(span.start <= span.end && span.start <= bytes.len(), "{fault}");
                    assert!(fault.line.is_some() && fault.column.is_some(), "{fault}");
                }
            }
        }
    }
}

fn tree() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_filter("JSON has no infinity", |value| value.is_finite()).prop_map(Value::from),
        any::<String>().prop_map(Value::from),
        "(yes|no|~|null|true|017|1_0|0x1F|<<|- a|a: b|#x|&a|\\*b|!t|\\? )".prop_map(Value::from),
    ];
    leaf.prop_recursive(6, 64, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::btree_map("[\\PC\\n\\t\"\\\\]{1,12}", inner, 0..6)
                .prop_map(|entries| Value::Object(entries.into_iter().collect())),
        ]
    })
}

/// Writes a tree as a block document, with every scalar as JSON writes it.
fn block(value: &Value, indent: usize, into: &mut String) {
    let pad = " ".repeat(indent);
    match value {
        Value::Object(entries) if !entries.is_empty() => {
            for (key, value) in entries {
                into.push_str(&format!("\n{pad}{}:", Value::from(key.as_str())));
                block(value, indent + 2, into);
            }
        }
        Value::Array(items) if !items.is_empty() => {
            for item in items {
                into.push_str(&format!("\n{pad}-"));
                block(item, indent + 2, into);
            }
        }
        scalar => into.push_str(&format!(" {scalar}")),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        try_all(&bytes);
    }

    #[test]
    fn text_never_panics(text in any::<String>()) {
        try_all(text.as_bytes());
    }

    #[test]
    fn text_of_yaml_marks_never_panics(text in "[-abc0-9:,{}\\[\\]\"'&*!|>%@#?~.<\r\n\t ßé🦀\u{feff}]{0,120}") {
        try_all(text.as_bytes());
    }

    #[test]
    fn lines_of_yaml_never_panic(lines in prop::collection::vec("( ){0,4}(- |\\? )?(a|b|c|\"x\")?(: )?(\\[1, 2\\]|\\{a: 1|\\||>-|'|\"|1|x)?", 0..20)) {
        try_all(lines.join("\n").as_bytes());
    }

    #[test]
    fn flow_documents_are_read_back(value in tree()) {
        let text = value.to_string();
        prop_assume!(!matches!(value, Value::Null));
        let document = Document::parse(&text).map_err(|faults| TestCaseError::fail(format!("{faults}\n{text}")))?;
        prop_assert_eq!(&to_json(document.root()), &value);
        prop_assert_eq!(&document.root().read::<Value>().unwrap(), &value);
        walk(document.root());
    }

    #[test]
    fn block_documents_are_read_back(value in tree(), breaks in prop::sample::select(vec!["\n", "\r\n", "\r"])) {
        let mut text = String::new();
        block(&json!({ "root": value }), 0, &mut text);
        let text = text.replace('\n', breaks);
        let document = Document::parse(&text).map_err(|faults| TestCaseError::fail(format!("{faults}\n{text}")))?;
        prop_assert_eq!(to_json(document.root())["root"].clone(), value);
        walk(document.root());
    }
}

#[test]
fn hostile_texts_are_refused_or_read_within_the_limits() {
    let size = Limits::default().bytes;
    let fill = |unit: &str| unit.repeat(size / unit.len());
    let bomb = {
        let mut text = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x]\n");
        for level in 1..12 {
            let list = vec![format!("*a{}", level - 1); 9].join(", ");
            text.push_str(&format!("a{level}: &a{level} [{list}]\n"));
        }
        text
    };
    let distinct: String = (0..80_000).map(|index| format!("k{index}: {index}\n")).collect();
    let texts = [
        bomb,
        distinct,
        fill("["),
        fill("{"),
        fill("[a, "),
        fill("{a: "),
        fill("- "),
        fill("? "),
        fill(": "),
        fill("-\n"),
        fill("a: 1\n"),
        fill("a:\n"),
        fill("&a "),
        fill("*a "),
        fill("!a "),
        fill("%TAG ! x\n"),
        fill("#\n"),
        fill("# "),
        fill("\n"),
        fill("\t"),
        fill(" "),
        fill("a "),
        fill("a\n"),
        fill("'"),
        fill("\""),
        fill("\\"),
        fill("\"a\" "),
        fill("ß"),
        fill("---\n"),
        fill("...\n"),
        format!("[{}]", "0,".repeat(size / 2 - 2)),
        format!("\"{}\"", "\\n".repeat(size / 2 - 2)),
        format!("|\n{}", fill(" a\n").split_at(size - 9).0),
        format!("a: >\n{}", "  a\n\n".repeat(size / 6)),
        format!("[{}", "\n".repeat(size - 2)),
        format!("{}x", " ".repeat(size - 2)),
        format!("a: {}", "\n ".repeat(size / 2 - 4)),
    ];
    for text in &texts {
        try_all(text.as_bytes());
    }
    let too_large = " ".repeat(size + 1);
    assert_eq!(Document::parse(&too_large).unwrap_err().as_slice()[0].code, "too-large");
    assert_eq!(Document::parse_bytes(too_large.as_bytes()).unwrap_err().as_slice()[0].code, "too-large");
    let many = format!("[{}]", "0,".repeat(Limits::default().nodes + 1));
    assert_eq!(Document::parse(&many).unwrap_err().as_slice()[0].code, "too-many-values");
}

#[test]
fn sixty_four_levels_are_read_and_no_more() {
    let nested = |depth: usize| format!("{}1{}", "[".repeat(depth), "]".repeat(depth));
    assert!(Document::parse(&nested(64)).is_ok());
    assert_eq!(Document::parse(&nested(65)).unwrap_err().as_slice()[0].code, "too-deep");
}

#[test]
fn bytes_that_are_not_utf8_are_placed() {
    let faults = Document::parse_bytes(b"a: 1\nb: \xC3\xA9\xFFx\n").unwrap_err();
    let fault = &faults.as_slice()[0];
    assert_eq!((fault.code, fault.line, fault.column), ("not-utf8", Some(2), Some(5)));
    assert_eq!(fault.message, "the text is not UTF-8: byte 0xFF at offset 10");
    let faults = Document::parse_bytes(b"\xFF\xFEa\0").unwrap_err();
    assert_eq!(faults.as_slice()[0].help.as_deref(), Some("the text looks like UTF-16: save it as UTF-8"));
}

#[test]
fn spans_hold_the_text_of_their_values() {
    let text =
        "\u{feff}größe: 'ß x'\nlist:\n  - [1, {a: b}]\n  - key: |\n      text\n    other: -1.5 # c\nempty:\n";
    let document = Document::parse(text).unwrap();
    let slice = |path: &str| {
        let span = document.node_at(path).unwrap().span();
        &text[span.start..span.end]
    };
    assert_eq!(slice("größe"), "'ß x'");
    assert_eq!(slice("list[0]"), "[1, {a: b}]");
    assert_eq!(slice("list[0][1]"), "{a: b}");
    assert_eq!(slice("list[0][1].a"), "b");
    assert_eq!(slice("list[1].other"), "-1.5");
    assert_eq!(slice("list[1]"), "key: |\n      text\n    other: -1.5");
    assert_eq!(slice("empty"), "");
    let key = document.node_at("größe").unwrap().key_span().unwrap();
    assert_eq!(&text[key.start..key.end], "größe");
    assert_eq!(document.node_at("list[1].key").unwrap().as_str(), Some("text\n"));
    assert!(document.node_at("list[1].nothing").is_none());
}

#[test]
fn numbers_that_json_lacks_stay_visible() {
    let document = Document::parse("[.inf, -.NAN, 18446744073709551616, 0x10, -5, no]").unwrap();
    assert_eq!(to_json(document.root()), json!([".inf", "-.NAN", 18446744073709551616.0, 16, -5, "no"]));
}
