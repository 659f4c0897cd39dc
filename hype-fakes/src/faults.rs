//! How platforms and networks break, by plan.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hype_chance::{Stream, Streams};
use tokio::sync::Notify;

/// A fault that one request meets in place of a proper answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(clippy::exhaustive_enums, reason = "tests go through every fault")]
pub enum InjectedFault {
    /// The request is not carried out, and no answer ever comes.
    HungBefore,
    /// The request is carried out, and no answer ever comes.
    HungAfter,
    /// The connection is closed before the request is carried out.
    DroppedBefore,
    /// The connection is closed after the request was carried out.
    DroppedAfter,
    /// The request is not carried out, and the answer is an internal error.
    FailedBefore,
    /// The request is carried out, and the answer is an internal error.
    FailedAfter,
    /// The request is not carried out, because there were too many.
    Throttled,
    /// The request arrives twice, as if a proxy had repeated it; the answer is the second one.
    Duplicated,
}

impl InjectedFault {
    /// All faults.
    pub const ALL: [Self; 8] = [
        Self::HungBefore,
        Self::HungAfter,
        Self::DroppedBefore,
        Self::DroppedAfter,
        Self::FailedBefore,
        Self::FailedAfter,
        Self::Throttled,
        Self::Duplicated,
    ];

    /// How many times the platform carries out the request.
    #[must_use]
    pub const fn deliveries(self) -> usize {
        match self {
            Self::HungBefore | Self::DroppedBefore | Self::FailedBefore | Self::Throttled => 0,
            Self::HungAfter | Self::DroppedAfter | Self::FailedAfter => 1,
            Self::Duplicated => 2,
        }
    }
}

/// Which requests break, and how. Clones share the plan, and every plan ends: only so many faults happen as were asked for.
#[derive(Debug, Clone, Default)]
pub struct FaultPlan {
    state: Arc<Mutex<State>>,
    /// Notified of each request to which no answer will come.
    hung: Arc<Notify>,
}

#[derive(Debug, Default)]
struct State {
    /// The number of requests so far.
    requests: u64,
    by_number: BTreeMap<u64, InjectedFault>,
    by_label: BTreeMap<String, VecDeque<Option<InjectedFault>>>,
    random: Option<Random>,
    happened: Vec<(String, InjectedFault)>,
}

/// Faults by chance.
#[derive(Debug)]
struct Random {
    stream: Stream,
    faults: Vec<InjectedFault>,
    probability: f64,
    left: u32,
}

impl FaultPlan {
    /// No panic can leave the state half-changed, so a poisoned lock is safe to use.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The request with a number breaks. The first request has the number 0.
    pub fn at(&self, request: u64, fault: InjectedFault) {
        self.state().by_number.insert(request, fault);
    }

    /// The next request with a label breaks; after several calls, the next ones in turn.
    pub fn on(&self, label: &str, fault: InjectedFault) {
        self.state().by_label.entry(label.to_owned()).or_default().push_back(Some(fault));
    }

    /// The next request with a label does not break, and what was [planned](Self::on) for it after that happens to later ones.
    pub fn pass(&self, label: &str) {
        self.state().by_label.entry(label.to_owned()).or_default().push_back(None);
    }

    /// From now on each request breaks with a probability, by one of `faults` drawn from a seed, until `most` have broken.
    pub fn at_random(&self, seed: u64, probability: f64, most: u32, faults: &[InjectedFault]) {
        let stream = Streams::new(seed).stream("faults");
        self.state().random = Some(Random { stream, faults: faults.to_vec(), probability, left: most });
    }

    /// Ends all faults.
    pub fn end(&self) {
        let mut state = self.state();
        state.by_number.clear();
        state.by_label.clear();
        state.random = None;
    }

    /// A request got no answer, and will not get one.
    pub(crate) fn hang(&self) {
        self.hung.notify_one();
    }

    /// Returns when a request got no answer and will not get one: the moment at which a client may stop waiting.
    /// Tests need no time. Each such request is reported once.
    pub async fn hung(&self) {
        self.hung.notified().await;
    }

    /// Returns the faults so far, with the labels of their requests.
    #[must_use]
    pub fn happened(&self) -> Vec<(String, InjectedFault)> {
        self.state().happened.clone()
    }

    /// The number of requests so far.
    #[must_use]
    pub fn requests(&self) -> u64 {
        self.state().requests
    }

    /// Whether and how the next request breaks, given its label. Fakes call it once for each request that arrives.
    #[must_use]
    pub fn next(&self, label: &str) -> Option<InjectedFault> {
        let mut state = self.state();
        let number = state.requests;
        state.requests += 1;
        let planned = state.by_number.remove(&number);
        let by_label = state.by_label.get_mut(label).and_then(VecDeque::pop_front).flatten();
        let fault = planned.or(by_label).or_else(|| state.random.as_mut().and_then(Random::next))?;
        state.happened.push((label.to_owned(), fault));
        Some(fault)
    }
}

impl Random {
    fn next(&mut self) -> Option<InjectedFault> {
        let count = u32::try_from(self.faults.len()).unwrap_or(0);
        if self.left == 0 || count == 0 || !self.stream.happens(self.probability) {
            return None;
        }
        self.left -= 1;
        self.faults.get(self.stream.below(count) as usize).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_happen_to_the_requests_that_were_named() {
        let plan = FaultPlan::default();
        plan.at(1, InjectedFault::Throttled);
        plan.pass("pay");
        plan.on("pay", InjectedFault::DroppedAfter);
        let labels = ["pay", "list", "pay", "pay"];
        let faults = labels.map(|label| plan.next(label));
        assert_eq!(faults, [None, Some(InjectedFault::Throttled), Some(InjectedFault::DroppedAfter), None]);
    }

    #[test]
    fn random_faults_follow_their_seed_and_end() {
        let run = |seed| {
            let plan = FaultPlan::default();
            plan.at_random(seed, 0.5, 10, &InjectedFault::ALL);
            (0..200).map(|_| plan.next("list")).collect::<Vec<_>>()
        };
        assert_eq!(run(1), run(1));
        assert_ne!(run(1), run(2));
        assert_eq!(run(1).into_iter().flatten().count(), 10);
    }
}
