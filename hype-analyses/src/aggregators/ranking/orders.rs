//! Rankings assembled from their rows.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use hype_core::plugin::aggregator::Aggregation;
use hype_core::{AggregateError, ScoreTable};
use hype_stats::nonparametric::ranks;

use crate::aggregators::facets::{FacetLevels, NO_LEVEL};
use crate::aggregators::measures::is_rank;
use crate::score_rows::{ScoreRow, ScoreRows};

/// Rows of ranks, with the levels of a facet if one is named.
#[derive(Debug, Clone)]
pub struct RankRows {
    rows: ScoreRows,
    levels: Option<Result<FacetLevels, AggregateError>>,
}

impl RankRows {
    /// No rows yet.
    pub(super) fn new(within: Option<&str>, context: &Aggregation) -> Self {
        let ranks = context.measures.iter().filter(|measure| is_rank(measure));
        let wanted: Vec<String> = ranks.map(|measure| measure.name.to_string()).collect();
        Self {
            rows: ScoreRows::new(Some(&wanted), context),
            levels: within.map(|facet| FacetLevels::new(facet, context)),
        }
    }

    pub(super) fn add(&mut self, scores: &ScoreTable) -> Result<(), AggregateError> {
        self.rows.add(scores)?;
        self.look_up();
        Ok(())
    }

    /// Looks up the levels of names that are new.
    fn look_up(&mut self) {
        if let Some(Ok(levels)) = &mut self.levels {
            levels.extend(self.rows.names_mut());
        }
    }

    pub(super) fn rows(&self) -> &ScoreRows {
        &self.rows
    }

    /// The levels by which rankings are looked at apart, if a facet is named.
    ///
    /// # Errors
    /// If there is no such facet.
    pub(super) fn levels(&self) -> Result<Option<&FacetLevels>, AggregateError> {
        self.levels.as_ref().map(Result::as_ref).transpose().map_err(Clone::clone)
    }
}

/// One ranking: who ranked what, and the mid-ranks of the models, by the models' numbers. Raters and items are numbered in the
/// order of their names.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Order {
    pub(super) rater: u32,
    pub(super) item: u32,
    /// The unit that varies with the item: its cluster, or itself.
    pub(super) unit: u32,
    pub(super) item_name: Arc<str>,
    pub(super) ranks: Vec<(u32, f64)>,
    /// The number of its level, if it has one.
    pub(super) level: Option<usize>,
}

impl Order {
    /// The models, best first, with whether each is tied with the one before.
    pub(super) fn best_first(&self) -> (Vec<u32>, Vec<bool>) {
        let mut order = self.ranks.clone();
        order.sort_by(|a, b| a.1.total_cmp(&b.1));
        let is_tied = |place: usize| place > 0 && order[place].1 - order[place - 1].1 < 0.25;
        let tied = (0..order.len()).map(is_tied).collect();
        (order.into_iter().map(|(model, _)| model).collect(), tied)
    }
}

/// The rankings of a measure, in the order of raters', items' and models' names, so the result does not depend
/// on how the rows were split. Ranks are converted to mid-ranks, so gaps have no effect. Rankings of one model at several levels
/// are left out, as they say nothing about two models.
pub(super) fn orders(
    score_rows: &ScoreRows,
    place: usize,
    without: &HashSet<u32>,
    levels: Option<&FacetLevels>,
) -> Result<Vec<Order>, AggregateError> {
    let mut grouped: BTreeMap<(Arc<str>, Arc<str>, u16), Vec<ScoreRow>> = BTreeMap::new();
    for row in score_rows.rows(place, without) {
        grouped
            .entry((score_rows.rater(row.rater), score_rows.item(row.item), row.block))
            .or_default()
            .push(*row);
    }
    let measure = &score_rows.measures()[place].name;
    let items = numbered(grouped.keys().map(|(_, item, _)| Arc::clone(item)));
    let unit_of = |item: &Arc<str>| score_rows.units().name_of(item);
    let units = numbered(grouped.keys().map(|(_, item, _)| unit_of(item)));
    let raters = numbered(grouped.keys().map(|(rater, ..)| Arc::clone(rater)));
    let mut found = Vec::new();
    for ((rater, item, block), mut rows) in grouped {
        rows.sort_by_key(|row| score_rows.model(row.model));
        let fault = rows.iter().find_map(|row| {
            let whole = row.value >= 1.0 && (2.0 * row.value).fract() == 0.0;
            (!whole).then(|| format!("{} has the rank {}", score_rows.model(row.model), row.value))
        });
        let twice = rows.windows(2).find(|pair| pair[0].model == pair[1].model);
        let twice = twice.map(|pair| format!("{} is ranked twice", score_rows.model(pair[0].model)));
        if let Some(fault) = fault.or(twice) {
            return Err(AggregateError::Other(format!(
                "rater {rater}, item {item}, block {block}: {fault}; the values of `{measure}` are ranks from 1, and \
                 mid-ranks of ties"
            )));
        }
        if rows.len() < 2 {
            continue;
        }
        let values: Vec<f64> = rows.iter().map(|row| row.value).collect();
        let mid = ranks(&values).map_err(|error| AggregateError::Other(error.to_string()))?;
        let mut models: Vec<u32> = rows.iter().map(|row| row.model).collect();
        let level = match levels {
            None => Some(NO_LEVEL),
            Some(levels) => levels.place(rows[0].rater, rows[0].item, &mut models),
        };
        let Some(level) = level else { continue };
        let level = (level != NO_LEVEL).then_some(level as usize);
        let mut ranks: Vec<(u32, f64)> = models.into_iter().zip(mid.ranks).collect();
        ranks.sort_by_key(|(model, _)| score_rows.model(*model));
        let (rater, number, unit) = (raters[&rater], items[&item], units[&unit_of(&item)]);
        found.push(Order { rater, item: number, unit, item_name: item, ranks, level });
    }
    Ok(found)
}

/// The numbers of names in their order.
fn numbered(names: impl Iterator<Item = Arc<str>>) -> BTreeMap<Arc<str>, u32> {
    let names: BTreeSet<Arc<str>> = names.collect();
    names.into_iter().zip(0..).collect()
}
