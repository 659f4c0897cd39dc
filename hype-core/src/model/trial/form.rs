//! Questions and the forms of their answers.

use std::collections::BTreeSet;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::model::answer::{Answer, AnswerValue};
use crate::model::trial::Question;
use crate::words::listed;

/// The form of an answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Form {
    /// One of several options; the answer is the option's value.
    Choice {
        /// The options, in the order shown.
        options: Vec<ChoiceOption>,
    },
    /// A number in a range, both ends included.
    Number {
        /// The least number.
        minimum: f64,
        /// The greatest number.
        maximum: f64,
        /// Whether only whole numbers are allowed.
        whole: bool,
    },
    /// An order of candidates; the answer is an object with the rank of each, 1 for the best.
    ///
    /// Ranks are dense: with ties, those of `[1, 1, 2]`; without, each from 1 to the number of candidates once.
    Ranking {
        /// The candidates to rank.
        candidates: Vec<ChoiceOption>,
        /// Whether candidates may share a rank.
        ties: bool,
    },
    /// Any number of several options; the answer is a list of their values, in the order of the options.
    Several {
        /// The options, in the order shown.
        options: Vec<ChoiceOption>,
        /// The least number that has to be chosen.
        at_least: u32,
        /// The greatest number that may be chosen.
        at_most: u32,
    },
    /// A place on a line between two labels, a visual analogue scale; the answer is a number. No place is chosen at first.
    Slider {
        /// The number at the beginning of the line.
        minimum: f64,
        /// The number at its end.
        maximum: f64,
        /// The label at the beginning.
        from: Arc<str>,
        /// The label at the end.
        to: Arc<str>,
        /// The distance between two numbers that can be chosen, counted from the beginning.
        step: f64,
    },
    /// Words of the rater's own; the answer is a text.
    Text {
        /// The greatest number of characters (Unicode scalar values).
        at_most: u32,
    },
    /// Spans that the rater marks in the texts of the trial; the answer is a list of [`TextMark`]s, as the lists `[text, start, end]`,
    /// in their order and without overlaps.
    Marks {
        /// The greatest number of marks.
        at_most: u32,
    },
}

/// A span of a plain text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[expect(clippy::exhaustive_structs, reason = "logs have exactly these fields")]
pub struct TextMark {
    /// The place of the text among the stimuli that are judged in the trial, from 0.
    pub text: u32,
    /// The first character of the span, in Unicode scalar values of the text in normal form C, with lines that end with a line
    /// feed.
    pub start: u32,
    /// The character after its last one.
    pub end: u32,
}

impl TextMark {
    /// The marks of an answer; `None` for one in another form.
    #[must_use]
    pub fn all(answer: &AnswerValue) -> Option<Vec<Self>> {
        let whole = |number: &Value| number.as_u64().and_then(|number| u32::try_from(number).ok());
        let one = |mark: &Value| match mark.as_array()?.as_slice() {
            [text, start, end] => Some(Self { text: whole(text)?, start: whole(start)?, end: whole(end)? }),
            _ => None,
        };
        answer.to_json().as_array()?.iter().map(one).collect()
    }
}

impl Form {
    /// Checks that a value is an answer of this form. Of a ranking only the shape is checked: which ranks are possible is known
    /// to their reader.
    ///
    /// # Errors
    /// A description of the answer that was expected.
    pub fn check(&self, answer: &AnswerValue) -> Result<(), String> {
        match self {
            Self::Choice { options } => match answer.as_str() {
                Some(value) => known(options, value),
                None => Err("is not the value of an option".into()),
            },
            Self::Number { minimum, maximum, whole } => {
                let kind = if *whole { "a whole number" } else { "a number" };
                let number = answer.as_number();
                let fits = number
                    .and_then(serde_json::Number::as_f64)
                    .is_some_and(|it| (*minimum..=*maximum).contains(&it));
                let is_whole = number.is_some_and(|it| it.is_i64() || it.is_u64());
                ensure(fits && (is_whole || !whole), || format!("is not {kind} from {minimum} to {maximum}"))
            }
            Self::Slider { minimum, maximum, .. } => {
                let fits = answer.as_f64().is_some_and(|it| (*minimum..=*maximum).contains(&it));
                ensure(fits, || format!("is not a number from {minimum} to {maximum}"))
            }
            Self::Ranking { .. } => ensure(answer.as_ranks().is_some(), || {
                "is not an object with a rank for each candidate".into()
            }),
            Self::Several { options, at_least, at_most } => {
                let Some(chosen) = answer.as_texts() else {
                    return Err("is not a list of values of options".into());
                };
                chosen.iter().try_for_each(|value| known(options, value))?;
                let places =
                    chosen.iter().map(|&value| options.iter().position(|option| &*option.value == value));
                ensure(places.is_sorted_by(|one, next| one < next), || {
                    "does not name each option once, in their order".into()
                })?;
                let count = chosen.len() as u64;
                ensure((u64::from(*at_least)..=u64::from(*at_most)).contains(&count), || {
                    format!("names {count} options where {at_least} to {at_most} can be chosen")
                })
            }
            Self::Text { at_most } => {
                let Some(text) = answer.as_str() else { return Err("is not a text".into()) };
                ensure(!text.trim().is_empty(), || "has no words".into())?;
                ensure(text.chars().count() as u64 <= u64::from(*at_most), || {
                    format!("has more than {at_most} characters")
                })?;
                ensure(!text.contains(|it: char| it.is_control() && it != '\n' && it != '\t'), || {
                    "has control characters other than line breaks and tabs".into()
                })
            }
            Self::Marks { at_most } => {
                let Some(marks) = TextMark::all(answer) else {
                    return Err("is not a list of marks `[text, start, end]`".into());
                };
                ensure((1..=*at_most as usize).contains(&marks.len()), || {
                    format!("has {} marks where there can be 1 to {at_most}", marks.len())
                })?;
                ensure(marks.iter().all(|mark| mark.start < mark.end), || {
                    "has a mark without characters".into()
                })?;
                let follows =
                    |one: &TextMark, next: &TextMark| (one.text, one.end) <= (next.text, next.start);
                ensure(marks.is_sorted_by(follows), || {
                    "has marks that overlap or are not in their order".into()
                })
            }
        }
    }
}

