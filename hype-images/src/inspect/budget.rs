//! A bound on the total memory of concurrent decoders.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Free bytes.
pub(crate) struct Budget {
    whole: u64,
    free: Mutex<u64>,
    returned: Condvar,
}

/// Bytes reserved from a budget, released when dropped.
pub(crate) struct Share<'a> {
    budget: &'a Budget,
    bytes: u64,
}

impl Budget {
    pub(crate) const fn new(bytes: u64) -> Self {
        Self { whole: bytes, free: Mutex::new(bytes), returned: Condvar::new() }
    }

    /// Waits until this many bytes are free, and reserves them.
    ///
    /// A request for more than the whole budget waits for the whole budget: every request
    /// is served. No thread may request bytes while it holds some.
    pub(crate) fn take(&self, bytes: u64) -> Share<'_> {
        let bytes = bytes.min(self.whole);
        let mut free = self.free();
        while *free < bytes {
            free = self.returned.wait(free).unwrap_or_else(PoisonError::into_inner);
        }
        *free -= bytes;
        Share { budget: self, bytes }
    }

    /// The number is always consistent, so a poisoned lock is safe to use.
    fn free(&self) -> MutexGuard<'_, u64> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Share<'_> {
    fn drop(&mut self) {
        *self.budget.free() += self.bytes;
        self.budget.returned.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;

    #[test]
    fn shares_never_exceed_the_whole() {
        let budget = Budget::new(100);
        let (taken, most) = (AtomicU64::new(0), AtomicU64::new(0));
        std::thread::scope(|scope| {
            for thread in 0..8_u64 {
                let (budget, taken, most) = (&budget, &taken, &most);
                scope.spawn(move || {
                    for turn in 0..200 {
                        let bytes = 1 + (thread * 37 + turn * 11) % 70;
                        let share = budget.take(bytes + 20);
                        let now = taken.fetch_add(share.bytes, Ordering::SeqCst) + share.bytes;
                        most.fetch_max(now, Ordering::SeqCst);
                        taken.fetch_sub(share.bytes, Ordering::SeqCst);
                    }
                });
            }
        });
        assert!(most.load(Ordering::SeqCst) <= 100);
        assert_eq!(*budget.free(), 100);
        assert_eq!(budget.take(1000).bytes, 100, "a request for too much gets the whole budget");
    }
}
