//! The survey `headphones`.

use hype_core::model::trial::Question;
use hype_core::{Streams, Survey, SurveyPage, register_survey};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::choice;

/// Asks how the rater hears sound.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[expect(clippy::exhaustive_structs, reason = "it has no settings")]
pub struct Headphones {}

impl Survey for Headphones {
    fn pages(&self, _: &Streams) -> Vec<SurveyPage> {
        let ways = [
            ("headphones", "With headphones"),
            ("earphones", "With earphones"),
            ("loudspeakers", "Through loudspeakers"),
            ("none", "I hear no sound"),
        ];
        vec![SurveyPage::asking([Question::new("sound", "How do you hear sound right now?", choice(ways))])]
    }
}

register_survey!(
    Headphones,
    "headphones",
    summary = "How the rater hears sound",
    citation = "",
    example = "{ kind: headphones }",
);
