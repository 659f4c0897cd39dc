//! A study can continue under another backend, which finds the places as the previous one left them.

#![cfg(feature = "web")]
#![allow(clippy::unwrap_used, reason = "tests may panic")]

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use hype_backends::collect_with;
use hype_backends::web::wire::screen::ScreenKind;
use hype_backends::web::{Page, Services, serve};
use hype_core::StoreExt as _;
use hype_core::plugin::store::all_sessions;
use hype_core::protocol::places::PlaceCounts;
use hype_core::study::backend::Collected;
use hype_core::study::places::StudyPlaces;
use hype_core::study::session::place_and_attempt;
use hype_core::*;
use hype_store::{PostgresStore, SqliteStore};
use serde_json::json;
use tokio::runtime::{Builder, Runtime};

use crate::fixture::{Browser, ManualClock, OneByteImages, kind};
use crate::http_client::HttpClient;
use crate::learner::Learner;
use crate::server::Server;
use crate::small_task::{SmallTask, study};

const PLACES: u32 = 4;
const TRIALS: u32 = 80;

/// Longer than a lease, in microseconds.
const HOUR: u64 = 3_600_000_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Driver {
    /// Raters inside the program.
    Scripted,
    /// People at one computer.
    LocalPage,
    /// People in their browsers.
    Web,
    /// People in their browsers, over HTTP.
    Served,
}

const DRIVERS: [Driver; 4] = [Driver::Scripted, Driver::LocalPage, Driver::Web, Driver::Served];

fn subject() -> Study {
    study(SmallTask { trials: TRIALS, qualifying: 0, needed: 0 }, |spec| {
        spec.collection.raters.per_model = PLACES;
        spec.collection.raters.replacements = 2;
    })
}

/// Stops a collection after a number of appends.
struct StopAfter(AtomicI64);

impl Watch for StopAfter {
    fn acknowledged(&self, _: &str, _: u64) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }

    fn stop(&self) -> bool {
        self.0.load(Ordering::Relaxed) <= 0
    }
}

/// A study with its store and the clock of the people, which is far behind the machine's.
struct Turns {
    study: Study,
    store: Arc<dyn Store>,
    hands: Arc<ManualClock>,
}

impl Turns {
    fn new(store: Arc<dyn Store>) -> Self {
        Self { study: subject(), store, hands: Arc::default() }
    }

    /// Completes two sessions and a part of a third.
    async fn begin(&self, driver: Driver) {
        match driver {
            // Each session of 82 events is appended in two parts.
            Driver::Scripted => {
                let collected = self.script(5).await;
                assert_eq!((collected.completed, collected.open), (2, 2));
            }
            Driver::LocalPage | Driver::Web => {
                let service = self.service(driver).await;
                for _ in 0..2 {
                    self.take_part(&mut Browser::new(&service)).await;
                }
                let mut third = Browser::new(&service);
                third.agree().await.unwrap();
                third.begin().await.unwrap();
                third.answer(0).await.unwrap();
            }
            Driver::Served => {
                let serving =
                    serve(self.service(driver).await, "127.0.0.1:0".parse().unwrap()).await.unwrap();
                for number in 0..2 {
                    self.visit(&serving, number, u32::MAX).await;
                }
                self.visit(&serving, 2, 5).await;
                serving.stop().await;
            }
        }
    }

    /// Collects until no place is left, however long that takes.
    async fn finish(&self, driver: Driver) {
        if driver == Driver::Scripted {
            assert_eq!(self.script(i64::MAX).await, Collected::new(PLACES, 0, 0), "{driver:?}");
            return;
        }
        let service = self.service(driver).await;
        let serving = match driver {
            Driver::Served => Some(serve(service.clone(), "127.0.0.1:0".parse().unwrap()).await.unwrap()),
            _ => None,
        };
        // Two hours, in which raters with a session do not return.
        for number in 0..2 * PLACES {
            let mut browser = Browser::new(&service);
            let screen = browser.open().await.unwrap();
            if kind(&screen) == "closed" {
                self.hands.forward(HOUR);
                continue;
            }
            match &serving {
                Some(serving) => self.visit(serving, 100 + number, u32::MAX).await,
                None => self.take_part(&mut browser).await,
            }
        }
        if let Some(serving) = serving {
            serving.stop().await;
        }
    }

