//! The survey `screen`.

use hype_core::model::trial::Question;
use hype_core::{Streams, Survey, SurveyPage, register_survey};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::choice;

/// Asks which device the rater uses, and in which light: neither can be measured by a page, and both change what can be seen (ITU-T
/// P.913, section 8, asks to report them).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[expect(clippy::exhaustive_structs, reason = "it has no settings")]
pub struct ScreenAndLight {}

impl Survey for ScreenAndLight {
    fn pages(&self, _: &Streams) -> Vec<SurveyPage> {
        let devices = [
            ("phone", "A phone"),
            ("tablet", "A tablet"),
            ("laptop", "A laptop"),
            ("desktop", "A desktop monitor"),
            ("television", "A television or projector"),
        ];
        let lights =
            [("dark", "Dark"), ("dim", "Dim"), ("bright", "Bright"), ("sunlit", "Sunlight on the screen")];
        vec![SurveyPage::asking([
            Question::new("device", "On what do you see the images?", choice(devices)),
            Question::new("light", "How bright is it around your screen?", choice(lights)),
        ])]
    }
}

register_survey!(
    ScreenAndLight,
    "screen",
    summary = "The device on which the rater sees the images, and the light around it",
    citation = "ITU-T P.913, section 8",
    example = "{ kind: screen }",
);
