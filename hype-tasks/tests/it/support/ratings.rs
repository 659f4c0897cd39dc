//! Studies of ratings, and raters with given answers.
#![allow(dead_code, reason = "each test uses a part of it")]

use std::collections::BTreeMap;
use std::sync::Arc;

use hype_backends::play;
use hype_core::{
    Digest, Event, Media, Micros, Rater, Raters, Response, Role, Row, RubricSpec, ScoreTable, Session,
    SessionRecord, SetId, Spec, Step, Stimuli, Stimulus, StimulusSet, Stream, Study, TaskSpec, Trial, Truth,
    Use,
};
use serde_json::{Map, Value};

/// Adds a set to stimuli: gold images with their answers, or others; each for the item of its number, where the study
/// has as many items.
pub(crate) fn with_set(
    stimuli: &Stimuli,
    name: &str,
    role: Role,
    used_for: Use,
    size: u32,
    answers: &[(&str, &[&str])],
) -> Stimuli {
    let mut sets = stimuli.sets().to_vec();
    let mut all = stimuli.all().to_vec();
    let gold: BTreeMap<Arc<str>, Vec<Arc<str>>> = answers
        .iter()
        .map(|(question, right)| ((*question).into(), right.iter().map(|&one| one.into()).collect()))
        .collect();
    sets.push(StimulusSet::new(name, role, used_for).with_gold(gold));
    for number in 0..size {
        let path: Arc<str> = format!("{name}/{number:06}.png").into();
        let item = (number as usize) < stimuli.items().len();
        all.push(
            Stimulus::new(
                SetId(sets.len() as u16 - 1),
                Digest::of(path.as_bytes()),
                path,
                Media::Image { width: 256, height: 256 },
            )
            .for_item(item.then_some(hype_core::ItemId(number))),
        );
    }
    Stimuli::with_items(sets, all, stimuli.items().to_vec()).unwrap()
}

/// A study of a task and a rubric.
pub(crate) fn study(task: &dyn TaskSpec, rubric: &dyn RubricSpec, raters: Raters, stimuli: Stimuli) -> Study {
    let spec = Spec::new("ratings", 5, task.boxed_clone()).with_raters(raters);
    Study::new(spec.with_rubric(rubric.boxed_clone()), stimuli).unwrap()
}

/// The raters' protocol with another number of raters for each image.
pub(crate) fn per_item(task: &dyn TaskSpec, count: u32) -> Raters {
    Raters { per_item: Some(count), ..task.defaults().raters }
}

/// A study from YAML, whose stimuli are given.
pub(crate) fn from_yaml(text: &str, stimuli: Stimuli) -> Study {
    let source = Spec::read(text.as_bytes()).unwrap_or_else(|found| panic!("{found}"));
    Study::new(source.spec, stimuli).unwrap_or_else(|found| panic!("{found}"))
}

/// A rater who answers each trial by a function.
pub(crate) struct Told<F>(pub(crate) F);

impl<F: FnMut(&Trial, &Truth) -> Value + Send> Rater for Told<F> {
    fn respond(&mut self, trial: &Trial, truth: Option<&Truth>, _: &mut Stream) -> Response {
        Response::Answer { answer: self.0(trial, truth.unwrap()).into(), rt: Micros(1_000_000) }
    }
}

/// Runs the session at a place, and returns its record.
pub(crate) fn answered(
    study: &Study,
    place: u32,
    answer: impl FnMut(&Trial, &Truth) -> Value + Send,
) -> SessionRecord {
    let mut log: Vec<Event> = Vec::new();
    play(study, &mut Told(answer), place, 0, |event| log.push(event)).unwrap();
    SessionRecord::from_events(log).unwrap()
}

/// The first option or the least number for every question except those named.
pub(crate) fn answer_with(trial: &Trial, named: &[(&str, &str)]) -> Value {
    let mut answer = Map::new();
    for question in trial.questions.iter() {
        let told = named.iter().find(|(id, _)| *id == &*question.id).map(|(_, value)| Value::from(*value));
        let first = hype_sim::answers::at(&question.form, 0.0).to_json();
        answer.insert(question.id.to_string(), told.unwrap_or(first));
    }
    Value::Object(answer)
}

/// The scores of a session.
pub(crate) fn scores(study: &Study, record: &SessionRecord) -> ScoreTable {
    let mut table = ScoreTable::default();
    let context = study.scoring();
    study.rubric().score(record, &context, &mut table).unwrap();
    table
}

/// The only value of a measure for an item, if there is one.
pub(crate) fn value(table: &ScoreTable, item: &str, measure: &str) -> Option<f64> {
    let found: Vec<Row<'_>> = table.rows().filter(|row| row.item == item && row.measure == measure).collect();
    assert!(found.len() <= 1, "{measure} of {item}: {found:?}");
    found.first().map(|row| row.value)
}

/// All trials of the session at a place, answered with first options.
pub(crate) fn trials(study: &Study, place: u32) -> Vec<(Trial, Truth)> {
    let (mut session, _) = Session::open(study, "r", place, 0).unwrap();
    let mut trials = Vec::new();
    while let Step::Show(trial) = session.step().clone() {
        trials.push((trial.clone(), session.truth().unwrap().clone()));
        let answer = answer_with(&trial, &[]);
        session.handle_answer(trial.number, answer, hype_core::Timing::default()).unwrap();
    }
    trials
}
