//! Replay: the state of a session follows from its log.

use hype_core::{Event, Micros, Session, Study};

use super::subject::{Player, machine, open, own_chance, play, play_on};
use super::{Subject, describe, ensure};
use crate::answers;
use crate::population::Behaviour;

/// Checks that replaying the log up to every cut gives the state that the session had there: the same next
/// step, truth and number of events, and the same state of the task, however often it was asked for the
/// next step. At every cut a rater may also leave.
pub(super) fn replays_from_every_cut(subject: &Subject) -> Result<(), String> {
    let study = subject.study()?;
    for place in 0..study.places() {
        sessions_replay(&study, place).map_err(|reason| format!("place {place}: {reason}"))?;
        machines_replay(&study, place).map_err(|reason| format!("place {place}: {reason}"))?;
    }
    Ok(())
}

fn sessions_replay(study: &Study, place: u32) -> Result<(), String> {
    let (mut session, mut log) = open(study, place)?;
    let mut states = vec![session.fork()];
    let mut player = Player::new(study, place, Behaviour::Honest)?;
    play_on(study, &mut session, &mut player, &mut log, |session| {
        states.push(session.fork());
        Ok(())
    })?;
    for cut in 1..=log.len() {
        let replayed = Session::replay(study, log[..cut].iter().cloned())
            .map_err(|error| format!("the log cannot be replayed up to event {cut}: {error}"))?;
        // The end is stored together with the answer before it, so a cut between them has the state after
        // both.
        let answers = log[..cut].iter().filter(|event| matches!(event, Event::Answered(_))).count();
        let live = &states[answers];
        ensure(replayed.step() == live.step(), || {
            format!(
                "replayed up to event {cut} the session is at {}, and it was at {}, or the trials differ",
                describe(replayed.step()),
                describe(live.step())
            )
        })?;
        ensure(replayed.truth() == live.truth(), || format!("replayed up to event {cut} the truth differs"))?;
        ensure(replayed.last() == live.last() && replayed.events() == cut as u64, || {
            format!("replayed up to event {cut} the session counts {} events", replayed.events())
        })?;
        leaving_replays(study, replayed, &log[..cut])?;
    }
    Ok(())
}

/// Leaves the session at a cut, and replays the log that includes leaving.
fn leaving_replays(study: &Study, mut session: Session, log: &[Event]) -> Result<(), String> {
    let Ok(left) = session.handle_leave(Micros(u64::MAX)) else {
        return Ok(());
    };
    let whole = log.iter().cloned().chain(left.into_events());
    match Session::replay(study, whole) {
        Ok(replayed) if replayed.step() == session.step() => Ok(()),
        Ok(_) => {
            Err(format!("left after event {}, the session ends in another way when replayed", log.len()))
        }
        Err(error) => Err(format!("left after event {}, the log cannot be replayed: {error}", log.len())),
    }
}

/// Compares a machine that is asked for every trial with one that only receives the answers.
fn machines_replay(study: &Study, place: u32) -> Result<(), String> {
    let log = play(study, place)?;
    let (mut asked, mut handed) = (machine(study, place)?, machine(study, place)?);
    for event in &log {
        let Event::Answered(answered) = event else {
            continue;
        };
        let trial = answered.trial;
        asked.next();
        asked.truth();
        for machine in [&mut asked, &mut handed] {
            let verdict = machine
                .answer(&answered.answer, &answered.timing)
                .map_err(|refusal| format!("the answer to trial {trial} is refused in replay: {refusal}"))?;
            ensure(verdict.correct == answered.correct, || {
                format!("the answer to trial {trial} is judged otherwise in replay")
            })?;
        }
        ensure(asked.fingerprint() == handed.fingerprint(), || {
            format!("the state after trial {trial} depends on whether the task was asked for the next step")
        })?;
        ensure(asked.fork().next() == handed.fork().next(), || {
            format!("what follows trial {trial} depends on whether the task was asked for the next step")
        })?;
    }
    Ok(())
}

/// Checks that asking for the next trial and for the truth changes nothing, and that asking again gives the
/// same, at every trial and after the end.
pub(super) fn next_changes_nothing(subject: &Subject) -> Result<(), String> {
    let study = subject.study()?;
    for place in 0..study.places() {
        let log = play(&study, place)?;
        let mut machine = machine(&study, place)?;
        let answered = log.iter().filter_map(|event| match event {
            Event::Answered(answered) => Some(Some(answered)),
            _ => None,
        });
        for (trial, answered) in answered.chain([None]).enumerate() {
            let before = machine.fingerprint();
            let first = machine.next();
            ensure(first == machine.next(), || {
                format!(
                    "place {place}: asked twice for the next step, the task gives different ones at trial {trial}"
                )
            })?;
            if let Some(answered) = answered {
                ensure(machine.truth() == machine.truth(), || {
                    format!(
                        "place {place}: asked twice for the truth, the task gives different ones at trial {trial}"
                    )
                })?;
                ensure(before == machine.fingerprint(), || {
                    format!("place {place}: asking changes the state at trial {trial}")
                })?;
                machine
                    .answer(&answered.answer, &answered.timing)
                    .map_err(|refusal| format!("place {place}: trial {trial}: {refusal}"))?;
            }
        }
    }
    Ok(())
}

/// Checks that a copy of a session and the session itself are independent.
pub(super) fn forks_are_independent(subject: &Subject) -> Result<(), String> {
    let study = subject.study()?;
    for place in 0..study.places() {
        let log = play(&study, place)?;
        let mut original = machine(&study, place)?;
        let mut chance = own_chance(&study, place).stream("forks");
        for event in &log {
            let Event::Answered(answered) = event else {
                continue;
            };
            let trial = answered.trial;
            let before = original.fingerprint();
            let mut fork = original.fork();
            ensure(fork.fingerprint() == before && fork.next() == original.next(), || {
                format!("place {place}: a copy made at trial {trial} differs from the original")
            })?;
            // The copy gets another answer, where there is one.
            if let hype_core::Next::Trial(asked) = fork.next() {
                let other = answers::random(&asked, &mut chance);
                fork.answer(&other, &answered.timing).map_err(|refusal| {
                    format!("place {place}: the valid answer {other} is refused: {refusal}")
                })?;
            }
            ensure(original.fingerprint() == before, || {
                format!("place {place}: answering to a copy at trial {trial} changes the original")
            })?;
            let copy = original.fork();
            original
                .answer(&answered.answer, &answered.timing)
                .map_err(|refusal| format!("place {place}: trial {trial}: {refusal}"))?;
            ensure(copy.fingerprint() == before, || {
                format!("place {place}: answering to the original at trial {trial} changes a copy")
            })?;
        }
    }
    Ok(())
}
