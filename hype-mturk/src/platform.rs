//! The backend `mturk`.

use std::sync::Arc;

use async_trait::async_trait;
use hype_backends::crowd::Crowd;
use hype_backends::crowd::access::{Money, PlatformAccess};
use hype_backends::crowd::platform::{
    Codes, ListingAdmission, ListingRequest, ListingState, MadePayment, PaymentOrder, Platform,
    PlatformError, PlatformFacts, PlatformLimits, Settlement, Submission,
};
use hype_backends::crowd::transport::is_on_this_machine;
use hype_backends::web::settings::{Completion, Handover};
use hype_backends::web::{PanelRules, PreviewMark, SubmitForm, SystemClock};
use hype_core::protocol::fees::{Fees, Share};
use hype_core::study::backend::BackendError;
use hype_core::{Backend, Diagnostics, Wraps, register_backend};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    ASSIGNMENTS_AT_MOST, AccountKeys, CENT, CURRENCY, MechanicalTurk, MechanicalTurkSettings, NAME, money,
};

/// The limits of the service's interface.
const LIMITS: PlatformLimits = PlatformLimits {
    places_per_listing: ASSIGNMENTS_AT_MOST,
    payments_at_once: 1,
    knows_tokens: true,
    has_return_requests: false,
    reopens_rejected: false,
    shortest_reason: 1,
    listings_end: true,
    keeps_pools: true,
};

/// Returns the service's fees for each payment, for listings of at most nine assignments or of more, with or without Masters: a
/// fifth, as much again from ten assignments on, and 5 % for Masters, at least a cent for each assignment or bonus.
fn fees(assignments: u32, masters: bool) -> Fees {
    let (label, share) = match assignments {
        0..=ASSIGNMENTS_AT_MOST => ("MTurk", 0.2),
        _ => ("MTurk, ten or more assignments", 0.4),
    };
    let share = Share::of(if masters { share + 0.05 } else { share }).unwrap_or_default();
    Fees::new(label, share).at_least(CENT).in_cents()
}

/// Whether a text is the id of a worker, by the type `CustomerId` of the service's model.
fn is_worker(text: &str) -> bool {
    let is_own = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit();
    (1..=64).contains(&text.len()) && text.starts_with('A') && text.bytes().all(is_own)
}

#[async_trait]
impl Platform for MechanicalTurk {
    type Settings = MechanicalTurkSettings;

    /// The service asks for no hourly pay.
    fn facts(settings: &MechanicalTurkSettings) -> PlatformFacts {
        PlatformFacts {
            prices: vec![fees(ASSIGNMENTS_AT_MOST, false), fees(ASSIGNMENTS_AT_MOST + 1, false)],
            participant: Some("workerId".into()),
            currencies: vec![CURRENCY],
            needs_reward: true,
            secrets: vec![settings.access_key.clone(), settings.secret_key.clone()],
            address: settings.endpoint.clone(),
            audience: settings.requirements.describe(),
            limits: Some(LIMITS),
            ..PlatformFacts::new(NAME, fees(ASSIGNMENTS_AT_MOST, settings.requirements.masters))
        }
    }

    fn check(settings: &MechanicalTurkSettings, at: &mut Diagnostics) {
        settings.check(at);
    }

    /// A service that speaks the protocol has no sandbox: what is listed there is paid for.
    fn check_money(settings: &MechanicalTurkSettings, access: &PlatformAccess) -> Result<(), BackendError> {
        let Some(endpoint) = &settings.endpoint else { return Ok(()) };
        if access.money == Money::Real || access.address().is_some() || is_on_this_machine(endpoint) {
            return Ok(());
        }
        Err(BackendError::Settings(format!(
            "`platform.endpoint` is {endpoint}, which replaces Amazon's sandbox: work would be listed and paid for with real \
             money; add `--production` if that is meant; to rehearse without money, leave `endpoint` out, which means \
             the sandbox, name a service on this machine, or use `hype run --fake`"
        )))
    }

    fn connect(settings: &MechanicalTurkSettings, access: &PlatformAccess) -> Result<Self, BackendError> {
        let keys =
            AccountKeys::new(&access.secret(&settings.access_key)?, &access.secret(&settings.secret_key)?);
        let mut settings = settings.clone();
        if let Some(address) = access.address() {
            settings.endpoint = Some(Arc::clone(address));
            // It shows HITs itself.
            settings.worker_site = Some(address.trim_end_matches('/').into());
        }
        Self::new(settings, access.money, &keys, Arc::new(SystemClock))
            .map_err(|error| BackendError::Settings(error.to_string()))
    }

    fn rules(&self, codes: &Codes) -> PanelRules {
        let code = |code: &Arc<str>| Some(Handover { code: Some(Arc::clone(code)), redirect: None });
        PanelRules {
            preview: Some(PreviewMark {
                parameter: "assignmentId".into(),
                value: "ASSIGNMENT_ID_NOT_AVAILABLE".into(),
            }),
            form: Some(is_worker),
            framed_by: self.origins.clone(),
            completion: Completion {
                completed: code(&codes.completed),
                disqualified: code(&codes.disqualified),
                ..Completion::default()
            },
            submit: Some(SubmitForm {
                address: "turkSubmitTo".into(),
                origins: self.origins.clone(),
                path: "/mturk/externalSubmit".into(),
                fields: vec!["assignmentId".into()],
            }),
            ..PanelRules::default()
        }
    }

