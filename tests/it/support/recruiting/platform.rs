//! The platforms from which participants come.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use hype_fakes::clock::FakeClock;
use hype_fakes::faults::FaultPlan;
use hype_fakes::mturk::{FakeTurk, ServiceModel};
use hype_fakes::prolific::{FakeProlific, ProlificSetup};
use hype_fakes::serve::Served;
use serde_json::{Value, json};
use tokio::runtime::Runtime;

/// A kind of backend that recruits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Prolific,
    MechanicalTurk,
    Panel,
}

impl Kind {
    /// Its name in a spec.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Prolific => "prolific",
            Self::MechanicalTurk => "mturk",
            Self::Panel => "panel",
        }
    }
}

/// Secrets of accounts, which occur nowhere else by chance.
const TOKEN: &str = "token-5f1c0de5ec2e7a11";
const WEBHOOK_SECRET: &str = "webhook-9b77aa01f00d4e5d";
const ACCESS_KEY: &str = "AKIA5EC2E7TE57K3Y000";
const SECRET_KEY: &str = "secret-c0ffee0badf00d77";
const SIGNING_KEY: &str = "signing-1dea5ec2e7beefed";

const PROLIFIC: [(&str, &str); 2] = [("PROLIFIC_TOKEN", TOKEN), ("PROLIFIC_WEBHOOKS", WEBHOOK_SECRET)];
const TURK: [(&str, &str); 2] = [("AWS_ACCESS_KEY_ID", ACCESS_KEY), ("AWS_SECRET_ACCESS_KEY", SECRET_KEY)];
const PANEL: [(&str, &str); 1] = [("PANEL_KEY", SIGNING_KEY)];

/// A person who has come, or comes to look.
#[derive(Debug, Clone)]
pub struct Arrived {
    /// The id at the platform.
    pub person: String,
    /// The id of the submission; that of the person at a panel without any.
    pub work: String,
    /// The parameters of the address at which the person comes to the page.
    pub parameters: Value,
}

/// The payments of a platform for a submission, in cents.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PaidWork {
    pub rewards: Vec<u64>,
    pub bonuses: Vec<u64>,
}

enum Fake {
    Prolific(FakeProlific),
    Turk { fake: FakeTurk, clock: FakeClock },
    Panel,
}

/// A platform that runs during a test.
pub struct Platform {
    kind: Kind,
    fake: Fake,
    faults: FaultPlan,
    url: String,
    people: AtomicU32,
    _served: Option<Served>,
    _runtime: Runtime,
}

