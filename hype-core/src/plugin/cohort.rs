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
    /// `truth` is what people do not see; a synthetic observer needs it to answer rightly or wrongly on purpose.
    /// `chance` is reserved for this trial of this session, so that earlier draws do not matter.
    fn respond(&mut self, trial: &Trial, truth: Option<&Truth>, chance: &mut Stream) -> Response;

    /// Replays a trial that this rater answered before an interruption, so that a rater with a memory can resume.
    fn recall(&mut self, _trial: &Trial, _answered: &Answered) {}
}

/// What a rater does with a trial.
#[derive(Debug, Clone, PartialEq)]
pub enum Response {
    /// Answers it.
    Answer {
        /// One value for each question.
        answer: Answer,
        /// The response time, from the end of the presentation.
        rt: Micros,
    },
    /// Leaves the study.
    Leave,
}

/// The session for which a rater is wanted.
#[derive(Debug, Clone, Copy)]
pub struct Wanted<'a> {
    /// The place in the plan.
    pub place: &'a Place,
    /// How many earlier raters of this place did not complete it.
    pub attempt: u32,
    /// The rater's key.
    pub rater: &'a str,
    /// The study's stimuli.
    pub stimuli: &'a Stimuli,
    /// The root of the study's chance, for draws that all its raters share.
    pub study_chance: &'a Streams,
    /// The folder that paths in the spec are relative to.
    pub folder: &'a Path,
}

/// A source of raters inside the program, for the `simulate` section and the `local` backend.
///
/// Register an implementation with [`register_cohort!`](crate::register_cohort) to use it from YAML.
pub trait Cohort: Any + Debug + Send + Sync {
    /// Checks the rules across fields and, if the study is about to be run, what it needs outside the spec. Adds every
    /// fault to `at`.
    fn check(&self, around: &Surroundings<'_>, at: &mut Diagnostics);

    /// The rater for a session. The same arguments give the same rater.
    ///
    /// # Errors
    /// If the cohort has no rater for it.
    fn rater(&self, wanted: &Wanted<'_>, chance: &Streams) -> Result<Box<dyn Rater>, CohortError>;

    /// Whether the raters are synthetic, so that their answers are never mistaken for people's.
    fn is_synthetic(&self) -> bool {
        false
    }

    /// What is assumed of the raters, a sentence each, for readers of findings that rest on it; by default nothing.
    fn assumptions(&self, _design: &Design<'_>) -> Vec<String> {
        Vec::new()
    }
}

/// A cohort as a spec holds it, by its `kind`. Implemented by [`register_cohort!`](crate::register_cohort).
#[typetag::serde(tag = "kind")]
pub trait CohortSpec: DynCohort {}

/// What every registered cohort has beside [`Cohort`].
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

/// A cohort has no rater for a session; its settings or files have to be corrected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no rater for place {place}: {reason}")]
pub struct CohortError {
    /// The place's number.
    pub place: u32,
    /// Why.
    pub reason: String,
}
