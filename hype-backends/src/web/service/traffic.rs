//! Request counts and rate limits of this process.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use hype_core::Micros;

use crate::web::service::fault::Fault;

/// The number of reports that a session may send at once after a pause.
const BURST: f64 = 300.0;

/// The average number of reports a second that a session may send.
const RATE: f64 = 100.0;

/// The number of budgets at which those that are full again are dropped.
const SWEEP_AT: usize = 8_192;

/// The time between two lines of the log about one kind of refusal.
const LOG_EVERY: Micros = Micros(60_000_000);

/// The upper bounds of the latency histogram's buckets, in microseconds.
const BUCKETS: [u64; 8] = [1_000, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 1_000_000];

/// Counts requests and limits the rate of each session.
#[derive(Debug, Default)]
pub(crate) struct Traffic {
    answers: AtomicU64,
    refused: Mutex<BTreeMap<Refusal, Refused>>,
    latency: [AtomicU64; BUCKETS.len() + 1],
    latency_us: AtomicU64,
    budgets: Mutex<HashMap<String, Budget>>,
    pub(crate) connections: Arc<ConnectionCounts>,
}

/// Counts of this process's connections.
#[derive(Debug, Default)]
pub(crate) struct ConnectionCounts {
    open: AtomicU64,
    replaced: AtomicU64,
    not_accepted: AtomicU64,
}

impl ConnectionCounts {
    /// Records the number of open connections.
    pub(crate) fn open(&self, open: usize) {
        self.open.store(open as u64, Ordering::Relaxed);
    }

    /// Counts a connection that was closed because there are `at_most` others.
    pub(crate) fn replaced(&self, at_most: usize) {
        let replaced = self.replaced.fetch_add(1, Ordering::Relaxed) + 1;
        // The logarithm of their number bounds the lines of the log.
        if replaced.is_power_of_two() {
            tracing::warn!(
                at_most,
                replaced,
                "there are too many connections: the longest idle ones are closed"
            );
        }
    }

    /// Counts a connection that could not be accepted.
    pub(crate) fn not_accepted(&self, reason: &std::io::Error) {
        let failures = self.not_accepted.fetch_add(1, Ordering::Relaxed) + 1;
        if failures.is_power_of_two() {
            tracing::error!(%reason, failures, "a connection could not be accepted");
        }
    }

    fn write(&self, text: &mut String) {
        let counts = [
            ("hype_connections", "gauge", "Open connections.", &self.open),
            (
                "hype_connections_replaced_total",
                "counter",
                "Idle connections closed to make room for others.",
                &self.replaced,
            ),
            (
                "hype_connections_not_accepted_total",
                "counter",
                "Connections that could not be accepted.",
                &self.not_accepted,
            ),
        ];
        for (name, kind, help, count) in counts {
            let count = count.load(Ordering::Relaxed);
            let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}\n{name} {count}");
        }
    }
}

/// A kind of refusal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Refusal {
    status: u16,
    code: &'static str,
}

/// How often requests were refused.
#[derive(Debug, Clone, Copy, Default)]
struct Refused {
    count: u64,
    logged: u64,
    /// When it was logged last; `None` if never.
    at: Option<Micros>,
}

impl Refused {
    fn log(&mut self, Refusal { status, code }: Refusal, now: Micros) {
        tracing::warn!(
            status,
            code,
            count = self.count - self.logged,
            in_all = self.count,
            "requests refused"
        );
        (self.logged, self.at) = (self.count, Some(now));
    }
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

    /// Counts a refused request. The first of a kind is logged, and then at most one line a minute, so refusals cannot
    /// fill the log.
    pub(crate) fn refused(&self, status: u16, code: &'static str, now: Micros) {
        let mut all = self.refused.lock().unwrap_or_else(PoisonError::into_inner);
        let refusal = Refusal { status, code };
        let refused = all.entry(refusal).or_default();
        refused.count += 1;
        if refused.at.is_none_or(|at| now.0.saturating_sub(at.0) >= LOG_EVERY.0) {
            refused.log(refusal, now);
        }
    }

    /// Logs the refusals that were only counted so far.
    pub(crate) fn log_rest(&self, now: Micros) {
        let mut all = self.refused.lock().unwrap_or_else(PoisonError::into_inner);
        for (&refusal, refused) in all.iter_mut().filter(|(_, refused)| refused.count > refused.logged) {
            refused.log(refusal, now);
        }
    }

    /// The number of refused requests by code.
    pub(crate) fn refusals(&self) -> BTreeMap<String, u64> {
        let mut sums = BTreeMap::new();
        for (refusal, refused) in &*self.refused.lock().unwrap_or_else(PoisonError::into_inner) {
            *sums.entry(refusal.code.to_owned()).or_default() += refused.count;
        }
        sums
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
        self.connections.write(text);
        text.push_str("# HELP hype_refused_total Requests refused.\n# TYPE hype_refused_total counter\n");
        for (Refusal { status, code }, Refused { count, .. }) in
            &*self.refused.lock().unwrap_or_else(PoisonError::into_inner)
        {
            let _ = writeln!(text, "hype_refused_total{{status=\"{status}\",code=\"{code}\"}} {count}");
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
        traffic.refused(422, "refused", Micros(0));
        traffic.refused(422, "refused", Micros(1));
        let mut text = String::new();
        traffic.write(&mut text);
        assert!(text.contains("hype_answer_seconds_bucket{le=\"0.001\"} 1\n"), "{text}");
        assert!(text.contains("hype_answer_seconds_bucket{le=\"0.05\"} 2\n"), "{text}");
        assert!(text.contains("hype_refused_total{status=\"422\",code=\"refused\"} 2\n"), "{text}");
    }
}
