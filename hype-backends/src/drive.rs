//! Drives one session: connects the state machine of [`Session`] with a rater.
//!
//! No real time passes: the session's clock is advanced by the durations in its trials and the
//! response times that the rater reports.

use hype_core::Step;
use hype_core::model::trial::{Rest, Timing, Trial};
use hype_core::protocol::places::Release;
use hype_core::study::backend::{BackendError, Watch};
use hype_core::study::session::{Accepted, Recorded, Rejected, ReplayError, session_name};
use hype_core::{
    Ending, Event, Micros, Rater, Response, Session, SessionRecord, Store, StoreExt as _, Stream, Study,
};
use serde_json::Value;

/// The minimum number of events appended together, except at the end of a session.
const BATCH: usize = 64;

/// The state that [`drive`] leaves a session in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Driven {
    /// The session ended this way.
    Ended(Ending),
    /// The watch asked to stop. The session can be resumed.
    Stopped,
}

/// Why the place of a rater inside the program is released. The program itself asks such raters, so one who leaves before the
/// first answer spends a replacement too: a cohort whose raters all leave would otherwise be asked forever.
pub(crate) fn release_inside(study: &Study, record: &SessionRecord) -> Release {
    match study.release(record) {
        Release::Unanswered => Release::Answered,
        release => release,
    }
}

/// The key of the rater who makes an attempt at a place.
#[must_use]
pub fn rater_key(place: u32, attempt: u32) -> String {
    format!("r{place:06}-{attempt:03}")
}

/// Drives one session to its end, or until `watch` asks to stop, and writes its log to `store`.
///
/// A session that has begun is resumed where its log ends: the rater [recalls](Rater::recall) its earlier answers. A
/// finished session is left unchanged. A task that learns gets no briefing from other sessions. The caller
/// [binds](Store::bind) the store to the study, and claims the place if others collect at the same time.
///
/// # Examples
/// ```
/// use hype_backends::{Driven, drive};
/// use hype_core::study::backend::{BackendError, Unwatched};
/// use hype_core::{Rater, Store, Study};
///
/// fn first_session(study: &Study, store: &dyn Store, rater: &mut dyn Rater) -> Result<Driven, BackendError> {
///     hype_store::block_on(store.bind(study.digest()))?;
///     drive(study, store, &Unwatched, rater, 0, 0)
/// }
/// ```
///
/// # Errors
/// If the store fails, the log does not match the study, the task refuses to begin, or the rater's answer is not
/// valid for its trial. Everything collected before the error is in the store.
pub fn drive(
    study: &Study,
    store: &dyn Store,
    watch: &dyn Watch,
    rater: &mut dyn Rater,
    place: u32,
    attempt: u32,
) -> Result<Driven, BackendError> {
    let log = hype_store::block_on(store.load(&session_name(place, attempt)))?;
    match ending(&log) {
        Some(ending) => Ok(Driven::Ended(ending)),
        None => {
            let keep = Directly { store, watch };
            resume(study, &keep, rater, At { place, attempt, briefing: None }, log).map(|(driven, _)| driven)
        }
    }
}

/// The receiver of a session's events.
pub(crate) trait Keep {
    /// Appends events to the `stored` ones that are already there.
    fn append(&self, session: &str, stored: u64, events: &[Event]) -> Result<(), BackendError>;

    /// Whether the session should stop.
    fn stop(&self) -> bool;
}

/// Writes a session to a store without claiming its place.
struct Directly<'a> {
    store: &'a dyn Store,
    watch: &'a dyn Watch,
}

impl Keep for Directly<'_> {
    fn append(&self, session: &str, stored: u64, events: &[Event]) -> Result<(), BackendError> {
        let length = hype_store::block_on(self.store.append_events(session, stored, events))?;
        self.watch.acknowledged(session, length);
        Ok(())
    }

    fn stop(&self) -> bool {
        self.watch.stop()
    }
}

/// Where a session stands in the study, and what it is opened with.
pub(crate) struct At {
    pub(crate) place: u32,
    pub(crate) attempt: u32,
    pub(crate) briefing: Option<Value>,
}

