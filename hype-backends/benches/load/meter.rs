//! Counts and times acknowledged answers.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::sync::Notify;

use crate::load::rater::Tally;

/// Collects the waiting times of answers in batches.
pub(crate) struct Meter {
    each: u64,
    /// In microseconds.
    waits: Mutex<Vec<u32>>,
    acknowledged: AtomicU64,
    again: AtomicU64,
    full: Notify,
}

impl Meter {
    /// Reports whenever this many answers have been acknowledged.
    pub(crate) fn new(each: u64) -> Self {
        Self {
            each,
            waits: Mutex::default(),
            acknowledged: AtomicU64::new(0),
            again: AtomicU64::new(0),
            full: Notify::new(),
        }
    }

    /// The waiting times of the next batch of answers, once it is complete.
    pub(crate) async fn next(&self) -> Vec<u32> {
        self.full.notified().await;
        std::mem::take(&mut self.waits.lock().unwrap())
    }

    /// The number of acknowledged answers in all.
    pub(crate) fn acknowledged(&self) -> u64 {
        self.acknowledged.load(Ordering::Relaxed)
    }

    /// The number of requests repeated since the last call.
    pub(crate) fn again(&self) -> u64 {
        self.again.swap(0, Ordering::Relaxed)
    }
}

impl Tally for Meter {
    fn acknowledged(&self, _: &str, _: u32, _: u64, took: Duration) {
        self.acknowledged.fetch_add(1, Ordering::Relaxed);
        let mut waits = self.waits.lock().unwrap();
        waits.push(u32::try_from(took.as_micros()).unwrap_or(u32::MAX));
        if waits.len() as u64 == self.each {
            self.full.notify_one();
        }
    }

    fn again(&self) {
        self.again.fetch_add(1, Ordering::Relaxed);
    }
}

/// A quantile of the waiting times, in milliseconds.
pub(crate) fn quantile(waits: &mut [u32], share: f64) -> f64 {
    let last = waits.len().saturating_sub(1);
    let (_, wait, _) = waits.select_nth_unstable((last as f64 * share) as usize);
    f64::from(*wait) / 1_000.0
}
