//! A deserializer behind a trait object.
//!
//! Serde compiles how a type is read once for each deserializer, and typetag's erased deserializer calls each visitor by a
//! table of 27 functions: a tenth of the program's code. With one deserializer for all inputs, which calls a visitor by one
//! function, each type is compiled once.

use std::fmt;

use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, EnumAccess, Error as _, MapAccess, SeqAccess, VariantAccess,
    Visitor,
};
use serde::forward_to_deserialize_any;

mod error;

pub use self::error::UniformError;

type Names = &'static [&'static str];

/// Reads a value of any deserializer by code that is compiled once for each `T`.
///
/// # Errors
/// If the value is not of this type.
pub fn read_uniformly<'de, D: Deserializer<'de>, T>(
    deserializer: D,
    read: impl FnOnce(Uniform<'_, 'de>) -> Result<T, UniformError>,
) -> Result<T, D::Error> {
    read(Uniform(&mut Once(Some(deserializer)))).map_err(|error| error.of())
}

/// A deserializer of any kind, behind a trait object. It passes on whole numbers of at most 64 bits and no bytes.
pub struct Uniform<'a, 'de>(&'a mut dyn Source<'de>);

/// The input that a type asks a deserializer for.
#[derive(Clone, Copy)]
enum Request {
    Any,
    Bool,
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
    F32,
    F64,
    Char,
    Str,
    Option,
    Unit,
    UnitStruct(&'static str),
    NewtypeStruct(&'static str),
    Seq,
    Tuple(usize),
    TupleStruct(&'static str, usize),
    Map,
    Struct(&'static str, Names),
    Enum(&'static str, Names),
    Identifier,
    IgnoredAny,
}

/// The input that a deserializer found.
enum Found<'a, 'de> {
    Bool(bool),
    Signed(i64),
    Unsigned(u64),
    Float(f64),
    Text(&'a str),
    Unit,
    None,
    Some(Uniform<'a, 'de>),
    Newtype(Uniform<'a, 'de>),
    Items(&'a mut dyn Items<'de>),
    Entries(&'a mut dyn Entries<'de>),
    Variant(&'a mut dyn Variant<'de>),
}

/// A [`Deserializer`] that can be used once.
trait Source<'de> {
    fn answer(&mut self, request: Request, receiver: &mut dyn Receiver<'de>) -> Result<(), UniformError>;
}

/// A [`Visitor`] that keeps its value.
trait Receiver<'de> {
    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result;
    fn receive(&mut self, found: Found<'_, 'de>) -> Result<(), UniformError>;
}

/// A [`DeserializeSeed`] that keeps its value.
trait Part<'de> {
    fn read(&mut self, from: Uniform<'_, 'de>) -> Result<(), UniformError>;
}

/// A [`SeqAccess`]. Its answer is whether there was an item.
trait Items<'de> {
    fn item(&mut self, part: &mut dyn Part<'de>) -> Result<bool, UniformError>;
    fn left(&self) -> Option<usize>;
}

/// A [`MapAccess`]. Its answer is whether there was a key.
trait Entries<'de> {
    fn key(&mut self, part: &mut dyn Part<'de>) -> Result<bool, UniformError>;
    fn value(&mut self, part: &mut dyn Part<'de>) -> Result<(), UniformError>;
    fn left(&self) -> Option<usize>;
}

/// An [`EnumAccess`], and then its [`VariantAccess`].
trait Variant<'de> {
    fn name(&mut self, part: &mut dyn Part<'de>) -> Result<(), UniformError>;
    fn unit(&mut self) -> Result<(), UniformError>;
    fn newtype(&mut self, part: &mut dyn Part<'de>) -> Result<(), UniformError>;
    fn tuple(&mut self, length: usize, receiver: &mut dyn Receiver<'de>) -> Result<(), UniformError>;
    fn fields(&mut self, fields: Names, receiver: &mut dyn Receiver<'de>) -> Result<(), UniformError>;
}

/// Takes what can be used once. Serde's visitors and seeds are consumed, so a second use is a fault of a deserializer.
fn once<T>(held: &mut Option<T>) -> Result<T, UniformError> {
    held.take().ok_or_else(|| UniformError::custom("a deserializer used a visitor twice, or not at all"))
}

// From any deserializer to the trait objects.

struct Once<T>(Option<T>);

impl<'de, D: Deserializer<'de>> Source<'de> for Once<D> {
    fn answer(&mut self, request: Request, receiver: &mut dyn Receiver<'de>) -> Result<(), UniformError> {
        let from = once(&mut self.0)?;
        let to = Received(receiver);
        let result = match request {
            Request::Any => from.deserialize_any(to),
            Request::Bool => from.deserialize_bool(to),
            Request::I8 => from.deserialize_i8(to),
            Request::I16 => from.deserialize_i16(to),
            Request::I32 => from.deserialize_i32(to),
            Request::I64 => from.deserialize_i64(to),
            Request::U8 => from.deserialize_u8(to),
            Request::U16 => from.deserialize_u16(to),
            Request::U32 => from.deserialize_u32(to),
            Request::U64 => from.deserialize_u64(to),
            Request::F32 => from.deserialize_f32(to),
            Request::F64 => from.deserialize_f64(to),
            Request::Char => from.deserialize_char(to),
            Request::Str => from.deserialize_str(to),
            Request::Option => from.deserialize_option(to),
            Request::Unit => from.deserialize_unit(to),
            Request::UnitStruct(name) => from.deserialize_unit_struct(name, to),
            Request::NewtypeStruct(name) => from.deserialize_newtype_struct(name, to),
            Request::Seq => from.deserialize_seq(to),
            Request::Tuple(length) => from.deserialize_tuple(length, to),
            Request::TupleStruct(name, length) => from.deserialize_tuple_struct(name, length, to),
            Request::Map => from.deserialize_map(to),
            Request::Struct(name, fields) => from.deserialize_struct(name, fields, to),
            Request::Enum(name, variants) => from.deserialize_enum(name, variants, to),
            Request::Identifier => from.deserialize_identifier(to),
            Request::IgnoredAny => from.deserialize_ignored_any(to),
        };
        result.map_err(UniformError::custom)
    }
}

/// Gives a receiver what a deserializer finds.
struct Received<'a, 'de>(&'a mut dyn Receiver<'de>);

macro_rules! visit {
    ($($visit:ident($($value:ident: $type:ty)?) => $found:expr;)*) => {
        $(fn $visit<E: serde::de::Error>(self $(, $value: $type)?) -> Result<(), E> {
            self.0.receive($found).map_err(|error| error.of())
        })*
    };
}

impl<'de> Visitor<'de> for Received<'_, 'de> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.expecting(formatter)
    }

    visit! {
        visit_bool(value: bool) => Found::Bool(value);
        visit_i64(value: i64) => Found::Signed(value);
        visit_u64(value: u64) => Found::Unsigned(value);
        visit_f64(value: f64) => Found::Float(value);
        visit_str(value: &str) => Found::Text(value);
        visit_unit() => Found::Unit;
        visit_none() => Found::None;
    }

    fn visit_some<D: Deserializer<'de>>(self, inner: D) -> Result<(), D::Error> {
        let found = Found::Some(Uniform(&mut Once(Some(inner))));
        self.0.receive(found).map_err(|error| error.of())
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, inner: D) -> Result<(), D::Error> {
        let found = Found::Newtype(Uniform(&mut Once(Some(inner))));
        self.0.receive(found).map_err(|error| error.of())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, access: A) -> Result<(), A::Error> {
        self.0.receive(Found::Items(&mut Accessed(access))).map_err(|error| error.of())
    }

    fn visit_map<A: MapAccess<'de>>(self, access: A) -> Result<(), A::Error> {
        self.0.receive(Found::Entries(&mut Accessed(access))).map_err(|error| error.of())
    }

    fn visit_enum<A: EnumAccess<'de>>(self, access: A) -> Result<(), A::Error> {
        let mut choice = Choice::<'_, A> { name: Some(access), content: None };
        self.0.receive(Found::Variant(&mut choice)).map_err(|error| error.of())
    }
}

/// Reads a part from what a deserializer gives.
struct PartSeed<'a, 'de>(&'a mut dyn Part<'de>);

impl<'de> DeserializeSeed<'de> for PartSeed<'_, 'de> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        self.0.read(Uniform(&mut Once(Some(deserializer)))).map_err(|error| error.of())
    }
}

