//! Corrections: a rater who returns to the trial before ends as one who answered rightly at once.

use hype_core::study::session::Accepted;
use hype_core::{Answer, Event, Response, Session, Step, Study, Timing};

use super::subject::{Player, open, own_chance, within_bound};
use super::{Subject, describe, ensure};
use crate::answers;
use crate::population::Behaviour;

/// Checks that answers can be corrected wherever [`following`](hype_core::Task::following) says that no answer changes what comes
/// next, that a session with corrections is from there on the same as one without, and that its log can be replayed from every
/// cut. A task that limits exposures allows no corrections, and passes.
pub(super) fn corrections_replace_answers(subject: &Subject) -> Result<(), String> {
    let study = subject.study()?;
    if study.profile().pace.limits_exposure {
        return Ok(());
    }
    let study = subject.study_with(|spec| spec.protocol.corrections = true)?;
    for place in 0..study.places() {
        corrected(&study, place).map_err(|reason| format!("place {place}: {reason}"))?;
    }
    Ok(())
}

/// A session with its log, and the state after each number of events.
struct Played {
    session: Session,
    log: Vec<Event>,
    states: Vec<Session>,
}

impl Played {
    fn open(study: &Study, place: u32) -> Result<Self, String> {
        let (session, log) = open(study, place)?;
        let states = (0..=log.len()).map(|_| session.fork()).collect();
        Ok(Self { session, log, states })
    }

    fn keep(&mut self, accepted: Accepted) -> Result<(), String> {
        let Accepted::Recorded(recorded) = accepted else {
            return Err("a new report counts as a repeat".into());
        };
        // The end is stored together with the answer before it, so a cut between them has the state after both.
        for event in recorded.into_events() {
            self.log.push(event);
            self.states.push(self.session.fork());
        }
        Ok(())
    }

    fn answer(&mut self, trial: u32, answer: &Answer, timing: Timing) -> Result<(), String> {
        let accepted = self.session.handle_answer(trial, answer.clone(), timing);
        self.keep(accepted.map_err(|error| error.to_string())?)
    }

    /// Answers a trial otherwise and corrects that, if the session then allows it, and rightly at once if not.
    fn answer_twice(
        &mut self,
        trial: u32,
        answer: &Answer,
        other: &Answer,
        timing: Timing,
    ) -> Result<(), String> {
        let mut ahead = self.session.fork();
        ahead.handle_answer(trial, other.clone(), timing).map_err(|error| error.to_string())?;
        if ahead.previous().is_none_or(|(previous, _)| previous.number != trial) {
            return self.answer(trial, answer, timing);
        }
        self.answer(trial, other, timing)?;
        for (revision, answer) in [(1, answer), (2, other), (3, answer)] {
            let accepted = self.session.handle_correction(trial, revision, answer.clone(), timing);
            let refused = |error| format!("the trial cannot be corrected, although it says so: {error}");
            self.keep(accepted.map_err(refused)?)?;
            let again = self.session.handle_correction(trial, revision, answer.clone(), timing);
            ensure(again == Ok(Accepted::Repeated), || format!("repeating a correction gives {again:?}"))?;
            let stale = self.session.handle_answer(trial, other.clone(), timing);
            ensure(stale == Ok(Accepted::Repeated), || {
                format!("repeating the first answer gives {stale:?}")
            })?;
        }
        Ok(())
    }

    fn replays(&self, study: &Study) -> Result<(), String> {
        for cut in 1..=self.log.len() {
            let replayed = Session::replay(study, self.log[..cut].iter().cloned()).map_err(|error| {
                format!("with corrections the log cannot be replayed up to event {cut}: {error}")
            })?;
            let live = &self.states[cut];
            let same = replayed.step() == live.step()
                && replayed.previous() == live.previous()
                && replayed.truth() == live.truth()
                && replayed.last() == live.last();
            ensure(same, || {
                format!("replayed up to event {cut} the session with corrections is not where it was")
            })?;
        }
        Ok(())
    }
}

/// A session in which every answer is given otherwise at first, as far as it can be corrected, and one without corrections.
fn corrected(study: &Study, place: u32) -> Result<(), String> {
    let (mut plain, _) = open(study, place)?;
    let mut played = Played::open(study, place)?;
    let mut player = Player::new(study, place, Behaviour::Honest)?;
    let chances = own_chance(study, place);
    let (mut responses, mut others) = (chances.stream("responses"), chances.stream("corrected answers"));
    while let Step::Show(trial) = plain.step() {
        let (trial, truth) = (trial.clone(), plain.truth().cloned());
        within_bound(study, trial.number)?;
        responses.seek(u64::from(trial.number));
        let Response::Answer { answer, rt } = player.respond(&trial, truth.as_ref(), &mut responses) else {
            return Err("a rater who never leaves has left".into());
        };
        let at = |reason: String| format!("trial {}: {reason}", trial.number);
        let timing = Timing { at: plain.last().saturating_add(rt), rt, exposure: None };
        plain.handle_answer(trial.number, answer.clone(), timing).map_err(|error| at(error.to_string()))?;
        let other = answers::random(&trial, &mut others);
        played.answer_twice(trial.number, &answer, &other, timing).map_err(at)?;
        let same = played.session.step() == plain.step() && played.session.truth() == plain.truth();
        ensure(same, || {
            format!(
                "trial {}: after a correction the session is at {}, and without one at {}, or they differ",
                trial.number,
                describe(played.session.step()),
                describe(plain.step())
            )
        })?;
    }
    played.replays(study)
}
