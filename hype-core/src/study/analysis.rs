//! Analysis: from the logs in a store to findings, one session at a time.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use crate::model::check::Check;
use crate::model::event::LogError;
use crate::model::facet::LevelsByName;
use crate::model::findings::{
    CheckFindings, Collection, Earnings, Exclusion, FORMAT, Findings, GeneralizeTo, MeasureFindings, Note,
    RaterEarnings, SurveyCounter, Table, TimingQuality,
};
use crate::model::item::{ConditionKind, Item};
use crate::model::output_facts::OutputFacts;
use crate::model::record::{Earned, Ending, SessionRecord};
use crate::model::score::{Row, ScoreTable};
use crate::model::stimulus::Stimuli;
use crate::model::units::Amount;
use crate::plugin::aggregator::{
    Accumulator, AggregateError, Aggregated, Aggregation, AggregatorSpec, Limit,
};
use crate::plugin::description::ComparedWith;
use crate::plugin::rubric::ScoreError;
use crate::plugin::store::{Store, StoreError, StoreExt as _};
use crate::protocol::chance::Streams;
use crate::study::Study;
use crate::study::control::control;
use crate::study::stopping::Looks;
use crate::words::counted;

mod asked;
mod decided;
mod filled;
mod same_answers;
mod stopped;
mod translated;

pub use self::asked::with_asked_levels;
pub use self::stopped::FALSE_ALARMS_OF_TWELVE_LOOKS;

use self::filled::Filled;
use self::same_answers::SameAnswers;
use self::translated::TranslatedInstruments;

/// The number of score rows that are collected before they are aggregated.
const CHUNK: usize = 1 << 16;

/// The number of sessions requested from the store at a time.
const PAGE: usize = 256;

