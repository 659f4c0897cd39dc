use serde::de::{DeserializeSeed, EnumAccess, VariantAccess, Visitor};

use super::super::Node;
use super::super::fault::{Context, Fault, Part, shown};
use super::Reader;
use super::names::{KeyReader, NameReader};

/// Passes on a variant of an enum: a name, or a map with the name as its only key.
pub(super) struct Variant<'a> {
    pub(super) node: Node<'a>,
    pub(super) content: Option<Node<'a>>,
    pub(super) context: &'a Context,
}

impl<'a> Variant<'a> {
    fn content(&self) -> Result<Reader<'a>, Fault> {
        match self.content {
            Some(node) => Ok(Reader::new(node, self.context)),
            None => {
                let name = self.node.raw_scalar().map(shown).unwrap_or_default();
                let message = format!("`{name}` needs a value");
                let help = Some(format!("write `{name}:` with the value under it"));
                self.context.place(self.node, Part::Value, Err(Fault::message("wrong-type", message, help)))
            }
        }
    }
}

impl<'de> EnumAccess<'de> for Variant<'_> {
    type Error = Fault;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self), Fault> {
        let name = match self.content {
            Some(content) => seed.deserialize(KeyReader { node: content, context: self.context }),
            None => {
                let reader = NameReader { node: self.node, context: self.context };
                self.context.place(self.node, Part::Value, seed.deserialize(reader))
            }
        }?;
        Ok((name, self))
    }
}

impl<'de> VariantAccess<'de> for Variant<'_> {
    type Error = Fault;

    fn unit_variant(self) -> Result<(), Fault> {
        match self.content {
            Some(content) if !content.is_null() => {
                let message = format!("`{}` takes no value", shown(content.key().unwrap_or_default()));
                self.context.place(content, Part::Value, Err(Fault::message("wrong-type", message, None)))
            }
            _ => Ok(()),
        }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Fault> {
        let reader = self.content()?;
        let node = reader.node;
        self.context.place(node, Part::Value, seed.deserialize(reader))
    }

    fn tuple_variant<V: Visitor<'de>>(self, length: usize, visitor: V) -> Result<V::Value, Fault> {
        self.content()?.visit_tuple(length, visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        self.content()?.visit_entries(visitor, fields, false)
    }
}
