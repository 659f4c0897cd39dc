//! Analysis: from the logs in a store to findings, one session at a time.

use crate::aggregator::{AggregateError, Aggregation};
use crate::event::LogError;
use crate::findings::{Collection, Earnings, Exclusion, FORMAT, Findings, RaterEarnings};
use crate::record::{Ending, SessionRecord};
use crate::rubric::{ScoreError, Scoring};
use crate::score::ScoreTable;
use crate::store::{Store, StoreError};
use crate::study::Study;
use crate::units::Amount;

/// Rows that are gathered before they are handed to the aggregator.
const CHUNK: usize = 1 << 16;

/// Sessions that are asked from the store at a time.
const PAGE: usize = 256;

/// The findings cannot be computed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AnalysisError {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A session's log is no log of a session; the operator restores a copy of the store.
    #[error("session {session}: {source}")]
    Log {
        /// The session.
        session: String,
        /// What is wrong with it.
        source: LogError,
    },
    /// A session cannot be scored by the study's rubric.
    #[error(transparent)]
    Score(#[from] ScoreError),
    /// The scores cannot be aggregated.
    #[error(transparent)]
    Aggregate(#[from] AggregateError),
}

/// Scores all sessions of a study and aggregates the scores.
///
/// Sessions are visited in the order of their names and forgotten again, so memory grows with what the aggregator
/// keeps: one sum for each rater, model and measure where raters are resampled.
///
/// # Errors
/// If the store fails, a log is damaged, or the scores cannot be aggregated.
pub async fn analyse(study: &Study, store: &dyn Store) -> Result<Findings, AnalysisError> {
    let spec = study.spec();
    let measures = spec.rubric.measures();
    let mut sums = spec.aggregate.begin(&Aggregation { measures, design: spec.raters.design });
    let mut collected = Collection { places: study.places(), ..Collection::default() };
    let mut exclusions = Vec::new();
    let mut earned = Vec::new();
    let mut failed = None;
    let rest = visit_scores(study, store, |record, scores| {
        collected.count(record.outcome.as_ref().map(|outcome| outcome.ending), record.trials.len() as u64);
        exclusions.extend(exclusion(record));
        earned.extend(earnings(record));
        if scores.len() >= CHUNK {
            failed = sums.add(scores).err();
            scores.clear_rows();
        }
        failed.is_none()
    })
    .await?;
    match failed {
        Some(error) => return Err(error.into()),
        None => sums.add(&rest)?,
    }
    let chance = study.chance().child("aggregate", 0);
    let aggregated = sums.findings(&exclusions, &chance)?;
    let mut notes = aggregated.notes;
    let context = Scoring { stimuli: study.stimuli(), task: &*spec.task };
    notes.extend(spec.rubric.remarks(&aggregated.measures, &context));
    Ok(Findings {
        format: FORMAT,
        software: software(),
        study: Some(study.card()),
        collected: Some(collected),
        measures: aggregated.measures,
        exclusions,
        earnings: spec.raters.payment.as_ref().map(|payment| Earnings {
            currency: payment.currency.clone(),
            total: earned
                .iter()
                .fold(Amount::default(), |sum, one: &RaterEarnings| sum.plus(one.base).plus(one.bonus)),
            raters: earned,
        }),
        notes,
    })
}

/// Scores all sessions of a study one after the other: after each, `visit` sees the session's record and the table
/// that its scores were added to, which it may empty, and says whether to go on. Returns the table as it is at the end.
///
/// # Errors
/// If the store fails, a log is damaged, or a session cannot be scored.
pub async fn visit_scores(
    study: &Study,
    store: &dyn Store,
    mut visit: impl FnMut(&SessionRecord, &mut ScoreTable) -> bool,
) -> Result<ScoreTable, AnalysisError> {
    let spec = study.spec();
    let context = Scoring { stimuli: study.stimuli(), task: &*spec.task };
    let mut scores = ScoreTable::default();
    let mut after: Option<String> = None;
    loop {
        let names = store.sessions(after.as_deref(), PAGE).await?;
        let Some(last) = names.last() else { return Ok(scores) };
        after = Some(last.clone());
        for session in names {
            let record = SessionRecord::from_events(store.load(&session).await?)
                .map_err(|source| AnalysisError::Log { session, source })?;
            spec.rubric.score(&record, &context, &mut scores)?;
            if !visit(&record, &mut scores) {
                return Ok(scores);
            }
        }
    }
}

/// The program that computes findings, as they name it.
#[must_use]
pub fn software() -> std::sync::Arc<str> {
    concat!("hype ", env!("CARGO_PKG_VERSION")).into()
}

/// Why a session's rater is left out; `None` for those who completed the study.
fn exclusion(record: &SessionRecord) -> Option<Exclusion> {
    let (rule, reason) = match record.outcome.as_ref().map(|outcome| outcome.ending) {
        Some(Ending::Completed) => return None,
        Some(Ending::Disqualified) => ("disqualified", "did not pass the qualification".to_owned()),
        Some(Ending::Left) => ("left", format!("left after {} answers", record.trials.len())),
        None => ("unfinished", format!("has not finished, after {} answers", record.trials.len())),
    };
    Some(Exclusion { rater: record.header.rater.clone(), rule: rule.into(), reason: reason.into() })
}

fn earnings(record: &SessionRecord) -> Option<RaterEarnings> {
    let earned = record.outcome.as_ref()?.earned?;
    Some(RaterEarnings { rater: record.header.rater.clone(), base: earned.base, bonus: earned.bonus })
}
