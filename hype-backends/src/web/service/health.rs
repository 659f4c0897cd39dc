//! Current faults for the operator: in the log, on the operator's page, in `/health` and in `/metrics`.

use std::collections::BTreeMap;
use std::fmt::{Display, Write as _};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hype_core::{Micros, StoreError};

use crate::web::service::haste::HASTE_LASTS;
use crate::web::wire::status::{OpenProblem, ServerProblem};

/// How long a problem counts as open after its last failure, unless it is known to last. A server without requests
/// would never find out that it works again.
const LASTS: Micros = Micros(60_000_000);

/// The time after a failure in which a success does not end the problem. Calls that fail in turn with others thus do
/// not fill the log.
const SETTLES: Micros = Micros(1_000_000);

/// A part of the server that can fail independently of others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Area {
    /// Writing to the store.
    Writing,
    /// Reading from the store.
    Reading,
    /// Reading images. Others are readable while one is not, so a success proves nothing.
    Images,
    /// The analysis, which is not repeated unless someone asks for it.
    Analysis,
    /// Raters, who may be no people.
    Raters,
}

/// The open problems of a server, at most one for each area.
#[derive(Debug, Default)]
pub(crate) struct Health {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    open: BTreeMap<Area, Failing>,
    failures: BTreeMap<ServerProblem, u64>,
}

#[derive(Debug, Clone)]
struct Failing {
    problem: ServerProblem,
    reason: Arc<str>,
    since: Micros,
    last: Micros,
    failures: u64,
    /// Whether a call has succeeded since the last failure.
    works: bool,
}

impl Failing {
    fn is_over(&self, area: Area, now: Micros) -> bool {
        let ago = now.0.saturating_sub(self.last.0);
        let lasts = match area {
            Area::Analysis => u64::MAX,
            Area::Raters => HASTE_LASTS.0,
            _ => LASTS.0,
        };
        (self.works && ago >= SETTLES.0) || ago >= lasts
    }
}

impl State {
    /// Ends the problems that are over.
    fn settle(&mut self, now: Micros) {
        self.open.retain(|area, failing| {
            let is_over = failing.is_over(*area, now);
            if is_over {
                let seconds = now.0.saturating_sub(failing.since.0) / 1_000_000;
                let (problem, failures) = (failing.problem.code(), failing.failures);
                tracing::warn!(problem, failures, seconds, "the problem is over");
            }
            !is_over
        });
    }
}

impl Health {
    /// Records a failure, and logs the first of several.
    pub(crate) fn failed(&self, area: Area, problem: ServerProblem, reason: &dyn Display, now: Micros) {
        let mut state = self.state();
        state.settle(now);
        *state.failures.entry(problem).or_default() += 1;
        let reason: Arc<str> = reason.to_string().into();
        if let Some(failing) = state.open.get_mut(&area)
            && failing.problem == problem
        {
            (failing.reason, failing.last, failing.works) = (reason, now, false);
            failing.failures += 1;
            return;
        }
        tracing::error!(problem = problem.code(), %reason, "{}", problem.meaning());
        state
            .open
            .insert(area, Failing { problem, reason, since: now, last: now, failures: 1, works: false });
    }

    /// Records a success, which ends the problem of an area once no call has failed for a while.
    pub(crate) fn works(&self, area: Area, now: Micros) {
        let mut state = self.state();
        if state.open.is_empty() {
            return;
        }
        for (&failing_area, failing) in &mut state.open {
            // A database that can be read is there and can be reached.
            let is_reachable =
                matches!(failing.problem, ServerProblem::StoreUnavailable | ServerProblem::DatabaseGone);
            failing.works |= failing_area == area && area != Area::Images
                || (area == Area::Reading && failing_area == Area::Writing && is_reachable);
        }
        state.settle(now);
    }

    /// Records the outcome of a call to the store. Damaged logs concern single sessions, and a store that reports a
    /// conflict works.
    pub(crate) fn called<T>(&self, area: Area, result: &Result<T, StoreError>, now: Micros) {
        let Err(error) = result else { return self.works(area, now) };
        match ServerProblem::of_store(error) {
            Some(ServerProblem::StoreDamaged) => tracing::error!(reason = %error, "a log is damaged"),
            Some(problem) => self.failed(area, problem, error, now),
            None => self.works(area, now),
        }
    }

    /// The open problems, each once, the oldest first.
    pub(crate) fn problems(&self, now: Micros) -> Vec<OpenProblem> {
        let mut problems: Vec<OpenProblem> = Vec::new();
        let mut state = self.state();
        state.settle(now);
        let mut open: Vec<_> = state.open.values().collect();
        open.sort_by_key(|failing| failing.since);
        for Failing { problem, reason, since, .. } in open {
            if problems.iter().all(|found| found.problem != *problem) {
                let lasts_us = Micros(now.0.saturating_sub(since.0));
                problems.push(OpenProblem { problem: *problem, reason: Arc::clone(reason), lasts_us });
            }
        }
        problems
    }

