//! The backends that recruit: the rater page with a platform.

use std::borrow::Cow;
use std::fmt;
use std::ops::RangeInclusive;
use std::sync::Arc;

use async_trait::async_trait;
use hype_core::plugin::surroundings::Surroundings;
use hype_core::protocol::fees::Fees;
use hype_core::protocol::terms::{PanelTerms, minutes_told};
use hype_core::study::backend::{Backend, BackendError, BackendSpec, Collected, Recruits, View, Watch, view};
use hype_core::{CohortSpec, Diagnostics, Store, Study};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};

use crate::Local;
use crate::crowd::access::PlatformAccess;
use crate::crowd::platform::{Platform, PlatformFacts};
use crate::crowd::recruiter::Recruiter;
use crate::crowd::settings::{ListingSettings, ReviewSettings};
use crate::web::{self, ArrivalSource, Page, PanelRules};

mod collect;

/// Collects answers from people recruited by a platform, through a page in their browsers.
#[derive(Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, bound = "P: Platform")]
pub struct Crowd<P: Platform> {
    /// Where and how the page is served.
    pub page: Page,
    /// The texts that people read at the platform.
    pub listing: ListingSettings,
    /// How work is reviewed.
    pub review: ReviewSettings,
    /// The settings of the platform.
    pub platform: P::Settings,
    /// How the platform is reached by this program.
    #[serde(skip)]
    pub access: PlatformAccess,
    /// Synthetic people who come through a fake of the platform; `None` for real ones.
    #[serde(skip)]
    pub visitors: Option<Visitors>,
}

/// Synthetic people who come through a fake of a platform.
#[derive(Debug, Clone)]
#[expect(clippy::exhaustive_structs, reason = "programs make it")]
pub struct Visitors {
    /// How they answer.
    pub cohort: Arc<dyn CohortSpec>,
    /// Where they come from.
    pub source: Arc<dyn ArrivalSource>,
    /// How many people begin before the first of them comes.
    pub after: u32,
}

/// A [`Crowd`] whatever its platform, as programs direct it.
#[async_trait]
pub trait RecruitingBackend: Send + Sync {
    /// Returns the facts of the platform.
    fn facts(&self) -> PlatformFacts;

    /// See [`Platform::allowed_minutes`].
    fn allowed_minutes(&self, told: u32) -> RangeInclusive<u32>;

    /// Where and how the page is served.
    fn page(&self) -> &Page;

    /// The texts that people read at the platform.
    fn listing(&self) -> &ListingSettings;

    /// How work is reviewed.
    fn review_rules(&self) -> &ReviewSettings;

    /// The same backend at a fake of its platform on this machine, with its page there, too.
    fn faked(&self, access: PlatformAccess, visitors: Visitors) -> Box<dyn Backend>;

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

/// The backend as one that is made of a platform; `None` if it is not.
#[must_use]
pub fn recruiting(backend: &dyn Backend) -> Option<Arc<dyn RecruitingBackend>> {
    view(backend)
}

impl<P: Platform> Crowd<P> {
    /// Reports faults of settings that all platforms have.
    fn check_common(&self, at: &mut Diagnostics) {
        at.within("listing", |at| self.listing.check(at));
        at.within("review", |at| match P::facts(&self.platform).limits {
            None if self.review != ReviewSettings::default() => {
                at.error(
                    "by-hand",
                    "work is reviewed at the panel, by hand: the program knows no submissions there, and these rules would do \
                     nothing",
                )
                .help("remove `review`: whatever is earned in a session that is over is due");
            }
            limits => self.review.check(limits.map_or(1, |limits| limits.shortest_reason), at),
        });
        at.within("platform", |at| P::check(&self.platform, at));
    }
}

/// Checks what people who come from elsewhere need: a public address and a contact.
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
                "people with a problem with their work or their pay have no address to write to",
            )
            .help("write `contact`, such as an e-mail address that is read while the study runs");
    }
}

