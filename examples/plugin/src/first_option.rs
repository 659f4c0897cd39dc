//! The backend `first_option`: raters who always take the first option.

use std::sync::Arc;

use hype::async_trait;
use hype::backends::collect_with;
use hype::core::plugin::surroundings::Surroundings;
use hype::core::study::backend::{BackendError, Watch};
use hype::core::{Backend, BackendSpec, Capabilities, Collected, Store, Study};
use hype::prelude::*;

/// The backend `first_option`: the findings of a study whose raters do not look at its stimuli.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(crate = "hype::serde", default, deny_unknown_fields)]
#[schemars(crate = "hype::schemars")]
pub struct FirstOption {
    /// The response time of every answer, in milliseconds.
    pub rt_ms: Bounded<1, 60_000>,
}

impl Default for FirstOption {
    fn default() -> Self {
        Self { rt_ms: 500.into() }
    }
}

#[async_trait]
impl Backend for FirstOption {
    fn check(&self, _: &Surroundings<'_>, at: &mut Diagnostics) {
        self.rt_ms.check("rt_ms", at);
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities::default()
    }

    async fn collect(
        &self,
        study: &Study,
        store: Arc<dyn Store>,
        watch: &dyn Watch,
    ) -> Result<Collected, BackendError> {
        collect_with(study, &*store, watch, None, |_, _| Ok(Box::new(self.clone())))
    }

    // Raters given by the caller would not take the first option.
    fn with_cohort(&self, _: Box<dyn CohortSpec>) -> Option<Box<dyn BackendSpec>> {
        None
    }

    fn is_simulated(&self) -> bool {
        true
    }
}

impl Rater for FirstOption {
    fn respond(&mut self, trial: &Trial, _: Option<&Truth>, _: &mut Stream) -> Response {
        let first = |question: &Question| match &question.form {
            Form::Choice { options } => options.first().map(|option| option.value.to_string()),
            _ => None,
        };
        let answers: Option<Vec<_>> =
            trial.questions.iter().map(|question| Some((&*question.id, first(question)?))).collect();
        match answers {
            Some(answers) => {
                let answer = answers.iter().map(|(id, value)| (*id, value.as_str())).collect();
                Response::Answer { answer, rt: Micros(u64::from(self.rt_ms.get()) * 1_000) }
            }
            None => Response::Leave,
        }
    }
}

register_backend!(
    FirstOption,
    "first_option",
    summary = "Raters who take the first option without looking",
    citation = "",
    example = "{ kind: first_option, rt_ms: 500 }",
);