    /// Writes all problems in Prometheus' text format.
    pub(crate) fn write(&self, text: &mut String, now: Micros) {
        let open = self.problems(now);
        text.push_str("# HELP hype_problem Whether a problem is open.\n# TYPE hype_problem gauge\n");
        for problem in ServerProblem::ALL {
            let is_open = open.iter().any(|open| open.problem == problem);
            // Writing to a string cannot fail.
            let _ = writeln!(text, "hype_problem{{problem=\"{}\"}} {}", problem.code(), u8::from(is_open));
        }
        text.push_str(
            "# HELP hype_failures_total Failures by problem.\n# TYPE hype_failures_total counter\n",
        );
        let state = self.state();
        for problem in ServerProblem::ALL {
            let count = state.failures.get(&problem).copied().unwrap_or(0);
            let _ = writeln!(text, "hype_failures_total{{problem=\"{}\"}} {count}", problem.code());
        }
    }

    /// No panic can leave the maps in an inconsistent state, so a poisoned lock is safe to use.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ServerProblem {
    /// The problem behind an error of the store; `None` if the store works.
    pub(crate) fn of_store(error: &StoreError) -> Option<Self> {
        match error {
            StoreError::Conflict { .. } => None,
            StoreError::Full { .. } => Some(Self::DiskFull),
            StoreError::Gone { .. } => Some(Self::DatabaseGone),
            StoreError::Unavailable { .. } => Some(Self::StoreUnavailable),
            StoreError::Damaged { .. } => Some(Self::StoreDamaged),
            _ => Some(Self::StoreFailed),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codes(health: &Health, now: u64) -> Vec<&'static str> {
        health.problems(Micros(now)).iter().map(|open| open.problem.code()).collect()
    }

    #[test]
    fn a_problem_is_open_until_the_area_works_again() {
        let health = Health::default();
        let full = Err::<(), _>(StoreError::full("no space".into()));
        health.called(Area::Writing, &full, Micros(5_000_000));
        health.called(Area::Writing, &full, Micros(6_000_000));
        health.called(Area::Reading, &Ok(()), Micros(9_000_000));
        assert_eq!(codes(&health, 9_000_000), ["disk-full"], "reading proves nothing about writing");
        assert_eq!(health.problems(Micros(9_000_000))[0].lasts_us, Micros(4_000_000));
        health.called(Area::Writing, &Ok(()), Micros(9_000_000));
        assert!(codes(&health, 9_000_000).is_empty());
        health.called(Area::Writing, &full, Micros(10_000_000));
        health.called(Area::Writing, &Ok(()), Micros(10_100_000));
        assert_eq!(codes(&health, 10_100_000), ["disk-full"], "calls fail in turn with others");
        assert!(codes(&health, 11_000_000).is_empty(), "none has failed for a while");
        let mut text = String::new();
        health.write(&mut text, Micros(11_000_000));
        assert!(text.contains("hype_problem{problem=\"disk-full\"} 0\n"), "{text}");
        assert!(text.contains("hype_failures_total{problem=\"disk-full\"} 3\n"), "{text}");
    }

    #[test]
    fn problems_end_after_a_minute_without_recurrence_except_those_of_the_analysis() {
        let health = Health::default();
        health.failed(Area::Images, ServerProblem::ImageUnreadable, &"gone", Micros(0));
        health.failed(Area::Analysis, ServerProblem::AnalysisFailed, &"log", Micros(0));
        health.works(Area::Images, Micros(2_000_000));
        assert_eq!(codes(&health, 59_000_000), ["image-unreadable", "analysis-failed"]);
        assert_eq!(codes(&health, 61_000_000), ["analysis-failed"]);
        health.works(Area::Analysis, Micros(70_000_000));
        assert!(codes(&health, 70_000_000).is_empty());
    }

    #[test]
    fn one_problem_of_two_areas_is_shown_once_and_conflicts_are_none() {
        let health = Health::default();
        for area in [Area::Writing, Area::Reading] {
            health.called(area, &Err::<(), _>(StoreError::unavailable("down".into())), Micros(1));
        }
        let conflict = hype_core::plugin::store::Log::Session("s").conflict(1, 2);
        health.called(Area::Writing, &Err::<(), _>(conflict), Micros(2));
        assert_eq!(codes(&health, 3), ["store-unavailable"]);
    }
}
