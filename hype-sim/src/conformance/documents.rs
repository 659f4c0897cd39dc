//! Documents: the example fits the schema of the task, and answers fit the schema of answers.

use hype_core::plugin::registry::PluginEntry;
use hype_core::plugin::schema::answer_schema;
use hype_core::yaml::{Document, to_json};
use hype_core::{Event, Registry, SpecPart, TaskSpec};
use jsonschema::Validator;
use schemars::generate::SchemaSettings;
use serde_json::Value;

use super::subject::{Player, open, play, play_on};
use super::{Subject, ensure};
use crate::population::Behaviour;

/// Checks that the task is registered, that its example reads and fits its schema, and that the task under
/// test and its example survive a round trip through YAML.
pub(super) fn example_fits_the_schema(subject: &Subject) -> Result<(), String> {
    let entry = entry(subject)?;
    let schema = SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<dyn TaskSpec>();
    let validator = validator(&schema.to_value())?;
    let document =
        Document::parse(entry.example).map_err(|found| format!("the example is not YAML: {found}"))?;
    fits(&validator, &to_json(document.root()))
        .map_err(|reason| format!("the example does not fit: {reason}"))?;
    let example: Box<dyn TaskSpec> =
        document.root().read().map_err(|found| format!("the example cannot be read: {found}"))?;
    for (name, task) in [("the example", &*example), ("the task", subject.task())] {
        let written =
            serde_json::to_value(task).map_err(|error| format!("{name} cannot be written: {error}"))?;
        fits(&validator, &written)
            .map_err(|reason| format!("{name}, once written, does not fit: {reason}"))?;
        let read: Box<dyn TaskSpec> = serde_json::from_value(written.clone())
            .map_err(|error| format!("{name} cannot be read: {error}"))?;
        let again =
            serde_json::to_value(&read).map_err(|error| format!("{name} cannot be written: {error}"))?;
        if again != written {
            return Err(format!("{name} changes when written and read again: {again}, not {written}"));
        }
    }
    Ok(())
}

/// Checks that the task asks the same once it was written and read: no setting gets lost.
pub(super) fn written_tasks_ask_the_same(subject: &Subject) -> Result<(), String> {
    let written = serde_json::to_value(subject.task())
        .map_err(|error| format!("the task cannot be written: {error}"))?;
    let read: Box<dyn TaskSpec> =
        serde_json::from_value(written).map_err(|error| format!("the task cannot be read: {error}"))?;
    let (given, read) = (subject.study()?, subject.clone().with_task(read).study()?);
    for place in 0..given.places() {
        ensure(play(&given, place)? == play(&read, place)?, || {
            format!("place {place}: once written and read, the task has another session: a setting gets lost")
        })?;
    }
    Ok(())
}

/// Checks that the answers of raters of every behaviour fit the schema of the task's answers.
pub(super) fn answers_fit_the_schema(subject: &Subject) -> Result<(), String> {
    let schema = answer_schema(&entry(subject)?).ok_or("the task has no schema of its answers")?;
    let validator = validator(&schema)?;
    let study = subject.study()?;
    for place in 0..study.places() {
        for behaviour in Behaviour::ALL {
            let (mut session, mut log) = open(&study, place)?;
            let mut player = Player::new(&study, place, behaviour)?;
            play_on(&study, &mut session, &mut player, &mut log, |_| Ok(()))
                .map_err(|reason| format!("place {place}, {behaviour:?}: {reason}"))?;
            for event in &log {
                let Event::Answered(answered) = event else {
                    continue;
                };
                fits(&validator, &answered.answer.to_json())
                    .map_err(|reason| format!("the answer {} does not fit: {reason}", answered.answer))?;
            }
        }
    }
    Ok(())
}

fn entry(subject: &Subject) -> Result<PluginEntry, String> {
    let registry = Registry::linked().map_err(|error| error.to_string())?;
    let kind = subject.task().typetag_name();
    registry.find(SpecPart::Task, kind).copied().ok_or_else(|| format!("the task `{kind}` is not registered"))
}

pub(super) fn validator(schema: &Value) -> Result<Validator, String> {
    jsonschema::validator_for(schema).map_err(|error| format!("the schema is not valid: {error}"))
}

pub(super) fn fits(validator: &Validator, value: &Value) -> Result<(), String> {
    let faults: Vec<String> =
        validator.iter_errors(value).map(|fault| format!("{fault} at {}", fault.instance_path())).collect();
    if faults.is_empty() { Ok(()) } else { Err(faults.join("; ")) }
}
