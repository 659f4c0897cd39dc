//! The survey `comments`.

use hype_core::model::trial::{Form, Question, Required};
use hype_core::{Streams, Survey, SurveyPage, register_survey};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Asks what the rater wants to say about the study, in words that may be left out.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[expect(clippy::exhaustive_structs, reason = "it has no settings")]
pub struct Comments {}

impl Survey for Comments {
    fn pages(&self, _: &Streams) -> Vec<SurveyPage> {
        let question = Question::new(
            "comments",
            "Is there anything you would like to tell us?",
            Form::Text { at_most: 2_000 },
        );
        vec![SurveyPage::asking([question.required(Required::NEVER)])]
    }
}

register_survey!(
    Comments,
    "comments",
    summary = "Remarks on the study, in words",
    citation = "",
    example = "{ kind: comments }",
);
