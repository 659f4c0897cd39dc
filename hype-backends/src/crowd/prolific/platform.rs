//! The backend `prolific`.

use std::sync::Arc;

use hype_core::protocol::fees::Fees;
use hype_core::protocol::terms::{HourlyPay, PanelTerms};
use hype_core::study::backend::BackendError;
use hype_core::study::spec::Secret;
use hype_core::{Diagnostics, Study, register_backend};

use super::webhook::receiver;
use super::{
    HttpTransport, NAME, ProlificMarket, ProlificSettings, RealWaiting, SHORTEST_REASON, Waiting, hourly,
};
use crate::clock::SystemClock;
use crate::crowd::access::{Money, PlatformAccess};
use crate::crowd::market::Market;
use crate::crowd::panel::{Codes, Panel};
use crate::crowd::platform::{Crowd, Platform};
use crate::crowd::transport::is_on_this_machine;
use crate::web::settings::{Completion, Handover};
use crate::web::{PanelRules, Webhook};

/// The site to which participants return.
const SITE: &str = "https://app.prolific.com";

/// Prolific as a panel.
#[derive(Debug)]
struct ProlificPanel {
    market: Arc<ProlificMarket>,
    fees: Fees,
    codes: Codes,
    /// The site to which participants return.
    site: String,
    webhook: Option<Webhook>,
}

impl Panel for ProlificPanel {
    fn name(&self) -> &str {
        NAME
    }

    fn rules(&self) -> PanelRules {
        let handover = |code: &Arc<str>| {
            let redirect = Some(format!("{}/submissions/complete?cc={code}", self.site).into());
            Some(Handover { code: Some(Arc::clone(code)), redirect })
        };
        PanelRules {
            participant: Some("PROLIFIC_PID".into()),
            completion: Completion {
                completed: handover(&self.codes.completed),
                disqualified: handover(&self.codes.disqualified),
                ..Completion::default()
            },
            webhook: self.webhook.clone(),
            ..PanelRules::default()
        }
    }

    fn fees(&self) -> Fees {
        self.fees.clone()
    }

    fn market(&self) -> Option<Arc<dyn Market>> {
        Some(Arc::clone(&self.market) as Arc<dyn Market>)
    }
}

impl Platform for ProlificSettings {
    const SCHEMA: &'static str = "ProlificBackend";
    const SHORTEST_REASON: usize = SHORTEST_REASON;
    const PLACES_PER_LISTING: Option<u32> = Some(u32::MAX);

    fn secrets(&self) -> Vec<&Secret> {
        [&self.token].into_iter().chain(&self.webhook_secret).collect()
    }

    fn terms(&self, currency: &str) -> PanelTerms {
        let hourly = hourly(currency).map(|(least, recommended)| HourlyPay { least, recommended });
        PanelTerms {
            name: NAME.into(),
            fees: self.customer_fees(),
            currency: None,
            needs_reward: true,
            hourly,
        }
    }

    fn address(&self) -> Option<&str> {
        Some(&self.base_url)
    }

    fn audience(&self) -> Vec<String> {
        self.describe_audience()
    }

    fn check(&self, at: &mut Diagnostics) {
        self.check_settings(at);
    }

    fn review(&self, study: &Study, at: &mut Diagnostics) {
        let recruitment = &study.raters().recruitment;
        let needs_pools =
            recruitment.qualified_by.is_some() || !recruitment.exclude_participants_of.is_empty();
        if self.workspace.is_none() && needs_pools {
            at.field("workspace")
                .error(
                    "no-workspace",
                    "Prolific keeps the pools of raters that the study names in a workspace",
                )
                .help("write the id of your workspace: 24 hexadecimal digits");
        }
    }

    fn panel(&self, access: &PlatformAccess, codes: Codes) -> Result<Arc<dyn Panel>, BackendError> {
        let of_settings = |reason: String| BackendError::Settings(reason);
        let token = access.secret(&self.token)?;
        let secret = self.webhook_secret.as_ref().map(|secret| access.secret(secret)).transpose()?;
        // A platform that was given in place of Prolific has no test participants, and pays nobody.
        let (address, money) = match access.address() {
            Some(address) => (address, Money::Real),
            None => (&self.base_url, access.money),
        };
        let waiting: Arc<dyn Waiting> = Arc::new(RealWaiting);
        let transport = HttpTransport::new(address, Arc::clone(&waiting))
            .map_err(|error| of_settings(error.to_string()))?;
        let market =
            ProlificMarket::new(self.clone(), money, (address, &token), Arc::new(transport), waiting)
                .map_err(|error| of_settings(error.to_string()))?;
        Ok(Arc::new(ProlificPanel {
            market: Arc::new(market),
            fees: self.customer_fees(),
            codes,
            // A platform on this machine has its participants there as well.
            site: if is_on_this_machine(address) { address.trim_end_matches('/') } else { SITE }.to_owned(),
            webhook: secret.map(|secret| receiver(secret.into_bytes(), Arc::new(SystemClock))),
        }))
    }
}

/// The backend `prolific`.
pub type ProlificBackend = Crowd<ProlificSettings>;

register_backend!(
    ProlificBackend,
    "prolific",
    summary = "Participants of Prolific, recruited and paid through its API",
    citation = "",
    example = "{ kind: prolific, page: { public_url: \"https://rate.example.org/\" }, platform: { workspace: 60aca280709ee40ec37d4885 } }",
);
