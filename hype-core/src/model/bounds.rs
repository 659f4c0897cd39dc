//! Bounds of settings, which are part of their schemas.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Error, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// An integer setting from `LEAST` to `MOST`, both included.
///
/// Deserialization refuses every other number, and the schema has the bounds.
///
/// # Examples
/// ```
/// use hype_core::Bounded;
///
/// let blocks = Bounded::<1, 100>::new(3);
/// assert_eq!(blocks.get(), 3);
/// assert!(Bounded::<1, 100>::checked(300).is_none());
/// let refused = serde_json::from_str::<Bounded<1, 100>>("300").unwrap_err().to_string();
/// assert!(refused.starts_with("invalid value: integer `300`, expected an integer from 1 to 100"));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bounded<const LEAST: u32, const MOST: u32>(u32);

impl<const LEAST: u32, const MOST: u32> Bounded<LEAST, MOST> {
    /// A setting that a program writes itself; in a constant, the bounds are checked at compile time.
    ///
    /// # Panics
    /// If the number is out of bounds. Use [`checked`](Self::checked) for numbers from elsewhere.
    #[must_use]
    pub const fn new(number: u32) -> Self {
        match Self::checked(number) {
            Some(setting) => setting,
            None => panic!("a setting is out of its bounds"),
        }
    }

    /// A setting, or `None` if the number is out of bounds.
    #[must_use]
    pub const fn checked(number: u32) -> Option<Self> {
        if LEAST <= number && number <= MOST { Some(Self(number)) } else { None }
    }

    /// The number.
    #[must_use]
    pub const fn get(self) -> u32 {
        self.0
    }
}

/// The least number.
impl<const MOST: u32> Default for Bounded<0, MOST> {
    fn default() -> Self {
        Self(0)
    }
}

/// Panics like [`Bounded::new`] if the number is out of bounds.
impl<const LEAST: u32, const MOST: u32> From<u32> for Bounded<LEAST, MOST> {
    fn from(number: u32) -> Self {
        Self::new(number)
    }
}

impl<const LEAST: u32, const MOST: u32> fmt::Debug for Bounded<LEAST, MOST> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, formatter)
    }
}

impl<const LEAST: u32, const MOST: u32> fmt::Display for Bounded<LEAST, MOST> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, formatter)
    }
}

impl<const LEAST: u32, const MOST: u32> Serialize for Bounded<LEAST, MOST> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u32(self.0)
    }
}

impl<'de, const LEAST: u32, const MOST: u32> Deserialize<'de> for Bounded<LEAST, MOST> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_i64(Integer { least: LEAST, most: MOST }).map(Self)
    }
}

/// One visitor for all bounds.
struct Integer {
    least: u32,
    most: u32,
}

impl Visitor<'_> for Integer {
    type Value = u32;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "an integer from {} to {}", self.least, self.most)
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<u32, E> {
        let held = u32::try_from(value).ok().filter(|value| (self.least..=self.most).contains(value));
        held.ok_or_else(|| E::invalid_value(Unexpected::Signed(value), &self))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<u32, E> {
        let held = u32::try_from(value).ok().filter(|value| (self.least..=self.most).contains(value));
        held.ok_or_else(|| E::invalid_value(Unexpected::Unsigned(value), &self))
    }
}

impl<const LEAST: u32, const MOST: u32> JsonSchema for Bounded<LEAST, MOST> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        format!("Bounded_{LEAST}_{MOST}").into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "integer", "minimum": LEAST, "maximum": MOST })
    }
}

/// The bounds of a setting that may be any number between them.
///
/// They are written into the schema. Reading and checking a spec refuse a number out of the bounds that its schema has,
/// whether they come from here or from an attribute such as `#[schemars(range(min = 0.0))]`.
///
/// # Examples
/// ```
/// use hype_core::NumberBounds;
/// use schemars::{JsonSchema, schema_for};
///
/// #[derive(JsonSchema)]
/// struct Settings {
///     /// The confidence level.
///     #[schemars(transform = NumberBounds::LEVEL.schema())]
///     level: f64,
/// }
///
/// assert_eq!(schema_for!(Settings).to_value()["properties"]["level"]["maximum"], 0.9999);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NumberBounds {
    least: Bound,
    most: f64,
    example: f64,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Bound {
    From(f64),
    Above(f64),
}

