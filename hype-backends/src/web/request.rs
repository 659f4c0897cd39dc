//! What the page sends, as `docs/PAGE.md` has it. Whatever else it sends is refused.

use std::collections::BTreeMap;

use hype_core::note::{Display, Disturbance, Environment};
use serde::Deserialize;
use serde_json::Value;

use super::keys::is_hex;

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

/// The parameters of the address that a rater came by.
pub type Arrival = BTreeMap<String, String>;

/// `POST api/open`.
#[derive(Debug, Clone, Deserialize)]
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
#[derive(Debug, Clone, Deserialize)]
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
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Begin {
    /// The page.
    pub tab: Tab,
    /// What it runs on.
    pub environment: Environment,
}

/// `POST api/answer`.
#[derive(Debug, Clone, Deserialize)]
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
    #[serde(default)]
    pub display: Option<Display>,
}

/// `POST api/disturbed`.
#[derive(Debug, Clone, Deserialize)]
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
    #[serde(default)]
    pub display: Option<Display>,
}

/// `POST api/leave`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Leave {
    /// The page.
    pub tab: Tab,
}