/// The findings cannot be computed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AnalysisError {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A session's log is damaged; the operator restores a backup of the store.
    #[error("session {session}: {source}")]
    Log {
        /// The session.
        session: String,
        /// The fault.
        source: LogError,
    },
    /// A session cannot be scored by the study's rubric.
    #[error(transparent)]
    Score(#[from] ScoreError),
    /// The scores cannot be aggregated.
    #[error(transparent)]
    Aggregate(#[from] AggregateError),
}

/// Scores all sessions of a study and aggregates the scores, without the raters excluded by the operator.
///
/// Sessions are visited one at a time in the order of their names, so memory grows only with the state of the
/// aggregators: one sum for each rater, model and measure where raters are resampled.
///
/// # Errors
/// If the store fails, a log is damaged, or the scores cannot be aggregated.
pub async fn analyse(study: &Study, store: &dyn Store) -> Result<Findings, AnalysisError> {
    analyse_with(study, store, |_, _| {}).await
}

/// Does what [`analyse`] does, and hands every session that counts to `counted`, with its scores.
///
/// # Errors
/// If the store fails, a log is damaged, or the scores cannot be aggregated.
pub async fn analyse_with(
    study: &Study,
    store: &dyn Store,
    mut counted: impl FnMut(&SessionRecord, &mut dyn Iterator<Item = Row<'_>>),
) -> Result<Findings, AnalysisError> {
    let study = with_asked_levels(study.under(control(store).await?), store).await?;
    let mut analysis = Analysis::begin(&study);
    visit_records(store, |record| {
        let rows = analysis.add_counted(record)?;
        if let Some(first) = rows {
            counted(record, &mut analysis.scores.rows_from(first));
        }
        analysis.flush()?;
        Ok(true)
    })
    .await?;
    analysis.findings()
}

/// Scores all sessions of a study one after the other. After each, `visit` receives the session's record and the table
/// that its scores were added to, which it may clear, and returns whether to continue. Returns the final table.
///
/// # Errors
/// If the store fails, a log is damaged, or a session cannot be scored.
pub async fn visit_scores(
    study: &Study,
    store: &dyn Store,
    mut visit: impl FnMut(&SessionRecord, &mut ScoreTable) -> bool,
) -> Result<ScoreTable, AnalysisError> {
    let mut scores = ScoreTable::default();
    visit_records(store, |record| {
        if record.erased.is_none() {
            score(study, record, &mut scores)?;
        }
        Ok(visit(record, &mut scores))
    })
    .await?;
    Ok(scores)
}

/// The looks of a study's stopping rule at the sessions of a store; `None` if the study has no rule.
///
/// # Errors
/// If the store fails, a log is damaged, or a session cannot be scored.
pub async fn looks(study: &Study, store: &dyn Store) -> Result<Option<Looks>, AnalysisError> {
    let Some(mut looks) = Looks::begin(study) else { return Ok(None) };
    visit_records(store, |record| Ok(looks.add(record).map(|()| true)?)).await?;
    Ok(Some(looks))
}

/// Visits the records of all sessions in the order of their names, until `visit` returns false.
async fn visit_records(
    store: &dyn Store,
    mut visit: impl FnMut(&SessionRecord) -> Result<bool, AnalysisError>,
) -> Result<(), AnalysisError> {
    let mut after: Option<String> = None;
    loop {
        let names = store.sessions(after.as_deref(), PAGE).await?;
        let Some(last) = names.last() else { return Ok(()) };
        after = Some(last.clone());
        for session in names {
            let record = SessionRecord::from_events(store.load(&session).await?)
                .map_err(|source| AnalysisError::Log { session, source })?;
            if !visit(&record)? {
                return Ok(());
            }
        }
    }
}

fn score(study: &Study, record: &SessionRecord, scores: &mut ScoreTable) -> Result<(), ScoreError> {
    let context = study.scoring();
    study.rubric().score(record, &context, scores)
}

/// The analysis of a study's sessions, added one at a time in the order of their names. A session
/// is no longer needed once it has been added.
pub struct Analysis<'a> {
    study: &'a Study,
    sums: Aggregating,
    scores: ScoreTable,
    collected: Collection,
    exclusions: Vec<Exclusion>,
    checks: Vec<CheckFindings>,
    timing: TimingQuality,
    earned: Vec<RaterEarnings>,
    filled: Filled,
    translated: TranslatedInstruments,
    surveys: SurveyCounter,
    looks: Option<Looks>,
}

/// Returns the target to which the results of a study generalize unless its aggregator says otherwise: items that say what was
/// asked of the models, such as prompts, are a sample of all that could be asked, unless the study declares them as fixed. So are
/// items that their files name by prompt and seed, whether or not the prompts are known.
#[must_use]
pub fn target_of_inference(study: &Study) -> GeneralizeTo {
    let asks = |item: &Item| {
        item.conditions
            .iter()
            .any(|condition| matches!(condition.kind, ConditionKind::Prompt | ConditionKind::Instruction))
    };
    if has_fixed_items(study) {
        Limit::FixedItems.target()
    } else if study.stimuli().items().iter().any(asks) || has_seeds(study) {
        GeneralizeTo::RatersAndItems
    } else {
        GeneralizeTo::Raters
    }
}

fn has_seeds(study: &Study) -> bool {
    study.spec().protocol.items.as_ref().is_some_and(|items| items.have_seeds())
}

fn has_fixed_items(study: &Study) -> bool {
    study.spec().protocol.items.as_ref().is_some_and(|items| items.fixed)
}

/// Sets what results generalize to.
fn in_context(study: &Study, context: Aggregation) -> Aggregation {
    if has_fixed_items(study) {
        context.limited_by(Limit::FixedItems)
    } else {
        context.generalizing_to(target_of_inference(study))
    }
}

fn item_levels(stimuli: &Stimuli) -> LevelsByName {
    let with_levels = stimuli.items().iter().filter(|item| !item.levels.is_empty());
    with_levels.map(|item| (Arc::clone(&item.id), item.levels.clone())).collect()
}

/// Returns the clusters of items that were drawn together.
fn item_clusters(study: &Study) -> BTreeMap<Arc<str>, Arc<str>> {
    let items = study.spec().protocol.items.clone().unwrap_or_default();
    let of_item = |item: &Item| Some((Arc::clone(&item.id), items.cluster_of(item)?));
    study.stimuli().items().iter().filter_map(of_item).collect()
}

/// Returns what the aggregators of a study know in addition to the scores.
#[must_use]
pub fn aggregation(study: &Study) -> Aggregation {
    let measures = study.rubric().measures();
    let (protocol, stimuli) = (&study.spec().protocol, study.stimuli());
    let context = Aggregation::new(measures, protocol.design)
        .in_order_of(stimuli)
        .with_facets(study.facets(), stimuli.cells().collect())
        .with_cell_design(protocol.cells)
        .with_item_levels(item_levels(stimuli))
        .with_rater_levels(study.rater_levels().clone())
        .with_item_clusters(item_clusters(study))
        .with_facts(OutputFacts::of(stimuli))
        .with_compared_with(
            study.description.get::<ComparedWith>().map(|ComparedWith(model)| Arc::clone(model)),
        );
    in_context(study, context)
}

impl<'a> Analysis<'a> {
    /// Begins an analysis without sessions.
    #[must_use]
    pub fn begin(study: &'a Study) -> Self {
        Self {
            study,
            sums: Aggregating::begin(&study.spec().analysis.aggregate.0, &aggregation(study)),
            scores: ScoreTable::default(),
            collected: Collection { places: study.places(), ..Collection::default() },
            exclusions: Vec::new(),
            checks: Vec::new(),
            timing: TimingQuality::default(),
            earned: Vec::new(),
            filled: Filled::default(),
            translated: TranslatedInstruments::default(),
            surveys: SurveyCounter::of(study.survey_questions()),
            looks: Looks::begin(study),
        }
    }

    /// Adds a session.
    ///
    /// # Errors
    /// If the session cannot be scored, or its scores cannot be aggregated.
    pub fn add(&mut self, record: &SessionRecord) -> Result<(), AnalysisError> {
        self.add_counted(record)?;
        self.flush()
    }

    /// Adds a session without passing its scores on, and returns the number of the first of them if the session counts.
    fn add_counted(&mut self, record: &SessionRecord) -> Result<Option<usize>, AnalysisError> {
        if let Some(looks) = &mut self.looks {
            looks.add(record)?;
        }
        if record.erased.is_some() {
            self.collected.count_erased();
            self.filled.count(record, false);
            self.earned.extend(earnings(record));
            return Ok(None);
        }
        let first = self.scores.len();
        score(self.study, record, &mut self.scores)?;
        self.timing.count(record);
        self.translated.add(record);
        let ending = record.outcome.as_ref().map(|outcome| outcome.ending);
        self.collected.count(ending, record.trials.len() as u64);
        let checks = if record.is_complete() { self.study.checks(record) } else { Vec::new() };
        let exclusion = exclusion(record, &checks);
        let counts = exclusion.is_none();
        self.filled.count(record, counts);
        if counts {
            self.surveys.count(record);
        }
        if let Some(exclusion) = exclusion {
            self.collected.excluded += u64::from(ending == Some(Ending::Completed));
            self.exclusions.push(exclusion);
        }
        CheckFindings::add(&mut self.checks, &record.header.rater, checks);
        self.earned.extend(earnings(record));
        Ok(counts.then_some(first))
    }

    /// Passes the scores on if they are many.
    fn flush(&mut self) -> Result<(), AnalysisError> {
        if self.scores.len() >= CHUNK {
            self.sums.add(&self.scores)?;
            self.scores.clear_rows();
        }
        Ok(())
    }

    /// Computes the findings of the sessions added so far.
    ///
    /// # Errors
    /// If the scores cannot be aggregated.
    pub fn findings(mut self) -> Result<Findings, AnalysisError> {
        self.sums.add(&self.scores)?;
        let (study, spec) = (self.study, self.study.spec());
        let aggregated = self.sums.findings(&self.exclusions, study.chance())?;
        let (mut measures, mut notes) = (aggregated.measures, aggregated.notes);
        notes.extend(self.filled.note(study));
        notes.extend(decided::notes(study));
        let stopping = self.looks.map(Looks::findings);
        notes.extend(match &stopping {
            Some(stopping) => stopped::note(stopping),
            None => stopped::peeked(self.filled.open(study), &measures),
        });
        notes.extend(self.translated.notes());
        let context = study.scoring();
        notes.extend(study.rubric().remarks(&measures, &context));
        let words = study.words();
        let labels = measures.iter_mut().map(|found| &mut found.measure.label);
        for text in labels.chain(notes.iter_mut().map(|note| &mut note.text)) {
            *text = words.worded(text);
        }
        let earned = self.earned;
        let mut findings = Findings {
            format: FORMAT,
            software: software(),
            study: Some(study.card()),
            collected: Some(self.collected),
            measures,
            stopping,
            metrics: Vec::new(),
            correlations: Vec::new(),
            exclusions: self.exclusions,
            checks: CheckFindings::reported(self.checks, &self.timing),
            surveys: self.surveys.findings(),
            earnings: spec.protocol.payment.as_ref().map(|payment| Earnings {
                currency: payment.currency.clone(),
                total: earned.iter().fold(Amount::default(), |sum, one| sum.plus(one.total())),
                raters: earned,
            }),
            timing: self.timing.reported(),
            models: BTreeMap::new(),
            notes: Vec::new(),
        };
        findings.add_notes(notes);
        findings.label(&spec.analysis.labels);
        Ok(findings)
    }
}

impl std::fmt::Debug for Analysis<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Analysis").field("study", &self.study.digest()).finish_non_exhaustive()
    }
}

