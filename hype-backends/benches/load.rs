//! Measures how many answers a second the page's server stores, how long raters wait if they answer immediately, and
//! whether the server's memory grows with the number of answers.
//!
//! ```text
//! cargo bench -p hype-backends --features web --bench load -- [OPTION VALUE]…
//! --raters 1000         concurrent raters, each from consent to end, then again as a new rater
//! --answers 200000      in all; the first tenth is warm-up
//! --store sqlite        a temporary file; postgres: a temporary server; or a path, or an address of PostgreSQL
//! --servers 1           processes that serve the study
//! --balance sticky      each rater stays with one server; turns: each request goes to the next one
//! --task hype_infinity  100 untimed trials; hype_time: 450 with masks and display reports
//! ```
//!
//! An answer counts when it is acknowledged, which means that it is durable. This program starts itself as the
//! servers, which share the machine with the raters.

#![allow(missing_docs, clippy::unwrap_used, reason = "a benchmark")]

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Instant;

use hype_core::Event;
use hype_core::StoreExt as _;
use mimalloc::MiMalloc;
use tokio::runtime::Builder;

use self::load::process::{self, Process};
use self::load::rater::{Crowd, Rater, Visit};
use self::meter::{Meter, quantile};
use self::options::Options;
use self::server::Server;
use self::subject::Subject;
use self::usage::Usage;

#[path = "../tests/it/support/load.rs"]
mod load;
#[path = "load/meter.rs"]
mod meter;
#[path = "load/options.rs"]
mod options;
#[path = "../../hype-store/tests/it/support/server.rs"]
mod server;
#[path = "load/subject.rs"]
mod subject;
#[path = "load/usage.rs"]
mod usage;

/// The same allocator as in the program.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// The number of lines printed for a measurement.
const LINES: u64 = 10;

fn main() -> Result<(), String> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.as_slice() {
        [first, served @ ..] if first == process::ARGUMENT => {
            let [_, _, task, places] = served else {
                return Err("a server needs a task and places".to_owned());
            };
            process::serve(Subject::named(task)?.study(places.parse().unwrap()), &served[..2]);
            Ok(())
        }
        _ => measure(&Options::read(&arguments)?),
    }
}

fn measure(options: &Options) -> Result<(), String> {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let postgres = (options.store == "postgres").then(|| Server::start(&[]));
    let store = match (&postgres, options.store.as_str()) {
        (Some(server), _) => server.urls("load")[0].clone(),
        (None, "sqlite") => folder.path().join("study.db").display().to_string(),
        (None, store) => store.to_owned(),
    };
    let subject = Subject::named(&options.task)?;
    let (trials, display) = (subject.trials, subject.display);
    // There are more places than visits.
    let places = options.answers / u64::from(trials) + 2 * u64::from(options.raters);
    let more = [options.task.clone(), places.to_string()];
    let start = |_| Process::start(&store, process::anywhere(), &more);
    let servers: Vec<Process> = (0..options.servers).map(start).collect();
    let crowd = Arc::new(Crowd {
        servers: servers.iter().map(|server| server.address).collect(),
        balance: options.balance,
        display,
        tally: Meter::new(options.answers / LINES),
    });
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        for number in 0..options.raters {
            let mut rater = Rater::new(&crowd, number);
            // The first visits have different lengths, so later ones do not end together.
            let mut leave_after = 1 + number % trials;
            tokio::spawn(async move {
                while rater.visit(leave_after).await == Visit::Ended {
                    leave_after = trials;
                }
            });
        }
        report(options, &crowd.tally, &servers).await;
    });
    // Stops the raters first, then the servers.
    drop(runtime);
    drop(servers);
    let (acknowledged, stored) = (crowd.tally.acknowledged(), stored(&store));
    assert!(
        (acknowledged..=acknowledged + u64::from(options.raters)).contains(&stored),
        "{stored} answers were stored"
    );
    println!("{acknowledged} answers were acknowledged, {stored} are in the logs");
    Ok(())
}

/// The number of answers in a store, including those of raters who were interrupted at the end.
fn stored(store: &str) -> u64 {
    let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let mut stored = 0;
    runtime.block_on(async {
        let store = process::open(store).await;
        let count = |_: &str, log: Vec<Event>| {
            stored += log.iter().filter(|event| matches!(event, Event::Answered(_))).count() as u64;
            ControlFlow::Continue(())
        };
        store.visit(count).await.unwrap();
    });
    stored
}

/// The measurements over a number of answers.
#[derive(Default)]
struct Stretch {
    waits: Vec<u32>,
    again: u64,
    seconds: f64,
    /// Processor time of all servers, and of the raters.
    processor: [f64; 2],
}

impl Stretch {
    fn add(&mut self, next: &Self) {
        self.waits.extend(&next.waits);
        self.again += next.again;
        self.seconds += next.seconds;
        self.processor[0] += next.processor[0];
        self.processor[1] += next.processor[1];
    }

    fn print(&mut self, name: &str, memory: &str) {
        let Self { waits, again, seconds, processor: [servers, raters] } = self;
        let (rate, max) = (waits.len() as f64 / *seconds, f64::from(*waits.iter().max().unwrap()) / 1_000.0);
        let (p50, p99) = (quantile(waits, 0.5), quantile(waits, 0.99));
        let (servers, raters) = (*servers / *seconds, *raters / *seconds);
        println!(
            "{name:>8} {rate:>7.0} {p50:>7.1} {p99:>7.1} {max:>7.1} {again:>6} {servers:>8.2} {raters:>7.2}  {memory}"
        );
    }
}

/// Prints a line for each tenth of the answers, and one for all but the first tenth.
async fn report(options: &Options, meter: &Meter, servers: &[Process]) {
    println!(" answers      /s  p50 ms  p99 ms  max ms  again  servers  raters  MiB of each server");
    println!("                                                (processors used)");
    let usage = || {
        let servers: Vec<Usage> = servers.iter().map(|server| Usage::of(server.child.id())).collect();
        let processor = servers.iter().map(|server| server.processor).sum::<f64>();
        let memory: Vec<String> =
            servers.iter().map(|server| format!("{:.1}", server.resident as f64 / 1_024.0)).collect();
        ([processor, Usage::of(std::process::id()).processor], memory.join(" "))
    };
    let mut all = Stretch::default();
    let (mut begun, (mut used, _)) = (Instant::now(), usage());
    for line in 1..=LINES {
        let waits = meter.next().await;
        let (now, (processor, memory)) = (Instant::now(), usage());
        let mut stretch = Stretch {
            waits,
            again: meter.again(),
            seconds: (now - begun).as_secs_f64(),
            processor: [processor[0] - used[0], processor[1] - used[1]],
        };
        (begun, used) = (now, processor);
        if line > 1 {
            all.add(&stretch);
        }
        stretch.print(&(line * (options.answers / LINES)).to_string(), &memory);
    }
    all.print("9 of 10", "");
}
