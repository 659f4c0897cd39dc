//! Tabulated log-likelihoods.

use super::model::{Level, Model, PARAMETERS};
use crate::distributions::Rising;
use crate::parallel;

/// The numbers of overdispersions, if they are free: on most grids, and on the coarse one of yes and no.
pub(super) const DISPERSIONS: usize = 20;
pub(super) const DISPERSIONS_YES_NO: usize = 15;
/// The range of the tabulated logits.
const LOGIT_LIMIT: f64 = 24.0;
/// How far an interpolated log-likelihood may exceed the tabulated ones.
const OVERSHOOT: f64 = 0.25;
/// The number of levels after which a row of cells is checked for being lost.
const CHECKED: usize = 3;

/// The log-likelihood of each level on a grid of logits, with all overdispersions side by side.
pub(super) struct Table {
    dispersions: usize,
    /// Nodes for each unit of the logit.
    nodes: f64,
    levels: Vec<LevelTable>,
}

/// The nodes of one level that its logits need.
struct LevelTable {
    /// The first node, whose values are the first ones.
    first: usize,
    nodes: usize,
    /// For [`Self::find`]: the first node, the last one counted from there, and the last that two more follow.
    first_place: f64,
    last_place: f64,
    last_node: u32,
    values: Vec<f64>,
    /// An upper bound of the log-likelihoods of this level and those that follow.
    greatest_rest: f64,
}

impl Table {
    pub(super) fn new(model: &Model, axes: &[Vec<f64>; PARAMETERS], nodes: f64) -> Self {
        let precisions: Vec<f64> = axes[3].iter().map(|&value| Model::precision(value)).collect();
        let logits = |level: &Level| Self::logits(model, level, axes);
        let mut levels: Vec<LevelTable> =
            model.levels.iter().map(|level| LevelTable::new(logits(level), nodes)).collect();
        // Levels that need the same node have most of its work in common.
        let first = levels.iter().map(|level| level.first).min().unwrap_or_default();
        let end = levels.iter().map(|level| level.first + level.nodes).max().unwrap_or_default();
        let totals: Vec<Vec<f64>> = precisions
            .iter()
            .map(|&precision| {
                let rising = Rising::new(precision);
                model.levels.iter().map(|level| rising.ln(level.correct + level.wrong)).collect()
            })
            .collect();
        let rows = parallel::map(end.saturating_sub(first), |number| {
            let node = first + number;
            let logit = node as f64 / nodes - LOGIT_LIMIT;
            let (mean, complement) = (1.0 / (1.0 + (-logit).exp()), 1.0 / (1.0 + logit.exp()));
            let mut values = Vec::with_capacity(precisions.len() * levels.len());
            for (&precision, totals) in precisions.iter().zip(&totals) {
                let [of_correct, of_wrong] = [mean, complement].map(|share| Rising::new(precision * share));
                for ((level, table), total) in model.levels.iter().zip(&levels).zip(totals) {
                    if table.has(node) {
                        values.push(of_correct.ln(level.correct) + of_wrong.ln(level.wrong) - total);
                    }
                }
            }
            values
        });
        for (node, values) in (first..).zip(rows) {
            let mut values = values.into_iter();
            for _ in 0..precisions.len() {
                let of_node = levels.iter_mut().filter(|level| level.has(node));
                of_node.zip(&mut values).for_each(|(level, value)| level.values.push(value));
            }
        }
        let mut rest = 0.0;
        for level in levels.iter_mut().rev() {
            rest += greatest(&level.values) + OVERSHOOT;
            level.greatest_rest = rest;
        }
        Self { dispersions: axes[3].len(), nodes, levels }
    }

    /// The least and the greatest logit of a level: ψ is monotonic in each parameter, so that they are at the ends of the
    /// axes.
    fn logits(model: &Model, level: &Level, axes: &[Vec<f64>; PARAMETERS]) -> [f64; 2] {
        let ends = |index: usize| [axes[index][0], axes[index][axes[index].len() - 1]];
        let mut limits = [f64::INFINITY, f64::NEG_INFINITY];
        for threshold in ends(0) {
            for width in ends(1) {
                let rise = model.rise(level.position, threshold, width);
                for lapse in ends(2) {
                    for guess in ends(4) {
                        let [mean, complement] = Model::probability(rise, lapse, guess);
                        let logit = (mean / complement).ln();
                        limits = [limits[0].min(logit), limits[1].max(logit)];
                    }
                }
            }
        }
        limits
    }

    /// Finds the places of all levels' logits.
    pub(super) fn find(&self, logits: &[f64], places: &mut [Place]) {
        for ((place, level), &logit) in places.iter_mut().zip(&self.levels).zip(logits) {
            *place = level.find((logit + LOGIT_LIMIT) * self.nodes);
        }
    }

