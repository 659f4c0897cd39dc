use serde_json::{Map, Number, Value};

use super::{Node, Scalar};

/// Converts a part of the tree into JSON, for validation against a schema.
///
/// Values that JSON cannot express stay visible: `.inf` and `.nan` become strings, and integers of more than 64 bits
/// become the nearest floating-point number.
#[must_use]
pub fn to_json(node: Node<'_>) -> Value {
    if let Some(entries) = node.as_map() {
        let entries = entries.map(|entry| (entry.key.to_owned(), to_json(entry.value)));
        return Value::Object(entries.collect::<Map<_, _>>());
    }
    if let Some(items) = node.as_list() {
        return Value::Array(items.map(to_json).collect());
    }
    let raw = || Value::String(node.raw_scalar().unwrap_or_default().to_owned());
    match node.scalar() {
        None | Some(Scalar::Null) => Value::Null,
        Some(Scalar::Boolean(value)) => Value::Bool(value),
        Some(Scalar::Integer(value, text)) => integer(value, text).map_or_else(raw, Value::Number),
        Some(Scalar::Float(value)) => Number::from_f64(value).map_or_else(raw, Value::Number),
        Some(Scalar::String(text)) => Value::String(text.to_owned()),
    }
}

fn integer(value: Option<i128>, text: &str) -> Option<Number> {
    if let Some(value) = value {
        if let Ok(value) = u64::try_from(value) {
            return Some(value.into());
        }
        if let Ok(value) = i64::try_from(value) {
            return Some(value.into());
        }
    }
    Number::from_f64(text.parse().ok()?)
}
