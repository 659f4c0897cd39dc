//! `hype export`: scores, trials, events and earnings as CSV or JSON Lines, streamed.

use std::io::Write;

use hype_core::analysis::visit_scores;
use hype_core::score::{Row, ScoreTable};
use hype_core::{Event, SessionRecord, Store, Study};
use serde_json::{Value, json};

use super::args::{ExportArguments, ExportFormat, ExportWhat};
use super::failure::Failure;
use super::output::writer;
use super::study_folder;

/// The columns of the tidy table of scores.
pub(crate) const SCORE_COLUMNS: [&str; 7] =
    ["rater", "model", "against", "item", "block", "measure", "value"];

const TRIAL_COLUMNS: [&str; 14] = [
    "session_place",
    "rater",
    "trial",
    "phase",
    "block",
    "model",
    "set",
    "stimulus",
    "exposure_ms",
    "answer",
    "correct",
    "at_us",
    "rt_us",
    "ending",
];

const EARNING_COLUMNS: [&str; 4] = ["rater", "currency", "base", "bonus"];

/// Sessions that are asked from the store at a time.
const PAGE: usize = 256;

pub(crate) fn run(arguments: &ExportArguments) -> Result<(), Failure> {
    let kept = study_folder::read(&arguments.study)?;
    let (study, store) = (kept.study(), kept.store());
    let mut out = writer(arguments.output.as_deref())?;
    match (arguments.what, arguments.format) {
        (ExportWhat::Events, ExportFormat::Jsonl) => write_events(store, &mut out)?,
        (ExportWhat::Events, ExportFormat::Csv) => {
            return Err(Failure::Message("events are nested: export them with --format jsonl".into()));
        }
        (ExportWhat::Scores, format) => {
            let mut rows = RowWriter::new(out, format, &SCORE_COLUMNS)?;
            each_scored(study, store, |record, scores| {
                if !record.is_complete() && !arguments.all {
                    return Ok(());
                }
                scores.rows().try_for_each(|row| rows.write(&score_row(&row)))
            })?;
            return rows.finish();
        }
        (ExportWhat::Trials, format) => {
            let mut rows = RowWriter::new(out, format, &TRIAL_COLUMNS)?;
            each_record(store, |record| trial_rows(study, record).try_for_each(|row| rows.write(&row)))?;
            return rows.finish();
        }
        (ExportWhat::Earnings, format) => {
            let currency = study.raters().payment.as_ref().map(|payment| payment.currency.clone());
            let mut rows = RowWriter::new(out, format, &EARNING_COLUMNS)?;
            each_record(store, |record| match record.outcome.as_ref().and_then(|outcome| outcome.earned) {
                Some(earned) => rows.write(&[
                    json!(record.header.rater),
                    json!(currency),
                    json!(earned.base),
                    json!(earned.bonus),
                ]),
                None => Ok(()),
            })?;
            return rows.finish();
        }
    }
    Ok(out.flush()?)
}

/// Writes every event of every session as a JSON line, sessions in the order of their names.
pub(crate) fn write_events(store: &dyn Store, out: &mut dyn Write) -> Result<(), Failure> {
    each_log(store, |session, events| {
        for (number, event) in events.iter().enumerate() {
            let line = json!({ "session": session, "number": number, "event": event });
            writeln!(out, "{line}")?;
        }
        Ok(())
    })
}

/// Writes the rows of a table of scores, without a header.
pub(crate) fn write_score_rows<W: Write>(
    scores: &ScoreTable,
    out: &mut csv::Writer<W>,
) -> Result<(), Failure> {
    for row in scores.rows() {
        out.write_record(score_row(&row).map(|value| as_cell(&value)))?;
    }
    Ok(())
}

fn each_scored(
    study: &Study,
    store: &dyn Store,
    mut each: impl FnMut(&SessionRecord, &ScoreTable) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut failed = None;
    hype::block_on(visit_scores(study, store, |record, scores| {
        failed = each(record, scores).err();
        scores.clear_rows();
        failed.is_none()
    }))?;
    failed.map_or(Ok(()), Err)
}

