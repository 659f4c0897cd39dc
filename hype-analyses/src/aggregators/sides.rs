//! The sides on which models stood: whether comparisons allow for a preference for a side.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use hype_core::model::findings::Note;
use hype_stats::distributions::ChiSquared;
use serde::Serializer;

use super::inference::no_interval;

/// How comparisons allow for the order of their models.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sides {
    /// Not at all.
    Ignored,
    /// By a term for standing first.
    Allowed,
    /// Models did not stand first equally often, and no pair stood in both orders: a preference for a side cannot be told from one
    /// for a model.
    Confounded,
}

/// The comparisons of an ordered pair that tell how much they vary.
const ENOUGH: f64 = 20.0;

/// The p value below which models did not stand first equally often by chance.
const BY_CHANCE: f64 = 0.01;

impl Sides {
    /// Judges comparisons by how often the first of each ordered pair of models was compared with the second.
    pub(super) fn of(models: usize, comparisons: impl Iterator<Item = ([u32; 2], u64)>) -> Self {
        let mut pairs: BTreeSet<[u32; 2]> = BTreeSet::new();
        let mut counts = vec![[0_u64; 2]; models];
        for (pair, count) in comparisons {
            pairs.insert(pair);
            pair.into_iter().enumerate().for_each(|(side, model)| counts[model as usize][side] += count);
        }
        let is_uneven = |[first, second]: &[u64; 2]| {
            let (all, lead) = ((first + second) as f64, first.abs_diff(*second) as f64);
            let p = ChiSquared::new(1.0).map_or(1.0, |chi| chi.sf(lead * lead / all.max(1.0)));
            p * (models as f64) < BY_CHANCE
        };
        if !counts.iter().any(is_uneven) {
            Self::Ignored
        } else if pairs.iter().any(|&[first, second]| pairs.contains(&[second, first])) {
            Self::Allowed
        } else {
            Self::Confounded
        }
    }

    /// Whether the order of models has a term.
    pub(super) const fn are_allowed_for(self) -> bool {
        matches!(self, Self::Allowed)
    }

    /// Returns the note that readers need.
    pub(super) fn note(self, measure: &str, is_asked_for: bool) -> Option<Note> {
        match self {
            Self::Allowed if !is_asked_for => {
                let text =
                    "models did not stand first equally often, and results allow for a preference for a side";
                Some(Note::setting("sides", text).about(measure))
            }
            Self::Confounded => {
                let text = "each pair stands in one order only, and a preference for a side would count as one for a model: \
                            without intervals and tests, unless `order_effect: false`";
                Some(Note::meaning("one-order", text).about(measure))
            }
            Self::Allowed | Self::Ignored => None,
        }
    }
}

/// Writes the setting `order_effect` as it has always been written: unless it is said, there is no such term in a study's analysis.
#[expect(clippy::ref_option, reason = "serde passes fields by reference")]
pub(super) fn unless_said<S: Serializer>(order_effect: &Option<bool>, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_bool(order_effect.unwrap_or(false))
}

/// The share of comparisons that a model would win if it stood first in half of those with each other model: `None` where some pair
/// stood in one order only. Entries are ordered pairs with the number of comparisons, and of those that the first won.
#[derive(Debug, Default)]
pub(super) struct BothOrders {
    cells: BTreeMap<[u32; 2], [f64; 2]>,
}

impl BothOrders {
    pub(super) fn add(&mut self, pair: [u32; 2], comparisons: f64, won_by_first: f64) {
        let [all, won] = self.cells.entry(pair).or_default();
        *all += comparisons;
        *won += won_by_first;
    }

    /// The number of comparisons of an ordered pair, and the share that its first won.
    pub(super) fn of(&self, pair: [u32; 2]) -> Option<(f64, f64)> {
        self.cells.get(&pair).filter(|[all, _]| *all > 0.0).map(|[all, won]| (*all, won / all))
    }

    /// The models that a model was compared with, with the share of its comparisons.
    pub(super) fn others(&self, model: u32) -> Vec<(u32, f64)> {
        let mut counts: BTreeMap<u32, f64> = BTreeMap::new();
        for (&[first, second], &[all, _]) in &self.cells {
            if first == model {
                *counts.entry(second).or_default() += all;
            } else if second == model {
                *counts.entry(first).or_default() += all;
            }
        }
        let whole: f64 = counts.values().sum();
        counts.into_iter().map(|(other, count)| (other, count / whole)).collect()
    }

    /// Whether a model has enough comparisons with each other one in both orders for the error of its win rate.
    pub(super) fn are_enough(&self, model: u32) -> bool {
        let enough = |pair| self.of(pair).is_some_and(|(all, _)| all >= ENOUGH);
        self.others(model).into_iter().all(|(other, _)| enough([model, other]) && enough([other, model]))
    }

    /// The share that a model won, half of it from either side.
    pub(super) fn win_rate(&self, model: u32) -> Option<f64> {
        let from_both = |(other, weight): (u32, f64)| {
            let ((_, first), (_, second)) = (self.of([model, other])?, self.of([other, model])?);
            Some(weight * 0.5 * (first + 1.0 - second))
        };
        self.others(model).into_iter().map(from_both).sum()
    }
}

/// A note that a model has too few comparisons in one of both orders.
pub(super) fn one_order(model: &Arc<str>, measure: &str) -> Note {
    let why = format_args!("fewer than {ENOUGH} comparisons with another model on one of the sides");
    no_interval(measure, &[model], why)
}