/// Plays one session to its end without a store, and passes each event of its log to `take` as it happens.
///
/// # Examples
/// ```
/// use hype_backends::play;
/// use hype_core::study::backend::BackendError;
/// use hype_core::{Event, Rater, Study};
///
/// fn first_log(study: &Study, rater: &mut dyn Rater) -> Result<Vec<Event>, BackendError> {
///     let mut log = Vec::new();
///     play(study, rater, 0, 0, |event| log.push(event))?;
///     Ok(log)
/// }
/// ```
///
/// # Errors
/// If the task refuses to begin, or the rater's answer is not valid for its trial.
pub fn play(
    study: &Study,
    rater: &mut dyn Rater,
    place: u32,
    attempt: u32,
    mut take: impl FnMut(Event),
) -> Result<(), BackendError> {
    let (mut play, opening) = Play::open(study, At { place, attempt, briefing: None })?;
    opening.into_iter().for_each(&mut take);
    while let Some(recorded) = play.turn(rater)? {
        // An iterator over both events would copy each of them several times.
        take(recorded.event);
        recorded.finished.map(Event::Finished).into_iter().for_each(&mut take);
    }
    Ok(())
}

/// How the session of a log ended; `None` if it can be resumed.
pub(crate) fn ending(log: &[Event]) -> Option<Ending> {
    match log.last() {
        Some(Event::Finished(outcome)) => Some(outcome.ending),
        _ => None,
    }
}

/// Drives a session from the end of its log, and returns the complete log.
pub(crate) fn resume(
    study: &Study,
    keep: &dyn Keep,
    rater: &mut dyn Rater,
    at: At,
    log: Vec<Event>,
) -> Result<(Driven, Vec<Event>), BackendError> {
    let name = session_name(at.place, at.attempt);
    let stored = log.len();
    let (mut play, events) = if log.is_empty() {
        Play::open(study, at)?
    } else {
        Play::reopen(study, rater, at.place, at.attempt, log)?
    };
    let mut log = Log { keep, name, stored, events };
    loop {
        match play.turn(rater) {
            Ok(Some(recorded)) => {
                log.events.push(recorded.event);
                log.events.extend(recorded.finished.map(Event::Finished));
            }
            Ok(None) => break,
            Err(error) => {
                log.flush()?;
                return Err(error);
            }
        }
        if log.events.len() - log.stored >= BATCH {
            log.flush()?;
            if keep.stop() && play.ending().is_none() {
                return Ok((Driven::Stopped, log.events));
            }
        }
    }
    log.flush()?;
    Ok((play.ending().map_or(Driven::Stopped, Driven::Ended), log.events))
}

/// A session's log, and how much of it is stored.
struct Log<'a> {
    keep: &'a dyn Keep,
    name: std::sync::Arc<str>,
    stored: usize,
    events: Vec<Event>,
}

impl Log<'_> {
    fn flush(&mut self) -> Result<(), BackendError> {
        let pending = &self.events[self.stored..];
        if !pending.is_empty() {
            self.keep.append(&self.name, self.stored as u64, pending)?;
            self.stored = self.events.len();
        }
        Ok(())
    }
}

/// Lets a rater recall its answers in a session whose log is not empty. Returns the time at which the trial after the
/// last answer begins.
pub(crate) fn recall(study: &Study, rater: &mut dyn Rater, log: &[Event]) -> Result<Micros, BackendError> {
    let Some(Event::Opened(header)) = log.first() else { return Ok(Micros(0)) };
    let (place, attempt) = (header.place.number, header.attempt);
    let name = || session_name(place, attempt).to_string();
    let (mut again, _) = Session::open_briefed(study, &header.rater, place, attempt, header.briefing.clone())
        .map_err(|source| BackendError::Session { session: name(), source })?;
    let mut clock = Micros(0);
    for (index, event) in log.iter().enumerate() {
        if matches!(event, Event::Opened(_) | Event::Finished(_)) {
            continue;
        }
        if let (Event::Answered(answered), Step::Show(trial)) = (event, again.step()) {
            rater.recall(trial, answered);
            clock = answered.timing.at.saturating_add(after(trial));
        }
        again.handle_event(event).map_err(|source| BackendError::Replay {
            session: name(),
            source: ReplayError::Rejected { index, source },
        })?;
    }
    Ok(clock)
}

