//! Whether places are used up faster than people can answer.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use hype_core::{Micros, Study};

/// Who takes less than this part of the expected time has not looked.
const PART: u64 = 4;

/// The number of hasty sessions that are worth an alert. A person may be one by accident.
const ENOUGH: usize = 3;

/// How long a hasty session is remembered.
pub(crate) const HASTE_LASTS: Micros = Micros(10 * 60_000_000);

/// When sessions used up a place in too little time, as far as this process knows.
#[derive(Debug, Default)]
pub(crate) struct Haste(Mutex<VecDeque<Micros>>);

impl Haste {
    /// Records that a session has used up a place after this many answers and this time. Returns why that alarms, if it does.
    pub(crate) fn used_up(&self, study: &Study, answered: u32, took: Micros, now: Micros) -> Option<String> {
        let expected = study.profile().effort?.duration.0 / u64::from(study.trials_at_most().max(1));
        if took.0.saturating_mul(PART) >= expected.saturating_mul(u64::from(answered)) {
            return None;
        }
        // A poisoned lock is safe to use: the queue is always whole.
        let mut times = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        times.push_back(now);
        times.retain(|at| now.0.saturating_sub(at.0) < HASTE_LASTS.0);
        let count = times.len();
        (count >= ENOUGH).then(|| {
            format!(
                "{count} places in the last {} minutes went to sessions that took less than a quarter of the time that people take",
                HASTE_LASTS.0 / 60_000_000
            )
        })
    }
}
