//! The rubric `likert`: questions written by the author, with scored options or numbers.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use hype_core::model::guidance::Guidance;
use hype_core::model::score::{Direction, MeasureScale};
use hype_core::{Description, Diagnostics};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::graded;
use super::questionnaire::{
    CONSISTENCY, Category, Formula, GOLD_CORRECT, MeasureTemplate, QuestionTemplate, Questionnaire,
    ResponseScale, ScoreRule, Wording, questionnaire_rubric,
};

mod option;

pub use self::option::LikertOption;

/// Questions written by the author; each is a measure, and the first is the study's score.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Likert {
    /// The questions, all on one page.
    #[schemars(length(min = 1))]
    pub questions: Vec<LikertQuestion>,
    /// The text that raters read before they begin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub guidance: Option<Arc<str>>,
}

/// One question: with options or with a range of numbers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LikertQuestion {
    /// The key of its answer, unique within the study.
    pub id: Arc<str>,
    /// The text of the question.
    pub text: Arc<str>,
    /// Help on how to answer it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub help: Option<Arc<str>>,
    /// The label of the measure in findings; the question's text if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<Arc<str>>,
    /// The options, in the order shown. Those written as texts score 1, 2, 3 and so on in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<LikertOption>,
    /// The range of accepted numbers, instead of options; the number is the score.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<NumberRange>,
    /// Which direction is better.
    #[serde(default = "higher")]
    pub better: Direction,
    /// Whether the options are categories without an order, whose scores are mere codes. Agreement is then that of
    /// categories, and no direction is better.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub nominal: bool,
}

/// The range of numbers that answer a question.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NumberRange {
    /// The least number.
    pub minimum: f64,
    /// The greatest number.
    pub maximum: f64,
    /// Whether only whole numbers are accepted.
    #[serde(default)]
    pub whole: bool,
}

const fn higher() -> Direction {
    Direction::Higher
}

impl LikertQuestion {
    fn template(&self) -> QuestionTemplate {
        let scale = match self.number {
            Some(NumberRange { minimum, maximum, whole }) => {
                ResponseScale::Number { minimum, maximum, whole }
            }
            None => {
                let options = (1..).zip(&self.options).map(|(place, option)| Category {
                    value: option.value(place).to_string().into(),
                    label: option.label.to_string().into(),
                    score: option.score(place),
                });
                ResponseScale::Categories(options.collect())
            }
        };
        QuestionTemplate {
            id: owned(&self.id),
            wording: Wording::Once(owned(&self.text)),
            help: self.help.as_deref().map(owned),
            scale,
            of_difference: false,
        }
    }

    fn measure(&self) -> MeasureTemplate {
        let label = self.label.as_ref().unwrap_or(&self.text);
        let (scale, direction) = match (self.nominal, self.number) {
            // Codes of categories have no better direction.
            (true, _) => (Some(MeasureScale::Nominal), Direction::Neither),
            (false, Some(_)) => (Some(MeasureScale::Interval), self.better),
            (false, None) => (None, self.better),
        };
        MeasureTemplate { name: owned(&self.id), label: owned(label), unit: "", direction, scale }
    }

    fn check(&self, at: &mut Diagnostics) {
        let blank = |text: &str| text.trim().is_empty();
        if blank(&self.id) || [GOLD_CORRECT, CONSISTENCY].contains(&&*self.id) {
            at.field("id")
                .error("bad-key", format!("{:?} cannot be the key of a question", self.id))
                .help("use a short unique name, such as `realism`");
        }
        if blank(&self.text) {
            at.field("text").error("empty", "nothing is asked").help("write the question");
        }
        match (&self.number, self.options.is_empty()) {
            (Some(_), _) if self.nominal => {
                at.field("nominal")
                    .error("not-categories", "answers that are numbers are not categories without an order")
                    .help("write `options` in place of `number`, or leave out `nominal`");
            }
            (None, true) => {
                at.error("no-options", "the question has no options and no number")
                    .help("add `options`, such as `options: [Bad, Fair, Good]`, or `number`");
            }
            (Some(_), false) => {
                at.field("number")
                    .error("two-forms", "a question has options or takes a number, not both")
                    .help("remove `options` or `number`");
            }
            (Some(range), true) => {
                let ordered = range.minimum < range.maximum && (range.maximum - range.minimum).is_finite();
                if !ordered || (range.whole && range.minimum.ceil() >= range.maximum.floor()) {
                    at.field("number")
                        .error("out-of-range", "the range must contain at least two numbers")
                        .help("use a minimum under the maximum, such as `{ minimum: 0, maximum: 100 }`");
                }
            }
            (None, false) => at.within("options", |at| self.check_options(at)),
        }
    }

    fn check_options(&self, at: &mut Diagnostics) {
        if self.options.len() < 2 {
            at.error("too-few-options", "a question needs at least two options").help("add options");
        }
        let mut seen = BTreeSet::new();
        for (index, (place, option)) in (1..).zip(&self.options).enumerate() {
            if !seen.insert(option.value(place)) {
                at.item(index)
                    .error("duplicate", format!("two options have the value `{}`", option.value(place)))
                    .help("give each a different `value`");
            }
            if let (None, Ok(number)) = (option.score, option.label.trim().parse::<f64>())
                && (number - f64::from(place)).abs() > 0.0
            {
                at.item(index)
                    .warning("score-unlike-label", format!("the option `{}` scores {place}", option.label))
                    .help(format!("state its score: `{{ label: \"{0}\", score: {0} }}`", option.label));
            }
            if !option.score(place).is_finite() {
                at.item(index)
                    .error("out-of-range", "a score has to be a number")
                    .help("use a finite number");
            }
        }
    }
}

impl Likert {
    fn questionnaire(&self) -> Questionnaire {
        let score =
            |question: &LikertQuestion| ScoreRule { measure: owned(&question.id), formula: Formula::Answer };
        Questionnaire {
            questions: self.questions.iter().map(LikertQuestion::template).collect(),
            needs: Cow::Borrowed(&[]),
            guidance: self.guidance.clone().map(Guidance::from),
            measures: self.questions.iter().map(LikertQuestion::measure).collect(),
            scores: self.questions.iter().map(score).collect(),
            aggregators: graded,
            recommended: None,
            remark: None,
            remark_without_reals: None,
        }
    }

    fn check_settings(&self, _: &Description, at: &mut Diagnostics) {
        at.within("questions", |at| {
            if self.questions.is_empty() {
                at.error("empty", "there are no questions").help("add one with `id`, `text` and `options`");
            }
            let mut seen = BTreeSet::new();
            for (index, question) in self.questions.iter().enumerate() {
                at.within_item(index, |at| {
                    question.check(at);
                    if !seen.insert(&question.id) {
                        at.field("id")
                            .error("duplicate", format!("two questions have the key `{}`", question.id))
                            .help("give each a different key");
                    }
                });
            }
        });
    }
}

fn owned(text: &str) -> Cow<'static, str> {
    Cow::Owned(text.to_owned())
}

questionnaire_rubric!(
    Likert,
    "likert",
    summary = "Questions of your own, with scored options or a range of numbers",
    citation = "Likert 1932, A technique for the measurement of attitudes, Archives of Psychology",
    example = "{ kind: likert, questions: [{ id: realism, text: How realistic is the image?, options: [Not at all, \
               Slightly, Moderately, Very, Completely] }] }"
);
