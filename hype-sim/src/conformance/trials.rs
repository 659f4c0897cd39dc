//! Trials: they can be answered, count up, are repeated when disturbed, and show what was announced.

use std::collections::BTreeSet;

use hype_core::model::trial::{ChoiceOption, Form};
use hype_core::{Next, Question, StimulusId, Timing, Trial};

use super::subject::{Moment, at_every_trial, own_chance};
use super::truths::names_what_is_shown;
use super::{Subject, ensure};
use crate::answers;
use crate::population::wrong_answer;

/// How often a presentation is disturbed in a row.
const DISTURBANCES: u32 = 50;
/// The number of random answers that must not change a trial that was announced.
const ANSWERS: u32 = 4;

/// Checks that every trial asks something, that its questions have different keys, and that each can be answered in
/// at least two ways, all with different labels and values.
pub(super) fn questions_can_be_answered(subject: &Subject) -> Result<(), String> {
    at_every_trial(subject, |moment| {
        let questions = &moment.trial.questions;
        ensure(!questions.is_empty(), || "nothing is asked".into())?;
        let ids: BTreeSet<&str> = questions.iter().map(|question| &*question.id).collect();
        ensure(ids.len() == questions.len(), || "two questions share a key".into())?;
        for question in questions.iter() {
            can_be_answered(question).map_err(|reason| format!("the question `{}` {reason}", question.id))?;
        }
        let labels: BTreeSet<&str> = moment.trial.gallery().iter().map(|image| &*image.label).collect();
        ensure(labels.len() == moment.trial.gallery().len(), || "two images share a label".into())
    })
}

fn can_be_answered(question: &Question) -> Result<(), String> {
    ensure(!question.text.trim().is_empty(), || "has no text".into())?;
    match &question.form {
        Form::Choice { options } => options_differ(options),
        Form::Ranking { candidates, .. } => options_differ(candidates),
        Form::Number { minimum, maximum, whole } => {
            let (least, greatest) =
                if *whole { (minimum.ceil(), maximum.floor()) } else { (*minimum, *maximum) };
            ensure(least.is_finite() && greatest.is_finite() && least < greatest, || {
                format!("asks for a number from {minimum} to {maximum}")
            })
        }
        _ => Ok(()),
    }
}

fn options_differ(options: &[ChoiceOption]) -> Result<(), String> {
    ensure(options.len() > 1, || format!("has {} options", options.len()))?;
    let values: BTreeSet<&str> = options.iter().map(|option| &*option.value).collect();
    ensure(values.len() == options.len(), || "has two options with one value".into())?;
    let labels: BTreeSet<&str> = options.iter().map(|option| option.label.trim()).collect();
    ensure(labels.len() == options.len(), || "has two options with one label".into())?;
    let keys: Vec<char> = options.iter().filter_map(|option| option.key).collect();
    let distinct: BTreeSet<char> = keys.iter().copied().collect();
    ensure(distinct.len() == keys.len(), || "has two options with one key".into())
}

/// Checks that phases and blocks never go back, and that a trial's place in its block counts up from 0 to the number of
/// trials that the task declares for the block.
pub(super) fn trials_count_up(subject: &Subject) -> Result<(), String> {
    let mut before: Option<Trial> = None;
    at_every_trial(subject, |moment| {
        let trial = moment.trial;
        ensure(trial.in_block < trial.block_trials, || {
            format!("trial {} of a block of {} trials", trial.in_block + 1, trial.block_trials)
        })?;
        let last = before.replace(trial.clone()).filter(|_| moment.number > 0);
        let Some(last) = last else {
            return ensure(trial.in_block == 0, || {
                format!("the session begins with trial {} of a block", trial.in_block + 1)
            });
        };
        ensure((last.phase, last.block) <= (trial.phase, trial.block), || {
            format!(
                "block {} of {:?} comes after block {} of {:?}",
                trial.block, trial.phase, last.block, last.phase
            )
        })?;
        let same_block = (last.phase, last.block) == (trial.phase, trial.block);
        let expected = if same_block { last.in_block + 1 } else { 0 };
        ensure(trial.in_block == expected, || {
            format!("trial {} of a block comes where trial {} is due", trial.in_block + 1, expected + 1)
        })
    })
}

/// Checks that a disturbed trial is shown again, however often, with the same position, exposure and questions; only
/// the image may change, and the truth with it.
pub(super) fn disturbed_trials_are_shown_again(subject: &Subject) -> Result<(), String> {
    at_every_trial(subject, |moment| {
        if moment.trial.exposure().is_none() {
            return Ok(());
        }
        let mut copy = moment.machine.fork();
        for _ in 0..DISTURBANCES {
            copy.disturb();
            let Next::Trial(again) = copy.next() else {
                return Err("the session ends because a showing was disturbed".into());
            };
            let trial = moment.trial;
            let is_same = (again.phase, again.block, again.in_block, again.block_trials)
                == (trial.phase, trial.block, trial.in_block, trial.block_trials)
                && again.exposure() == trial.exposure()
                && again.questions == trial.questions
                && again.parts.len() == trial.parts.len();
            ensure(is_same, || "a disturbed trial is replaced by another".into())?;
            names_what_is_shown(moment.study, &again, &copy.truth())
                .map_err(|reason| format!("after a disturbance, {reason}"))?;
        }
        Ok(())
    })
}

/// Checks that a trial's stimuli are among those that the block may still show according to the task, if it lists
/// them, and that all of those exist.
pub(super) fn upcoming_stimuli_hold_what_follows(subject: &Subject) -> Result<(), String> {
    let mut announced: Option<(Trial, Vec<StimulusId>)> = None;
    at_every_trial(subject, |moment| {
        let Moment { trial, study, .. } = *moment;
        let upcoming = moment.machine.upcoming();
        if let Some(unknown) = upcoming.iter().find(|id| study.stimuli().get(**id).is_none()) {
            return Err(format!("stimulus {} is announced, but the study has no such stimulus", unknown.0));
        }
        let last = announced.replace((trial.clone(), upcoming)).filter(|_| moment.number > 0);
        let Some((last, announced)) = last.filter(|(_, announced)| !announced.is_empty()) else {
            return Ok(());
        };
        if (last.phase, last.block) != (trial.phase, trial.block) {
            return Ok(());
        }
        match trial.stimuli().find(|id| !announced.contains(id)) {
            Some(id) => Err(format!("stimulus {} was not announced for this block", id.0)),
            None => Ok(()),
        }
    })
}

/// Checks that a trial that the task announces follows whatever the answer to the current one is: a right one, a wrong one
/// or any other.
pub(super) fn following_trials_follow(subject: &Subject) -> Result<(), String> {
    at_every_trial(subject, |moment| {
        let Moment { trial, truth, .. } = *moment;
        let Some(following) = moment.machine.following() else { return Ok(()) };
        let mut chance = own_chance(moment.study, moment.place).stream("answers before following trials");
        chance.seek(u64::from(moment.number));
        let wrong = wrong_answer(trial, Some(truth), &mut chance);
        let any = (0..ANSWERS).map(|_| answers::random(trial, &mut chance));
        for answer in truth.answer.iter().cloned().chain([wrong]).chain(any) {
            let mut copy = moment.machine.fork();
            // A right answer may leave questions open that have none.
            if copy.answer(&answer, &Timing::default()).is_err() {
                continue;
            }
            ensure(copy.next() == Next::Trial(following.clone()), || {
                format!("the trial that was announced does not follow the answer {answer}")
            })?;
        }
        Ok(())
    })
}
