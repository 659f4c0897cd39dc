//! The ratings of single items among a measure's rows, numbered by their names.

use std::collections::HashMap;
use std::sync::Arc;

use hype_core::diagnostics::nearest;
use hype_core::model::findings::{Exclusion, Note};
use hype_core::model::score::NO_MODEL;
use hype_core::words::{counted, listed};
use hype_core::{AggregateError, Aggregated, Diagnostics, Measure, MeasureFindings};

use crate::score_rows::{ScoreRow, ScoreRows};

/// The ratings of single items. Numbers follow the order of names, and ratings that of their numbers, so that
/// nothing depends on the order of the rows.
#[derive(Debug, Clone)]
pub(super) struct Rated {
    pub(super) models: Vec<Arc<str>>,
    pub(super) items: Vec<Arc<str>>,
    pub(super) raters: Vec<Arc<str>>,
    ratings: Vec<Rating>,
    comparisons: usize,
    without_item: usize,
}

/// The findings of each measure that has ratings of single items.
///
/// # Errors
/// If the first measure has none, or there is no measure; `wanted` says what is missing then.
pub(super) fn of_each_measure(
    score_rows: &ScoreRows,
    exclusions: &[Exclusion],
    wanted: &str,
    mut findings: impl FnMut(&Measure, &Rated, &mut Vec<Note>) -> MeasureFindings,
) -> Result<Aggregated, AggregateError> {
    let mut found = Aggregated::default();
    for (place, measure) in score_rows.measures().iter().enumerate() {
        let rated = Rated::of(score_rows, place, exclusions);
        match rated.nothing(score_rows, measure) {
            Some(error) if place == 0 => return Err(error),
            Some(_) => {}
            None => {
                found.notes.extend(rated.notes(measure));
                found.measures.push(findings(measure, &rated, &mut found.notes));
            }
        }
    }
    if found.measures.is_empty() { Err(score_rows.no_scores(wanted)) } else { Ok(found) }
}

/// One rating. The order is by model, item, rater, block and value.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rating {
    pub(super) model: usize,
    pub(super) item: usize,
    pub(super) rater: usize,
    pub(super) value: f64,
    block: u16,
    excluded: bool,
}

impl Rated {
    /// The ratings of the measure at a place.
    pub(super) fn of(score_rows: &ScoreRows, place: usize, exclusions: &[Exclusion]) -> Self {
        let excluded = score_rows.excluded(exclusions);
        let (mut comparisons, mut without_item) = (0, 0);
        let rows: Vec<&ScoreRow> = score_rows
            .all_rows(place)
            .iter()
            .filter(|row| {
                let (compared, whole) = (row.against != NO_MODEL, score_rows.item(row.item).is_empty());
                comparisons += usize::from(compared);
                without_item += usize::from(whole && !compared);
                !compared && !whole
            })
            .collect();
        let (models, model) = by_name(&rows, |row| row.model, |number| score_rows.model(number));
        let (items, item) = by_name(&rows, |row| row.item, |number| score_rows.item(number));
        let (raters, rater) = by_name(&rows, |row| row.rater, |number| score_rows.rater(number));
        let mut ratings: Vec<Rating> = rows
            .iter()
            .map(|row| Rating {
                model: model[&row.model],
                item: item[&row.item],
                rater: rater[&row.rater],
                // -0 and 0 are one value.
                value: row.value + 0.0,
                block: row.block,
                excluded: excluded.contains(&row.rater),
            })
            .collect();
        ratings.sort_by(|a, b| {
            let key = |one: &Rating| (one.model, one.item, one.rater, one.block);
            key(a).cmp(&key(b)).then_with(|| a.value.total_cmp(&b.value))
        });
        Self { models, items, raters, ratings, comparisons, without_item }
    }

    /// The ratings of raters who are not excluded.
    pub(super) fn counted(&self) -> impl Iterator<Item = &Rating> + Clone {
        self.ratings.iter().filter(|rating| !rating.excluded)
    }

    /// All ratings.
    pub(super) fn everyone(&self) -> &[Rating] {
        &self.ratings
    }

    /// Whether an excluded rater rated a model.
    pub(super) fn has_excluded(&self, model: usize) -> bool {
        self.ratings.iter().any(|rating| rating.excluded && rating.model == model)
    }

    /// Why there is no result if there are no ratings.
    pub(super) fn nothing(&self, score_rows: &ScoreRows, measure: &Measure) -> Option<AggregateError> {
        let name = &measure.name;
        if self.counted().next().is_some() {
            return None;
        }
        Some(if !self.ratings.is_empty() {
            AggregateError::Other(format!("all raters with values of `{name}` are excluded"))
        } else if self.without_item > 0 {
            AggregateError::Other(format!("no value of `{name}` is of a single item"))
        } else if self.comparisons > 0 {
            AggregateError::Other(format!("`{name}` compares models; it has no values of single models"))
        } else {
            score_rows.no_scores(name)
        })
    }

    /// Warnings about rows that are not ratings of single items.
    pub(super) fn notes(&self, measure: &Measure) -> impl Iterator<Item = Note> {
        let left_out = [
            (self.comparisons, "comparisons-left-out", "comparing two models"),
            (self.without_item, "no-item", "over several items"),
        ];
        let measure = Arc::clone(&measure.name);
        left_out.into_iter().filter(|(count, ..)| *count > 0).map(move |(count, code, what)| {
            Note::meaning(code, format!("left out here: {} {what}", counted(count, "value"))).about(&measure)
        })
    }
}

/// The names behind the numbers of rows, sorted, and the position of each number among them.
fn by_name(
    rows: &[&ScoreRow],
    number: impl Fn(&ScoreRow) -> u32,
    name: impl Fn(u32) -> Arc<str>,
) -> (Vec<Arc<str>>, HashMap<u32, usize>) {
    let mut numbers: Vec<u32> = rows.iter().map(|row| number(row)).collect();
    numbers.sort_unstable();
    numbers.dedup();
    let mut named: Vec<(Arc<str>, u32)> = numbers.into_iter().map(|number| (name(number), number)).collect();
    named.sort();
    let places = named.iter().enumerate().map(|(place, (_, number))| (*number, place)).collect();
    (named.into_iter().map(|(name, _)| name).collect(), places)
}

/// Checks that a measure chosen by name is among those of the rubric.
pub(super) fn check_measure(chosen: Option<&str>, measures: &[Measure], at: &mut Diagnostics) {
    let known = || measures.iter().map(|measure| &*measure.name);
    if let Some(wanted) = chosen.filter(|wanted| !known().any(|name| name == *wanted)) {
        let help = format!("the rubric measures {}", listed(known()));
        at.field("measure")
            .error("unknown-measure", format!("the rubric does not measure `{wanted}`"))
            .help(help)
            .suggest(nearest(wanted, known()));
    }
}
