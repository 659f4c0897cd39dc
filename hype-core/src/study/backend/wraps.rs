//! Backends that wrap another one under their own name.

use std::fmt::Debug;
use std::num::NonZeroUsize;
use std::sync::Arc;

use async_trait::async_trait;

use super::{Backend, BackendError, BackendSpec, Collected, Recruits, View, Watch};
use crate::diagnostics::Diagnostics;
use crate::plugin::cohort::CohortSpec;
use crate::plugin::store::Store;
use crate::plugin::surroundings::Surroundings;
use crate::study::Study;

/// A backend that wraps another one under its own name. Crates register generic backends of other crates by it.
pub trait Wraps: Debug + Send + Sync + 'static {
    /// The backend that does everything.
    fn inner(&self) -> &dyn Backend;
}

#[async_trait]
impl<W: Wraps> Backend for W {
    fn check(&self, around: &Surroundings<'_>, at: &mut Diagnostics) {
        self.inner().check(around, at);
    }

    fn review(&self, study: &Study, at: &mut Diagnostics) {
        self.inner().review(study, at);
    }

    fn recruits(&self) -> Option<&dyn Recruits> {
        self.inner().recruits()
    }

    async fn collect(
        &self,
        study: &Study,
        store: Arc<dyn Store>,
        watch: &dyn Watch,
    ) -> Result<Collected, BackendError> {
        self.inner().collect(study, store, watch).await
    }

    fn with_cohort(&self, cohort: Box<dyn CohortSpec>) -> Option<Box<dyn BackendSpec>> {
        self.inner().with_cohort(cohort)
    }

    fn cohort(&self) -> Option<&dyn CohortSpec> {
        self.inner().cohort()
    }

    fn in_threads(&self, threads: NonZeroUsize) -> Option<Box<dyn Backend>> {
        self.inner().in_threads(threads)
    }

    fn is_simulated(&self) -> bool {
        self.inner().is_simulated()
    }

    fn show(&self, view: &mut View) {
        self.inner().show(view);
    }
}
