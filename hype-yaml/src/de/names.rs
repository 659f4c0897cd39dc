use serde::de::value::StrDeserializer;
use serde::de::{self, IntoDeserializer, Visitor};
use serde::forward_to_deserialize_any;

use super::super::Node;
use super::super::fault::{Context, Fault, Part, shown};

/// Reads the key of an entry: text, or a number in text.
pub(super) struct KeyReader<'a> {
    pub(super) node: Node<'a>,
    pub(super) context: &'a Context,
}

impl<'a> KeyReader<'a> {
    fn text(&self) -> &'a str {
        self.node.key().unwrap_or_default()
    }

    fn place<T>(&self, result: Result<T, Fault>) -> Result<T, Fault> {
        self.context.place(self.node, Part::Key, result)
    }
}

/// Reads keys that are integers.
macro_rules! integer_keys {
    ($($type:ty: $deserialize:ident, $visit:ident;)*) => {
        $(fn $deserialize<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
            let text = self.text();
            match text.parse::<$type>() {
                Ok(value) => self.place(visitor.$visit(value)),
                Err(_) => {
                    let message = format!("the key `{}` is not an integer in range", shown(text));
                    let help = format!("write an integer from {} to {}", <$type>::MIN, <$type>::MAX);
                    self.place(Err(Fault::message("wrong-type", message, Some(help))))
                }
            }
        })*
    };
}

impl<'de> de::Deserializer<'de> for KeyReader<'_> {
    type Error = Fault;

    integer_keys! {
        i8: deserialize_i8, visit_i8;
        i16: deserialize_i16, visit_i16;
        i32: deserialize_i32, visit_i32;
        i64: deserialize_i64, visit_i64;
        i128: deserialize_i128, visit_i128;
        u8: deserialize_u8, visit_u8;
        u16: deserialize_u16, visit_u16;
        u32: deserialize_u32, visit_u32;
        u64: deserialize_u64, visit_u64;
        u128: deserialize_u128, visit_u128;
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.place(visitor.visit_str(self.text()))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Fault> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        let name: StrDeserializer<'_, Fault> = self.text().into_deserializer();
        self.place(visitor.visit_enum(name))
    }

    forward_to_deserialize_any! {
        bool f32 f64 char str string bytes byte_buf unit unit_struct seq tuple tuple_struct map struct
        identifier ignored_any
    }
}

/// Reads a scalar as a name, whatever its type as a value.
pub(super) struct NameReader<'a> {
    pub(super) node: Node<'a>,
    pub(super) context: &'a Context,
}

impl<'de> de::Deserializer<'de> for NameReader<'_> {
    type Error = Fault;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        let result = visitor.visit_str(self.node.raw_scalar().unwrap_or_default());
        self.context.place(self.node, Part::Value, result)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit
        unit_struct newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}
