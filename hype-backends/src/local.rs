//! The backend `local`: raters who answer inside the program, or at a page on this machine.

pub(crate) mod collection;
pub(crate) mod journal;
pub(crate) mod scripted;

use std::fmt::Debug;
use std::num::NonZeroUsize;
use std::sync::Arc;

use async_trait::async_trait;
use hype_core::plugin::backend::{Backend, BackendError, BackendSpec, Capabilities, Collected, Watch};
use hype_core::plugin::surroundings::Surroundings;
use hype_core::{CohortSpec, Diagnostics, Store, Study, register_backend};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::collection::collect_with;
#[cfg(feature = "web")]
use crate::web::Page;

/// Collects from raters who answer inside the program, as fast as they do: no page, no waiting.
///
/// Sessions run in parallel, or one after the other where the task learns from earlier ones; their logs are the same
/// bytes on any number of threads.
/// [`collect`](Backend::collect) does all its work before it first returns, so that a program with an async runtime
/// calls it on a thread of its own.
///
/// Places that raters of another backend hold are left to them until their leases end.
///
/// # Examples
/// ```
/// use hype_backends::Local;
///
/// let yaml = r#"{ "cohort": { "kind": "scripted", "answers": "answers.csv" }, "threads": 2 }"#;
/// let local: Local = serde_json::from_str(yaml)?;
/// assert!(local.cohort.is_some());
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Local {
    /// The raters; without them only a simulation can be run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cohort: Option<Box<dyn CohortSpec>>,
    /// How many sessions run at the same time (default: as many as the machine has processors).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threads: Option<NonZeroUsize>,
    /// The page, for people at this machine; with raters, they come to the page as a browser does.
    #[cfg(feature = "web")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page: Option<Page>,
}

impl Local {
    /// Raters who answer inside the program, on so many threads.
    #[must_use]
    pub fn with_raters(cohort: Box<dyn CohortSpec>, threads: Option<NonZeroUsize>) -> Self {
        Self { cohort: Some(cohort), threads, ..Self::default() }
    }

    /// The page for people at this machine, who come one after the other unless the settings say otherwise.
    #[cfg(feature = "web")]
    #[must_use]
    pub fn rater_page(&self) -> Page {
        let mut page = self.page.clone().unwrap_or_default();
        page.shared_computer.get_or_insert(true);
        page
    }
}

register_backend!(
    Local,
    "local",
    summary = "Raters who answer inside the program: scripts, synthetic observers, models",
    citation = "",
    example = "{ kind: local, cohort: { kind: scripted, answers: answers.csv }, threads: 2 }",
);

#[async_trait]
impl Backend for Local {
    fn check(&self, around: &Surroundings<'_>, at: &mut Diagnostics) {
        if let Some(cohort) = &self.cohort {
            at.within("cohort", |at| cohort.check(around, at));
        }
        #[cfg(feature = "web")]
        if let Some(page) = &self.page {
            at.within("page", |at| crate::web::check(page, around, at));
        }
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities { presents: cfg!(feature = "web") && self.cohort.is_none(), ..Capabilities::default() }
    }

    async fn collect(
        &self,
        study: &Study,
        store: Arc<dyn Store>,
        watch: &dyn Watch,
    ) -> Result<Collected, BackendError> {
        #[cfg(feature = "web")]
        if self.cohort.is_none() || self.page.is_some() {
            return crate::web::collect(&self.rater_page(), study, store, watch, self.cohort.as_deref())
                .await;
        }
        let Some(cohort) = &self.cohort else {
            return Err(BackendError::Settings(
                "the local backend has no raters: name some, such as `backend: { kind: local, cohort: { kind: \
                 scripted, answers: answers.csv } }`, or run with --simulate"
                    .into(),
            ));
        };
        collect_with(study, &*store, watch, self.threads, |wanted, chance| cohort.rater(wanted, chance))
    }

    fn with_cohort(&self, cohort: Box<dyn CohortSpec>) -> Option<Box<dyn BackendSpec>> {
        Some(Box::new(Self { cohort: Some(cohort), ..self.clone() }))
    }

    fn is_simulated(&self) -> bool {
        self.cohort.as_ref().is_some_and(|cohort| cohort.is_synthetic())
    }
}
