//! The backend `local`: raters who answer inside the program, or at a page on this machine.

mod apart;
pub(crate) mod collection;
pub(crate) mod journal;
pub(crate) mod scripted;
mod stopping;

use std::fmt::Debug;
use std::num::NonZeroUsize;
use std::sync::Arc;

use async_trait::async_trait;
#[cfg(feature = "web")]
use hype_core::View;
use hype_core::plugin::surroundings::Surroundings;
use hype_core::study::backend::{Backend, BackendError, BackendSpec, Collected, Watch};
use hype_core::{CohortSpec, Diagnostics, Store, Study, register_backend};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::collection::collect_apart;
#[cfg(feature = "web")]
use crate::web::Page;

/// Collects from raters who answer inside the program, as fast as they respond.
///
/// Sessions run in parallel, or one after another if the task learns from earlier ones. Their logs are identical for
/// any number of threads. [`collect`](Backend::collect) runs them in threads of its own and blocks none of an async runtime.
///
/// Places held by raters of another backend stay theirs until their leases expire.
///
/// # Examples
/// ```
/// use hype_backends::Local;
///
/// let yaml = r#"{ "cohort": { "kind": "scripted", "answers": "answers.csv" } }"#;
/// let local: Local = serde_json::from_str(yaml)?;
/// assert!(local.cohort.is_some());
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Local {
    /// The raters. Without them, people answer on the page, if the program has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cohort: Option<Box<dyn CohortSpec>>,
    /// How many sessions run at the same time (default: the number of processors), which is not part of a study.
    #[serde(skip)]
    pub threads: Option<NonZeroUsize>,
    /// The page for people at this machine. If `cohort` is set too, its raters visit the page as browsers do.
    #[cfg(feature = "web")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page: Option<Page>,
}

impl Local {
    /// A backend for raters who answer inside the program, in up to `threads` sessions at a time.
    #[must_use]
    pub fn with_raters(cohort: Box<dyn CohortSpec>, threads: Option<NonZeroUsize>) -> Self {
        Self {
            cohort: Some(cohort),
            threads,
            #[cfg(feature = "web")]
            page: None,
        }
    }

    /// The page for people at this machine, who take turns unless the settings say otherwise.
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
    example = "{ kind: local, cohort: { kind: scripted, answers: answers.csv } }",
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

    #[cfg(feature = "web")]
    fn review(&self, study: &Study, at: &mut Diagnostics) {
        if let Some(page) = &self.page {
            at.within("page", |at| crate::web::review(page, study, at));
        }
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
        let cohort = cohort.clone();
        collect_apart(study, store, watch, self.threads, move |wanted, chance| cohort.rater(wanted, chance))
            .await
    }

    fn with_cohort(&self, cohort: Box<dyn CohortSpec>) -> Option<Box<dyn BackendSpec>> {
        Some(Box::new(Self { cohort: Some(cohort), ..self.clone() }))
    }

    fn cohort(&self) -> Option<&dyn CohortSpec> {
        self.cohort.as_deref()
    }

    fn in_threads(&self, threads: NonZeroUsize) -> Option<Box<dyn Backend>> {
        Some(Box::new(Self { threads: Some(threads), ..self.clone() }))
    }

    fn is_simulated(&self) -> bool {
        self.cohort.as_ref().is_some_and(|cohort| cohort.is_synthetic())
    }

    #[cfg(feature = "web")]
    fn show(&self, view: &mut View) {
        if self.cohort.is_none() {
            view.offer(|| self.rater_page());
        }
    }
}
