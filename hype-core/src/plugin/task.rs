//! Tasks: what raters do, trial by trial.

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
use crate::model::guidance::Guidance;
use crate::model::ids::{SetId, StimulusId};
use crate::model::media::MediaKind;
use crate::model::record::{Ending, Place, SessionRecord};
use crate::model::stimulus::{Role, Stimuli};
use crate::model::trial::{Question, Timing, Trial, Truth};
use crate::model::units::{Micros, Millis};
use crate::plugin::aggregator::AggregatorByKind;
use crate::plugin::description::Description;
use crate::plugin::rubric::{Asked, RubricSpec};
use crate::protocol::chance::Streams;
use crate::protocol::raters::Raters;

mod machine;

pub use self::machine::Machine;

/// The work of a rater, trial by trial.
///
/// A task is pure: no clock, no input or output, no ambient randomness. The next trial depends only on the inputs, the
/// chance passed to [`start`](Self::start) and the answers so far. Whatever decides the next trial computes with
/// `+ - * /`, square roots and a pinned version of `libm` alone: the last bits of the standard library's transcendental
/// functions differ between platforms.
///
/// Register an implementation with [`register_task!`](crate::register_task) to use it from YAML.
pub trait Task: Debug + Clone + Serialize + DeserializeOwned + JsonSchema + Send + Sync + 'static {
    /// The state of a session.
    type State: Clone + Debug + PartialEq + Send + Sync + 'static;
    /// A rater's answer: a struct with one field for each question of a trial.
    type Answer: Serialize + DeserializeOwned + JsonSchema;

    /// The version of the task, raised whenever an old log would be replayed differently.
    const VERSION: u32;

    /// Begins a session.
    ///
    /// # Errors
    /// If the design does not allow a session. A design that passes [`check`](Self::check) always does.
    fn start(&self, inputs: &Inputs<'_>, chance: &Streams) -> Result<Self::State, StartError>;

    /// Returns what comes next. Calling this repeatedly changes nothing.
    fn next(&self, state: &Self::State) -> Next;

    /// The right answer and the model of the current trial. Not called after the end.
    fn truth(&self, state: &Self::State) -> Truth;

    /// Records the answer to the current trial. Not called after the end.
    ///
    /// # Errors
    /// If the answer is not valid for this trial. The state is then unchanged.
    fn answer(
        &self,
        state: &mut Self::State,
        answer: Self::Answer,
        timing: &Timing,
    ) -> Result<Verdict, Refusal>;

    /// The defaults of a spec: the rubric, the aggregator and the raters of the published protocol.
    fn defaults(&self) -> Defaults;

    /// Gives settings that the author left out the defaults of a kind of media. `written` is the section of the spec. By default
    /// those of all kinds are the same.
    fn fit(&mut self, _kind: MediaKind, _written: &Value) {}

    /// Returns what is known about the sessions of a design in advance.
    fn profile(&self, design: &Design<'_>) -> Profile;

    /// Checks the rules across fields. Adds every fault to `at`, not only the first.
    fn check(&self, _design: &Design<'_>, _at: &mut Diagnostics) {}

    /// Checks whether the `raters` section suits this task, at the path of that section. The default refuses a
    /// qualification, as tasks without one should.
    fn check_raters(&self, design: &Design<'_>, at: &mut Diagnostics) {
        if design.raters.qualification.is_some() {
            at.field("qualification")
                .error("no-qualification", "this task has no qualification")
                .help("write `qualification: null`");
        }
    }

    /// Handles a disturbed presentation of the current trial, which will be shown again. A task with limited exposures
    /// shows another stimulus instead if it has one. By default the same trial is repeated. Not called after the end.
    fn disturb(&self, _state: &mut Self::State) {}

    /// The stimuli that the current block may still show, in any order; a page can load them before the block
    /// begins. Empty if only those of the current trial are known.
    fn upcoming(&self, _state: &Self::State) -> Vec<StimulusId> {
        Vec::new()
    }

    /// The trial after the current one, if no answer to the current one can change it, nor end the session before it. A
    /// page can then show it at once, before its answer has reached the server. `None` at the last trial of a session, and
    /// by default.
    fn following(&self, _state: &Self::State) -> Option<Trial> {
        None
    }

    /// Applies this task's rules to a completed session; each rule has a unique name. A session without answers has the same
    /// rules, which are then unclear: their names are those that the rest of a spec can refer to. A rater who fails a check whose
    /// [consequence](crate::model::check::Consequence) is exclusion is not part of the findings,
    /// and another rater takes the place.
    fn checks(&self, _session: &SessionRecord, _stimuli: &Stimuli) -> Vec<Check> {
        Vec::new()
    }

    /// Describes what this task asks, and the settings that rubrics have to know. By default empty: only rubrics
    /// without requirements can score it.
    fn describe(&self) -> Description {
        Description::default()
    }

    /// How this task divides items among raters. `None` if it counts raters only by model; designs that count raters by
    /// item are then refused.
    fn by_item(&self) -> Option<&dyn ByItem> {
        None
    }

    /// How later sessions learn from earlier ones; `None` if sessions are independent.
    fn learner(&self) -> Option<&dyn Learner> {
        None
    }
}

/// The defaults of a spec.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Defaults {
    /// The rubric.
    pub rubric: Box<dyn RubricSpec>,
    /// The aggregator, unless the rubric has its own aggregators.
    pub aggregator: AggregatorByKind,
    /// The raters of the published protocol.
    pub raters: Raters,
}

impl Defaults {
    /// Creates defaults. The aggregator is named by its kind, such as `by_model`.
    #[must_use]
    pub fn new(rubric: impl RubricSpec, aggregator: impl Into<AggregatorByKind>, raters: Raters) -> Self {
        Self { rubric: Box::new(rubric), aggregator: aggregator.into(), raters }
    }
}

/// Facts known about the sessions of a design in advance.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Profile {
    /// An upper bound on the number of trials in a session.
    pub trials_at_most: u32,
    /// The duration of a session and the number of right answers after the qualification, for a typical rater; `None`
    /// if they cannot be estimated.
    pub effort: Option<Effort>,
    /// The performance of a typical rater in the qualification; `None` if there is none.
    pub passing: Option<Passing>,
    /// Whether exposures are limited, and whether masks follow.
    pub pace: Pace,
    /// Whether exposures can be limited in studies of texts: single ones, which pages show in a field of one size.
    pub exposes_texts: bool,
    /// The least time between the moment at which all that is judged is visible and a press that answers. It is too short to
    /// look, so earlier presses, such as the second one of a double click, were meant for something else.
    pub least_response: Millis,
    /// The text that raters read before they begin. The guidance of the rubric follows as a separate paragraph.
    pub guidance: Option<Guidance>,
    /// Facts about the protocol that follow from the settings and that readers of the findings have to know.
    pub facts: Vec<Fact>,
    /// The meaning of the settings, in sentences of the methods section and of preregistrations, without what questions and
    /// exposures say already: `Each rater makes 30 comparisons, of 3 pairs of models on 24 items.`
    pub settings: Vec<Arc<str>>,
}

