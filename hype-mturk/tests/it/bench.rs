//! A fake with a client.

use std::io::Write as _;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use async_trait::async_trait;
use hype_backends::crowd::access::Money;
use hype_backends::crowd::platform::*;
use hype_backends::web::Clock;
use hype_core::{Amount, Micros};
use hype_fakes::clock::FakeClock;
use hype_fakes::faults::{FaultPlan, InjectedFault};
use hype_fakes::mturk::{FakeTurk, ServiceModel};
use hype_fakes::serve::Served;
use hype_mturk::*;

pub(crate) const ACCESS_KEY: &str = "AKIAIOSFODNN7EXAMPLE";
pub(crate) const SECRET_KEY: &str = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY";
pub(crate) const HOUR_MS: u64 = 3_600_000;

/// A cent.
pub(crate) const CENT: u64 = 10_000;

/// The clock of a fake, which gives up on an answer as soon as the plan has let a request hang.
#[derive(Debug)]
struct ClockOfFake(FakeClock, FaultPlan);

impl ClockOfFake {
    fn hung(&self) -> usize {
        let happened = self.1.happened();
        happened
            .iter()
            .filter(|(_, fault)| matches!(fault, InjectedFault::HungBefore | InjectedFault::HungAfter))
            .count()
    }
}

#[async_trait]
impl Clock for ClockOfFake {
    fn now(&self) -> Micros {
        Micros(self.0.unix_ms() * 1_000)
    }

    async fn sleep(&self, duration: Duration) {
        self.0.advance(u64::try_from(duration.as_millis()).unwrap());
    }

    async fn overdue(&self, _: Duration) {
        let before = self.hung();
        while self.hung() == before {
            tokio::task::yield_now().await;
        }
    }
}

/// A fake with a client.
pub(crate) struct Bench {
    pub(crate) clock: FakeClock,
    pub(crate) faults: FaultPlan,
    pub(crate) fake: FakeTurk,
    pub(crate) market: MechanicalTurk,
    _served: Served,
}

/// Runs tests without the official model: requests are judged by signatures and documented limits alone.
const WITHOUT_MODEL: &str = "HYPE_WITHOUT_MTURK_MODEL";

/// The official model, which is fetched if it is missing; `None` only if the variable `HYPE_WITHOUT_MTURK_MODEL` is set.
///
/// # Panics
/// If it is missing and cannot be fetched.
pub(crate) fn model() -> Option<ServiceModel> {
    static FETCHED: OnceLock<Option<Vec<u8>>> = OnceLock::new();
    let text = FETCHED.get_or_init(|| {
        if std::env::var_os(WITHOUT_MODEL).is_some_and(|value| !value.is_empty()) {
            // Not by `eprintln!`, whose text is shown for tests that fail only.
            let warning =
                format!("WARNING: {WITHOUT_MODEL} is set: no request is compared with the official model\n");
            std::io::stderr().write_all(warning.as_bytes()).unwrap();
            return None;
        }
        let path = ServiceModel::path().filter(|path| path.is_file()).unwrap_or_else(fetched);
        Some(std::fs::read(path).unwrap())
    });
    text.as_ref().map(|text| ServiceModel::parse(text).unwrap())
}

/// Fetches the official model.
fn fetched() -> PathBuf {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../scripts/fetch-mturk-model");
    let output = std::process::Command::new(script).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success(),
        "the model of Mechanical Turk's service is missing, and scripts/fetch-mturk-model fails: {said}\nset {WITHOUT_MODEL}=1 to \
         test without it"
    );
    String::from_utf8(output.stdout).unwrap().trim_end().into()
}

impl Bench {
    pub(crate) async fn new() -> Self {
        Self::with(MechanicalTurkSettings::default()).await
    }

    pub(crate) async fn with(settings: MechanicalTurkSettings) -> Self {
        let (clock, faults) = (FakeClock::default(), FaultPlan::default());
        let fake = FakeTurk::new(clock.clone(), ACCESS_KEY, SECRET_KEY, model());
        let served = Served::start(Arc::new(fake.clone()), faults.clone()).await.unwrap();
        let market = client(settings, &served.url(), SECRET_KEY, &clock, &faults);
        Self { clock, faults, fake, market, _served: served }
    }

    /// Another client of the same account, with another secret key.
    pub(crate) fn with_secret(&self, secret_key: &str) -> MechanicalTurk {
        let settings = MechanicalTurkSettings::default();
        client(settings, &self._served.url(), secret_key, &self.clock, &self.faults)
    }

    /// Returns the request for a listing.
    pub(crate) fn listing(&self, mark: &str, places: u32) -> ListingRequest {
        ListingRequest {
            mark: mark.into(),
            title: "Judging images".into(),
            description: "Look at images & answer <questions> about them.".into(),
            keywords: vec!["images".into(), "research".into()],
            address: "https://rate.example.org/study?a=1&b=2".into(),
            reward: Amount(100 * CENT),
            currency: "USD".into(),
            places,
            minutes: 20,
            minutes_at_most: 60,
            expires_unix_ms: self.clock.unix_ms() + 48 * HOUR_MS,
            completed_code: "C0DE".into(),
            disqualified_code: "0THER".into(),
            handed_in_code: "HANDEDIN".into(),
            pool: None,
            excluded_pools: Vec::new(),
        }
    }

    pub(crate) async fn create(&self, mark: &str, places: u32) -> Arc<str> {
        self.market.create(&self.listing(mark, places)).await.unwrap().id
    }

    /// Work that a worker has handed in.
    pub(crate) fn hand_in(&self, hit: &str, worker: &str) -> String {
        let accepted = self.fake.accept(hit, worker).unwrap();
        self.fake.submit(&accepted.assignment, &[("code", "C0DE"), ("ending", "completed")]).unwrap();
        accepted.assignment
    }

    /// The submission of a worker.
    pub(crate) async fn submission(&self, hit: &str, worker: &str) -> Submission {
        let all = self.market.submissions(hit).await.unwrap();
        all.into_iter().find(|one| &*one.participant == worker).unwrap()
    }

    /// A bonus for a submission, sent now.
    pub(crate) fn order(&self, submission: &Submission, token: &str, cents: u64) -> PaymentOrder {
        PaymentOrder {
            token: token.into(),
            submission: Arc::clone(&submission.id),
            participant: Arc::clone(&submission.participant),
            amount: Amount(cents * CENT),
            reason: "For your right answers. Thank you!".into(),
            sent_unix_ms: Some(self.clock.unix_ms()),
        }
    }

    /// Checks that the judge had nothing to object.
    pub(crate) fn passes(&self) {
        assert_eq!(self.fake.objections(), [""; 0]);
    }
}

/// A client by the fake's clock.
pub(crate) fn client(
    settings: MechanicalTurkSettings,
    address: &str,
    secret_key: &str,
    clock: &FakeClock,
    faults: &FaultPlan,
) -> MechanicalTurk {
    let settings = MechanicalTurkSettings { endpoint: Some(address.into()), ..settings };
    let clock = Arc::new(ClockOfFake(clock.clone(), faults.clone()));
    MechanicalTurk::new(settings, Money::Test, &AccountKeys::new(ACCESS_KEY, secret_key), clock).unwrap()
}

/// A worker's id.
pub(crate) fn worker(number: usize) -> String {
    format!("A2WORKER{number:05}")
}

/// Returns the limits of the service's interface.
pub(crate) fn limits() -> PlatformLimits {
    MechanicalTurk::facts(&MechanicalTurkSettings::default()).limits.unwrap()
}
