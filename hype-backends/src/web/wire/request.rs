//! What the page sends, as `docs/PAGE.md` has it. Whatever else it sends is refused.

use std::borrow::Cow;
use std::collections::BTreeMap;

use hype_core::model::note::{Display, Disturbance, Environment};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::web::service::keys::is_hex;

/// What a page calls itself: 32 hexadecimal digits.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Tab(String);

impl Tab {
    /// The digits.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for Tab {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        if text.len() == 32 && is_hex(&text) {
            Ok(Self(text))
        } else {
            Err("a tab is 32 lower-case hexadecimal digits")
        }
    }
}

impl JsonSchema for Tab {
    fn schema_name() -> Cow<'static, str> {
        "Tab".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "pattern": "^[0-9a-f]{32}$" })
    }
}

/// The parameters of the address that a rater came by.
pub type Arrival = BTreeMap<String, String>;

/// `POST api/open`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Open {
    /// The page.
    pub tab: Tab,
    /// How the rater came.
    #[serde(default)]
    pub arrival: Arrival,
    /// The language that the rater reads.
    #[serde(default)]
    pub language: String,
}

/// `POST api/consent`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Agree {
    /// The page.
    pub tab: Tab,
    /// How the rater came.
    #[serde(default)]
    pub arrival: Arrival,
    /// The language that the rater reads.
    #[serde(default)]
    pub language: String,
    /// The digest of the text that was accepted.
    pub text: String,
    /// Whether the rater is of the age asked for.
    #[serde(default)]
    pub adult: Option<bool>,
}

/// `POST api/begin`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Begin {
    /// The page.
    pub tab: Tab,
    /// What it runs on.
    #[serde(deserialize_with = "environment")]
    pub environment: Environment,
}

/// `POST api/answer`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Answer {
    /// The page.
    pub tab: Tab,
    /// The trial.
    pub trial: u32,
    /// How often it was shown before.
    pub showing: u32,
    /// The answer.
    pub answer: Value,
    /// The response time in microseconds.
    pub rt_us: u64,
    /// How it was displayed, where an exposure was limited.
    #[serde(default, deserialize_with = "display")]
    pub display: Option<Display>,
}

/// `POST api/disturbed`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Disturb {
    /// The page.
    pub tab: Tab,
    /// The trial.
    pub trial: u32,
    /// How often it was shown before.
    pub showing: u32,
    /// What disturbed it.
    pub reason: Disturbance,
    /// How it was displayed until then.
    #[serde(default, deserialize_with = "display")]
    pub display: Option<Display>,
}

/// `POST api/leave`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Leave {
    /// The page.
    pub tab: Tab,
}

/// `POST api/next`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Next {
    /// The page.
    pub tab: Tab,
}

/// An environment within its schema's limits.
fn environment<'de, D: Deserializer<'de>>(from: D) -> Result<Environment, D::Error> {
    let environment = Environment::deserialize(from)?;
    if environment.width.max(environment.height) > Environment::SIDE_AT_MOST {
        return Err(D::Error::custom("no page is as large as this"));
    }
    Ok(environment)
}

/// A display within its schema's limits, or none.
fn display<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Display>, D::Error> {
    let display = Option::<Display>::deserialize(from)?;
    if display.as_ref().is_some_and(|display| display.parts.len() > Display::PARTS_AT_MOST) {
        return Err(D::Error::custom("no trial has as many images as this"));
    }
    Ok(display)
}
