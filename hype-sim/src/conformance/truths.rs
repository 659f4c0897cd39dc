//! Truths: the server's knowledge of a trial agrees with its stimuli and with how answers are judged.

use std::collections::BTreeSet;

use hype_core::model::trial::{Form, Phase};
use hype_core::{Answer, AnswerValue, Ending, Micros, Question, Role, SetId, Study, Timing, Trial, Truth};

use super::subject::{Moment, Player, at_every_trial, own_chance, walk};
use super::{Subject, ensure};
use crate::answers;
use crate::population::{Behaviour, right_entry};

/// Checks that every right answer can be given: it answers at least one question of its trial, each by a value that
/// the question's form allows.
pub(super) fn right_answers_can_be_given(subject: &Subject) -> Result<(), String> {
    at_every_trial(subject, |moment| {
        let Some(right) = &moment.truth.answer else {
            return Ok(());
        };
        ensure(right.is_object() && right.entries().next().is_some(), || {
            "the right answer answers no question".into()
        })?;
        for (id, value) in right.entries() {
            let question = moment.trial.questions.iter().find(|question| *question.id == *id);
            let allowed = question.is_some_and(|question| answers::accepts(&question.form, value));
            ensure(allowed, || format!("the right answer `{id}: {}` cannot be given", value.to_json()))?;
        }
        Ok(())
    })
}

/// Checks that the right answer is judged right, that another answer to each of its questions is judged wrong, that
/// answers are judged only if there is a right one, and that no verdict depends on the response time.
pub(super) fn verdicts_follow_the_truth(subject: &Subject) -> Result<(), String> {
    at_every_trial(subject, |moment| {
        let Moment { trial, truth, .. } = *moment;
        let mut chance = own_chance(moment.study, moment.place).stream("verdicts");
        let right = answers::answer(trial, |question| {
            right_entry(question, Some(truth))
                .cloned()
                .unwrap_or_else(|| answers::any(&question.form, &mut chance))
        });
        let expected = truth.answer.is_some().then_some(true);
        verdict_is(moment, &right, expected)?;
        for question in trial.questions.iter() {
            let Some(entry) = right_entry(question, Some(truth)) else {
                continue;
            };
            let others = alternatives(question, entry);
            let mut wrong = others.into_iter().map(|other| {
                let rest = right.entries().filter(|(id, _)| *id != &*question.id);
                let entries = rest.map(|(id, value)| (id, value.clone())).chain([(&*question.id, other)]);
                entries.collect::<Answer>()
            });
            let found = wrong.find(|answer| judged(moment, answer, Timing::default()) == Ok(Some(false)));
            match found {
                Some(answer) => verdict_is(moment, &answer, Some(false))?,
                None => return Err(format!("no answer to `{}` is judged wrong", question.id)),
            }
        }
        Ok(())
    })
}

/// Checks the verdict on an answer, whenever it is given.
fn verdict_is(moment: &Moment<'_>, answer: &Answer, expected: Option<bool>) -> Result<(), String> {
    let minute = Micros(60_000_000);
    for timing in [
        Timing::default(),
        Timing { at: minute, rt: minute, exposure: None },
        Timing { at: minute, rt: Micros(1), exposure: Some(minute) },
    ] {
        let found = judged(moment, answer, timing)?;
        ensure(found == expected, || {
            let word = |verdict: Option<bool>| match verdict {
                Some(true) => "right",
                Some(false) => "wrong",
                None => "neither right nor wrong",
            };
            format!(
                "the answer {} after {} µs is judged {}, but the truth calls it {}",
                answer.to_json(),
                timing.rt.0,
                word(found),
                word(expected)
            )
        })?;
    }
    Ok(())
}

/// How a copy of the machine judges an answer.
fn judged(moment: &Moment<'_>, answer: &Answer, timing: Timing) -> Result<Option<bool>, String> {
    let verdict = moment
        .machine
        .fork()
        .answer(answer, &timing)
        .map_err(|refusal| format!("the valid answer {} is refused: {refusal}", answer.to_json()))?;
    Ok(verdict.correct)
}

