//! A study's logs as tables, streamed session by session.

use std::collections::HashMap;
use std::io::Write;
#[cfg(feature = "web")]
use std::sync::Arc;

#[cfg(feature = "web")]
use hype_backends::web::{PANEL_PARAMETERS, PanelIds};
use hype_core::model::note::SessionNote;
use hype_core::model::played::TrialPlayed;
use hype_core::model::record::{AnswerVersion, Earned};
use hype_core::model::score::ScoreTable;
use hype_core::model::trial::TextMark;
use hype_core::protocol::playback::{reported_in, seen_parts};
use hype_core::protocol::questions::AnswerSpec;
use hype_core::study::analysis::visit_scores;
use hype_core::{Answered, Event, Row, SessionRecord, Store, StoreExt as _, Study};
use serde_json::{Value, json};

use super::error::ExportError;
use super::layout::{EARNINGS, Layout, WAITED_EARNINGS};
#[cfg(feature = "web")]
use super::layout::{PANEL_PARTICIPANTS, PARTICIPANTS};
use super::rows::RowWriter;

mod findings;
mod ledger;
mod preferences;
mod r;
mod raters;

pub(super) use self::findings::finding_rows;
pub use self::findings::{FINDING_KINDS, findings};
pub use self::ledger::payments;
pub use self::preferences::{PreferenceCounts, PreferenceRows, preferences};
pub use self::r::{RModels, r};
pub use self::raters::{TableRaters, raters};

/// The number of sessions requested from the store at a time.
const PAGE: usize = 256;

/// Writes scores in the layout [`SCORES`](super::layout::SCORES), of the raters who count or of all raters.
///
/// # Errors
/// If the store fails, a session cannot be scored, or a row cannot be written.
pub fn scores<W: Write + Send>(
    study: &Study,
    store: &dyn Store,
    everybody: bool,
    out: &mut RowWriter<W>,
) -> Result<(), ExportError> {
    each_score(study, store, everybody, |_, scores| {
        scores.rows().try_for_each(|row| out.write(&score_row(&row)))
    })
}

/// Writes trials in the layout [`TRIALS`](super::layout::TRIALS).
///
/// # Errors
/// If the store fails, a log is damaged, or a row cannot be written.
pub fn trials<W: Write + Send>(
    study: &Study,
    store: &dyn Store,
    out: &mut RowWriter<W>,
) -> Result<(), ExportError> {
    each_record(store, |record| {
        record.trials.iter().try_for_each(|trial| out.write(&trial_row(study, record, trial)))
    })
}

/// Writes answers in the layout [`ANSWERS`](super::layout::ANSWERS).
///
/// # Errors
/// See [`trials`].
pub fn answers<W: Write + Send>(
    study: &Study,
    store: &dyn Store,
    out: &mut RowWriter<W>,
) -> Result<(), ExportError> {
    each_record(store, |record| {
        let mut rows = record.trials.iter().flat_map(|trial| answer_rows(study, record, trial));
        rows.try_for_each(|row| out.write(&row))
    })
}

/// Writes all answers to trials that raters corrected, in the layout [`CORRECTIONS`](super::layout::CORRECTIONS).
///
/// # Errors
/// See [`trials`].
pub fn corrections<W: Write + Send>(
    study: &Study,
    store: &dyn Store,
    out: &mut RowWriter<W>,
) -> Result<(), ExportError> {
    each_record(store, |record| correction_rows(study, record).iter().try_for_each(|row| out.write(row)))
}

/// The rows of [`CORRECTIONS`](super::layout::CORRECTIONS) for a session.
#[must_use]
pub fn correction_rows(study: &Study, record: &SessionRecord) -> Vec<[Value; 15]> {
    let rows = record.corrections.iter().flat_map(|AnswerVersion { revision, answered }| {
        answer_rows(study, record, answered).into_iter().map(move |row| {
            let [
                place,
                rater,
                trial,
                phase,
                block,
                model,
                stimulus,
                item,
                question,
                candidate,
                answer,
                number,
            ] = row;
            let (at, rt) = (json!(answered.timing.at), json!(answered.timing.rt));
            [
                place,
                rater,
                trial,
                json!(revision),
                phase,
                block,
                model,
                stimulus,
                item,
                question,
                candidate,
                answer,
                number,
                at,
                rt,
            ]
        })
    });
    rows.collect()
}

