//! Limits: a task that does not come to an end, or takes too much memory, is abandoned.

use std::any::Any;
use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

/// The maximum number of trials that a session may declare.
pub(super) const TRIALS: u32 = 2_000;

/// The memory that a check may take, in MB.
const MEGABYTES: u64 = 250;

/// How often a check is looked at.
const NAP: Duration = Duration::from_millis(10);

/// The number of looks without any progress after which a call to the task counts as one that never returns. On a busy
/// machine the looks are further apart, like the steps of the check.
const PATIENCE: u32 = 800;

/// A fault of a task.
pub(super) enum Fault {
    /// A check has found it.
    Found(String),
    /// A check was abandoned, and other checks would fare no better.
    Abandoned(String),
}

/// State that a check shares with its observer.
#[derive(Default)]
struct Progress {
    steps: AtomicU64,
    is_abandoned: AtomicBool,
}

thread_local! {
    static PROGRESS: RefCell<Arc<Progress>> = RefCell::default();
}

/// Counts a step of the current check.
///
/// # Errors
/// If the check was abandoned.
pub(super) fn step() -> Result<(), String> {
    PROGRESS.with_borrow(|progress| {
        progress.steps.fetch_add(1, Ordering::Relaxed);
        if progress.is_abandoned.load(Ordering::Relaxed) { Err("abandoned".into()) } else { Ok(()) }
    })
}

/// Runs a check in a thread of its own, which is left behind if a call to the task does not return.
pub(super) fn watched<S>(subject: &S, check: fn(&S) -> Result<(), String>) -> Result<(), Fault>
where
    S: Clone + Send + 'static,
{
    let progress = Arc::new(Progress::default());
    let (sender, found) = mpsc::channel();
    let (subject, shared) = (subject.clone(), Arc::clone(&progress));
    let before = resident_megabytes();
    let worker = thread::spawn(move || {
        PROGRESS.set(shared);
        // The result of an abandoned check is not awaited.
        let _ = sender.send(check(&subject));
    });
    let (mut steps, mut looks) = (0, 0);
    let reason = loop {
        match found.recv_timeout(NAP) {
            Ok(result) => return result.map_err(Fault::Found),
            Err(RecvTimeoutError::Disconnected) => {
                let panic = worker.join().err();
                return Err(Fault::Found(format!("the task panics: {}", message(panic.as_deref()))));
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
        let now = progress.steps.load(Ordering::Relaxed);
        looks = if now == steps { looks + 1 } else { 0 };
        steps = now;
        if looks > PATIENCE {
            let seconds = PATIENCE * NAP.as_millis() as u32 / 1000;
            break format!("a call to the task has not returned for {seconds} s");
        }
        if resident_megabytes().saturating_sub(before) > MEGABYTES {
            break format!("sessions take more than {MEGABYTES} MB of memory");
        }
    };
    progress.is_abandoned.store(true, Ordering::Relaxed);
    Err(Fault::Abandoned(reason))
}

/// The text of a panic.
fn message(panic: Option<&(dyn Any + Send)>) -> String {
    let text = panic.and_then(|panic| {
        let fixed = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
        fixed.or_else(|| panic.downcast_ref::<String>().cloned())
    });
    text.unwrap_or_else(|| "without a message".into())
}

/// The memory of this process in MB, on Linux; elsewhere 0, so only trials are limited.
#[expect(clippy::disallowed_methods, reason = "only the system knows how much memory tasks take")]
fn resident_megabytes() -> u64 {
    const PAGES_OF_A_MEGABYTE: u64 = 256;
    let pages = std::fs::read_to_string("/proc/self/statm").ok();
    let pages = pages.and_then(|text| text.split(' ').nth(1)?.parse::<u64>().ok());
    pages.unwrap_or(0) / PAGES_OF_A_MEGABYTE
}
