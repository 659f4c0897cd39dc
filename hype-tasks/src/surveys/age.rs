//! The survey `age`.

use std::sync::Arc;

use hype_core::model::trial::{Form, Question};
use hype_core::protocol::questions::{AnswerSpec, QuestionSpec, ScreenOut, check_page};
use hype_core::{Answer, ChoiceOption, Diagnostics, Streams, Survey, SurveyPage, register_survey};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::NOT_SAID;

/// Asks for the rater's age in bands: the study does not have to keep it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Age {
    /// Where bands begin (default `[18, 25, 35, 45, 55, 65]`).
    pub bands: Vec<i64>,
    /// The answers whose raters are screened out, such as `[none]` or `[under 18]` (default: none of them).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub screen_out: Vec<Arc<str>>,
}

impl Default for Age {
    fn default() -> Self {
        Self { bands: vec![18, 25, 35, 45, 55, 65], screen_out: Vec::new() }
    }
}

impl Age {
    fn spec(&self) -> QuestionSpec {
        let rule = ScreenOut { any_of: self.screen_out.clone(), ..ScreenOut::default() };
        QuestionSpec {
            id: "age_band".into(),
            text: "How old are you?".into(),
            help: None,
            answer: AnswerSpec::Bands(self.bands.clone()),
            required: hype_core::model::trial::Required::ALWAYS,
            screen_out: self.can_screen_out().then_some(rule),
        }
    }
}

impl Survey for Age {
    fn pages(&self, _: &Streams) -> Vec<SurveyPage> {
        let mut question = self.spec().question();
        if let Form::Choice { options } = &mut question.form {
            options.push(ChoiceOption::new(NOT_SAID.0, NOT_SAID.1, None));
        }
        vec![SurveyPage::asking([question] as [Question; 1])]
    }

    fn screens_out(&self, _: &Streams, given: &[Answer]) -> bool {
        given.iter().any(|answer| self.spec().screens_out(answer))
    }

    fn can_screen_out(&self) -> bool {
        !self.screen_out.is_empty()
    }

    fn check(&self, at: &mut Diagnostics) {
        // The faults are those of the question that the settings make.
        let mut found = Diagnostics::new();
        check_page(&[self.spec()], &mut found);
        for fault in found {
            let field = if fault.path.contains("screen_out") { "screen_out" } else { "bands" };
            at.field(field)
                .error(fault.code, fault.message.clone())
                .help(fault.help.clone().unwrap_or_default());
        }
    }
}

register_survey!(
    Age,
    "age",
    summary = "The rater's age, in bands",
    citation = "",
    example = "{ kind: age, bands: [18, 30, 45, 60] }",
);
