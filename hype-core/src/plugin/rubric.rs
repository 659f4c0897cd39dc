//! Rubrics: from what a rater did to numbers.

use std::any::Any;
use std::fmt::Debug;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::diagnostics::Diagnostics;
use crate::model::findings::{MeasureFindings, Note};
use crate::model::item::Item;
use crate::model::record::SessionRecord;
use crate::model::score::{Measure, ScoreTable};
use crate::model::stimulus::{Role, Stimuli};
use crate::model::trial::Question;
use crate::plugin::aggregator::ErasedAggregator;
use crate::plugin::task::ErasedTask;

/// From what a rater did to numbers.
///
/// Register an implementation with [`register_rubric!`](crate::register_rubric) to use it from YAML.
pub trait Rubric: Debug + Clone + Serialize + DeserializeOwned + JsonSchema + Send + Sync + 'static {
    /// Checks the rules across fields, and whether this rubric can score the task; adds every fault to `at`.
    fn check(&self, task: &dyn ErasedTask, at: &mut Diagnostics);

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
    fn aggregators(&self) -> Vec<Box<dyn ErasedAggregator>> {
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
    /// The study's task.
    pub task: &'a dyn ErasedTask,
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

/// The untyped twin of [`Rubric`] that specs hold. Written by [`register_rubric!`](crate::register_rubric).
#[typetag::serde(tag = "kind")]
pub trait ErasedRubric: Debug + Send + Sync {
    /// [`Rubric::check`].
    fn check(&self, task: &dyn ErasedTask, at: &mut Diagnostics);
    /// [`Rubric::questions`].
    fn questions(&self, asked: &Asked<'_>) -> Arc<[Question]>;
    /// [`Rubric::guidance`].
    fn guidance(&self) -> Option<Arc<str>>;
    /// [`Rubric::aggregators`].
    fn aggregators(&self) -> Vec<Box<dyn ErasedAggregator>>;
    /// [`Rubric::measures`].
    fn measures(&self) -> Vec<Measure>;
    /// [`Rubric::score`].
    ///
    /// # Errors
    /// As [`Rubric::score`].
    fn score(
        &self,
        session: &SessionRecord,
        context: &Scoring<'_>,
        into: &mut ScoreTable,
    ) -> Result<(), ScoreError>;
    /// [`Rubric::remarks`].
    fn remarks(&self, found: &[MeasureFindings], context: &Scoring<'_>) -> Vec<Note>;
    /// A copy.
    fn boxed_clone(&self) -> Box<dyn ErasedRubric>;
    /// The rubric behind the erasure; use `downcast_ref` instead.
    fn as_any(&self) -> &dyn Any;
}

impl dyn ErasedRubric + '_ {
    /// The rubric by its own type, if it is of that type.
    #[must_use]
    pub fn downcast_ref<R: Rubric>(&self) -> Option<&R> {
        self.as_any().downcast_ref()
    }
}

impl Clone for Box<dyn ErasedRubric> {
    fn clone(&self) -> Self {
        self.boxed_clone()
    }
}
