//! `hype run --fake`: a recruiting study on one computer, with a fake of its platform and synthetic people who come through it.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use async_trait::async_trait;
use hype::StudyFolder;
use hype::backends::crowd::access::PlatformAccess;
use hype::backends::crowd::{RecruitingBackend, Visitors, recruiting};
use hype::backends::web::{ArrivalSource, Clock, SystemClock};
use hype_core::{Backend, BackendSpec, CohortSpec};
use hype_fakes::clock::FakeClock;
use hype_fakes::faults::FaultPlan;
use hype_fakes::mturk::FakeTurk;
use hype_fakes::prolific::{FakeProlific, ProlificSetup};
use hype_fakes::serve::Served;

use super::failure::Failure;

/// A backend whose platform is a fake, which is served until this is dropped.
pub(crate) struct Faked {
    pub(crate) backend: Box<dyn Backend>,
    pub(crate) served: Option<Served>,
}

/// The backend with a fake in place of its platform, and synthetic people in place of real ones, who come after this many people.
pub(crate) fn faked(
    backend: &dyn BackendSpec,
    cohort: Box<dyn CohortSpec>,
    after: u32,
) -> Result<Faked, Failure> {
    let kind = backend.typetag_name();
    let recruits = recruiting(backend).ok_or_else(|| {
        Failure::Message(format!(
            "--fake is for backends that recruit, such as `prolific`, and not for {kind}"
        ))
    })?;
    let Fake { source, served, secrets } = match kind {
        "prolific" => fake_prolific::begin()?,
        "mturk" => fake_turk::begin()?,
        _ if recruits.facts().limits.is_none() => fake_panel(&*recruits),
        _ => return Err(Failure::Message(format!("there is no fake of the platform of {kind}"))),
    };
    let address = served.as_ref().map_or_else(|| "http://127.0.0.1/".to_owned(), Served::url);
    let names = recruits.facts().secrets.into_iter().map(|secret| secret.env);
    let access = PlatformAccess::given(address, names.zip(secrets));
    let backend = recruits.faked(access, Visitors { cohort: Arc::from(cohort), source, after });
    Ok(Faked { backend, served })
}

/// A fake of a platform.
struct Fake {
    /// Where people come from.
    source: Arc<dyn ArrivalSource>,
    /// The fake; `None` if it has no interface.
    served: Option<Served>,
    /// Secrets that it accepts, in the order of the platform's.
    secrets: Vec<String>,
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

/// A panel without an interface.
fn fake_panel(recruits: &dyn RecruitingBackend) -> Fake {
    let parameter = recruits.facts().participant.as_deref().unwrap_or_default().to_owned();
    let source = PanelPeople { parameter, came: AtomicU64::new(0) };
    Fake { source: Arc::new(source), served: None, secrets: vec!["a-key".to_owned()] }
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
    use super::{
        Arc, ArrivalSource, BTreeMap, Failure, Fake, FakeProlific, ProlificSetup, async_trait, parameters,
    };

    pub(super) fn begin() -> Result<Fake, Failure> {
        let setup = ProlificSetup::default();
        let secrets = vec![setup.token.clone(), setup.webhook_secret.clone()];
        let fake = FakeProlific::new(setup);
        let served = hype::runtime()?.block_on(fake.serve())?;
        Ok(Fake { source: Arc::new(People(fake)), served: Some(served), secrets })
    }

    #[derive(Debug)]
    struct People(FakeProlific);

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
mod fake_turk {
    use super::{
        Arc, ArrivalSource, AtomicU64, BTreeMap, Clock as _, Failure, Fake, FakeClock, FakeTurk, FaultPlan,
        Ordering, Served, SystemClock, async_trait, parameters,
    };

    pub(super) fn begin() -> Result<Fake, Failure> {
        let keys = ["a-key-for-tests", "a-secret-for-tests"];
        let clock = FakeClock::at(SystemClock.now().0 / 1_000);
        let fake = FakeTurk::new(clock, keys[0], keys[1], None);
        let serving = Served::start(Arc::new(fake.clone()), FaultPlan::default());
        let served = hype::runtime()?.block_on(serving)?;
        fake.set_submit_to(&served.url());
        let source = Workers { fake, came: AtomicU64::new(0) };
        Ok(Fake { source: Arc::new(source), served: Some(served), secrets: keys.map(str::to_owned).into() })
    }

    #[derive(Debug)]
    struct Workers {
        fake: FakeTurk,
        came: AtomicU64,
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
