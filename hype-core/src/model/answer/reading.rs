//! Deserialization of answers, and a deserializer that converts an answer to a task's own type.

use std::fmt;

use serde::de::value::{BorrowedStrDeserializer, MapAccessDeserializer};
use serde::de::{self, DeserializeSeed, Deserializer, IntoDeserializer as _, MapAccess, Visitor};
use serde::{Deserialize as _, forward_to_deserialize_any};
use serde_json::{Error, Number, Value};
use smol_str::SmolStr;

use super::{Answer, AnswerValue, Entries, Held};

pub(super) fn answer<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Answer, D::Error> {
    deserializer.deserialize_any(AnswerVisitor)
}

pub(super) fn value<'de, D: Deserializer<'de>>(deserializer: D) -> Result<AnswerValue, D::Error> {
    deserializer.deserialize_any(ValueVisitor)
}

/// A key or a text, without allocating a `String` if it is short.
struct Text(SmolStr);

impl<'de> de::Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TextVisitor;
        impl Visitor<'_> for TextVisitor {
            type Value = Text;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }
            fn visit_str<E>(self, text: &str) -> Result<Text, E> {
                Ok(Text(text.into()))
            }
        }
        deserializer.deserialize_str(TextVisitor)
    }
}

/// Values that are neither objects nor texts are kept as JSON.
macro_rules! visit_json {
    ($into:expr) => {
        fn visit_bool<E: de::Error>(self, flag: bool) -> Result<Self::Value, E> {
            Ok($into(Value::Bool(flag)))
        }
        fn visit_i64<E: de::Error>(self, number: i64) -> Result<Self::Value, E> {
            Ok($into(Value::from(number)))
        }
        fn visit_u64<E: de::Error>(self, number: u64) -> Result<Self::Value, E> {
            Ok($into(Value::from(number)))
        }
        fn visit_f64<E: de::Error>(self, number: f64) -> Result<Self::Value, E> {
            Ok($into(Value::from(number)))
        }
        fn visit_unit<E: de::Error>(self) -> Result<Self::Value, E> {
            Ok($into(Value::Null))
        }
        fn visit_none<E: de::Error>(self) -> Result<Self::Value, E> {
            Ok($into(Value::Null))
        }
        fn visit_some<D: Deserializer<'de>>(self, some: D) -> Result<Self::Value, D::Error> {
            some.deserialize_any(self)
        }
        fn visit_seq<A: de::SeqAccess<'de>>(self, items: A) -> Result<Self::Value, A::Error> {
            Value::deserialize(de::value::SeqAccessDeserializer::new(items)).map($into)
        }
    };
}

struct AnswerVisitor;

impl<'de> Visitor<'de> for AnswerVisitor {
    type Value = Answer;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with one entry for each question")
    }

    visit_json!(Answer::from);

    fn visit_str<E>(self, text: &str) -> Result<Answer, E> {
        Ok(Answer(Entries::Malformed(Box::new(text.into()))))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Answer, A::Error> {
        let mut failed = None;
        let entries = std::iter::from_fn(|| match map.next_entry::<Text, AnswerValue>() {
            Ok(entry) => entry.map(|(Text(key), value)| (key, value)),
            Err(error) => {
                failed = Some(error);
                None
            }
        });
        let answer = Answer::from_entries(entries);
        failed.map_or(Ok(answer), Err)
    }
}

struct ValueVisitor;

impl<'de> Visitor<'de> for ValueVisitor {
    type Value = AnswerValue;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the answer to a question")
    }

    visit_json!(AnswerValue::from);

    fn visit_str<E>(self, text: &str) -> Result<AnswerValue, E> {
        Ok(text.into())
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<AnswerValue, A::Error> {
        Value::deserialize(MapAccessDeserializer::new(map)).map(AnswerValue::from)
    }
}

/// Passes entries on one by one.
struct InOrder<I, V> {
    entries: I,
    value: Option<V>,
}

/// Entries whose values can be read.
trait Readable<'a>: Copy {
    fn read<S: DeserializeSeed<'a>>(self, seed: S) -> Result<S::Value, Error>;
}

impl<'a> Readable<'a> for &'a AnswerValue {
    fn read<S: DeserializeSeed<'a>>(self, seed: S) -> Result<S::Value, Error> {
        seed.deserialize(self)
    }
}

impl<'a> Readable<'a> for &'a Number {
    fn read<S: DeserializeSeed<'a>>(self, seed: S) -> Result<S::Value, Error> {
        seed.deserialize(self)
    }
}

impl<'a, V: Readable<'a>, I: Iterator<Item = (&'a str, V)>> MapAccess<'a> for InOrder<I, V> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'a>>(&mut self, seed: K) -> Result<Option<K::Value>, Error> {
        let Some((key, value)) = self.entries.next() else { return Ok(None) };
        self.value = Some(value);
        seed.deserialize(BorrowedStrDeserializer::new(key)).map(Some)
    }

    fn next_value_seed<S: DeserializeSeed<'a>>(&mut self, seed: S) -> Result<S::Value, Error> {
        match self.value.take() {
            Some(value) => value.read(seed),
            None => Err(de::Error::custom("a value was requested before its key")),
        }
    }
}

impl<'de> Deserializer<'de> for &'de Answer {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match &self.0 {
            Entries::Malformed(value) => (&**value).deserialize_any(visitor),
            _ => visitor.visit_map(InOrder { entries: self.entries(), value: None }),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_some(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.to_json().deserialize_enum(name, variants, visitor)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map struct identifier ignored_any
    }
}

impl<'de> Deserializer<'de> for &'de AnswerValue {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match &self.0 {
            Held::Text(text) => visitor.visit_borrowed_str(text),
            Held::Number(number) => number.deserialize_any(visitor),
            Held::Ranks(ranks) => {
                let entries = ranks.iter().map(|(candidate, rank)| (candidate.as_str(), rank));
                visitor.visit_map(InOrder { entries, value: None })
            }
            Held::Other(value) => (&**value).deserialize_any(visitor),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match &self.0 {
            Held::Other(value) if value.is_null() => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        match &self.0 {
            Held::Text(text) => visitor.visit_enum(text.as_str().into_deserializer()),
            _ => self.to_json().deserialize_enum(name, variants, visitor),
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map struct identifier ignored_any
    }
}