#[async_trait]
impl<P: Platform> Backend for Crowd<P> {
    fn check(&self, around: &Surroundings<'_>, at: &mut Diagnostics) {
        at.within("page", |at| web::check(&self.page, around, at));
        self.check_common(at);
        if let Some(outside) = around.outside
            && self.access.is_configured()
        {
            at.within("page", |at| check_public(&self.page, at));
            for secret in P::facts(&self.platform).secrets {
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
        at.within("listing", |at| {
            let facts = P::facts(&self.platform);
            let told =
                minutes_told(self.listing.minutes, study.profile().effort.map(|effort| effort.duration));
            self.listing.check_allowed(study, (told, P::allowed_minutes(told)), &facts.name, at);
        });
        at.within("review", |at| self.review.check_names(study, at));
        at.within("platform", |at| P::review(&self.platform, study, at));
    }

    fn recruits(&self) -> Option<&dyn Recruits> {
        Some(self)
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

    fn is_simulated(&self) -> bool {
        self.visitors.is_some()
    }

    fn show(&self, view: &mut View) {
        view.offer(|| self.page.clone());
        view.offer::<Arc<dyn RecruitingBackend>>(|| Arc::new(self.clone()));
    }
}

impl<P: Platform> Recruits for Crowd<P> {
    fn terms(&self, currency: &str) -> PanelTerms {
        PanelTerms { minutes: self.listing.minutes, ..P::facts(&self.platform).terms(currency) }
    }

    fn pays(&self) -> bool {
        P::facts(&self.platform).limits.is_some()
    }

    fn prices(&self) -> Vec<Fees> {
        P::facts(&self.platform).prices
    }

    fn check_money(&self) -> Result<(), BackendError> {
        P::check_money(&self.platform, &self.access)
    }

    fn in_production(&self) -> Box<dyn Backend> {
        Box::new(Self { access: PlatformAccess::production(), ..self.clone() })
    }
}

#[async_trait]
impl<P: Platform> RecruitingBackend for Crowd<P> {
    fn facts(&self) -> PlatformFacts {
        P::facts(&self.platform)
    }

    fn allowed_minutes(&self, told: u32) -> RangeInclusive<u32> {
        P::allowed_minutes(told)
    }

    fn page(&self) -> &Page {
        &self.page
    }

    fn listing(&self) -> &ListingSettings {
        &self.listing
    }

    fn review_rules(&self) -> &ReviewSettings {
        &self.review
    }

    fn faked(&self, access: PlatformAccess, visitors: Visitors) -> Box<dyn Backend> {
        let page = Page { public_url: None, ..self.page.clone() };
        Box::new(Self { page, access, visitors: Some(visitors), ..self.clone() })
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

impl<P: Platform> Default for Crowd<P> {
    fn default() -> Self {
        Self {
            page: Page::default(),
            listing: ListingSettings::default(),
            review: ReviewSettings::default(),
            platform: P::Settings::default(),
            access: PlatformAccess::default(),
            visitors: None,
        }
    }
}

// A derive would ask for platforms that can be cloned.
impl<P: Platform> Clone for Crowd<P> {
    fn clone(&self) -> Self {
        Self {
            page: self.page.clone(),
            listing: self.listing.clone(),
            review: self.review.clone(),
            platform: self.platform.clone(),
            access: self.access.clone(),
            visitors: self.visitors.clone(),
        }
    }
}

impl<P: Platform> fmt::Debug for Crowd<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Crowd")
            .field("page", &self.page)
            .field("platform", &self.platform)
            .field("access", &self.access)
            .finish_non_exhaustive()
    }
}

/// The fields of a [`Crowd`] as editors see them.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields, bound = "S: JsonSchema + Default + Serialize")]
#[expect(dead_code, reason = "only its schema is used")]
struct CrowdFields<S> {
    /// Where and how the page is served.
    #[schemars(default)]
    page: Page,
    /// The text that people read at the platform.
    #[schemars(default)]
    listing: ListingSettings,
    /// How work is reviewed.
    #[schemars(default)]
    review: ReviewSettings,
    /// The settings of the platform.
    #[schemars(default)]
    platform: S,
}

impl<P: Platform> JsonSchema for Crowd<P> {
    fn schema_name() -> Cow<'static, str> {
        format!("CrowdWith{}", P::Settings::schema_name()).into()
    }

    /// The schema of the settings inline, not a reference to it: `kind` is one of its properties.
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        CrowdFields::<P::Settings>::json_schema(generator)
    }
}
