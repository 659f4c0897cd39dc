//! Bounds of settings: declared once, and used by the schema, the deserialization and the check.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Error, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::diagnostics::Diagnostics;

/// An integer setting from `LEAST` to `MOST`, both included.
///
/// It keeps the number as written, so that [`check`](Self::check) can report it together with all other faults of the
/// spec. [`get`](Self::get) is always within the bounds.
///
/// # Examples
/// ```
/// use hype_core::{Bounded, Diagnostics};
///
/// let blocks: Bounded<1, 100> = 300.into();
/// let mut at = Diagnostics::new();
/// blocks.check("blocks", &mut at);
/// assert_eq!(at.as_slice()[0].to_string(), "error[out-of-range] in blocks: blocks is 300 (use a number from 1 to 100)");
/// assert_eq!(blocks.get(), 100);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bounded<const LEAST: u32, const MOST: u32>(i64);

impl<const LEAST: u32, const MOST: u32> Bounded<LEAST, MOST> {
    /// A setting as written, within the bounds or not.
    #[must_use]
    pub const fn new(written: u32) -> Self {
        Self(written as i64)
    }

    /// The number, clamped to the bounds.
    #[must_use]
    pub const fn get(self) -> u32 {
        if self.0 < LEAST as i64 {
            LEAST
        } else if self.0 > MOST as i64 {
            MOST
        } else {
            self.0 as u32
        }
    }

    /// The number as written, clamped to 32 bits.
    #[must_use]
    pub const fn written(self) -> u32 {
        if self.0 < 0 {
            0
        } else if self.0 > u32::MAX as i64 {
            u32::MAX
        } else {
            self.0 as u32
        }
    }

    /// Whether the number lies within the bounds.
    #[must_use]
    pub const fn holds(self) -> bool {
        LEAST as i64 <= self.0 && self.0 <= MOST as i64
    }

    /// Reports a number out of bounds, at a field of the current path.
    pub fn check(self, field: &str, at: &mut Diagnostics) {
        if !self.holds() {
            report(field, self.0, LEAST, MOST, at);
        }
    }
}

#[inline(never)]
fn report(field: &str, found: i64, least: u32, most: u32, at: &mut Diagnostics) {
    at.field(field)
        .error("out-of-range", format!("{field} is {found}"))
        .help(format!("use a number from {least} to {most}"));
}

impl<const LEAST: u32, const MOST: u32> From<u32> for Bounded<LEAST, MOST> {
    fn from(written: u32) -> Self {
        Self::new(written)
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
        serializer.serialize_i64(self.0)
    }
}

impl<'de, const LEAST: u32, const MOST: u32> Deserialize<'de> for Bounded<LEAST, MOST> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_i64(Integer { least: LEAST, most: MOST }).map(Self)
    }
}

/// Reads any integer, so that one visitor serves all bounds. The error for other input names the bounds.
struct Integer {
    least: u32,
    most: u32,
}

impl Visitor<'_> for Integer {
    type Value = i64;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "an integer from {} to {}", self.least, self.most)
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<i64, E> {
        Ok(value)
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<i64, E> {
        i64::try_from(value).map_err(|_| E::invalid_value(Unexpected::Unsigned(value), &self))
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

    /// From `least` to `most`, both included; `example` is a usual number, which the message names.
    #[must_use]
    pub const fn new(least: f64, most: f64, example: f64) -> Self {
        Self { least: Bound::From(least), most, example }
    }

    /// Above 0, at most `most`.
    #[must_use]
    pub const fn positive(most: f64, example: f64) -> Self {
        Self { least: Bound::Above(0.0), most, example }
    }

    /// Reports a number out of bounds, at a field of the current path.
    pub fn check(&self, field: &str, value: f64, at: &mut Diagnostics) {
        let Self { least, most, example } = *self;
        let (over, least, to) = match least {
            Bound::From(least) => (value >= least, format!("from {least}"), "to"),
            Bound::Above(least) => (value > least, format!("above {least}"), "and at most"),
        };
        if !(over && value <= most && value.is_finite()) {
            let most = if most < f64::INFINITY { format!(" {to} {most}") } else { String::new() };
            at.field(field)
                .error("out-of-range", format!("{field} is {value}"))
                .help(format!("use a number {least}{most}, such as {example}"));
        }
    }

    /// Writes the bounds into the schema of a field.
    pub fn schema(self) -> impl FnMut(&mut Schema) {
        move |schema| {
            match self.least {
                Bound::From(least) => schema.insert("minimum".into(), least.into()),
                Bound::Above(least) => schema.insert("exclusiveMinimum".into(), least.into()),
            };
            if self.most < f64::INFINITY {
                schema.insert("maximum".into(), self.most.into());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    type Blocks = Bounded<1, 100>;

    #[test]
    fn numbers_within_the_bounds_pass_and_others_are_named() {
        for (written, holds, got) in [
            (json!(1), true, 1),
            (json!(100), true, 100),
            (json!(0), false, 1),
            (json!(-7), false, 1),
            (json!(4_000_000_000_u32), false, 100),
            (json!(i64::MAX), false, 100),
        ] {
            let read: Blocks = serde_json::from_value(written.clone()).unwrap();
            let mut at = Diagnostics::new();
            at.within("task", |at| read.check("blocks", at));
            assert_eq!((at.is_empty(), read.holds(), read.get()), (holds, holds, got), "{written}");
            assert_eq!(serde_json::to_value(read).unwrap(), written);
            if let Some(found) = at.iter().next() {
                assert_eq!(
                    (found.path.as_str(), found.message.clone()),
                    ("task.blocks", format!("blocks is {written}"))
                );
                assert_eq!(found.help.as_deref(), Some("use a number from 1 to 100"));
            }
        }
    }

    #[test]
    fn what_is_no_integer_is_refused_with_the_bounds() {
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
    fn a_number_that_is_not_within_its_bounds_is_named() {
        for (bounds, value, help) in [
            (NumberBounds::SHARE, 0.0, None),
            (NumberBounds::SHARE, 1.0, None),
            (NumberBounds::SHARE, -0.1, Some("use a number from 0 to 1, such as 0.7")),
            (NumberBounds::SHARE, f64::NAN, Some("use a number from 0 to 1, such as 0.7")),
            (NumberBounds::LEVEL, 95.0, Some("use a number from 0.5 to 0.9999, such as 0.95")),
            (NumberBounds::positive(f64::INFINITY, 0.1), 1e9, None),
            (NumberBounds::positive(f64::INFINITY, 0.1), 0.0, Some("use a number above 0, such as 0.1")),
            (
                NumberBounds::positive(f64::INFINITY, 0.1),
                f64::INFINITY,
                Some("use a number above 0, such as 0.1"),
            ),
            (
                NumberBounds::positive(0.5, 0.01),
                0.6,
                Some("use a number above 0 and at most 0.5, such as 0.01"),
            ),
        ] {
            let mut at = Diagnostics::new();
            bounds.check("pass", value, &mut at);
            assert_eq!(at.iter().next().and_then(|found| found.help.as_deref()), help, "{value}");
        }
    }
}
