//! Endings: every session ends, and its trials depend only on the seed.

use hype_core::Step;
use hype_core::{Ending, Next, Study, Timing, Trial};

use super::subject::{Player, machine, open, play, play_on};
use super::{Subject, ensure, limits};
use crate::answers;
use crate::population::Behaviour;

/// Checks that every session ends within the task's bound for any rater: an honest rater, an
/// inattentive one, each kind of spammer, one who is always right and one who is always wrong. None of them
/// leaves, so every session is completed or ends with the qualification.
pub(super) fn every_rater_comes_to_an_end(subject: &Subject) -> Result<(), String> {
    let study = subject.study()?;
    for place in 0..study.places() {
        for behaviour in Behaviour::ALL {
            let player = Player::new(&study, place, behaviour)?;
            ends(&study, place, player)
                .map_err(|reason| format!("place {place}, {behaviour:?}: {reason}"))?;
        }
        let contrary = Player::always_wrong(&study, place)?;
        ends(&study, place, contrary).map_err(|reason| format!("place {place}, always wrong: {reason}"))?;
    }
    Ok(())
}

fn ends(study: &Study, place: u32, mut player: Player) -> Result<(), String> {
    let (mut session, mut log) = open(study, place)?;
    play_on(study, &mut session, &mut player, &mut log, |_| Ok(()))?;
    match session.step() {
        Step::Finished(outcome) => ensure(outcome.ending != Ending::Left, || {
            "the session ends as left, although the rater did not leave".into()
        }),
        Step::Show(trial) => Err(format!("trial {} is not answered", trial.number)),
    }
}

/// Checks that the same seed gives the same logs to the byte, and that with another seed the task asks
/// something else even for the same answers.
pub(super) fn seeds_decide_sessions(subject: &Subject) -> Result<(), String> {
    let study = |seed: u64| subject.clone().with_seed(seed).study();
    ensure(logs(&study(11)?)? == logs(&study(11)?)?, || "the same seed gives different logs".into())?;
    ensure(asked(&study(11)?)? != asked(&study(12)?)?, || "two seeds give the same trials".into())
}

/// The logs of an honest rater at every place.
fn logs(study: &Study) -> Result<String, String> {
    let mut text = String::new();
    for place in 0..study.places() {
        for event in play(study, place)? {
            text += &serde_json::to_string(&event).map_err(|error| error.to_string())?;
            text.push('\n');
        }
    }
    Ok(text)
}

/// The trials at every place for a rater who always gives the first answer.
fn asked(study: &Study) -> Result<Vec<Trial>, String> {
    let trials: Vec<Vec<Trial>> =
        (0..study.places()).map(|place| asked_at(study, place)).collect::<Result<_, _>>()?;
    Ok(trials.concat())
}

/// The trials at a place for a rater who always gives the first answer.
pub(super) fn asked_at(study: &Study, place: u32) -> Result<Vec<Trial>, String> {
    let mut asked = Vec::new();
    let mut machine = machine(study, place)?;
    for _ in 0..study.trials_at_most() {
        limits::step()?;
        let Next::Trial(trial) = machine.next() else {
            break;
        };
        let first = answers::answer(&trial, |question| answers::at(&question.form, 0.0));
        machine
            .answer(&first, &Timing::default())
            .map_err(|refusal| format!("place {place}: the valid answer {first} is refused: {refusal}"))?;
        asked.push(trial);
    }
    Ok(asked)
}
