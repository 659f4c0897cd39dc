//! The uniform deserializer reads the same values, with the same faults, as the one beneath it.

use std::collections::BTreeMap;

use hype_yaml::{Uniform, UniformError, read_uniformly};
use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Everything {
    flag: bool,
    small: i8,
    large: u64,
    single: f32,
    double: f64,
    letter: char,
    text: String,
    absent: Option<u8>,
    present: Option<String>,
    nothing: (),
    empty: Empty,
    wrapped: Wrapped,
    pair: Pair,
    list: Vec<u16>,
    map: BTreeMap<String, i64>,
    choices: Vec<Choice>,
    inner: Tagged,
    any: Value,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Empty;

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Wrapped(f64);

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Pair(u8, bool);

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Choice {
    Unit,
    Newtype(i32),
    Tuple(u8, String),
    Fields { at: f64, of: Option<bool> },
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "of", rename_all = "lowercase")]
enum Tagged {
    Steps { count: u32 },
}

fn everything() -> Value {
    json!({
        "flag": true, "small": -8, "large": u64::MAX, "single": 0.1, "double": -1e300, "letter": "é", "text": "some",
        "absent": null, "present": "here", "nothing": null, "empty": null, "wrapped": 2.5, "pair": [7, false],
        "list": [1, 65_535], "map": { "a": i64::MIN, "b": 0 },
        "choices": ["unit", { "newtype": -3 }, { "tuple": [1, "x"] }, { "fields": { "at": 0.5, "of": true } }],
        "inner": { "of": "steps", "count": 4 }, "any": { "deep": [null, 1.5, "x", { "y": [] }] },
    })
}

fn uniform<T: DeserializeOwned>(value: &Value) -> Result<T, String> {
    read_uniformly(value, |from| T::deserialize(from)).map_err(|error: serde_json::Error| error.to_string())
}

#[test]
fn every_type_is_read() {
    let direct: Everything = serde_json::from_value(everything()).unwrap();
    assert_eq!(uniform::<Everything>(&everything()), Ok(direct));
}

/// One fault for each way in which a value can be wrong: where, and what stands there.
fn faults() -> Vec<(&'static str, Value)> {
    vec![
        ("flag", json!("yes")),
        ("small", json!(200)),
        ("large", json!(-1)),
        ("double", json!([])),
        ("letter", json!("ab")),
        ("text", json!(1)),
        ("present", json!({})),
        ("nothing", json!(1)),
        ("empty", json!(false)),
        ("pair", json!([1])),
        ("list", json!([1, -1])),
        ("map", json!({ "a": "b" })),
        ("choices", json!(["other"])),
        ("choices", json!([{ "tuple": [1] }])),
        ("choices", json!([{ "fields": {} }])),
        ("inner", json!({ "of": "jumps" })),
        ("inner", json!({ "count": 4 })),
        ("unknown", json!(1)),
    ]
}

#[test]
fn faults_have_the_same_words() {
    for (field, wrong) in faults() {
        let mut value = everything();
        value[field] = wrong;
        let direct = Everything::deserialize(&value).unwrap_err().to_string();
        assert_eq!(uniform::<Everything>(&value).unwrap_err(), direct, "{field}");
    }
    let mut value = everything();
    value.as_object_mut().unwrap().remove("pair");
    assert_eq!(uniform::<Everything>(&value).unwrap_err(), "missing field `pair`");
}

#[test]
fn faults_of_a_reader_keep_their_kind() {
    let read = |_: Uniform<'_, '_>| Err::<(), _>(UniformError::missing_field("rounds"));
    let error: serde_json::Error = read_uniformly(json!({}), read).unwrap_err();
    assert_eq!(error.to_string(), "missing field `rounds`");
}
