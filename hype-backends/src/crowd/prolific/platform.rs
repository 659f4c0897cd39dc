//! The backend `prolific`.

use std::ops::RangeInclusive;
use std::sync::Arc;

use async_trait::async_trait;
use hype_core::protocol::fees::Share;
use hype_core::protocol::terms::HourlyPay;
use hype_core::study::backend::BackendError;
use hype_core::{Amount, Diagnostics, Study, register_backend};

use super::settings::is_id;
use super::signed::SignedAddresses;
use super::webhook::receiver;
use super::{HttpTransport, NAME, Prolific, ProlificSettings};
use crate::clock::{Clock, SystemClock};
use crate::crowd::Crowd;
use crate::crowd::access::{Money, PlatformAccess};
use crate::crowd::platform::{
    Codes, ListingAdmission, ListingRequest, ListingState, MadePayment, PaymentOrder, Platform,
    PlatformError, PlatformFacts, PlatformLimits, Settlement, Submission,
};
use crate::fees::Customer;
use crate::web::settings::{Completion, Handover};
use crate::web::{ArrivalProof, PanelRules};

/// The limits of Prolific's interface.
pub(super) const LIMITS: PlatformLimits = PlatformLimits {
    places_per_listing: u32::MAX,
    payments_at_once: 200,
    knows_tokens: false,
    has_return_requests: true,
    reopens_rejected: true,
    shortest_reason: 100,
    listings_end: false,
    keeps_pools: true,
};

/// The hourly pay that Prolific asks for at least and the one that it recommends, as of September 2026.
const HOURLY: [(&str, HourlyPay); 2] = [
    ("USD", HourlyPay { least: Amount(8_000_000), recommended: Amount(12_000_000) }),
    ("GBP", HourlyPay { least: Amount(6_000_000), recommended: Amount(9_000_000) }),
];

/// No study allows this much time.
const MINUTES_OF_A_DAY: u32 = 1_440;

/// A note on test studies.
pub(super) const REHEARSAL: &str = "Prolific has test studies in select workspaces only, for test participants: ask its support to \
                                    enable them, or rehearse on this machine with `hype run --fake`";

#[async_trait]
impl Platform for Prolific {
    type Settings = ProlificSettings;

    fn facts(settings: &ProlificSettings) -> PlatformFacts {
        PlatformFacts {
            prices: Customer::ALL.map(|customer| customer.fees(Share::default())).into(),
            participant: Some("PROLIFIC_PID".into()),
            needs_reward: true,
            hourly: HOURLY.into(),
            secrets: [&settings.token].into_iter().chain(&settings.webhook_secret).cloned().collect(),
            address: Some(Arc::clone(&settings.base_url)),
            audience: settings.describe_audience(),
            currencies: HOURLY.map(|(currency, _)| currency).into(),
            hands_in: true,
            rehearsal: Some(REHEARSAL),
            limits: Some(PlatformLimits { keeps_pools: settings.workspace.is_some(), ..LIMITS }),
            ..PlatformFacts::new(NAME, settings.customer_fees())
        }
    }

    /// At least 2 + 2e + 2√e minutes for an estimate of e, and less than a day.
    fn allowed_minutes(told: u32) -> RangeInclusive<u32> {
        let told = f64::from(told);
        let least = (2.0 + 2.0 * told + 2.0 * told.sqrt()).ceil();
        least as u32..=MINUTES_OF_A_DAY - 1
    }

    fn check(settings: &ProlificSettings, at: &mut Diagnostics) {
        settings.check_settings(at);
    }

    fn review(settings: &ProlificSettings, study: &Study, at: &mut Diagnostics) {
        let recruitment = &study.raters().recruitment;
        let needs_pools =
            recruitment.qualified_by.is_some() || !recruitment.exclude_participants_of.is_empty();
        if settings.workspace.is_none() && needs_pools {
            at.field("workspace")
                .error(
                    "no-workspace",
                    "Prolific keeps the pools of raters that the study names in a workspace",
                )
                .help("write the id of your workspace: 24 hexadecimal digits");
        }
    }

