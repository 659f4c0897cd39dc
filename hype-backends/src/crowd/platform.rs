//! Platforms on which people are recruited: what one has to implement, with what holds there as data.

use std::fmt::Debug;
use std::ops::RangeInclusive;
use std::sync::Arc;

use async_trait::async_trait;
use hype_core::protocol::fees::Fees;
use hype_core::protocol::terms::{HourlyPay, PanelTerms};
use hype_core::study::backend::BackendError;
use hype_core::study::spec::Secret;
use hype_core::{Diagnostics, Study};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::crowd::access::PlatformAccess;
use crate::web::PanelRules;

mod error;
mod listing;
mod payment;
mod submission;

pub use self::error::PlatformError;
pub use self::listing::{ListingAdmission, ListingRequest, ListingState};
pub use self::payment::{MadePayment, PaymentOrder, Settlement};
pub use self::submission::{Submission, SubmissionState};

/// A platform on which people are recruited: how they arrive at the rater page and return, and, if it has an interface for
/// programs, how work is listed, followed and paid.
///
/// Functions of the settings are asked while a spec is read. [`connect`](Self::connect) makes the platform itself; nothing is sent
/// by that. Its requests decide nothing and keep nothing: they translate calls into requests of the platform and its answers into
/// the types of this module, reading lists to their last page. They repeat only what the platform is known to carry out once. Ids
/// of people occur in these types only; errors and log lines never contain them.
///
/// A platform without [limits](PlatformFacts::limits) has no interface: people list the study and pay there by hand, and no request
/// is ever made. By default, requests are refused.
///
/// The backend of a platform is a [`Crowd`](crate::crowd::Crowd).
#[async_trait]
pub trait Platform: Debug + Send + Sync + 'static {
    /// The settings in a spec.
    type Settings: Clone
        + Debug
        + Default
        + PartialEq
        + Serialize
        + DeserializeOwned
        + JsonSchema
        + Send
        + Sync
        + 'static
    where
        Self: Sized;

    /// Returns the facts of the platform with these settings.
    fn facts(settings: &Self::Settings) -> PlatformFacts
    where
        Self: Sized;

    /// The minutes that it lets people have for a listing, from arrival to the end, by those that they are told it takes.
    #[must_use]
    fn allowed_minutes(_told: u32) -> RangeInclusive<u32>
    where
        Self: Sized,
    {
        1..=u32::MAX
    }

    /// Reports faults in the settings, at their path.
    fn check(_settings: &Self::Settings, _at: &mut Diagnostics)
    where
        Self: Sized,
    {
    }

    /// Reports what operators have to know about the platform before a study begins.
    fn review(_settings: &Self::Settings, _study: &Study, _at: &mut Diagnostics)
    where
        Self: Sized,
    {
    }

    /// Whether recruiting without real money stays without it, with these settings. The page alone does not recruit.
    ///
    /// # Errors
    /// If the settings name a service where money would be paid all the same.
    fn check_money(_settings: &Self::Settings, _access: &PlatformAccess) -> Result<(), BackendError>
    where
        Self: Sized,
    {
        Ok(())
    }

    /// Connects with the platform. Nothing is sent.
    ///
    /// # Errors
    /// If a secret is missing, or the settings allow no connection.
    fn connect(settings: &Self::Settings, access: &PlatformAccess) -> Result<Self, BackendError>
    where
        Self: Sized;

    /// How participants arrive at the rater page, and how they return.
    fn rules(&self, codes: &Codes) -> PanelRules;

    /// The listing with a mark, if the platform has created it.
    ///
    /// # Errors
    /// If the platform does not answer.
    async fn find(&self, _mark: &str) -> Result<Option<ListingState>, PlatformError> {
        Err(no_interface("find a listing"))
    }

    /// Creates a listing and lets people see it.
    ///
    /// # Errors
    /// [`PlatformError::Unclear`] if it may have been created: the caller then asks for its mark.
    async fn create(&self, _listing: &ListingRequest) -> Result<ListingState, PlatformError> {
        Err(no_interface("create a listing"))
    }

    /// The state of a listing.
    ///
    /// # Errors
    /// If the platform does not answer or does not know it.
    async fn listing(&self, _id: &str) -> Result<ListingState, PlatformError> {
        Err(no_interface("read a listing"))
    }

    /// Sets the number of places of a listing, with those that are taken. Repeating a call changes nothing.
    ///
    /// # Errors
    /// If the platform refuses or does not answer.
    async fn resize(&self, _id: &str, _places: u32) -> Result<(), PlatformError> {
        Err(no_interface("change the places of a listing"))
    }

    /// Pauses admission, resumes it, or closes the listing for good. Repeating a call changes nothing.
    ///
    /// # Errors
    /// If the platform refuses or does not answer.
    async fn admit(&self, _id: &str, _admission: ListingAdmission) -> Result<(), PlatformError> {
        Err(no_interface("open or close a listing"))
    }

    /// All submissions of a listing, from all pages.
    ///
    /// # Errors
    /// If the platform does not answer.
    async fn submissions(&self, _id: &str) -> Result<Vec<Submission>, PlatformError> {
        Err(no_interface("list submissions"))
    }

    /// The number of people who hold a place of a listing and whose work [is not listed](Self::submissions) yet; `None` where all work
    /// is listed from its beginning.
    ///
    /// # Errors
    /// If the platform does not answer.
    async fn unlisted(&self, _id: &str) -> Result<Option<u32>, PlatformError> {
        Ok(None)
    }

    /// Whether work with this id, not listed yet, has been accepted.
    ///
    /// # Errors
    /// If the platform does not answer.
    async fn was_accepted(&self, _submission: &str) -> Result<bool, PlatformError> {
        Ok(false)
    }

    /// Hands work in with a code for a person who has finished and has not done so, where [that is
    /// possible](PlatformFacts::hands_in). Repeating a call changes nothing.
    ///
    /// # Errors
    /// If the platform refuses or does not answer.
    async fn hand_in(&self, _submission: &Submission, _code: &str) -> Result<(), PlatformError> {
        Err(no_interface("hand in work"))
    }

    /// Approves a submission, which pays the listing's reward. Approving an approved submission changes nothing.
    ///
    /// # Errors
    /// [`PlatformError::Unclear`] if it may have been approved: the caller then looks at the submission's state.
    async fn approve(&self, _submission: &Submission) -> Result<(), PlatformError> {
        Err(no_interface("approve a submission"))
    }

    /// Rejects a submission with a reason that its rater reads. Rejecting a rejected submission changes nothing.
    ///
    /// # Errors
    /// As [`approve`](Self::approve).
    async fn reject(&self, _submission: &Submission, _reason: &str) -> Result<(), PlatformError> {
        Err(no_interface("reject a submission"))
    }

    /// Asks a rater to return a submission, where [that is possible](PlatformLimits::has_return_requests). Repeating a call changes
    /// nothing.
    ///
    /// # Errors
    /// If the platform refuses or does not answer.
    async fn request_return(&self, _submission: &Submission, _reason: &str) -> Result<(), PlatformError> {
        Err(no_interface("ask for a return"))
    }

    /// Sends payments, at most [`PlatformLimits::payments_at_once`] of one listing. All of them are made or none. They cost what the
    /// settings say, or nothing is paid.
    ///
    /// # Errors
    /// [`PlatformError::Unclear`] if they may have been made. [`settle`](Self::settle) then says more about each.
    async fn pay(&self, _listing: &str, _orders: &[PaymentOrder]) -> Result<(), PlatformError> {
        Err(no_interface("pay a bonus"))
    }

    /// Asks the platform about payments of one listing, in their order: what has become of those that were sent, and whether
    /// another copy of the study has made those that are about to be sent. Makes as few requests as the platform allows.
    ///
    /// # Errors
    /// If the platform does not answer.
    async fn settle(
        &self,
        _listing: &str,
        _orders: &[PaymentOrder],
    ) -> Result<Vec<Settlement>, PlatformError> {
        Err(no_interface("find a bonus"))
    }

    /// Returns all payments of a listing in addition to rewards, from all pages, for audits.
    ///
    /// # Errors
    /// If the platform does not answer.
    async fn payments(&self, _listing: &str) -> Result<Vec<MadePayment>, PlatformError> {
        Err(no_interface("list bonuses"))
    }

    /// Adds people to a pool, where the platform [keeps pools](PlatformLimits::keeps_pools), so that other studies can recruit from
    /// it or exclude it. The pool is created if the platform does not have it. Adding people again changes nothing.
    ///
    /// # Errors
    /// If the platform refuses or does not answer.
    async fn add_to_pool(&self, _pool: &str, _participants: &[&str]) -> Result<(), PlatformError> {
        Err(no_interface("add people to a pool"))
    }
}

