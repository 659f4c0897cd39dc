//! Bounds of settings and settings that were removed: what the schema of a spec declares holds wherever one is read or checked.

use std::sync::LazyLock;

use serde_json::Value;

use crate::diagnostics::Diagnostics;
use crate::plugin::registry::Registry;
use crate::study::spec::schema::spec_schema;

/// The schema of specs with the linked plugins; without bounds if the plugins conflict.
static SCHEMA: LazyLock<Value> =
    LazyLock::new(|| Registry::linked().map_or(Value::Null, |registry| spec_schema(&registry)));

/// The keyword of a schema for settings that earlier versions had: by name, the default and what takes their place.
const REMOVED: &str = "x-removed";

/// Reports every number that is out of the bounds that its schema declares, and every setting that was removed: an error that
/// says what takes its place, or a note if it has its default, as specs that earlier versions stored may have it.
///
/// A type declares the settings that it had by `#[schemars(extend("x-removed" = { "name": [default, "what to use instead"] }))]`.
///
/// `sections` are those of a spec, or some of them. [`Spec::read`](super::Spec::read) and [`Spec::check`](super::Spec::check)
/// report these faults by themselves.
pub fn check_bounds(sections: &Value, at: &mut Diagnostics) {
    walk(&SCHEMA, sections, "", at);
}

fn walk(schema: &Value, value: &Value, name: &str, at: &mut Diagnostics) {
    if let Some(referred) = referred(schema) {
        walk(referred, value, name, at);
    }
    for part in list(schema, "allOf") {
        walk(part, value, name, at);
    }
    if let Some(condition) = schema.get("if") {
        let branch = if fits(condition, value) { "then" } else { "else" };
        schema.get(branch).into_iter().for_each(|branch| walk(branch, value, name, at));
    }
    let alternatives = ["anyOf", "oneOf"].into_iter().flat_map(|key| list(schema, key));
    let fitting: Vec<&Value> = alternatives.filter(|alternative| fits(alternative, value)).collect();
    let is_faulty = |alternative: &&Value| {
        let mut found = Diagnostics::new();
        walk(alternative, value, name, &mut found);
        !found.is_empty()
    };
    if let Some(first) = fitting.first().filter(|_| fitting.iter().all(is_faulty)) {
        walk(first, value, name, at);
    }
    match value {
        Value::Number(number) => check_number(schema, number.as_f64().unwrap_or_default(), name, at),
        Value::Array(items) => {
            let Some(of_items) = schema.get("items") else { return };
            for (index, item) in items.iter().enumerate() {
                at.within_item(index, |at| walk(of_items, item, name, at));
            }
        }
        Value::Object(entries) => {
            let named = schema.get("properties");
            let others = schema.get("additionalProperties");
            for (key, entry) in entries {
                if let Some(removed) = schema.get(REMOVED).and_then(|removed| removed.get(key)) {
                    at.within(key, |at| check_removed(removed, entry, key, at));
                } else if let Some(of_entry) = named.and_then(|named| named.get(key)).or(others) {
                    at.within(key, |at| walk(of_entry, entry, key, at));
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::String(_) => {}
    }
}

fn check_removed(removed: &Value, value: &Value, name: &str, at: &mut Diagnostics) {
    let message = format!("`{name}` is no longer a setting");
    let is_equal_number = value.as_f64().is_some_and(|value| removed[0].as_f64() == Some(value));
    if value.is_null() || *value == removed[0] || is_equal_number {
        at.note("removed-setting", message);
    } else {
        at.error("removed-setting", message).help(removed[1].as_str().unwrap_or_default());
    }
}

fn check_number(schema: &Value, number: f64, name: &str, at: &mut Diagnostics) {
    let bound = |key| schema.get(key).and_then(Value::as_f64);
    // The type of an unsigned integer refuses a sign by itself.
    let is_unsigned = schema["format"].as_str().is_some_and(|format| format.starts_with("uint"));
    let (least, above) = (bound("minimum"), bound("exclusiveMinimum"));
    let (most, below) = (bound("maximum"), bound("exclusiveMaximum"));
    let holds = least.is_none_or(|least| number >= least || is_unsigned && least <= 0.0)
        && above.is_none_or(|above| number > above)
        && most.is_none_or(|most| number <= most)
        && below.is_none_or(|below| number < below);
    if holds {
        return;
    }
    let from = least.map(|least| format!(" from {least}")).or(above.map(|above| format!(" above {above}")));
    let (at_most, under) = match (least, above) {
        (Some(_), _) => (" to", " and under"),
        (None, Some(_)) => (" and at most", " and under"),
        (None, None) => (" of at most", " under"),
    };
    let to = most.map(|most| format!("{at_most} {most}")).or(below.map(|below| format!("{under} {below}")));
    let usual = [&schema["examples"][0], &schema["default"]].into_iter().find_map(Value::as_f64);
    let usual = usual.filter(|usual| usual.abs() > 0.0);
    let such = usual.map(|usual| format!(", such as {usual}"));
    let [from, to, such] = [from, to, such].map(Option::unwrap_or_default);
    at.error("out-of-range", format!("{name} is {number}")).help(format!("use a number{from}{to}{such}"));
}

/// Whether a value has the type, the names and the kind that a schema asks for.
fn fits(schema: &Value, value: &Value) -> bool {
    if let Some(referred) = referred(schema) {
        return fits(referred, value);
    }
    let types = match &schema["type"] {
        Value::Array(types) => types.iter().any(|name| is_of_type(name, value)),
        Value::Null => true,
        name => is_of_type(name, value),
    };
    let alternatives = || ["anyOf", "oneOf"].into_iter().flat_map(|key| list(schema, key));
    let constants = schema["properties"].as_object().into_iter().flatten();
    types
        && schema.get("const").is_none_or(|constant| constant == value)
        && schema.get("enum").is_none_or(|_| list(schema, "enum").any(|one| one == value))
        && list(schema, "required").all(|name| value.get(name.as_str().unwrap_or_default()).is_some())
        && constants.into_iter().all(|(key, of_key)| {
            of_key.get("const").zip(value.get(key)).is_none_or(|(constant, value)| constant == value)
        })
        && (alternatives().next().is_none() || alternatives().any(|alternative| fits(alternative, value)))
}

fn is_of_type(name: &Value, value: &Value) -> bool {
    match name.as_str() {
        Some("null") => value.is_null(),
        Some("boolean") => value.is_boolean(),
        Some("integer" | "number") => value.is_number(),
        Some("string") => value.is_string(),
        Some("array") => value.is_array(),
        _ => value.is_object(),
    }
}

/// The definition that a schema refers to.
fn referred(schema: &Value) -> Option<&'static Value> {
    let name = schema.get("$ref")?.as_str()?.strip_prefix("#/$defs/")?;
    SCHEMA.get("$defs")?.get(name)
}

fn list<'a>(schema: &'a Value, key: &str) -> impl Iterator<Item = &'a Value> {
    schema.get(key).and_then(Value::as_array).into_iter().flatten()
}
