//! The companion of a page whose raters come from a panel.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use hype_core::study::backend::BackendError;
use tokio::sync::Notify;

use crate::clock::Clock;

/// Deals with the panel while the page is served.
#[async_trait]
pub(crate) trait Companion: Send + Sync {
    /// Does what is due at a time. Returns whether nothing is left to do once all places are settled.
    async fn step(&self, unix_ms: u64) -> Result<bool, BackendError>;

    /// How long it waits between two steps.
    fn pause(&self) -> Duration;
}

/// Lets a companion do what is due, again and again: after each pause, and at once when it is woken up. A platform that cannot be asked
/// is asked again. Returns why the companion cannot continue.
pub(super) async fn accompany(
    companion: &dyn Companion,
    wake: &Notify,
    settled: &AtomicBool,
    clock: &dyn Clock,
) -> BackendError {
    let mut failing: Option<String> = None;
    loop {
        match companion.step(clock.now().0 / 1_000).await {
            Ok(is_settled) => {
                settled.store(is_settled, Ordering::Relaxed);
                if failing.take().is_some() {
                    tracing::info!("the panel answers again");
                }
            }
            // The same reason is said once.
            Err(error) if error.is_retryable() => {
                let reason = error.to_string();
                if failing.as_ref() != Some(&reason) {
                    tracing::warn!(%error, "the panel is asked again until it answers");
                    failing = Some(reason);
                }
            }
            Err(error) => return error,
        }
        let _ = tokio::time::timeout(companion.pause(), wake.notified()).await;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU32;

    use hype_core::Micros;

    use super::*;

    #[derive(Debug)]
    struct Stopped;

    impl Clock for Stopped {
        fn now(&self) -> Micros {
            Micros(5_000)
        }
    }

    /// Fails temporarily in its second step, and permanently in its fourth.
    #[derive(Default)]
    struct Counting {
        steps: AtomicU32,
        stepped: Notify,
    }

    #[async_trait]
    impl Companion for Counting {
        async fn step(&self, unix_ms: u64) -> Result<bool, BackendError> {
            assert_eq!(unix_ms, 5);
            self.stepped.notify_one();
            match self.steps.fetch_add(1, Ordering::Relaxed) + 1 {
                2 => Err(BackendError::PanelUnavailable("busy".into())),
                4 => Err(BackendError::Settings("the token is wrong".into())),
                number => Ok(number == 3),
            }
        }

        /// So long that only notifications wake it up.
        fn pause(&self) -> Duration {
            Duration::MAX
        }
    }

    #[tokio::test]
    async fn each_report_is_a_step_until_the_companion_cannot_continue() {
        let (companion, wake, settled) = (Counting::default(), Notify::new(), AtomicBool::new(false));
        let reports = async {
            for steps in 1..4 {
                companion.stepped.notified().await;
                assert_eq!(companion.steps.load(Ordering::Relaxed), steps);
                wake.notify_one();
            }
        };
        let accompanied = accompany(&companion, &wake, &settled, &Stopped);
        let (error, ()) = tokio::join!(accompanied, reports);
        assert!(matches!(error, BackendError::Settings(_)), "{error}");
        assert_eq!((companion.steps.into_inner(), settled.into_inner()), (4, true));
    }
}
