//! The course of a session: the end of the instructions, the wait, answers, disturbances, and the way back and out.

use std::sync::Arc;

use hype_core::model::inspection::TrialInspection;
use hype_core::model::note::{Comprehension, Displayed, Scaled, SessionNote};
use hype_core::model::played::TrialPlayed;
use hype_core::model::trial::Part;
use hype_core::protocol::waiting::Wait;
use hype_core::study::session::Accepted;
use hype_core::{Event, Micros, Place, Timing, Trial, Truth};

use crate::web::service::cached_session::CachedSession;
use crate::web::service::context::Context;
use crate::web::service::fault::Fault;
use crate::web::service::places::Places;
use crate::web::service::running::RunningStudy;
use crate::web::service::sessions::Sessions;
use crate::web::wire::request::{
    AnswerReport, BackRequest, BeginRequest, DisturbedReport, LeaveRequest, WaitRequest,
};
use crate::web::wire::screen::{Receipt, Screen};

mod limits;

/// Handles the reports of raters who are in a session.
#[derive(Debug)]
pub struct TrialService {
    context: Arc<Context>,
    running: Arc<RunningStudy>,
    places: Arc<Places>,
    sessions: Arc<Sessions>,
}

/// The current trial with its right answer, for synthetic raters. They err at a given rate, so they need the right
/// answer.
#[derive(Debug, Clone)]
pub(crate) struct GroundTruth {
    pub(crate) place: Place,
    pub(crate) attempt: u32,
    pub(crate) rater: Arc<str>,
    pub(crate) trial: Trial,
    pub(crate) truth: Option<Truth>,
}

impl TrialService {
    pub(crate) fn new(
        context: &Arc<Context>,
        running: &Arc<RunningStudy>,
        places: &Arc<Places>,
        sessions: &Arc<Sessions>,
    ) -> Self {
        Self {
            context: Arc::clone(context),
            running: Arc::clone(running),
            places: Arc::clone(places),
            sessions: Arc::clone(sessions),
        }
    }

    /// Handles the end of the instructions. The first trial follows, or a wait in a study that is held open, or the instructions
    /// again if the question on them was answered wrong.
    ///
    /// # Errors
    /// If the cookie belongs to no session, another page has taken the session over, or the store fails.
    pub async fn begin(&self, cookie: Option<&str>, begin: BeginRequest) -> Result<Screen, Fault> {
        let mut held = self.sessions.of_tab(cookie, &begin.tab, |_| true).await?;
        if self.context.study.raters().recruitment.hold_open.is_some() {
            // The operator may have called.
            self.running.follow_actions().await?;
        }
        let cached = held.session()?;
        if !cached.page.begun && !cached.is_surveyed_before() && cached.trial().is_some() {
            let at = cached.at(self.context.now());
            let mut events = Vec::new();
            if self.has_understood(cached, begin.comprehension, at, &mut events)? {
                cached.note(SessionNote::Environment(begin.environment), at, &mut events)?;
                if let Some(retainer) = self.running.held_open() {
                    cached.note(SessionNote::Waited(Wait::first(&retainer)), at, &mut events)?;
                    // A rater who waits keeps the place although nothing was answered yet.
                    self.places.keep(cached);
                }
            }
            self.sessions.append(&mut held, events).await?;
        }
        self.sessions.end_excluded(&mut held).await?;
        self.sessions.show(held.session()?, None).await
    }

    /// Records the answer to the question on the instructions, if there is one. Returns whether it is right.
    fn has_understood(
        &self,
        cached: &mut CachedSession,
        option: Option<u32>,
        at: Micros,
        events: &mut Vec<Event>,
    ) -> Result<bool, Fault> {
        let Some(right) = self.context.presenter.comprehension() else { return Ok(true) };
        self.sessions.check_event_limit(cached)?;
        let option =
            option.ok_or_else(|| Fault::Refused("the question on the instructions has no answer".into()))?;
        let answer = Comprehension { option, right: option as usize == right };
        cached.note(SessionNote::Comprehension(answer), at, events)?;
        Ok(answer.right)
    }

    /// Handles the question of a page whether its rater's wait is over: with the waiting screen if it is not, and otherwise with the
    /// first trial. The time waited is stored first. Asking more often changes nothing.
    ///
    /// # Errors
    /// If the cookie belongs to no session, another page has taken the session over, or the store fails.
    pub async fn wait(&self, cookie: Option<&str>, wait: &WaitRequest) -> Result<Screen, Fault> {
        let mut held = self.sessions.of_tab(cookie, &wait.tab, CachedSession::has_waited).await?;
        self.sessions.continue_wait(&mut held).await?;
        self.sessions.settle(&mut held, None).await
    }

