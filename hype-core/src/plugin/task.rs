//! Tasks: what a rater is asked to do, trial by trial.

use std::any::Any;
use std::fmt::Debug;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::diagnostics::Diagnostics;
use crate::model::check::Check;
use crate::model::findings::Fact;
use crate::model::ids::StimulusId;
use crate::model::record::{Ending, Place, SessionRecord};
use crate::model::stimulus::Stimuli;
use crate::model::trial::{Timing, Trial, Truth};
use crate::model::units::Micros;
use crate::plugin::aggregator::AggregatorSpec;
use crate::plugin::description::Description;
use crate::plugin::rubric::RubricSpec;
use crate::protocol::chance::Streams;
use crate::protocol::raters::{RaterDesign, Raters};

mod machine;

pub use self::machine::Machine;

/// What a rater is asked to do, trial by trial.
///
/// A task is pure: no clock, no input or output, no ambient randomness. What it asks next depends on its inputs, the
/// chance handed to [`start`](Self::start) and the answers so far, and on nothing else. What decides the next trial uses
/// no transcendental function, whose last bits differ between platforms.
///
/// Register an implementation with [`register_task!`](crate::register_task) to use it from YAML.
pub trait Task: Debug + Clone + Serialize + DeserializeOwned + JsonSchema + Send + Sync + 'static {
    /// Everything that changes during a session.
    type State: Clone + Debug + PartialEq + Send + Sync + 'static;
    /// What a rater answers: a struct with one field for each question of a trial.
    type Answer: Serialize + DeserializeOwned + JsonSchema;

    /// Raised whenever replaying an old log would give something else.
    const VERSION: u32;

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
    /// If it is not a valid answer for this trial; the state is then unchanged.
    fn answer(
        &self,
        state: &mut Self::State,
        answer: Self::Answer,
        timing: &Timing,
    ) -> Result<Verdict, Refusal>;

    /// What a spec uses where it says nothing else: the rubric, the aggregator and the raters of the published protocol.
    fn defaults(&self) -> Defaults;

    /// What can be said of the sessions of a design beforehand.
    fn profile(&self, design: &Design<'_>) -> Profile;

    /// Checks the rules across fields, and adds every fault to `at`, not only the first.
    fn check(&self, _design: &Design<'_>, _at: &mut Diagnostics) {}

    /// Checks what the `raters` section means to this task, at the path of that section. A task without a qualification
    /// of its own refuses one, as this does unless it is overridden.
    fn check_raters(&self, design: &Design<'_>, at: &mut Diagnostics) {
        if design.raters.qualification.is_some() {
            at.field("qualification")
                .error("no-qualification", "this task has no qualification")
                .help("write `qualification: null`");
        }
    }

    /// The current trial was disturbed while it was shown, and will be shown again. A task with limited exposures puts
    /// another stimulus in its place where it has one; by default the same trial is shown. Not called after the end.
    fn disturb(&self, _state: &mut Self::State) {}

    /// The stimuli that the current block may still show, in any order, so that a page can load them before the block
    /// begins; empty where only the current trial's are known.
    fn upcoming(&self, _state: &Self::State) -> Vec<StimulusId> {
        Vec::new()
    }

    /// Applies this task's rules to a completed session; each rule has a name of its own. The rater is left out of the
    /// findings by the first failed check whose [consequence](crate::model::check::Consequence) it is, and another rater
    /// takes the place.
    fn checks(&self, _session: &SessionRecord, _stimuli: &Stimuli) -> Vec<Check> {
        Vec::new()
    }

    /// What this task asks, and what scorers have to know of its settings; by default nothing, so that only rubrics that
    /// read logs by themselves can score it.
    fn describe(&self) -> Description {
        Description::default()
    }

    /// How this task shares items out among raters; `None` if it counts raters by model only, and designs that count them
    /// by item are refused.
    fn by_item(&self) -> Option<&dyn ByItem> {
        None
    }

    /// How later sessions learn from earlier ones; `None` if every session stands alone.
    fn learner(&self) -> Option<&dyn Learner> {
        None
    }
}

/// What a spec uses where it says nothing else.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Defaults {
    /// The rubric.
    pub rubric: Box<dyn RubricSpec>,
    /// The aggregator, unless the rubric has aggregators of its own.
    pub aggregator: Box<dyn AggregatorSpec>,
    /// The raters of the published protocol.
    pub raters: Raters,
}

