//! Rubrics: they score exactly what they declare, from any log of their task.

use std::collections::BTreeSet;

use hype_core::diagnostics::Diagnostics;
use hype_core::yaml::{Document, to_json};
use hype_core::{Event, Registry, RubricSpec, ScoreTable, SessionRecord, SpecPart, Study, TaskSpec};
use schemars::generate::SchemaSettings;

use super::documents::{fits, validator};
use super::subject::{Player, open, play_on};
use super::{Subject, ensure};
use crate::population::Behaviour;

/// Checks that the rubric is registered, that its example can be read, fits its schema and can score the task's
/// example, as the rubric under test can score the task, and that both survive a round trip through YAML.
pub(super) fn rubric_example_fits_the_schema(subject: &Subject) -> Result<(), String> {
    let rubric = subject.rubric();
    let (kind, task) = (rubric.typetag_name(), subject.task());
    let registry = Registry::linked().map_err(|error| error.to_string())?;
    let registered = |part: SpecPart, kind: &str| {
        registry.find(part, kind).ok_or_else(|| format!("{part:?} `{kind}` is not registered"))
    };
    let entry = registered(SpecPart::Rubric, kind)?;
    let of_task = registered(SpecPart::Task, task.typetag_name())?;
    let schema = SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<dyn RubricSpec>();
    let validator = validator(&schema.to_value())?;
    let document =
        Document::parse(entry.example).map_err(|found| format!("the example is not YAML: {found}"))?;
    fits(&validator, &to_json(document.root()))
        .map_err(|reason| format!("the example does not fit: {reason}"))?;
    let example: Box<dyn RubricSpec> =
        document.root().read().map_err(|found| format!("the example cannot be read: {found}"))?;
    let example_task: Box<dyn TaskSpec> = Document::parse(of_task.example)
        .map_err(|found| found.to_string())
        .and_then(|document| document.root().read().map_err(|found| found.to_string()))
        .map_err(|reason| format!("the task's example cannot be read: {reason}"))?;
    for (name, one, task) in [("the example", &example, &*example_task), ("the rubric", &rubric, task)] {
        let mut found = Diagnostics::new();
        one.check(&task.describe(), &mut found);
        ensure(!found.has_errors(), || format!("{name} is refused: {found}"))?;
        let written =
            serde_json::to_value(one).map_err(|error| format!("{name} cannot be written: {error}"))?;
        fits(&validator, &written)
            .map_err(|reason| format!("{name}, once written, does not fit: {reason}"))?;
        let read: Box<dyn RubricSpec> = serde_json::from_value(written.clone())
            .map_err(|error| format!("{name} cannot be read: {error}"))?;
        let again =
            serde_json::to_value(&read).map_err(|error| format!("{name} cannot be written: {error}"))?;
        ensure(again == written, || {
            format!("{name} changes when written and read again: {again}, not {written}")
        })?;
    }
    Ok(())
}

/// Checks that there is at least one measure, for the study's score, and that names are unique.
pub(super) fn measures_are_declared_once(subject: &Subject) -> Result<(), String> {
    let measures = subject.rubric().measures();
    ensure(!measures.is_empty(), || "the rubric measures nothing".into())?;
    let mut seen = BTreeSet::new();
    for measure in &measures {
        ensure(!measure.name.trim().is_empty(), || format!("the measure {:?} has no name", measure.label))?;
        ensure(seen.insert(&measure.name), || format!("`{}` is declared twice", measure.name))?;
    }
    Ok(())
}

/// Checks that sessions give finite values, only for declared measures, and that those of an honest rater give values
/// of the first one, which is the study's score.
pub(super) fn scores_are_finite_and_declared(subject: &Subject) -> Result<(), String> {
    let declared = subject.rubric().measures();
    let mut of_first = 0;
    each_session(subject, |study, behaviour, log| {
        let table = scores(study, log)?;
        for row in table.rows() {
            ensure(declared.iter().any(|measure| &*measure.name == row.measure), || {
                format!("the measure `{}` is not declared", row.measure)
            })?;
            ensure(row.value.is_finite(), || format!("a value of `{}` is {}", row.measure, row.value))?;
            let is_first = declared.first().is_some_and(|first| &*first.name == row.measure);
            of_first += usize::from(is_first && behaviour == Behaviour::Honest);
        }
        Ok(())
    })?;
    ensure(of_first > 0, || "honest raters' sessions give no value of the first measure".into())
}

/// Checks that the same log gives the same rows, also when they are added to a table with other rows.
pub(super) fn scoring_twice_gives_the_same(subject: &Subject) -> Result<(), String> {
    each_session(subject, |study, _, log| {
        let once = scores(study, log)?;
        ensure(scores(study, log)? == once, || "the same log gives different rows".into())?;
        let mut twice = once.clone();
        add_scores(study, log, &mut twice)?;
        let (again, rows) = (twice.rows().skip(once.len()), once.rows());
        ensure(twice.len() == 2 * once.len() && again.eq(rows), || {
            "a table with other rows gets different ones".into()
        })
    })
}

/// Checks that a log can be scored wherever it is cut, as running sessions are.
pub(super) fn cut_logs_are_scored(subject: &Subject) -> Result<(), String> {
    each_session(subject, |study, _, log| {
        for cut in 1..log.len() {
            scores(study, &log[..cut]).map_err(|reason| format!("cut after event {cut}: {reason}"))?;
        }
        Ok(())
    })
}

/// Checks that rows name the session's rater, and that their models are sets of the study or empty.
pub(super) fn rows_name_the_rater_and_models(subject: &Subject) -> Result<(), String> {
    each_session(subject, |study, _, log| {
        let record = record(log)?;
        let sets = study.stimuli().sets();
        let is_known = |name: &str| name.is_empty() || sets.iter().any(|set| &*set.name == name);
        for row in scores(study, log)?.rows() {
            ensure(row.rater == &*record.header.rater, || format!("a row names the rater `{}`", row.rater))?;
            for model in [row.model, row.against] {
                ensure(is_known(model), || format!("a row names the model `{model}`, which is not a set"))?;
            }
        }
        Ok(())
    })
}

/// Plays a session of every behaviour at every place, and calls `each` with its log.
fn each_session(
    subject: &Subject,
    mut each: impl FnMut(&Study, Behaviour, &[Event]) -> Result<(), String>,
) -> Result<(), String> {
    let study = subject.study()?;
    for place in 0..study.places() {
        for behaviour in Behaviour::ALL {
            let (mut session, mut log) = open(&study, place)?;
            let mut player = Player::new(&study, place, behaviour)?;
            play_on(&study, &mut session, &mut player, &mut log, |_| Ok(()))
                .and_then(|()| each(&study, behaviour, &log))
                .map_err(|reason| format!("place {place}, {behaviour:?}: {reason}"))?;
        }
    }
    Ok(())
}

fn record(log: &[Event]) -> Result<SessionRecord, String> {
    SessionRecord::from_events(log.iter().cloned()).map_err(|error| error.to_string())
}

fn scores(study: &Study, log: &[Event]) -> Result<ScoreTable, String> {
    let mut table = ScoreTable::default();
    add_scores(study, log, &mut table)?;
    Ok(table)
}

fn add_scores(study: &Study, log: &[Event], into: &mut ScoreTable) -> Result<(), String> {
    let context = study.scoring();
    let record = record(log)?;
    study.rubric().score(&record, &context, into).map_err(|error| format!("it cannot be scored: {error}"))
}