impl Profile {
    /// The least response time unless a task says otherwise: simple reactions to a visible stimulus take about 200 ms
    /// (Luce 1986, Response Times, chapter 2).
    pub const LEAST_RESPONSE: Millis = Millis(200);

    /// A profile with unknown effort, unlimited exposures, [the usual least response time](Self::LEAST_RESPONSE), no
    /// guidance and no facts.
    #[must_use]
    pub const fn new(trials_at_most: u32) -> Self {
        Self {
            trials_at_most,
            effort: None,
            passing: None,
            pace: Pace::UNLIMITED,
            exposes_texts: false,
            least_response: Self::LEAST_RESPONSE,
            guidance: None,
            facts: Vec::new(),
            settings: Vec::new(),
        }
    }

    /// Sets the effort of a typical rater.
    #[must_use]
    pub fn effort(self, duration: Micros, correct: f64) -> Self {
        Self { effort: Some(Effort { duration, correct }), ..self }
    }

    /// Sets whether exposures are limited and whether masks follow.
    #[must_use]
    pub fn pace(self, pace: Pace) -> Self {
        Self { pace, ..self }
    }

    /// Sets what raters read before they begin.
    #[must_use]
    pub fn guidance(self, guidance: impl Into<Guidance>) -> Self {
        Self { guidance: Some(guidance.into()), ..self }
    }

