//! How the plugins of one part of a spec are read by their kind.

use std::collections::BTreeMap;
use std::fmt;

use hype_yaml::{Uniform, UniformError, read_uniformly};
use serde::de::value::MapDeserializer;
use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, Visitor};
use serde::forward_to_deserialize_any;
use serde_json::{Map, Value};

/// The key that names the kind.
const TAG: &str = "kind";

/// Lets `Box<dyn $spec>` be read by its kind.
macro_rules! read_by_kind {
    ($spec:ident) => {
        const _: () = {
            use std::sync::OnceLock;

            use serde::{Deserialize, Deserializer};

            use crate::plugin::kinds::{KindReader, Kinds};

            inventory::collect!(KindReader<dyn $spec>);

            impl<'de> Deserialize<'de> for Box<dyn $spec> {
                fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                    static KINDS: OnceLock<Kinds<dyn $spec>> = OnceLock::new();
                    let linked = inventory::iter::<KindReader<dyn $spec>>;
                    KINDS
                        .get_or_init(|| Kinds::of(concat!("dyn ", stringify!($spec)), linked))
                        .read(deserializer)
                }
            }
        };
    };
}

pub(crate) use read_by_kind;

/// How the settings of one kind are read. Registration macros submit it.
#[doc(hidden)]
pub struct KindReader<T: ?Sized + 'static> {
    name: &'static str,
    read: ReadsKind<T>,
}

type ReadsKind<T> = fn(Uniform<'_, '_>) -> Result<Box<T>, UniformError>;

impl<T: ?Sized> KindReader<T> {
    /// The kind with this name.
    pub const fn new(name: &'static str, read: ReadsKind<T>) -> Self {
        Self { name, read }
    }
}

/// The linked kinds of one part of a spec.
pub(crate) struct Kinds<T: ?Sized + 'static> {
    /// The name of the part, for messages.
    expected: &'static str,
    names: Vec<&'static str>,
    /// `None` for a name that two plugins have.
    by_name: BTreeMap<&'static str, Option<ReadsKind<T>>>,
}

impl<T: ?Sized> Kinds<T> {
    pub(crate) fn of(
        expected: &'static str,
        kinds: impl IntoIterator<Item = &'static KindReader<T>>,
    ) -> Self {
        let mut by_name = BTreeMap::new();
        for kind in kinds {
            by_name.entry(kind.name).and_modify(|read| *read = None).or_insert(Some(kind.read));
        }
        Self { expected, names: by_name.keys().copied().collect(), by_name }
    }

    /// Reads an object that names one of the kinds.
    pub(crate) fn read<'de, D: Deserializer<'de>>(&'static self, from: D) -> Result<Box<T>, D::Error> {
        read_uniformly(from, |uniform| uniform.deserialize_map(self))
    }
}

impl<'de, T: ?Sized> Visitor<'de> for &'static Kinds<T> {
    type Value = Box<T>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.expected)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Box<T>, A::Error> {
        let mut before = Map::new();
        let mut read = None;
        while let Some(key) = map.next_key::<String>()? {
            if key != TAG || read.is_some() {
                before.insert(key, map.next_value::<Value>()?);
                continue;
            }
            let kind = map.next_value_seed(self)?;
            if before.is_empty() {
                return read_uniformly(Settings(map), kind);
            }
            read = Some(kind);
        }
        let kind = read.ok_or_else(|| A::Error::missing_field(TAG))?;
        let entries = MapDeserializer::<_, serde_json::Error>::new(before.into_iter());
        read_uniformly(Settings(entries), kind).map_err(A::Error::custom)
    }
}

/// Reads the name of a kind.
impl<'de, T: ?Sized> DeserializeSeed<'de> for &'static Kinds<T> {
    type Value = ReadsKind<T>;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<ReadsKind<T>, D::Error> {
        read_uniformly(from, |uniform| uniform.deserialize_str(Named(self)))
    }
}

struct Named<T: ?Sized + 'static>(&'static Kinds<T>);

impl<T: ?Sized> Visitor<'_> for Named<T> {
    type Value = ReadsKind<T>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.0.expected)
    }

    fn visit_str<E: serde::de::Error>(self, name: &str) -> Result<ReadsKind<T>, E> {
        match self.0.by_name.get(name) {
            Some(Some(read)) => Ok(*read),
            Some(None) => Err(E::custom(format_args!("non-unique tag of {}: {name:?}", self.0.expected))),
            None => Err(E::unknown_variant(name, &self.0.names)),
        }
    }
}

/// The entries without the kind. A struct without fields is read from any.
struct Settings<A>(A);

impl<'de, A: MapAccess<'de>> Deserializer<'de> for Settings<A> {
    type Error = A::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, A::Error> {
        visitor.visit_map(self.0)
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, A::Error> {
        visitor.visit_unit()
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, A::Error> {
        visitor.visit_newtype_struct(self)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit seq tuple tuple_struct
        map struct enum identifier ignored_any
    }
}
