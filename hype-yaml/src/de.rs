//! The serde bridge: a deserializer over the tree.

use std::fmt::Display;

use serde::de::{self, DeserializeOwned, Expected, Visitor};
use serde::forward_to_deserialize_any;

mod access;
mod names;
mod variant;

use self::access::{Entries, First, Items};
use self::variant::Variant;
use super::fault::{
    Context, Fault, Part, Placed, TAG, known_names, map_help, number_help, shown, string_help,
};
use super::{Kind, Node, Scalar, uniform};
use crate::diagnostics::{Diagnostic, Diagnostics, nearest};

/// The maximum number of faults collected from one value.
const FAULTS_AT_MOST: usize = 20;

/// Reads a node as a typed value.
pub(super) fn read<T: DeserializeOwned>(node: Node<'_>) -> Result<T, Box<Diagnostic>> {
    attempt(node, &[]).map_err(|placed| placed.diagnostic)
}

/// Reads a node as a typed value and adds all faults to `at`. Also returns whether there were no faults.
///
/// serde stops at the first fault. Therefore the faulty entry or item is left out and the rest is read again, until the
/// rest has no fault or nothing is left. A fault that may be a consequence of an omission is not added, and its value
/// is left out as well.
pub(super) fn read_leniently<T: DeserializeOwned>(node: Node<'_>, at: &mut Diagnostics) -> Option<(T, bool)> {
    let mut skipped = node.document.left_out.clone();
    if skipped.contains(&node.number) {
        return None;
    }
    let mut unknown = Vec::new();
    for _ in 0..FAULTS_AT_MOST {
        let placed = match attempt(node, &skipped) {
            Ok(value) => return Some((value, skipped.is_empty())),
            Err(placed) => placed,
        };
        let place = node.document.node(placed.number);
        let follows = match &placed.missing {
            Some(missing) => skipped.iter().any(|&number| {
                let left_out = node.document.node(number);
                left_out.record().parent == placed.number
                    && (unknown.contains(&number) || left_out.key() == Some(missing))
            }),
            None => skipped.iter().any(|&number| place.holds(number)),
        };
        if placed.diagnostic.code == "unknown-field" {
            unknown.push(placed.number);
        }
        if !follows {
            at.push(placed.diagnostic);
        }
        if placed.number == node.number {
            break;
        }
        skipped.push(placed.number);
    }
    None
}

fn attempt<T: DeserializeOwned>(node: Node<'_>, skipped: &[u32]) -> Result<T, Placed> {
    let context = Context::new(skipped, None);
    let fault = match uniform::deserialize::<T, _>(Reader::new(node, &context)) {
        Ok(value) => return Ok(value),
        Err(fault) => fault,
    };
    let mut placed = context.finish(node, &fault);
    if placed.missing.as_deref() == Some(TAG) {
        placed.diagnostic.help = kind_help::<T>(node, placed.number, skipped);
    }
    Err(placed)
}

/// Returns the help for a plugin object without a kind.
///
/// The registry of kinds is hidden in the type, but lists its names when asked for an unknown one. The value is
/// therefore read again with an impossible kind.
fn kind_help<T: DeserializeOwned>(root: Node<'_>, number: u32, skipped: &[u32]) -> Option<String> {
    let context = Context::new(skipped, Some(number));
    let kinds = match uniform::deserialize::<T, _>(Reader::new(root, &context)) {
        Ok(_) => None,
        Err(_) => context.kinds.get(),
    }?;
    let known = known_names("kinds", "", kinds);
    let object = root.document.node(number);
    let misspelt = object.as_map().and_then(|entries| nearest(TAG, entries.map(|entry| entry.key)));
    Some(match misspelt {
        Some(key) => format!("was `{key}` meant to be `{TAG}`? {known}"),
        None => known,
    })
}

/// Reads one node.
struct Reader<'a> {
    node: Node<'a>,
    context: &'a Context,
    part: Part,
    /// The known fields of the enclosing struct.
    siblings: &'static [&'static str],
}

impl<'a> Reader<'a> {
    fn new(node: Node<'a>, context: &'a Context) -> Self {
        Self { node, context, part: Part::Value, siblings: &[] }
    }

    fn place<T>(&self, result: Result<T, Fault>) -> Result<T, Fault> {
        self.context.place(self.node, self.part, result)
    }

    fn fail<T>(&self, fault: Fault) -> Result<T, Fault> {
        self.place(Err(fault))
    }

    fn wrong_type<T>(&self, expected: &str, help: Option<String>) -> Result<T, Fault> {
        self.fail(Fault::wrong_type(expected, self.node, help))
    }

