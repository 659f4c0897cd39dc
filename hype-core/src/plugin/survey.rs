//! Surveys: what raters are asked about themselves and the session, before and after the task.

use std::any::Any;
use std::fmt::Debug;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::diagnostics::Diagnostics;
use crate::model::answer::Answer;
use crate::model::trial::{Part, Question};
use crate::protocol::chance::Streams;

/// Questions to raters about themselves and the session, before and after the task. Answers are logged in separate phases and
/// never scored.
///
/// A survey is pure, as tasks are: what it asks depends only on its settings and the chance that it is given.
///
/// Register an implementation with [`register_survey!`](crate::register_survey) to use it from YAML.
pub trait Survey: Debug + Clone + Serialize + DeserializeOwned + JsonSchema + Send + Sync + 'static {
    /// The pages, in order. Equal chance gives equal pages; the keys of the questions do not depend on chance.
    fn pages(&self, chance: &Streams) -> Vec<SurveyPage>;

    /// Whether the answers to all pages, in order, screen the rater out: the session is then over, before it has begun. By
    /// default no rater is screened out.
    fn screens_out(&self, _chance: &Streams, _given: &[Answer]) -> bool {
        false
    }

    /// Whether any answers screen raters out. Such a survey comes before the task. By default none do.
    fn can_screen_out(&self) -> bool {
        false
    }

    /// Checks the rules across fields. Adds every fault to `at`, not only the first.
    fn check(&self, _at: &mut Diagnostics) {}
}

/// One page of a survey.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::exhaustive_structs, reason = "surveys make it")]
pub struct SurveyPage {
    /// The part above the questions: a plate, or nothing.
    pub parts: Vec<Part>,
    /// The questions. Their keys are unique within a study.
    pub questions: Arc<[Question]>,
    /// The right answer, if there is one. Raters do not learn of it.
    pub right: Option<Answer>,
}

impl SurveyPage {
    /// A page of questions.
    #[must_use]
    pub fn asking(questions: impl Into<Arc<[Question]>>) -> Self {
        Self { parts: Vec::new(), questions: questions.into(), right: None }
    }
}

/// A survey as a spec holds it, by its `kind`. Implemented by [`register_survey!`](crate::register_survey).
#[typetag::serialize(tag = "kind")]
pub trait SurveySpec: DynSurvey {}

crate::plugin::kinds::read_by_kind!(SurveySpec);

/// The dyn-compatible counterpart of [`Survey`], implemented for every registered survey.
pub trait DynSurvey: Any + Debug + Send + Sync {
    /// [`Survey::pages`].
    fn pages(&self, chance: &Streams) -> Vec<SurveyPage>;
    /// [`Survey::screens_out`].
    fn screens_out(&self, chance: &Streams, given: &[Answer]) -> bool;
    /// [`Survey::can_screen_out`].
    fn can_screen_out(&self) -> bool;
    /// [`Survey::check`].
    fn check(&self, at: &mut Diagnostics);
    /// A copy.
    fn boxed_clone(&self) -> Box<dyn SurveySpec>;
}

impl<S: Survey + SurveySpec> DynSurvey for S {
    fn pages(&self, chance: &Streams) -> Vec<SurveyPage> {
        Survey::pages(self, chance)
    }
    fn screens_out(&self, chance: &Streams, given: &[Answer]) -> bool {
        Survey::screens_out(self, chance, given)
    }
    fn can_screen_out(&self) -> bool {
        Survey::can_screen_out(self)
    }
    fn check(&self, at: &mut Diagnostics) {
        Survey::check(self, at);
    }
    fn boxed_clone(&self) -> Box<dyn SurveySpec> {
        Box::new(self.clone())
    }
}

impl Clone for Box<dyn SurveySpec> {
    fn clone(&self) -> Self {
        self.boxed_clone()
    }
}
