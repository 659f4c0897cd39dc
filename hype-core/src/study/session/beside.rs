//! Questions that a study asks in addition to those of its task, such as the reason for a choice.

use std::borrow::Cow;
use std::sync::Arc;

use crate::model::answer::Answer;
use crate::model::trial::{Question, Trial, check_given};
use crate::protocol::questions::QuestionSpec;

/// The questions that are asked with every trial of the main phase. The task knows nothing of them.
#[derive(Debug, Clone)]
pub(super) struct Beside(Arc<[Question]>);

impl Beside {
    pub(super) fn new(specs: &[QuestionSpec]) -> Self {
        Self(specs.iter().map(QuestionSpec::question).collect())
    }

    /// Returns a trial of the task with these questions in addition to its own.
    pub(super) fn with(&self, trial: Trial) -> Trial {
        if self.0.is_empty() || !trial.phase.looks_main() {
            return trial;
        }
        let questions = trial.questions.iter().chain(&*self.0).cloned().collect();
        Trial { questions, ..trial }
    }

    /// The part of an answer that the task sees.
    pub(super) fn without<'a>(&self, answer: &'a Answer) -> Cow<'a, Answer> {
        match self.0.is_empty() {
            true => Cow::Borrowed(answer),
            false => Cow::Owned(answer.only(|key| self.0.iter().all(|question| *question.id != *key))),
        }
    }

    /// Returns the fault of the answers to these questions in a trial, if there is one.
    pub(super) fn fault(&self, trial: &Trial, answer: &Answer) -> Option<String> {
        if !trial.phase.looks_main() {
            return None;
        }
        check_given(&self.0, answer).err()
    }
}
