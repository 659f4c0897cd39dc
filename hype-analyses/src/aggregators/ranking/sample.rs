//! The rankings of one measure, with the means of ranks and their errors.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use hype_core::Measure;
use hype_core::model::findings::{GeneralizeTo, Note};
use hype_core::model::score::NO_MODEL;
use hype_stats::clustered::{Clustered, Contributions};
use hype_stats::{StatError, describe};

use super::orders::Order;
use crate::aggregators::facets::{FacetLevels, RowPart, without_level};
use crate::aggregators::inference::{check_target, target};
use crate::score_rows::{ScoreRows, distinct};

/// The rankings of one measure.
pub(super) struct Sample<'a> {
    pub(super) score_rows: &'a ScoreRows,
    pub(super) measure: Measure,
    pub(super) orders: Vec<Order>,
    /// The models, by name.
    pub(super) models: Vec<u32>,
    /// The target that the results of these rankings can generalize to.
    pub(super) generalize_to: GeneralizeTo,
    /// The number of families of pairs that are compared together.
    pub(super) families: usize,
}

/// The models that were ranked, by name.
pub(super) fn models_of(orders: &[Order], score_rows: &ScoreRows) -> Vec<u32> {
    let ranked = orders.iter().flat_map(|order| order.ranks.iter().map(|(model, _)| *model));
    let mut models: Vec<u32> = ranked.collect::<HashSet<u32>>().into_iter().collect();
    models.sort_unstable_by_key(|&model| score_rows.model(model));
    models
}

impl Sample<'_> {
    pub(super) fn names(&self) -> Vec<Arc<str>> {
        self.models.iter().map(|&model| self.score_rows.model(model)).collect()
    }

    /// Each rater's mean rank of each model that the rater ranked.
    pub(super) fn rater_means(&self) -> BTreeMap<u32, HashMap<u32, f64>> {
        let mut sums: BTreeMap<u32, HashMap<u32, (f64, f64)>> = BTreeMap::new();
        for order in &self.orders {
            let own = sums.entry(order.rater).or_default();
            for &(model, rank) in &order.ranks {
                let (sum, count) = own.entry(model).or_default();
                *sum += rank;
                *count += 1.0;
            }
        }
        let means = |own: HashMap<u32, (f64, f64)>| {
            own.into_iter().map(|(model, (sum, count))| (model, sum / count)).collect()
        };
        sums.into_iter().map(|(rater, own)| (rater, means(own))).collect()
    }

    /// How much each rater's ranks add to the difference of two models.
    pub(super) fn weights(&self, models: [&str; 2]) -> BTreeMap<u32, f64> {
        let [one, other] = models.map(|model| self.score_rows.model_number(model).unwrap_or(NO_MODEL));
        let weight =
            |(rater, own): (u32, HashMap<u32, f64>)| Some((rater, own.get(&one)? - own.get(&other)?));
        self.rater_means().into_iter().filter_map(weight).collect()
    }

    /// The position of a model among those that were ranked.
    pub(super) fn place(&self, model: u32) -> usize {
        self.models.iter().position(|&known| known == model).unwrap_or_default()
    }

    /// The mean rank of every model: over raters of their means or, where items vary, over rankings.
    pub(super) fn mean_ranks(&self) -> Vec<f64> {
        let means = self.rater_means();
        let mean = |values: Vec<f64>| describe::mean(&values).unwrap_or(f64::NAN);
        let of_model = |model: &u32| match self.generalize_to {
            GeneralizeTo::Raters => mean(means.values().filter_map(|own| own.get(model).copied()).collect()),
            _ => mean(self.ranks_of(*model).map(|(_, rank)| rank).collect()),
        };
        self.models.iter().map(of_model).collect()
    }

    /// The rankings with a model, and its ranks.
    pub(super) fn ranks_of(&self, model: u32) -> impl Iterator<Item = (&Order, f64)> {
        self.orders.iter().filter_map(move |order| {
            let (_, rank) = order.ranks.iter().find(|(ranked, _)| *ranked == model)?;
            Some((order, *rank))
        })
    }

    /// The number of items, or clusters of them, whose rankings contain a model.
    pub(super) fn units_of(&self, model: u32) -> u64 {
        let ranked = |order: &&Order| order.ranks.iter().any(|(one, _)| *one == model);
        distinct(self.orders.iter().filter(ranked).map(|order| order.unit))
    }

    /// The errors of the mean ranks.
    pub(super) fn errors(&self, values: &[f64]) -> Result<Clustered, StatError> {
        let means = self.rater_means();
        check_target(
            means.len(),
            || distinct(self.orders.iter().map(|order| order.unit)) as usize,
            self.generalize_to,
        )?;
        let mut contributions = Contributions::new(self.models.len());
        for (place, (&model, value)) in self.models.iter().zip(values).enumerate() {
            if self.generalize_to == GeneralizeTo::Raters {
                let own: Vec<(u32, f64)> =
                    means.iter().filter_map(|(rater, own)| Some((*rater, *own.get(&model)?))).collect();
                for (rater, mean) in &own {
                    contributions.push(*rater, 0, place, (mean - value) / own.len() as f64);
                }
            } else {
                let count = self.ranks_of(model).count() as f64;
                for (order, rank) in self.ranks_of(model) {
                    contributions.push(order.rater, order.unit, place, (rank - value) / count);
                }
            }
        }
        contributions.clustered(target(self.generalize_to))
    }

    pub(super) fn counts(&self, model: u32) -> u64 {
        self.orders.iter().filter(|order| order.ranks.iter().any(|(ranked, _)| *ranked == model)).count()
            as u64
    }

    /// The rankings at one level, with only the models that were ranked there; `None` without any.
    pub(super) fn at(&self, level: usize, name: &str, families: usize) -> Option<Self> {
        let own = |order: &&Order| order.level == Some(level);
        let orders: Vec<Order> = self.orders.iter().filter(own).cloned().collect();
        let label = format!("{}, {name}", self.measure.label).into();
        (!orders.is_empty()).then(|| Self {
            measure: Measure { label, ..self.measure.clone() },
            models: models_of(&orders, self.score_rows),
            orders,
            families,
            ..*self
        })
    }

    /// A warning that some raters or items have no level; `None` without any.
    pub(super) fn without_level(&self, levels: &FacetLevels) -> Option<Note> {
        let without = self.orders.iter().filter(|order| order.level.is_none());
        let (count, unit) = match levels.part()? {
            RowPart::Item => (distinct(without.map(|order| order.item)), "item"),
            RowPart::Rater => (distinct(without.map(|order| order.rater)), "rater"),
        };
        without_level(count as usize, unit, levels.facet())
    }
}
