//! Sessions: one rater's progress through a study, as a state machine driven by events.
//!
//! `state = fold(open(study, place), events)`. All backends drive this machine. A rejected report changes nothing, and
//! an accepted report can be repeated safely.

use std::sync::Arc;

use serde_json::Value;

use crate::model::answer::Answer;
use crate::model::event::Event;
use crate::model::ids::StimulusId;
use crate::model::note::{Disturbance, Disturbed, Noted, SessionNote};
use crate::model::record::{AnswerVersion, Answered, Earned, Ending, Header, Outcome, Shown};
use crate::model::trial::{Phase, Timing, Trial, Truth};
use crate::model::units::Micros;
use crate::plugin::task::{Inputs, Machine, Next, StartError, Verdict};
use crate::protocol::chance::GENERATOR;
use crate::protocol::payment::{Payment, ScreenedOutPay};
use crate::study::Study;

mod beside;
mod corrections;
mod replay;
mod shape;
mod step;
mod surveys;

pub use self::corrections::CORRECTIONS_AT_MOST;
pub use self::replay::ReplayError;
pub use self::step::Step;

use self::beside::Beside;
use self::corrections::{Previous, Replaced};
use self::shape::misshapen;
use self::surveys::{Surveyed, Surveys};

/// One rater's session.
#[derive(Debug)]
pub struct Session {
    header: Header,
    payment: Option<Payment>,
    qualifies: bool,
    before: Surveys,
    after: Surveys,
    beside: Beside,
    machine: Box<dyn Machine>,
    current: Step,
    truth: Option<Truth>,
    /// Of the last answer to each trial.
    fingerprints: Vec<u64>,
    replaced: Replaced,
    /// Whether raters can return to the trial before.
    corrects: bool,
    previous: Option<Previous>,
    showing: u32,
    correct: u32,
    in_main: bool,
    last: Micros,
    events: u64,
}

/// Results of earlier sessions when a session is opened. They become part of the session's log.
#[derive(Debug, Clone, Default, PartialEq)]
#[expect(clippy::exhaustive_structs, reason = "drivers make it")]
pub struct Background {
    /// The lessons that the task learned from the sessions of other raters.
    pub briefing: Option<Value>,
    /// The short digest of the study in which the rater has qualified. The session then has no qualification.
    pub qualified_in: Option<Arc<str>>,
}

/// A session cannot be opened.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SessionError {
    /// The task cannot begin; the author of the spec has to correct what `check` reports.
    #[error(transparent)]
    Start(#[from] StartError),
    /// The place is not in the study's plan; this is a bug in the driver.
    #[error("place {number} is not among the study's {places} places")]
    NoSuchPlace {
        /// The place's number.
        number: u32,
        /// How many there are.
        places: u32,
    },
}

/// A report was rejected; nothing has changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Rejected {
    /// The session is over.
    #[error("the session is over")]
    Over,
    /// The opening and the end of a session follow from other reports and cannot be reported, and neither can its erasure.
    #[error("the opening, the end and the erasure of a session cannot be reported")]
    NotReportable,
    /// The trial has not been shown yet.
    #[error("trial {reported} has not been shown; the session is at trial {current}")]
    NotAsked {
        /// The trial reported.
        reported: u32,
        /// The current trial.
        current: u32,
    },
    /// The trial was answered differently before.
    #[error("trial {reported} was answered differently before")]
    AnsweredOtherwise {
        /// The trial reported.
        reported: u32,
    },
    /// Not a valid answer for this trial.
    #[error("trial {reported}: {reason}")]
    Refused {
        /// The trial reported.
        reported: u32,
        /// Why.
        reason: String,
    },
}

/// A report was accepted.
#[derive(Debug, Clone, PartialEq)]
#[expect(
    clippy::large_enum_variant,
    reason = "nearly every report is recorded, and it is not stored in bulk"
)]
pub enum Accepted {
    /// It advanced the session.
    Recorded(Recorded),
    /// The same report was accepted before; nothing has changed.
    Repeated,
}

