//! Amazon Mechanical Turk, protocol 2017-01-17, by Amazon's own client.
//!
//! A [listing](hype_backends::crowd::platform::ListingRequest) is a HIT of at most nine assignments: from ten on, the service takes
//! twice the fee. HITs of one study have one HIT type. Pools are qualification types of the account: workers of a pool have its
//! qualification.
//!
//! Amazon has announced that the service closes on 30 September 2026. The protocol is frozen, and compatible services speak it:
//! the endpoint is a setting. Nothing here has been tried with the live service; the tests compare every request with the service's
//! official model.
//!
//! # What the service does not say
//!
//! Lists of assignments have only those that were handed in, so no worker is reported as working, as having returned work, or as
//! having run out of time. The service itself offers their places again. Rejected work keeps its place.

#![cfg_attr(test, allow(clippy::unwrap_used, reason = "tests may panic"))]

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use aws_sdk_mturk::config::http::HttpResponse;
use aws_sdk_mturk::config::retry::RetryConfig;
use aws_sdk_mturk::config::timeout::TimeoutConfig;
use aws_sdk_mturk::config::{
    AppName, BehaviorVersion, Credentials, IdentityCache, Region, StalledStreamProtectionConfig,
};
use aws_sdk_mturk::error::{ProvideErrorMetadata, SdkError};
use aws_sdk_mturk::{Client, Config};
use aws_smithy_async::time::TimeSource;
use hype_backends::crowd::access::Money;
use hype_backends::crowd::transport::{ATTEMPTS, TransportError, client, pause};
use hype_backends::web::Clock;
use hype_core::model::hex::to_hex;
use hype_core::{Amount, Digest};

use self::connector::Connector;
use self::failure::{Call, Failure};
use self::pacer::Pacer;

mod connector;
mod failure;
mod hits;
mod money;
mod pacer;
mod people;
mod platform;
mod question;
mod requirements;
mod settings;
mod work;

pub use self::platform::MechanicalTurkBackend;
pub use self::settings::{MechanicalTurkSettings, WorkerRequirements};

/// The platform's name in messages.
const NAME: &str = "Mechanical Turk";

/// The only currency of the service.
const CURRENCY: &str = "USD";

/// The smallest amount of the service.
const CENT: Amount = Amount(10_000);

/// The most assignments of a HIT for which the service takes the lower fee.
const ASSIGNMENTS_AT_MOST: u32 = 9;

/// The origins of the pages on which workers see HITs: of the service and of its sandbox.
const ORIGINS: [&str; 3] =
    ["https://www.mturk.com", "https://workersandbox.mturk.com", "https://worker.mturk.com"];

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

/// An account of Mechanical Turk.
#[derive(Clone)]
pub struct MechanicalTurk {
    client: Client,
    settings: Arc<MechanicalTurkSettings>,
    money: Money,
    clock: Arc<dyn Clock>,
    pacer: Arc<Pacer>,
    /// The origins that show the page in a frame and take its form.
    origins: Vec<Arc<str>>,
}

impl fmt::Debug for MechanicalTurk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MechanicalTurk").field("money", &self.money).finish_non_exhaustive()
    }
}

impl MechanicalTurk {
    /// An account. An `endpoint` in the settings replaces Amazon's own addresses, the sandbox as well: with [`Money::Test`],
    /// callers name services that make no payments, as [`Crowd::recruiter`](hype_backends::crowd::Crowd::recruiter) makes sure.
    ///
    /// # Errors
    /// If requests by HTTPS are not possible.
    pub fn new(
        settings: MechanicalTurkSettings,
        money: Money,
        keys: &AccountKeys,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, TransportError> {
        let endpoint = settings.endpoint.as_deref().unwrap_or_else(|| amazon(money)).to_owned();
        let credentials = Credentials::new(&keys.access_key, &keys.secret_key, None, None, "spec");
        let config = Config::builder()
            .behavior_version(BehaviorVersion::v2026_01_12())
            .app_name(AppName::new("hype").unwrap_or_else(|_| unreachable!("the name has letters only")))
            .region(Region::from_static(REGION))
            .http_client(Connector::new(client(&endpoint)?))
            .endpoint_url(&endpoint)
            .credentials_provider(credentials)
            .identity_cache(IdentityCache::no_cache())
            .time_source(SigningTime(Arc::clone(&clock)))
            // Answers do not set the clock: a request with a wrong time is refused, and the operator sees why.
            .disable_clock_skew_correction(true)
            // The caller decides about repetitions, and the limit of time is this module's own.
            .retry_config(RetryConfig::disabled())
            .timeout_config(TimeoutConfig::disabled())
            .stalled_stream_protection(StalledStreamProtectionConfig::disabled())
            .build();
        let pacer = Arc::new(Pacer::to(&endpoint));
        let origins = match &settings.worker_site {
            Some(origin) => vec![Arc::clone(origin)],
            None => ORIGINS.map(Into::into).into(),
        };
        let client = Client::from_conf(config);
        Ok(Self { client, settings: Arc::new(settings), money, clock, pacer, origins })
    }

    /// Sends a request as soon as the pacer allows it, and waits for its answer as long as the clock allows it. While the service
    /// has too many requests, one that can be repeated is, after pauses that grow.
    async fn send<T, E, F>(&self, call: Call, request: impl Fn() -> F + Send + Sync) -> Result<T, Failure>
    where
        T: Send,
        E: ProvideErrorMetadata,
        F: Future<Output = Result<T, SdkError<E, HttpResponse>>> + Send,
    {
        let mut attempts = 1;
        loop {
            self.pacer.ready(&*self.clock).await;
            let answer = tokio::select! {
                answer = request() => answer.map_err(|error| call.failure(&error)),
                () = self.clock.overdue(ANSWER) => Err(call.unanswered("no answer in time")),
            };
            match answer {
                Err(failure) if attempts < ATTEMPTS && call.can_repeat(&failure) => {
                    self.clock.sleep(pause(attempts, &*self.clock)).await;
                    attempts += 1;
                }
                answer => return answer,
            }
        }
    }

    /// The time in milliseconds since the Unix epoch.
    fn unix_ms(&self) -> u64 {
        self.clock.now().0 / 1_000
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

/// A clock as the official client reads it.
#[derive(Debug)]
struct SigningTime(Arc<dyn Clock>);

impl TimeSource for SigningTime {
    fn now(&self) -> SystemTime {
        UNIX_EPOCH + Duration::from_micros(self.0.now().0)
    }
}
