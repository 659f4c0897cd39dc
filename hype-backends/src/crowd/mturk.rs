//! Amazon Mechanical Turk, protocol 2017-01-17, by Amazon's own client.
//!
//! A [listing](crate::crowd::market) is a HIT of at most nine assignments: from ten on, the service takes twice the fee. HITs of
//! one study have one HIT type. Pools are qualification types of the account: workers of a pool have its qualification.
//!
//! Amazon has announced that the service closes on 30 September 2026. The protocol is frozen, and compatible services speak it:
//! the endpoint is a setting. Nothing here has been tried with the live service; the tests compare every request with the service's
//! official model.
//!
//! # What the service does not say
//!
//! Lists of assignments have those that were handed in only, so that nobody is reported as working, as having returned work, or
//! as having run out of time. The service itself offers their places again. Rejected work keeps its place.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use aws_sdk_mturk::config::http::HttpResponse;
use aws_sdk_mturk::config::retry::RetryConfig;
use aws_sdk_mturk::config::timeout::TimeoutConfig;
use aws_sdk_mturk::config::{
    AppName, BehaviorVersion, Credentials, IdentityCache, Region, StalledStreamProtectionConfig,
};
use aws_sdk_mturk::error::{ProvideErrorMetadata, SdkError};
use aws_sdk_mturk::{Client, Config};
use hype_core::model::hex::to_hex;
use hype_core::protocol::fees::Fees;
use hype_core::{Amount, Digest};

use self::connector::Connector;
use self::failure::{Call, Failure};
use self::timing::SigningTime;
use super::access::Money;
use super::market::{
    ListingAdmission, ListingRequest, ListingState, MadePayment, Market, MarketError, MarketRules,
    PaymentOrder, Settlement, Submission,
};
use super::transport::{TransportError, client};

mod connector;
mod failure;
mod hits;
mod money;
mod people;
mod platform;
mod question;
mod requirements;
mod settings;
mod timing;
mod work;

pub use self::platform::MechanicalTurkBackend;
pub use self::question::CODE_FIELD;
pub use self::settings::{MechanicalTurkSettings, WorkerRequirements};
pub use self::timing::{MarketTime, Pacer, SteadyPacer, Timer, TokioTimer, Unpaced};

/// The platform's name in messages.
const NAME: &str = "Mechanical Turk";

/// The only currency of the service.
pub const CURRENCY: &str = "USD";

/// The smallest amount of the service.
const CENT: Amount = Amount(10_000);

/// The most assignments of a HIT for which the service takes the lower fee.
const ASSIGNMENTS_AT_MOST: u32 = 9;

/// The only region of the service.
const REGION: &str = "us-east-1";

/// How long an answer may take.
const ANSWER: Duration = Duration::from_secs(60);

/// The most entries of a page of a list.
const PAGE: i32 = 100;

/// The service's own address: its sandbox, or where money is paid.
const fn amazon(money: Money) -> &'static str {
    match money {
        Money::Test => "https://mturk-requester-sandbox.us-east-1.amazonaws.com",
        Money::Real => "https://mturk-requester.us-east-1.amazonaws.com",
    }
}

/// The keys of an account, which messages and logs never show.
#[derive(Clone, PartialEq, Eq)]
pub struct AccountKeys {
    access_key: String,
    secret_key: String,
}

impl AccountKeys {
    /// The id of an access key and the secret that belongs to it.
    #[must_use]
    pub fn new(access_key: &str, secret_key: &str) -> Self {
        Self { access_key: access_key.trim().into(), secret_key: secret_key.trim().into() }
    }
}

impl fmt::Debug for AccountKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AccountKeys")
    }
}

/// The market of Mechanical Turk.
#[derive(Clone)]
pub struct MechanicalTurk {
    client: Client,
    settings: Arc<MechanicalTurkSettings>,
    money: Money,
    time: MarketTime,
}

impl fmt::Debug for MechanicalTurk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MechanicalTurk").field("money", &self.money).finish_non_exhaustive()
    }
}

impl MechanicalTurk {
    /// The market of an account. An `endpoint` in the settings replaces Amazon's own addresses, the sandbox as well: with
    /// [`Money::Test`], callers name services that pay nobody, as [`Crowd::recruiter`](super::platform::Crowd::recruiter) makes sure.
    ///
    /// # Errors
    /// If requests by HTTPS are not possible.
    pub fn new(
        settings: MechanicalTurkSettings,
        money: Money,
        keys: &AccountKeys,
        time: MarketTime,
    ) -> Result<Self, TransportError> {
        let endpoint = settings.endpoint.as_deref().unwrap_or_else(|| amazon(money)).to_owned();
        let credentials = Credentials::new(&keys.access_key, &keys.secret_key, None, None, "spec");
        let config = Config::builder()
            .behavior_version(BehaviorVersion::v2026_01_12())
            .app_name(AppName::new("hype").unwrap_or_else(|_| unreachable!("the name has letters only")))
            .region(Region::from_static(REGION))
            .http_client(Connector::new(client(&endpoint)?))
            .endpoint_url(endpoint)
            .credentials_provider(credentials)
            .identity_cache(IdentityCache::no_cache())
            .time_source(SigningTime(Arc::clone(&time.clock)))
            // Answers do not set the clock: a request with a wrong time is refused, and the operator sees why.
            .disable_clock_skew_correction(true)
            // Whoever asks decides about repetitions, and the limit of time is this module's own.
            .retry_config(RetryConfig::disabled())
            .timeout_config(TimeoutConfig::disabled())
            .stalled_stream_protection(StalledStreamProtectionConfig::disabled())
            .build();
        Ok(Self { client: Client::from_conf(config), settings: Arc::new(settings), money, time })
    }

