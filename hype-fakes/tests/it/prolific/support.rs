//! A market of a fake, over loopback or without a socket.

use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use hype_backends::crowd::access::Money;
use hype_backends::crowd::platform::{ListingRequest, PaymentOrder, Platform, PlatformError, Submission};
use hype_backends::crowd::prolific::{HttpTransport, Prolific, ProlificSettings, Transport, Unanswered};
use hype_backends::web::Clock;
use hype_core::{Amount, Micros};
use hype_fakes::faults::FaultPlan;
use hype_fakes::prolific::{BegunWork, FakeProlific, ProlificSetup, WORKSPACE};
use hype_fakes::serve::{Exchange, Served, exchange};
use hyper::body::Bytes;
use hyper::{Request, Response};

/// Waits for nothing: repetitions come at once, and an answer is given up as soon as the platform hangs.
#[derive(Debug, Clone, Default)]
pub(super) struct NoTime {
    faults: FaultPlan,
    delays: Arc<Mutex<Vec<Duration>>>,
}

impl NoTime {
    pub(super) fn of(fake: &FakeProlific) -> Self {
        Self { faults: fake.faults().clone(), delays: Arc::default() }
    }

    /// How long it would have waited before repetitions.
    pub(super) fn delays(&self) -> Vec<Duration> {
        self.delays.lock().unwrap().clone()
    }
}

#[async_trait]
impl Clock for NoTime {
    fn now(&self) -> Micros {
        Micros(0)
    }

    async fn sleep(&self, delay: Duration) {
        self.delays.lock().unwrap().push(delay);
    }

    async fn overdue(&self, _: Duration) {
        self.faults.hung().await;
    }
}

/// Requests that reach the fake without a socket.
pub(super) struct Direct(pub(super) FakeProlific);

impl fmt::Debug for Direct {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Direct")
    }
}

#[async_trait]
impl Transport for Direct {
    async fn send(&self, request: Request<Bytes>) -> Result<Response<Bytes>, Unanswered> {
        match exchange(&self.0, self.0.faults(), &request) {
            Exchange::Answer(answer) => Ok(answer),
            Exchange::Dropped => Err(Unanswered::Lost("the connection was closed".into())),
            Exchange::Hung => Err(Unanswered::Lost("no answer".into())),
        }
    }
}

/// A fake on loopback with a market.
pub(super) struct Lab {
    pub(super) fake: FakeProlific,
    pub(super) market: Prolific,
    pub(super) waiting: NoTime,
    pub(super) served: Option<Served>,
}

pub(super) const TOKEN: &str = "a-token-for-tests";

pub(super) fn settings() -> ProlificSettings {
    ProlificSettings { workspace: Some(WORKSPACE.into()), ..ProlificSettings::default() }
}

impl Lab {
    pub(super) async fn new() -> Self {
        Self::with(ProlificSetup::default()).await
    }

    pub(super) async fn with(setup: ProlificSetup) -> Self {
        let fake = FakeProlific::new(setup);
        let served = fake.serve().await.unwrap();
        let waiting = NoTime::of(&fake);
        let transport = HttpTransport::new(&served.url(), Arc::new(waiting.clone())).unwrap();
        let market = market(&served.url(), TOKEN, Arc::new(transport), &waiting);
        Self { fake, market, waiting, served: Some(served) }
    }

    /// Another connection to the same platform.
    pub(super) fn transport(&self) -> Arc<dyn Transport> {
        let url = self.served.as_ref().unwrap().url();
        Arc::new(HttpTransport::new(&url, Arc::new(self.waiting.clone())).unwrap())
    }

    /// Without a socket, for tests of thousands of requests.
    pub(super) fn direct(setup: ProlificSetup) -> Self {
        let fake = FakeProlific::new(setup);
        let waiting = NoTime::of(&fake);
        let market = market("http://127.0.0.1", TOKEN, Arc::new(Direct(fake.clone())), &waiting);
        Self { fake, market, waiting, served: None }
    }

    /// The id of a published study with places for this many.
    pub(super) async fn study(&self, places: u32) -> String {
        self.market.create(&listing("a-mark", places)).await.unwrap().id.to_string()
    }

    /// Participants who hand in finished work.
    pub(super) fn finished(&self, study: &str, count: usize) -> Vec<BegunWork> {
        let finish = |_| {
            let arrival = self.fake.arrive(study).unwrap();
            self.fake.submit(&arrival.submission, "DONE").unwrap();
            arrival
        };
        (0..count).map(finish).collect()
    }

    /// The submission of an arrival, as the market lists it.
    pub(super) async fn submission(&self, study: &str, arrival: &BegunWork) -> Submission {
        let all = self.market.submissions(study).await.unwrap();
        all.into_iter().find(|one| *one.id == *arrival.submission).unwrap()
    }
}

pub(super) fn market(url: &str, token: &str, transport: Arc<dyn Transport>, waiting: &NoTime) -> Prolific {
    Prolific::new(settings(), Money::Real, (url, token), transport, Arc::new(waiting.clone())).unwrap()
}

/// The account of a laboratory without the setting `workspace`.
pub(super) fn without_workspace(lab: &Lab) -> Prolific {
    let url = lab.served.as_ref().unwrap().url();
    let waiting = Arc::new(lab.waiting.clone());
    let transport = HttpTransport::new(&url, waiting.clone()).unwrap();
    let settings = ProlificSettings { workspace: None, ..settings() };
    Prolific::new(settings, Money::Real, (&url, TOKEN), Arc::new(transport), waiting).unwrap()
}

pub(super) fn listing(mark: &str, places: u32) -> ListingRequest {
    ListingRequest {
        mark: mark.into(),
        title: "Judging images".into(),
        description: "Look at images.".into(),
        keywords: vec!["images".into()],
        address: "https://rate.example.org/".into(),
        reward: Amount(1_500_000),
        currency: "USD".into(),
        places,
        minutes: 10,
        minutes_at_most: 60,
        expires_unix_ms: 0,
        completed_code: "DONE".into(),
        disqualified_code: "LEFT".into(),
        handed_in_code: "HANDEDIN".into(),
        pool: None,
        excluded_pools: Vec::new(),
    }
}

pub(super) fn order(arrival: &BegunWork, amount: u64) -> PaymentOrder {
    PaymentOrder {
        token: format!("token-of-{}", arrival.submission).into(),
        submission: arrival.submission.as_str().into(),
        participant: arrival.participant.as_str().into(),
        amount: Amount(amount),
        reason: "For your right answers.".into(),
        sent_unix_ms: Some(0),
    }
}

/// Returns the kind of an error, which says whether the request took effect.
pub(super) fn kind(error: &PlatformError) -> &'static str {
    match error {
        PlatformError::Refused { .. } => "refused",
        PlatformError::Unavailable { .. } => "unavailable",
        PlatformError::Unclear { .. } => "unclear",
        PlatformError::NotUnderstood { .. } => "not understood",
        _ => "other",
    }
}

/// A reason that is long enough for a rejection.
pub(super) fn reason() -> String {
    "You failed both attention checks, which the description of the study announces. ".repeat(2)
}
