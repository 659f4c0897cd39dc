//! Raters: anyone who answers, and cohorts of them.

use std::fmt::Debug;
use std::path::Path;

use serde_json::Value;

use crate::diagnostics::Diagnostics;
use crate::model::record::{Answered, Place};
use crate::model::stimulus::Stimuli;
use crate::model::trial::{Trial, Truth};
use crate::model::units::Micros;
use crate::plugin::task::Design;
use crate::protocol::chance::{Stream, Streams};

/// Anyone who answers: a script, a synthetic observer, a model, an embedding program's own.
pub trait Rater: Send {
    /// Answers a trial.
    ///
    /// `truth` is what a person does not see; a synthetic observer needs it to be right or wrong on purpose.
    /// `chance` is set aside for this trial of this session, so what was drawn before does not matter.
    fn respond(&mut self, trial: &Trial, truth: Option<&Truth>, chance: &mut Stream) -> Response;

    /// Is told of a trial that this rater answered before an interruption, so that a rater with a memory goes
    /// on where it was.
    fn recall(&mut self, _trial: &Trial, _answered: &Answered) {}
}

/// What a rater does with a trial.
#[derive(Debug, Clone, PartialEq)]
pub enum Response {
    /// Answers it.
    Answer {
        /// An object with one entry for each question.
        answer: Value,
        /// The response time, from the end of the presentation.
        rt: Micros,
    },
    /// Leaves the study.
    Leave,
}

/// Who is wanted for a session.
#[derive(Debug, Clone, Copy)]
pub struct Wanted<'a> {
    /// The place in the plan.
    pub place: &'a Place,
    /// How many raters have failed to complete this place before.
    pub attempt: u32,
    /// The rater's key.
    pub rater: &'a str,
    /// The study's stimuli.
    pub stimuli: &'a Stimuli,
    /// The root of the study's chance, for what all its raters have in common.
    pub study_chance: &'a Streams,
    /// The folder that paths in the spec are relative to.
    pub folder: &'a Path,
}

/// Where raters come from who answer inside the program: the `simulate` section and the `local` backend.
///
/// Register an implementation with [`register_cohort!`](crate::register_cohort) to use it from YAML.
#[typetag::serde(tag = "kind")]
pub trait Cohort: Debug + Send + Sync {
    /// Checks the rules across fields; adds every fault to `at`.
    fn check(&self, design: &Design<'_>, at: &mut Diagnostics);

    /// The rater for a session; the same one for the same arguments.
    ///
    /// # Errors
    /// If there is no rater for it.
    fn rater(&self, wanted: &Wanted<'_>, chance: &Streams) -> Result<Box<dyn Rater>, CohortError>;

    /// Whether the raters are synthetic, so that what they answer is never taken for people's.
    fn is_synthetic(&self) -> bool {
        false
    }

    /// A copy.
    fn boxed_clone(&self) -> Box<dyn Cohort>;
}

impl Clone for Box<dyn Cohort> {
    fn clone(&self) -> Self {
        self.boxed_clone()
    }
}

/// A cohort has no rater for a session; whoever wrote the cohort's settings or files has to look.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no rater for place {place}: {reason}")]
pub struct CohortError {
    /// The place's number.
    pub place: u32,
    /// Why.
    pub reason: String,
}