struct Accessed<A>(A);

impl<'de, A: SeqAccess<'de>> Items<'de> for Accessed<A> {
    fn item(&mut self, part: &mut dyn Part<'de>) -> Result<bool, UniformError> {
        let item = self.0.next_element_seed(PartSeed(part)).map_err(UniformError::custom)?;
        Ok(item.is_some())
    }

    fn left(&self) -> Option<usize> {
        self.0.size_hint()
    }
}

impl<'de, A: MapAccess<'de>> Entries<'de> for Accessed<A> {
    fn key(&mut self, part: &mut dyn Part<'de>) -> Result<bool, UniformError> {
        let key = self.0.next_key_seed(PartSeed(part)).map_err(UniformError::custom)?;
        Ok(key.is_some())
    }

    fn value(&mut self, part: &mut dyn Part<'de>) -> Result<(), UniformError> {
        self.0.next_value_seed(PartSeed(part)).map_err(UniformError::custom)
    }

    fn left(&self) -> Option<usize> {
        self.0.size_hint()
    }
}

struct Choice<'de, A: EnumAccess<'de>> {
    name: Option<A>,
    content: Option<A::Variant>,
}

impl<'de, A: EnumAccess<'de>> Variant<'de> for Choice<'de, A> {
    fn name(&mut self, part: &mut dyn Part<'de>) -> Result<(), UniformError> {
        let ((), content) =
            once(&mut self.name)?.variant_seed(PartSeed(part)).map_err(UniformError::custom)?;
        self.content = Some(content);
        Ok(())
    }

