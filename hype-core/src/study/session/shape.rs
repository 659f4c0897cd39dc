//! The shapes that answers must have before a task sees them.

use crate::model::answer::Answer;
use crate::model::trial::{Form, TextMark, Trial};

/// Why an answer does not have the form that its trial requires; `None` if it does. Serde would accept more: a list in
/// place of an object, and `{ "real": null }` in place of `"real"`. Rubrics read logs without the task's types, so a
/// log must not contain such answers. Whether an answer is one of the options, or in range, is decided by the task.
pub(super) fn misshapen(trial: &Trial, answer: &Answer) -> Option<String> {
    if !answer.is_object() {
        return Some("the answer is not an object with one entry for each question".into());
    }
    trial.questions.iter().find_map(|question| {
        let entry = answer.get(&question.id)?;
        let (fits, wanted) = match &question.form {
            Form::Choice { .. } => (entry.as_str().is_some(), "the value of an option"),
            Form::Number { .. } => (entry.as_number().is_some(), "a number"),
            Form::Several { .. } => (entry.as_texts().is_some(), "a list of values of options"),
            Form::Slider { .. } => (entry.as_number().is_some(), "a number"),
            Form::Text { .. } => (entry.as_str().is_some(), "a text"),
            Form::Marks { .. } => (TextMark::all(entry).is_some(), "a list of marks"),
            Form::Ranking { .. } => (entry.as_ranks().is_some(), "an object with a rank for each candidate"),
        };
        (!fits).then(|| format!("the answer to `{}` is not {wanted}", question.id))
    })
}