/// Answers to a question that differ from the right one: every option, or the ends and the middle of a range.
fn alternatives(question: &Question, right: &AnswerValue) -> Vec<AnswerValue> {
    let form = &question.form;
    let all: Vec<AnswerValue> = match form {
        Form::Choice { options } => (0..options.len()).map(|index| answers::option(form, index)).collect(),
        _ => [0.0, 0.5, 1.0].map(|place| answers::at(form, place)).to_vec(),
    };
    all.into_iter().filter(|value| value != right).collect()
}

/// Checks that the truth names the model, the role and the sets of the stimuli that the trial shows, in the order
/// shown.
pub(super) fn truths_name_what_is_shown(subject: &Subject) -> Result<(), String> {
    at_every_trial(subject, |moment| names_what_is_shown(moment.study, moment.trial, moment.truth))
}

/// Checks that a truth is about what a trial shows.
pub(super) fn names_what_is_shown(study: &Study, trial: &Trial, truth: &Truth) -> Result<(), String> {
    let stimuli = study.stimuli();
    let set_of = |id| {
        stimuli.get(id).map(|stimulus| stimulus.set).ok_or("a stimulus that is shown is not in the study")
    };
    let sets: Vec<SetId> = trial.stimuli().map(set_of).collect::<Result<_, _>>()?;
    let gallery: Vec<SetId> =
        trial.gallery().iter().map(|image| set_of(image.stimulus)).collect::<Result<_, _>>()?;
    ensure(truth.shown == gallery, || {
        format!("the truth names the sets {:?} side by side, and {gallery:?} are shown", truth.shown)
    })?;
    let role_of = |id: SetId| stimuli.set(id).map(|set| set.role);
    if let Some(role) = truth.role {
        ensure(sets.iter().any(|&id| role_of(id) == Some(role)), || {
            format!("the truth says {role:?}, but no stimulus shown is")
        })?;
    }
    let Some(model) = truth.model else {
        let models: BTreeSet<SetId> =
            sets.iter().copied().filter(|&id| role_of(id) == Some(Role::Generated)).collect();
        ensure(models.is_empty() || !gallery.is_empty(), || {
            "a generated stimulus is shown, and the truth names no model".into()
        })?;
        // Whether stimuli are recognized is a property of one model: the one that made them, or with whose stimuli real
        // ones are shown.
        let is_recognized = truth.answer.is_some() && truth.logged_as.is_none() && trial.phase == Phase::Main;
        return ensure(!is_recognized || models.len() > 1, || {
            "there is a right answer, and the truth names no model to which the judgment belongs".into()
        });
    };
    ensure(role_of(model) == Some(Role::Generated), || {
        format!("the truth names set {} as the model, which is not a model", model.0)
    })?;
    // A block also shows real stimuli, whose judgments count for the model too.
    ensure(truth.role == Some(Role::Real) || sets.contains(&model), || {
        format!("the truth names model {}, and none of its stimuli is shown", model.0)
    })
}

/// Checks that a rater who completes a session judges every model of the session's place, and that all sessions together
/// judge every model of the study.
pub(super) fn every_model_is_judged(subject: &Subject) -> Result<(), String> {
    let study = subject.study()?;
    let mut judged_by_all = BTreeSet::new();
    for place in 0..study.places() {
        let mut player = Player::new(&study, place, Behaviour::Bot)?;
        let mut judged = BTreeSet::new();
        let ending = walk(&study, place, &mut player, |moment| {
            if moment.trial.phase == Phase::Main && moment.truth.logged_as.is_none() {
                judged.extend(moment.truth.model);
                judged.extend(&moment.truth.shown);
            }
            Ok(())
        })?;
        let models = study.place(place).models;
        if ending == Ending::Completed
            && study.raters().per_item.is_none()
            && let Some(missing) = models.iter().find(|model| !judged.contains(model))
        {
            return Err(format!(
                "place {place} is for model {}, which its session does not judge",
                missing.0
            ));
        }
        judged_by_all.extend(judged);
    }
    match study.stimuli().models().find(|model| !judged_by_all.contains(model)) {
        Some(missing) => Err(format!("no session judges model {}", missing.0)),
        None => Ok(()),
    }
}