fn ensure(holds: bool, fault: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(fault()) }
}

fn known(options: &[ChoiceOption], value: &str) -> Result<(), String> {
    let values = || options.iter().map(|option| &*option.value);
    ensure(values().any(|known| known == value), || {
        format!("is not one of the options {}: {value:?}", listed(values()))
    })
}

/// One option of a choice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct ChoiceOption {
    /// The value of the answer.
    pub value: Arc<str>,
    /// The label that the rater reads.
    pub label: Arc<str>,
    /// The key that chooses it, if any.
    pub key: Option<char>,
}

impl ChoiceOption {
    /// Creates an option.
    #[must_use]
    pub fn new(value: &str, label: &str, key: Option<char>) -> Self {
        Self { value: value.into(), label: label.into(), key }
    }
}

/// When a question has to be answered. A question that does not have to be answered, and is not, has no entry in the answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
#[non_exhaustive]
pub enum Required {
    /// `true` for always, `false` for never.
    Is(bool),
    /// After certain answers to another question of the same screen.
    After(Trigger),
}

/// The answers to one question that make another one required.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(clippy::exhaustive_structs, reason = "a spec has exactly these fields")]
pub struct Trigger {
    /// The key of that question, which is a choice of one or several options.
    pub after: Arc<str>,
    /// The values of the options.
    pub any_of: Vec<Arc<str>>,
}

impl Required {
    /// Always.
    pub const ALWAYS: Self = Self::Is(true);
    /// Never.
    pub const NEVER: Self = Self::Is(false);

    /// Whether it always has to be answered.
    #[must_use]
    pub const fn is_always(&self) -> bool {
        matches!(self, Self::Is(true))
    }

    /// Whether it never has to be answered.
    #[must_use]
    pub const fn is_never(&self) -> bool {
        matches!(self, Self::Is(false))
    }

    /// Whether it has to be answered given these answers.
    #[must_use]
    pub fn applies(&self, given: &Answer) -> bool {
        match self {
            Self::Is(always) => *always,
            Self::After(Trigger { after, any_of }) => given.get(after).is_some_and(|answer| {
                let chosen = answer.as_str().into_iter().chain(answer.as_texts().into_iter().flatten());
                chosen.into_iter().any(|value| any_of.iter().any(|wanted| **wanted == *value))
            }),
        }
    }
}

impl Default for Required {
    fn default() -> Self {
        Self::ALWAYS
    }
}

/// Checks that every required question is answered, that every answer has the form of its question, and that there are no
/// others.
///
/// # Errors
/// The first fault, which names its question.
pub fn check_answers(questions: &[Question], given: &Answer) -> Result<(), String> {
    if !given.is_object() {
        return Err("the answer is not an object with one entry for each question".into());
    }
    check_given(questions, given)?;
    let asked: BTreeSet<&str> = questions.iter().map(|question| &*question.id).collect();
    match given.entries().find(|(key, _)| !asked.contains(key)) {
        Some((key, _)) => Err(format!("there is no question `{key}`")),
        None => Ok(()),
    }
}

/// Checks that every required question is answered, and that every answer has the form of its question. There may be answers to
/// other questions.
///
/// # Errors
/// The first fault, which names its question.
pub fn check_given(questions: &[Question], given: &Answer) -> Result<(), String> {
    for question in questions {
        match given.get(&question.id) {
            Some(answer) => question
                .form
                .check(answer)
                .map_err(|fault| format!("the answer to `{}` {fault}", question.id))?,
            None if question.required.applies(given) => {
                return Err(format!("the question `{}` is not answered", question.id));
            }
            None => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn marks_are_ordered_and_do_not_overlap() {
        let form = Form::Marks { at_most: 3 };
        for (marks, fits) in [
            (json!([[0, 4, 9], [0, 9, 10], [1, 0, 2]]), true),
            (json!([]), false),
            (json!([[0, 4, 4]]), false),
            (json!([[0, 4, 9], [0, 8, 10]]), false),
            (json!([[1, 0, 2], [0, 4, 9]]), false),
            (json!([[0, 0, 1], [0, 1, 2], [0, 2, 3], [0, 3, 4]]), false),
            (json!([[0, 1]]), false),
        ] {
            assert_eq!(form.check(&marks.clone().into()).is_ok(), fits, "{marks}");
        }
    }
}
