//! Prolific, by version 1 of its API.
//!
//! A [listing](crate::crowd::platform::ListingRequest) is a study, whose internal name holds the listing's mark. Pools are participant groups of the
//! account's workspace. Rewards are paid by approving submissions, bonuses by bulk payments.
//!
//! # What can be repeated
//!
//! Reading can, and so can what sets a state: places, approvals, rejections and members of a group. Prolific documents that paying
//! bonuses cannot, that it is done in the minutes after the request, and that requests must not overlap. Such a request is sent
//! once. If its outcome is unknown, [`settle`](Platform::settle) finds the payment among the submission's bonuses, or says that it is
//! unknown: that a payment is not there yet proves nothing.
//!
//! # What the API does not know
//!
//! Studies do not expire and have no keywords, so both are left out of a listing.

use std::fmt;
use std::sync::Arc;

use tokio::sync::Mutex;

use self::api::Api;
use crate::clock::Clock;
use crate::crowd::access::Money;
#[cfg(doc)]
use crate::crowd::platform::Platform;
use crate::crowd::transport::is_on_this_machine;
use crate::web::{ArrivalProof, Webhook};

mod api;
mod bonuses;
mod groups;
mod instant;
mod pages;
mod platform;
mod settings;
mod signed;
mod status;
mod studies;
mod submissions;
mod transport;
pub mod webhook;
mod wire;

pub use self::platform::ProlificBackend;
pub use self::settings::{ContentWarning, Device, ProlificSettings, StudyLabel};
pub use self::transport::{HttpTransport, Transport, Unanswered};

/// The platform's name in messages.
const NAME: &str = "Prolific";

/// The site to which participants return.
const SITE: &str = "https://app.prolific.com";

/// The token of an account cannot be part of a request. It is the operator's move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the token of Prolific has characters that no token has")]
pub struct BadToken;

/// An account of Prolific.
pub struct Prolific {
    api: Api,
    settings: ProlificSettings,
    money: Money,
    /// Bonuses are paid one request after the other.
    paying: Mutex<()>,
    /// The site to which participants return.
    site: String,
    webhook: Option<Webhook>,
    /// Proves who has come, if addresses are signed.
    proof: Option<Arc<dyn ArrivalProof>>,
}

/// Shows no secrets.
impl fmt::Debug for Prolific {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Prolific").field("api", &self.api).field("money", &self.money).finish_non_exhaustive()
    }
}

impl Prolific {
    /// An account that is reached through a transport. With [`Money::Test`], studies are published for the account's test
    /// participants only. `base_url` is the address of the API, of this machine or of the settings. Nothing is sent.
    ///
    /// # Errors
    /// If the token has characters that no token has.
    pub fn new(
        settings: ProlificSettings,
        money: Money,
        (base_url, token): (&str, &str),
        transport: Arc<dyn Transport>,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, BadToken> {
        let api = Api::new(base_url, token, transport, clock).ok_or(BadToken)?;
        // A platform on this machine has its participants there as well.
        let site = if is_on_this_machine(base_url) { base_url.trim_end_matches('/') } else { SITE };
        Ok(Self {
            api,
            settings,
            money,
            paying: Mutex::default(),
            site: site.to_owned(),
            webhook: None,
            proof: None,
        })
    }
}
