//! Analysis: from the logs in a store to findings, one session at a time.

use std::collections::HashSet;
use std::sync::Arc;

use crate::model::check::Check;
use crate::model::event::LogError;
use crate::model::findings::{
    CheckFindings, Collection, Earnings, Exclusion, FORMAT, Findings, Note, RaterEarnings, Table,
    TimingQuality,
};
use crate::model::record::{Ending, SessionRecord};
use crate::model::score::ScoreTable;
use crate::model::units::Amount;
use crate::plugin::aggregator::{Accumulator, AggregateError, Aggregated, Aggregation, ErasedAggregator};
use crate::plugin::rubric::{ScoreError, Scoring};
use crate::plugin::store::{Store, StoreError};
use crate::protocol::chance::Streams;
use crate::study::Study;
use crate::words::counted;

mod filled;

use self::filled::Filled;

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
    let context = Aggregation { measures, design: spec.raters.design };
    let mut sums = Aggregating::begin(&spec.aggregate.0, &context);
    let mut collected = Collection { places: study.places(), ..Collection::default() };
    let mut exclusions = Vec::new();
    let mut checks = Vec::new();
    let mut timing = TimingQuality::default();
    let mut earned = Vec::new();
    let mut filled = Filled::default();
    let mut failed = None;
    let rest = visit_scores(study, store, |record, scores| {
        timing.count(record);
        let ending = record.outcome.as_ref().map(|outcome| outcome.ending);
        collected.count(ending, record.trials.len() as u64);
        let told = if record.is_complete() { study.checks(record) } else { Vec::new() };
        match exclusion(record, &told) {
            Some(exclusion) => {
                collected.excluded += u64::from(ending == Some(Ending::Completed));
                exclusions.push(exclusion);
            }
            None => filled.add(record.header.place.number),
        }
        CheckFindings::add(&mut checks, &record.header.rater, told);
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
    let aggregated = sums.findings(&exclusions, study.chance())?;
    let mut notes = aggregated.notes;
    notes.extend(filled.note(study));
    let context = Scoring { stimuli: study.stimuli(), task: &*spec.task };
    notes.extend(spec.rubric.remarks(&aggregated.measures, &context));
    Ok(Findings {
        format: FORMAT,
        software: software(),
        study: Some(study.card()),
        collected: Some(collected),
        measures: aggregated.measures,
        correlations: Vec::new(),
        exclusions,
        checks: CheckFindings::reported(checks, &timing),
        earnings: spec.raters.payment.as_ref().map(|payment| Earnings {
            currency: payment.currency.clone(),
            total: earned
                .iter()
                .fold(Amount::default(), |sum, one: &RaterEarnings| sum.plus(one.base).plus(one.bonus)),
            raters: earned,
        }),
        timing: timing.reported(),
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

/// Several aggregations of the same scores.
pub struct Aggregating(Vec<Box<dyn Accumulator>>);

impl Aggregating {
    /// Begins with no rows.
    #[must_use]
    pub fn begin(aggregators: &[Box<dyn ErasedAggregator>], context: &Aggregation) -> Self {
        Self(aggregators.iter().map(|one| one.begin(context)).collect())
    }

    /// Adds the rows of a table.
    ///
    /// # Errors
    /// If a row has no place in one of the aggregations.
    pub fn add(&mut self, scores: &ScoreTable) -> Result<(), AggregateError> {
        self.0.iter_mut().try_for_each(|one| one.add(scores))
    }

    /// Computes the findings of all of them. What they found of the same measure is joined; estimates are those of
    /// the first aggregator that has some. Where one finds nothing and another does, a note says why. `chance` is the
    /// study's.
    ///
    /// # Errors
    /// That of the first aggregator, if none finds anything.
    pub fn findings(self, exclusions: &[Exclusion], chance: &Streams) -> Result<Aggregated, AggregateError> {
        let mut all = Aggregated::default();
        let mut failures = Vec::new();
        for (number, one) in self.0.into_iter().enumerate() {
            let found = match one.findings(exclusions, &chance.child("aggregate", number as u64)) {
                Ok(found) => found,
                Err(error) => {
                    failures.push(error);
                    continue;
                }
            };
            for measure in found.measures {
                match all.measures.iter_mut().find(|known| known.measure.name == measure.measure.name) {
                    Some(known) => known.join(measure),
                    None => all.measures.push(measure),
                }
            }
            for note in found.notes {
                if !all.notes.contains(&note) {
                    all.notes.push(note);
                }
            }
        }
        if all.measures.is_empty() && !failures.is_empty() {
            return Err(failures.swap_remove(0));
        }
        for measure in &mut all.measures {
            name_apart(&mut measure.tables);
        }
        all.notes.extend(failures.iter().map(|error| {
            Note::warning("no-findings", format!("one of the aggregators found nothing: {error}"))
        }));
        Ok(all)
    }
}

/// Numbers the tables of one name from the second on, as two aggregators of one kind give the same names.
fn name_apart(tables: &mut [Table]) {
    let mut taken: HashSet<Arc<str>> = HashSet::new();
    for table in tables {
        let name = Arc::clone(&table.name);
        let mut number = 1;
        while !taken.insert(Arc::clone(&table.name)) {
            number += 1;
            table.name = format!("{name}_{number}").into();
        }
    }
}

/// Why a session's rater is left out; `None` for those who completed the study and whom no rule is against.
fn exclusion(record: &SessionRecord, checks: &[Check]) -> Option<Exclusion> {
    let (rule, reason) = match record.outcome.as_ref().map(|outcome| outcome.ending) {
        Some(Ending::Completed) => {
            let failed = checks.iter().find(|check| check.excludes())?;
            let (rule, reason) = (Arc::clone(&failed.name), Arc::clone(&failed.why));
            return Some(Exclusion { rater: record.header.rater.clone(), rule, reason });
        }
        Some(Ending::Disqualified) => ("disqualified", "did not pass the qualification".to_owned()),
        Some(Ending::Left) => ("left", format!("left after {}", counted(record.trials.len(), "answer"))),
        None => ("unfinished", format!("has not finished, after {}", counted(record.trials.len(), "answer"))),
    };
    Some(Exclusion { rater: record.header.rater.clone(), rule: rule.into(), reason: reason.into() })
}

fn earnings(record: &SessionRecord) -> Option<RaterEarnings> {
    let earned = record.outcome.as_ref()?.earned?;
    Some(RaterEarnings { rater: record.header.rater.clone(), base: earned.base, bonus: earned.bonus })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_of_one_name_are_told_apart() {
        let table = |name: &str| Table {
            name: name.into(),
            label: name.into(),
            columns: Vec::new(),
            rows: Vec::new(),
        };
        let mut tables = ["raters", "raters", "raters_2", "raters", "votes"].map(table);
        name_apart(&mut tables);
        let names = tables.map(|table| table.name.to_string());
        assert_eq!(names, ["raters", "raters_2", "raters_2_2", "raters_3", "votes"]);
    }
}