    /// Adds the log-likelihoods of all levels, at their places, to the cells of all overdispersions, and returns the
    /// greatest sum. Stops early where every cell stays below the `least` that matters.
    pub(super) fn add_all(&self, places: &[Place], least: f64, cells: &mut [f64]) -> f64 {
        // Rows whose length is known when the program is compiled are added in half the time.
        match self.dispersions {
            DISPERSIONS => self.add_to::<DISPERSIONS>(places, least, cells),
            DISPERSIONS_YES_NO => self.add_to::<DISPERSIONS_YES_NO>(places, least, cells),
            _ => self.add_to::<1>(places, least, cells),
        }
    }

    #[inline]
    fn add_to<const COUNT: usize>(&self, places: &[Place], least: f64, cells: &mut [f64]) -> f64 {
        let Some(cells) = cells.first_chunk_mut::<COUNT>() else { return f64::NEG_INFINITY };
        for (index, (level, place)) in self.levels.iter().zip(places).enumerate() {
            if index % CHECKED == CHECKED - 1 && greatest(cells) + level.greatest_rest < least {
                cells.fill(f64::NEG_INFINITY);
                return f64::NEG_INFINITY;
            }
            level.add(place, cells);
        }
        greatest(cells)
    }
}

/// A place between nodes: the first of the four around it, and the weight of each.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Place {
    node: usize,
    weights: [f64; 4],
}

/// The greater of two numbers, in one instruction: unlike `f64::max`, it does not look for a number beside NaN.
#[inline]
pub(super) fn more(one: f64, other: f64) -> f64 {
    if other > one { other } else { one }
}

/// The greatest value, in lanes that are compared at the same time.
pub(super) fn greatest(values: &[f64]) -> f64 {
    let (chunks, rest) = values.as_chunks::<4>();
    let mut lanes = [f64::NEG_INFINITY; 4];
    for chunk in chunks {
        for (lane, &value) in lanes.iter_mut().zip(chunk) {
            *lane = more(*lane, value);
        }
    }
    lanes.into_iter().chain(rest.iter().copied()).fold(f64::NEG_INFINITY, more)
}

impl LevelTable {
    /// The nodes for logits between limits, without values.
    fn new(logits: [f64; 2], nodes: f64) -> Self {
        let greatest_node = (2.0 * LOGIT_LIMIT * nodes) as usize;
        let node = |logit: f64| ((logit + LOGIT_LIMIT) * nodes).clamp(0.0, greatest_node as f64) as usize;
        // Two more nodes on each side than a cubic needs, for rounding; four at least.
        let last = (node(logits[1]) + 4).clamp(4, greatest_node);
        let first = node(logits[0]).saturating_sub(3).min(last - 4);
        Self {
            first,
            nodes: last - first + 1,
            first_place: first as f64,
            last_place: (last - first) as f64,
            last_node: (last - first - 2) as u32,
            values: Vec::new(),
            greatest_rest: 0.0,
        }
    }

    const fn has(&self, node: usize) -> bool {
        self.first <= node && node < self.first + self.nodes
    }

    /// The place of a logit in units of nodes: a cubic through the four neighbouring nodes (Lagrange).
    #[inline]
    fn find(&self, place: f64) -> Place {
        let place = (place - self.first_place).clamp(0.0, self.last_place);
        let node = (place as u32).clamp(1, self.last_node);
        let t = place - f64::from(node);
        let (up, down, beyond) = (t + 1.0, t - 1.0, t - 2.0);
        let inner = down * beyond;
        let outer = up * t;
        Place {
            node: node as usize - 1,
            weights: [
                t * inner * (-1.0 / 6.0),
                up * inner * 0.5,
                outer * beyond * -0.5,
                outer * down * (1.0 / 6.0),
            ],
        }
    }

    /// Adds the log-likelihood at a place to the cells of all overdispersions.
    #[inline]
    fn add<const COUNT: usize>(&self, place: &Place, cells: &mut [f64; COUNT]) {
        let rows = self.values.as_chunks::<COUNT>().0.get(place.node..);
        // Four nodes follow, as the first is at most the fourth to last.
        let Some([first, second, third, fourth]) = rows.and_then(|rows| rows.first_chunk()) else { return };
        for (dispersion, cell) in cells.iter_mut().enumerate() {
            *cell += (place.weights[0] * first[dispersion] + place.weights[1] * second[dispersion])
                + (place.weights[2] * third[dispersion] + place.weights[3] * fourth[dispersion]);
        }
    }
}
