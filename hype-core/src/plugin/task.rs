//! Tasks: what a rater is asked to do, trial by trial.

use std::any::Any;
use std::fmt::Debug;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize as _, Serialize};
use serde_json::Value;

use crate::diagnostics::Diagnostics;
use crate::model::check::Check;
use crate::model::findings::Fact;
use crate::model::record::{Ending, Place, SessionRecord};
use crate::model::stimulus::{Stimuli, StimulusId};
use crate::model::trial::{Timing, Trial, Truth};
use crate::model::units::Micros;
use crate::plugin::aggregator::ErasedAggregator;
use crate::plugin::rubric::ErasedRubric;
use crate::protocol::chance::Streams;
use crate::study::spec::Raters;

/// What a rater is asked to do, trial by trial.
///
/// A task is pure: no clock, no input or output, no ambient randomness. What it asks next depends on its
/// inputs, the chance handed to [`start`](Self::start) and the answers so far, and on nothing else. What
/// decides the next trial uses no transcendental function, whose last bits differ between platforms.
///
/// Register an implementation with [`register_task!`](crate::register_task) to use it from YAML.
pub trait Task: Debug + Clone + Serialize + DeserializeOwned + JsonSchema + Send + Sync + 'static {
    /// Everything that changes during a session.
    type State: Clone + Debug + PartialEq + Send + Sync + 'static;
    /// What a rater answers: an object with one entry for each question of a trial.
    type Answer: Serialize + DeserializeOwned + JsonSchema;

    /// Raised whenever replaying an old log would give something else.
    const VERSION: u32;

    /// Checks the rules across fields, and adds every fault to `at`, not only the first.
    fn check(&self, design: &Design<'_>, at: &mut Diagnostics);

    /// Checks what the `raters` section means to this task, at the path of that section. A task without a
    /// qualification of its own refuses one, as this does unless it is overridden.
    fn check_raters(&self, design: &Design<'_>, at: &mut Diagnostics) {
        if design.raters.qualification.is_some() {
            at.field("qualification")
                .error("no-qualification", "this task has no qualification")
                .help("write `qualification: null`");
        }
        refuse_per_item(design, at);
    }

    /// Begins a session.
    ///
    /// # Errors
    /// If the design does not allow a session; a design that passed [`check`](Self::check) does.
    fn start(&self, inputs: &Inputs<'_>, chance: &Streams) -> Result<Self::State, StartError>;

    /// What comes next; asking twice changes nothing.
    fn next(&self, state: &Self::State) -> Next;

    /// The right answer and the model of the current trial. Not called after the end.
    fn truth(&self, state: &Self::State) -> Truth;

    /// Takes the answer to the current trial. Not called after the end.
    ///
    /// # Errors
    /// If the answer is none to this trial; the state is then unchanged.
    fn answer(
        &self,
        state: &mut Self::State,
        answer: Self::Answer,
        timing: &Timing,
    ) -> Result<Verdict, Refusal>;

    /// The current trial was disturbed while it was shown, and will be shown again. A task with limited exposures puts
    /// another image in its place where it has one; by default the same trial is shown. Not called after the end.
    fn disturb(&self, _state: &mut Self::State) {}

    /// The stimuli that the current block may still show, in any order, so that a page can load them before the block
    /// begins; empty where only the current trial's are known.
    fn upcoming(&self, _state: &Self::State) -> Vec<StimulusId> {
        Vec::new()
    }

    /// A bound on the trials of any session of this design.
    fn trials_at_most(&self, design: &Design<'_>) -> u32;

    /// The rubric used where the spec names none.
    fn rubric(&self) -> Box<dyn ErasedRubric>;

    /// The aggregator used where the spec names none.
    fn aggregator(&self) -> Box<dyn ErasedAggregator>;

    /// The raters of the published protocol; what the spec leaves out is taken from here.
    fn raters(&self) -> Raters;

    /// How long a session lasts and how many answers a typical rater gets right after the qualification;
    /// `None` if that cannot be told.
    fn effort(&self, _design: &Design<'_>) -> Option<Effort> {
        None
    }

    /// Facts of the protocol that follow from the settings and that a reader of the findings has to know.
    fn facts(&self, _design: &Design<'_>) -> Vec<Fact> {
        Vec::new()
    }

    /// Whether trials are shown for a limited time, and followed by masks; by default neither.
    fn pace(&self) -> Pace {
        Pace::default()
    }

    /// Sessions that have to be completed, so that every item gets its raters, where raters are counted by item
    /// ([`Raters::per_item`]). A task that does not know what an item is refuses such a design in
    /// [`check_raters`](Self::check_raters).
    fn sessions_by_item(&self, _design: &Design<'_>) -> u32 {
        0
    }

    /// What the session at a place judges, each at most once, by the numbers that this task gives to what
    /// [`Raters::per_item`] counts: images, items, or pairs of models on items. Empty where raters are not counted by
    /// item, or where it depends on answers.
    fn units(&self, _inputs: &Inputs<'_>) -> Vec<u64> {
        Vec::new()
    }

    /// What raters read before they begin, in paragraphs; the rubric's guidance follows it.
    fn guidance(&self, _design: &Design<'_>) -> Option<Arc<str>> {
        None
    }

    /// What this task's rules say of a completed session; each rule has a name of its own. The rater is left out of the
    /// findings by the first failed check whose [consequence](crate::model::check::Consequence) it is, and another takes the
    /// place then, as where one leaves.
    fn checks(&self, _session: &SessionRecord, _stimuli: &Stimuli) -> Vec<Check> {
        Vec::new()
    }

    /// Whether sessions are opened with what earlier ones taught. Their order matters then, so drivers whose
    /// raters answer at once open one after the other.
    fn learns(&self) -> bool {
        false
    }

    /// Adds what a session taught to a briefing, which is `null` at first; what comes of it is in
    /// [`Inputs::briefing`] of sessions opened later.
    fn learn(&self, _briefing: &mut Value, _session: &SessionRecord, _stimuli: &Stimuli) {}
}

/// How a task's trials are shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Pace {
    /// Images are shown for a limited time.
    pub limits_exposure: bool,
    /// Perceptual masks follow them.
    pub masks: bool,
}

/// Tells that a task counts raters by model, where the design counts them by item; at the path of `raters`.
pub fn refuse_per_item(design: &Design<'_>, at: &mut Diagnostics) {
    if design.raters.per_item.is_some() {
        at.field("per_item")
            .error("not-by-item", "this task counts raters by model, not by item")
            .help("write `per_model`: how many raters judge each model");
    }
}

/// A study's stimuli, raters and rubric, as a task checks them.
#[derive(Debug, Clone, Copy)]
pub struct Design<'a> {
    /// The stimuli.
    pub stimuli: &'a Stimuli,
    /// The raters.
    pub raters: &'a Raters,
    /// The rubric, whose questions some tasks ask.
    pub rubric: &'a dyn ErasedRubric,
}