    /// Sends a request as soon as the pacer allows it, and waits for its answer as long as the timer allows it.
    async fn send<T, E: ProvideErrorMetadata>(
        &self,
        call: Call,
        request: impl Future<Output = Result<T, SdkError<E, HttpResponse>>> + Send,
    ) -> Result<T, Failure> {
        self.time.pacer.ready().await;
        tokio::select! {
            answer = request => answer.map_err(|error| call.failure(&error)),
            () = self.time.timer.wait(ANSWER) => Err(call.unanswered("no answer in time")),
        }
    }

    /// The time in milliseconds since the Unix epoch.
    fn unix_ms(&self) -> u64 {
        self.time.clock.now().0 / 1_000
    }
}

/// Goes to the next page of a list. Returns whether there is one.
fn turn_page(token: &mut Option<String>, next: Option<String>) -> bool {
    // A service that repeats a token would never end the list.
    let has_next = next.as_ref().is_some_and(|next| !next.is_empty()) && *token != next;
    *token = next;
    has_next
}

/// The token of a request that the service carries out once: 64 characters at most.
fn request_token(text: &str) -> String {
    if (1..=64).contains(&text.len()) && text.is_ascii() { text.into() } else { hexadecimal(text) }
}

/// A text's digest in 64 hexadecimal digits.
fn hexadecimal(text: &str) -> String {
    to_hex(&Digest::of(text.as_bytes()).0)
}

#[async_trait]
impl Market for MechanicalTurk {
    fn rules(&self) -> MarketRules {
        MarketRules {
            name: NAME,
            places_per_listing: ASSIGNMENTS_AT_MOST,
            payments_at_once: 1,
            has_return_requests: false,
            reopens_rejected: false,
            shortest_reason: 1,
            fees: Fees::mturk(ASSIGNMENTS_AT_MOST, self.settings.requirements.masters),
            listings_end: true,
            keeps_pools: true,
        }
    }

    async fn balance(&self) -> Result<Option<Amount>, MarketError> {
        Ok(Some(self.account_balance().await?))
    }

    async fn find(&self, mark: &str) -> Result<Option<ListingState>, MarketError> {
        Ok(self.hit_of(mark).await?)
    }

    async fn create(&self, listing: &ListingRequest) -> Result<ListingState, MarketError> {
        Ok(self.create_hit(listing).await?)
    }

    async fn listing(&self, id: &str) -> Result<ListingState, MarketError> {
        Ok(self.hit(id).await?.state(self.unix_ms()))
    }

    async fn resize(&self, id: &str, places: u32) -> Result<(), MarketError> {
        Ok(self.extend_hit(id, places).await?)
    }

    async fn admit(&self, id: &str, admission: ListingAdmission) -> Result<(), MarketError> {
        Ok(self.set_admission(id, admission).await?)
    }

    async fn submissions(&self, id: &str) -> Result<Vec<Submission>, MarketError> {
        Ok(self.assignments(id).await?)
    }

    async fn approve(&self, submission: &Submission) -> Result<(), MarketError> {
        Ok(self.approve_assignment(submission).await?)
    }

    async fn reject(&self, submission: &Submission, reason: &str) -> Result<(), MarketError> {
        Ok(self.reject_assignment(submission, reason).await?)
    }

    async fn request_return(&self, _: &Submission, _: &str) -> Result<(), MarketError> {
        Err(Call::change("ask a worker to return work").refused("the service knows no such request").into())
    }

    async fn pay(&self, _: &str, orders: &[PaymentOrder]) -> Result<(), MarketError> {
        match orders {
            [] => Ok(()),
            [order] => Ok(self.send_bonus(order).await?),
            _ => Err(money::SEND.refused("the service makes one payment for each request").into()),
        }
    }

    async fn settle(&self, _: &str, order: &PaymentOrder) -> Result<Settlement, MarketError> {
        Ok(self.settle_bonus(order).await?)
    }

    async fn payments(&self, listing: &str) -> Result<Vec<MadePayment>, MarketError> {
        Ok(self.bonuses(listing).await?)
    }

    async fn add_to_pool(&self, pool: &str, participants: &[&str]) -> Result<(), MarketError> {
        Ok(self.qualify(pool, participants).await?)
    }

    async fn notify(&self, participants: &[&str], subject: &str, message: &str) -> Result<(), MarketError> {
        Ok(self.write_to(participants, subject, message).await?)
    }
}
