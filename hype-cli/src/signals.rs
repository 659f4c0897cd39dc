//! Signals by which an operator stops the program.

use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::failure::Failure;

/// The exit status of a program ended by SIGINT, as reported by shells.
const INTERRUPTED: i32 = 130;

/// Whether the program has begun what it has to finish.
static FINISHES: AtomicBool = AtomicBool::new(false);

/// Lets the program finish what it does when it is stopped from now on.
pub(crate) fn finish_first() {
    FINISHES.store(true, Ordering::Relaxed);
}

/// Becomes true when the operator stops the program, by SIGINT (Ctrl-C) or, on Unix, SIGTERM. A signal before
/// [`finish_first`], while images are prepared, and a second one end the program immediately, without losing acknowledged data.
pub(crate) fn stop_requested() -> Result<Arc<AtomicBool>, Failure> {
    let stop = Arc::new(AtomicBool::new(false));
    let stopped = Arc::clone(&stop);
    hype::runtime()?.spawn(async move {
        while wait().await.is_ok() {
            if stopped.swap(true, Ordering::Relaxed) || !FINISHES.load(Ordering::Relaxed) {
                process::exit(INTERRUPTED);
            }
        }
    });
    Ok(stop)
}

#[cfg(unix)]
async fn wait() -> std::io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};

    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    // Waits for the first of the two signals.
    std::future::poll_fn(|context| match interrupt.poll_recv(context) {
        std::task::Poll::Pending => terminate.poll_recv(context),
        ready => ready,
    })
    .await;
    Ok(())
}

#[cfg(not(unix))]
async fn wait() -> std::io::Result<()> {
    tokio::signal::ctrl_c().await
}