/// Writes how clips were played and texts read, in the layout [`PLAYED`](super::layout::PLAYED).
///
/// # Errors
/// See [`trials`].
pub fn played<W: Write + Send>(
    study: &Study,
    store: &dyn Store,
    out: &mut RowWriter<W>,
) -> Result<(), ExportError> {
    each_record(store, |record| played_rows(study, record).iter().try_for_each(|row| out.write(row)))
}

/// The rows of [`PLAYED`](super::layout::PLAYED) for a session.
#[must_use]
pub fn played_rows(study: &Study, record: &SessionRecord) -> Vec<[Value; 13]> {
    let trials: HashMap<u32, &Answered> = record.trials.iter().map(|trial| (trial.trial, trial)).collect();
    let mut rows = Vec::new();
    for noted in &record.notes {
        let SessionNote::Played(TrialPlayed { trial, played }) = &noted.note else { continue };
        let Some(answered) = trials.get(trial) else { continue };
        let slipped: u64 = played.slips.iter().map(|lapse| lapse.for_us).sum();
        for (id, member) in reported_in(answered, played, study.stimuli()).into_iter().zip(&played.members) {
            let Some(stimulus) = study.stimuli().get(id) else { continue };
            let stalled: u64 = member.stalls.iter().map(|lapse| lapse.for_us).sum();
            rows.push([
                json!(record.header.place.number),
                json!(record.header.rater),
                json!(trial),
                json!(stimulus.path),
                json!(member.first_us),
                json!(member.shown_us),
                json!(seen_parts(stimulus.media).map(|all| member.share(all))),
                json!(member.replays),
                json!(member.dropped),
                json!(stalled),
                json!(played.offset_us),
                json!(slipped),
                json!(played.hidden_us),
            ]);
        }
    }
    rows
}

/// Writes the spans of texts that raters marked, in the layout [`MARKS`](super::layout::MARKS).
///
/// # Errors
/// See [`trials`].
pub fn marks<W: Write + Send>(
    study: &Study,
    store: &dyn Store,
    out: &mut RowWriter<W>,
) -> Result<(), ExportError> {
    let mut beside = study.spec().protocol.beside.iter();
    let Some(asked) = beside.find(|one| matches!(one.answer, AnswerSpec::Marks(_))) else { return Ok(()) };
    each_record(store, |record| {
        for trial in &record.trials {
            for TextMark { text, start, end } in
                trial.answer.get(&asked.id).and_then(TextMark::all).unwrap_or_default()
            {
                let marked = trial.shown.stimuli.get(text as usize);
                let path = marked.and_then(|id| study.stimuli().get(*id)).map(|one| &one.path);
                let [place, rater] = [json!(record.header.place.number), json!(record.header.rater)];
                let [question, start, end] = [json!(asked.id), json!(start), json!(end)];
                out.write(&[place, rater, json!(trial.trial), json!(path), question, start, end])?;
            }
        }
        Ok(())
    })
}

/// The layout of a study's earnings: [`WAITED_EARNINGS`] if any of its raters waited, otherwise [`EARNINGS`].
///
/// # Errors
/// If the store fails or the log of a session is damaged.
pub fn earnings_layout(store: &dyn Store) -> Result<Layout, ExportError> {
    let mut layout = EARNINGS;
    each_record(store, |record| {
        if record.earned().is_some_and(|earned| !earned.waiting.is_zero()) {
            layout = WAITED_EARNINGS;
        }
        Ok(())
    })?;
    Ok(layout)
}

/// Writes earnings in the layout [`earnings_layout`].
///
/// # Errors
/// See [`trials`].
pub fn earnings<W: Write + Send>(
    study: &Study,
    store: &dyn Store,
    layout: Layout,
    out: &mut RowWriter<W>,
) -> Result<(), ExportError> {
    let currency = study.raters().payment.as_ref().map(|payment| payment.currency.clone());
    each_record(store, |record| match record.earned() {
        None => Ok(()),
        Some(earned) => {
            let Earned { base, bonus, waiting } = earned;
            let rater = &record.header.rater;
            let row = [json!(rater), json!(currency), json!(base), json!(bonus), json!(waiting)];
            out.write(&row[..layout.columns.len().min(row.len())])
        }
    })
}

