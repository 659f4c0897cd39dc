//! The survey `expertise`.

use std::sync::Arc;

use hype_core::model::trial::Question;
use hype_core::protocol::questions::OptionSpec;
use hype_core::{Answer, Diagnostics, Streams, Survey, SurveyPage, register_survey};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::choice;

/// The levels of experience, from none to most.
const LEVELS: [(&str, &str); 5] = [
    ("none", "None"),
    ("little", "A little, as part of everyday life"),
    ("hobby", "It is a hobby of mine"),
    ("trained", "I have had lessons or training"),
    ("professional", "It is, or was, my profession"),
];

/// Asks how much experience the rater has with something. The key of the answer is `expertise_` and what it is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Expertise {
    /// The field of expertise: `photography` (default), `art`, `image-editing`, or another with a `text` that asks about it.
    pub of: Arc<str>,
    /// The text of the question, for fields other than those three.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<Arc<str>>,
    /// The answers whose raters are screened out, such as `[none]` or `[under 18]` (default: none of them).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub screen_out: Vec<Arc<str>>,
}

impl Default for Expertise {
    fn default() -> Self {
        Self { of: "photography".into(), text: None, screen_out: Vec::new() }
    }
}

impl Expertise {
    fn key(&self) -> String {
        format!("expertise_{}", self.of)
    }

    fn wording(&self) -> Option<&str> {
        match (&self.text, &*self.of) {
            (Some(text), _) => Some(text),
            (None, "photography") => Some("How much experience do you have with photography?"),
            (None, "art") => Some("How much experience do you have with art or design?"),
            (None, "image-editing") => Some("How much experience do you have with editing images?"),
            (None, _) => None,
        }
    }
}

impl Survey for Expertise {
    fn pages(&self, _: &Streams) -> Vec<SurveyPage> {
        let text = self.wording().unwrap_or_default();
        vec![SurveyPage::asking([Question::new(&self.key(), text, choice(LEVELS))])]
    }

    fn screens_out(&self, _: &Streams, given: &[Answer]) -> bool {
        let level = given.iter().find_map(|answer| answer.text(&self.key()));
        level.is_some_and(|level| self.screen_out.iter().any(|one| **one == *level))
    }

    fn can_screen_out(&self) -> bool {
        !self.screen_out.is_empty()
    }

    fn check(&self, at: &mut Diagnostics) {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
        if self.of.is_empty() || !self.of.bytes().all(is_plain) {
            at.field("of")
                .error("bad-name", format!("{:?} cannot be part of the key of an answer", self.of))
                .help("use letters, digits, `_` and `-`, and write the question as `text`");
        } else if self.wording().is_none_or(|text| text.trim().is_empty()) {
            at.field("text")
                .error("empty", format!("nothing says what to ask about {}", self.of))
                .help("write `text`, or use `of: photography`, `art` or `image-editing`");
        }
        let levels = LEVELS.map(|(value, label)| OptionSpec { value: value.into(), label: label.into() });
        for level in self.screen_out.iter().filter(|one| levels.iter().all(|level| level.value != **one)) {
            at.field("screen_out")
                .error("unknown-option", format!("no level of experience is `{level}`"))
                .help("the levels are none, little, hobby, trained and professional");
        }
        if levels.iter().all(|level| self.screen_out.contains(&level.value)) {
            at.field("screen_out")
                .error("nobody-left", "every answer screens the rater out, and no one can take part")
                .help("leave at least one answer");
        }
    }
}

register_survey!(
    Expertise,
    "expertise",
    summary = "How much experience the rater has with photography, art or something else",
    citation = "",
    example = "{ kind: expertise, of: art }",
);
