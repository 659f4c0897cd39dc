//! A task in progress, with its types erased.

use std::fmt::Debug;

use super::{Inputs, Next, Refusal, StartError, Task, Verdict};
use crate::model::answer::Answer;
use crate::model::ids::StimulusId;
use crate::model::trial::{Timing, Trial, Truth};
use crate::protocol::chance::Streams;

/// A task in progress, with its types erased.
pub trait Machine: Debug + Send + Sync {
    /// [`Task::next`].
    fn next(&self) -> Next;
    /// [`Task::truth`].
    fn truth(&self) -> Truth;
    /// [`Task::answer`], for an answer that has not been converted to the task's type.
    ///
    /// # Errors
    /// If the answer cannot be converted or is not valid for this trial. The state is then unchanged.
    fn answer(&mut self, answer: &Answer, timing: &Timing) -> Result<Verdict, Refusal>;
    /// [`Task::disturb`].
    fn disturb(&mut self);
    /// [`Task::upcoming`].
    fn upcoming(&self) -> Vec<StimulusId>;
    /// [`Task::following`].
    fn following(&self) -> Option<Trial>;
    /// An independent copy, for looking ahead and for tests.
    fn fork(&self) -> Box<dyn Machine>;
    /// The state as text, for tests that compare machines.
    fn fingerprint(&self) -> String;
}

/// A typed task and its state.
#[derive(Debug, Clone)]
struct TypedMachine<T: Task> {
    task: T,
    state: T::State,
}

impl<T: Task> Machine for TypedMachine<T> {
    fn next(&self) -> Next {
        self.task.next(&self.state)
    }

    fn truth(&self) -> Truth {
        self.task.truth(&self.state)
    }

    fn answer(&mut self, answer: &Answer, timing: &Timing) -> Result<Verdict, Refusal> {
        let typed = answer.read().map_err(|error| Refusal(format!("the answer cannot be read: {error}")))?;
        self.task.answer(&mut self.state, typed, timing)
    }

    fn disturb(&mut self) {
        self.task.disturb(&mut self.state);
    }

    fn upcoming(&self) -> Vec<StimulusId> {
        self.task.upcoming(&self.state)
    }

    fn following(&self) -> Option<Trial> {
        self.task.following(&self.state)
    }

    fn fork(&self) -> Box<dyn Machine> {
        Box::new(self.clone())
    }

    fn fingerprint(&self) -> String {
        format!("{:?}", self.state)
    }
}

/// Begins a session of a typed task.
pub(super) fn start<T: Task>(
    task: &T,
    inputs: &Inputs<'_>,
    chance: &Streams,
) -> Result<Box<dyn Machine>, StartError> {
    let state = task.start(inputs, chance)?;
    Ok(Box::new(TypedMachine { task: task.clone(), state }))
}
