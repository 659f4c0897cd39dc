//! The survey `questions`.

use hype_core::protocol::questions::{QuestionSpec, check_page};
use hype_core::{Answer, Diagnostics, Streams, Survey, SurveyPage, register_survey};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Asks what the spec says, on one page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Questions {
    /// The questions, in the order shown.
    pub questions: Vec<QuestionSpec>,
}

impl Survey for Questions {
    fn pages(&self, _: &Streams) -> Vec<SurveyPage> {
        let questions: Vec<_> = self.questions.iter().map(QuestionSpec::question).collect();
        vec![SurveyPage::asking(questions)]
    }

    fn screens_out(&self, _: &Streams, given: &[Answer]) -> bool {
        given.iter().any(|answer| self.questions.iter().any(|question| question.screens_out(answer)))
    }

    fn can_screen_out(&self) -> bool {
        self.questions.iter().any(|question| question.screen_out.is_some())
    }

    fn check(&self, at: &mut Diagnostics) {
        at.within("questions", |at| check_page(&self.questions, at));
    }
}

register_survey!(
    Questions,
    "questions",
    summary = "Questions of the study's own, on one page",
    citation = "",
    example = "{ kind: questions, questions: [{ id: glasses, text: Do you wear glasses?, answer: { options: [Yes, No] } }] }",
);
