//! A clock that tests set.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A clock that stands still until it is advanced. Clones show the same time.
#[derive(Debug, Clone)]
pub struct FakeClock(Arc<AtomicU64>);

impl FakeClock {
    /// A clock that shows a time, in milliseconds since the Unix epoch.
    #[must_use]
    pub fn at(unix_ms: u64) -> Self {
        Self(Arc::new(AtomicU64::new(unix_ms)))
    }

    /// The time, in milliseconds since the Unix epoch.
    #[must_use]
    pub fn unix_ms(&self) -> u64 {
        self.0.load(Ordering::SeqCst)
    }

    /// Lets time pass.
    pub fn advance(&self, ms: u64) {
        self.0.fetch_add(ms, Ordering::SeqCst);
    }
}

/// Midnight of 1 September 2026, UTC.
impl Default for FakeClock {
    fn default() -> Self {
        Self::at(1_788_220_800_000)
    }
}