    async fn script(&self, appends: i64) -> Collected {
        let (study, store) = (self.study.clone(), Arc::clone(&self.store));
        let collect = move || {
            let watch = StopAfter(AtomicI64::new(appends));
            let raters = |_: &Wanted<'_>, _: &Streams| -> Result<Box<dyn Rater>, CohortError> {
                Ok(Box::new(Learner::default()))
            };
            collect_with(&study, &*store, &watch, NonZeroUsize::new(1), raters).unwrap()
        };
        tokio::task::spawn_blocking(collect).await.unwrap()
    }

    async fn service(&self, driver: Driver) -> Services {
        self.store.bind(self.study.digest()).await.unwrap();
        let page = Page { shared_computer: Some(driver == Driver::LocalPage), ..Page::default() };
        let (study, store) = (self.study.clone(), Arc::clone(&self.store));
        let hands = Arc::clone(&self.hands);
        Services::new(study, store, Arc::new(OneByteImages), page, hands).await.unwrap()
    }

    /// Answers every trial, slowly enough for the rate limit.
    async fn take_part(&self, browser: &mut Browser) {
        browser.agree().await.unwrap();
        let mut screen = browser.begin().await.unwrap();
        while let ScreenKind::Trial(shown) = &screen.shown {
            self.hands.forward(1_000_000);
            screen = browser.answer(shown.trial.number).await.unwrap().next;
        }
    }

    /// Answers a number of trials over HTTP.
    async fn visit(&self, serving: &hype_backends::web::Serving, number: u32, trials: u32) {
        let mut visitor = HttpClient::to(serving.address()).await;
        visitor.tab = format!("{:032x}", 77_000 + number);
        assert_eq!(visitor.agree().await.status, 200);
        let mut screen = visitor.begin().await.json();
        for _ in 0..trials {
            if screen["screen"] != "trial" {
                break;
            }
            // Slowly enough for the rate limit.
            self.hands.forward(1_000_000);
            let trial = screen["trial"].take();
            screen = visitor.answer(&trial, json!({ "judgment": "real" })).await.json()["next"].take();
        }
    }

    async fn logs(&self) -> BTreeMap<String, Vec<Event>> {
        let mut logs = BTreeMap::new();
        for name in all_sessions(&*self.store).await.unwrap() {
            logs.insert(name.clone(), self.store.load(&name).await.unwrap());
        }
        logs
    }
}

fn is_completed(log: &[Event]) -> bool {
    matches!(log.last(), Some(Event::Finished(outcome)) if outcome.ending == Ending::Completed)
}

/// All ordered pairs of drivers, each pair with a separate store.
async fn take_turns(store: impl AsyncFn(String) -> Arc<dyn Store>) {
    for first in DRIVERS {
        for second in DRIVERS {
            let pair = format!("{first:?}_then_{second:?}").to_lowercase();
            let turns = Turns::new(store(pair.clone()).await);
            turns.begin(first).await;
            let before = turns.logs().await;
            assert_eq!(before.len(), 3, "{pair}");
            turns.finish(second).await;
            let after = turns.logs().await;
            let mut completed = BTreeMap::<u32, u32>::new();
            for (name, log) in &after {
                Session::replay(&turns.study, log.iter().cloned()).unwrap();
                assert!(matches!(log.last(), Some(Event::Finished(_))), "{pair}: {name} has no end");
                let (place, _) = place_and_attempt(name).unwrap();
                *completed.entry(place).or_default() += u32::from(is_completed(log));
            }
            assert_eq!(completed, (0..PLACES).map(|place| (place, 1)).collect(), "{pair}: each place once");
            for (name, log) in before {
                assert!(after[&name].starts_with(&log), "{pair}: {name} was altered");
                let is_resumed = is_completed(&after[&name]);
                assert_eq!(
                    is_resumed,
                    is_completed(&log) || (first, second) == (Driver::Scripted, Driver::Scripted)
                );
            }
            // The study is full now, and nothing is collected again.
            for third in DRIVERS {
                turns.finish(third).await;
            }
            assert_eq!(turns.logs().await, after, "{pair}: the study was full");
            let places = StudyPlaces::open(&turns.study, &*turns.store).await.unwrap();
            let counts = places.counts(&*turns.store, Micros(u64::MAX)).await.unwrap();
            assert_eq!(counts, PlaceCounts { done: PLACES, held: 0, given_up: 0 }, "{pair}");
        }
    }
}

fn runtime() -> Runtime {
    Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap()
}

#[test]
fn all_ordered_pairs_share_a_study_in_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let open = async |pair| {
        Arc::new(SqliteStore::open(folder.path().join(format!("{pair}.db"))).unwrap()) as Arc<dyn Store>
    };
    runtime().block_on(take_turns(open));
}

#[test]
fn all_ordered_pairs_share_a_study_in_a_database() {
    let server = Server::start(&["fsync=off"]);
    let open = async |pair: String| {
        Arc::new(PostgresStore::connect(&server.urls(&pair)[0]).await.unwrap()) as Arc<dyn Store>
    };
    runtime().block_on(take_turns(open));
}