/// The additions of a report to the log.
#[derive(Debug, Clone, PartialEq)]
pub struct Recorded {
    /// The event to store.
    pub event: Event,
    /// The outcome, if the report ends the session; to be stored together with the event.
    pub finished: Option<Outcome>,
}

impl Recorded {
    /// Both events in order.
    pub fn into_events(self) -> impl Iterator<Item = Event> {
        std::iter::once(self.event).chain(self.finished.map(Event::Finished))
    }
}

impl Session {
    /// Opens a session at a place of the study's plan, and returns the event to store first.
    ///
    /// # Errors
    /// If there is no such place, or the task cannot begin.
    pub fn open(
        study: &Study,
        rater: &str,
        place: u32,
        attempt: u32,
    ) -> Result<(Self, Vec<Event>), SessionError> {
        Self::open_briefed(study, rater, place, attempt, None)
    }

    /// Like [`open`](Self::open), with what the task learned from earlier sessions.
    ///
    /// # Errors
    /// See [`open`](Self::open).
    pub fn open_briefed(
        study: &Study,
        rater: &str,
        place: u32,
        attempt: u32,
        briefing: Option<Value>,
    ) -> Result<(Self, Vec<Event>), SessionError> {
        Self::open_with(study, rater, place, attempt, Background { briefing, qualified_in: None })
    }

    /// Like [`open`](Self::open), with what earlier sessions have shown.
    ///
    /// # Errors
    /// See [`open`](Self::open).
    pub fn open_with(
        study: &Study,
        rater: &str,
        place: u32,
        attempt: u32,
        Background { briefing, qualified_in }: Background,
    ) -> Result<(Self, Vec<Event>), SessionError> {
        let places = study.places();
        if place >= places {
            return Err(SessionError::NoSuchPlace { number: place, places });
        }
        let header = Header {
            rater: rater.into(),
            place: study.place(place),
            attempt,
            study: study.digest(),
            task: study.task().typetag_name().into(),
            task_version: study.task().version(),
            briefing,
            qualified_in,
            generator: GENERATOR.into(),
            software: env!("CARGO_PKG_VERSION").into(),
        };
        let mut session = Self::begin(study, header)?;
        let mut events = vec![Event::Opened(session.header.clone())];
        if let Step::Finished(outcome) = &session.current {
            events.push(Event::Finished(outcome.clone()));
        }
        session.events = events.len() as u64;
        Ok((session, events))
    }

    fn begin(study: &Study, header: Header) -> Result<Self, SessionError> {
        let chance = study.session_chance(header.place.number, header.attempt);
        let inputs = Inputs {
            design: study.design(),
            place: &header.place,
            study_chance: study.chance(),
            briefing: header.briefing.as_ref(),
            is_qualified: header.qualified_in.is_some(),
        };
        let machine = study.task().start(&inputs, &chance)?;
        let protocol = &study.spec().protocol;
        let mut session = Self {
            payment: study.raters().payment.clone(),
            qualifies: study.raters().qualification.is_some() && header.qualified_in.is_none(),
            header,
            before: Surveys::open(Phase::Before, &protocol.before, &chance),
            after: Surveys::open(Phase::After, &protocol.after, &chance),
            beside: Beside::new(&protocol.beside),
            machine,
            current: Step::Finished(Outcome {
                ending: Ending::Completed,
                answered: 0,
                correct: 0,
                earned: None,
            }),
            truth: None,
            fingerprints: Vec::new(),
            replaced: Replaced::new(),
            corrects: protocol.corrections,
            previous: None,
            showing: 0,
            correct: 0,
            in_main: false,
            last: Micros(0),
            events: 0,
        };
        session.advance();
        Ok(session)
    }

    /// How the session was opened.
    #[inline]
    #[must_use]
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The next step.
    #[inline]
    #[must_use]
    pub fn step(&self) -> &Step {
        &self.current
    }

    /// Returns what is hidden from the rater about the current trial; `None` after the end.
    #[inline]
    #[must_use]
    pub fn truth(&self) -> Option<&Truth> {
        self.truth.as_ref()
    }

