//! A panel without an interface for programs: participants come with an id in the address, and return with a code or by a redirect.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use hype_core::protocol::fees::{Fees, Share};
use hype_core::protocol::terms::HourlyPay;
use hype_core::study::backend::BackendError;
use hype_core::study::spec::Secret;
use hype_core::{Amount, Diagnostics, register_backend};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::crowd::Crowd;
use crate::crowd::access::PlatformAccess;
use crate::crowd::platform::{Codes, Platform, PlatformFacts};
use crate::web::settings::{Completion, Handover};
use crate::web::{PanelRules, ReturnSignature};

/// How participants of a panel arrive and return.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PanelSettings {
    /// The settings of a known panel, as the starting point.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preset: Option<KnownPanel>,
    /// The address parameter that carries a panel's participant id, such as `PROLIFIC_PID`. Each participant can take part
    /// once. Arrivals without an id are refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub participant: Option<Arc<str>>,
    /// Codes and redirects for the end of a session, by how it ended. A redirect may contain parameters of the address in which
    /// a rater came, such as `{participant}` or `{assignmentId}`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub completion: Option<Completion>,
    /// The key by which the panel verifies a return: its HMAC-SHA-256 over the address is added as the parameter `signature`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sign_with: Option<Secret>,
    /// The panel's fee, as a share of the raters' pay.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 10.0))]
    pub fee: Option<f64>,
    /// The value-added tax on the fee, as a share of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub vat: Option<f64>,
}

/// The hourly pay below which CloudResearch Connect saves no study and the one that it recommends, as of November 2026.
const CONNECT_HOURLY: HourlyPay = HourlyPay { least: Amount(7_500_000), recommended: Amount(10_000_000) };

/// The fee of CloudResearch Connect for research that is neither for a university nor for a charity.
const CONNECT_OTHERS: (&str, f64) = ("CloudResearch Connect, others", 0.4);

/// The name of a panel without a preset.
const UNNAMED: &str = "the panel";

/// A known panel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum KnownPanel {
    /// CloudResearch Connect.
    Cloudresearch,
    /// SONA Systems, pools of students who get credits.
    Sona,
    /// Besample.
    Besample,
    /// Positly.
    Positly,
}

impl KnownPanel {
    const fn name(self) -> &'static str {
        match self {
            Self::Cloudresearch => "CloudResearch Connect",
            Self::Sona => "SONA",
            Self::Besample => "Besample",
            Self::Positly => "Positly",
        }
    }

    /// The address parameter with a participant's id; `None` where researchers choose it.
    const fn participant(self) -> Option<&'static str> {
        match self {
            Self::Cloudresearch => Some("participantId"),
            Self::Sona => Some("survey_code"),
            Self::Positly => Some("participantID"),
            Self::Besample => None,
        }
    }

    /// Returns the panel's fee for researchers at universities, if it publishes one.
    const fn fee(self) -> Option<f64> {
        match self {
            Self::Cloudresearch => Some(0.25),
            Self::Sona => Some(0.0),
            Self::Besample | Self::Positly => None,
        }
    }
}

impl PanelSettings {
    /// The address parameter that carries a participant's id; `None` if neither the settings nor the preset name one.
    fn participant_parameter(&self) -> Option<Arc<str>> {
        let preset = self.preset.and_then(KnownPanel::participant).map(Into::into);
        self.participant.clone().or(preset)
    }

    fn check_settings(&self, at: &mut Diagnostics) {
        if self.participant_parameter().is_none() {
            at.error("no-participant", "nothing says in which parameter the panel sends a participant's id")
                .help("write `participant: workerId`, or a `preset` such as `cloudresearch`");
        }
        if self.participant.as_ref().is_some_and(|name| !is_parameter(name)) {
            at.field("participant")
                .error("bad-name", "this cannot be the name of an address parameter")
                .help("use letters, digits, `_` and `-`, as in `workerId`");
        }
    }
}

fn is_parameter(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
}

/// A panel that people deal with by hand.
pub struct GenericPanel {
    settings: PanelSettings,
    /// The key that signs return addresses.
    key: Option<Vec<u8>>,
}

/// Shows no key.
impl fmt::Debug for GenericPanel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GenericPanel").field("settings", &self.settings).finish_non_exhaustive()
    }
}

#[async_trait]
impl Platform for GenericPanel {
    type Settings = PanelSettings;

    fn facts(settings: &PanelSettings) -> PlatformFacts {
        let share = settings.fee.or_else(|| settings.preset?.fee()).unwrap_or(0.0);
        let of = |share: f64| Share::of(share).unwrap_or_default();
        let name = settings.preset.map_or(UNNAMED, KnownPanel::name);
        let fees = Fees::new(name, of(share)).with_vat(of(settings.vat.unwrap_or(0.0))).in_cents();
        let connect = KnownPanel::Cloudresearch;
        let prices = [(connect.name(), connect.fee().unwrap_or(0.0)), CONNECT_OTHERS];
        let prices = prices.map(|(label, share)| Fees::new(label, of(share)).in_cents()).into();
        let hourly = match settings.preset {
            Some(KnownPanel::Cloudresearch) => vec![("USD", CONNECT_HOURLY)],
            _ => Vec::new(),
        };
        let secrets = settings.sign_with.iter().cloned().collect();
        let participant = settings.participant_parameter();
        PlatformFacts { participant, prices, hourly, secrets, ..PlatformFacts::new(name, fees) }
    }

    fn check(settings: &PanelSettings, at: &mut Diagnostics) {
        settings.check_settings(at);
    }

    fn connect(settings: &PanelSettings, access: &PlatformAccess) -> Result<Self, BackendError> {
        let key = settings.sign_with.as_ref().map(|secret| access.secret(secret)).transpose()?;
        Ok(Self { settings: settings.clone(), key: key.map(String::into_bytes) })
    }

    fn rules(&self, codes: &Codes) -> PanelRules {
        let code = |code: &Arc<str>| Handover { code: Some(Arc::clone(code)), redirect: None };
        let own = || Completion {
            completed: Some(code(&codes.completed)),
            disqualified: Some(code(&codes.disqualified)),
            ..Completion::default()
        };
        PanelRules {
            completion: self.settings.completion.clone().unwrap_or_else(own),
            signature: self.key.as_ref().map(|key| ReturnSignature::new("signature", key)),
            ..PanelRules::default()
        }
    }
}

/// The backend `panel`.
pub type PanelBackend = Crowd<GenericPanel>;

register_backend!(
    PanelBackend,
    "panel",
    summary = "People from a panel without an interface for programs: an id in the address, a code or a redirect at the end",
    citation = "",
    example = "{ kind: panel, platform: { preset: cloudresearch }, page: { public_url: \"https://rate.example.org/\" } }",
);