    fn integer<T: TryFrom<i128>>(&self, least: &dyn Display, most: &dyn Display) -> Result<T, Fault> {
        let Some(Scalar::Integer(value, text)) = self.node.scalar() else {
            return self.wrong_type("an integer", number_help(self.node, true));
        };
        if let Some(value) = value.and_then(|value| T::try_from(value).ok()) {
            return Ok(value);
        }
        let message = format!("{} is out of range", shown(text));
        let help = format!("write an integer from {least} to {most}");
        self.fail(Fault::message("out-of-range", message, Some(help)))
    }

    fn float(&self, most: f64) -> Result<f64, Fault> {
        let (value, named) = match self.node.scalar() {
            Some(Scalar::Float(value)) => {
                (value, self.node.raw_scalar().is_some_and(|text| text.ends_with(is_letter_of_inf)))
            }
            Some(Scalar::Integer(Some(value), _)) => (float_of(value), false),
            Some(Scalar::Integer(None, text)) => (text.parse().unwrap_or(f64::INFINITY), false),
            _ => return self.wrong_type("a number", number_help(self.node, false)),
        };
        if value.abs() <= most {
            return Ok(value);
        }
        let text = self.node.raw_scalar().map(shown).unwrap_or_default();
        if named {
            let message = format!("expected a finite number, found `{text}`");
            return self.fail(Fault::message("not-finite", message, None));
        }
        let help = format!("write a number from {:e} to {most:e}", -most);
        self.fail(Fault::message("out-of-range", format!("{text} is out of range"), Some(help)))
    }

    fn string(&self) -> Result<&'a str, Fault> {
        match self.node.as_str() {
            Some(text) => Ok(text),
            None if self.part == Part::Tag => self.wrong_type("the name of a kind", None),
            None => self.wrong_type("a string", string_help(self.node)),
        }
    }

    fn items(&self) -> Result<Items<'a>, Fault> {
        let Some(items) = self.node.as_list() else {
            let text = self.node.raw_scalar().filter(|text| !text.is_empty() && text.len() < 40);
            return self
                .wrong_type("a list", text.map(|text| format!("write it as a list: `[{}]`", shown(text))));
        };
        let nodes: Vec<_> = items.filter(|node| !self.context.skipped.contains(&node.number)).collect();
        Ok(Items { nodes: nodes.into_iter(), context: self.context })
    }

    fn entries(&self, siblings: &'static [&'static str], tagged: bool) -> Result<Entries<'a>, Fault> {
        let Some(entries) = self.node.as_map() else {
            let help = match self.node.as_str().filter(|_| tagged) {
                Some(text) => Some(format!("write a map with `{TAG}: {}`", shown(text))),
                None => map_help(self.node, siblings),
            };
            return self.wrong_type("a map", help);
        };
        let mut nodes: Vec<_> = entries
            .map(|entry| entry.value)
            .filter(|node| !self.context.skipped.contains(&node.number))
            .collect();
        let mut first = First::Plain;
        if tagged {
            match nodes.iter().position(|node| node.key() == Some(TAG)) {
                Some(at) => {
                    nodes[..=at].rotate_right(1);
                    first = First::Tag;
                }
                None if self.context.probed == Some(self.node.number) => first = First::Probe,
                None => {}
            }
        }
        Ok(Entries { nodes: nodes.into_iter(), value: None, first, context: self.context, siblings })
    }

    fn visit_entries<'de, V: Visitor<'de>>(
        &self,
        visitor: V,
        siblings: &'static [&'static str],
        tagged: bool,
    ) -> Result<V::Value, Fault> {
        let mut entries = self.entries(siblings, tagged)?;
        let value = self.place(visitor.visit_map(&mut entries))?;
        match entries.nodes.next() {
            None => Ok(value),
            Some(left) => {
                let fault = Fault::unknown_field(left.key().unwrap_or_default(), siblings);
                self.context.place(left, Part::Key, Err(fault))
            }
        }
    }

    fn visit_items<'de, V: Visitor<'de>>(&self, visitor: V) -> Result<V::Value, Fault> {
        let mut items = self.items()?;
        let count = items.nodes.len();
        let value = self.place(visitor.visit_seq(&mut items))?;
        match items.nodes.len() {
            0 => Ok(value),
            left => self.fail(Fault::wrong_length(count - left, count)),
        }
    }

    fn visit_tuple<'de, V: Visitor<'de>>(&self, length: usize, visitor: V) -> Result<V::Value, Fault> {
        let found = self.items()?.nodes.len();
        if found == length {
            self.visit_items(visitor)
        } else {
            self.fail(Fault::wrong_length(length, found))
        }
    }
}

