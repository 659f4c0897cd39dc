//! Answers to surveys, counted.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::model::record::SessionRecord;
use crate::model::trial::{Form, Phase, Question};

/// The answers to one question of a survey, of the raters who count. Words of raters' own are counted and not repeated.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SurveyFindings {
    /// When it was asked: `before` or `after`.
    pub phase: Phase,
    /// The question's key.
    pub question: Arc<str>,
    /// The text of the question.
    pub text: Arc<str>,
    /// Raters who answered it.
    pub answered: u64,
    /// Raters who were asked and did not answer.
    pub unanswered: u64,
    /// The answers.
    pub answers: SurveyCounts,
}

/// The counted answers to a question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum SurveyCounts {
    /// How many raters chose each option. Where several may be chosen, the counts add up to more than the raters.
    Options(Vec<OptionCount>),
    /// The distribution of numbers.
    Numbers(NumberSummary),
    /// Words of raters' own.
    Words,
}

/// How many raters chose an option.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OptionCount {
    /// The option's value.
    pub value: Arc<str>,
    /// Its label.
    pub label: Arc<str>,
    /// The number of raters.
    pub raters: u64,
}

/// The distribution of the numbers that raters gave.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NumberSummary {
    /// The mean; `None` without answers.
    pub mean: Option<f64>,
    /// The standard deviation of the sample, with n - 1; `None` with fewer than two answers.
    pub sd: Option<f64>,
    /// The least number.
    pub least: Option<f64>,
    /// The greatest number.
    pub greatest: Option<f64>,
}

/// Counts the answers to the surveys of a study.
#[derive(Debug, Clone, Default)]
pub(crate) struct SurveyCounter(Vec<Counting>);

#[derive(Debug, Clone)]
struct Counting {
    found: SurveyFindings,
    /// The mean and the sum of squared deviations so far, by Welford's recurrence (1962).
    moments: (f64, f64),
}

impl SurveyCounter {
    /// A counter of the questions of surveys before and after the task.
    pub(crate) fn of([before, after]: [Vec<Question>; 2]) -> Self {
        let before = before.into_iter().map(|question| (Phase::Before, question));
        let asked = before.chain(after.into_iter().map(|question| (Phase::After, question)));
        let counting = asked.map(|(phase, question)| Counting {
            found: SurveyFindings {
                phase,
                question: question.id,
                text: question.text,
                answered: 0,
                unanswered: 0,
                answers: match question.form {
                    Form::Choice { options } | Form::Several { options, .. } => {
                        let count = |option: crate::ChoiceOption| OptionCount {
                            value: option.value,
                            label: option.label,
                            raters: 0,
                        };
                        SurveyCounts::Options(options.into_iter().map(count).collect())
                    }
                    Form::Number { .. } | Form::Slider { .. } => {
                        SurveyCounts::Numbers(NumberSummary::default())
                    }
                    _ => SurveyCounts::Words,
                },
            },
            moments: (0.0, 0.0),
        });
        Self(counting.collect())
    }

    /// Counts the answers of a rater who counts.
    pub(crate) fn count(&mut self, record: &SessionRecord) {
        for one in &mut self.0 {
            let Counting { found, moments: (mean, squares) } = one;
            let answer = record.survey_answers().find_map(|answered| answered.answer.get(&found.question));
            let Some(answer) = answer else {
                found.unanswered += 1;
                continue;
            };
            found.answered += 1;
            match &mut found.answers {
                SurveyCounts::Options(options) => {
                    let chosen = answer.as_str().into_iter().chain(answer.as_texts().into_iter().flatten());
                    for value in chosen {
                        if let Some(option) = options.iter_mut().find(|option| *option.value == *value) {
                            option.raters += 1;
                        }
                    }
                }
                SurveyCounts::Numbers(summary) => {
                    let Some(number) = answer.as_f64() else { continue };
                    let from_mean = number - *mean;
                    *mean += from_mean / found.answered as f64;
                    *squares += from_mean * (number - *mean);
                    *summary = NumberSummary {
                        mean: Some(*mean),
                        sd: (found.answered > 1).then(|| (*squares / (found.answered - 1) as f64).sqrt()),
                        least: Some(summary.least.map_or(number, |least| least.min(number))),
                        greatest: Some(summary.greatest.map_or(number, |greatest| greatest.max(number))),
                    };
                }
                SurveyCounts::Words => {}
            }
        }
    }

    /// Returns the findings.
    pub(crate) fn findings(self) -> Vec<SurveyFindings> {
        self.0.into_iter().map(|one| one.found).collect()
    }
}