    /// The number of events in the log.
    #[must_use]
    pub fn events(&self) -> u64 {
        self.events
    }

    /// The time of the last event.
    #[inline]
    #[must_use]
    pub fn last(&self) -> Micros {
        self.last
    }

    /// An independent copy, for looking ahead and for tests.
    #[must_use]
    pub fn fork(&self) -> Self {
        Self {
            header: self.header.clone(),
            payment: self.payment.clone(),
            qualifies: self.qualifies,
            before: self.before.clone(),
            after: self.after.clone(),
            beside: self.beside.clone(),
            machine: self.machine.fork(),
            current: self.current.clone(),
            truth: self.truth.clone(),
            fingerprints: self.fingerprints.clone(),
            replaced: self.replaced.clone(),
            corrects: self.corrects,
            previous: self.previous.as_ref().map(Previous::fork),
            showing: self.showing,
            correct: self.correct,
            in_main: self.in_main,
            last: self.last,
            events: self.events,
        }
    }

    /// Records the answer to a trial. A time before that of the last event is replaced by the time of the last event.
    ///
    /// # Errors
    /// If the session is over, the trial has not been shown, or the answer is not valid. The session is then unchanged.
    pub fn handle_answer(
        &mut self,
        reported: u32,
        answer: impl Into<Answer>,
        timing: Timing,
    ) -> Result<Accepted, Rejected> {
        self.take_answer(reported, answer.into(), timing)
    }

    fn take_answer(&mut self, reported: u32, answer: Answer, timing: Timing) -> Result<Accepted, Rejected> {
        if let Some(repeated) = self.is_repeated(reported, 0, &answer) {
            return repeated;
        }
        let Step::Show(trial) = &self.current else {
            return Err(Rejected::Over);
        };
        if reported != trial.number {
            return Err(Rejected::NotAsked { reported, current: trial.number });
        }
        let timing = Timing { at: timing.at.max(self.last), ..timing };
        let refused = |reason| Rejected::Refused { reported, reason };
        let shown = shown(trial, self.truth.as_ref());
        let (verdict, surveyed) = match trial.phase {
            Phase::Before => self.before.answer(&answer).map_err(refused)?,
            Phase::After => self.after.answer(&answer).map_err(refused)?,
            _ => (self.answer_task(&answer, &timing).map_err(refused)?, Surveyed::GoesOn),
        };
        self.fingerprints.push(answer.fingerprint());
        self.showing = 0;
        self.last = timing.at;
        let event =
            Event::Answered(Answered { trial: reported, shown, answer, correct: verdict.correct, timing });
        match surveyed {
            Surveyed::GoesOn => self.advance(),
            Surveyed::ScreenedOut => self.finish(Ending::ScreenedOut),
        }
        Ok(Accepted::Recorded(self.record(event)))
    }

    /// Lets the task judge the answer to its current trial.
    fn answer_task(&mut self, answer: &Answer, timing: &Timing) -> Result<Verdict, String> {
        let Step::Show(trial) = &self.current else { return Err("the session is over".into()) };
        if let Some(reason) = misshapen(trial, answer).or_else(|| self.beside.fault(trial, answer)) {
            return Err(reason);
        }
        let previous = match self.corrects {
            true => Previous::of(trial, self.truth.as_ref(), &*self.machine, answer),
            false => None,
        };
        let verdict =
            self.machine.answer(&self.beside.without(answer), timing).map_err(|refusal| refusal.0)?;
        let counted = self.counts(trial, verdict);
        self.previous = previous.map(|previous| previous.counted(counted));
        self.in_main |= trial.phase == Phase::Main;
        self.correct += u32::from(counted);
        Ok(verdict)
    }

    /// Whether an answer counts as a right one of the main phase.
    fn counts(&self, trial: &Trial, verdict: Verdict) -> bool {
        trial.phase == Phase::Main && verdict.correct == Some(true)
    }

