//! Rankings assembled from their rows.

use std::collections::{BTreeMap, HashSet};

use hype_core::AggregateError;
use hype_stats::nonparametric::ranks;

use crate::shared::score_rows::{ScoreRow, ScoreRows};

/// One ranking: who ranked what, and the mid-ranks of the models, by the models' numbers.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Order {
    pub(super) rater: u32,
    pub(super) item: u32,
    pub(super) ranks: Vec<(u32, f64)>,
}

impl Order {
    /// The models, best first; `None` if any of them tie.
    pub(super) fn best_first(&self) -> Option<Vec<u32>> {
        let mut order = self.ranks.clone();
        order.sort_by(|a, b| a.1.total_cmp(&b.1));
        let tied = order.windows(2).any(|pair| pair[1].1 - pair[0].1 < 0.75);
        (!tied).then(|| order.into_iter().map(|(model, _)| model).collect())
    }
}

/// The rankings of a measure, in the order of raters', items' and models' names, so that the result does not depend
/// on how the rows were split. Ranks are converted to mid-ranks, so that gaps have no effect.
pub(super) fn orders(
    score_rows: &ScoreRows,
    place: usize,
    without: &HashSet<u32>,
) -> Result<Vec<Order>, AggregateError> {
    let mut grouped: BTreeMap<(std::sync::Arc<str>, std::sync::Arc<str>, u16), Vec<ScoreRow>> =
        BTreeMap::new();
    for row in score_rows.rows(place, without) {
        grouped
            .entry((score_rows.rater(row.rater), score_rows.item(row.item), row.block))
            .or_default()
            .push(*row);
    }
    let measure = &score_rows.measures()[place].name;
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
        let ranks = rows.iter().map(|row| row.model).zip(mid.ranks).collect();
        found.push(Order { rater: rows[0].rater, item: rows[0].item, ranks });
    }
    Ok(found)
}