impl Platform {
    pub fn start(kind: Kind) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread();
        let runtime = { runtime }.worker_threads(1).enable_all().build().unwrap();
        let faults = FaultPlan::default();
        let (fake, faults, served) = match kind {
            Kind::Prolific => {
                let (token, webhook_secret) = (TOKEN.into(), WEBHOOK_SECRET.into());
                let fake =
                    FakeProlific::new(ProlificSetup { token, webhook_secret, ..ProlificSetup::default() });
                let served = runtime.block_on(fake.serve()).unwrap();
                let faults = fake.faults().clone();
                (Fake::Prolific(fake), faults, Some(served))
            }
            Kind::MechanicalTurk => {
                let clock = FakeClock::at(unix_ms());
                let fake = FakeTurk::new(clock.clone(), ACCESS_KEY, SECRET_KEY, model());
                fake.limit_pages(5);
                let served = Served::start(Arc::new(fake.clone()), faults.clone());
                let served = runtime.block_on(served).unwrap();
                fake.set_submit_to(&served.url());
                (Fake::Turk { fake, clock }, faults, Some(served))
            }
            Kind::Panel => (Fake::Panel, faults, None),
        };
        let url = served.as_ref().map(Served::url).unwrap_or_default();
        Self { kind, fake, faults, url, people: AtomicU32::new(0), _served: served, _runtime: runtime }
    }

    pub const fn kind(&self) -> Kind {
        self.kind
    }

    /// The settings of the platform in a spec.
    pub fn backend(&self) -> String {
        let url = &self.url;
        match self.kind {
            Kind::Prolific => format!(
                "  platform:\n    base_url: \"{url}\"\n    workspace: {}\n    webhook_secret: {{ env: PROLIFIC_WEBHOOKS }}\n",
                hype_fakes::prolific::WORKSPACE
            ),
            Kind::MechanicalTurk => {
                format!("  platform: {{ endpoint: \"{url}\", worker_site: \"{url}\" }}\n")
            }
            Kind::Panel => {
                "  platform: { participant: workerId, fee: 0.25, sign_with: { env: PANEL_KEY } }\n".into()
            }
        }
    }

    /// The environment variables with the secrets.
    pub const fn variables(&self) -> &'static [(&'static str, &'static str)] {
        match self.kind {
            Kind::Prolific => &PROLIFIC,
            Kind::MechanicalTurk => &TURK,
            Kind::Panel => &PANEL,
        }
    }

    /// Returns the faults of the platform.
    pub const fn faults(&self) -> &FaultPlan {
        &self.faults
    }

    /// The listings that were created: their ids, and the number of their kinds.
    pub fn listings(&self) -> (Vec<String>, usize) {
        match &self.fake {
            Fake::Prolific(fake) => (fake.studies(), 1),
            Fake::Turk { fake, .. } => (fake.hits(), fake.hit_types()),
            Fake::Panel => (Vec::new(), 0),
        }
    }

    /// A new person comes, if there is a place.
    pub fn arrive(&self) -> Option<Arrived> {
        let number = self.people.fetch_add(1, Ordering::Relaxed);
        let person = match self.kind {
            Kind::Prolific => format!("{number:08x}9e2a7c5b01d3f486"),
            Kind::MechanicalTurk => format!("A{number:04}QWORKERZ7X"),
            Kind::Panel => format!("panelist-{number:04}-kq8z"),
        };
        self.arrive_as(&person)
    }

    /// Sends a person, perhaps again, if the platform lets the person in anywhere.
    pub fn arrive_as(&self, person: &str) -> Option<Arrived> {
        let (work, url) = match &self.fake {
            Fake::Prolific(fake) => {
                let open = fake.open_studies();
                let work = open.iter().find_map(|study| fake.arrive_as(study, person).ok())?;
                (work.submission, work.url)
            }
            Fake::Turk { fake, clock } => {
                // Requests are signed at the system's time.
                clock.advance(unix_ms().saturating_sub(clock.unix_ms()));
                let work = fake.hits().iter().find_map(|hit| fake.accept(hit, person).ok())?;
                (work.assignment, work.url)
            }
            Fake::Panel => (person.to_owned(), format!("?workerId={person}")),
        };
        Some(Arrived { person: person.to_owned(), work, parameters: parameters(&url) })
    }

    /// The parameters with which a person comes by the address alone, though the platform does not show the study.
    pub fn parameters_of(&self, person: &str) -> Value {
        match &self.fake {
            Fake::Prolific(_) => {
                json!({ "PROLIFIC_PID": person, "STUDY_ID": "5f1c0de5ec2e7a1100000001", "SESSION_ID": "5f1c0de5ec2e7a1100000002" })
            }
            Fake::Turk { .. } => {
                json!({ "workerId": person, "assignmentId": "3ANOTHERASSIGNMENT", "turkSubmitTo": self.url })
            }
            Fake::Panel => json!({ "workerId": person }),
        }
    }

    /// The parameters with which a person previews the task, on platforms that have that.
    pub fn preview(&self) -> Option<Value> {
        let Fake::Turk { fake, .. } = &self.fake else { return None };
        fake.hits().iter().find_map(|hit| fake.preview(hit).ok()).map(|url| parameters(&url))
    }

    /// A person hands work in.
    pub fn hand_in(&self, work: &str, code: &str) {
        match &self.fake {
            Fake::Prolific(fake) => fake.submit(work, code).unwrap(),
            Fake::Turk { fake, .. } => fake.submit(work, &[("code", code)]).unwrap(),
            Fake::Panel => {}
        }
    }

    /// A person returns work.
    pub fn give_back(&self, work: &str) {
        match &self.fake {
            Fake::Prolific(fake) => fake.give_back(work).unwrap(),
            Fake::Turk { fake, .. } => fake.return_(work).unwrap(),
            Fake::Panel => {}
        }
    }

    /// The time of a person is over.
    pub fn run_out(&self, work: &str) {
        match &self.fake {
            Fake::Prolific(fake) => fake.time_out(work).unwrap(),
            Fake::Turk { fake, .. } => fake.abandon(work).unwrap(),
            Fake::Panel => {}
        }
    }

    /// Whether the platform reports work that was returned or whose time is over.
    pub const fn reports_gone(&self) -> bool {
        matches!(self.kind, Kind::Prolific)
    }

    /// Returns the payments by submission; none at a panel that people pay by hand.
    pub fn paid(&self) -> BTreeMap<String, PaidWork> {
        let mut paid: BTreeMap<String, PaidWork> = BTreeMap::new();
        match &self.fake {
            Fake::Prolific(fake) => {
                let one = |paid: hype_fakes::prolific::Paid| PaidWork {
                    rewards: paid.rewards,
                    bonuses: paid.bonuses,
                };
                paid.extend(fake.paid().into_iter().map(|(work, paid)| (work, one(paid))));
            }
            Fake::Turk { fake, .. } => {
                let money = fake.paid();
                for (work, cents) in money.rewards {
                    paid.entry(work).or_default().rewards.push(cents);
                }
                for bonus in money.bonuses {
                    paid.entry(bonus.assignment).or_default().bonuses.push(bonus.cents);
                }
            }
            Fake::Panel => {}
        }
        paid
    }

    /// Returns the objections to the requests so far, as far as the platform's official model or document tells.
    pub fn objections(&self) -> Vec<String> {
        match &self.fake {
            Fake::Turk { fake, .. } => fake.objections(),
            Fake::Prolific(fake) => fake.objections(),
            Fake::Panel => Vec::new(),
        }
    }
}

/// The official model of Mechanical Turk; `None` only if the variable `HYPE_WITHOUT_MTURK_MODEL` is set, which the tests of the fake
/// say loudly.
fn model() -> Option<ServiceModel> {
    if std::env::var_os("HYPE_WITHOUT_MTURK_MODEL").is_some_and(|value| !value.is_empty()) {
        return None;
    }
    let path = ServiceModel::path().filter(|path| path.is_file());
    let path = path.expect("scripts/fetch-mturk-model fetches the model of Mechanical Turk's service");
    Some(ServiceModel::parse(&std::fs::read(path).unwrap()).unwrap())
}

/// The time at which the program signs its requests.
fn unix_ms() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis() as u64
}

/// The parameters of an address.
fn parameters(url: &str) -> Value {
    let query = url.split_once('?').map_or("", |(_, query)| query);
    let pairs = form_urlencoded::parse(query.as_bytes()).into_owned();
    let pairs: BTreeMap<String, String> = pairs.collect();
    json!(pairs)
}