/// Reads integers of all sizes, with the range in the fault.
macro_rules! integers {
    ($($type:ty: $deserialize:ident, $visit:ident;)*) => {
        $(fn $deserialize<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
            let value = self.integer::<$type>(&<$type>::MIN, &<$type>::MAX)?;
            self.place(visitor.$visit(value))
        })*
    };
}

impl<'de> de::Deserializer<'de> for Reader<'_> {
    type Error = Fault;

    integers! {
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
        match self.node.kind() {
            Kind::Null => self.place(visitor.visit_unit()),
            Kind::Boolean => self.deserialize_bool(visitor),
            Kind::Float => self.deserialize_f64(visitor),
            Kind::String => self.deserialize_str(visitor),
            Kind::List => self.visit_items(visitor),
            Kind::Map => self.visit_entries(visitor, &[], false),
            Kind::Integer => match self.node.scalar() {
                Some(Scalar::Integer(Some(value), _)) if value < 0 => self.deserialize_i64(visitor),
                _ => self.deserialize_u64(visitor),
            },
        }
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self.node.scalar() {
            Some(Scalar::Boolean(value)) => self.place(visitor.visit_bool(value)),
            _ => self.wrong_type("a boolean", Some("write true or false".to_owned())),
        }
    }

    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        let value = self.float(f64::from(f32::MAX))?;
        // The range is checked; excess precision is dropped.
        self.place(visitor.visit_f32(value as f32))
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        let value = self.float(f64::MAX)?;
        self.place(visitor.visit_f64(value))
    }

    fn deserialize_char<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        let text = self.string()?;
        let mut characters = text.chars();
        match (characters.next(), characters.next()) {
            (Some(character), None) => self.place(visitor.visit_char(character)),
            _ => {
                let message = format!("expected one character, found {}", text.chars().count());
                self.fail(Fault::message("wrong-length", message, None))
            }
        }
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        let text = self.string()?;
        self.place(visitor.visit_str(text))
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.deserialize_str(visitor)
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.deserialize_str(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        let (node, context, part) = (self.node, self.context, self.part);
        let result = if node.is_null() { visitor.visit_none() } else { visitor.visit_some(self) };
        context.place(node, part, result)
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        let empty = self.node.as_map().is_some_and(|entries| entries.len() == 0);
        if self.node.is_null() || empty {
            self.place(visitor.visit_unit())
        } else {
            self.wrong_type("nothing", None)
        }
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Fault> {
        self.deserialize_unit(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Fault> {
        let (node, context, part) = (self.node, self.context, self.part);
        context.place(node, part, visitor.visit_newtype_struct(self))
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.visit_items(visitor)
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, length: usize, visitor: V) -> Result<V::Value, Fault> {
        self.visit_tuple(length, visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        length: usize,
        visitor: V,
    ) -> Result<V::Value, Fault> {
        self.visit_tuple(length, visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        let tagged = reads_plugin(&visitor);
        self.visit_entries(visitor, &[], tagged)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        self.visit_entries(visitor, fields, false)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        let help = || Some(known_names("values", "", variants));
        if self.node.is_null() || self.node.as_list().is_some() {
            return self.wrong_type("a name", help());
        }
        let content = match self.node.as_map() {
            None => None,
            Some(mut entries) => match (entries.next(), entries.next()) {
                (Some(entry), None) => Some(entry.value),
                _ => {
                    return self.fail(Fault::message(
                        "wrong-type",
                        "expected a map with one key".to_owned(),
                        help(),
                    ));
                }
            },
        };
        self.place(visitor.visit_enum(Variant { node: self.node, content, context: self.context }))
    }

    /// Reached only for an unknown field of a struct.
    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self.node.key() {
            Some(key) => {
                self.context.place(self.node, Part::Key, Err(Fault::unknown_field(key, self.siblings)))
            }
            None => self.place(visitor.visit_unit()),
        }
    }

    forward_to_deserialize_any! { bytes byte_buf }
}

/// Whether a visitor reads a plugin object.
///
/// Only its description of the expected input distinguishes it from a visitor that reads a map.
fn reads_plugin<'de, V: Visitor<'de>>(visitor: &V) -> bool {
    (visitor as &dyn Expected).to_string().starts_with("dyn ")
}

/// Whether a float with this ending is `.inf` or `.nan` rather than an overflow.
fn is_letter_of_inf(character: char) -> bool {
    matches!(character, 'f' | 'F' | 'n' | 'N')
}

/// The nearest floating-point number; precision beyond 53 bits is dropped.
fn float_of(value: i128) -> f64 {
    value as f64
}
