//! Servers killed while many raters answer lose no acknowledged answer and store none twice. Every place is completed
//! once, and the raters can continue.
//!
//! This program starts itself as the servers to kill.

#![allow(clippy::unwrap_used, reason = "tests may panic")]

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hype_core::plugin::store::all_sessions;
use hype_core::protocol::places::PlaceCounts;
use hype_core::study::places::StudyPlaces;
use hype_core::study::session::session_name;
use hype_core::{Ending, Event, Micros, Session, Step, StoreExt as _, Streams, Study};
use tokio::runtime::{Builder, Runtime};

use self::load::process::{self, Process};
use self::load::rater::{Balance, Crowd, Rater, Tally, Visit};
use self::server::Server;
use self::small_task::{SmallTask, study};

#[path = "it/support/load.rs"]
mod load;
#[path = "../../tests/it/support/proof.rs"]
mod proof;
#[path = "../../hype-store/tests/it/support/server.rs"]
mod server;
#[path = "it/support/small_task.rs"]
mod small_task;

const TESTS: [(&str, fn()); 3] = [
    ("a_server_on_sqlite_is_killed", a_server_on_sqlite_is_killed),
    ("one_of_three_servers_on_postgres_is_killed", one_of_three_servers_on_postgres_is_killed),
    ("postgres_is_restarted_under_its_servers", postgres_is_restarted_under_its_servers),
];

const TRIALS: u32 = 60;

const RATERS: u32 = 120;

/// If no answer arrives for this long, something hangs.
const PATIENCE: Duration = Duration::from_secs(300);

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let has = |name: &str| arguments.iter().any(|argument| argument == name);
    if arguments.first().is_some_and(|first| first == process::ARGUMENT) {
        return process::serve(subject(), &arguments[1..]);
    }
    // Test runners list a program's tests, and ask for one of them, this way.
    let list = has("--list");
    let named = TESTS.iter().any(|(name, _)| has(name));
    for (name, test) in TESTS {
        if list && !has("--ignored") {
            println!("{name}: test");
        } else if !list && (has(name) || !named) {
            test();
            println!("test {name} ... ok");
        }
    }
}

/// A study with exactly one place for each rater and no replacements.
fn subject() -> Study {
    study(SmallTask { trials: TRIALS, qualifying: 0, needed: 0 }, |spec| {
        spec.collection.raters.per_model = RATERS;
        spec.collection.raters.replacements = 0;
    })
}

/// The acknowledged answers, each by its session and trial.
#[derive(Default)]
struct Acknowledged {
    answers: Mutex<BTreeMap<u64, (String, u32)>>,
    again: AtomicU64,
}

struct Recorder {
    record: Arc<Acknowledged>,
    count: Mutex<Sender<()>>,
}

impl Tally for Recorder {
    fn acknowledged(&self, session: &str, trial: u32, rt_us: u64, _: Duration) {
        let before = self.record.answers.lock().unwrap().insert(rt_us, (session.to_owned(), trial));
        assert_eq!(before, None);
        // After the last strike nothing receives.
        let _ = self.count.lock().unwrap().send(());
    }

    fn again(&self) {
        self.record.again.fetch_add(1, Ordering::Relaxed);
    }
}

/// Lets all raters take part concurrently, and strikes a number of times meanwhile. Asserts that every rater reaches
/// the end.
fn under_strikes(
    servers: Vec<SocketAddr>,
    balance: Balance,
    strikes: u32,
    mut strike: impl FnMut(),
) -> Arc<Acknowledged> {
    let runtime = runtime();
    let (count, answers) = channel();
    let record = Arc::<Acknowledged>::default();
    let tally = Recorder { record: Arc::clone(&record), count: Mutex::new(count) };
    let crowd = Arc::new(Crowd { servers, balance, display: "null", tally });
    let visit = |number| {
        let mut rater = Rater::new(&crowd, number);
        runtime.spawn(async move { tokio::time::timeout(PATIENCE, rater.visit(u32::MAX)).await })
    };
    proof::row(&[&strikes.to_string()]);
    let visits: Vec<_> = (0..RATERS).map(visit).collect();
    for _ in 0..strikes {
        for _ in 0..RATERS * TRIALS / (strikes + 1) {
            answers.recv_timeout(PATIENCE).expect("the raters continue");
        }
        strike();
    }
    for visit in visits {
        let ended = runtime.block_on(visit).unwrap().expect("the rater reaches the end");
        assert_eq!(ended, Visit::Ended);
    }
    let again = record.again.load(Ordering::Relaxed);
    assert!(again > u64::from(strikes), "only {again} requests were interrupted");
    let late = runtime.block_on(Rater::new(&crowd, RATERS).visit(u32::MAX));
    assert_eq!(late, Visit::NoPlace);
    record
}

