//! The settings of a plugin, extracted from the JSON Schema of its YAML.

use serde_json::Value;

/// The maximum depth of nested settings, as schemas can refer to themselves.
const DEPTH: usize = 6;

/// A setting, described for people.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Setting {
    /// Its path, such as `staircase.preset`. `[]` stands for the items of a list and `NAME` for any key.
    pub(super) path: String,
    /// Its type and default.
    pub(super) values: String,
    /// The first paragraph of its description.
    pub(super) description: String,
}

/// All settings of a schema, outer ones before nested ones.
pub(super) fn settings(schema: &Value) -> Vec<Setting> {
    let mut found = Vec::new();
    Reader { root: schema }.fields(schema, "", DEPTH, &mut found);
    found
}

struct Reader<'a> {
    root: &'a Value,
}

impl<'a> Reader<'a> {
    fn fields(&self, schema: &'a Value, path: &str, depth: usize, found: &mut Vec<Setting>) {
        let schema = self.resolved(schema);
        let required: Vec<&str> = texts(&schema["required"]).collect();
        for (name, field) in schema["properties"].as_object().into_iter().flatten() {
            // The kind is already known.
            if path.is_empty() && name == "kind" {
                continue;
            }
            let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
            let mut values = self.values(field);
            match &field["default"] {
                Value::Null if required.contains(&&**name) => values.push_str(", required"),
                Value::Null | Value::Object(_) => {}
                default => values.push_str(&format!(", default {}", plain(default))),
            }
            found.push(Setting { description: self.description(field), values, path: path.clone() });
            self.within(field, &path, depth, found);
        }
    }

    /// The settings within a setting: of a map's fields, of a list's items, of a map's values under any key.
    fn within(&self, field: &'a Value, path: &str, depth: usize, found: &mut Vec<Setting>) {
        let Some(depth) = depth.checked_sub(1) else { return };
        let field = self.present(field);
        if is_plugin(field) {
            return;
        }
        self.fields(field, path, depth, found);
        if field["items"].is_object() {
            self.fields(self.present(&field["items"]), &format!("{path}[]"), depth, found);
        }
        if field["additionalProperties"].is_object() {
            let values = self.present(&field["additionalProperties"]);
            self.fields(values, &format!("{path}.NAME"), depth, found);
        }
    }

    /// The type of a setting, in words.
    fn values(&self, field: &'a Value) -> String {
        let field = self.resolved(field);
        for several in [&field["anyOf"], &field["oneOf"]] {
            if let Some(several) = several.as_array() {
                return joined(several.iter().map(|one| self.values(one)));
            }
        }
        if let Some(constant) = field.get("const") {
            return plain(constant);
        }
        if is_plugin(field) {
            return "a map with a `kind`".into();
        }
        if let Some(choices) = field["enum"].as_array() {
            return joined(choices.iter().map(plain));
        }
        match &field["type"] {
            Value::String(name) => self.one_type(name, field),
            Value::Array(names) => {
                joined(names.iter().filter_map(Value::as_str).map(|name| self.one_type(name, field)))
            }
            _ => "any value".into(),
        }
    }

    fn one_type(&self, name: &str, field: &'a Value) -> String {
        match name {
            "boolean" => "true or false".into(),
            "string" => "text".into(),
            "object" if field["additionalProperties"].is_object() => "map from names".into(),
            "object" => "map".into(),
            "array" if field["items"].is_object() => format!("list of {}", self.values(&field["items"])),
            "array" => "list".into(),
            "integer" | "number" => format!("{name}{}", range(field)),
            other => other.into(),
        }
    }

