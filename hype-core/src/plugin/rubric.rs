//! Rubrics: from what a rater did to numbers.

use std::any::Any;
use std::fmt::Debug;
use std::sync::Arc;

use crate::diagnostics::Diagnostics;
use crate::model::findings::{MeasureFindings, Note};
use crate::model::ids::{SetId, StimulusId};
use crate::model::item::Item;
use crate::model::record::{Answered, SessionRecord};
use crate::model::score::{Measure, ScoreTable};
use crate::model::stimulus::{Role, Stimuli};
use crate::model::trial::Question;
use crate::plugin::aggregator::AggregatorSpec;
use crate::plugin::description::{Asks, Description};

/// From what a rater did to numbers.
///
/// Register an implementation with [`register_rubric!`](crate::register_rubric) to use it from YAML.
pub trait Rubric: Any + Debug + Send + Sync {
    /// The answers in a log that this rubric reads. A design whose task does not ask for them is refused.
    fn reads(&self) -> Reads {
        Reads::default()
    }

    /// How large a study the published protocol asks for; `check` warns of smaller ones.
    fn recommended(&self) -> Option<Recommended> {
        None
    }

    /// Checks the rules across fields, and whether this rubric can score the task; adds every fault to `at`. That the task
    /// asks for what the rubric [reads](Self::reads) is checked already.
    fn check(&self, _task: &Description, _at: &mut Diagnostics) {}

    /// What is asked about a stimulus, by tasks that leave the questions to the rubric; empty for rubrics of tasks
    /// with questions of their own.
    fn questions(&self, _asked: &Asked<'_>) -> Arc<[Question]> {
        Arc::new([])
    }

    /// What raters read before they begin, in paragraphs.
    fn guidance(&self) -> Option<Arc<str>> {
        None
    }

    /// The aggregators used where the spec names none; none for the task's.
    fn aggregators(&self) -> Vec<Box<dyn AggregatorSpec>> {
        Vec::new()
    }

    /// What is measured; the first is the study's score.
    fn measures(&self) -> Vec<Measure>;

    /// Adds the scores of one session to the table. Incomplete sessions are scored as far as they go; whoever
    /// aggregates decides whether they count.
    ///
    /// # Errors
    /// If the session holds something that this rubric cannot score.
    fn score(
        &self,
        session: &SessionRecord,
        context: &Scoring<'_>,
        into: &mut ScoreTable,
    ) -> Result<(), ScoreError>;

    /// What a reader of these findings has to know of the measures.
    fn remarks(&self, _found: &[MeasureFindings], _context: &Scoring<'_>) -> Vec<Note> {
        Vec::new()
    }
}

/// The answers in a log that a rubric reads.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reads {
    /// Those to questions of the task's own, by their keys.
    Answers(Vec<Arc<str>>),
    /// Those to the rubric's own questions, about one stimulus at a time.
    OwnQuestions,
}

impl Default for Reads {
    /// Whatever the log holds.
    fn default() -> Self {
        Self::Answers(Vec::new())
    }
}

impl Reads {
    /// Those to questions of the task's own, by their keys.
    #[must_use]
    pub fn answers<K: Into<Arc<str>>>(questions: impl IntoIterator<Item = K>) -> Self {
        Self::Answers(questions.into_iter().map(Into::into).collect())
    }

    /// Why a task's logs do not hold them; `None` if they do.
    pub(crate) fn missing(&self, asks: &Asks) -> Option<String> {
        match (self, asks) {
            (Self::OwnQuestions, Asks::RubricQuestions(_)) => None,
            (Self::OwnQuestions, Asks::Own(_)) => Some("which asks questions of its own".to_owned()),
            (Self::Answers(questions), _) => {
                let missing = questions.iter().find(|question| !asks.has(question))?;
                Some(format!("which does not ask for `{missing}`"))
            }
        }
    }
}

/// How large a study has to be by a published protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Recommended {
    /// The protocol.
    pub source: &'static str,
    /// Raters of each item, at least.
    pub raters: u32,
    /// Stimuli of each model, at least.
    pub stimuli: usize,
}

/// What a rater is asked about.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    /// The item, where the study has items.
    pub item: Option<&'a Item>,
    /// Whether the stimulus is real or generated. Questions that depend on it tell the rater; few rubrics should.
    pub role: Role,
}

/// What a rubric may know beside the session.
#[derive(Debug, Clone, Copy)]
pub struct Scoring<'a> {
    /// The study's stimuli.
    pub stimuli: &'a Stimuli,
    /// What the study's task asks, with its details.
    pub task: &'a Description,
}

impl<'a> Scoring<'a> {
    /// The name of a set, such as a model's.
    #[must_use]
    pub fn name(&self, set: SetId) -> &'a str {
        self.stimuli.set(set).map_or("", |set| &*set.name)
    }

    /// Whether a stimulus is real or generated.
    #[must_use]
    pub fn role(&self, stimulus: StimulusId) -> Option<Role> {
        Some(self.stimuli.set_of(stimulus)?.role)
    }
}

/// A session cannot be scored by this rubric: it belongs to another task, or its log was altered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("rater {rater}, trial {trial}: {reason}")]
pub struct ScoreError {
    /// The rater.
    pub rater: String,
    /// The trial's number.
    pub trial: u32,
    /// What is wrong.
    pub reason: String,
}

impl ScoreError {
    /// An error at a trial of a session.
    #[must_use]
    pub fn new(session: &SessionRecord, answered: &Answered, reason: impl Into<String>) -> Self {
        Self { rater: session.header.rater.to_string(), trial: answered.trial, reason: reason.into() }
    }
}

/// A rubric as a spec holds it, by its `kind`. Implemented by [`register_rubric!`](crate::register_rubric).
#[typetag::serde(tag = "kind")]
pub trait RubricSpec: DynRubric {}

/// What every registered rubric has beside [`Rubric`].
pub trait DynRubric: Rubric {
    /// A copy.
    fn boxed_clone(&self) -> Box<dyn RubricSpec>;
}

impl<R: Rubric + RubricSpec + Clone> DynRubric for R {
    fn boxed_clone(&self) -> Box<dyn RubricSpec> {
        Box::new(self.clone())
    }
}

impl dyn RubricSpec {
    /// The rubric by its own type, if it is of that type.
    #[must_use]
    pub fn downcast_ref<R: Rubric>(&self) -> Option<&R> {
        (self as &dyn Any).downcast_ref()
    }
}

impl Clone for Box<dyn RubricSpec> {
    fn clone(&self) -> Self {
        self.boxed_clone()
    }
}
