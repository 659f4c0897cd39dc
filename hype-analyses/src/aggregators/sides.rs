//! The sides on which models stood: whether comparisons allow for a preference for a side.

use std::collections::BTreeMap;
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
    /// Models did not stand first equally often, and too few raters saw the rarer order of any pair: a preference for a side cannot be
    /// told from one for a model.
    Confounded,
}

/// The comparisons of an ordered pair that tell how much they vary.
const ENOUGH: f64 = 20.0;

/// The raters who have to see one order of two models for the error of what a side is worth: a third of all, but at least the first number
/// and at most the second.
const ENOUGH_RATERS: [usize; 2] = [5, 12];

/// The p value below which models did not stand first equally often by chance.
const BY_CHANCE: f64 = 0.01;

impl Sides {
    /// Judges comparisons by how often the first of each ordered pair of models was compared with the second by a rater, in the
    /// order of raters.
    pub(super) fn of(models: usize, comparisons: impl Iterator<Item = ([u32; 2], u32, u64)> + Clone) -> Self {
        let mut pairs: BTreeMap<[u32; 2], Distinct> = BTreeMap::new();
        let mut all = Distinct::default();
        let mut counts = vec![[0_u64; 2]; models];
        for (pair, rater, count) in comparisons.clone() {
            pairs.entry(pair).or_default().add(rater);
            all.add(rater);
            pair.into_iter().enumerate().for_each(|(side, model)| counts[model as usize][side] += count);
        }
        let is_uneven = |[first, second]: &[u64; 2]| {
            let (all, lead) = ((first + second) as f64, first.abs_diff(*second) as f64);
            let p = ChiSquared::new(1.0).map_or(1.0, |chi| chi.sf(lead * lead / all.max(1.0)));
            p * (models as f64) < BY_CHANCE
        };
        // The raters who saw the rarer order of any pair tell what a side is worth.
        let is_rarer = |[first, second]: [u32; 2]| {
            let raters = |pair: [u32; 2]| pairs.get(&pair).map(|raters| (raters.count, pair));
            raters([first, second]) < raters([second, first])
        };
        let mut rarer = Distinct::default();
        comparisons.filter(|(pair, ..)| is_rarer(*pair)).for_each(|(_, rater, _)| rarer.add(rater));
        if !counts.iter().any(is_uneven) {
            Self::Ignored
        } else if rarer.count >= enough_of(all.count) {
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
                let text = "too few raters saw models on their rarer side, and a preference for a side would count as one for a \
                            model: without intervals and tests, unless `order_effect: false`";
                Some(Note::meaning("one-order", text).about(measure))
            }
            Self::Allowed | Self::Ignored => None,
        }
    }
}

/// The raters who have to see one of the orders, of so many; all but one, of few.
fn enough_of(raters: usize) -> usize {
    let [least, most] = ENOUGH_RATERS;
    raters.div_ceil(3).clamp(least, most).min(raters.saturating_sub(1)).max(1)
}

/// The number of different raters of comparisons in the order of raters.
#[derive(Debug, Default)]
struct Distinct {
    last: Option<u32>,
    count: usize,
}

impl Distinct {
    fn add(&mut self, rater: u32) {
        self.count += usize::from(self.last.replace(rater) != Some(rater));
    }
}

/// Writes the setting `order_effect` as it has always been written: unless it is said, there is no such term in a study's analysis.
#[expect(clippy::ref_option, reason = "serde passes fields by reference")]
pub(super) fn unless_said<S: Serializer>(order_effect: &Option<bool>, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_bool(order_effect.unwrap_or(false))
}

/// The share of comparisons that a model would win if it stood first in half of those with each other model: `None` where some pair
/// stood in one order only.
#[derive(Debug, Default)]
pub(super) struct BothOrders {
    cells: BTreeMap<[u32; 2], InOrder>,
    /// The raters of pairs in any order, by the lower model.
    raters: BTreeMap<[u32; 2], Distinct>,
}

/// The comparisons of an ordered pair.
#[derive(Debug, Default)]
pub(super) struct InOrder {
    pub(super) all: f64,
    pub(super) won_by_first: f64,
    raters: Distinct,
}

impl InOrder {
    /// The share that the first won.
    pub(super) fn share(&self) -> f64 {
        self.won_by_first / self.all
    }
}

impl BothOrders {
    /// Adds comparisons, in the order of raters.
    pub(super) fn add(&mut self, pair: [u32; 2], rater: u32, comparisons: f64, won_by_first: f64) {
        let own = self.cells.entry(pair).or_default();
        own.all += comparisons;
        own.won_by_first += won_by_first;
        own.raters.add(rater);
        self.raters.entry(unordered(pair)).or_default().add(rater);
    }

    pub(super) fn of(&self, pair: [u32; 2]) -> Option<&InOrder> {
        self.cells.get(&pair).filter(|own| own.all > 0.0)
    }

    /// The models that a model was compared with, with the share of its comparisons.
    pub(super) fn others(&self, model: u32) -> Vec<(u32, f64)> {
        let mut counts: BTreeMap<u32, f64> = BTreeMap::new();
        for (&[first, second], own) in &self.cells {
            if first == model {
                *counts.entry(second).or_default() += own.all;
            } else if second == model {
                *counts.entry(first).or_default() += own.all;
            }
        }
        let whole: f64 = counts.values().sum();
        counts.into_iter().map(|(other, count)| (other, count / whole)).collect()
    }

    /// Whether a model has enough comparisons with each other one in both orders, before enough raters, for the error of its
    /// win rate.
    pub(super) fn are_enough(&self, model: u32) -> bool {
        let enough = |pair| {
            let raters = self.raters.get(&unordered(pair)).map_or(0, |raters| raters.count);
            self.of(pair).is_some_and(|own| own.all >= ENOUGH && own.raters.count >= enough_of(raters))
        };
        self.others(model).into_iter().all(|(other, _)| enough([model, other]) && enough([other, model]))
    }

    /// By how much deviations from the share of an ordered pair are too small where only some of its raters, of `all` raters of
    /// all comparisons, saw this order.
    pub(super) fn correction(&self, pair: [u32; 2], all: usize) -> f64 {
        let own = self.of(pair).map_or(0, |own| own.raters.count) as f64;
        let all = all as f64;
        if own > 1.0 { (own / (own - 1.0) * (all - 1.0) / all).max(1.0).sqrt() } else { 1.0 }
    }

    /// The share that a model won, half of it from either side.
    pub(super) fn win_rate(&self, model: u32) -> Option<f64> {
        let from_both = |(other, weight): (u32, f64)| {
            let (first, second) = (self.of([model, other])?.share(), self.of([other, model])?.share());
            Some(weight * 0.5 * (first + 1.0 - second))
        };
        self.others(model).into_iter().map(from_both).sum()
    }
}

fn unordered([first, second]: [u32; 2]) -> [u32; 2] {
    [first.min(second), first.max(second)]
}

/// A note that a model has too few comparisons in one of both orders.
pub(super) fn one_order(model: &Arc<str>, measure: &str) -> Note {
    let why = format_args!(
        "fewer than {ENOUGH} comparisons with another model, or too few raters, on one of the sides"
    );
    no_interval(measure, &[model], why)
}
