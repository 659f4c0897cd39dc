//! Raters, and cohorts of raters.

use std::any::Any;
use std::fmt::Debug;
use std::path::Path;

use crate::diagnostics::Diagnostics;
use crate::model::answer::Answer;
use crate::model::record::{Answered, Place};
use crate::model::stimulus::Stimuli;
use crate::model::trial::{Trial, Truth};
use crate::model::units::Micros;
use crate::plugin::surroundings::Surroundings;
use crate::plugin::task::Design;
use crate::protocol::chance::{Stream, Streams};

/// Answers trials: a script, a synthetic observer, a model, or code of an embedding program.
pub trait Rater: Send {
    /// Answers a trial.
    ///
    /// `truth` is hidden from people; a synthetic observer needs it to answer correctly or incorrectly on purpose.
    /// `chance` is reserved for this trial of this session, so earlier draws do not affect it.
    fn respond(&mut self, trial: &Trial, truth: Option<&Truth>, chance: &mut Stream) -> Response;

    /// Informs a rater of a trial that it answered before an interruption, from which a rater with memory can resume.
    fn recall(&mut self, _trial: &Trial, _answered: &Answered) {}
}

/// A rater's response to a trial.
#[derive(Debug, Clone, PartialEq)]
pub enum Response {
    /// The rater answers.
    Answer {
        /// One value for each question.
        answer: Answer,
        /// The response time, from the end of the presentation.
        rt: Micros,
    },
    /// The rater leaves the study.
    Leave,
}

/// The session that needs a rater. [`Study::wanted`](crate::Study::wanted) makes it.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Wanted<'a> {
    /// The place in the plan.
    pub place: &'a Place,
    /// The number of earlier raters who did not complete this place.
    pub attempt: u32,
    /// The rater's key.
    pub rater: &'a str,
    /// The study's stimuli.
    pub stimuli: &'a Stimuli,
    /// The root of the study's random streams, for draws that are shared by all raters.
    pub study_chance: &'a Streams,
    /// The folder that paths in the spec are relative to.
    pub folder: &'a Path,
}

/// A source of raters within the program, for the section `simulate` and the backend `local`.
///
/// Register an implementation with [`register_cohort!`](crate::register_cohort) to use it from YAML.
pub trait Cohort: Any + Debug + Send + Sync {
    /// Checks the rules across fields and, if the study is about to run, what the cohort needs outside the spec. Adds
    /// every fault to `at`.
    fn check(&self, around: &Surroundings<'_>, at: &mut Diagnostics);

    /// The rater for a session. Equal arguments give equal raters.
    ///
    /// # Errors
    /// If the cohort has no rater for the session.
    fn rater(&self, wanted: &Wanted<'_>, chance: &Streams) -> Result<Box<dyn Rater>, CohortError>;

    /// Whether the raters are synthetic. Their answers are never mistaken for those of people.
    fn is_synthetic(&self) -> bool {
        false
    }

    /// Whether the models of a study are assumed to differ. If not, all differences that simulated studies show are chance.
    fn tells_apart(&self, _stimuli: &Stimuli) -> bool {
        true
    }

    /// The assumptions about the raters, one sentence each, for readers of findings that rest on them. Empty by
    /// default.
    fn assumptions(&self, _design: &Design<'_>) -> Vec<String> {
        Vec::new()
    }
}

/// A cohort as a spec holds it, by its `kind`. Implemented by [`register_cohort!`](crate::register_cohort).
#[typetag::serialize(tag = "kind")]
pub trait CohortSpec: DynCohort {}

crate::plugin::kinds::read_by_kind!(CohortSpec);

/// Methods of every registered cohort in addition to [`Cohort`].
pub trait DynCohort: Cohort {
    /// A copy.
    fn boxed_clone(&self) -> Box<dyn CohortSpec>;
}

impl<C: Cohort + CohortSpec + Clone> DynCohort for C {
    fn boxed_clone(&self) -> Box<dyn CohortSpec> {
        Box::new(self.clone())
    }
}

impl Clone for Box<dyn CohortSpec> {
    fn clone(&self) -> Self {
        self.boxed_clone()
    }
}

/// A cohort has no rater for a session; the operator has to correct its settings or files.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no rater for place {place}: {reason}")]
pub struct CohortError {
    /// The place's number.
    pub place: u32,
    /// Why.
    pub reason: String,
}
