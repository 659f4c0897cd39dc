//! Request counts and rate limits of this process.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use hype_core::Micros;

use crate::web::service::fault::Fault;

/// The number of reports that a session may send at once after a pause.
const BURST: f64 = 300.0;

/// The average number of reports a second that a session may send.
const RATE: f64 = 100.0;

/// The number of budgets at which those that are full again are dropped.
const SWEEP_AT: usize = 8_192;

/// The upper bounds of the latency histogram's buckets, in microseconds.
const BUCKETS: [u64; 8] = [1_000, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 1_000_000];

/// Counts requests and limits the rate of each session.
#[derive(Debug, Default)]
pub(crate) struct Traffic {
    answers: AtomicU64,
    refused: Mutex<BTreeMap<u16, u64>>,
    latency: [AtomicU64; BUCKETS.len() + 1],
    latency_us: AtomicU64,
    budgets: Mutex<HashMap<String, Budget>>,
}

/// A session's token bucket.
#[derive(Debug, Clone, Copy)]
struct Budget {
    left: f64,
    at: Micros,
}

impl Budget {
    fn at(self, now: Micros) -> Self {
        let passed = Micros(now.0.saturating_sub(self.at.0)).as_secs_f64();
        Self { left: (self.left + passed * RATE).min(BURST), at: now }
    }
}

impl Traffic {
    /// Charges a request to its sender's budget.
    pub(crate) fn admit(&self, sender: &str, now: Micros) -> Result<(), Fault> {
        let mut budgets = self.budgets.lock().unwrap_or_else(PoisonError::into_inner);
        if budgets.len() >= SWEEP_AT && !budgets.contains_key(sender) {
            budgets.retain(|_, budget| budget.at(now).left < BURST);
        }
        let full = Budget { left: BURST, at: now };
        let budget = match budgets.get_mut(sender) {
            Some(budget) => budget,
            None => budgets.entry(sender.to_owned()).or_insert(full),
        };
        *budget = budget.at(now);
        if budget.left < 1.0 {
            return Err(Fault::TooMany { seconds: 1 });
        }
        budget.left -= 1.0;
        Ok(())
    }

    /// Counts a stored answer and the time to store it.
    pub(crate) fn answered(&self, took: Micros) {
        self.answers.fetch_add(1, Ordering::Relaxed);
        self.latency_us.fetch_add(took.0, Ordering::Relaxed);
        let bucket = BUCKETS.iter().position(|&end| took.0 <= end).unwrap_or(BUCKETS.len());
        self.latency[bucket].fetch_add(1, Ordering::Relaxed);
    }

    /// Counts a refused request.
    pub(crate) fn refused(&self, status: u16) {
        *self.refused.lock().unwrap_or_else(PoisonError::into_inner).entry(status).or_default() += 1;
    }

    /// Writes all counts in Prometheus' text format.
    pub(crate) fn write(&self, text: &mut String) {
        let answers = self.answers.load(Ordering::Relaxed);
        text.push_str(
            "# HELP hype_answer_seconds Time to store an answer.\n# TYPE hype_answer_seconds histogram\n",
        );
        let mut sum = 0;
        for (count, end) in self.latency.iter().zip(BUCKETS) {
            sum += count.load(Ordering::Relaxed);
            let _ =
                writeln!(text, "hype_answer_seconds_bucket{{le=\"{}\"}} {sum}", Micros(end).as_secs_f64());
        }
        let _ = writeln!(text, "hype_answer_seconds_bucket{{le=\"+Inf\"}} {answers}");
        let seconds = Micros(self.latency_us.load(Ordering::Relaxed)).as_secs_f64();
        let _ = writeln!(text, "hype_answer_seconds_sum {seconds}\nhype_answer_seconds_count {answers}");
        text.push_str("# HELP hype_refused_total Requests refused.\n# TYPE hype_refused_total counter\n");
        for (status, count) in &*self.refused.lock().unwrap_or_else(PoisonError::into_inner) {
            let _ = writeln!(text, "hype_refused_total{{status=\"{status}\"}} {count}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sender_gets_a_burst_and_then_the_rate() {
        let traffic = Traffic::default();
        let admitted = |now| (0..1_000).take_while(|_| traffic.admit("a", Micros(now)).is_ok()).count();
        assert_eq!(admitted(0), 300);
        assert_eq!(admitted(1_000_000), 100);
        assert!(traffic.admit("b", Micros(1_000_000)).is_ok());
        assert_eq!(admitted(u64::MAX), 300);
    }

    #[test]
    fn latencies_are_counted_by_class() {
        let traffic = Traffic::default();
        traffic.answered(Micros(900));
        traffic.answered(Micros(30_000));
        traffic.refused(422);
        let mut text = String::new();
        traffic.write(&mut text);
        assert!(text.contains("hype_answer_seconds_bucket{le=\"0.001\"} 1\n"), "{text}");
        assert!(text.contains("hype_answer_seconds_bucket{le=\"0.05\"} 2\n"), "{text}");
        assert!(text.contains("hype_refused_total{status=\"422\"} 1\n"), "{text}");
    }
}