    /// Sets the facts about the protocol.
    #[must_use]
    pub fn facts(self, facts: Vec<Fact>) -> Self {
        Self { facts, ..self }
    }

    /// Sets what the settings mean, in sentences.
    #[must_use]
    pub fn settings(self, settings: Vec<Arc<str>>) -> Self {
        Self { settings, ..self }
    }
}

/// The performance of a typical rater in a qualification.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Passing {
    /// The assumed share of right answers.
    pub accuracy: f64,
    /// The probability of passing with this share.
    pub probability: f64,
}

/// How stimuli are shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Pace {
    /// Whether stimuli are shown for a limited time.
    pub limits_exposure: bool,
    /// Whether perceptual masks follow them.
    pub masks: bool,
}

impl Pace {
    /// Stimuli stay visible until the answer.
    pub const UNLIMITED: Self = Self { limits_exposure: false, masks: false };
}

/// The effort of a typical rater in a session.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Effort {
    /// The duration of the session.
    pub duration: Micros,
    /// The expected number of right answers after the qualification.
    pub correct: f64,
}

/// How a task divides items among raters, for designs that count raters by item ([`Raters::per_item`]).
pub trait ByItem: Sync {
    /// The number of sessions that have to be completed to give every item its raters.
    fn sessions(&self, design: &Design<'_>) -> u32;

    /// Names the unit whose raters [`Raters::per_item`] counts.
    fn unit(&self) -> &'static str {
        "item"
    }

    /// The units that the session at a place judges, each at most once. Units are whatever [`Raters::per_item`] counts
    /// for this task: stimuli, items, or pairs of models on items. Empty if the units depend on answers.
    fn units(&self, inputs: &Inputs<'_>) -> Vec<u64>;
}

/// How later sessions learn from earlier ones. The order of sessions then matters, so drivers whose raters answer
/// immediately run sessions one after the other.
pub trait Learner: Sync {
    /// Updates a briefing, initially `null`, with what a session taught. Later sessions receive it in
    /// [`Inputs::briefing`].
    fn learn(&self, briefing: &mut Value, session: &SessionRecord, stimuli: &Stimuli);
}

/// The stimuli, raters and rubric of a study, as seen by a task.
#[derive(Debug, Clone, Copy)]
pub struct Design<'a> {
    /// The stimuli.
    pub stimuli: &'a Stimuli,
    /// The raters.
    pub raters: &'a Raters,
    /// The rubric; some tasks ask its questions.
    pub rubric: &'a dyn RubricSpec,
}