/// The name and version of this program in findings.
#[must_use]
pub fn software() -> std::sync::Arc<str> {
    concat!("hype ", env!("CARGO_PKG_VERSION")).into()
}

/// Several aggregations of the same scores.
pub struct Aggregating {
    all: Vec<Box<dyn Accumulator>>,
    limit: Option<Limit>,
    item_clusters: Arc<BTreeMap<Arc<str>, Arc<str>>>,
    same: SameAnswers,
}

impl Aggregating {
    /// Begins all aggregations.
    #[must_use]
    pub fn begin(aggregators: &[Box<dyn AggregatorSpec>], context: &Aggregation) -> Self {
        Self {
            all: aggregators.iter().map(|one| one.begin(context)).collect(),
            limit: context.limit,
            item_clusters: Arc::clone(&context.item_clusters),
            same: SameAnswers::new(&context.measures),
        }
    }

    /// Adds the rows of a table.
    ///
    /// # Errors
    /// If a row cannot be aggregated.
    pub fn add(&mut self, scores: &ScoreTable) -> Result<(), AggregateError> {
        self.same.add(scores);
        self.all.iter_mut().try_for_each(|one| one.add(scores))
    }

    /// Computes the findings of all aggregators. Findings for the same measure are joined; estimates come from the
    /// first aggregator that has any. If some aggregators fail but not all, a note says why.
    /// `chance` is the root of the study's random streams.
    ///
    /// # Errors
    /// The error of the first aggregator, if all of them fail.
    pub fn findings(self, exclusions: &[Exclusion], chance: &Streams) -> Result<Aggregated, AggregateError> {
        let mut all = Aggregated::default();
        let mut failures = Vec::new();
        for (number, one) in self.all.into_iter().enumerate() {
            let found = match one.findings(exclusions, &chance.child("aggregate", number as u64)) {
                Ok(found) => found,
                Err(error) => {
                    failures.push(error);
                    continue;
                }
            };
            for measure in found.measures {
                match all.measures.iter_mut().find(|found| found.measure.name == measure.measure.name) {
                    Some(found) => found.join(measure),
                    None => all.measures.push(measure),
                }
            }
            all.notes.extend(found.notes);
        }
        if all.measures.is_empty() && !failures.is_empty() {
            return Err(failures.swap_remove(0));
        }
        for measure in &mut all.measures {
            make_names_unique(&mut measure.tables);
        }
        all.notes.extend(cluster_note(&self.item_clusters, &all.measures));
        // Made-up raters are not people.
        if self.limit != Some(Limit::MadeUpRaters) {
            all.notes.extend(self.same.note(exclusions));
        }
        all.notes.extend(self.limit.into_iter().flat_map(|limit| limit_notes(limit, &all.measures)));
        all.notes.extend(
            failures
                .iter()
                .map(|error| Note::meaning("no-findings", format!("one of the aggregators failed: {error}"))),
        );
        Ok(all)
    }
}

