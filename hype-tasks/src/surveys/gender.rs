//! The survey `gender`.

use hype_core::model::trial::{ChoiceOption, Form, Question, Required};
use hype_core::{Streams, Survey, SurveyPage, register_survey};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::NOT_SAID;

/// Asks for the rater's gender: options, several of which may be chosen, and words of the rater's own.
///
/// # Source
/// Spiel, Haimson and Lottridge 2019, How to do better with gender on surveys, Interactions 26(4): offer more than two options, let
/// people choose several, describe themselves, and say nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[expect(clippy::exhaustive_structs, reason = "it has no settings")]
pub struct Gender {}

impl Survey for Gender {
    fn pages(&self, _: &Streams) -> Vec<SurveyPage> {
        let options = [
            ("woman", "Woman"),
            ("man", "Man"),
            ("non-binary", "Non-binary"),
            ("self-described", "In another way"),
            NOT_SAID,
        ];
        let options: Vec<ChoiceOption> =
            options.iter().map(|(value, label)| ChoiceOption::new(value, label, None)).collect();
        let form = Form::Several { at_least: 1, at_most: options.len() as u32, options };
        let gender = Question::new("gender", "How do you describe your gender?", form);
        let words =
            Question::new("gender_words", "In your own words, if you like", Form::Text { at_most: 100 });
        vec![SurveyPage::asking([gender, words.required(Required::NEVER)])]
    }
}

register_survey!(
    Gender,
    "gender",
    summary = "The rater's gender, by options and in words",
    citation = "Spiel, Haimson & Lottridge 2019, Interactions 26(4)",
    example = "{ kind: gender }",
);
