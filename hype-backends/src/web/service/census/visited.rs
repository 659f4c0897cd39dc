//! The operator's view of one session: the fold of its log.

use std::sync::Arc;

use hype_core::model::note::{Disturbance, Noted, SessionNote};
use hype_core::model::record::{Earned, Erased};
use hype_core::protocol::waiting::Wait;
use hype_core::{Amount, Answered, CheckState, Ending, Event, Micros, SessionRecord, SetId, Study};

use super::speed::SpeedLimit;

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
    /// The time of the last event, since the session was opened.
    last: Micros,
    /// The wait before the first trial, if the rater had to wait.
    wait: Option<Wait>,
    pub(crate) answered: u32,
    times: ResponseTimes,
    /// Answers that came too fast.
    pub(crate) fast: u32,
    /// How many times the page was hidden or left during a trial.
    pub(crate) hidden: u32,
    /// How it ended; `None` while it runs, and if its answers were erased.
    pub(crate) ending: Option<Ending>,
    /// Whether its answers were erased.
    pub(crate) is_erased: bool,
    pub(crate) earned: Amount,
    /// Checks that the session did not pass; `None` until it was checked.
    pub(crate) checks: Option<Vec<Flag>>,
}

/// Response times in microseconds.
#[derive(Debug, Clone)]
enum ResponseTimes {
    /// All of them, while answers come.
    All(Vec<u32>),
    /// Their median, once the session has ended.
    Median(Option<Micros>),
}

impl ResponseTimes {
    fn median(&self) -> Option<Micros> {
        match self {
            Self::All(times) if times.is_empty() => None,
            Self::All(times) => {
                let mut times = times.clone();
                let middle = times.len() / 2;
                let (_, median, _) = times.select_nth_unstable(middle);
                Some(Micros(u64::from(*median)))
            }
            Self::Median(median) => *median,
        }
    }
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
            wait: None,
            answered: 0,
            times: ResponseTimes::All(Vec::new()),
            fast: 0,
            hidden: 0,
            ending: None,
            is_erased: false,
            earned: Amount::default(),
            checks: None,
        })
    }

    /// Adds the next event, and returns the answer in it.
    pub(super) fn add<'a>(&mut self, event: &'a Event, limit: SpeedLimit) -> Option<&'a Answered> {
        self.events += 1;
        match event {
            Event::Answered(answered) => {
                self.answered += 1;
                self.fast += u32::from(answered.timing.rt < limit.at_least);
                if let ResponseTimes::All(times) = &mut self.times {
                    times.push(u32::try_from(answered.timing.rt.0).unwrap_or(u32::MAX));
                }
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
                    SessionNote::Waited(waited) => self.wait = Some(Wait::after(self.wait, *at, *waited)),
                    _ => {}
                }
            }
            Event::Corrected(version) => self.last = version.answered.timing.at,
            Event::Disturbed(disturbed) => {
                self.last = disturbed.at;
                self.hidden += u32::from(matches!(disturbed.reason, Disturbance::Hidden | Disturbance::Blur));
            }
            Event::Left { at } => self.last = *at,
            Event::Finished(outcome) => {
                self.ending = Some(outcome.ending);
                self.times = ResponseTimes::Median(self.times.median());
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
        (self.times, self.fast, self.hidden) = (ResponseTimes::Median(None), 0, 0);
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

    /// When the session was opened, since the Unix epoch.
    pub(super) fn opened_at(&self) -> Option<Micros> {
        self.opened
    }

    /// The median response time.
    pub(crate) fn median_response(&self) -> Option<Micros> {
        self.times.median()
    }

    /// Whether a rule of the study excludes the rater.
    pub(crate) fn is_excluded_by_rule(&self) -> bool {
        self.ending == Some(Ending::Completed) && self.checks.iter().flatten().any(|flag| flag.excludes)
    }
}