/// A remark that results about other items rest on clusters of items.
fn cluster_note(clusters: &BTreeMap<Arc<str>, Arc<str>>, measures: &[MeasureFindings]) -> Option<Note> {
    let distinct: BTreeSet<&Arc<str>> = clusters.values().collect();
    let vary =
        |found: &MeasureFindings| found.generalize_to.is_some_and(|target| target != GeneralizeTo::Raters);
    let text = format!(
        "results about other items are those of {}, which {} share, such as outputs of one prompt",
        counted(distinct.len() as u64, "cluster"),
        counted(clusters.len() as u64, "item")
    );
    (!clusters.is_empty() && measures.iter().any(vary)).then(|| Note::setting("item-clusters", text))
}

/// Notes that say to what results are limited, and which of them disregard it.
fn limit_notes(limit: Limit, measures: &[MeasureFindings]) -> Vec<Note> {
    let Limit::MadeUpRaters = limit else { return Vec::new() };
    let text = "the answers name no raters: a \"rater\" is a place in the lists of answers, and results are about other items, \
                answered by the same people";
    let mut notes = vec![Note::meaning("made-up-raters", text)];
    let has_claims = |found: &&MeasureFindings| {
        found.estimates.iter().any(|estimate| estimate.interval.is_some())
            || found.comparisons.iter().any(|pair| pair.p.is_some())
    };
    let over_raters = |found: &&MeasureFindings| found.generalize_to != Some(limit.target());
    notes.extend(measures.iter().filter(has_claims).filter(over_raters).map(|found| {
        let text = "intervals and tests take raters that were made up for persons, and may be wrong by any amount: use an \
                    aggregator with `generalize_to: items`";
        Note::meaning("made-up-raters-vary", text).about(&found.measure.name)
    }));
    notes
}

