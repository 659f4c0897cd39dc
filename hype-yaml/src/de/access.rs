use serde::de::value::StrDeserializer;
use serde::de::{self, DeserializeSeed, MapAccess, SeqAccess, Visitor};
use serde::forward_to_deserialize_any;

use super::super::Node;
use super::super::fault::{Context, Fault, Part, TAG};
use super::Reader;
use super::names::KeyReader;

/// Passes on the items of a list.
pub(super) struct Items<'a> {
    pub(super) nodes: std::vec::IntoIter<Node<'a>>,
    pub(super) context: &'a Context,
}

impl<'de> SeqAccess<'de> for &mut Items<'_> {
    type Error = Fault;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Fault> {
        let Some(node) = self.nodes.next() else {
            return Ok(None);
        };
        let result = seed.deserialize(Reader::new(node, self.context));
        self.context.place(node, Part::Value, result).map(Some)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.nodes.len())
    }
}

/// Passes on the entries of a map.
pub(super) struct Entries<'a> {
    pub(super) nodes: std::vec::IntoIter<Node<'a>>,
    /// The entry whose key was passed on last, and the part that its value is.
    pub(super) value: Option<(Node<'a>, Part)>,
    pub(super) first: First,
    pub(super) context: &'a Context,
    pub(super) siblings: &'static [&'static str],
}

/// The kind of the first entry of a map.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum First {
    Plain,
    /// The kind of a plugin object.
    Tag,
    /// An impossible kind, which makes a registry list the known ones.
    Probe,
}

impl<'de> MapAccess<'de> for &mut Entries<'_> {
    type Error = Fault;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Fault> {
        if self.first == First::Probe {
            return seed.deserialize(StrDeserializer::<Fault>::new(TAG)).map(Some);
        }
        let Some(node) = self.nodes.next() else {
            return Ok(None);
        };
        let part = if self.first == First::Tag { Part::Tag } else { Part::Value };
        self.first = First::Plain;
        self.value = Some((node, part));
        let result = seed.deserialize(KeyReader { node, context: self.context });
        self.context.place(node, Part::Key, result).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Fault> {
        if self.first == First::Probe {
            return seed.deserialize(Probe { context: self.context });
        }
        let Some((node, part)) = self.value.take() else {
            return Err(de::Error::custom("a value was asked for before its key"));
        };
        let reader = Reader { node, context: self.context, part, siblings: self.siblings };
        self.context.place(node, part, seed.deserialize(reader))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.nodes.len())
    }
}

/// An impossible kind, which makes a registry list the known ones.
pub(super) struct Probe<'a> {
    pub(super) context: &'a Context,
}

impl<'de> de::Deserializer<'de> for Probe<'_> {
    type Error = Fault;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_str("").inspect_err(|fault: &Fault| self.context.kinds.set(fault.known_names()))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit
        unit_struct newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}
