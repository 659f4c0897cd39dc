//! `hype run --fake`: a recruiting study on one computer, with a fake of its platform and synthetic people who come through it.

use std::any::Any;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use async_trait::async_trait;
use hype::StudyFolder;
use hype::backends::crowd::access::PlatformAccess;
use hype::backends::crowd::generic::PanelBackend;
#[cfg(feature = "mturk")]
use hype::backends::crowd::mturk::MechanicalTurkBackend;
use hype::backends::crowd::platform::Visitors;
use hype::backends::crowd::prolific::ProlificBackend;
use hype::backends::web::{ArrivalSource, Page};
#[cfg(feature = "mturk")]
use hype::backends::web::{Clock as _, SystemClock};
use hype_core::{BackendSpec, CohortSpec};
#[cfg(feature = "mturk")]
use hype_fakes::clock::FakeClock;
#[cfg(feature = "mturk")]
use hype_fakes::faults::FaultPlan;
#[cfg(feature = "mturk")]
use hype_fakes::mturk::FakeTurk;
use hype_fakes::prolific::{FakeProlific, ProlificSetup};
use hype_fakes::serve::Served;

use super::failure::Failure;

/// A backend whose platform is a fake, which is served until this is dropped.
pub(crate) struct Faked {
    pub(crate) backend: Box<dyn BackendSpec>,
    pub(crate) served: Option<Served>,
}

/// The backend with a fake in place of its platform, and synthetic people in place of real ones, who come after this many people.
pub(crate) fn faked(
    backend: &dyn BackendSpec,
    cohort: Box<dyn CohortSpec>,
    after: u32,
) -> Result<Faked, Failure> {
    let any: &dyn Any = backend;
    let cohort: Arc<dyn CohortSpec> = Arc::from(cohort);
    if let Some(prolific) = any.downcast_ref::<ProlificBackend>() {
        let setup = ProlificSetup::default();
        let secrets = std::iter::once((prolific.platform.token.env.clone(), setup.token.clone())).chain(
            prolific
                .platform
                .webhook_secret
                .iter()
                .map(|secret| (secret.env.clone(), setup.webhook_secret.clone())),
        );
        let secrets: Vec<_> = secrets.collect();
        let fake = FakeProlific::new(setup);
        let served = hype::runtime()?.block_on(fake.serve())?;
        let backend = ProlificBackend {
            access: PlatformAccess::given(served.url(), secrets),
            visitors: Some(Visitors { cohort, source: Arc::new(fake_prolific::People(fake)), after }),
            page: local(&prolific.page),
            ..prolific.clone()
        };
        return Ok(Faked { backend: Box::new(backend), served: Some(served) });
    }
    #[cfg(feature = "mturk")]
    if let Some(mturk) = any.downcast_ref::<MechanicalTurkBackend>() {
        let (access_key, secret_key) = ("a-key-for-tests", "a-secret-for-tests");
        let clock = FakeClock::at(SystemClock.now().0 / 1_000);
        let fake = FakeTurk::new(clock, access_key, secret_key, None);
        let serving = Served::start(Arc::new(fake.clone()), FaultPlan::default());
        let served = hype::runtime()?.block_on(serving)?;
        fake.set_submit_to(&served.url());
        let platform = &mturk.platform;
        let secrets = [
            (platform.access_key.env.clone(), access_key.to_owned()),
            (platform.secret_key.env.clone(), secret_key.to_owned()),
        ];
        let backend = MechanicalTurkBackend {
            access: PlatformAccess::given(served.url(), secrets),
            visitors: Some(Visitors { cohort, source: Arc::new(fake_turk::Workers::of(fake)), after }),
            page: local(&mturk.page),
            ..mturk.clone()
        };
        return Ok(Faked { backend: Box::new(backend), served: Some(served) });
    }
    if let Some(panel) = any.downcast_ref::<PanelBackend>() {
        let secrets = panel.platform.sign_with.iter().map(|secret| (secret.env.clone(), "a-key".to_owned()));
        let parameter = panel.platform.participant_parameter().unwrap_or_default();
        let backend = PanelBackend {
            access: PlatformAccess::given("http://127.0.0.1/", secrets.collect::<Vec<_>>()),
            visitors: Some(Visitors { cohort, source: Arc::new(PanelPeople::of(&parameter)), after }),
            page: local(&panel.page),
            ..panel.clone()
        };
        return Ok(Faked { backend: Box::new(backend), served: None });
    }
    Err(Failure::Message(format!(
        "--fake is for backends that recruit, such as `prolific`, and not for {}",
        backend.typetag_name()
    )))
}

