//! TypeScript declarations from JSON Schemas, as far as schemars uses them for messages.

use std::fmt::Write as _;

use serde_json::{Map, Value};

/// `export type NAME = …;`, with the description as a comment.
pub(crate) fn declaration(name: &str, schema: &Value) -> String {
    let mut text = String::new();
    if let Some(description) = schema["description"].as_str() {
        let _ = writeln!(text, "/** {} */", description.replace('\n', " "));
    }
    let _ = writeln!(text, "export type {name} = {};", of(schema));
    text
}

/// The type of the values that a schema describes.
pub(crate) fn of(schema: &Value) -> String {
    let Value::Object(schema) = schema else { return "unknown".into() };
    let mut all = Vec::new();
    if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
        all.push(reference.rsplit('/').next().unwrap().to_owned());
    }
    for key in ["oneOf", "anyOf"] {
        if let Some(Value::Array(variants)) = schema.get(key) {
            all.push(union(variants.iter().map(of).collect()));
        }
    }
    if let Some(Value::Array(parts)) = schema.get("allOf") {
        all.extend(parts.iter().map(of));
    }
    if let Some(value) = schema.get("const") {
        all.push(literal(value));
    } else if let Some(Value::Array(values)) = schema.get("enum") {
        all.push(union(values.iter().map(literal).collect()));
    } else {
        match schema.get("type") {
            Some(Value::String(kind)) => all.extend(typed(kind, schema)),
            Some(Value::Array(kinds)) => {
                let kinds = kinds.iter().filter_map(Value::as_str).filter_map(|kind| typed(kind, schema));
                all.push(union(kinds.collect()));
            }
            _ => {}
        }
    }
    match all.as_slice() {
        [] => "unknown".into(),
        [one] => one.clone(),
        several => several
            .iter()
            .map(|part| if part.contains(" | ") { format!("({part})") } else { part.clone() })
            .collect::<Vec<_>>()
            .join(" & "),
    }
}

/// The type of the values of one of JSON's kinds; `None` for an object that only adds to other schemas.
fn typed(kind: &str, schema: &Map<String, Value>) -> Option<String> {
    Some(match kind {
        "integer" | "number" => "number".into(),
        "array" => match schema.get("prefixItems") {
            Some(Value::Array(items)) => {
                format!("[{}]", items.iter().map(of).collect::<Vec<_>>().join(", "))
            }
            _ => {
                let item = schema.get("items").map_or_else(|| "unknown".into(), of);
                if item.contains([' ', '&']) { format!("({item})[]") } else { format!("{item}[]") }
            }
        },
        "object" => return object(schema),
        kind => kind.into(),
    })
}

fn object(schema: &Map<String, Value>) -> Option<String> {
    if let Some(Value::Object(properties)) =
        schema.get("properties").filter(|it| **it != Value::Object(Map::new()))
    {
        let required: Vec<&str> = schema
            .get("required")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let fields = properties.iter().map(|(name, schema)| {
            let optional = if required.contains(&name.as_str()) { "" } else { "?" };
            format!("{name}{optional}: {}", of(schema))
        });
        return Some(format!("{{ {} }}", fields.collect::<Vec<_>>().join("; ")));
    }
    // Maps with numeric keys have a pattern for their keys.
    let patterns = schema.get("patternProperties").and_then(Value::as_object);
    let values = patterns.and_then(|patterns| patterns.values().next());
    match values.or_else(|| schema.get("additionalProperties")) {
        Some(values @ Value::Object(_)) => Some(format!("Record<string, {}>", of(values))),
        _ if ["$ref", "oneOf", "anyOf", "allOf"].iter().any(|key| schema.contains_key(*key)) => None,
        _ => Some("Record<string, unknown>".into()),
    }
}

fn literal(value: &Value) -> String {
    match value {
        Value::String(text) => format!("'{text}'"),
        other => other.to_string(),
    }
}

fn union(mut types: Vec<String>) -> String {
    let mut seen = std::collections::HashSet::new();
    types.retain(|one| seen.insert(one.clone()));
    types.join(" | ")
}
