//! Requests of the page, as `docs/reference/protocol.md` describes them. Unknown fields are refused.

#[cfg(feature = "schemas")]
use std::borrow::Cow;
use std::collections::BTreeMap;

use hype_core::model::hex::is_hex;
use hype_core::model::inspection::Inspection;
use hype_core::model::note::{Display, Disturbance, Environment, ImageScale};
use hype_core::model::played::Played;
#[cfg(feature = "schemas")]
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// The name that a page draws each time it is loaded: 32 hexadecimal digits.
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

#[cfg(feature = "schemas")]
impl JsonSchema for Tab {
    fn schema_name() -> Cow<'static, str> {
        "Tab".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "pattern": "^[0-9a-f]{32}$" })
    }
}

/// The parameters of the address by which a rater came.
pub type Arrival = BTreeMap<String, String>;

/// Where a browser shows the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Whereabouts {
    /// In a window or tab of its own.
    #[default]
    Window,
    /// In a panel's frame.
    Frame,
    /// In a panel's frame that cannot hold a session, such as one without cookies: the session goes on in a window of its own.
    Aside,
}

/// `POST api/open`.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct OpenRequest {
    /// The page.
    pub tab: Tab,
    /// The parameters of the address.
    #[serde(default)]
    pub arrival: Arrival,
    /// The rater's preferred language.
    #[serde(default)]
    pub language: String,
    /// Where the browser shows the page.
    #[serde(default)]
    pub shown: Whereabouts,
}

/// `POST api/consent`.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ConsentRequest {
    /// The page.
    pub tab: Tab,
    /// The parameters of the address.
    #[serde(default)]
    pub arrival: Arrival,
    /// The rater's preferred language.
    #[serde(default)]
    pub language: String,
    /// The digest of the accepted text.
    pub text: String,
    /// Whether the rater confirmed the minimum age.
    #[serde(default)]
    pub adult: Option<bool>,
}

/// `POST api/begin`.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct BeginRequest {
    /// The page.
    pub tab: Tab,
    /// The browser and the screen.
    #[serde(deserialize_with = "environment")]
    pub environment: Environment,
    /// The position of the option by which the rater answered the question on the instructions, if there is one.
    #[serde(default)]
    pub comprehension: Option<u32>,
}

/// `POST api/wait`.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct WaitRequest {
    /// The page.
    pub tab: Tab,
}

/// `POST api/answer`.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct AnswerReport {
    /// The page.
    pub tab: Tab,
    /// The trial.
    pub trial: u32,
    /// How often the trial was shown before.
    pub showing: u32,
    /// The answer.
    pub answer: Value,
    /// How many answers to the trial came before it: 0 unless the rater returned to the trial.
    #[serde(default)]
    pub revision: u32,
    /// The response time in microseconds.
    pub rt_us: u64,
    /// The measured display, if an exposure is limited.
    #[serde(default, deserialize_with = "display")]
    pub display: Option<Display>,
    /// The scale of the images.
    #[serde(default, deserialize_with = "scale")]
    pub scale: Option<ImageScale>,
    /// How the rater looked closely at the images; absent if the rater did not.
    #[serde(default, deserialize_with = "inspection")]
    pub inspection: Option<Inspection>,
    /// How the clips were played or the texts read; absent for images.
    #[serde(default, deserialize_with = "played")]
    pub played: Option<Played>,
}

/// `POST api/back`.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct BackRequest {
    /// The page.
    pub tab: Tab,
    /// The trial to return to, which is the one before the current trial.
    pub trial: u32,
}

/// `POST api/disturbed`.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct DisturbedReport {
    /// The page.
    pub tab: Tab,
    /// The trial.
    pub trial: u32,
    /// How often the trial was shown before.
    pub showing: u32,
    /// The cause of the disturbance.
    pub reason: Disturbance,
    /// The measured display until then.
    #[serde(default, deserialize_with = "display")]
    pub display: Option<Display>,
}

/// `POST api/leave`.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct LeaveRequest {
    /// The page.
    pub tab: Tab,
}

/// `POST api/next`.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct NextRequest {
    /// The page.
    pub tab: Tab,
}

/// Reads an environment within the limits of its schema.
fn environment<'de, D: Deserializer<'de>>(from: D) -> Result<Environment, D::Error> {
    let environment = Environment::deserialize(from)?;
    if environment.width.max(environment.height) > Environment::SIDE_AT_MOST {
        return Err(D::Error::custom("the page is larger than any screen"));
    }
    Ok(environment)
}

/// Reads an optional display within the limits of its schema.
fn display<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Display>, D::Error> {
    let display = Option::<Display>::deserialize(from)?;
    if display.as_ref().is_some_and(|display| display.parts.len() > Display::PARTS_AT_MOST) {
        return Err(D::Error::custom("the display has more images than any trial"));
    }
    Ok(display)
}

/// Reads an optional scale within the limits of any screen.
fn scale<'de, D: Deserializer<'de>>(from: D) -> Result<Option<ImageScale>, D::Error> {
    let scale = Option::<ImageScale>::deserialize(from)?;
    if scale.is_some_and(|scale| !scale.is_possible()) {
        return Err(D::Error::custom("no screen shows images at this scale"));
    }
    Ok(scale)
}

/// Reads an optional inspection within the limits of its schema.
fn inspection<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Inspection>, D::Error> {
    let inspection = Option::<Inspection>::deserialize(from)?;
    if inspection.as_ref().is_some_and(|inspection| !inspection.is_possible()) {
        return Err(D::Error::custom("no page shows images in these views"));
    }
    Ok(inspection)
}

/// Reads an optional report of playback within the limits of its schema.
fn played<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Played>, D::Error> {
    let played = Option::<Played>::deserialize(from)?;
    if played.as_ref().is_some_and(|played| !played.is_possible()) {
        return Err(D::Error::custom("no page plays clips in this way"));
    }
    Ok(played)
}
