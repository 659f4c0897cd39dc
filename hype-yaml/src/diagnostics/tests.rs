use super::path::{Segment, join_field, join_item, segments};
use super::{Diagnostics, Severity, Span, nearest};

#[test]
fn a_path_is_followed_as_it_was_joined() {
    for name in
        ["a", "step_harder_ms", "größe", "3", "", " ", "a.b", "x[0]", "[\"", "\"]", "\\", "a\n\r\tb", "."]
    {
        let mut path = String::new();
        join_field(&mut path, "root");
        join_field(&mut path, name);
        join_item(&mut path, 7);
        join_field(&mut path, name);
        let expected = [
            Some(Segment::Field("root".into())),
            Some(Segment::Field(name.into())),
            Some(Segment::Item(7)),
            Some(Segment::Field(name.into())),
        ];
        assert_eq!(segments(&path).collect::<Vec<_>>(), expected, "{path}");
    }
    assert_eq!(segments("").count(), 0);
    for broken in ["a[", "a[x]", "a[\"b", "a..b", "a[-1]", "[99999999999999999999999]"] {
        assert_eq!(segments(broken).last(), Some(None), "{broken}");
    }
}

#[test]
fn the_path_returns_when_a_scope_ends() {
    let mut at = Diagnostics::new();
    {
        let mut task = at.field("task");
        task.item(2).field("x.y").note("n", "inner");
        task.warning("w", "outer");
    }
    at.within_item(0, |at| assert_eq!(at.path(), "[0]"));
    at.error("e", "whole").help("do this");
    let found: Vec<_> = at.iter().map(|found| (found.severity, found.path.as_str())).collect();
    assert_eq!(
        found,
        [(Severity::Note, "task[2][\"x.y\"]"), (Severity::Warning, "task"), (Severity::Error, ""),]
    );
    assert_eq!(
        at.to_string(),
        "note[n] in task[2][\"x.y\"]: inner\nwarning[w] in task: outer\nerror[e]: whole (do this)"
    );
}

#[test]
fn only_errors_are_errors() {
    let mut at = Diagnostics::new();
    assert!(at.is_empty() && !at.has_errors());
    at.note("n", "");
    at.warning("w", "");
    assert!(!at.is_empty() && !at.has_errors());
    at.error("e", "");
    assert!(at.has_errors());
    assert_eq!(at.len(), 3);
}

#[test]
fn diagnostics_are_ordered_by_place() {
    let mut at = Diagnostics::new();
    for (code, start) in [("c", None), ("b", Some(9)), ("a", Some(2)), ("d", Some(9))] {
        at.error(code, "").span = start.map(|start| Span { start, end: start + 1 });
    }
    at.sort();
    assert_eq!(at.into_vec().iter().map(|found| found.code).collect::<Vec<_>>(), ["a", "b", "d", "c"]);
}

#[test]
fn only_near_names_are_suggested() {
    let known = ["staircase", "start_ms", "step_harder_ms", "kind", "id", "repeats"];
    let cases = [
        ("staircse", Some("staircase")),
        ("satircase", Some("staircase")),
        ("StairCase", Some("staircase")),
        ("step-harder-ms", Some("step_harder_ms")),
        ("step harder", Some("step_harder_ms")),
        ("start", Some("start_ms")),
        ("knid", Some("kind")),
        ("di", Some("id")),
        ("x", None),
        ("", None),
        ("threshold", None),
    ];
    for (wanted, expected) in cases {
        assert_eq!(nearest(wanted, known), expected, "{wanted}");
    }
    assert_eq!(nearest(&"k".repeat(1_000_000), ["kind"]), None);
    assert_eq!(nearest("ab", ["ax", "aa"]), Some("aa"), "the first of equally near names");
}

#[test]
fn diagnostics_serialize_as_plain_data() {
    let mut at = Diagnostics::new();
    at.field("a").error("out-of-range", "too large").span = Some(Span { start: 1, end: 4 });
    assert_eq!(
        serde_json::to_value(at.as_slice()).unwrap(),
        serde_json::json!([{
            "severity": "error",
            "code": "out-of-range",
            "path": "a",
            "span": { "start": 1, "end": 4 },
            "line": null,
            "column": null,
            "message": "too large",
            "help": null
        }])
    );
}