impl Defaults {
    /// Defaults from their parts.
    #[must_use]
    pub fn new(rubric: impl RubricSpec, aggregator: impl AggregatorSpec, raters: Raters) -> Self {
        Self { rubric: Box::new(rubric), aggregator: Box::new(aggregator), raters }
    }
}

/// What can be said of the sessions of a design beforehand.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Profile {
    /// A bound on the trials of any session.
    pub trials_at_most: u32,
    /// How long a session lasts and how many answers a typical rater gets right after the qualification; `None` if
    /// that cannot be estimated.
    pub effort: Option<Effort>,
    /// How a typical rater does in the qualification; `None` if there is none.
    pub passing: Option<Passing>,
    /// Whether trials are shown for a limited time, and followed by masks.
    pub pace: Pace,
    /// What raters read before they begin, in paragraphs; the rubric's guidance follows it.
    pub guidance: Option<Arc<str>>,
    /// Facts of the protocol that follow from the settings and that a reader of the findings has to know.
    pub facts: Vec<Fact>,
}

impl Profile {
    /// The profile of sessions of at most so many trials: effort unknown, nothing limited in time, no guidance, no facts.
    #[must_use]
    pub const fn new(trials_at_most: u32) -> Self {
        Self {
            trials_at_most,
            effort: None,
            passing: None,
            pace: Pace::UNLIMITED,
            guidance: None,
            facts: Vec::new(),
        }
    }

    /// The same with a typical rater's effort.
    #[must_use]
    pub fn effort(self, duration: Micros, correct: f64) -> Self {
        Self { effort: Some(Effort { duration, correct }), ..self }
    }

    /// The same with trials that are shown for a limited time, or followed by masks.
    #[must_use]
    pub fn pace(self, pace: Pace) -> Self {
        Self { pace, ..self }
    }

    /// The same with what raters read before they begin.
    #[must_use]
    pub fn guidance(self, guidance: impl Into<Arc<str>>) -> Self {
        Self { guidance: Some(guidance.into()), ..self }
    }

    /// The same with facts of the protocol.
    #[must_use]
    pub fn facts(self, facts: Vec<Fact>) -> Self {
        Self { facts, ..self }
    }
}

/// How a typical rater does in a qualification.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Passing {
    /// The share of trials on which the rater is assumed to be right.
    pub accuracy: f64,
    /// The probability of passing with it.
    pub probability: f64,
}

/// How trials are shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Pace {
    /// Stimuli are shown for a limited time.
    pub limits_exposure: bool,
    /// Perceptual masks follow them.
    pub masks: bool,
}

impl Pace {
    /// Stimuli stay visible until the answer.
    pub const UNLIMITED: Self = Self { limits_exposure: false, masks: false };
}

/// What a session asks of a typical rater.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Effort {
    /// How long it lasts.
    pub duration: Micros,
    /// Right answers expected after the qualification.
    pub correct: f64,
}

/// How a task shares items out among raters, for designs that count raters by item ([`Raters::per_item`]).
pub trait ByItem: Sync {
    /// Sessions that have to be completed, so that every item gets its raters.
    fn sessions(&self, design: &Design<'_>) -> u32;

    /// What the session at a place judges, each at most once, by the numbers that this task gives to what
    /// [`Raters::per_item`] counts: stimuli, items, or pairs of models on items. Empty where it depends on answers.
    fn units(&self, inputs: &Inputs<'_>) -> Vec<u64>;
}

/// How later sessions learn from earlier ones. The order of sessions matters then, so drivers whose raters answer at once
/// open one after the other.
pub trait Learner: Sync {
    /// Adds what a session taught to a briefing, which is `null` at first; sessions opened later find it in
    /// [`Inputs::briefing`].
    fn learn(&self, briefing: &mut Value, session: &SessionRecord, stimuli: &Stimuli);
}

/// A study's stimuli, raters and rubric, as a task checks them.
#[derive(Debug, Clone, Copy)]
pub struct Design<'a> {
    /// The stimuli.
    pub stimuli: &'a Stimuli,
    /// The raters.
    pub raters: &'a Raters,
    /// The rubric, whose questions some tasks ask.
    pub rubric: &'a dyn RubricSpec,
}

impl Design<'_> {
    /// Checks that there are enough stimuli for sessions that show none twice: so many of each model that is judged, and so
    /// many real ones in all. Reports too few at the path of the task.
    pub fn check_stimuli(&self, of_each_model: u32, real: u32, at: &mut Diagnostics) {
        let mut check = |needed: u32, there: usize, whose: &str| {
            if (there as u64) < u64::from(needed) {
                at.error(
                    "too-few-images",
                    format!("a session shows {needed} stimuli of {whose}, which has {there}"),
                )
                .help("add stimuli, or ask for fewer trials; no stimulus is shown twice to a rater");
            }
        };
        check(real, self.stimuli.real().count(), "the real sets");
        for model in self.stimuli.models() {
            let name = self.stimuli.set(model).map_or("", |set| &*set.name);
            check(of_each_model, self.stimuli.members(model).len(), name);
        }
    }

