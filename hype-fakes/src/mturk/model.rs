//! The service's official model, `service-2.json` of botocore, and what it says about requests.
//!
//! botocore's own validator leaves out patterns, enumerations, maxima and unknown members. Here everything is checked that the model
//! states.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use regex_lite::Regex;
use serde::Deserialize;
use serde_json::Value;

/// The official model of the service.
#[derive(Debug, Clone, Deserialize)]
pub struct ServiceModel {
    metadata: Metadata,
    operations: BTreeMap<String, Operation>,
    shapes: BTreeMap<String, Shape>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Metadata {
    target_prefix: String,
    json_version: String,
}

#[derive(Debug, Clone, Deserialize)]
struct Operation {
    http: Http,
    input: Reference,
    output: Reference,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Http {
    method: String,
    request_uri: String,
}

#[derive(Debug, Clone, Deserialize)]
struct Reference {
    shape: String,
}

#[derive(Debug, Clone, Deserialize)]
struct Shape {
    #[serde(rename = "type")]
    kind: Kind,
    #[serde(default)]
    members: BTreeMap<String, Reference>,
    #[serde(default)]
    required: Vec<String>,
    member: Option<Reference>,
    #[serde(rename = "enum", default)]
    values: Vec<String>,
    pattern: Option<String>,
    min: Option<f64>,
    max: Option<f64>,
}

/// The types that the model uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Structure,
    List,
    String,
    Integer,
    Long,
    Boolean,
    Timestamp,
}

impl ServiceModel {
    /// Reads a model.
    ///
    /// # Errors
    /// If it is not a model of this kind.
    pub fn parse(json: &[u8]) -> Result<Self, serde_json::Error> {
        serde_json::from_slice(json)
    }

    /// Where `scripts/fetch-mturk-model` has put the model, or the variable `HYPE_MTURK_MODEL` says that it is.
    #[must_use]
    pub fn path() -> Option<PathBuf> {
        if let Some(path) = std::env::var_os("HYPE_MTURK_MODEL") {
            return Some(path.into());
        }
        let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
        let home = || std::env::var_os("HOME").map(|home| Path::new(&home).join(".cache"));
        let versions = std::fs::read_dir(cache.or_else(home)?.join("hype")).ok()?;
        let mut found: Vec<PathBuf> = versions
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| {
                path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("botocore-"))
            })
            .map(|path| path.join("service-2.json"))
            .filter(|path| path.is_file())
            .collect();
        found.sort();
        found.pop()
    }

    /// The prefix of targets, before the name of the operation.
    pub(super) fn target_prefix(&self) -> &str {
        &self.metadata.target_prefix
    }

    /// The content type of requests.
    pub(super) fn content_type(&self) -> String {
        format!("application/x-amz-json-{}", self.metadata.json_version)
    }

    /// Returns the faults of a request, each with its place.
    pub(super) fn objections(&self, operation: &str, method: &str, path: &str, input: &Value) -> Vec<String> {
        let Some(known) = self.operations.get(operation) else {
            return vec![format!("the model has no operation {operation}")];
        };
        let mut faults = Vec::new();
        if known.http.method != method || known.http.request_uri != path {
            faults.push(format!(
                "{method} {path} in place of {} {}",
                known.http.method, known.http.request_uri
            ));
        }
        self.check(&known.input.shape, input, operation, &mut faults);
        faults
    }

    /// Returns the faults of an answer.
    pub(super) fn objections_to_answer(&self, operation: &str, output: &Value) -> Vec<String> {
        let mut faults = Vec::new();
        if let Some(known) = self.operations.get(operation) {
            self.check(&known.output.shape, output, operation, &mut faults);
        }
        faults
    }

    fn check(&self, name: &str, value: &Value, at: &str, faults: &mut Vec<String>) {
        let Some(shape) = self.shapes.get(name) else {
            faults.push(format!("{at}: the model has no shape {name}"));
            return;
        };
        let mut fault = |what: String| faults.push(format!("{at}: {what}"));
        match (shape.kind, value) {
            (Kind::Structure, Value::Object(members)) => {
                for required in shape.required.iter().filter(|name| !members.contains_key(*name)) {
                    fault(format!("{required} is missing"));
                }
                for (member, value) in members {
                    match shape.members.get(member) {
                        Some(reference) => {
                            self.check(&reference.shape, value, &format!("{at}.{member}"), faults);
                        }
                        None => faults.push(format!("{at}: {member} is unknown")),
                    }
                }
            }
            (Kind::List, Value::Array(entries)) => {
                if !shape.admits(entries.len() as f64) {
                    fault(format!("{} entries", entries.len()));
                }
                if let Some(reference) = &shape.member {
                    for (index, entry) in entries.iter().enumerate() {
                        self.check(&reference.shape, entry, &format!("{at}[{index}]"), faults);
                    }
                }
            }
            (Kind::String, Value::String(text)) => {
                let length = text.chars().count();
                if !shape.admits(length as f64) {
                    fault(format!("{length} characters"));
                }
                if !shape.values.is_empty() && !shape.values.contains(text) {
                    fault(format!("{text:?} is none of {:?}", shape.values));
                }
                if let Some(pattern) = &shape.pattern
                    && !Regex::new(pattern).is_ok_and(|pattern| pattern.is_match(text))
                {
                    fault(format!("{text:?} does not match {pattern}"));
                }
            }
            (Kind::Integer | Kind::Long, Value::Number(number)) => match number.as_i64() {
                Some(number) if shape.kind == Kind::Integer && i32::try_from(number).is_err() => {
                    fault(format!("{number} has more than 32 bits"));
                }
                Some(number) if !shape.admits(number as f64) => fault(format!("{number} is out of range")),
                Some(_) => {}
                None => fault(format!("{number} is not a whole number")),
            },
            (Kind::Boolean, Value::Bool(_)) => {}
            // The protocol writes times as seconds since the Unix epoch.
            (Kind::Timestamp, Value::Number(_)) => {}
            (kind, value) => fault(format!("{value} is not of the type {kind:?}")),
        }
    }
}

