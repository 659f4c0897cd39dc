//! The options of a question, written as texts or in full.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// One option: in YAML its text, or an object with its `label`, `score` and `value`.
#[derive(Debug, Clone, PartialEq)]
pub struct LikertOption {
    /// The text that the rater reads.
    pub label: Arc<str>,
    /// Its score; its position, from 1, if left out.
    pub score: Option<f64>,
    /// The value of the answer; its position if left out.
    pub value: Option<Arc<str>>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct InFull {
    /// The text that the rater reads.
    label: Arc<str>,
    /// Its score; its position, from 1, if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    score: Option<f64>,
    /// The value of the answer; its position if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    value: Option<Arc<str>>,
}

impl LikertOption {
    /// An option whose score is its position.
    #[must_use]
    pub fn new(label: &str) -> Self {
        Self { label: label.into(), score: None, value: None }
    }

    /// The value of the answer that chooses it, at a position from 1.
    pub(super) fn value(&self, place: u32) -> Arc<str> {
        self.value.clone().unwrap_or_else(|| place.to_string().into())
    }

    /// Its score at a position from 1.
    pub(super) fn score(&self, place: u32) -> f64 {
        self.score.unwrap_or(f64::from(place))
    }
}

impl Serialize for LikertOption {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.score.is_none() && self.value.is_none() {
            return serializer.serialize_str(&self.label);
        }
        let Self { label, score, value } = self.clone();
        InFull { label, score, value }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for LikertOption {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TextOrInFull;
        impl<'de> Visitor<'de> for TextOrInFull {
            type Value = LikertOption;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the text of an option, or an object with `label`, `score` and `value`")
            }
            fn visit_str<E>(self, text: &str) -> Result<LikertOption, E> {
                Ok(LikertOption::new(text))
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<LikertOption, A::Error> {
                let InFull { label, score, value } = InFull::deserialize(MapAccessDeserializer::new(map))?;
                Ok(LikertOption { label, score, value })
            }
        }
        deserializer.deserialize_any(TextOrInFull)
    }
}

impl JsonSchema for LikertOption {
    fn schema_name() -> Cow<'static, str> {
        "LikertOption".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let in_full = generator.subschema_for::<InFull>();
        json_schema!({
            "description": "An option: its text, or an object with `label`, `score` and `value`",
            "anyOf": [{ "type": "string" }, in_full]
        })
    }
}
