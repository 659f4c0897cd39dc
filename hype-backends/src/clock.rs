//! The server's clock.

use std::fmt::Debug;
use std::time::{SystemTime, UNIX_EPOCH};

use hype_core::Micros;

/// A source of time. Clocks of all processes that serve a study must agree.
pub trait Clock: Debug + Send + Sync {
    /// The time since the Unix epoch.
    fn now(&self) -> Micros;
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