    fn connect(settings: &ProlificSettings, access: &PlatformAccess) -> Result<Self, BackendError> {
        let of_settings = |reason: String| BackendError::Settings(reason);
        let token = access.secret(&settings.token)?;
        let secret = settings.webhook_secret.as_ref().map(|secret| access.secret(secret)).transpose()?;
        // A platform that was given in place of Prolific has no test participants, and makes no payments.
        let (address, money) = match access.address() {
            Some(address) => (address, Money::Real),
            None => (&settings.base_url, access.money),
        };
        let clock: Arc<dyn Clock> = Arc::new(SystemClock);
        let transport = HttpTransport::new(address, Arc::clone(&clock))
            .map_err(|error| of_settings(error.to_string()))?;
        let transport = Arc::new(transport);
        let proof = match settings.signed_addresses {
            true => SignedAddresses::new(
                address,
                transport.clone(),
                Arc::clone(&clock),
                settings.workspace.clone(),
            ),
            false => None,
        };
        let proof = proof.map(|proof| -> Arc<dyn ArrivalProof> { Arc::new(proof) });
        let account = Self::new(settings.clone(), money, (address, &token), transport, clock)
            .map_err(|error| of_settings(error.to_string()))?;
        let webhook = secret.map(|secret| receiver(secret.into_bytes(), Arc::new(SystemClock)));
        Ok(Self { webhook, proof, ..account })
    }

    fn rules(&self, codes: &Codes) -> PanelRules {
        let handover = |code: &Arc<str>| {
            let redirect = Some(format!("{}/submissions/complete?cc={code}", self.site).into());
            Some(Handover { code: Some(Arc::clone(code)), redirect })
        };
        PanelRules {
            completion: Completion {
                completed: handover(&codes.completed),
                disqualified: handover(&codes.disqualified),
                ..Completion::default()
            },
            form: Some(is_id),
            proof: self.proof.clone(),
            webhook: self.webhook.clone(),
            ..PanelRules::default()
        }
    }

    async fn find(&self, mark: &str) -> Result<Option<ListingState>, PlatformError> {
        self.find_study(mark).await
    }

    async fn create(&self, listing: &ListingRequest) -> Result<ListingState, PlatformError> {
        self.create_study(listing).await
    }

    async fn listing(&self, id: &str) -> Result<ListingState, PlatformError> {
        self.study_state(id).await
    }

    async fn resize(&self, id: &str, places: u32) -> Result<(), PlatformError> {
        self.set_places(id, places).await
    }

    async fn admit(&self, id: &str, admission: ListingAdmission) -> Result<(), PlatformError> {
        self.set_admission(id, admission).await
    }

    async fn submissions(&self, id: &str) -> Result<Vec<Submission>, PlatformError> {
        self.all_submissions(id).await
    }

    async fn hand_in(&self, submission: &Submission, code: &str) -> Result<(), PlatformError> {
        self.complete_submission(&submission.id, code).await
    }

    async fn approve(&self, submission: &Submission) -> Result<(), PlatformError> {
        self.approve_submission(&submission.id).await
    }

    async fn reject(&self, submission: &Submission, reason: &str) -> Result<(), PlatformError> {
        self.reject_submission(&submission.id, reason).await
    }

    async fn request_return(&self, submission: &Submission, reason: &str) -> Result<(), PlatformError> {
        self.ask_to_return(&submission.id, reason).await
    }

    async fn pay(&self, listing: &str, orders: &[PaymentOrder]) -> Result<(), PlatformError> {
        self.pay_bonuses(listing, orders).await
    }

    async fn settle(&self, study: &str, orders: &[PaymentOrder]) -> Result<Vec<Settlement>, PlatformError> {
        self.settle_bonuses(study, orders).await
    }

    async fn payments(&self, listing: &str) -> Result<Vec<MadePayment>, PlatformError> {
        self.all_bonuses(listing).await
    }

    async fn add_to_pool(&self, pool: &str, participants: &[&str]) -> Result<(), PlatformError> {
        self.add_to_group(pool, participants).await
    }
}

/// The backend `prolific`.
pub type ProlificBackend = Crowd<Prolific>;

register_backend!(
    ProlificBackend,
    "prolific",
    summary = "Participants of Prolific, recruited and paid through its API",
    citation = "",
    example = "{ kind: prolific, page: { public_url: \"https://rate.example.org/\" }, platform: { workspace: 60aca280709ee40ec37d4885 } }",
);