    async fn find(&self, mark: &str) -> Result<Option<ListingState>, PlatformError> {
        Ok(self.hit_of(mark).await?)
    }

    async fn create(&self, listing: &ListingRequest) -> Result<ListingState, PlatformError> {
        Ok(self.create_hit(listing).await?)
    }

    async fn listing(&self, id: &str) -> Result<ListingState, PlatformError> {
        Ok(self.hit(id).await?.state(self.unix_ms()))
    }

    async fn resize(&self, id: &str, places: u32) -> Result<(), PlatformError> {
        Ok(self.extend_hit(id, places).await?)
    }

    async fn admit(&self, id: &str, admission: ListingAdmission) -> Result<(), PlatformError> {
        Ok(self.set_admission(id, admission).await?)
    }

    async fn submissions(&self, id: &str) -> Result<Vec<Submission>, PlatformError> {
        Ok(self.assignments(id).await?)
    }

    async fn unlisted(&self, id: &str) -> Result<Option<u32>, PlatformError> {
        Ok(Some(self.hit(id).await?.pending()))
    }

    async fn was_accepted(&self, submission: &str) -> Result<bool, PlatformError> {
        Ok(self.is_accepted(submission).await?)
    }

    async fn approve(&self, submission: &Submission) -> Result<(), PlatformError> {
        Ok(self.approve_assignment(submission).await?)
    }

    async fn reject(&self, submission: &Submission, reason: &str) -> Result<(), PlatformError> {
        Ok(self.reject_assignment(submission, reason).await?)
    }

    async fn pay(&self, _: &str, orders: &[PaymentOrder]) -> Result<(), PlatformError> {
        match orders {
            [] => Ok(()),
            [order] => Ok(self.send_bonus(order).await?),
            _ => Err(money::SEND.refused("the service makes one payment for each request").into()),
        }
    }

    async fn settle(&self, hit: &str, orders: &[PaymentOrder]) -> Result<Vec<Settlement>, PlatformError> {
        Ok(self.settle_bonuses(hit, orders).await?)
    }

    async fn payments(&self, listing: &str) -> Result<Vec<MadePayment>, PlatformError> {
        Ok(self.bonuses(listing).await?)
    }

    async fn add_to_pool(&self, pool: &str, participants: &[&str]) -> Result<(), PlatformError> {
        Ok(self.qualify(pool, participants).await?)
    }
}

/// Collects answers from workers of Mechanical Turk, through a page in their browsers.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct MechanicalTurkBackend(Crowd<MechanicalTurk>);

impl Wraps for MechanicalTurkBackend {
    fn inner(&self) -> &dyn Backend {
        &self.0
    }
}

register_backend!(
    MechanicalTurkBackend,
    "mturk",
    summary = "Workers of Amazon Mechanical Turk, or of a service that speaks its protocol",
    citation = "",
    example = "{ kind: mturk, page: { public_url: \"https://rate.example.org/\" }, platform: { endpoint: \"https://turk.example.org\", worker_site: \"https://workers.example.org\" } }",
);

#[cfg(test)]
mod tests {
    use hype_core::Amount;

    use super::*;

    #[test]
    fn a_service_without_a_sandbox_needs_real_money() {
        let check = |endpoint: Option<&str>, access: &PlatformAccess| {
            let endpoint = endpoint.map(Into::into);
            let settings = MechanicalTurkSettings { endpoint, ..MechanicalTurkSettings::default() };
            MechanicalTurk::check_money(&settings, access)
        };
        let (test, real) = (PlatformAccess::default(), PlatformAccess::production());
        let fake = PlatformAccess::given("http://127.0.0.1:7000", []);
        for (endpoint, access) in [
            (None, &test),
            (None, &real),
            (Some("https://turk.example.org"), &real),
            (Some("https://turk.example.org"), &fake),
            (Some("http://127.0.0.1:7000"), &test),
        ] {
            assert!(check(endpoint, access).is_ok(), "{endpoint:?} {access:?}");
        }
        let refused = check(Some("https://turk.example.org"), &test).unwrap_err().to_string();
        assert!(refused.contains("`platform.endpoint` is https://turk.example.org"), "{refused}");
        assert!(
            refused.contains("add `--production`") && refused.contains("leave `endpoint` out"),
            "{refused}"
        );
    }

    #[test]
    fn ten_assignments_double_the_fees() {
        let fee = |assignments, masters| fees(assignments, masters).on(Amount(2_000_000));
        assert_eq!(fee(9, false), Amount(400_000));
        assert_eq!(fee(10, false), Amount(800_000));
        assert_eq!(fee(9, true), Amount(500_000));
        assert_eq!(fee(10, true), Amount(900_000));
        assert_eq!(fees(9, false).on(Amount(10_000)), Amount(10_000), "at least a cent");
    }
}
