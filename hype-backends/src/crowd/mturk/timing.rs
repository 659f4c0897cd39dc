//! Time, as the market needs it: what the clock shows, how long an answer may take, and how soon the next request may follow.

use std::fmt::Debug;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use async_trait::async_trait;
use aws_smithy_async::time::TimeSource;
use hype_core::Micros;
use tokio::sync::Mutex;

use crate::clock::{Clock, SystemClock};

/// The least time between two requests. The service throttles from about three requests a second on.
const GAP: Duration = Duration::from_millis(500);

/// Waits.
#[async_trait]
pub trait Timer: Debug + Send + Sync {
    /// Returns after a duration.
    async fn wait(&self, duration: Duration);
}

/// Waits by the runtime's timer.
#[derive(Debug, Clone, Copy, Default)]
pub struct TokioTimer;

#[async_trait]
impl Timer for TokioTimer {
    async fn wait(&self, duration: Duration) {
        tokio::time::sleep(duration).await;
    }
}

/// Decides when the next request may be sent.
#[async_trait]
pub trait Pacer: Debug + Send + Sync {
    /// Returns when it may be sent.
    async fn ready(&self);
}

/// Sends at most two requests a second.
#[derive(Debug)]
pub struct SteadyPacer {
    clock: Arc<dyn Clock>,
    timer: Arc<dyn Timer>,
    /// When the last request was sent.
    last: Mutex<Option<Micros>>,
}

impl SteadyPacer {
    /// A pacer by a clock and a timer.
    #[must_use]
    pub fn new(clock: Arc<dyn Clock>, timer: Arc<dyn Timer>) -> Self {
        Self { clock, timer, last: Mutex::default() }
    }
}

#[async_trait]
impl Pacer for SteadyPacer {
    async fn ready(&self) {
        // Waiting holds the lock, so that requests are sent in the order in which they came.
        let mut last = self.last.lock().await;
        let gap = u64::try_from(GAP.as_micros()).unwrap_or(u64::MAX);
        if let Some(last) = *last {
            let since = self.clock.now().0.saturating_sub(last.0);
            if since < gap {
                self.timer.wait(Duration::from_micros(gap - since)).await;
            }
        }
        *last = Some(self.clock.now());
    }
}

/// Sends requests at once, as suits a platform on this machine.
#[derive(Debug, Clone, Copy, Default)]
pub struct Unpaced;

#[async_trait]
impl Pacer for Unpaced {
    async fn ready(&self) {}
}

/// What a market takes for time.
#[derive(Debug, Clone)]
#[expect(clippy::exhaustive_structs, reason = "tests of markets make it")]
pub struct MarketTime {
    /// What dates requests and decides what is over.
    pub clock: Arc<dyn Clock>,
    /// What bounds the wait for an answer.
    pub timer: Arc<dyn Timer>,
    /// What spaces requests.
    pub pacer: Arc<dyn Pacer>,
}

/// The system's time, and two requests a second.
impl Default for MarketTime {
    fn default() -> Self {
        let clock: Arc<dyn Clock> = Arc::new(SystemClock);
        let timer: Arc<dyn Timer> = Arc::new(TokioTimer);
        let pacer = Arc::new(SteadyPacer::new(Arc::clone(&clock), Arc::clone(&timer)));
        Self { clock, timer, pacer }
    }
}

/// A clock as the official client reads it.
#[derive(Debug)]
pub(super) struct SigningTime(pub(super) Arc<dyn Clock>);

impl TimeSource for SigningTime {
    fn now(&self) -> SystemTime {
        UNIX_EPOCH + Duration::from_micros(self.0.now().0)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;

    /// A clock that advances by what is waited for.
    #[derive(Debug, Clone, Default)]
    struct Time(Arc<AtomicU64>);

    impl Clock for Time {
        fn now(&self) -> Micros {
            Micros(self.0.load(Ordering::SeqCst))
        }
    }

    #[async_trait]
    impl Timer for Time {
        async fn wait(&self, duration: Duration) {
            self.0.fetch_add(u64::try_from(duration.as_micros()).unwrap(), Ordering::SeqCst);
        }
    }

    #[test]
    fn two_requests_are_sent_each_second() {
        let time = Time::default();
        let pacer = SteadyPacer::new(Arc::new(time.clone()), Arc::new(time.clone()));
        let mut sent = Vec::new();
        for pause in [0, 0, 0, 200_000, 700_000, 0] {
            time.0.fetch_add(pause, Ordering::SeqCst);
            pollster::block_on(pacer.ready());
            sent.push(time.now().0 / 1_000);
        }
        assert_eq!(sent, [0, 500, 1_000, 1_500, 2_200, 2_700]);
    }
}