    /// Handles the answer to a trial. Repeating an answer changes nothing and gives the same receipt.
    ///
    /// # Errors
    /// If the cookie belongs to no session, another page has taken the session over, the session is at another trial, the
    /// answer is not valid for the trial, or the store fails.
    pub async fn answer(&self, cookie: Option<&str>, mut answer: AnswerReport) -> Result<Receipt, Fault> {
        let (trial, revision) = (answer.trial, answer.revision);
        let is_current = |cached: &CachedSession| {
            !cached.is_behind(trial, answer.showing) && !cached.is_behind_correction(trial, revision)
        };
        let mut held = self.sessions.of_tab(cookie, &answer.tab, is_current).await?;
        let cached = held.session()?;
        let now = self.context.now();
        let at = cached.at(now);
        self.check_answer(cached, &answer)?;
        let gives_feedback = cached.trial().is_some_and(|trial| trial.feedback.is_some());
        let part = cached.trial().and_then(limited_part);
        let exposure = answer.display.as_ref().and_then(|display| display.shown(part?));
        let mut events = self.notes(cached, &mut answer, at)?;
        let timing = Timing { at, rt: Micros(answer.rt_us.min(self.context.max_age().0)), exposure };
        let accepted = match revision {
            0 => cached.session.handle_answer(trial, answer.answer, timing),
            _ => cached.session.handle_correction(trial, revision, answer.answer, timing),
        };
        let accepted = match accepted {
            Ok(accepted) => accepted,
            Err(rejected) => {
                // The copy still has the notes on this answer, which are not part of the log.
                if !events.is_empty() {
                    held.forget();
                }
                return Err(rejected.into());
            }
        };
        if let Accepted::Recorded(recorded) = accepted {
            let correct = match &recorded.event {
                Event::Answered(answered) => answered.correct.filter(|_| gives_feedback),
                _ => None,
            };
            cached.take(recorded, &mut events);
            cached.page.last = Some((trial, correct));
            self.sessions.append(&mut held, events).await?;
            self.places.renew_or_release(held.session()?, now).await?;
            self.context.traffic.answered(Micros(self.context.now().0.saturating_sub(now.0)));
        } else {
            self.sessions.confirm(&mut held).await?;
            // The server that stored the answer may have ended before it prolonged or released the place.
            self.places.renew_or_release(held.session()?, now).await?;
        }
        self.sessions.end_excluded(&mut held).await?;
        let cached = held.session()?;
        if let Some(rest) = cached.trial().and_then(|next| next.rest) {
            let until = now.saturating_add(Micros(u64::from(rest.at_most.0) * 1_000));
            self.context.rests.begin(&cached.credential.session, until, now);
        }
        let correct = cached.page.last.filter(|(last, _)| *last == trial).and_then(|(_, correct)| correct);
        Ok(Receipt { saved: true, correct, next: self.sessions.show(cached, None).await? })
    }

    /// Records what a report says in addition to the answer, unless it repeats one. Returns the events to store.
    fn notes(
        &self,
        cached: &mut CachedSession,
        answer: &mut AnswerReport,
        at: Micros,
    ) -> Result<Vec<Event>, Fault> {
        let (trial, showing) = (answer.trial, answer.showing);
        let is_new = match answer.revision {
            0 => cached.trial().is_some_and(|current| current.number == trial),
            revision => {
                self.sessions.check_event_limit(cached)?;
                revision > cached.session.corrections_of(trial)
            }
        };
        let mut events = Vec::new();
        if !is_new {
            return Ok(events);
        }
        let overrun = self.overrun(cached, answer, at);
        if let Some(display) = answer.display.take() {
            cached.note(SessionNote::Displayed(Displayed { trial, showing, display }), at, &mut events)?;
        }
        if let Some(scale) = answer.scale.filter(|scale| cached.page.scale != Some(*scale)) {
            cached.note(SessionNote::Scaled(Scaled { trial, scale }), at, &mut events)?;
        }
        if let Some(inspection) = answer.inspection.take() {
            let inspected = TrialInspection { trial, inspection };
            cached.note(SessionNote::Inspected(inspected), at, &mut events)?;
        }
        if let Some(played) = answer.played.take() {
            cached.note(SessionNote::Played(TrialPlayed { trial, played }), at, &mut events)?;
        }
        if let Some(overrun) = overrun {
            cached.note(SessionNote::Overrun(overrun), at, &mut events)?;
        }
        Ok(events)
    }