    fn unit(&mut self) -> Result<(), UniformError> {
        once(&mut self.content)?.unit_variant().map_err(UniformError::custom)
    }

    fn newtype(&mut self, part: &mut dyn Part<'de>) -> Result<(), UniformError> {
        once(&mut self.content)?.newtype_variant_seed(PartSeed(part)).map_err(UniformError::custom)
    }

    fn tuple(&mut self, length: usize, receiver: &mut dyn Receiver<'de>) -> Result<(), UniformError> {
        once(&mut self.content)?.tuple_variant(length, Received(receiver)).map_err(UniformError::custom)
    }

    fn fields(&mut self, fields: Names, receiver: &mut dyn Receiver<'de>) -> Result<(), UniformError> {
        once(&mut self.content)?.struct_variant(fields, Received(receiver)).map_err(UniformError::custom)
    }
}

// From the trait objects to any type.

/// A visitor or a seed, and then its value.
struct Held<V, T> {
    unused: Option<V>,
    value: Option<T>,
}

impl<V, T> Held<V, T> {
    /// The value of a visitor or a seed that is given away.
    fn given(unused: V, to: impl FnOnce(&mut Self) -> Result<(), UniformError>) -> Result<T, UniformError> {
        let mut held = Self { unused: Some(unused), value: None };
        to(&mut held)?;
        once(&mut held.value)
    }
}

impl<'de, V: Visitor<'de>> Receiver<'de> for Held<V, V::Value> {
    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.unused.as_ref().map_or(Ok(()), |visitor| visitor.expecting(formatter))
    }

    fn receive(&mut self, found: Found<'_, 'de>) -> Result<(), UniformError> {
        let visitor = once(&mut self.unused)?;
        self.value = Some(match found {
            Found::Bool(value) => visitor.visit_bool(value),
            Found::Signed(value) => visitor.visit_i64(value),
            Found::Unsigned(value) => visitor.visit_u64(value),
            Found::Float(value) => visitor.visit_f64(value),
            Found::Text(value) => visitor.visit_str(value),
            Found::Unit => visitor.visit_unit(),
            Found::None => visitor.visit_none(),
            Found::Some(inner) => visitor.visit_some(inner),
            Found::Newtype(inner) => visitor.visit_newtype_struct(inner),
            Found::Items(items) => visitor.visit_seq(items),
            Found::Entries(entries) => visitor.visit_map(entries),
            Found::Variant(variant) => visitor.visit_enum(variant),
        }?);
        Ok(())
    }
}