    /// The first paragraph of a field's description, or else of the description of its type.
    fn description(&self, field: &'a Value) -> String {
        let own = field["description"].as_str().or_else(|| self.present(field)["description"].as_str());
        let paragraph = own.unwrap_or_default().split("\n\n").next().unwrap_or_default();
        paragraph.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// A schema, without the alternative `null`.
    fn present(&self, schema: &'a Value) -> &'a Value {
        let schema = self.resolved(schema);
        let choices = schema["anyOf"].as_array().map_or(&[][..], Vec::as_slice);
        let mut values = choices.iter().filter(|choice| choice["type"] != "null");
        match (values.next(), values.next()) {
            (Some(one), None) => self.resolved(one),
            _ => schema,
        }
    }

    /// The schema to which a reference points.
    fn resolved(&self, schema: &'a Value) -> &'a Value {
        let target = schema["$ref"].as_str().and_then(|path| path.strip_prefix("#/$defs/"));
        target.map_or(schema, |name| &self.root["$defs"][name])
    }
}

/// Whether a schema is that of a plugin, which is listed separately.
fn is_plugin(schema: &Value) -> bool {
    schema["properties"]["kind"]["enum"].is_array() && schema["allOf"].is_array()
}

fn range(field: &Value) -> String {
    let [from, over, to, under] = ["minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum"]
        .map(|key| field.get(key).filter(|bound| bound.is_number()).map(plain));
    match (from, over, to, under) {
        (Some(from), _, Some(to), _) => format!(" from {from} to {to}"),
        (Some(from), _, _, Some(under)) => format!(" from {from} and under {under}"),
        (Some(from), ..) => format!(" from {from}"),
        (_, Some(over), Some(to), _) => format!(" over {over}, at most {to}"),
        (_, Some(over), _, Some(under)) => format!(" over {over} and under {under}"),
        (_, Some(over), ..) => format!(" over {over}"),
        (_, _, Some(to), _) => format!(" of at most {to}"),
        (_, _, _, Some(under)) => format!(" under {under}"),
        _ => String::new(),
    }
}

/// A value as a line of YAML.
fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => match number.as_f64() {
            Some(whole) if number.is_f64() && whole.fract().abs() < f64::EPSILON => format!("{whole:.0}"),
            _ => number.to_string(),
        },
        other => other.to_string(),
    }
}

/// The values, each once, with `or` before the last.
fn joined(values: impl Iterator<Item = String>) -> String {
    let mut once: Vec<String> = Vec::new();
    for value in values.filter(|value| !value.is_empty()) {
        if !once.contains(&value) {
            once.push(value);
        }
    }
    match once.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, before)) => format!("{} or {last}", before.join(", ")),
        None => "any value".into(),
    }
}

fn texts(list: &Value) -> impl Iterator<Item = &str> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn settings_are_told_with_their_values_and_defaults() {
        let schema = json!({
            "type": "object",
            "required": ["kind", "answers"],
            "properties": {
                "kind": { "const": "mine" },
                "answers": { "type": "string", "description": "The table.\n\n# Method\nNot here." },
                "blocks": { "type": "integer", "minimum": 1, "maximum": 9, "default": 3 },
                "share": { "type": ["number", "null"], "exclusiveMinimum": 0, "maximum": 1.0 },
                "rule": { "anyOf": [{ "$ref": "#/$defs/Rule" }, { "type": "null" }] },
                "lists": { "type": "array", "items": { "$ref": "#/$defs/Rule" } },
            },
            "$defs": { "Rule": {
                "description": "The\nrule.",
                "type": "object",
                "properties": {
                    "name": { "oneOf": [{ "const": "a", "type": "string" }, { "const": "b" }], "default": "a" },
                    "inner": { "$ref": "#/$defs/Rule" },
                },
            } },
        });
        let found = settings(&schema);
        let listed: Vec<String> = found
            .iter()
            .filter(|setting| !setting.path.contains("inner"))
            .map(|setting| format!("{}: {} | {}", setting.path, setting.values, setting.description))
            .collect();
        assert_eq!(
            listed,
            [
                "answers: text, required | The table.",
                "blocks: integer from 1 to 9, default 3 | ",
                "lists: list of map | ",
                "lists[].name: a or b, default a | ",
                "rule: map or null | The rule.",
                "rule.name: a or b, default a | ",
                "share: number over 0, at most 1 or null | ",
            ]
        );
    }
}
