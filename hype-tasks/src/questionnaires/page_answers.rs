//! Answers to a page of questions.

use std::collections::BTreeMap;
use std::sync::Arc;

use hype_core::words::listed;
use hype_core::{AnswerValue, Form, Question, Refusal};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Number;

/// A rater's answers to the questions of one page, by the questions' keys.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct PageAnswers(pub BTreeMap<Arc<str>, Given>);

/// The answer to one question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Given {
    /// The value of the chosen option.
    Choice(Arc<str>),
    /// A number.
    Number(Number),
}

impl Given {
    /// Whether this answer equals a text: an option's value, or a number.
    #[must_use]
    pub fn is(&self, text: &str) -> bool {
        match self {
            Self::Choice(value) => &**value == text,
            // Numbers are compared as such: 4 and "4.0" are the same.
            Self::Number(number) => match (number.as_f64(), text.trim().parse::<f64>()) {
                (Some(number), Ok(wanted)) => number.total_cmp(&wanted).is_eq(),
                _ => false,
            },
        }
    }
}

impl PageAnswers {
    /// Checks that every question of a page is answered, each with a value that its form allows, and nothing else.
    ///
    /// # Errors
    /// The first question without a valid answer, or the first answer without a question.
    pub fn check(&self, questions: &[Question]) -> Result<(), Refusal> {
        for question in questions {
            match self.0.get(&question.id) {
                None => return Err(Refusal(format!("the question `{}` is not answered", question.id))),
                Some(given) => given.answers(question)?,
            }
        }
        match self.0.keys().find(|&key| questions.iter().all(|question| question.id != *key)) {
            Some(unknown) => Err(Refusal(format!("there is no question `{unknown}`"))),
            None => Ok(()),
        }
    }
}

impl Given {
    fn answers(&self, question: &Question) -> Result<(), Refusal> {
        let Question { id, form, .. } = question;
        match (form, self) {
            (Form::Choice { options }, Self::Choice(value)) => {
                if options.iter().any(|option| option.value == *value) {
                    return Ok(());
                }
                let known: Vec<&str> = options.iter().map(|option| &*option.value).collect();
                let known = listed(&known);
                Err(Refusal(format!("the question `{id}` has no option `{value}`; it has {known}")))
            }
            (Form::Number { minimum, maximum, whole }, Self::Number(number)) => {
                let fits = number.as_f64().is_some_and(|value| (*minimum..=*maximum).contains(&value));
                let whole_enough = !whole || number.is_i64() || number.is_u64();
                if fits && whole_enough {
                    return Ok(());
                }
                let kind = if *whole { "a whole number" } else { "a number" };
                Err(Refusal(format!(
                    "the answer to `{id}` is {kind} from {minimum} to {maximum}, got {number}"
                )))
            }
            _ => Err(Refusal(format!(
                "the answer to `{id}` does not have the form that the question asks for"
            ))),
        }
    }
}

/// The value of an accepted answer, written as a text, to a question; `None` if it is not a valid answer
/// to that question.
pub(crate) fn accepted(question: &Question, text: &str) -> Option<AnswerValue> {
    match &question.form {
        Form::Choice { options } => {
            options.iter().any(|option| &*option.value == text).then(|| AnswerValue::from(text))
        }
        Form::Number { minimum, maximum, whole } => {
            let number =
                text.trim().parse::<f64>().ok().filter(|value| (*minimum..=*maximum).contains(value))?;
            match whole {
                true => text.trim().parse::<i64>().ok().map(AnswerValue::from),
                false => Number::from_f64(number).map(AnswerValue::from),
            }
        }
        _ => None,
    }
}
