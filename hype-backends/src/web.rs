//! The rater page: a study served to people's browsers.
//!
//! The page shows each step of a session and reports what happened (`docs/PAGE.md`). The session machine is the one that
//! the simulator drives. A server process holds no state that is not in the store, so any number of processes can serve
//! one study, and any of them can be killed.
//!
//! [`Web`] is the backend. A program with a server of its own mounts [`router`] in its axum application.

use std::borrow::Cow;
use std::sync::Arc;

use async_trait::async_trait;
use axum::Router;
use hype_core::plugin::backend::{BackendError, Watch};
use hype_core::{
    Backend, Capabilities, Cohort, Collected, Design, Diagnostics, Store, Study, register_backend,
};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};

use crate::Local;

mod http;
mod service;
pub mod settings;
pub mod wire;

pub(crate) use self::http::serve::collect;
pub use self::http::serve::{PREPARED_FOLDER, ServeError, Serving, host, serve};
pub use self::http::tls::TlsError;
pub use self::service::clock::{Clock, SystemClock};
pub use self::service::fault::Fault;
pub use self::service::image_source::ImageSource;
pub use self::service::participants::Participants;
pub use self::service::prepared::{PreparationStep, PreparedImages};
pub use self::service::rater_service::{Opened, RaterService};
pub use self::settings::Page;
pub use self::wire::status::{Cost, Status};

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

/// The routes of a study's page, to be nested in an axum application at any path that ends with a slash.
///
/// # Examples
/// ```no_run
/// use std::sync::Arc;
///
/// use axum::Router;
/// use hype_backends::web::{RaterService, router};
///
/// fn application(service: RaterService) -> Router {
///     Router::new().nest("/study/", router(Arc::new(service)))
/// }
/// ```
pub fn router(service: Arc<RaterService>) -> Router {
    http::server::router(service)
}

#[async_trait]
#[typetag::serde(name = "web")]
impl Backend for Web {
    fn check(&self, _: &Design<'_>, at: &mut Diagnostics) {
        self.0.check(at);
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities { presents: true, ..Capabilities::default() }
    }

    async fn collect(
        &self,
        study: &Study,
        store: Arc<dyn Store>,
        watch: &dyn Watch,
    ) -> Result<Collected, BackendError> {
        collect(&self.0, study, store, watch, None).await
    }

    fn with_cohort(&self, cohort: Box<dyn Cohort>) -> Option<Box<dyn Backend>> {
        Some(Box::new(Local { cohort: Some(cohort), threads: None, page: Some(self.0.clone()) }))
    }

    fn boxed_clone(&self) -> Box<dyn Backend> {
        Box::new(self.clone())
    }
}
