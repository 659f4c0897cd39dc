//! Every independent fault of a document is found in one reading, except those that only follow from
//! others.

#![allow(clippy::unwrap_used, reason = "tests may panic")]

use std::collections::BTreeMap;

use hype_yaml::Document;
use hype_yaml::diagnostics::{Diagnostics, Severity};
use serde::Deserialize;

#[derive(Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Section {
    first: u8,
    second: u8,
    #[serde(default)]
    pair: Option<(u8, u8)>,
    #[serde(default)]
    inner: Vec<Inner>,
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(try_from = "Bounds")]
struct Inner(u8, u8);

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Bounds {
    #[serde(default)]
    low: u8,
    high: u8,
}

impl TryFrom<Bounds> for Inner {
    type Error = String;

    fn try_from(bounds: Bounds) -> Result<Self, String> {
        if bounds.low < bounds.high {
            Ok(Self(bounds.low, bounds.high))
        } else {
            Err(format!("low {} is not below high {}", bounds.low, bounds.high))
        }
    }
}

fn faults(text: &str) -> Vec<String> {
    let document = Document::parse(text).unwrap();
    let mut at = Diagnostics::new();
    let read = document.root().read_collecting::<Section>(&mut at);
    assert_eq!(read.is_none(), at.has_errors(), "{text}");
    at.sort();
    at.iter()
        .map(|fault| {
            format!("{}:{} {} {}", fault.line.unwrap(), fault.column.unwrap(), fault.path, fault.code)
        })
        .collect()
}

#[test]
fn independent_faults_are_all_reported() {
    let text = "first: x\nsecond: 300\nthird: 1\npair: [1, y]\ninner:\n- {low: 2, high: 1}\n- {low: 1, high: 2}\n- {low: a, hi: 3, high: 4}\n";
    assert_eq!(
        faults(text),
        [
            "1:8 first wrong-type",
            "2:9 second out-of-range",
            "3:1 third unknown-field",
            "4:11 pair[1] wrong-type",
            "6:3 inner[0] invalid-value",
            "8:9 inner[2].low wrong-type",
            "8:12 inner[2].hi unknown-field",
        ]
    );
}

#[test]
fn wrong_fields_are_not_reported_as_missing() {
    assert_eq!(faults("first: x\nsecond: 1\n"), ["1:8 first wrong-type"]);
    assert_eq!(faults("first: 1\nsecnd: 1\n"), ["2:1 secnd unknown-field"]);
}

#[test]
fn missing_fields_are_reported_together_with_other_faults() {
    assert_eq!(faults("second: x\n"), ["1:1 first missing-field", "1:9 second wrong-type"]);
    assert_eq!(faults("first: 1\n"), ["1:1 second missing-field"]);
}

#[test]
fn a_rule_across_fields_is_not_checked_where_one_of_them_is_wrong() {
    assert_eq!(faults("first: 1\nsecond: 2\ninner:\n- {low: x, high: 0}\n"), ["4:9 inner[0].low wrong-type"]);
}

#[test]
fn a_sound_document_is_read() {
    let document = Document::parse("first: 1\nsecond: 2\ninner: [{low: 1, high: 2}]\n").unwrap();
    let mut at = Diagnostics::new();
    let read = document.root().read_collecting::<Section>(&mut at);
    assert_eq!(read, Some(Section { first: 1, second: 2, pair: None, inner: vec![Inner(1, 2)] }));
    assert!(at.is_empty());
}

#[test]
fn entries_and_items_are_read_by_themselves() {
    let document = Document::parse("b: 1\na: x\nc: 3\n").unwrap();
    let mut at = Diagnostics::new();
    let read: Vec<(String, u8)> = document.root().read_map_items(&mut at);
    assert_eq!(read, [("b".to_owned(), 1), ("c".to_owned(), 3)]);
    assert_eq!(at.len(), 1);
    assert_eq!(document.root().read_list_items::<u8>(&mut at), Vec::<u8>::new());
    assert_eq!(at.as_slice()[1].message, "expected a list, found a map");

    let document = Document::parse("[1, x, 3, -1]").unwrap();
    let mut at = Diagnostics::new();
    assert_eq!(document.root().read_list_items::<u8>(&mut at), [1, 3]);
    let paths: Vec<_> = at.iter().map(|fault| &*fault.path).collect();
    assert_eq!(paths, ["[1]", "[3]"]);
    assert!(document.root().read_map_items::<u8>(&mut at).is_empty());
}

#[test]
fn many_faults_end_with_a_note() {
    let document = Document::parse(&format!("[{}]", "x, ".repeat(5000))).unwrap();
    let mut at = Diagnostics::new();
    assert!(document.root().read_list_items::<u8>(&mut at).is_empty());
    assert_eq!(at.len(), 101);
    assert_eq!(at.as_slice()[100].severity, Severity::Note);
    let mut at = Diagnostics::new();
    assert!(document.root().read_collecting::<Vec<u8>>(&mut at).is_none());
    assert!(at.len() < 30, "{}", at.len());
}

#[test]
fn diagnostics_without_a_place_are_located_by_their_path() {
    let text = "models:\n  a: {images: x}\n  \"b.c\":\n    images: y\nlist:\n- 1\n- k: 2\n";
    let document = Document::parse(text).unwrap();
    let mut at = Diagnostics::new();
    at.within("models", |at| {
        at.field("b.c").field("images").warning("w", "the value itself");
        at.field("b.c").field("role").error("e", "the key of the nearest map");
        at.field("a").error("e", "a value on one line");
        at.field("a").error("unknown-field", "a key");
        at.error("e", "the key of a value on several lines");
    });
    at.within("list", |at| {
        at.item(1).field("z").error("e", "the first line of an item");
        at.item(7).error("e", "the key of the list");
    });
    at.field("nowhere").field("at all").note("n", "no line: nothing of it is in the document");
    at.locate(&document);
    let places: Vec<_> = at.iter().map(|found| (found.path.as_str(), found.line.zip(found.column))).collect();
    assert_eq!(
        places,
        [
            ("models[\"b.c\"].images", Some((4, 13))),
            ("models[\"b.c\"].role", Some((3, 3))),
            ("models.a", Some((2, 6))),
            ("models.a", Some((2, 3))),
            ("models", Some((1, 1))),
            ("list[1].z", Some((7, 3))),
            ("list[7]", Some((5, 1))),
            ("nowhere[\"at all\"]", None),
        ]
    );
    at.sort();
    let lines: Vec<_> = at.iter().filter_map(|found| found.line).collect();
    assert_eq!(lines, [1, 2, 2, 3, 4, 5, 7]);
    let by_path: BTreeMap<_, _> =
        at.iter().map(|found| (found.path.clone(), document.span_at(&found.path))).collect();
    assert_eq!(by_path["list[7]"], None);
    let span = document.span_at("models.a.images").unwrap();
    assert_eq!(&text[span.start..span.end], "x");
}