/// Writes the ids by which a panel knows the raters, in the layout [`participants_layout`]. They are personal data, which no
/// other export contains.
///
/// # Errors
/// See [`trials`]; also if an id was encrypted with another study's key.
#[cfg(feature = "web")]
pub fn participants<W: Write + Send>(
    store: &Arc<dyn Store>,
    layout: Layout,
    out: &mut RowWriter<W>,
) -> Result<(), ExportError> {
    each_participant(store, |rater, session, ids| {
        let mut row = vec![json!(rater), json!(session), json!(ids.participant)];
        row.extend(PANEL_PARAMETERS.map(|name| json!(ids.parameters.get(name))));
        row.truncate(layout.columns.len());
        out.write(&row)
    })
}

/// The layout of a study's participants: [`PANEL_PARTICIPANTS`] if the panel has said more of one of them than the id,
/// otherwise [`PARTICIPANTS`].
///
/// # Errors
/// See [`participants`].
#[cfg(feature = "web")]
pub fn participants_layout(store: &Arc<dyn Store>) -> Result<Layout, ExportError> {
    let mut layout = PARTICIPANTS;
    each_participant(store, |_, _, ids| {
        if !ids.parameters.is_empty() {
            layout = PANEL_PARTICIPANTS;
        }
        Ok(())
    })?;
    Ok(layout)
}

/// Visits all participants who were not forgotten, with their raters' keys and sessions.
#[cfg(feature = "web")]
fn each_participant(
    store: &Arc<dyn Store>,
    mut each: impl FnMut(&str, &str, &PanelIds) -> Result<(), ExportError>,
) -> Result<(), ExportError> {
    let people = crate::block_on(hype_backends::web::Participants::of(Arc::clone(store)))
        .map_err(|fault| hype_core::StoreError::failed(fault.to_string()))?;
    each_log(&**store, |session, events| {
        let record = record(session, events)?;
        let rater = &record.header.rater;
        match crate::block_on(people.participant(session, rater))? {
            Some(ids) => each(rater, session, &ids),
            None => Ok(()),
        }
    })
}

/// Writes every event of every session as a JSON line, with sessions in the order of their names, except sessions whose
/// answers were erased.
///
/// # Errors
/// If the store fails or a line cannot be written.
pub fn events(store: &dyn Store, out: &mut dyn Write) -> Result<(), ExportError> {
    each_log(store, |session, events| {
        if matches!(events.last(), Some(Event::Erased(_))) {
            return Ok(());
        }
        for (number, event) in events.iter().enumerate() {
            let line = json!({ "session": session, "number": number, "event": event });
            writeln!(out, "{line}")?;
        }
        Ok(())
    })
}

/// Visits the scores of the sessions that count, or of all sessions, one session at a time.
fn each_score(
    study: &Study,
    store: &dyn Store,
    everybody: bool,
    mut each: impl FnMut(&SessionRecord, &ScoreTable) -> Result<(), ExportError>,
) -> Result<(), ExportError> {
    let mut failed = None;
    crate::block_on(visit_scores(study, store, |record, scores| {
        if everybody || counts(study, record) {
            failed = each(record, scores).err();
        }
        scores.clear_rows();
        failed.is_none()
    }))?;
    failed.map_or(Ok(()), Err)
}

/// Whether a session's scores count, that is, it was completed and no rule excludes its rater.
pub(super) fn counts(study: &Study, record: &SessionRecord) -> bool {
    record.is_complete() && study.exclusion(record).is_none()
}

/// Visits the records of all sessions one at a time, even of those that cannot be scored.
pub(super) fn each_record(
    store: &dyn Store,
    mut each: impl FnMut(&SessionRecord) -> Result<(), ExportError>,
) -> Result<(), ExportError> {
    each_log(store, |session, events| each(&record(session, events)?))
}

pub(super) fn record(session: &str, events: Vec<Event>) -> Result<SessionRecord, ExportError> {
    SessionRecord::from_events(events)
        .map_err(|source| ExportError::Log { session: session.to_owned(), source })
}

