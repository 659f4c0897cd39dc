//! Calls into the library, while other threads of Python run and Ctrl-C is heard.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

use hype_cli::embed::CallError;
use pyo3::prelude::*;

use crate::errors;

/// How often a call looks for signals.
const POLLED: Duration = Duration::from_millis(50);

/// The stack of a thread that computes, in bytes: as much as the program's main thread has.
const STACK: usize = 8 << 20;

/// Calls the library on threads that end with the call: a process may fork between calls. A signal raises its exception at
/// once; what was begun then sees `true`, and ends by itself.
pub(crate) fn in_background<T: Send + 'static>(
    py: Python<'_>,
    threads: Option<usize>,
    call: impl FnOnce(&AtomicBool) -> Result<T, CallError> + Send + 'static,
) -> PyResult<T> {
    let stop = Arc::new(AtomicBool::new(false));
    let (send, mut receive) = sync_channel(1);
    let stopped = Arc::clone(&stop);
    let work = move || {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.unwrap_or(0)).stack_size(STACK);
        let outcome = pool.build().map(|pool| {
            catch_unwind(AssertUnwindSafe(|| pool.install(|| call(&stopped))))
                .map_err(|panic| words_of(panic.as_ref()))
        });
        // The receiver is gone after an interruption.
        let _ = send.send(outcome);
    };
    thread::Builder::new().name("hype".to_owned()).spawn(work)?;
    loop {
        let outcome;
        (receive, outcome) = py.detach(move || {
            let outcome = receive.recv_timeout(POLLED);
            (receive, outcome)
        });
        match outcome {
            Ok(Ok(Ok(Ok(value)))) => return Ok(value),
            Ok(Ok(Ok(Err(error)))) => return Err(errors::raised(py, &error)),
            Ok(Ok(Err(panic))) => return Err(errors::bug(py, &panic)),
            Ok(Err(no_threads)) => return Err(errors::error(py, &no_threads.to_string())),
            Err(RecvTimeoutError::Timeout) => {
                if let Err(interrupt) = py.check_signals() {
                    stop.store(true, Ordering::Relaxed);
                    return Err(interrupt);
                }
            }
            Err(RecvTimeoutError::Disconnected) => {
                return Err(errors::bug(py, "the call ended without a result"));
            }
        }
    }
}

/// Returns the message of a panic.
fn words_of(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("a panic").to_owned()
}
