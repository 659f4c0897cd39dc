//! Prolific, by version 1 of its API.
//!
//! A [listing](crate::crowd::market) is a study, whose internal name holds the listing's mark. Pools are participant groups of the
//! account's workspace. Rewards are paid by approving submissions, bonuses by bulk payments.
//!
//! # What can be repeated
//!
//! Reading can, and so can what sets a state: places, approvals, rejections and members of a group. Prolific documents that paying
//! bonuses cannot, that it is done in the minutes after the request, and that requests must not overlap. Such a request is sent
//! once. If its outcome is unknown, [`settle`](Market::settle) finds the payment among the submission's bonuses, or says that it is
//! unknown: that a payment is not there yet proves nothing.
//!
//! # What the API does not know
//!
//! Studies do not expire and have no keywords, so that both are left out of a listing. A study has a title; messages to
//! participants have no subject and belong to a study.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use hype_core::Amount;
use tokio::sync::Mutex;

use self::api::Api;
use crate::crowd::access::Money;
use crate::crowd::market::{
    ListingAdmission, ListingRequest, ListingState, MadePayment, Market, MarketError, MarketRules,
    PaymentOrder, Settlement, Submission,
};

mod api;
mod bonuses;
mod encoding;
mod groups;
mod instant;
mod messages;
mod pages;
mod platform;
mod settings;
mod status;
mod studies;
mod submissions;
mod transport;
pub mod webhook;
mod wire;

pub use self::platform::ProlificBackend;
pub use self::settings::{Device, ProlificSettings};
pub use self::transport::{HttpTransport, RealWaiting, Transport, Unanswered, Waiting};

/// The platform's name in messages.
const NAME: &str = "Prolific";

/// The shortest reason for a rejection, in characters.
pub const SHORTEST_REASON: usize = 100;

/// The most bonuses of one payment.
pub const BONUSES_AT_ONCE: usize = 200;

/// The hourly pay that Prolific asks for at least and the one that it recommends, in a currency, as of September 2026; `None` for
/// other currencies.
#[must_use]
pub fn hourly(currency: &str) -> Option<(Amount, Amount)> {
    match currency {
        "USD" => Some((Amount(8_000_000), Amount(12_000_000))),
        "GBP" => Some((Amount(6_000_000), Amount(9_000_000))),
        _ => None,
    }
}

/// The token of an account cannot be part of a request. It is the operator's move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the token of Prolific has characters that no token has")]
pub struct BadToken;

/// An account of Prolific.
pub struct ProlificMarket {
    api: Api,
    settings: ProlificSettings,
    money: Money,
    /// Bonuses are paid one request after the other.
    paying: Mutex<()>,
}

/// Shows no secrets.
impl fmt::Debug for ProlificMarket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProlificMarket")
            .field("api", &self.api)
            .field("money", &self.money)
            .finish_non_exhaustive()
    }
}

impl ProlificMarket {
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
        waiting: Arc<dyn Waiting>,
    ) -> Result<Self, BadToken> {
        let api = Api::new(base_url, token, transport, waiting).ok_or(BadToken)?;
        Ok(Self { api, settings, money, paying: Mutex::default() })
    }
}

#[async_trait]
impl Market for ProlificMarket {
    fn rules(&self) -> MarketRules {
        MarketRules {
            name: NAME,
            places_per_listing: u32::MAX,
            payments_at_once: BONUSES_AT_ONCE,
            has_return_requests: true,
            reopens_rejected: true,
            shortest_reason: SHORTEST_REASON,
            fees: self.settings.customer_fees(),
            listings_end: false,
            keeps_pools: self.settings.workspace.is_some(),
        }
    }

    async fn balance(&self) -> Result<Option<Amount>, MarketError> {
        self.account_balance().await
    }

    async fn find(&self, mark: &str) -> Result<Option<ListingState>, MarketError> {
        self.find_study(mark).await
    }

    async fn create(&self, listing: &ListingRequest) -> Result<ListingState, MarketError> {
        self.create_study(listing).await
    }

    async fn listing(&self, id: &str) -> Result<ListingState, MarketError> {
        self.study_state(id).await
    }

    async fn resize(&self, id: &str, places: u32) -> Result<(), MarketError> {
        self.set_places(id, places).await
    }

    async fn admit(&self, id: &str, admission: ListingAdmission) -> Result<(), MarketError> {
        self.set_admission(id, admission).await
    }

    async fn submissions(&self, id: &str) -> Result<Vec<Submission>, MarketError> {
        self.all_submissions(id).await
    }

    async fn approve(&self, submission: &Submission) -> Result<(), MarketError> {
        self.approve_submission(&submission.id).await
    }

    async fn reject(&self, submission: &Submission, reason: &str) -> Result<(), MarketError> {
        self.reject_submission(&submission.id, reason).await
    }

    async fn request_return(&self, submission: &Submission, reason: &str) -> Result<(), MarketError> {
        self.ask_to_return(&submission.id, reason).await
    }

    async fn pay(&self, listing: &str, orders: &[PaymentOrder]) -> Result<(), MarketError> {
        self.pay_bonuses(listing, orders).await
    }

    async fn settle(&self, _: &str, order: &PaymentOrder) -> Result<Settlement, MarketError> {
        self.settle_bonus(order).await
    }

    async fn payments(&self, listing: &str) -> Result<Vec<MadePayment>, MarketError> {
        self.all_bonuses(listing).await
    }

    async fn add_to_pool(&self, pool: &str, participants: &[&str]) -> Result<(), MarketError> {
        self.add_to_group(pool, participants).await
    }

    async fn notify(&self, participants: &[&str], subject: &str, message: &str) -> Result<(), MarketError> {
        self.write_to(participants, subject, message).await
    }
}