impl NumberBounds {
    /// Shares: 0 to 1.
    pub const SHARE: Self = Self::new(0.0, 1.0, 0.7);
    /// Confidence levels: 0.5 to 0.9999.
    pub const LEVEL: Self = Self::new(0.5, 0.9999, 0.95);

    /// From `least` to `most`, both included; `example` is a usual number, which messages name.
    #[must_use]
    pub const fn new(least: f64, most: f64, example: f64) -> Self {
        Self { least: Bound::From(least), most, example }
    }

    /// Above 0, at most `most`.
    #[must_use]
    pub const fn positive(most: f64, example: f64) -> Self {
        Self { least: Bound::Above(0.0), most, example }
    }

    /// Writes the bounds into the schema of a field: of its number, or of all numbers in its lists and maps.
    pub fn schema(self) -> impl FnMut(&mut Schema) {
        move |schema| self.write(schema)
    }

    fn write(self, schema: &mut Schema) {
        for inner in ["items", "additionalProperties"] {
            if let Some(inner) = schema.get_mut(inner).and_then(|inner| <&mut Schema>::try_from(inner).ok()) {
                return self.write(inner);
            }
        }
        match self.least {
            Bound::From(least) => schema.insert("minimum".into(), least.into()),
            Bound::Above(least) => schema.insert("exclusiveMinimum".into(), least.into()),
        };
        if self.most < f64::INFINITY {
            schema.insert("maximum".into(), self.most.into());
        }
        schema.insert("examples".into(), vec![self.example].into());
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::json;

    use super::*;

    type Blocks = Bounded<1, 100>;

    #[test]
    fn numbers_within_the_bounds_pass_and_others_are_refused() {
        for number in [1, 100] {
            let read: Blocks = serde_json::from_value(json!(number)).unwrap();
            assert_eq!((read.get(), serde_json::to_value(read).unwrap()), (number, json!(number)));
        }
        for written in [json!(0), json!(-7), json!(101), json!(4_000_000_001_u32), json!(i64::MAX)] {
            let fault = serde_json::from_value::<Blocks>(written.clone()).unwrap_err().to_string();
            let expected = format!("invalid value: integer `{written}`, expected an integer from 1 to 100");
            assert_eq!(fault, expected);
        }
    }

    #[test]
    #[should_panic = "out of its bounds"]
    fn a_program_cannot_write_a_number_out_of_bounds() {
        let _: Blocks = 300.into();
    }

    #[test]
    fn only_bounds_from_0_have_a_default() {
        assert_eq!(Bounded::<0, 9>::default().get(), 0);
    }

    #[test]
    fn non_integers_are_refused_with_the_bounds() {
        for (written, found) in [
            (json!("3"), "invalid type: string \"3\", expected an integer from 1 to 100"),
            (json!(2.5), "invalid type: floating point `2.5`, expected an integer from 1 to 100"),
            (
                json!(u64::MAX),
                "invalid value: integer `18446744073709551615`, expected an integer from 1 to 100",
            ),
        ] {
            assert_eq!(serde_json::from_value::<Blocks>(written).unwrap_err().to_string(), found);
        }
    }

    #[test]
    fn the_schema_has_the_bounds() {
        let mut generator = SchemaGenerator::default();
        let schema = generator.subschema_for::<Option<Blocks>>().to_value();
        assert_eq!(schema, json!({ "type": ["integer", "null"], "minimum": 1, "maximum": 100 }));
    }

    #[test]
    fn bounds_of_numbers_reach_those_in_lists_and_maps() {
        for (mut schema, place) in [
            (generate::<f64>(), ""),
            (generate::<Vec<f64>>(), "/items"),
            (
                generate::<BTreeMap<String, BTreeMap<String, f64>>>(),
                "/additionalProperties/additionalProperties",
            ),
        ] {
            NumberBounds::positive(0.5, 0.01).schema()(&mut schema);
            let schema = schema.to_value();
            let found = schema.pointer(place).unwrap();
            assert_eq!(
                (&found["exclusiveMinimum"], &found["maximum"]),
                (&json!(0.0), &json!(0.5)),
                "{schema}"
            );
        }
    }

    fn generate<T: JsonSchema>() -> Schema {
        SchemaGenerator::default().subschema_for::<T>()
    }
}
