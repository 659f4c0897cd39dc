//! Rubrics: from sessions to scores.

use std::any::Any;
use std::fmt::Debug;
use std::sync::Arc;

use crate::diagnostics::Diagnostics;
use crate::model::findings::{MeasureFindings, Note};
use crate::model::guidance::Guidance;
use crate::model::ids::{SetId, StimulusId};
use crate::model::item::Item;
use crate::model::record::{Answered, SessionRecord};
use crate::model::score::{Measure, ScoreTable};
use crate::model::stimulus::{Role, Stimuli};
use crate::model::trial::Question;
use crate::plugin::aggregator::AggregatorByKind;
use crate::plugin::description::{Asks, Description};

/// Turns sessions into scores.
///
/// Register an implementation with [`register_rubric!`](crate::register_rubric) to use it from YAML.
pub trait Rubric: Any + Debug + Send + Sync {
    /// The answers that this rubric reads from a log. A task that does not ask for them is refused.
    fn reads(&self) -> Reads {
        Reads::default()
    }

    /// The size of study that the published protocol recommends; `check` warns of smaller studies.
    fn recommended(&self) -> Option<Recommended> {
        None
    }

    /// How much raters differed in a published study with this rubric, for planning; `None` if no study is known.
    fn published_spread(&self) -> Option<PublishedSpread> {
        None
    }

    /// Checks the rules across fields, and whether this rubric can score the task. Adds every fault to `at`. The core
    /// already checks that the task asks what the rubric [reads](Self::reads).
    fn check(&self, _task: &Description, _at: &mut Diagnostics) {}

    /// The questions about a stimulus, for tasks that ask the questions of the rubric. Empty for rubrics of tasks that
    /// ask their own questions.
    fn questions(&self, _asked: &Asked<'_>) -> Arc<[Question]> {
        Arc::new([])
    }

    /// Returns the text that raters read before they begin, after the guidance of the task.
    fn guidance(&self) -> Option<Guidance> {
        None
    }

    /// The default aggregators for specs that name none. If empty, the default of the task is used.
    fn aggregators(&self) -> Vec<AggregatorByKind> {
        Vec::new()
    }

    /// The measures; the first one is the score of the study.
    fn measures(&self) -> Vec<Measure>;

    /// Adds the scores of one session to the table. Incomplete sessions are scored as far as possible; the aggregation
    /// decides whether they count.
    ///
    /// # Errors
    /// If the session contains something that this rubric cannot score.
    fn score(
        &self,
        session: &SessionRecord,
        context: &Scoring<'_>,
        into: &mut ScoreTable,
    ) -> Result<(), ScoreError>;

    /// Notes on the measures for readers of the findings.
    fn remarks(&self, _found: &[MeasureFindings], _context: &Scoring<'_>) -> Vec<Note> {
        Vec::new()
    }
}

/// The answers that a rubric reads from a log.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reads {
    /// Answers to the task's own questions, by their keys.
    Answers(Vec<Arc<str>>),
    /// Answers to the questions of the rubric, about one stimulus at a time.
    OwnQuestions,
}

impl Default for Reads {
    /// All answers in the log.
    fn default() -> Self {
        Self::Answers(Vec::new())
    }
}

impl Reads {
    /// Answers to the task's own questions, by their keys.
    #[must_use]
    pub fn answers<K: Into<Arc<str>>>(questions: impl IntoIterator<Item = K>) -> Self {
        Self::Answers(questions.into_iter().map(Into::into).collect())
    }

    /// Why a task's logs do not contain these answers; `None` if they do.
    pub(crate) fn missing(&self, asks: &Asks) -> Option<String> {
        match (self, asks) {
            (Self::OwnQuestions, Asks::RubricQuestions(_)) => None,
            (Self::OwnQuestions, Asks::Own(_)) => Some("which asks its own questions".to_owned()),
            (Self::Answers(questions), _) => {
                let missing = questions.iter().find(|question| !asks.has(question))?;
                Some(format!("which does not ask for `{missing}`"))
            }
        }
    }
}

/// The size of study that a published protocol recommends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Recommended {
    /// The protocol.
    pub source: &'static str,
    /// The minimum number of raters for each item.
    pub raters: u32,
    /// The minimum number of stimuli for each model.
    pub stimuli: usize,
}

/// How much raters differed in a published study.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PublishedSpread {
    /// The measure's name.
    pub measure: &'static str,
    /// The standard deviation over raters, in the measure's unit.
    pub sd: f64,
    /// The study and what was judged, such as `Zhou et al. 2019, table 3 (FFHQ)`.
    pub source: &'static str,
}

/// The subject of a rubric's questions.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    /// The item, if the study has items.
    pub item: Option<&'a Item>,
    /// Whether the stimulus is real or generated. Questions that depend on it reveal it to the rater; few rubrics
    /// should do so.
    pub role: Role,
}

/// Facts available to a rubric in addition to the session.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Scoring<'a> {
    /// The study's stimuli.
    pub stimuli: &'a Stimuli,
    /// The description of the study's task.
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

/// A session cannot be scored by this rubric because it belongs to another task or its log was altered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("rater {rater}, trial {trial}: {reason}")]
pub struct ScoreError {
    /// The rater.
    pub rater: String,
    /// The trial's number.
    pub trial: u32,
    /// The fault.
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
#[typetag::serialize(tag = "kind")]
pub trait RubricSpec: DynRubric {}

crate::plugin::kinds::read_by_kind!(RubricSpec);

/// Methods of every registered rubric in addition to [`Rubric`].
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
    /// The rubric by its concrete type, if it is of that type.
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
