use std::collections::BTreeMap;

use serde_json::json;

use super::*;

/// JSON of every kind, in and around answers.
fn all() -> Vec<Value> {
    vec![
        json!({}),
        json!({ "judgment": "real" }),
        json!({ "b": 4, "a": -1, "c": 0.5, "d": 1.0, "e": 18_446_744_073_709_551_615_u64 }),
        json!({ "order": { "B": 1, "A": 2 }, "comment": "longer than what is held in place" }),
        json!({ "odd": null, "flag": true, "list": [1, "a"], "deep": { "a": { "b": 1 } }, "none": {} }),
        json!("real"),
        json!(4),
        json!(null),
        json!([{ "judgment": "real" }]),
    ]
}

#[test]
fn answers_are_written_as_the_json_that_they_were_read_from() {
    for json in all() {
        let text = json.to_string();
        let read: Answer = serde_json::from_str(&text).unwrap();
        assert_eq!(read, Answer::from(json.clone()), "{text}");
        assert_eq!(serde_json::to_string(&read).unwrap(), text);
        assert_eq!(
            (read.to_json(), read.to_string(), read.is_object()),
            (json.clone(), text, json.is_object())
        );
    }
}

#[test]
fn keys_are_sorted_and_the_last_of_several_counts() {
    let read: Answer = serde_json::from_str(r#"{"b":1,"a":2,"b":3}"#).unwrap();
    assert_eq!(read.to_string(), r#"{"a":2,"b":3}"#);
    assert_eq!(read, [("b", 1), ("a", 2), ("b", 3)].into_iter().collect());
    let twice: Answer = serde_json::from_str(r#"{"a":1,"a":2}"#).unwrap();
    assert_eq!(twice, Answer::one("a", 2));
    assert_eq!(AnswerValue::ranks([("B", 1), ("A", 2)]).to_string(), r#"{"A":2,"B":1}"#);
}

#[test]
fn only_the_same_answer_has_the_same_fingerprint() {
    let mut all: Vec<Answer> = all().into_iter().map(Answer::from).collect();
    all.extend([json!({ "judgment": "generated" }), json!({ "a": 1, "b": 4.0 })].map(Answer::from));
    for (index, one) in all.iter().enumerate() {
        assert_eq!(one.fingerprint(), one.clone().fingerprint());
        for other in &all[index + 1..] {
            assert_ne!(one.fingerprint(), other.fingerprint(), "{one} and {other}");
        }
    }
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Side {
    Left,
    Right,
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Typed {
    side: Side,
    stars: u8,
    #[serde(default)]
    note: Option<String>,
    #[serde(default)]
    order: BTreeMap<String, f64>,
}

/// Typed answers are read as from JSON, with the same error messages.
#[test]
fn typed_answers_are_read_as_from_json() {
    let full = json!({ "side": "left", "stars": 4, "note": "fine", "order": { "A": 1, "B": 2.5 } });
    let answer = Answer::from(full.clone());
    assert_eq!(answer.read::<Typed>().unwrap(), Typed::deserialize(&full).unwrap());
    for wrong in [
        json!({}),
        json!({ "side": "up", "stars": 4 }),
        json!({ "side": "left", "stars": "4" }),
        json!({ "side": "left", "stars": 400 }),
        json!({ "side": "left", "stars": 4.5 }),
        json!({ "side": "left", "stars": 4, "note": 1 }),
        json!({ "side": "left", "stars": 4, "order": { "A": "first" } }),
        json!({ "side": "left", "stars": 4, "else": true }),
        json!({ "side": null, "stars": 4 }),
        json!("left"),
    ] {
        let expected = Typed::deserialize(&wrong).unwrap_err().to_string();
        assert_eq!(Answer::from(wrong).read::<Typed>().unwrap_err().to_string(), expected);
    }
    let none = json!({ "side": "right", "stars": 1, "note": null });
    assert_eq!(Answer::from(none.clone()).read::<Typed>().unwrap(), Typed::deserialize(&none).unwrap());
}