/// What a session begins with.
#[derive(Debug, Clone, Copy)]
pub struct Inputs<'a> {
    /// The study's design.
    pub design: Design<'a>,
    /// The session's place in the plan.
    pub place: &'a Place,
    /// The streams of the whole study, for draws that are balanced over raters.
    pub study_chance: &'a Streams,
    /// What earlier sessions taught, where the task [learns](Task::learns).
    pub briefing: Option<&'a Value>,
}

/// What comes next in a session.
#[derive(Debug, Clone, PartialEq)]
pub enum Next {
    /// This trial.
    Trial(Trial),
    /// Nothing: the session ended this way.
    End(Ending),
}

/// How an answer was judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Verdict {
    /// Whether it was right, where there is a right answer.
    pub correct: Option<bool>,
}

/// What a session asks of a typical rater.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Effort {
    /// How long it lasts.
    pub duration: Micros,
    /// Right answers expected after the qualification.
    pub correct: f64,
}

/// A session cannot begin with this design; the author of the spec has to correct what `check` names.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the session cannot begin: {0}")]
pub struct StartError(pub String);

/// An answer is none to the current trial; whoever sent it has to send another.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Refusal(pub String);

/// The untyped twin of [`Task`] that specs and drivers hold. Written by [`register_task!`](crate::register_task).
#[typetag::serde(tag = "kind")]
pub trait ErasedTask: Debug + Send + Sync {
    /// [`Task::VERSION`].
    fn version(&self) -> u32;
    /// [`Task::check`].
    fn check(&self, design: &Design<'_>, at: &mut Diagnostics);
    /// [`Task::check_raters`].
    fn check_raters(&self, design: &Design<'_>, at: &mut Diagnostics);
    /// [`Task::start`].
    ///
    /// # Errors
    /// As [`Task::start`].
    fn start(&self, inputs: &Inputs<'_>, chance: &Streams) -> Result<Box<dyn Machine>, StartError>;
    /// [`Task::trials_at_most`].
    fn trials_at_most(&self, design: &Design<'_>) -> u32;
    /// [`Task::rubric`].
    fn rubric(&self) -> Box<dyn ErasedRubric>;
    /// [`Task::aggregator`].
    fn aggregator(&self) -> Box<dyn ErasedAggregator>;
    /// [`Task::raters`].
    fn raters(&self) -> Raters;
    /// [`Task::effort`].
    fn effort(&self, design: &Design<'_>) -> Option<Effort>;
    /// [`Task::facts`].
    fn facts(&self, design: &Design<'_>) -> Vec<Fact>;
    /// [`Task::pace`].
    fn pace(&self) -> Pace;
    /// [`Task::sessions_by_item`].
    fn sessions_by_item(&self, design: &Design<'_>) -> u32;
    /// [`Task::units`].
    fn units(&self, inputs: &Inputs<'_>) -> Vec<u64>;
    /// [`Task::guidance`].
    fn guidance(&self, design: &Design<'_>) -> Option<Arc<str>>;
    /// [`Task::checks`].
    fn checks(&self, session: &SessionRecord, stimuli: &Stimuli) -> Vec<Check>;
    /// [`Task::learns`].
    fn learns(&self) -> bool;
    /// [`Task::learn`].
    fn learn(&self, briefing: &mut Value, session: &SessionRecord, stimuli: &Stimuli);
    /// A copy.
    fn boxed_clone(&self) -> Box<dyn ErasedTask>;
    /// The task behind the erasure; use `downcast_ref` instead.
    fn as_any(&self) -> &dyn Any;
}

impl dyn ErasedTask + '_ {
    /// The task by its own type, if it is of that type; rubrics of one task read its settings by it.
    #[must_use]
    pub fn downcast_ref<T: Task>(&self) -> Option<&T> {
        self.as_any().downcast_ref()
    }
}

impl Clone for Box<dyn ErasedTask> {
    fn clone(&self) -> Self {
        self.boxed_clone()
    }
}

/// A task in progress, with its types erased.
pub trait Machine: Debug + Send + Sync {
    /// [`Task::next`].
    fn next(&self) -> Next;
    /// [`Task::truth`].
    fn truth(&self) -> Truth;
    /// [`Task::answer`], for an answer that still has to be read.
    ///
    /// # Errors
    /// If the answer cannot be read or is none to this trial; nothing has changed then.
    fn answer(&mut self, answer: &Value, timing: &Timing) -> Result<Verdict, Refusal>;
    /// [`Task::disturb`].
    fn disturb(&mut self);
    /// [`Task::upcoming`].
    fn upcoming(&self) -> Vec<StimulusId>;
    /// A copy that goes its own way, for looking ahead and for tests.
    fn fork(&self) -> Box<dyn Machine>;
    /// The state as text, by which tests compare machines.
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

    fn answer(&mut self, answer: &Value, timing: &Timing) -> Result<Verdict, Refusal> {
        let typed = T::Answer::deserialize(answer)
            .map_err(|error| Refusal(format!("the answer cannot be read: {error}")))?;
        self.task.answer(&mut self.state, typed, timing)
    }

    fn disturb(&mut self) {
        self.task.disturb(&mut self.state);
    }

    fn upcoming(&self) -> Vec<StimulusId> {
        self.task.upcoming(&self.state)
    }

    fn fork(&self) -> Box<dyn Machine> {
        Box::new(self.clone())
    }

    fn fingerprint(&self) -> String {
        format!("{:?}", self.state)
    }
}

/// Begins a session of a typed task; the body of [`ErasedTask::start`].
///
/// # Errors
/// As [`Task::start`].
pub fn start_typed<T: Task>(
    task: &T,
    inputs: &Inputs<'_>,
    chance: &Streams,
) -> Result<Box<dyn Machine>, StartError> {
    let state = task.start(inputs, chance)?;
    Ok(Box::new(TypedMachine { task: task.clone(), state }))
}
