//! What the backends that recruit are made of: the rater page with a platform's settings.

use std::borrow::Cow;
use std::fmt::Debug;
use std::sync::Arc;

use hype_core::protocol::terms::PanelTerms;
use hype_core::study::backend::BackendError;
use hype_core::study::spec::Secret;
use hype_core::{CohortSpec, Diagnostics, Study};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::crowd::access::PlatformAccess;
use crate::crowd::panel::{Codes, Panel};
use crate::crowd::settings::{ListingSettings, ReviewSettings};
use crate::web::{ArrivalSource, Page};

/// What is particular to a platform: its settings, and the panel that they make.
pub trait Platform:
    Clone + Debug + Default + PartialEq + Serialize + DeserializeOwned + JsonSchema + Send + Sync + 'static
{
    /// The name of the schema of its backend.
    const SCHEMA: &'static str;

    /// The shortest reason for a rejection, in characters.
    const SHORTEST_REASON: usize;

    /// The most places of one listing; `None` if the platform has no interface for programs.
    const PLACES_PER_LISTING: Option<u32>;

    /// The secrets that have to be set before a study is about to run.
    fn secrets(&self) -> Vec<&Secret>;

    /// What holds for money at the platform, in a currency.
    fn terms(&self, currency: &str) -> PanelTerms;

    /// The address of the platform's interface, if the settings have one.
    fn address(&self) -> Option<&str> {
        None
    }

    /// Who may take part, in words; empty if people decide that at the platform.
    fn audience(&self) -> Vec<String>;

    /// Reports faults in the settings, at their path.
    fn check(&self, at: &mut Diagnostics);

    /// Reports what operators have to know about the platform before a study begins.
    fn review(&self, study: &Study, at: &mut Diagnostics);

    /// Whether recruiting without real money stays without it, with these settings. The page alone recruits nobody.
    ///
    /// # Errors
    /// If the settings name a service where money would be paid all the same.
    fn check_money(&self, _access: &PlatformAccess) -> Result<(), BackendError> {
        Ok(())
    }

    /// Connects with the platform. Nothing is sent.
    ///
    /// # Errors
    /// If a secret is missing, or the settings allow no connection.
    fn panel(&self, access: &PlatformAccess, codes: Codes) -> Result<Arc<dyn Panel>, BackendError>;
}

/// Collects answers from people whom a platform recruits, through a page in their browsers.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, bound = "P: Platform")]
pub struct Crowd<P> {
    /// Where and how the page is served.
    pub page: Page,
    /// What people read at the platform.
    pub listing: ListingSettings,
    /// How work is reviewed.
    pub review: ReviewSettings,
    /// The settings of the platform.
    pub platform: P,
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

impl<P: Platform> Default for Crowd<P> {
    fn default() -> Self {
        Self {
            page: Page::default(),
            listing: ListingSettings::default(),
            review: ReviewSettings::default(),
            platform: P::default(),
            access: PlatformAccess::default(),
            visitors: None,
        }
    }
}

/// The fields of a [`Crowd`] as editors see them.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "only its schema is used")]
struct CrowdFields<P: Platform> {
    /// Where and how the page is served.
    #[schemars(default)]
    page: Page,
    /// What people read at the platform.
    #[schemars(default)]
    listing: ListingSettings,
    /// How work is reviewed.
    #[schemars(default)]
    review: ReviewSettings,
    /// The settings of the platform.
    #[schemars(default)]
    platform: P,
}

impl<P: Platform> JsonSchema for Crowd<P> {
    fn schema_name() -> Cow<'static, str> {
        P::SCHEMA.into()
    }

    /// The schema of the settings inline, not a reference to it: `kind` is one of its properties.
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        CrowdFields::<P>::json_schema(generator)
    }
}