/// Asserts that the logs hold exactly the acknowledged answers, and that every place was completed by its only holder.
async fn check(store: &str, record: &Acknowledged) {
    let store = &*process::open(store).await;
    let study = subject();
    let names: Vec<String> = (0..RATERS).map(|place| session_name(place, 0).to_string()).collect();
    assert_eq!(all_sessions(store).await.unwrap(), names);
    let mut stored = BTreeMap::new();
    for name in names {
        let log = store.load(&name).await.unwrap();
        for event in &log {
            if let Event::Answered(answered) = event {
                let rt_us = answered.timing.rt.0;
                assert_eq!(
                    stored.insert(rt_us, (name.clone(), answered.trial)),
                    None,
                    "an answer is stored twice"
                );
            }
        }
        let session = Session::replay(&study, log).unwrap();
        let Step::Finished(outcome) = session.step() else { panic!("{name} has not ended") };
        assert_eq!((outcome.ending, outcome.answered), (Ending::Completed, TRIALS));
    }
    assert!(stored == *record.answers.lock().unwrap(), "the logs do not hold the acknowledged answers");
    let places = StudyPlaces::open(&study, store).await.unwrap();
    let counts = places.counts(store, Micros(0)).await.unwrap();
    assert_eq!(counts, PlaceCounts { done: RATERS, held: 0, given_up: 0 });
}

fn runtime() -> Runtime {
    Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap()
}

/// Kills a server by SIGKILL, and starts it again at the same address.
fn kill(server: &mut Process, store: &str) {
    server.child.kill().unwrap();
    let status = server.child.wait().unwrap();
    assert!(status.code().is_none(), "the server had ended before it was killed: {status}");
    *server = Process::start(store, server.address, &[]);
}

fn a_server_on_sqlite_is_killed() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("study.db").display().to_string();
    let mut server = Process::start(&store, process::anywhere(), &[]);
    let record = under_strikes(vec![server.address], Balance::Sticky, proof::sized(12, 200), || {
        kill(&mut server, &store)
    });
    drop(server);
    runtime().block_on(check(&store, &record));
}

fn one_of_three_servers_on_postgres_is_killed() {
    let postgres = Server::start(&["fsync=off"]);
    let store = &postgres.urls("study")[0];
    let mut servers: Vec<_> = (0..3).map(|_| Process::start(store, process::anywhere(), &[])).collect();
    let addresses = servers.iter().map(|server| server.address).collect();
    let mut chance = Streams::new(3).stream("kills");
    let record = under_strikes(addresses, Balance::Sticky, proof::sized(4, 20), || {
        kill(&mut servers[chance.below(3) as usize], store);
    });
    runtime().block_on(check(store, &record));
}

fn postgres_is_restarted_under_its_servers() {
    let mut postgres = Server::start(&["fsync=off"]);
    let store = postgres.urls("study")[0].clone();
    let servers: Vec<_> = (0..2).map(|_| Process::start(&store, process::anywhere(), &[])).collect();
    let addresses = servers.iter().map(|server| server.address).collect();
    // A fast shutdown, an immediate one, and a crash.
    let mut signals = ["INT", "QUIT", "KILL"].into_iter().cycle();
    let record = under_strikes(addresses, Balance::Turns, proof::sized(3, 30), || {
        postgres.end(signals.next().unwrap());
        postgres.run();
    });
    runtime().block_on(check(&store, &record));
}
