//! Units as types: times, durations and amounts of money.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// A point in time or a duration in microseconds, on the clock of the session's driver.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize, JsonSchema,
)]
#[serde(transparent)]
pub struct Micros(pub u64);

impl Micros {
    /// A duration of whole milliseconds.
    #[must_use]
    pub const fn from_millis(millis: Millis) -> Self {
        Self(millis.0 as u64 * 1_000)
    }

    /// The value in seconds.
    #[must_use]
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / 1e6
    }

    /// Saturating addition.
    #[must_use]
    pub const fn saturating_add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

/// A duration in whole milliseconds, as protocols state exposures.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize, JsonSchema,
)]
#[serde(transparent)]
pub struct Millis(pub u32);

impl fmt::Display for Millis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ms", self.0)
    }
}

/// An amount of money in millionths of the currency's unit, never negative.
///
/// Written in a spec as a plain decimal (`0.02`) with at most six decimals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Amount(pub u64);

impl Amount {
    /// Saturating multiplication by a count.
    #[must_use]
    pub const fn times(self, count: u64) -> Self {
        Self(self.0.saturating_mul(count))
    }

    /// Saturating addition.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    /// Whether it is nothing.
    #[must_use]
    pub const fn is_zero(&self) -> bool {
        self.0 == 0
    }

    /// The amount in the currency's unit.
    #[must_use]
    pub fn as_units(self) -> f64 {
        self.0 as f64 / 1e6
    }

    /// Reads an amount given in the currency's unit; `None` if it is negative, not finite, too large
    /// or has more than six decimals.
    #[must_use]
    pub fn from_units(units: f64) -> Option<Self> {
        let millionths = units * 1e6;
        let whole = millionths.round();
        let exact = (millionths - whole).abs() <= 1e-3;
        ((0.0..=9e15).contains(&whole) && exact).then_some(Self(whole as u64))
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, rest) = (self.0 / 1_000_000, self.0 % 1_000_000);
        if rest % 10_000 == 0 {
            write!(f, "{whole}.{:02}", rest / 10_000)
        } else {
            write!(f, "{whole}.{}", format!("{rest:06}").trim_end_matches('0'))
        }
    }
}

impl Serialize for Amount {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.as_units())
    }
}

impl<'de> Deserialize<'de> for Amount {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let units = f64::deserialize(deserializer)?;
        Self::from_units(units).ok_or_else(|| {
            de::Error::custom(format_args!(
                "{units} is not an amount of money: it must be at least 0 with at most six decimals"
            ))
        })
    }
}

impl JsonSchema for Amount {
    fn schema_name() -> Cow<'static, str> {
        "Amount".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "number",
            "minimum": 0,
            "description": "An amount of money in the currency's unit, with at most six decimals"
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_exact_in_millionths() {
        assert_eq!(Amount::from_units(0.02), Some(Amount(20_000)));
        assert_eq!(Amount::from_units(0.000_001), Some(Amount(1)));
        assert_eq!(Amount::from_units(0.000_000_4), None);
        assert_eq!(Amount::from_units(-0.01), None);
        assert_eq!(Amount::from_units(f64::NAN), None);
        assert_eq!(Amount(20_000).times(450).plus(Amount(1_000_000)).to_string(), "10.00");
        assert_eq!(Amount(20_500).to_string(), "0.0205");
    }
}
