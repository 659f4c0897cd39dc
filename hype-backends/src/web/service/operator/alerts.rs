//! Alerts that need the operator, and the number of alerts that are over.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::sync::Arc;

use hype_core::model::action::OperatorAction;
use hype_core::protocol::control::Admission;
use hype_core::{Ending, Micros, Study};

use crate::web::service::census::{Census, Visited};
use crate::web::wire::crowd::CrowdOverview;
use crate::web::wire::status::{Alert, ItemCoverage, OpenProblem, ServerProblem};

/// How long no session may be completed while places are open.
const STALLED: Micros = Micros(600_000_000);

/// The median number of answers below which differences between items are chance.
const ANSWERS: u64 = 4;

/// The longest reason in a message, in characters.
const REASON: usize = 400;

/// The alerts that were open at the last look, and how many are over.
#[derive(Debug, Default)]
pub(super) struct AlertLog {
    open: BTreeSet<String>,
    pub(super) resolved: u64,
}

impl AlertLog {
    /// Takes the alerts that are open now.
    pub(super) fn follow(&mut self, alerts: &[Alert]) {
        let open: BTreeSet<String> = alerts.iter().map(name).collect();
        self.resolved += self.open.difference(&open).count() as u64;
        self.open = open;
    }
}

/// The situation in which alerts are found.
pub(super) struct Situation<'a> {
    pub(super) study: &'a Study,
    /// `None` until every log was read.
    pub(super) census: Option<&'a Census>,
    pub(super) crowd: Option<&'a CrowdOverview>,
    pub(super) items: &'a ItemCoverage,
    pub(super) problems: Vec<OpenProblem>,
    /// Places that are neither completed nor given up.
    pub(super) open: u32,
    /// Whether the stopping rule has ended the collection.
    pub(super) is_stopped: bool,
    pub(super) opened: Micros,
    pub(super) now: Micros,
}

impl Situation<'_> {
    /// All alerts, the worst first.
    pub(super) fn alerts(self) -> Vec<Alert> {
        let mut alerts: Vec<Alert> = self.problems.iter().map(|open| problem(open, self.now)).collect();
        if let Some(crowd) = self.crowd {
            alerts.extend(of_panel(crowd));
        }
        if let Some(census) = self.census {
            alerts.extend(self.stalled(census));
            alerts.extend(self.fast(census));
            alerts.extend(few_answers(self.items));
        }
        alerts.sort_by_key(rank);
        alerts
    }

    /// Whether sessions should be completed, and are not.
    fn stalled(&self, census: &Census) -> Option<Alert> {
        let control = self.study.control();
        let may_come = control.admission() == Admission::Open && self.study.held_open().is_none();
        if self.open == 0 || self.is_stopped || !may_come {
            return None;
        }
        // The first session after the opening takes its time.
        let takes = self.study.profile().effort.map_or(Micros(0), |effort| effort.duration);
        let resumed = control.log().iter().rev().find(|entry| entry.action == OperatorAction::Resume);
        let begins = [
            census.completions().latest(),
            Some(self.opened.saturating_add(takes)),
            resumed.map(|entry| Micros(entry.unix_ms * 1_000).saturating_add(takes)),
        ];
        let since = begins.into_iter().flatten().max()?;
        let lasts = self.now.0.saturating_sub(since.0);
        (lasts >= STALLED.0).then_some(Alert::Stalled { since_unix_ms: since.0 / 1_000, places: self.open })
    }

    /// Raters who answer too fast and are not excluded, those with the most such answers first.
    fn fast(&self, census: &Census) -> Vec<Alert> {
        let excluded = self.study.control().excluded();
        let counts = |visited: &Visited| {
            matches!(visited.ending, None | Some(Ending::Completed))
                && !visited.is_excluded_by_rule()
                && !excluded.contains_key(&visited.rater)
        };
        let mut fast: Vec<&Visited> =
            census.fast().map(|(_, visited)| visited).filter(|visited| counts(visited)).collect();
        fast.sort_by_key(|visited| (Reverse(visited.fast), Arc::clone(&visited.rater)));
        let alert = |visited: &Visited| Alert::Fast {
            rater: Arc::clone(&visited.rater),
            fast: visited.fast,
            answered: visited.answered,
            below_ms: u32::try_from(census.limit().at_least.0 / 1_000).unwrap_or(u32::MAX),
        };
        fast.into_iter().map(alert).collect()
    }
}

