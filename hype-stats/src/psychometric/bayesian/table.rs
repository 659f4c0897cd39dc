//! Tabulated log-likelihoods.
//!
//! Each level's are relative to its greatest, so those that matter are small numbers, for which single precision
//! suffices: rounding changes a density by some 1e-5 of itself, up or down.

use super::lanes;
use super::model::{Level, Model, PARAMETERS};
use crate::distributions::Rising;
use crate::parallel;

/// The numbers of overdispersions, if they are free: on most grids, and on the coarse one of yes and no.
pub(super) const DISPERSIONS: usize = 20;
pub(super) const DISPERSIONS_YES_NO: usize = 15;
/// The range of the tabulated logits.
const LOGIT_LIMIT: f64 = 24.0;
/// How far an interpolated log-likelihood may exceed the tabulated ones.
const OVERSHOOT: f32 = 0.25;
/// The number of levels after which a row of cells is checked for being lost.
const CHECKED: usize = 5;

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
    last_node: f64,
    values: Vec<f32>,
}

impl Table {
    /// The table for the logits of all cells, whose interpolated values are exact to `error`.
    pub(super) fn new(model: &Model, axes: &[Vec<f64>; PARAMETERS], error: f64) -> Self {
        // A cubic between nodes at a distance h errs by 3/128 h⁴ times the fourth derivative at most, which is
        // at most an eighth for one answer, without overdispersion.
        let most = model.levels.iter().map(|level| level.correct + level.wrong).fold(1.0, f64::max);
        let nodes = (most * 3.0 / 1024.0 / error).sqrt().sqrt().ceil();
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
        let mut of_levels = vec![Vec::new(); levels.len()];
        for (node, values) in (first..).zip(rows) {
            let mut values = values.into_iter();
            for _ in 0..precisions.len() {
                let of_node = levels.iter().zip(&mut of_levels).filter(|(level, _)| level.has(node));
                of_node.zip(&mut values).for_each(|((_, of_level), value)| of_level.push(value));
            }
        }
        for (level, values) in levels.iter_mut().zip(of_levels) {
            let greatest = values.iter().copied().fold(f64::NEG_INFINITY, more);
            level.values = values.into_iter().map(|value| (value - greatest) as f32).collect();
        }
        Self { dispersions: axes[3].len(), nodes, levels }
    }

    /// The least and the greatest logit of a level: ψ is monotonic in each parameter, so they are at the ends of the
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

    /// Finds the places of logits, those of each level side by side.
    pub(super) fn find(&self, logits: &[f64], places: &mut Places) {
        let count = logits.len() / self.levels.len();
        let of_levels = logits.chunks_exact(count).zip(places.nodes.chunks_exact_mut(count));
        for ((level, (logits, nodes)), offsets) in
            self.levels.iter().zip(of_levels).zip(places.offsets.chunks_exact_mut(count))
        {
            level.find(self.nodes, logits, nodes, offsets);
        }
        let [first, second, third, fourth] = &mut places.weights;
        let weights = first.iter_mut().zip(second).zip(third.iter_mut().zip(fourth));
        for (&offset, ((first, second), (third, fourth))) in places.offsets.iter().zip(weights) {
            [*first, *second, *third, *fourth] = cubic(offset);
        }
    }

    /// Adds the log-likelihoods of all levels, at the place of this number among each level's, to the cells of all
    /// overdispersions, and returns the greatest sum. Stops early where every cell stays below the `least` that matters.
    pub(super) fn add_all(&self, places: &Places, number: usize, least: f32, cells: &mut [f32]) -> f32 {
        // Rows whose length is known when the program is compiled are added in half the time.
        match self.dispersions {
            DISPERSIONS => self.add_to::<DISPERSIONS>(places, number, least, cells),
            DISPERSIONS_YES_NO => self.add_to::<DISPERSIONS_YES_NO>(places, number, least, cells),
            _ => self.add_to::<1>(places, number, least, cells),
        }
    }

