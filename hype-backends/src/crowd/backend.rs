//! The backends that recruit: the rater page with a panel.

use std::sync::Arc;

use async_trait::async_trait;
use hype_core::plugin::surroundings::Surroundings;
use hype_core::protocol::terms::PanelTerms;
use hype_core::study::backend::{Backend, BackendError, BackendSpec, Capabilities, Collected, Watch};
use hype_core::{CohortSpec, Diagnostics, Store, Study};

use crate::Local;
use crate::crowd::collect;
use crate::crowd::platform::{Crowd, Platform};
use crate::crowd::settings::ReviewSettings;
use crate::web::{self, Page};

impl<P: Platform> Crowd<P> {
    /// Reports faults of settings that all platforms have.
    fn check_common(&self, at: &mut Diagnostics) {
        at.within("listing", |at| self.listing.check(at));
        at.within("review", |at| match P::PLACES_PER_LISTING {
            None if self.review != ReviewSettings::default() => {
                at.error(
                    "by-hand",
                    "work is reviewed at the panel, by hand: the program knows no submissions there, and these rules would do \
                     nothing",
                )
                .help("remove `review`: whatever is earned in a session that is over is due");
            }
            _ => self.review.check(P::SHORTEST_REASON, at),
        });
        at.within("platform", |at| self.platform.check(at));
    }
}

/// Checks what people who come from elsewhere need: an address that they reach, and somebody to write to.
fn check_public(page: &Page, at: &mut Diagnostics) {
    if page.public_url.is_none() {
        at.field("public_url")
            .error("no-public-url", "the platform needs the address at which people reach the page")
            .help("write `public_url`, such as `https://rate.example.org/`");
    }
    if page.contact.as_ref().is_none_or(|contact| contact.trim().is_empty()) {
        at.field("contact")
            .warning(
                "no-contact",
                "people who have a problem with their work or their pay find nobody to write to",
            )
            .help("write `contact`, such as an e-mail address that somebody reads while the study runs");
    }
}

#[async_trait]
impl<P: Platform> Backend for Crowd<P>
where
    Self: BackendSpec,
{
    fn check(&self, around: &Surroundings<'_>, at: &mut Diagnostics) {
        at.within("page", |at| web::check(&self.page, around, at));
        self.check_common(at);
        if let Some(outside) = around.outside
            && self.access.is_configured()
        {
            at.within("page", |at| check_public(&self.page, at));
            for secret in self.platform.secrets() {
                if let Err(error) = outside.environment.variable(&secret.env) {
                    at.field("platform")
                        .error(
                            "no-secret",
                            format!("the environment variable {} is {}", error.name, error.state),
                        )
                        .help(format!("set it, as in `export {}=…`, before the study runs", secret.env));
                }
            }
        }
    }

    fn review(&self, study: &Study, at: &mut Diagnostics) {
        web::review(&self.page, study, at);
        at.within("review", |at| self.review.check_names(study, at));
        at.within("platform", |at| self.platform.review(study, at));
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities { recruits: true, pays: true, presents: true }
    }

    fn is_simulated(&self) -> bool {
        self.visitors.is_some()
    }

    fn terms(&self, currency: &str) -> Option<PanelTerms> {
        Some(self.platform.terms(currency))
    }

    async fn collect(
        &self,
        study: &Study,
        store: Arc<dyn Store>,
        watch: &dyn Watch,
    ) -> Result<Collected, BackendError> {
        collect::collect(self, study, store, watch).await
    }

    fn with_cohort(&self, cohort: Box<dyn CohortSpec>) -> Option<Box<dyn BackendSpec>> {
        Some(Box::new(Local { cohort: Some(cohort), threads: None, page: Some(self.page.clone()) }))
    }
}