impl Shape {
    /// Whether a length or a number is in the shape's range.
    fn admits(&self, size: f64) -> bool {
        self.min.is_none_or(|min| size >= min) && self.max.is_none_or(|max| size <= max)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// A model with everything that the official one states.
    fn model() -> ServiceModel {
        let model = json!({
            "metadata": { "targetPrefix": "Prefix", "jsonVersion": "1.1" },
            "operations": { "Do": {
                "http": { "method": "POST", "requestUri": "/" },
                "input": { "shape": "Input" }, "output": { "shape": "Input" },
            } },
            "shapes": {
                "Input": {
                    "type": "structure", "required": ["Id"],
                    "members": {
                        "Id": { "shape": "Id" }, "Kind": { "shape": "Kind" }, "Size": { "shape": "Size" },
                        "All": { "shape": "All" }, "At": { "shape": "At" }, "Yes": { "shape": "Yes" },
                        "Long": { "shape": "Long" },
                    },
                },
                "Id": { "type": "string", "min": 1, "max": 4, "pattern": "^[A-Z]+$" },
                "Kind": { "type": "string", "enum": ["A", "B"] },
                "Size": { "type": "integer", "min": 1, "max": 100 },
                "Long": { "type": "long" },
                "All": { "type": "list", "member": { "shape": "Kind" } },
                "At": { "type": "timestamp" },
                "Yes": { "type": "boolean" },
            },
        });
        ServiceModel::parse(model.to_string().as_bytes()).unwrap()
    }

    #[test]
    fn everything_that_the_model_states_is_checked() {
        let objections = |input: Value| model().objections("Do", "POST", "/", &input);
        let fine = json!({
            "Id": "ABCD", "Kind": "A", "Size": 100, "All": ["A", "B"], "At": 1.5, "Yes": true, "Long": 1_u64 << 40,
        });
        assert_eq!(objections(fine), [""; 0]);
        let cases = [
            (json!({}), "Do: Id is missing"),
            (json!({ "Id": "A", "Other": 1 }), "Do: Other is unknown"),
            (json!({ "Id": "ABCDE" }), "Do.Id: 5 characters"),
            (json!({ "Id": "" }), "Do.Id: 0 characters"),
            (json!({ "Id": "a" }), "Do.Id: \"a\" does not match ^[A-Z]+$"),
            (json!({ "Id": 1 }), "Do.Id: 1 is not of the type String"),
            (json!({ "Id": "A", "Kind": "C" }), "Do.Kind: \"C\" is none of [\"A\", \"B\"]"),
            (json!({ "Id": "A", "Size": 0 }), "Do.Size: 0 is out of range"),
            (json!({ "Id": "A", "Size": 101 }), "Do.Size: 101 is out of range"),
            (json!({ "Id": "A", "Size": 1.5 }), "Do.Size: 1.5 is not a whole number"),
            (json!({ "Id": "A", "Size": 1_u64 << 40 }), "Do.Size: 1099511627776 has more than 32 bits"),
            (json!({ "Id": "A", "All": ["A", "C"] }), "Do.All[1]: \"C\" is none of [\"A\", \"B\"]"),
            (json!({ "Id": "A", "All": {} }), "Do.All: {} is not of the type List"),
            (json!({ "Id": "A", "At": "2026-09-01" }), "Do.At: \"2026-09-01\" is not of the type Timestamp"),
            (json!({ "Id": "A", "Yes": 1 }), "Do.Yes: 1 is not of the type Boolean"),
        ];
        for (input, fault) in cases {
            assert_eq!(objections(input.clone()).first().map(String::as_str), Some(fault), "{input}");
        }
        assert_eq!(model().objections("Undo", "POST", "/", &json!({})), ["the model has no operation Undo"]);
        let placed = model().objections("Do", "GET", "/x", &json!({ "Id": "A" }));
        assert_eq!(placed, ["GET /x in place of POST /"]);
    }
}
