//! Events per second, where each event is durable before the next one of its session is appended, with one or many
//! concurrent sessions.

#![allow(missing_docs, clippy::unwrap_used, reason = "a benchmark")]

use std::sync::Arc;
use std::time::{Duration, Instant};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use hype_core::protocol::places::{ClaimRequest, Plan};
use hype_core::study::places::PlacesLog;
use hype_core::{Event, Micros, Store, StoreExt as _};
use hype_store::{PostgresStore, SqliteStore};
use serde_json::json;
use tokio::runtime::{Builder, Runtime};

use self::server::Server;

#[path = "../tests/it/support/server.rs"]
mod server;

/// An answer as stored in a log.
fn answer(trial: u64) -> Event {
    let event = json!({ "answered": {
        "trial": trial,
        "shown": { "phase": "main", "block": 0, "stimuli": [trial], "exposure_ms": 500 },
        "answer": { "judgment": "real" },
        "correct": true,
        "timing": { "at": 1_000_000 * trial, "rt": 500_000 },
    } });
    serde_json::from_value(event).unwrap()
}

/// The time in which `sessions` concurrent sessions append `total` events one by one.
fn append(runtime: &Runtime, store: &Arc<dyn Store>, run: u64, sessions: u64, total: u64) -> Duration {
    let started = Instant::now();
    let tasks: Vec<_> = (0..sessions)
        .map(|session| {
            let (store, count) =
                (Arc::clone(store), total / sessions + u64::from(session < total % sessions));
            runtime.spawn(async move {
                let name = format!("run {run} session {session}");
                for number in 0..count {
                    store.append_events(&name, number, &[answer(number)]).await.unwrap();
                }
            })
        })
        .collect();
    tasks.into_iter().for_each(|task| runtime.block_on(task).unwrap());
    started.elapsed()
}

fn stores(criterion: &mut Criterion) {
    let runtime = Builder::new_multi_thread().enable_all().build().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(&[]);
    let postgres = runtime.block_on(PostgresStore::connect(&server.urls("bench")[0])).unwrap();
    let stores: [(&str, Arc<dyn Store>); 2] = [
        ("SQLite", Arc::new(SqliteStore::open(folder.path().join("study.db")).unwrap())),
        ("PostgreSQL", Arc::new(postgres)),
    ];
    let mut group = criterion.benchmark_group("stores");
    group.sample_size(10).measurement_time(Duration::from_secs(4)).warm_up_time(Duration::from_secs(1));
    group.throughput(Throughput::Elements(1));
    for (name, store) in &stores {
        let mut run = 0;
        for sessions in [1, 16, 256, 1000] {
            group.bench_function(format!("append to {name}, {sessions} at once"), |bench| {
                bench.iter_custom(|total| {
                    run += 1;
                    append(&runtime, store, run, sessions, total)
                });
            });
        }
        let mut arrivals = 0_u64;
        let (ledger, plan) = (PlacesLog::default(), Plan { places: 1_000_000, replacements: 20 });
        group.bench_function(format!("claim from {name}, 1 at a time"), |bench| {
            bench.iter(|| {
                arrivals += 1;
                let holder = format!("holder {arrivals}");
                let request = ClaimRequest { holder: &holder, now: Micros(0), until: Micros(1) };
                let claim = ledger.claim(&**store, |places| places.claim(plan, &request));
                runtime.block_on(claim).unwrap().unwrap()
            });
        });
    }
    group.finish();
}

criterion_group!(benches, stores);
criterion_main!(benches);
