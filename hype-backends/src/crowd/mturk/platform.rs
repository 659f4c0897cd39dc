//! The backend `mturk`.

use std::sync::Arc;

use hype_core::protocol::fees::Fees;
use hype_core::protocol::terms::PanelTerms;
use hype_core::study::backend::BackendError;
use hype_core::study::spec::Secret;
use hype_core::{Diagnostics, Study, register_backend};

use super::{
    ASSIGNMENTS_AT_MOST, AccountKeys, CURRENCY, MarketTime, MechanicalTurk, MechanicalTurkSettings, NAME,
    Unpaced,
};
use crate::crowd::access::{Money, PlatformAccess};
use crate::crowd::market::Market;
use crate::crowd::panel::{Codes, Panel};
use crate::crowd::platform::{Crowd, Platform};
use crate::crowd::transport::is_on_this_machine;
use crate::web::settings::{Completion, Handover};
use crate::web::{PanelRules, PreviewMark, SubmitForm};

/// The origins of the pages on which workers see HITs: of the service and of its sandbox.
const ORIGINS: [&str; 3] =
    ["https://www.mturk.com", "https://workersandbox.mturk.com", "https://worker.mturk.com"];

/// Mechanical Turk as a panel.
#[derive(Debug)]
struct MechanicalTurkPanel {
    market: Arc<MechanicalTurk>,
    codes: Codes,
    /// The origins that show the page in a frame and take its form.
    origins: Vec<Arc<str>>,
}

impl Panel for MechanicalTurkPanel {
    fn name(&self) -> &str {
        NAME
    }

    fn rules(&self) -> PanelRules {
        let code = |code: &Arc<str>| Some(Handover { code: Some(Arc::clone(code)), redirect: None });
        PanelRules {
            participant: Some("workerId".into()),
            preview: Some(PreviewMark {
                parameter: "assignmentId".into(),
                value: "ASSIGNMENT_ID_NOT_AVAILABLE".into(),
            }),
            framed_by: self.origins.clone(),
            completion: Completion {
                completed: code(&self.codes.completed),
                disqualified: code(&self.codes.disqualified),
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

    fn fees(&self) -> Fees {
        self.market.rules().fees
    }

    fn market(&self) -> Option<Arc<dyn Market>> {
        Some(Arc::clone(&self.market) as Arc<dyn Market>)
    }
}

impl Platform for MechanicalTurkSettings {
    const SCHEMA: &'static str = "MechanicalTurkBackend";
    const SHORTEST_REASON: usize = 1;
    const PLACES_PER_LISTING: Option<u32> = Some(ASSIGNMENTS_AT_MOST);

    fn secrets(&self) -> Vec<&Secret> {
        vec![&self.access_key, &self.secret_key]
    }

    /// The service asks for no hourly pay.
    fn terms(&self, _: &str) -> PanelTerms {
        PanelTerms {
            name: NAME.into(),
            fees: Fees::mturk(ASSIGNMENTS_AT_MOST, self.requirements.masters),
            currency: Some(CURRENCY),
            needs_reward: true,
            hourly: None,
        }
    }

    fn address(&self) -> Option<&str> {
        self.endpoint.as_deref()
    }

    fn audience(&self) -> Vec<String> {
        self.requirements.describe()
    }

    fn check(&self, at: &mut Diagnostics) {
        Self::check(self, at);
    }

    fn review(&self, _: &Study, _: &mut Diagnostics) {}

    /// A service that speaks the protocol has no sandbox: what is listed there is paid for.
    fn check_money(&self, access: &PlatformAccess) -> Result<(), BackendError> {
        let Some(endpoint) = &self.endpoint else { return Ok(()) };
        if access.money == Money::Real || access.address().is_some() || is_on_this_machine(endpoint) {
            return Ok(());
        }
        Err(BackendError::Settings(format!(
            "`platform.endpoint` is {endpoint}, which takes the place of Amazon's sandbox, so that work would be listed and paid for \
             with real money: add `--production` if that is meant; to rehearse without money, leave `endpoint` out, which means \
             the sandbox, name a service on this machine, or use `hype run --fake`"
        )))
    }

    fn panel(&self, access: &PlatformAccess, codes: Codes) -> Result<Arc<dyn Panel>, BackendError> {
        let keys = AccountKeys::new(&access.secret(&self.access_key)?, &access.secret(&self.secret_key)?);
        let (mut settings, mut time) = (self.clone(), MarketTime::default());
        let mut origins: Vec<Arc<str>> = match &self.worker_site {
            Some(origin) => vec![Arc::clone(origin)],
            None => ORIGINS.map(Into::into).into(),
        };
        let address = access.address().map(|address| &**address).or_else(|| self.address());
        if address.is_some_and(is_on_this_machine) {
            // A service on this machine has no limit of requests.
            time.pacer = Arc::new(Unpaced);
        }
        if let Some(address) = access.address() {
            // It shows HITs itself.
            origins = vec![address.trim_end_matches('/').into()];
            settings.endpoint = Some(Arc::clone(address));
        }
        let market = MechanicalTurk::new(settings, access.money, &keys, time)
            .map_err(|error| BackendError::Settings(error.to_string()))?;
        Ok(Arc::new(MechanicalTurkPanel { market: Arc::new(market), codes, origins }))
    }
}

/// The backend `mturk`.
pub type MechanicalTurkBackend = Crowd<MechanicalTurkSettings>;

register_backend!(
    MechanicalTurkBackend,
    "mturk",
    summary = "Workers of Amazon Mechanical Turk, or of a service that speaks its protocol",
    citation = "",
    example = "{ kind: mturk, page: { public_url: \"https://rate.example.org/\" }, platform: { endpoint: \"https://turk.example.org/\" } }",
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_service_without_a_sandbox_needs_real_money() {
        let check = |endpoint: Option<&str>, access: &PlatformAccess| {
            let endpoint = endpoint.map(Into::into);
            MechanicalTurkSettings { endpoint, ..MechanicalTurkSettings::default() }.check_money(access)
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
}
