//! The backend `web`.

use std::borrow::Cow;
use std::sync::Arc;

use async_trait::async_trait;
use hype_core::plugin::surroundings::Surroundings;
use hype_core::study::backend::{BackendError, Watch};
use hype_core::{
    Backend, BackendSpec, CohortSpec, Collected, Diagnostics, Store, Study, View, register_backend,
};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};

use crate::Local;
use crate::web::{self, Page, collect};

/// Collects answers from people through a page in their browsers.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Web(
    /// Where and how the page is served.
    pub Page,
);

impl JsonSchema for Web {
    fn schema_name() -> Cow<'static, str> {
        "Web".into()
    }

    /// The schema of the settings inline, not a reference to it: `kind` is one of its properties.
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Page::json_schema(generator)
    }
}

register_backend!(
    Web,
    "web",
    summary = "People, through a page in their browsers",
    citation = "",
    example = "{ kind: web, listen: \"127.0.0.1:7850\", contact: lab@example.org }",
);

#[async_trait]
impl Backend for Web {
    fn check(&self, around: &Surroundings<'_>, at: &mut Diagnostics) {
        web::check(&self.0, around, at);
        if self.0.is_open_to_strangers() {
            at.field("access")
                .note("open-to-strangers", "anyone with the page's address can take part, also more than once, and so can programs")
                .help("write `access: links` and hand out one-time links (`hype links`), or recruit through a panel such as `kind: prolific`");
        }
    }

    fn review(&self, study: &Study, at: &mut Diagnostics) {
        web::review(&self.0, study, at);
    }

    async fn collect(
        &self,
        study: &Study,
        store: Arc<dyn Store>,
        watch: &dyn Watch,
    ) -> Result<Collected, BackendError> {
        collect(&self.0, study, store, watch, None).await
    }

    fn with_cohort(&self, cohort: Box<dyn CohortSpec>) -> Option<Box<dyn BackendSpec>> {
        Some(Box::new(Local { cohort: Some(cohort), threads: None, page: Some(self.0.clone()) }))
    }

    fn show(&self, view: &mut View) {
        view.offer(|| self.0.clone());
    }
}