/// Appends a number to repeated table names, as two aggregators of one kind use the same names.
fn make_names_unique(tables: &mut [Table]) {
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

/// Why a session's rater is excluded; `None` for raters who completed the study and passed all excluding checks.
fn exclusion(record: &SessionRecord, checks: &[Check]) -> Option<Exclusion> {
    let (rule, reason) = match record.outcome.as_ref().map(|outcome| outcome.ending) {
        Some(Ending::Completed) => {
            let failed = checks.iter().find(|check| check.excludes())?;
            let (rule, reason) = (Arc::clone(&failed.name), Arc::clone(&failed.why));
            return Some(Exclusion { rater: record.header.rater.clone(), rule, reason });
        }
        Some(Ending::Disqualified) => ("disqualified", "did not pass the qualification".to_owned()),
        Some(Ending::ScreenedOut) => ("screened-out", "was screened out before the task".to_owned()),
        Some(Ending::Left) => ("left", format!("left after {}", counted(record.trials.len(), "answer"))),
        None => ("unfinished", format!("has not finished, after {}", counted(record.trials.len(), "answer"))),
    };
    Some(Exclusion { rater: record.header.rater.clone(), rule: rule.into(), reason: reason.into() })
}

fn earnings(record: &SessionRecord) -> Option<RaterEarnings> {
    let Earned { base, bonus, waiting } = record.earned()?;
    Some(RaterEarnings { rater: record.header.rater.clone(), base, bonus, waiting })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_get_unique_names() {
        let table = |name: &str| Table {
            name: name.into(),
            label: name.into(),
            columns: Vec::new(),
            rows: Vec::new(),
        };
        let mut tables = ["raters", "raters", "raters_2", "raters", "votes"].map(table);
        make_names_unique(&mut tables);
        let names = tables.map(|table| table.name.to_string());
        assert_eq!(names, ["raters", "raters_2", "raters_2_2", "raters_3", "votes"]);
    }
}