impl<'de, S: DeserializeSeed<'de>> Part<'de> for Held<S, S::Value> {
    fn read(&mut self, from: Uniform<'_, 'de>) -> Result<(), UniformError> {
        self.value = Some(once(&mut self.unused)?.deserialize(from)?);
        Ok(())
    }
}

macro_rules! ask {
    ($($deserialize:ident($($argument:ident: $type:ty),*) => $request:expr;)*) => {
        $(fn $deserialize<V: Visitor<'de>>(self $(, $argument: $type)*, visitor: V) -> Result<V::Value, UniformError> {
            Held::given(visitor, |held| self.0.answer($request, held))
        })*
    };
}

impl<'de> Deserializer<'de> for Uniform<'_, 'de> {
    type Error = UniformError;

    ask! {
        deserialize_any() => Request::Any;
        deserialize_bool() => Request::Bool;
        deserialize_i8() => Request::I8;
        deserialize_i16() => Request::I16;
        deserialize_i32() => Request::I32;
        deserialize_i64() => Request::I64;
        deserialize_u8() => Request::U8;
        deserialize_u16() => Request::U16;
        deserialize_u32() => Request::U32;
        deserialize_u64() => Request::U64;
        deserialize_f32() => Request::F32;
        deserialize_f64() => Request::F64;
        deserialize_char() => Request::Char;
        deserialize_str() => Request::Str;
        deserialize_string() => Request::Str;
        deserialize_option() => Request::Option;
        deserialize_unit() => Request::Unit;
        deserialize_unit_struct(name: &'static str) => Request::UnitStruct(name);
        deserialize_newtype_struct(name: &'static str) => Request::NewtypeStruct(name);
        deserialize_seq() => Request::Seq;
        deserialize_tuple(length: usize) => Request::Tuple(length);
        deserialize_tuple_struct(name: &'static str, length: usize) => Request::TupleStruct(name, length);
        deserialize_map() => Request::Map;
        deserialize_struct(name: &'static str, fields: Names) => Request::Struct(name, fields);
        deserialize_enum(name: &'static str, variants: Names) => Request::Enum(name, variants);
        deserialize_identifier() => Request::Identifier;
        deserialize_ignored_any() => Request::IgnoredAny;
    }

    forward_to_deserialize_any! { bytes byte_buf }
}

impl<'de> SeqAccess<'de> for &mut (dyn Items<'de> + '_) {
    type Error = UniformError;

    fn next_element_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, UniformError> {
        let mut held = Held { unused: Some(seed), value: None };
        self.item(&mut held)?;
        Ok(held.value)
    }

    fn size_hint(&self) -> Option<usize> {
        self.left()
    }
}

impl<'de> MapAccess<'de> for &mut (dyn Entries<'de> + '_) {
    type Error = UniformError;

    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, UniformError> {
        let mut held = Held { unused: Some(seed), value: None };
        self.key(&mut held)?;
        Ok(held.value)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, UniformError> {
        Held::given(seed, |held| self.value(held))
    }

    fn size_hint(&self) -> Option<usize> {
        self.left()
    }
}

impl<'de> EnumAccess<'de> for &mut (dyn Variant<'de> + '_) {
    type Error = UniformError;
    type Variant = Self;

    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, Self), UniformError> {
        let name = Held::given(seed, |held| self.name(held))?;
        Ok((name, self))
    }
}

impl<'de> VariantAccess<'de> for &mut (dyn Variant<'de> + '_) {
    type Error = UniformError;

    fn unit_variant(self) -> Result<(), UniformError> {
        self.unit()
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, UniformError> {
        Held::given(seed, |held| self.newtype(held))
    }

    fn tuple_variant<V: Visitor<'de>>(self, length: usize, visitor: V) -> Result<V::Value, UniformError> {
        Held::given(visitor, |held| self.tuple(length, held))
    }

    fn struct_variant<V: Visitor<'de>>(self, fields: Names, visitor: V) -> Result<V::Value, UniformError> {
        Held::given(visitor, |held| self.fields(fields, held))
    }
}

/// Reads a value of a type from any deserializer, by code that is compiled once for the type.
pub(crate) fn deserialize<'de, T: Deserialize<'de>, D: Deserializer<'de>>(from: D) -> Result<T, D::Error> {
    read_uniformly(from, |uniform| T::deserialize(uniform))
}