    /// The number of disturbed presentations of the current trial.
    #[must_use]
    pub fn showing(&self) -> u32 {
        self.showing
    }

    /// The stimuli that the current block may show, including those of the current trial, in ascending order. A page loads
    /// them before the block begins. Empty after the end.
    #[must_use]
    pub fn upcoming(&self) -> Vec<StimulusId> {
        let Step::Show(trial) = &self.current else { return Vec::new() };
        let mut upcoming = self.machine.upcoming();
        upcoming.extend(trial.all_stimuli());
        upcoming.sort_unstable();
        upcoming.dedup();
        upcoming
    }

    /// The trial after the current one, if it is the same whatever the answer to the current one is. `None` after the end.
    #[must_use]
    pub fn following(&self) -> Option<Trial> {
        let Step::Show(trial) = &self.current else { return None };
        if trial.phase.is_survey() {
            return None;
        }
        let following = self.machine.following()?;
        Some(self.beside.with(Trial { number: trial.number + 1, ..following }))
    }

    /// Records that a presentation of the current trial was disturbed. It is void, and the trial is shown again, with
    /// another stimulus if the task has one.
    ///
    /// # Errors
    /// If the session is over, the trial or the presentation has not begun, or the trial has no limited exposure and no clip
    /// stalled. The session is then unchanged.
    pub fn handle_disturbed(
        &mut self,
        reported: u32,
        showing: u32,
        reason: Disturbance,
        at: Micros,
    ) -> Result<Accepted, Rejected> {
        if (reported as usize) < self.fingerprints.len() {
            return Ok(Accepted::Repeated);
        }
        let Step::Show(trial) = &self.current else {
            return Err(Rejected::Over);
        };
        if reported != trial.number || showing > self.showing {
            return Err(Rejected::NotAsked { reported, current: trial.number });
        }
        if showing < self.showing {
            return Ok(Accepted::Repeated);
        }
        if trial.exposure().is_none() && reason != Disturbance::Stalled {
            let reason = "a trial without limited exposure cannot be disturbed".into();
            return Err(Rejected::Refused { reported, reason });
        }
        self.machine.disturb();
        self.showing += 1;
        self.last = at.max(self.last);
        self.advance();
        let disturbed = Disturbed { trial: reported, showing, reason, at: self.last };
        Ok(Accepted::Recorded(self.record(Event::Disturbed(disturbed))))
    }

    /// Adds a note on how the session went. Notes do not affect the session.
    ///
    /// # Errors
    /// If the session is over.
    pub fn handle_note(&mut self, note: SessionNote, at: Micros) -> Result<Recorded, Rejected> {
        if matches!(self.current, Step::Finished(_)) {
            return Err(Rejected::Over);
        }
        self.last = at.max(self.last);
        let noted = Noted { at: self.last, note };
        Ok(self.record(Event::Noted(noted)))
    }

    /// Passes an event of a log to the handler for its kind.
    ///
    /// # Errors
    /// Those of that handler. The opening and the end of a session are rejected.
    pub fn handle_event(&mut self, event: &Event) -> Result<Accepted, Rejected> {
        match event {
            Event::Answered(answered) => {
                self.handle_answer(answered.trial, answered.answer.clone(), answered.timing)
            }
            Event::Corrected(AnswerVersion { revision, answered }) => {
                self.handle_correction(answered.trial, *revision, answered.answer.clone(), answered.timing)
            }
            Event::Disturbed(disturbed) => {
                self.handle_disturbed(disturbed.trial, disturbed.showing, disturbed.reason, disturbed.at)
            }
            Event::Noted(noted) => self.handle_note(noted.note.clone(), noted.at).map(Accepted::Recorded),
            Event::Left { at } => self.handle_leave(*at).map(Accepted::Recorded),
            Event::Opened(_) | Event::Finished(_) | Event::Erased(_) => Err(Rejected::NotReportable),
        }
    }