/// The facts of a platform.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "platforms make it")]
pub struct PlatformFacts {
    /// Its name for people, such as `Prolific`.
    pub name: Arc<str>,
    /// Its fees for each payment.
    pub fees: Fees,
    /// Its published prices, to compare with.
    pub prices: Vec<Fees>,
    /// The address parameter that carries a participant's id. The page's own setting comes first.
    pub participant: Option<Arc<str>>,
    /// The currencies in which it pays; empty if it pays in any.
    pub currencies: Vec<&'static str>,
    /// Whether it lists no work without a reward.
    pub needs_reward: bool,
    /// The hourly pay that it asks for, by currency.
    pub hourly: Vec<(&'static str, HourlyPay)>,
    /// The secrets that have to be set before a study is about to run.
    pub secrets: Vec<Secret>,
    /// The address of its interface, if the settings have one.
    pub address: Option<Arc<str>>,
    /// Who may take part, in words; empty if people decide that at the platform.
    pub audience: Vec<String>,
    /// The limits of its interface for programs; `None` if it has none.
    pub limits: Option<PlatformLimits>,
    /// Whether work can be [handed in](Platform::hand_in) for people who have lost their code.
    pub hands_in: bool,
    /// A note on rehearsals to read before trying one.
    pub rehearsal: Option<&'static str>,
}

impl PlatformFacts {
    /// A platform without an interface that pays in any currency and asks for nothing.
    #[must_use]
    pub fn new(name: &str, fees: Fees) -> Self {
        Self {
            name: name.into(),
            fees,
            prices: Vec::new(),
            participant: None,
            currencies: Vec::new(),
            needs_reward: false,
            hourly: Vec::new(),
            secrets: Vec::new(),
            address: None,
            audience: Vec::new(),
            limits: None,
            hands_in: false,
            rehearsal: None,
        }
    }

