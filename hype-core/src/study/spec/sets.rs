//! The `stimuli` section: named sets and their file patterns.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::model::media::MediaKind;
use crate::model::stimulus::{Role, Use};

/// One set of stimuli.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SetSpec {
    /// `real`, or `generated` by the model that the set is named after.
    pub role: Role,
    /// The files of images, as one pattern such as `images/real/*.png`, or several.
    #[serde(default, skip_serializing_if = "Patterns::is_empty")]
    pub images: Patterns,
    /// The files of video clips, in place of `images`: MP4 or WebM with H.264, VP9 or AV1.
    #[serde(default, skip_serializing_if = "Patterns::is_empty")]
    pub videos: Patterns,
    /// The files of texts, in place of `images`: plain (`.txt`) or Markdown (`.md`), in UTF-8.
    #[serde(default, skip_serializing_if = "Patterns::is_empty")]
    pub texts: Patterns,
    /// `main` (default), `qualification` for stimuli that are shown only in the qualification, or `gold` for stimuli
    /// with known right answers.
    #[serde(default, rename = "use")]
    pub used_for: Use,
    /// The right answers for gold stimuli, by the question's key; each of the listed answers is right.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub answers: BTreeMap<Arc<str>, Vec<Arc<str>>>,
    /// The licence of the images, such as `CC-BY-4.0`: packages have the images of a set only if it declares one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub licence: Option<Arc<str>>,
}

impl SetSpec {
    /// The kind of the files, with their patterns: that of the first field that names any, or images.
    #[must_use]
    pub fn files(&self) -> (MediaKind, &Patterns) {
        self.named_files().next().unwrap_or((MediaKind::Image, &self.images))
    }

    /// The kinds of files that are named, with their patterns. A valid set names one.
    pub fn named_files(&self) -> impl Iterator<Item = (MediaKind, &Patterns)> {
        [(MediaKind::Image, &self.images), (MediaKind::Video, &self.videos), (MediaKind::Text, &self.texts)]
            .into_iter()
            .filter(|(_, patterns)| !patterns.is_empty())
    }
}

/// One or several file patterns, relative to the spec's folder.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Patterns(pub Vec<String>);

impl Patterns {
    /// Whether there are no patterns.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Serialize for Patterns {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.as_slice() {
            [one] => serializer.serialize_str(one),
            several => several.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Patterns {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct OneOrSeveral;
        impl<'de> Visitor<'de> for OneOrSeveral {
            type Value = Patterns;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a file pattern or a list of file patterns")
            }
            fn visit_str<E>(self, one: &str) -> Result<Patterns, E> {
                Ok(Patterns(vec![one.to_owned()]))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Patterns, A::Error> {
                let mut several = Vec::new();
                while let Some(pattern) = list.next_element()? {
                    several.push(pattern);
                }
                Ok(Patterns(several))
            }
        }
        deserializer.deserialize_any(OneOrSeveral)
    }
}

impl JsonSchema for Patterns {
    fn schema_name() -> Cow<'static, str> {
        "Patterns".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A file pattern such as images/real/*.png, or several",
            "anyOf": [
                { "type": "string" },
                { "type": "array", "items": { "type": "string" }, "minItems": 1 }
            ]
        })
    }
}

/// A map from names to entries, in the order of the spec.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named<T>(pub Vec<(Arc<str>, T)>);

/// The sets by name, in the order of the spec.
pub type SetSpecs = Named<SetSpec>;

impl<T> Default for Named<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> Named<T> {
    /// Iterates over the entries with their names.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &T)> {
        self.0.iter().map(|(name, entry)| (&**name, entry))
    }

    /// The entry of this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&T> {
        self.iter().find(|(known, _)| *known == name).map(|(_, entry)| entry)
    }

    /// Whether there are no entries.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<T: Serialize> Serialize for Named<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, entry) in &self.0 {
            map.serialize_entry(name, entry)?;
        }
        map.end()
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Named<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Ordered<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Ordered<T> {
            type Value = Named<T>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a map from names to entries")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Named<T>, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(Named(entries))
            }
        }
        deserializer.deserialize_map(Ordered(PhantomData))
    }
}
