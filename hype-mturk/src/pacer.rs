//! How soon a request may follow another.

use std::time::Duration;

use hype_backends::crowd::transport::is_on_this_machine;
use hype_backends::web::Clock;
use hype_core::Micros;
use tokio::sync::Mutex;

/// The least time between two requests. The service throttles from about three requests a second on.
const GAP: Duration = Duration::from_millis(500);

/// Spaces requests.
#[derive(Debug)]
pub(crate) struct Pacer {
    gap: Duration,
    /// When the last request was sent.
    last: Mutex<Option<Micros>>,
}

impl Pacer {
    /// At most two requests a second to the service. One on this machine has no limit of requests.
    pub(crate) fn to(endpoint: &str) -> Self {
        let gap = if is_on_this_machine(endpoint) { Duration::ZERO } else { GAP };
        Self { gap, last: Mutex::default() }
    }

    /// Returns when the next request may be sent.
    pub(crate) async fn ready(&self, clock: &dyn Clock) {
        // Waiting holds the lock, so requests are sent in the order in which they came.
        let mut last = self.last.lock().await;
        if let Some(last) = *last {
            let since = Duration::from_micros(clock.now().0.saturating_sub(last.0));
            if since < self.gap {
                clock.sleep(self.gap - since).await;
            }
        }
        *last = Some(clock.now());
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use async_trait::async_trait;

    use super::*;

    /// A clock that advances by what is waited for.
    #[derive(Debug, Default)]
    struct Time(AtomicU64);

    #[async_trait]
    impl Clock for Time {
        fn now(&self) -> Micros {
            Micros(self.0.load(Ordering::SeqCst))
        }

        async fn sleep(&self, duration: Duration) {
            self.0.fetch_add(u64::try_from(duration.as_micros()).unwrap(), Ordering::SeqCst);
        }
    }

    fn sent(endpoint: &str) -> Vec<u64> {
        let (time, pacer) = (Time::default(), Pacer::to(endpoint));
        let mut sent = Vec::new();
        for pause in [0, 0, 0, 200_000, 700_000, 0] {
            time.0.fetch_add(pause, Ordering::SeqCst);
            hype_store::block_on(pacer.ready(&time));
            sent.push(time.now().0 / 1_000);
        }
        sent
    }

    #[test]
    fn two_requests_are_sent_each_second() {
        assert_eq!(sent("https://turk.example.org"), [0, 500, 1_000, 1_500, 2_200, 2_700]);
        assert_eq!(sent("http://127.0.0.1:7000"), [0, 0, 0, 200, 900, 900]);
    }
}
