//! The program's clock.

use std::fmt::Debug;
#[cfg(feature = "web")]
use std::time::Duration;
use std::time::{SystemTime, UNIX_EPOCH};

#[cfg(feature = "web")]
use async_trait::async_trait;
use hype_core::Micros;

/// A source of time. Clocks of all processes that serve a study must agree.
#[cfg_attr(feature = "web", async_trait)]
pub trait Clock: Debug + Send + Sync {
    /// The time since the Unix epoch.
    fn now(&self) -> Micros;

    /// Returns after a duration.
    #[cfg(feature = "web")]
    async fn sleep(&self, duration: Duration) {
        tokio::time::sleep(duration).await;
    }

    /// Returns when an answer is not waited for any longer, for which there is this much time.
    #[cfg(feature = "web")]
    async fn overdue(&self, limit: Duration) {
        self.sleep(limit).await;
    }
}

/// The operating system's clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Micros {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Micros(u64::try_from(since.as_micros()).unwrap_or(u64::MAX))
    }
}
