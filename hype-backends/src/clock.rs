//! The server's clock.

use std::fmt::Debug;
use std::time::{SystemTime, UNIX_EPOCH};

use hype_core::Micros;

/// Tells the time, the same for all processes that serve a study.
pub trait Clock: Debug + Send + Sync {
    /// Since 1970.
    fn now(&self) -> Micros;
}

/// The machine's clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Micros {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Micros(u64::try_from(since.as_micros()).unwrap_or(u64::MAX))
    }
}
