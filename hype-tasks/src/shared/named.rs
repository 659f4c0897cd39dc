//! Settings that YAML may write as a name alone.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeOwned, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Settings with a name; all others have defaults.
pub trait NamedSettings: Clone + Serialize + DeserializeOwned + JsonSchema {
    /// A description of the value, for errors and schemas, such as `a criterion: its name, or an object with ...`.
    const EXPECTED: &'static str;

    /// The defaults under a name.
    fn named(name: &str) -> Self;

    /// The name, if all other settings have their defaults.
    fn name_alone(&self) -> Option<&str>;
}

/// Settings that YAML may write as their name alone, and that are written like that where nothing else is set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NameOr<T>(pub T);

impl<T> Deref for NameOr<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: NamedSettings> From<&str> for NameOr<T> {
    fn from(name: &str) -> Self {
        Self(T::named(name))
    }
}

impl<T: NamedSettings> Serialize for NameOr<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.name_alone() {
            Some(name) => serializer.serialize_str(name),
            None => self.0.serialize(serializer),
        }
    }
}

impl<'de, T: NamedSettings> Deserialize<'de> for NameOr<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NameOrObject<T>(PhantomData<T>);
        impl<'de, T: NamedSettings> Visitor<'de> for NameOrObject<T> {
            type Value = NameOr<T>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(T::EXPECTED)
            }
            fn visit_str<E>(self, name: &str) -> Result<NameOr<T>, E> {
                Ok(name.into())
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<NameOr<T>, A::Error> {
                T::deserialize(MapAccessDeserializer::new(map)).map(NameOr)
            }
        }
        deserializer.deserialize_any(NameOrObject(PhantomData))
    }
}

impl<T: NamedSettings> JsonSchema for NameOr<T> {
    fn schema_name() -> Cow<'static, str> {
        format!("NameOr{}", T::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let object = generator.subschema_for::<T>();
        json_schema!({ "description": T::EXPECTED, "anyOf": [{ "type": "string" }, object] })
    }
}