/// Visits every session's record, one at a time, whether or not it can be scored.
fn each_record(
    store: &dyn Store,
    mut each: impl FnMut(&SessionRecord) -> Result<(), Failure>,
) -> Result<(), Failure> {
    each_log(store, |session, events| {
        let record = SessionRecord::from_events(events)
            .map_err(|error| Failure::Message(format!("session {session}: {error}")))?;
        each(&record)
    })
}

/// Visits every session's log in the order of their names.
fn each_log(
    store: &dyn Store,
    mut each: impl FnMut(&str, Vec<Event>) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut after: Option<String> = None;
    loop {
        let names = hype::block_on(store.sessions(after.as_deref(), PAGE))?;
        let Some(last) = names.last() else { return Ok(()) };
        after = Some(last.clone());
        for session in &names {
            each(session, hype::block_on(store.load(session))?)?;
        }
    }
}

fn score_row(row: &Row<'_>) -> [Value; 7] {
    [
        json!(row.rater),
        json!(row.model),
        json!(row.against),
        json!(row.item),
        json!(row.block),
        json!(row.measure),
        json!(row.value),
    ]
}

fn trial_rows<'a>(
    study: &'a Study,
    record: &'a SessionRecord,
) -> impl Iterator<Item = [Value; 14]> + use<'a> {
    let stimuli = study.stimuli();
    record.trials.iter().map(move |trial| {
        let shown = &trial.shown;
        let items: Vec<_> = shown.stimuli.iter().filter_map(|&id| stimuli.get(id)).collect();
        let names = |ids: &mut dyn Iterator<Item = hype_core::SetId>| {
            ids.filter_map(|id| stimuli.set(id)).map(|set| &*set.name).collect::<Vec<_>>().join(" ")
        };
        [
            json!(record.header.place.number),
            json!(record.header.rater),
            json!(trial.trial),
            json!(shown.phase),
            json!(shown.block),
            json!(names(&mut shown.model.into_iter())),
            json!(names(&mut items.iter().map(|item| item.set))),
            json!(items.iter().map(|item| &*item.path).collect::<Vec<_>>().join(" ")),
            json!(shown.exposure_ms),
            answer_cell(&trial.answer),
            json!(trial.correct),
            json!(trial.timing.at),
            json!(trial.timing.rt),
            json!(record.outcome.as_ref().map(|outcome| outcome.ending)),
        ]
    })
}

/// The answer to a single question by itself, several as JSON.
fn answer_cell(answer: &Value) -> Value {
    match answer.as_object() {
        Some(map) if map.len() == 1 => map.values().next().cloned().unwrap_or_default(),
        _ => json!(answer.to_string()),
    }
}

fn as_cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Writes rows of values as CSV or as JSON Lines.
enum RowWriter {
    Csv(Box<csv::Writer<Box<dyn Write>>>),
    JsonLines { out: Box<dyn Write>, columns: &'static [&'static str] },
}

impl RowWriter {
    fn new(
        out: Box<dyn Write>,
        format: ExportFormat,
        columns: &'static [&'static str],
    ) -> Result<Self, Failure> {
        match format {
            ExportFormat::Csv => {
                let mut out = csv::Writer::from_writer(out);
                out.write_record(columns)?;
                Ok(Self::Csv(Box::new(out)))
            }
            ExportFormat::Jsonl => Ok(Self::JsonLines { out, columns }),
        }
    }

    fn write(&mut self, row: &[Value]) -> Result<(), Failure> {
        match self {
            Self::Csv(out) => Ok(out.write_record(row.iter().map(as_cell))?),
            Self::JsonLines { out, columns } => {
                let object: serde_json::Map<String, Value> =
                    columns.iter().map(|column| (*column).to_owned()).zip(row.iter().cloned()).collect();
                Ok(writeln!(out, "{}", Value::Object(object))?)
            }
        }
    }

    fn finish(self) -> Result<(), Failure> {
        match self {
            Self::Csv(out) => {
                Ok(out.into_inner().map_err(|error| Failure::Message(error.to_string()))?.flush()?)
            }
            Self::JsonLines { mut out, .. } => Ok(out.flush()?),
        }
    }
}
