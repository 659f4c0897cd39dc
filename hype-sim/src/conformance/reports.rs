//! Reports: rejected reports change nothing, repeated reports are harmless.

use hype_core::Step;
use hype_core::study::session::{Accepted, Rejected};
use hype_core::{Answer, Event, Machine, Session, Timing, Trial};
use serde_json::Value;

use super::subject::{machine, open, play};
use super::{Subject, describe, ensure};
use crate::answers;

/// Checks that every invalid answer is refused at every trial, that answers to future trials and different
/// answers to earlier trials are rejected, and that none of them changes anything.
pub(super) fn rejections_change_nothing(subject: &Subject) -> Result<(), String> {
    let study = subject.study()?;
    for place in 0..study.places() {
        let log = play(&study, place)?;
        let mut machine = machine(&study, place)?;
        let (mut session, _) = open(&study, place)?;
        for event in &log {
            let Event::Answered(answered) = event else {
                continue;
            };
            if let Step::Show(trial) = session.step() {
                let trial = trial.clone();
                refuses(&mut *machine, &trial, &answered.answer, &answered.timing)
                    .and_then(|()| rejects(&mut session, &trial, &answered.answer))
                    .map_err(|reason| format!("place {place}, trial {}: {reason}", trial.number))?;
            }
            machine
                .answer(&answered.answer, &answered.timing)
                .map_err(|refusal| format!("place {place}, trial {}: {refusal}", answered.trial))?;
            session
                .handle_answer(answered.trial, answered.answer.clone(), answered.timing)
                .map_err(|error| format!("place {place}: {error}"))?;
        }
        over(&mut session).map_err(|reason| format!("place {place}: {reason}"))?;
    }
    Ok(())
}

/// Gives every invalid answer to the task.
fn refuses(machine: &mut dyn Machine, trial: &Trial, valid: &Answer, timing: &Timing) -> Result<(), String> {
    let (before, next) = (machine.fingerprint(), machine.next());
    for invalid in answers::invalid(trial, valid) {
        ensure(machine.answer(&invalid.answer, timing).is_err(), || {
            format!("the answer {} is accepted, although {}", invalid.answer, invalid.fault)
        })?;
        ensure(machine.fingerprint() == before && machine.next() == next, || {
            format!("refusing the answer {} changes the state", invalid.answer)
        })?;
    }
    Ok(())
}

/// Gives wrong reports to the session.
fn rejects(session: &mut Session, trial: &Trial, valid: &Answer) -> Result<(), String> {
    let before = session.fork();
    let timing = Timing { at: session.last(), ..Timing::default() };
    for ahead in [trial.number.saturating_add(1), trial.number.saturating_add(1000), u32::MAX] {
        let result = session.handle_answer(ahead, valid.clone(), timing);
        ensure(matches!(result, Err(Rejected::NotAsked { .. })), || {
            format!("a report of trial {ahead}, which was not asked, is not rejected as not asked")
        })?;
    }
    if let Some(stale) = trial.number.checked_sub(1) {
        let result = session.handle_answer(stale, Value::from("another answer"), timing);
        ensure(matches!(result, Err(Rejected::AnsweredOtherwise { .. })), || {
            format!("another answer to trial {stale} is not rejected as answered otherwise")
        })?;
    }
    let result = session.handle_answer(trial.number, Value::Null, timing);
    ensure(matches!(result, Err(Rejected::Refused { .. })), || "the answer `null` is not rejected".into())?;
    unchanged(session, &before)
}

/// Gives reports to a session that has ended.
fn over(session: &mut Session) -> Result<(), String> {
    let before = session.fork();
    let result = session.handle_answer(u32::MAX, Value::Null, Timing::default());
    ensure(result == Err(Rejected::Over), || "a report after the end is not rejected as over".into())?;
    ensure(session.handle_leave(session.last()) == Err(Rejected::Over), || {
        "a rater can leave after the end".into()
    })?;
    unchanged(session, &before)
}

fn unchanged(session: &Session, before: &Session) -> Result<(), String> {
    let same = session.step() == before.step()
        && session.truth() == before.truth()
        && session.events() == before.events()
        && session.last() == before.last();
    ensure(same, || {
        format!(
            "a rejected report moves the session from {} to {}",
            describe(before.step()),
            describe(session.step())
        )
    })
}

/// Checks that repeating any report, immediately or later, changes nothing.
pub(super) fn repeats_are_harmless(subject: &Subject) -> Result<(), String> {
    let study = subject.study()?;
    for place in 0..study.places() {
        let log = play(&study, place)?;
        let (mut session, mut again) = open(&study, place)?;
        for (index, event) in log.iter().enumerate() {
            let Event::Answered(answered) = event else {
                continue;
            };
            let result = session.handle_answer(answered.trial, answered.answer.clone(), answered.timing);
            match result {
                Ok(Accepted::Recorded(recorded)) => again.extend(recorded.into_events()),
                other => {
                    return Err(format!("place {place}: trial {} gives {other:?}", answered.trial));
                }
            }
            let before = session.fork();
            for earlier in [index, index / 2, 0].map(|index| &log[index]) {
                let Event::Answered(earlier) = earlier else {
                    continue;
                };
                let later = Timing { at: hype_core::Micros(u64::MAX), ..earlier.timing };
                let result = session.handle_answer(earlier.trial, earlier.answer.clone(), later);
                ensure(result == Ok(Accepted::Repeated), || {
                    format!("place {place}: repeating trial {} gives {result:?}", earlier.trial)
                })?;
            }
            unchanged(&session, &before).map_err(|reason| format!("place {place}, a repeat: {reason}"))?;
        }
        ensure(again == log, || format!("place {place}: with repeats the session has another log"))?;
    }
    Ok(())
}
