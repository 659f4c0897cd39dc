//! Digests, which identify stimuli, specs and studies by content.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::model::hex;

/// A SHA-256 digest, written as 64 lower-case hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest(pub [u8; 32]);

impl Digest {
    /// Digests bytes.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// Digests a JSON value in its canonical form: sorted keys, no white space.
    #[must_use]
    pub fn of_json(value: &Value) -> Self {
        let mut text = String::new();
        write_canonical(value, &mut text);
        Self::of(text.as_bytes())
    }

    /// The first twelve digits, which are enough for people to distinguish digests.
    #[must_use]
    pub fn short(&self) -> String {
        let mut text = self.to_string();
        text.truncate(12);
        text
    }
}

/// Writes JSON with sorted keys, also if a program enables `preserve_order` of `serde_json`.
fn write_canonical(value: &Value, into: &mut String) {
    match value {
        Value::Array(items) => {
            into.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    into.push(',');
                }
                write_canonical(item, into);
            }
            into.push(']');
        }
        Value::Object(map) => {
            let mut entries: Vec<_> = map.iter().collect();
            entries.sort_by(|a, b| a.0.cmp(b.0));
            into.push('{');
            for (index, (key, item)) in entries.into_iter().enumerate() {
                if index > 0 {
                    into.push(',');
                }
                into.push_str(&Value::from(key.as_str()).to_string());
                into.push(':');
                write_canonical(item, into);
            }
            into.push('}');
        }
        leaf => into.push_str(&leaf.to_string()),
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::to_hex(&self.0))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Digest({})", self.short())
    }
}

/// The text is not 64 hexadecimal digits.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a digest is 64 hexadecimal digits")]
pub struct NotADigest;

impl FromStr for Digest {
    type Err = NotADigest;

    fn from_str(text: &str) -> Result<Self, NotADigest> {
        hex::from_hex(&text.to_ascii_lowercase()).map(Self).ok_or(NotADigest)
    }
}

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&hex::to_hex(&self.0))
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<'de, str>::deserialize(deserializer)?;
        text.parse().map_err(de::Error::custom)
    }
}

impl JsonSchema for Digest {
    fn schema_name() -> Cow<'static, str> {
        "Digest".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "pattern": "^[0-9a-f]{64}$", "description": "SHA-256" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_read_back_what_they_print() {
        let digest = Digest::of(b"abc");
        assert_eq!(digest.to_string(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        assert_eq!(digest.to_string().parse(), Ok(digest));
        assert_eq!("ba78".parse::<Digest>(), Err(NotADigest));
        assert_eq!("é".repeat(32).parse::<Digest>(), Err(NotADigest));
    }

    #[test]
    fn canonical_json_ignores_the_order_of_keys() {
        let one = serde_json::json!({ "b": [1, { "d": null, "c": "x\"" }], "a": 0.5 });
        let other: Value = serde_json::from_str(r#"{"a":0.5,"b":[1,{"c":"x\"","d":null}]}"#).unwrap();
        assert_eq!(Digest::of_json(&one), Digest::of_json(&other));
        assert_eq!(Digest::of_json(&one), Digest::of(r#"{"a":0.5,"b":[1,{"c":"x\"","d":null}]}"#.as_bytes()));
    }
}
