//! The survey `nasa_tlx`.

use hype_core::model::trial::{Form, Question};
use hype_core::{Streams, Survey, SurveyPage, register_survey};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Asks for the workload of the session on the six scales of the NASA Task Load Index, each from 0 to 100 in steps of 5, without
/// the weights (the "raw" index). The scales and their questions are those of the official form, a work of the United States
/// government.
///
/// # Source
/// Hart and Staveland 1988, Development of NASA-TLX, Advances in Psychology 52; Hart 2006, NASA-Task Load Index: 20 years later, on
/// the raw index.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[expect(clippy::exhaustive_structs, reason = "it has no settings")]
pub struct NasaTlx {}

impl Survey for NasaTlx {
    fn pages(&self, _: &Streams) -> Vec<SurveyPage> {
        let scale = |id: &str, text: &str, from: &str, to: &str| {
            let (from, to) = (from.into(), to.into());
            let form = Form::Slider { minimum: 0.0, maximum: 100.0, from, to, step: 5.0 };
            Question::new(id, text, form)
        };
        let scales = [
            ("tlx_mental", "How mentally demanding was the task?"),
            ("tlx_physical", "How physically demanding was the task?"),
            ("tlx_temporal", "How hurried or rushed was the pace of the task?"),
        ];
        let last = [
            ("tlx_effort", "How hard did you have to work to accomplish your level of performance?"),
            ("tlx_frustration", "How insecure, discouraged, irritated, stressed, and annoyed were you?"),
        ];
        let plain = |(id, text): (&str, &str)| scale(id, text, "Very low", "Very high");
        let performance = scale(
            "tlx_performance",
            "How successful were you in accomplishing what you were asked to do?",
            "Perfect",
            "Failure",
        );
        let questions = scales.into_iter().map(plain).chain([performance]).chain(last.into_iter().map(plain));
        vec![SurveyPage::asking(questions.collect::<Vec<_>>())]
    }
}

register_survey!(
    NasaTlx,
    "nasa_tlx",
    summary = "The workload of the session, on the six scales of NASA-TLX",
    citation = "Hart & Staveland 1988, Advances in Psychology 52",
    example = "{ kind: nasa_tlx }",
);
