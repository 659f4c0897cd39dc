//! What the operator sees of one session: the fold of its log.

use std::sync::Arc;

use hype_core::model::note::{Noted, SessionNote};
use hype_core::model::record::{Earned, Erased};
use hype_core::protocol::waiting::Wait;
use hype_core::{Amount, Answered, CheckState, Ending, Event, Micros, SessionRecord, SetId, Study};

/// A session as far as its log was read.
#[derive(Debug, Clone)]
pub(crate) struct Visited {
    pub(crate) rater: Arc<str>,
    /// The models of its place.
    pub(crate) models: Vec<SetId>,
    /// The number of events that were read.
    pub(crate) events: u64,
    /// When the session was opened, since the Unix epoch; `None` for sessions without a page.
    opened: Option<Micros>,
    /// The time of the last event, since the session was opened, as are the next two.
    last: Micros,
    /// When the rater left the instructions, or the wait after them was over.
    begun: Option<Micros>,
    /// The wait before the first trial, if the rater had to wait.
    wait: Option<Wait>,
    /// When the last answer came.
    answered_at: Option<Micros>,
    pub(crate) answered: u32,
    /// How it ended; `None` while it runs, and if its answers were erased.
    pub(crate) ending: Option<Ending>,
    /// Whether its answers were erased.
    pub(crate) is_erased: bool,
    pub(crate) earned: Amount,
    /// Checks that the session did not pass; `None` until it was checked.
    pub(crate) checks: Option<Vec<Flag>>,
}

/// A check that a session did not pass.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Flag {
    pub(crate) name: Arc<str>,
    pub(crate) state: CheckState,
    pub(crate) why: Arc<str>,
    pub(crate) excludes: bool,
}

fn sum(earned: Option<Earned>) -> Amount {
    earned.map_or(Amount::default(), |earned| earned.total())
}

impl Visited {
    /// A session whose log begins with this event; `None` if no session's log does.
    pub(super) fn opened_by(event: &Event) -> Option<Self> {
        let Event::Opened(header) = event else { return None };
        Some(Self {
            rater: Arc::clone(&header.rater),
            models: header.place.models.clone(),
            events: 0,
            opened: None,
            last: Micros(0),
            begun: None,
            wait: None,
            answered_at: None,
            answered: 0,
            ending: None,
            is_erased: false,
            earned: Amount::default(),
            checks: None,
        })
    }

    /// Adds the next event, and returns the answer in it.
    pub(super) fn add<'a>(&mut self, event: &'a Event) -> Option<&'a Answered> {
        self.events += 1;
        match event {
            Event::Answered(answered) => {
                self.answered += 1;
                self.answered_at = Some(answered.timing.at);
                self.last = answered.timing.at;
                return Some(answered);
            }
            Event::Noted(Noted { at, note }) => {
                self.last = *at;
                match note {
                    SessionNote::Attached(attached) => {
                        let opened = (attached.unix_ms * 1_000).saturating_sub(at.0);
                        self.opened.get_or_insert(Micros(opened));
                    }
                    SessionNote::Environment(_) => self.begun = Some(*at),
                    SessionNote::Waited(waited) => {
                        let wait = Wait::after(self.wait, *at, *waited);
                        self.begun = wait.over_at().or(self.begun);
                        self.wait = Some(wait);
                    }
                    _ => {}
                }
            }
            Event::Corrected(version) => self.last = version.answered.timing.at,
            Event::Disturbed(disturbed) => self.last = disturbed.at,
            Event::Left { at } => self.last = *at,
            Event::Finished(outcome) => {
                self.ending = Some(outcome.ending);
                self.earned = sum(Earned::with_waiting(outcome.earned, self.wait.map(|wait| wait.pay())));
            }
            _ => {}
        }
        None
    }

    /// Takes what remains of the session after its answers were erased.
    pub(super) fn erase(&mut self, erased: &Erased) {
        self.earned = sum(erased.earned);
        (self.answered, self.ending, self.is_erased, self.checks) = (0, None, true, None);
    }

    /// Checks a finished session by the study's rules.
    pub(super) fn check(&mut self, study: &Study, log: Vec<Event>) {
        let record = SessionRecord::from_events(log).ok().filter(SessionRecord::is_complete);
        let checks = record.map(|record| study.checks(&record)).unwrap_or_default();
        let flag = |check: hype_core::Check| Flag {
            excludes: check.excludes(),
            name: check.name,
            state: check.state,
            why: check.why,
        };
        let flags = checks.into_iter().filter(|check| check.state != CheckState::Pass).map(flag);
        self.checks = Some(flags.collect());
    }

    /// Whether the rater waits until the study begins, at a time since the Unix epoch.
    pub(crate) fn is_waiting(&self, now: Micros) -> bool {
        let at = |opened: Micros| Micros(now.0.saturating_sub(opened.0));
        self.ending.is_none()
            && !self.is_erased
            && self.wait.zip(self.opened).is_some_and(|(wait, opened)| wait.goes_on(at(opened)))
    }

    /// When something last happened, since the Unix epoch.
    pub(crate) fn active_at(&self) -> Option<Micros> {
        self.opened.map(|opened| Micros(opened.0.saturating_add(self.last.0)))
    }

    /// The time that the rater takes for a trial, on average.
    pub(crate) fn pace(&self) -> Option<Micros> {
        let (begun, answered_at) = (self.begun?, self.answered_at?);
        answered_at.0.checked_sub(begun.0)?.checked_div(u64::from(self.answered)).map(Micros)
    }
}