/// Visits the logs of all sessions in the order of their names.
pub(super) fn each_log(
    store: &dyn Store,
    mut each: impl FnMut(&str, Vec<Event>) -> Result<(), ExportError>,
) -> Result<(), ExportError> {
    let mut after: Option<String> = None;
    loop {
        let names = crate::block_on(store.sessions(after.as_deref(), PAGE))?;
        let Some(last) = names.last() else { return Ok(()) };
        after = Some(last.clone());
        for session in &names {
            each(session, crate::block_on(store.load(session))?)?;
        }
    }
}

/// A row of [`SCORES`](super::layout::SCORES).
#[must_use]
pub fn score_row(row: &Row<'_>) -> [Value; 7] {
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

/// The cells that the tables of trials and answers have in common.
struct Seen {
    session: [Value; 2],
    place: [Value; 3],
    model: Value,
    sets: Value,
    stimuli: Value,
    items: Value,
}

impl Seen {
    fn new(study: &Study, record: &SessionRecord, trial: &Answered) -> Self {
        let stimuli = study.stimuli();
        let shown = &trial.shown;
        let each = |of: &dyn Fn(hype_core::StimulusId) -> Option<String>| -> Vec<String> {
            shown.stimuli.iter().filter_map(|&id| of(id)).collect()
        };
        let mut items = each(&|id| Some(stimuli.label(id).to_owned()));
        if items.windows(2).all(|pair| pair[0] == pair[1]) {
            items.truncate(1);
        }
        Self {
            session: [json!(record.header.place.number), json!(record.header.rater)],
            place: [json!(trial.trial), json!(shown.phase), json!(shown.block)],
            model: json!(shown.model.and_then(|id| stimuli.set(id)).map(|set| &set.name)),
            sets: one_or_list(each(&|id| Some(stimuli.set_of(id)?.name.to_string()))),
            stimuli: one_or_list(each(&|id| Some(stimuli.get(id)?.path.to_string()))),
            items: one_or_list(items),
        }
    }
}

/// `null`, a single text, or a list of several.
fn one_or_list(mut texts: Vec<String>) -> Value {
    match texts.len() {
        0 => Value::Null,
        1 => Value::String(texts.swap_remove(0)),
        _ => json!(texts),
    }
}

/// A row of [`TRIALS`](super::layout::TRIALS).
#[must_use]
pub fn trial_row(study: &Study, record: &SessionRecord, trial: &Answered) -> [Value; 15] {
    let Seen { session: [session, rater], place: [number, phase, block], model, sets, stimuli, items } =
        Seen::new(study, record, trial);
    let mut entries = trial.answer.entries();
    let answer = match (entries.next(), entries.next()) {
        (Some((_, only)), None) => only.to_json(),
        _ => trial.answer.to_json(),
    };
    [
        session,
        rater,
        number,
        phase,
        block,
        model,
        sets,
        stimuli,
        items,
        json!(trial.shown.exposure_ms),
        answer,
        json!(trial.correct),
        json!(trial.timing.at),
        json!(trial.timing.rt),
        json!(record.outcome.as_ref().map(|outcome| outcome.ending)),
    ]
}

/// The rows of [`ANSWERS`](super::layout::ANSWERS) for a trial.
#[must_use]
pub fn answer_rows(study: &Study, record: &SessionRecord, trial: &Answered) -> Vec<[Value; 12]> {
    let seen = Seen::new(study, record, trial);
    let mut rows = Vec::new();
    let mut add = |question: &str, candidate: Option<&str>, answer: &Value| {
        let [session, rater] = seen.session.clone();
        let [number, phase, block] = seen.place.clone();
        rows.push([
            session,
            rater,
            number,
            phase,
            block,
            seen.model.clone(),
            seen.stimuli.clone(),
            seen.items.clone(),
            json!(question),
            json!(candidate),
            json!(super::rows::as_cell(answer)),
            if answer.is_number() { answer.clone() } else { Value::Null },
        ]);
    };
    for (question, answer) in trial.answer.entries() {
        match answer.to_json() {
            Value::Object(ranks) => {
                ranks.iter().for_each(|(candidate, rank)| add(question, Some(candidate), rank));
            }
            answer => add(question, None, &answer),
        }
    }
    rows
}