/// Refuses a study that an earlier fake has listed: a fake forgets everything when the program ends.
pub(crate) fn refuse_resumed(opened: &StudyFolder) -> Result<(), Failure> {
    let ledger = hype::block_on(hype_core::study::ledger::ledger(opened.store()))?;
    if ledger.entries() == 0 {
        return Ok(());
    }
    Err(Failure::Message(format!(
        "{} has what an earlier fake of the platform has listed and paid, and no fake remembers it: remove the folder, or name \
         another one with --study",
        opened.path().display()
    )))
}

/// The page at its own address, which the operator of a fake can open.
fn local(page: &Page) -> Page {
    Page { public_url: None, ..page.clone() }
}

/// The parameters of an address.
fn parameters(url: &str) -> BTreeMap<String, String> {
    let query = url.split_once('?').map_or("", |(_, query)| query);
    let query = query.split('#').next().unwrap_or_default();
    form_urlencoded::parse(query.as_bytes()).into_owned().collect()
}

/// People of a panel without an interface, who come as long as there are places.
#[derive(Debug)]
struct PanelPeople {
    parameter: String,
    came: AtomicU64,
}

impl PanelPeople {
    fn of(parameter: &str) -> Self {
        Self { parameter: parameter.to_owned(), came: AtomicU64::new(0) }
    }
}

#[async_trait]
impl ArrivalSource for PanelPeople {
    async fn next(&self) -> Option<BTreeMap<String, String>> {
        let number = self.came.fetch_add(1, Ordering::Relaxed);
        Some([(self.parameter.clone(), format!("fake-{number:06}"))].into())
    }

    async fn ended(&self, _: &BTreeMap<String, String>, _: Option<&str>) {}
}

/// Participants of the fake of Prolific.
mod fake_prolific {
    use super::{ArrivalSource, BTreeMap, FakeProlific, async_trait, parameters};

    #[derive(Debug)]
    pub(super) struct People(pub(super) FakeProlific);

    #[async_trait]
    impl ArrivalSource for People {
        async fn next(&self) -> Option<BTreeMap<String, String>> {
            let open = self.0.open_studies();
            open.iter().find_map(|study| self.0.arrive(study).ok()).map(|arrival| parameters(&arrival.url))
        }

        async fn ended(&self, arrival: &BTreeMap<String, String>, code: Option<&str>) {
            if let Some(submission) = arrival.get("SESSION_ID") {
                // A submission whose time is over cannot be handed in.
                let _ = match code {
                    Some(code) => self.0.submit(submission, code),
                    None => self.0.give_back(submission),
                };
            }
        }
    }
}

/// Workers of the fake of Mechanical Turk.
#[cfg(feature = "mturk")]
mod fake_turk {
    use super::{ArrivalSource, AtomicU64, BTreeMap, FakeTurk, Ordering, async_trait, parameters};

    #[derive(Debug)]
    pub(super) struct Workers {
        fake: FakeTurk,
        came: AtomicU64,
    }

    impl Workers {
        pub(super) fn of(fake: FakeTurk) -> Self {
            Self { fake, came: AtomicU64::new(0) }
        }
    }

    #[async_trait]
    impl ArrivalSource for Workers {
        async fn next(&self) -> Option<BTreeMap<String, String>> {
            let worker = format!("AFAKE{:09}", self.came.fetch_add(1, Ordering::Relaxed));
            let hits = self.fake.hits();
            hits.iter().find_map(|hit| self.fake.accept(hit, &worker).ok()).map(|work| parameters(&work.url))
        }

        async fn ended(&self, arrival: &BTreeMap<String, String>, code: Option<&str>) {
            if let Some(assignment) = arrival.get("assignmentId") {
                // An assignment whose time is over cannot be handed in.
                let _ = match code {
                    Some(code) => self.fake.submit(assignment, &[("code", code)]),
                    None => self.fake.return_(assignment),
                };
            }
        }
    }
}