    /// How many models each rater judges.
    #[must_use]
    pub fn models_of_a_rater(&self) -> u32 {
        match self.raters.design {
            RaterDesign::Between => 1,
            RaterDesign::Within => u32::try_from(self.stimuli.models().count()).unwrap_or(u32::MAX),
        }
    }
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
    /// What earlier sessions taught, where the task has a [`Learner`].
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

/// A session cannot begin with this design; the author of the spec has to correct what `check` names.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the session cannot begin: {0}")]
pub struct StartError(pub String);

/// Not a valid answer for the current trial; the rater has to give another.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Refusal(pub String);

/// A task as a spec holds it, by its `kind`. Implemented by [`register_task!`](crate::register_task).
#[typetag::serde(tag = "kind")]
pub trait TaskSpec: DynTask {}

/// The dyn-compatible twin of [`Task`], which every registered task has.
pub trait DynTask: Any + Debug + Send + Sync {
    /// [`Task::VERSION`].
    fn version(&self) -> u32;
    /// [`Task::start`].
    ///
    /// # Errors
    /// As [`Task::start`].
    fn start(&self, inputs: &Inputs<'_>, chance: &Streams) -> Result<Box<dyn Machine>, StartError>;
    /// [`Task::defaults`].
    fn defaults(&self) -> Defaults;
    /// [`Task::profile`].
    fn profile(&self, design: &Design<'_>) -> Profile;
    /// [`Task::check`].
    fn check(&self, design: &Design<'_>, at: &mut Diagnostics);
    /// [`Task::check_raters`].
    fn check_raters(&self, design: &Design<'_>, at: &mut Diagnostics);
    /// [`Task::checks`].
    fn checks(&self, session: &SessionRecord, stimuli: &Stimuli) -> Vec<Check>;
    /// [`Task::describe`].
    fn describe(&self) -> Description;
    /// [`Task::by_item`].
    fn by_item(&self) -> Option<&dyn ByItem>;
    /// [`Task::learner`].
    fn learner(&self) -> Option<&dyn Learner>;
    /// A copy.
    fn boxed_clone(&self) -> Box<dyn TaskSpec>;
}

impl<T: Task + TaskSpec> DynTask for T {
    fn version(&self) -> u32 {
        T::VERSION
    }
    fn start(&self, inputs: &Inputs<'_>, chance: &Streams) -> Result<Box<dyn Machine>, StartError> {
        machine::start(self, inputs, chance)
    }
    fn defaults(&self) -> Defaults {
        Task::defaults(self)
    }
    fn profile(&self, design: &Design<'_>) -> Profile {
        Task::profile(self, design)
    }
    fn check(&self, design: &Design<'_>, at: &mut Diagnostics) {
        Task::check(self, design, at);
    }
    fn check_raters(&self, design: &Design<'_>, at: &mut Diagnostics) {
        Task::check_raters(self, design, at);
    }
    fn checks(&self, session: &SessionRecord, stimuli: &Stimuli) -> Vec<Check> {
        Task::checks(self, session, stimuli)
    }
    fn describe(&self) -> Description {
        Task::describe(self)
    }
    fn by_item(&self) -> Option<&dyn ByItem> {
        Task::by_item(self)
    }
    fn learner(&self) -> Option<&dyn Learner> {
        Task::learner(self)
    }
    fn boxed_clone(&self) -> Box<dyn TaskSpec> {
        Box::new(self.clone())
    }
}

impl dyn TaskSpec {
    /// The task by its own type, if it is of that type.
    #[must_use]
    pub fn downcast_ref<T: Task>(&self) -> Option<&T> {
        (self as &dyn Any).downcast_ref()
    }
}

impl Clone for Box<dyn TaskSpec> {
    fn clone(&self) -> Self {
        self.boxed_clone()
    }
}