    /// The trial before the current one, for a rater who wants to correct the answer to it. Nothing changes until the rater gives
    /// another answer.
    ///
    /// # Errors
    /// If the cookie belongs to no session, another page has taken the session over, the session is at another trial, or the rater
    /// cannot return to the trial.
    pub async fn back(&self, cookie: Option<&str>, back: &BackRequest) -> Result<Screen, Fault> {
        let is_current = |cached: &CachedSession| !cached.is_behind(back.trial.saturating_add(1), 0);
        let mut held = self.sessions.of_tab(cookie, &back.tab, is_current).await?;
        let cached = held.session()?;
        let can_return = |(trial, _): (&Trial, _)| trial.number == back.trial;
        if !cached.is_at_trial() || !cached.session.previous().is_some_and(can_return) {
            return Err(Fault::NotThisTrial);
        }
        self.context.presenter.back(cached).ok_or(Fault::NotThisTrial)
    }

    /// Handles a showing that was disturbed.
    ///
    /// # Errors
    /// As [`answer`](Self::answer).
    pub async fn disturbed(&self, cookie: Option<&str>, disturb: DisturbedReport) -> Result<Receipt, Fault> {
        let (trial, showing) = (disturb.trial, disturb.showing);
        let is_current = |cached: &CachedSession| !cached.is_behind(trial, showing);
        let mut held = self.sessions.of_tab(cookie, &disturb.tab, is_current).await?;
        let cached = held.session()?;
        if !cached.is_at_trial() {
            return Err(Fault::NotThisTrial);
        }
        limits::check_display(cached, trial, disturb.display.as_ref())?;
        self.check_stall(disturb.reason)?;
        self.sessions.check_event_limit(cached)?;
        let at = cached.at(self.context.now());
        match cached.session.handle_disturbed(trial, showing, disturb.reason, at)? {
            Accepted::Recorded(recorded) => {
                let mut events: Vec<Event> = recorded.into_events().collect();
                if let Some(display) = disturb.display.filter(|_| cached.outcome().is_none()) {
                    let displayed = Displayed { trial, showing, display };
                    cached.note(SessionNote::Displayed(displayed), at, &mut events)?;
                }
                self.sessions.append(&mut held, events).await?;
            }
            _ => self.sessions.confirm(&mut held).await?,
        }
        self.sessions.end_excluded(&mut held).await?;
        let next = self.sessions.show(held.session()?, None).await?;
        Ok(Receipt { saved: true, correct: None, next })
    }

    /// Ends the session of a rater who leaves for good.
    ///
    /// # Errors
    /// If the cookie belongs to no session, another page has taken the session over, or the store fails.
    pub async fn leave(&self, cookie: Option<&str>, leave: &LeaveRequest) -> Result<Screen, Fault> {
        let mut held = self.sessions.of_tab(cookie, &leave.tab, |_| false).await?;
        let cached = held.session()?;
        if cached.outcome().is_none() {
            let left = cached.session.handle_leave(cached.at(self.context.now()))?;
            self.sessions.append(&mut held, left.into_events().collect()).await?;
        }
        self.sessions.settle(&mut held, None).await
    }

    /// The ground truth of a session's current trial.
    pub(crate) async fn ground_truth(&self, cookie: Option<&str>) -> Result<GroundTruth, Fault> {
        let credential = self.context.credential(cookie).ok_or(Fault::NoSession)?;
        let mut held = self.sessions.load(&credential, |_| true).await?.ok_or(Fault::NoSession)?;
        let cached = held.session()?;
        let header = cached.session.header();
        Ok(GroundTruth {
            place: header.place.clone(),
            attempt: header.attempt,
            rater: Arc::clone(&header.rater),
            trial: cached.trial().cloned().ok_or(Fault::NotThisTrial)?,
            truth: cached.session.truth().cloned(),
        })
    }
}

/// The index of the part whose exposure is limited.
fn limited_part(trial: &Trial) -> Option<usize> {
    trial.parts.iter().position(|part| {
        matches!(part, Part::Stimulus { exposure: Some(_), .. } | Part::Gallery { exposure: Some(_), .. })
    })
}