/// A session with its rater's clock and random stream.
struct Play {
    session: Session,
    /// When the next trial begins, its rest included.
    clock: Micros,
    chance: Stream,
}

impl Play {
    /// Begins a session. Returns it with the events that open its log.
    fn open(study: &Study, at: At) -> Result<(Self, Vec<Event>), BackendError> {
        let At { place, attempt, briefing } = at;
        let (session, events) =
            Session::open_briefed(study, &rater_key(place, attempt), place, attempt, briefing).map_err(
                |source| BackendError::Session { session: session_name(place, attempt).to_string(), source },
            )?;
        Ok((Self::new(study, session, Micros(0)), events))
    }

    /// Resumes the session of a log. Returns the log with its missing events added.
    fn reopen(
        study: &Study,
        rater: &mut dyn Rater,
        place: u32,
        attempt: u32,
        mut log: Vec<Event>,
    ) -> Result<(Self, Vec<Event>), BackendError> {
        let name = || session_name(place, attempt).to_string();
        let session = Session::replay(study, log.iter().cloned())
            .map_err(|source| BackendError::Replay { session: name(), source })?;
        if (session.header().place.number, session.header().attempt) != (place, attempt) {
            let source = ReplayError::Diverged { index: 0 };
            return Err(BackendError::Replay { session: name(), source });
        }
        let clock = recall(study, rater, &log)?;
        if let Step::Finished(outcome) = session.step() {
            log.push(Event::Finished(outcome.clone()));
        }
        Ok((Self::new(study, session, clock), log))
    }

    fn new(study: &Study, session: Session, clock: Micros) -> Self {
        let (place, attempt) = (session.header().place.number, session.header().attempt);
        let chance = study.session_chance(place, attempt).child("rater", 0).stream("responses");
        Self { session, clock, chance }
    }

    /// How the session ended; `None` if it has not.
    fn ending(&self) -> Option<Ending> {
        match self.session.step() {
            Step::Finished(outcome) => Some(outcome.ending),
            Step::Show(_) => None,
        }
    }

    /// Lets the rater answer one trial; `None` after the end.
    fn turn(&mut self, rater: &mut dyn Rater) -> Result<Option<Recorded>, BackendError> {
        let Step::Show(trial) = self.session.step() else {
            return Ok(None);
        };
        let number = trial.number;
        let shown = self.clock.saturating_add(before(trial));
        let after = after(trial);
        self.chance.seek(u64::from(number));
        let recorded = match rater.respond(trial, self.session.truth(), &mut self.chance) {
            Response::Leave => self.session.handle_leave(shown),
            Response::Answer { answer, rt } => {
                let at = shown.saturating_add(rt);
                self.clock = at.saturating_add(after);
                match self.session.handle_answer(number, answer, Timing { at, rt, exposure: None }) {
                    Ok(Accepted::Recorded(recorded)) => Ok(recorded),
                    // The session never asks for a trial twice, so this would be a fault of the session.
                    Ok(Accepted::Repeated) => Err(Rejected::AnsweredOtherwise { reported: number }),
                    Err(rejected) => Err(rejected),
                }
            }
        };
        recorded.map(Some).map_err(|rejected| BackendError::Refused {
            session: session_name(self.session.header().place.number, self.session.header().attempt)
                .to_string(),
            trial: number,
            reason: match rejected {
                Rejected::Refused { reason, .. } => reason,
                other => other.to_string(),
            },
        })
    }
}

/// The time from the end of the previous trial to the question: the whole rest and the presentation.
fn before(trial: &Trial) -> Micros {
    let rest = trial.rest.map_or(Micros(0), |Rest { at_most }| Micros::from_millis(at_most));
    rest.saturating_add(trial.presentation())
}

/// The time from the answer to the end of the trial.
fn after(trial: &Trial) -> Micros {
    trial.feedback.map_or(Micros(0), |feedback| Micros::from_millis(feedback.shown))
}
