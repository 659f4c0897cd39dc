//! The backend `first_option`: raters who always take the first option.

use std::sync::Arc;

use hype::backends::collect_apart;
use hype::prelude::*;

/// The backend `first_option`: the findings of a study whose raters do not look at its stimuli.
#[settings]
#[derive(Debug, Clone, PartialEq, Eq)]
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
    fn check(&self, _: &Surroundings<'_>, _: &mut Diagnostics) {}

    async fn collect(
        &self,
        study: &Study,
        store: Arc<dyn Store>,
        watch: &dyn Watch,
    ) -> Result<Collected, BackendError> {
        let rater = self.clone();
        collect_apart(study, store, watch, None, move |_, _| Ok(Box::new(rater.clone()))).await
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