    /// Returns the terms for money in a currency.
    #[must_use]
    pub fn terms(&self, currency: &str) -> PanelTerms {
        PanelTerms {
            name: Arc::clone(&self.name),
            fees: self.fees.clone(),
            currencies: self.currencies.clone(),
            needs_reward: self.needs_reward,
            hourly: self.hourly.iter().find(|(known, _)| *known == currency).map(|(_, hourly)| *hourly),
            minutes: None,
        }
    }
}

/// The limits of a platform's interface for programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "platforms make it")]
pub struct PlatformLimits {
    /// The most places of one listing; more places need more listings.
    pub places_per_listing: u32,
    /// The most payments of one request.
    pub payments_at_once: usize,
    /// Whether requests for payments carry a token, by which the platform makes a payment once for hours and lists it ever after.
    /// Without one, a request for payments is sent only if no other one of the study is under way.
    pub knows_tokens: bool,
    /// Whether work that was accepted by a wrong code, or has no session, can be returned by its rater on request.
    pub has_return_requests: bool,
    /// Whether the place of rejected work is offered again by the platform itself.
    pub reopens_rejected: bool,
    /// The shortest reason for a rejection, in characters.
    pub shortest_reason: usize,
    /// Whether a listing ends by itself after its time, so missing places have to be listed anew.
    pub listings_end: bool,
    /// Whether the platform keeps pools of people for this account.
    pub keeps_pools: bool,
}

/// The completion codes of a study, which raters enter at the platform. They follow from the study's secret.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "tests of platforms make it")]
pub struct Codes {
    /// That of raters who answered everything.
    pub completed: Arc<str>,
    /// That of raters who did not pass the qualification.
    pub disqualified: Arc<str>,
}

fn no_interface(action: &'static str) -> PlatformError {
    let reason = "it has no such interface for programs".to_owned();
    PlatformError::Refused { platform: "the platform", action, reason }
}
