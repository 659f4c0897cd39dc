//! Backends that recruit, whatever their platform.

use std::any::Any;
use std::sync::Arc;

use async_trait::async_trait;
use hype_core::study::backend::{BackendError, BackendSpec};
use hype_core::{Store, Study};

use crate::crowd::access::PlatformAccess;
use crate::crowd::generic::PanelBackend;
#[cfg(feature = "mturk")]
use crate::crowd::mturk::MechanicalTurkBackend;
use crate::crowd::platform::{Crowd, Platform};
use crate::crowd::prolific::ProlificBackend;
use crate::crowd::recruiter::Recruiter;
use crate::crowd::settings::{ListingSettings, ReviewSettings};
use crate::web::{Page, PanelRules};

/// What programs ask of a backend that recruits.
#[async_trait]
pub trait Recruits: Send + Sync {
    /// Where and how the page is served.
    fn page(&self) -> &Page;

    /// What people read at the platform.
    fn listing(&self) -> &ListingSettings;

    /// How work is reviewed.
    fn review_rules(&self) -> &ReviewSettings;

    /// Who may take part, in words, by the settings of the platform; empty if people decide that at the platform.
    fn audience(&self) -> Vec<String>;

    /// The most places of one listing; `None` if the platform has no interface for programs.
    fn places_per_listing(&self) -> Option<u32>;

    /// The same backend, which spends real money.
    fn in_production(&self) -> Box<dyn BackendSpec>;

    /// Whether recruiting without real money stays without it. Programs ask before they make a folder for a rehearsal.
    ///
    /// # Errors
    /// If the settings name a service where money would be paid all the same.
    fn check_money(&self) -> Result<(), BackendError>;

    /// See [`Crowd::recruiter`].
    ///
    /// # Errors
    /// If a secret is missing, the settings allow no connection, or the store fails.
    async fn connect(
        &self,
        study: &Study,
        store: Arc<dyn Store>,
        writer: &str,
    ) -> Result<Recruiter, BackendError>;

    /// See [`Crowd::rules`].
    ///
    /// # Errors
    /// As [`connect`](Self::connect).
    async fn panel_rules(&self, study: &Study, store: Arc<dyn Store>) -> Result<PanelRules, BackendError>;
}

#[async_trait]
impl<P: Platform> Recruits for Crowd<P>
where
    Self: BackendSpec,
{
    fn page(&self) -> &Page {
        &self.page
    }

    fn listing(&self) -> &ListingSettings {
        &self.listing
    }

    fn review_rules(&self) -> &ReviewSettings {
        &self.review
    }

    fn audience(&self) -> Vec<String> {
        self.platform.audience()
    }

    fn places_per_listing(&self) -> Option<u32> {
        P::PLACES_PER_LISTING
    }

    fn in_production(&self) -> Box<dyn BackendSpec> {
        Box::new(Self { access: PlatformAccess::production(), ..self.clone() })
    }

    fn check_money(&self) -> Result<(), BackendError> {
        self.platform.check_money(&self.access)
    }

    async fn connect(
        &self,
        study: &Study,
        store: Arc<dyn Store>,
        writer: &str,
    ) -> Result<Recruiter, BackendError> {
        self.recruiter(study, store, writer).await
    }

    async fn panel_rules(&self, study: &Study, store: Arc<dyn Store>) -> Result<PanelRules, BackendError> {
        self.rules(study, store).await
    }
}

/// The backend as one that recruits; `None` if it does not.
#[must_use]
pub fn recruiting(backend: &dyn BackendSpec) -> Option<&dyn Recruits> {
    let backend: &dyn Any = backend;
    if let Some(backend) = backend.downcast_ref::<ProlificBackend>() {
        return Some(backend);
    }
    #[cfg(feature = "mturk")]
    if let Some(backend) = backend.downcast_ref::<MechanicalTurkBackend>() {
        return Some(backend);
    }
    backend.downcast_ref::<PanelBackend>().map(|backend| backend as &dyn Recruits)
}
