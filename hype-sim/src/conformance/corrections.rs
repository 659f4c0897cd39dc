//! Corrections: a rater who returns to the trial before ends as one who answered rightly at once.

use hype_core::study::session::Accepted;
use hype_core::{Answer, Event, Response, Session, Step, Study, Timing, Trial};

use super::subject::{Player, own_chance};
use super::{Subject, describe, ensure};
use crate::answers;
use crate::population::Behaviour;

/// Checks that answers can be corrected wherever [`following`](hype_core::Task::following) says that no answer changes what comes
/// next, that a session with corrections is from there on the same as one without, and that its log can be replayed from every
/// cut. A task that limits exposures allows no corrections, and passes.
///
/// # Errors
/// The first fault found.
pub fn corrections_replace_answers(subject: &Subject) -> Result<(), String> {
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

/// A session in which every answer is given otherwise at first, as far as it can be corrected, beside one without corrections.
fn corrected(study: &Study, place: u32) -> Result<(), String> {
    let open = || {
        Session::open(study, "r1", place, 0).map_err(|error| format!("the session cannot be opened: {error}"))
    };
    let ((mut plain, _), (mut session, mut log)) = (open()?, open()?);
    let mut player = Player::new(study, place, Behaviour::Honest)?;
    let chances = own_chance(study, place);
    let (mut responses, mut others) = (chances.stream("responses"), chances.stream("corrected answers"));
    let mut states = vec![session.fork()];
    while let Step::Show(trial) = plain.step() {
        let (trial, truth) = (trial.clone(), plain.truth().cloned());
        responses.seek(u64::from(trial.number));
        let Response::Answer { answer, rt } = player.respond(&trial, truth.as_ref(), &mut responses) else {
            return Err("a rater who never leaves has left".into());
        };
        let at = |reason: String| format!("trial {}: {reason}", trial.number);
        let timing = Timing { at: plain.last().saturating_add(rt), rt, exposure: None };
        plain.handle_answer(trial.number, answer.clone(), timing).map_err(|error| at(error.to_string()))?;
        let steps =
            with_correction(&mut session, &trial, &answer, timing, answers::random(&trial, &mut others));
        for event in steps.map_err(at)? {
            log.push(event);
            states.push(session.fork());
        }
        let same = session.step() == plain.step() && session.truth() == plain.truth();
        ensure(same, || {
            format!(
                "trial {}: after a correction the session is at {}, and without one at {}, or they differ",
                trial.number,
                describe(session.step()),
                describe(plain.step())
            )
        })?;
    }
    for cut in 1..=log.len() {
        let replayed = Session::replay(study, log[..cut].iter().cloned()).map_err(|error| {
            format!("with corrections the log cannot be replayed up to event {cut}: {error}")
        })?;
        // The states within a step are those after it.
        let is_last = cut == log.len();
        let has = |state: &Session| {
            replayed.step() == state.step()
                && replayed.previous() == state.previous()
                && replayed.truth() == state.truth()
        };
        ensure(states.iter().any(has) || is_last, || {
            format!(
                "replayed up to event {cut} the session with corrections is at none of the states it was in"
            )
        })?;
    }
    let whole = Session::replay(study, log.iter().cloned())
        .map_err(|error| format!("with corrections the log cannot be replayed: {error}"))?;
    ensure(whole.step() == plain.step(), || "with corrections the session ends in another way".into())
}

/// Answers a trial otherwise and corrects that, if the session then allows it, and at once otherwise. Returns the events.
fn with_correction(
    session: &mut Session,
    trial: &Trial,
    answer: &Answer,
    timing: Timing,
    other: Answer,
) -> Result<Vec<Event>, String> {
    let record = |accepted: Accepted| match accepted {
        Accepted::Recorded(recorded) => Ok(recorded.into_events()),
        Accepted::Repeated => Err("a new report counts as a repeat".to_owned()),
    };
    let mut ahead = session.fork();
    let first =
        ahead.handle_answer(trial.number, other.clone(), timing).map_err(|error| error.to_string())?;
    let can_return = ahead.previous().is_some_and(|(previous, _)| previous.number == trial.number);
    if !can_return {
        let accepted =
            session.handle_answer(trial.number, answer.clone(), timing).map_err(|error| error.to_string())?;
        return Ok(record(accepted)?.collect());
    }
    let mut events: Vec<Event> = record(first)?.collect();
    *session = ahead;
    let refused = |error| format!("the trial cannot be corrected, although it says so: {error}");
    for (revision, answer) in [(1, answer), (2, &other), (3, answer)] {
        let accepted = session.handle_correction(trial.number, revision, answer.clone(), timing);
        events.extend(record(accepted.map_err(refused)?)?);
        let again = session.handle_correction(trial.number, revision, answer.clone(), timing);
        ensure(again == Ok(Accepted::Repeated), || format!("repeating a correction gives {again:?}"))?;
        let stale = session.handle_answer(trial.number, other.clone(), timing);
        ensure(stale == Ok(Accepted::Repeated), || format!("repeating the first answer gives {stale:?}"))?;
    }
    Ok(events)
}
