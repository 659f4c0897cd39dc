//! Stimuli and raters for tests of tasks that show images side by side.

#![allow(dead_code, reason = "each test uses some of it")]

use hype_core::model::record::Answered;
use hype_core::model::trial::Form;
use hype_core::study::session::Accepted;
use hype_core::{
    ConditionKind, Digest, Event, ItemId, Media, Raters, Role, Session, SessionRecord, SetId, Spec, Step,
    Stimuli, Stimulus, StimulusSet, Study, TaskSpec, Timing, Trial, Truth, Use,
};
use hype_sim::fixtures;
use serde_json::{Map, Value, json};

/// Items with a prompt, one output of each model, and the original in a set called `real`.
pub(crate) fn items_with_originals(count: u32, models: &[&str]) -> Stimuli {
    let outputs = fixtures::items(count, models, &[ConditionKind::Prompt]);
    let mut sets = outputs.sets().to_vec();
    let mut all = outputs.all().to_vec();
    sets.push(StimulusSet::new("real", Role::Real, Use::Main));
    for number in 0..count {
        let path = format!("real/{number:06}.png");
        all.push(
            Stimulus::new(
                SetId(sets.len() as u16 - 1),
                Digest::of(path.as_bytes()),
                path,
                Media::Image { width: 256, height: 256 },
            )
            .for_item(Some(ItemId(number))),
        );
    }
    Stimuli::with_items(sets, all, outputs.items().to_vec()).unwrap()
}

/// The same items with gold images: an original of each, and so many blank images of each.
pub(crate) fn with_gold(stimuli: &Stimuli, items: u32, blanks: u32) -> Stimuli {
    let mut sets = stimuli.sets().to_vec();
    let mut all = stimuli.all().to_vec();
    for (name, role, of_item) in [("original", Role::Real, 1), ("blank", Role::Generated, blanks)] {
        sets.push(StimulusSet::new(name, role, Use::Gold));
        for number in 0..items * of_item {
            let path = format!("{name}/{number:06}.png");
            all.push(
                Stimulus::new(
                    SetId(sets.len() as u16 - 1),
                    Digest::of(path.as_bytes()),
                    path,
                    Media::Image { width: 256, height: 256 },
                )
                .for_item(Some(ItemId(number % items))),
            );
        }
    }
    Stimuli::with_items(sets, all, stimuli.items().to_vec()).unwrap()
}

/// The same stimuli without those that `left_out` names by path.
pub(crate) fn without(stimuli: &Stimuli, left_out: impl Fn(&str) -> bool) -> Stimuli {
    let kept = stimuli.all().iter().filter(|stimulus| !left_out(&stimulus.path)).cloned().collect();
    let items = stimuli
        .items()
        .iter()
        .map(|item| hype_core::Item { id: item.id.clone(), ..hype_core::Item::default() });
    Stimuli::with_items(stimuli.sets().to_vec(), kept, items.collect()).unwrap()
}

/// A study of a task with so many raters for each item.
pub(crate) fn by_item(task: &dyn TaskSpec, stimuli: Stimuli, per_item: u32, seed: u64) -> Study {
    let raters = Raters { per_item: Some(per_item), ..task.defaults().raters };
    study(task, stimuli, raters, seed)
}

/// A study of a task.
pub(crate) fn study(task: &dyn TaskSpec, stimuli: Stimuli, raters: Raters, seed: u64) -> Study {
    let mut spec = Spec::new("side by side", seed, task.boxed_clone());
    spec = spec.with_raters(raters);
    Study::new(spec, stimuli).unwrap_or_else(|found| panic!("{found}"))
}

/// Runs the session at a place to its end, and returns its record.
pub(crate) fn play(
    study: &Study,
    place: u32,
    briefing: Option<Value>,
    mut answer: impl FnMut(&Trial, &Truth) -> Value,
) -> SessionRecord {
    let rater = format!("r{place}");
    let (mut session, mut log) = Session::open_briefed(study, &rater, place, 0, briefing).unwrap();
    while let Step::Show(trial) = session.step().clone() {
        let given = answer(&trial, session.truth().unwrap());
        let accepted = session.handle_answer(trial.number, given, Timing::default()).unwrap();
        let Accepted::Recorded(recorded) = accepted else { panic!("repeated") };
        log.extend(recorded.into_events());
    }
    SessionRecord::from_events(log).unwrap()
}

/// Runs all sessions, one after the other, each with what was learned from the earlier ones.
pub(crate) fn play_all(
    study: &Study,
    mut answer: impl FnMut(u32, &Trial, &Truth) -> Value,
) -> Vec<SessionRecord> {
    let learner = study.task().learner();
    let mut briefing = Value::Null;
    (0..study.places())
        .map(|place| {
            let briefed = learner.map(|_| briefing.clone());
            let record = play(study, place, briefed, |trial, truth| answer(place, trial, truth));
            if let Some(learner) = learner {
                learner.learn(&mut briefing, &record, study.stimuli());
            }
            record
        })
        .collect()
}

/// A computed answer: options and orders take turns.
pub(crate) fn in_turn(place: u32, trial: &Trial, _: &Truth) -> Value {
    let turn = (place * 7 + trial.number * 3) as usize;
    let mut answer = Map::new();
    for question in trial.questions.iter() {
        let given = match &question.form {
            Form::Choice { options } => json!(&*options[turn % options.len()].value),
            Form::Ranking { candidates, .. } => {
                let count = candidates.len();
                let rank = |index: usize| (index + turn) % count + 1;
                candidates
                    .iter()
                    .enumerate()
                    .map(|(index, candidate)| (candidate.value.to_string(), json!(rank(index))))
                    .collect::<Map<_, _>>()
                    .into()
            }
            other => panic!("{other:?}"),
        };
        answer.insert(question.id.to_string(), given);
    }
    Value::Object(answer)
}

/// The answers of a log's main phase.
pub(crate) fn main(record: &SessionRecord) -> impl Iterator<Item = &Answered> {
    record.main_trials()
}

/// Names of the sets that a trial showed, from left to right.
pub(crate) fn sets<'a>(stimuli: &'a Stimuli, answered: &Answered) -> Vec<&'a str> {
    answered.shown.stimuli.iter().map(|&image| &*stimuli.set_of(image).unwrap().name).collect()
}

/// The events of a log as text, without what depends on the clock.
pub(crate) fn text(records: &[SessionRecord]) -> String {
    let mut text = String::new();
    for record in records {
        for trial in &record.trials {
            let event = Event::Answered(Answered { timing: Timing::default(), ..trial.clone() });
            text += &serde_json::to_string(&event).unwrap();
            text.push('\n');
        }
    }
    text
}