    #[inline]
    fn add_to<const COUNT: usize>(
        &self,
        places: &Places,
        number: usize,
        least: f32,
        cells: &mut [f32],
    ) -> f32 {
        let Some(cells) = cells.first_chunk_mut::<COUNT>() else { return f32::NEG_INFINITY };
        let mut rest = OVERSHOOT * self.levels.len() as f32;
        let every = places.nodes.len() / self.levels.len();
        for (index, level) in self.levels.iter().enumerate() {
            if index % CHECKED == CHECKED - 1 && greatest(cells) + rest < least {
                cells.fill(f32::NEG_INFINITY);
                return f32::NEG_INFINITY;
            }
            rest -= OVERSHOOT;
            let (node, weights) = places.of(index * every + number);
            level.add(node, weights, cells);
        }
        greatest(cells)
    }
}

/// Places between nodes: the first of the four around each, how far it is behind the second of them, and the weight of
/// each of the four.
pub(super) struct Places {
    nodes: Vec<u32>,
    offsets: Vec<f32>,
    weights: [Vec<f32>; 4],
}

impl Places {
    pub(super) fn new(count: usize) -> Self {
        let zeros = || vec![0.0; count];
        Self { nodes: vec![0; count], offsets: zeros(), weights: std::array::from_fn(|_| zeros()) }
    }

    /// The first node of a place, and the weights of its four.
    #[inline]
    fn of(&self, place: usize) -> (u32, [f32; 4]) {
        (self.nodes[place], std::array::from_fn(|node| self.weights[node][place]))
    }
}

/// The weights of four neighbouring nodes at a place behind the second of them: a cubic through all four (Lagrange).
#[inline]
fn cubic(offset: f32) -> [f32; 4] {
    let (up, down, beyond) = (offset + 1.0, offset - 1.0, offset - 2.0);
    let (inner, outer) = (down * beyond, up * offset);
    [offset * inner * (-1.0 / 6.0), up * inner * 0.5, outer * beyond * -0.5, outer * down * (1.0 / 6.0)]
}

/// The greater of two numbers, in one instruction: unlike `f64::max`, it does not prefer a number to NaN.
#[inline]
pub(super) fn more<F: PartialOrd>(one: F, other: F) -> F {
    if other > one { other } else { one }
}

/// The lesser of two numbers, in one instruction.
#[inline]
fn less(one: f64, other: f64) -> f64 {
    if other < one { other } else { one }
}

/// The greatest value, in lanes that are compared at the same time.
pub(super) fn greatest(values: &[f32]) -> f32 {
    let (chunks, rest) = values.as_chunks::<4>();
    let lanes = chunks.iter().fold([f32::NEG_INFINITY; 4], |lanes, chunk| {
        std::array::from_fn(|lane| more(lanes[lane], chunk[lane]))
    });
    lanes.into_iter().chain(rest.iter().copied()).fold(f32::NEG_INFINITY, more)
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
            last_node: (last - first - 2) as f64,
            values: Vec::new(),
        }
    }

    const fn has(&self, node: usize) -> bool {
        self.first <= node && node < self.first + self.nodes
    }

    /// Finds the first of the four nodes around each logit, and how far it is behind the second.
    #[inline]
    fn find(&self, nodes_per_unit: f64, logits: &[f64], nodes: &mut [u32], offsets: &mut [f32]) {
        for ((&logit, node), offset) in logits.iter().zip(nodes).zip(offsets) {
            let place = (logit + LOGIT_LIMIT) * nodes_per_unit - self.first_place;
            let place = less(more(place, 0.0), self.last_place);
            let second = less(more(lanes::nearest(place - 0.5), 1.0), self.last_node);
            *offset = (place - second) as f32;
            *node = lanes::whole(second - 1.0);
        }
    }

    /// Adds the log-likelihood at a place to the cells of all overdispersions.
    #[inline]
    fn add<const COUNT: usize>(&self, node: u32, weights: [f32; 4], cells: &mut [f32; COUNT]) {
        let rows = self.values.as_chunks::<COUNT>().0.get(node as usize..);
        // Four nodes follow, as the first is at most the fourth to last.
        let Some([first, second, third, fourth]) = rows.and_then(|rows| rows.first_chunk()) else { return };
        for (dispersion, cell) in cells.iter_mut().enumerate() {
            *cell += (weights[0] * first[dispersion] + weights[1] * second[dispersion])
                + (weights[2] * third[dispersion] + weights[3] * fourth[dispersion]);
        }
    }
}
