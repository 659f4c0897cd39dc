//! A server that is killed during many appends has every acknowledged event exactly once after its restart.

#![cfg(feature = "postgres")]
#![allow(clippy::unwrap_used, reason = "tests may panic")]

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Sender, channel};

use hype_core::protocol::places::{ClaimRequest, Claimed, Plan};
use hype_core::study::places::PlacesLog;
use hype_core::{Event, Micros, StoreError, StoreExt as _};
use hype_store::PostgresStore;
use tokio::runtime::Builder;

use crate::proof::{row, sized};
use crate::server::Server;

const WRITERS: u32 = 24;
const EVENTS: u64 = 150;

/// Retries until the store responds, and counts interrupted calls.
async fn patient<T, F>(cut_off: &AtomicU32, mut ask: impl FnMut() -> F) -> T
where
    F: Future<Output = Result<T, StoreError>>,
{
    loop {
        match ask().await {
            Err(error) if error.is_retryable() => {
                cut_off.fetch_add(1, Ordering::Relaxed);
                tokio::task::yield_now().await;
            }
            result => return result.unwrap(),
        }
    }
}

fn event(writer: u32, number: u64) -> Event {
    Event::Left { at: Micros(u64::from(writer) << 32 | number) }
}

/// State shared by all writers.
#[derive(Clone)]
struct Shared {
    store: Arc<PostgresStore>,
    cut_off: Arc<AtomicU32>,
    acknowledged: Sender<()>,
}

/// Claims a place and appends events to a separate log, one by one.
async fn write(shared: Shared, writer: u32) -> Claimed {
    let Shared { store, cut_off, acknowledged } = shared;
    let holder = format!("holder {writer}");
    let plan = Plan { places: WRITERS, replacements: 0 };
    let request = ClaimRequest { holder: &holder, now: Micros(0), until: Micros(1_000) };
    let ledger = PlacesLog::default();
    let claim = || ledger.claim(&*store, |places| places.claim(plan, &request));
    let claimed = patient(&cut_off, claim).await.unwrap();
    let name = format!("s{writer}");
    for number in 0..EVENTS {
        let events = [event(writer, number)];
        let length = patient(&cut_off, || store.append_events(&name, number, &events)).await;
        assert_eq!(length, number + 1);
        acknowledged.send(()).unwrap();
    }
    claimed
}

#[test]
fn postgres_restarts_lose_nothing() {
    let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let mut server = Server::start(&["fsync=off"]);
    let store = Arc::new(runtime.block_on(PostgresStore::connect(&server.urls("study")[0])).unwrap());
    let (acknowledged, acknowledgments) = channel();
    let shared = Shared { store: Arc::clone(&store), cut_off: Arc::default(), acknowledged };
    let writers: Vec<_> = (0..WRITERS).map(|writer| runtime.spawn(write(shared.clone(), writer))).collect();
    let Shared { cut_off, acknowledged, .. } = shared;
    drop(acknowledged);
    let kills = sized(2, 4);
    for _ in 0..kills {
        for _ in 0..u64::from(WRITERS) * EVENTS / (kills + 1) {
            acknowledgments.recv().expect("the writers continue");
        }
        server.end("KILL");
        server.run();
    }
    let mut places = Vec::new();
    for writer in writers {
        let Claimed { place, attempt } = runtime.block_on(writer).unwrap();
        assert_eq!(attempt, 0);
        places.push(place);
    }
    places.sort_unstable();
    assert!(places.into_iter().eq(0..WRITERS), "a place was assigned twice");
    for writer in 0..WRITERS {
        let log = hype_store::block_on(store.load(&format!("s{writer}"))).unwrap();
        assert!(log.into_iter().eq((0..EVENTS).map(|number| event(writer, number))), "the log of {writer}");
    }
    assert!(cut_off.load(Ordering::Relaxed) > 0, "no call was interrupted");
    row(&[&kills.to_string()]);
}
