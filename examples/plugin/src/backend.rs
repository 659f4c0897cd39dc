//! The backend `first_option`: raters who always take the first option.

use std::sync::Arc;

use async_trait::async_trait;
use hype::backends::collect_with;
use hype_core::model::trial::Form;
use hype_core::plugin::backend::{BackendError, Capabilities, Collected, Watch};
use hype_core::{
    Backend, Cohort, Design, Diagnostics, Micros, Rater, Response, Store, Stream, Study, Trial, Truth,
    register_backend,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// The backend `first_option`: what a study finds if nobody looks at its stimuli.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct FirstOption {
    /// The response time of every answer, in milliseconds.
    #[schemars(range(min = 1, max = 60_000))]
    pub rt_ms: u32,
}

impl Default for FirstOption {
    fn default() -> Self {
        Self { rt_ms: 500 }
    }
}

#[async_trait]
#[typetag::serde(name = "first_option")]
impl Backend for FirstOption {
    fn check(&self, _: &Design<'_>, at: &mut Diagnostics) {
        if !(1..=60_000).contains(&self.rt_ms) {
            at.field("rt_ms")
                .error("out-of-range", format!("rt_ms is {}", self.rt_ms))
                .help("use a number from 1 to 60000");
        }
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

    // Other raters would not take the first option.
    fn with_cohort(&self, _: Box<dyn Cohort>) -> Option<Box<dyn Backend>> {
        None
    }

    fn is_simulated(&self) -> bool {
        true
    }

    fn boxed_clone(&self) -> Box<dyn Backend> {
        Box::new(self.clone())
    }
}

impl Rater for FirstOption {
    fn respond(&mut self, trial: &Trial, _: Option<&Truth>, _: &mut Stream) -> Response {
        let mut answer = Map::new();
        for question in &*trial.questions {
            let Form::Choice { options } = &question.form else { return Response::Leave };
            answer.insert(question.id.to_string(), json!(options[0].id));
        }
        Response::Answer { answer: Value::Object(answer), rt: Micros(u64::from(self.rt_ms) * 1_000) }
    }
}

register_backend!(
    FirstOption,
    "first_option",
    summary = "Raters who take the first option without looking",
    citation = "",
    example = "{ kind: first_option, rt_ms: 500 }",
);