    /// Records that the rater has left for good.
    ///
    /// # Errors
    /// If the session is over.
    pub fn handle_leave(&mut self, at: Micros) -> Result<Recorded, Rejected> {
        if matches!(self.current, Step::Finished(_)) {
            return Err(Rejected::Over);
        }
        self.last = at.max(self.last);
        self.finish(Ending::Left);
        Ok(self.record(Event::Left { at: self.last }))
    }

    fn record(&mut self, event: Event) -> Recorded {
        let finished = match &self.current {
            Step::Finished(outcome) => Some(outcome.clone()),
            Step::Show(_) => None,
        };
        self.events += 1 + u64::from(finished.is_some());
        Recorded { event, finished }
    }

    /// Goes on to what comes next: the surveys before the task, its trials, and the surveys after it if it was completed.
    fn advance(&mut self) {
        if let Some(page) = self.before.page() {
            return self.ask(page);
        }
        match self.machine.next() {
            Next::Trial(trial) => {
                self.in_main |= trial.phase == Phase::Main;
                self.truth = Some(self.machine.truth());
                if !trial.phase.looks_main() {
                    self.previous = None;
                }
                self.current = Step::Show(self.numbered(trial));
            }
            Next::End(Ending::Completed) => match self.after.page() {
                Some(page) => self.ask(page),
                None => self.finish(Ending::Completed),
            },
            Next::End(ending) => self.finish(ending),
        }
    }

    /// Shows a page of a survey.
    fn ask(&mut self, (page, truth): (Trial, Truth)) {
        self.truth = Some(truth);
        self.previous = None;
        self.current = Step::Show(Trial { number: self.fingerprints.len() as u32, ..page });
    }

    /// A trial of the task as raters see it.
    fn numbered(&self, trial: Trial) -> Trial {
        self.beside.with(Trial { number: self.fingerprints.len() as u32, ..trial })
    }

    fn finish(&mut self, ending: Ending) {
        self.truth = None;
        self.previous = None;
        self.current = Step::Finished(Outcome {
            ending,
            answered: self.fingerprints.len() as u32,
            correct: self.correct,
            earned: self.payment.as_ref().map(|payment| self.earned(payment, ending)),
        });
    }

    /// Returns the earnings of a rater who leaves now; `None` without payment.
    #[must_use]
    pub fn earned_by_leaving(&self) -> Option<Earned> {
        self.payment.as_ref().map(|payment| self.earned(payment, Ending::Left))
    }

    /// The base is paid for the qualification, whether passed or not, or for completing a study without one, and to raters who are
    /// screened out unless the study says otherwise. The bonus is paid for each right answer after the qualification.
    fn earned(&self, payment: &Payment, ending: Ending) -> Earned {
        let base_earned = match ending {
            Ending::Completed | Ending::Disqualified => true,
            Ending::Left => self.qualifies && self.in_main,
            Ending::ScreenedOut => payment.screened_out == ScreenedOutPay::Base,
        };
        Earned {
            base: if base_earned { payment.base } else { Default::default() },
            bonus: payment.per_correct.times(u64::from(self.correct)),
            // Notes have no effect on a session: its record adds the pay for waiting.
            waiting: Default::default(),
        }
    }
}

fn shown(trial: &Trial, truth: Option<&Truth>) -> Shown {
    Shown {
        phase: truth.and_then(|truth| truth.logged_as).unwrap_or(trial.phase),
        block: trial.block,
        stimuli: trial.stimuli().collect(),
        model: truth.and_then(|truth| truth.model),
        exposure_ms: trial.exposure(),
    }
}

/// The name of a session in the store, composed of place and attempt. Names sort by place, up to a million places.
#[must_use]
pub fn session_name(place: u32, attempt: u32) -> Arc<str> {
    format!("p{place:06}-{attempt:03}").into()
}

/// The place and the attempt in a [session's name](session_name); `None` if it is not such a name.
#[must_use]
pub fn place_and_attempt(session: &str) -> Option<(u32, u32)> {
    let (place, attempt) = session.strip_prefix('p')?.split_once('-')?;
    Some((place.parse().ok()?, attempt.parse().ok()?))
}