fn problem(open: &OpenProblem, now: Micros) -> Alert {
    let mut reason = Arc::clone(&open.reason);
    if reason.chars().count() > REASON {
        reason = reason.chars().take(REASON).chain(['…']).collect::<String>().into();
    }
    let since_unix_ms = now.0.saturating_sub(open.lasts_us.0) / 1_000;
    Alert::Problem { problem: open.problem, reason, since_unix_ms }
}

fn of_panel(crowd: &CrowdOverview) -> Vec<Alert> {
    let panel = &crowd.panel;
    let mut alerts = Vec::new();
    if let Some(lost) = &crowd.not_reached {
        alerts.push(Alert::PanelLost { panel: Arc::clone(panel), since_unix_ms: lost.since_unix_ms });
    }
    let Some(seen) = &crowd.seen else { return alerts };
    if !seen.problems.is_empty() {
        let requests = u32::try_from(seen.problems.len()).unwrap_or(u32::MAX);
        alerts.push(Alert::PanelRefuses { panel: Arc::clone(panel), requests });
    }
    let money = &seen.money;
    if let Some(limit) = money.limit
        && seen.needed > 0
        && money.committed.times(10) >= limit.times(9)
    {
        let currency = Arc::clone(&money.currency);
        alerts.push(Alert::Budget { currency, committed: money.committed, limit });
    }
    alerts
}

/// Whether some items are far behind the others.
fn few_answers(items: &ItemCoverage) -> Option<Alert> {
    let few = items.few?;
    (items.median >= ANSWERS && few.items > 0)
        .then_some(Alert::FewAnswers { items: few.items, fewer_than: few.to + 1 })
}

/// Ranks an alert: permanent losses come first, then what stops the collection, then what spoils it.
fn rank(alert: &Alert) -> u8 {
    match alert {
        Alert::Problem { problem, .. } => match problem {
            ServerProblem::DiskFull | ServerProblem::DatabaseGone | ServerProblem::StoreDamaged => 0,
            ServerProblem::StoreFailed | ServerProblem::StoreUnavailable => 1,
            ServerProblem::ImageUnreadable => 2,
            ServerProblem::PlacesGoFast => 6,
            ServerProblem::AnalysisFailed => 8,
        },
        Alert::PanelLost { .. } => 3,
        Alert::Budget { .. } => 4,
        Alert::Stalled { .. } => 5,
        Alert::Fast { .. } => 7,
        Alert::PanelRefuses { .. } => 9,
        Alert::FewAnswers { .. } => 10,
    }
}

/// Returns the name by which an alert is recognized as the same as an earlier one.
fn name(alert: &Alert) -> String {
    match alert {
        Alert::Problem { problem, .. } => problem.code().to_owned(),
        Alert::Fast { rater, .. } => rater.to_string(),
        other => rank(other).to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fast(rater: &str, fast: u32) -> Alert {
        Alert::Fast { rater: rater.into(), fast, answered: 20, below_ms: 250 }
    }

    fn problem(problem: ServerProblem) -> Alert {
        Alert::Problem { problem, reason: "why".into(), since_unix_ms: 1 }
    }

    #[test]
    fn alerts_that_are_over_are_counted_once() {
        let mut log = AlertLog::default();
        let few = |items| Alert::FewAnswers { items, fewer_than: 3 };
        log.follow(&[problem(ServerProblem::DiskFull), fast("r1", 11), fast("r2", 12), few(2)]);
        log.follow(&[fast("r1", 13), few(1)]);
        assert_eq!(log.resolved, 2, "other numbers make no other alert");
        log.follow(&[fast("r1", 13)]);
        log.follow(&[fast("r1", 13), few(4)]);
        log.follow(&[]);
        assert_eq!(log.resolved, 5);
    }

    #[test]
    fn alerts_of_loss_come_before_those_of_stops_and_of_quality() {
        let mut alerts = [
            Alert::FewAnswers { items: 1, fewer_than: 3 },
            problem(ServerProblem::AnalysisFailed),
            fast("r1", 11),
            problem(ServerProblem::PlacesGoFast),
            Alert::Stalled { since_unix_ms: 1, places: 1 },
            Alert::PanelLost { panel: "panel".into(), since_unix_ms: 1 },
            problem(ServerProblem::StoreUnavailable),
            problem(ServerProblem::DiskFull),
        ];
        let reversed: Vec<Alert> = alerts.iter().rev().cloned().collect();
        alerts.sort_by_key(rank);
        assert_eq!(alerts[..], reversed);
    }
}