impl Design<'_> {
    /// Checks that there are enough stimuli for sessions without repeats: `of_each_model` for each judged model, and `real` real ones
    /// in total, as many for each model, of its levels. Reports faults at the path of the task.
    pub fn check_stimuli(&self, of_each_model: u32, real: u32, at: &mut Diagnostics) {
        let mut check = |needed: u64, there: usize, whose: &str| {
            if (there as u64) < needed {
                at.error(
                    "too-few-images",
                    format!("a session shows {needed} stimuli of {whose}, which has {there}"),
                )
                .help("add stimuli, or ask for fewer trials; no stimulus is shown twice to a rater");
            }
        };
        let most = u64::from(self.models_of_a_rater());
        let pools = self.groups().into_iter().flat_map(|models| self.stimuli.real_pools(&models));
        let mut lacking = pools.filter_map(|pool| {
            let needed = (u64::from(real) * pool.shared_by as u64).div_ceil(most);
            let there: usize = pool.sets.iter().map(|&set| self.stimuli.members(set).len()).sum();
            ((there as u64) < needed).then_some((needed, there))
        });
        if let Some((needed, there)) = lacking.next() {
            check(needed, there, "the real sets");
        }
        for model in self.stimuli.models() {
            let name = self.stimuli.set(model).map_or("", |set| &*set.name);
            check(u64::from(of_each_model), self.stimuli.members(model).len(), name);
        }
    }

    /// Returns the rubric's questions about a stimulus that is shown without its item's conditions, in the same words for real
    /// and generated ones; empty if it asks only about what an item shows.
    #[must_use]
    pub fn questions(&self) -> Arc<[Question]> {
        self.rubric.questions(&Asked { item: None, role: Role::Generated })
    }

    /// Checks that the rubric asks something about a stimulus that is shown without its item's conditions, at the path
    /// of the task.
    pub fn check_questions(&self, at: &mut Diagnostics) {
        if self.questions().is_empty() {
            let rubric = self.rubric.typetag_name();
            at.error(
                "no-questions",
                format!("the rubric {rubric} asks nothing about a stimulus without its conditions"),
            )
            .help("use a rubric that asks about the stimulus alone, such as the task's own or `heim.photorealism`");
        }
    }

    /// The models in groups: each rater judges the models of one group.
    #[must_use]
    pub fn groups(&self) -> Vec<Vec<SetId>> {
        self.raters.groups(self.stimuli)
    }

    /// The number of models that a rater judges, at most: cells of a model and its levels count as separate models.
    #[must_use]
    pub fn models_of_a_rater(&self) -> u32 {
        let most = self.groups().iter().map(Vec::len).max().unwrap_or(0);
        u32::try_from(most).unwrap_or(u32::MAX)
    }
}

/// The inputs of a session.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Inputs<'a> {
    /// The study's design.
    pub design: Design<'a>,
    /// The session's place in the plan.
    pub place: &'a Place,
    /// The streams of the whole study, for draws that are balanced across raters.
    pub study_chance: &'a Streams,
    /// The lessons of earlier sessions, if the task has a [`Learner`].
    pub briefing: Option<&'a Value>,
    /// Whether the rater has qualified in another study; the session then begins after the qualification. What follows is the
    /// same as for raters who pass it.
    pub is_qualified: bool,
}

impl<'a> Inputs<'a> {
    /// The inputs of a session at a place, whose task has learned nothing and whose rater has not qualified elsewhere.
    #[must_use]
    pub const fn new(design: Design<'a>, place: &'a Place, study_chance: &'a Streams) -> Self {
        Self { design, place, study_chance, briefing: None, is_qualified: false }
    }
}

/// The next step in a session.
#[derive(Debug, Clone, PartialEq)]
pub enum Next {
    /// A trial.
    Trial(Trial),
    /// The session has ended in this way.
    End(Ending),
}

/// How an answer was judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Verdict {
    /// Whether it was right, if there is a right answer.
    pub correct: Option<bool>,
}

/// A session cannot begin with this design; the author of the spec has to correct the faults that `check` reports.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the session cannot begin: {0}")]
pub struct StartError(pub String);

/// An answer is not valid for the current trial; the rater has to give another one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Refusal(pub String);

/// A task as a spec holds it, by its `kind`. Implemented by [`register_task!`](crate::register_task).
#[typetag::serialize(tag = "kind")]
pub trait TaskSpec: DynTask {}

crate::plugin::kinds::read_by_kind!(TaskSpec);

/// The dyn-compatible counterpart of [`Task`], implemented for every registered task.
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
    /// [`Task::fit`].
    fn fit(&mut self, kind: MediaKind, written: &Value);
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
    fn fit(&mut self, kind: MediaKind, written: &Value) {
        Task::fit(self, kind, written);
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
    /// The task by its concrete type, if it is of that type.
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
