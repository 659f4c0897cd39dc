//! Sums of the posterior over a grid of all parameters.

use super::Marginal;
use super::beta_binomial::ln_likelihood_over;
use super::model::{Level, Model, PARAMETERS};
use crate::StatError;
use crate::distributions::ln_rising;
use crate::parallel;

/// Values of each parameter on the grid that finds the limits, as in psignifit 4.
pub(super) const COARSE_FORCED_CHOICE: [usize; PARAMETERS] = [30, 40, 10, 20, 1];
/// The same if the guess rate is free.
pub(super) const COARSE_YES_NO: [usize; PARAMETERS] = [25, 30, 10, 15, 10];
/// Values of each parameter on the grid that is summed.
const FINE: [usize; PARAMETERS] = [40, 40, 20, 20, 20];
/// A value stays within the limits if one of its cells has more than this part of the mass.
const LEAST_SHARE: f64 = 1e-5;
/// Tabulated logits for each unit, on the coarse grid, which only finds limits, and on the fine one.
const COARSE_NODES: f64 = 8.0;
const FINE_NODES: f64 = 16.0;
/// The range of the tabulated logits.
const LOGIT_LIMIT: f64 = 24.0;
/// The logarithm of a cell's density, relative to the densest cell, below which it is lost in the sum.
const LOST: f64 = -50.0;
/// How far an interpolated log-likelihood may exceed the tabulated ones.
const OVERSHOOT: f64 = 0.25;
/// The number of levels after which a row of cells is checked for being lost.
const CHECKED: usize = 3;

/// The values of each parameter.
pub(super) struct Grid {
    axes: [Vec<f64>; PARAMETERS],
    /// Tabulated logits for each unit.
    nodes: f64,
}

/// The sums over a grid.
pub(super) struct Sums {
    axes: [Vec<f64>; PARAMETERS],
    /// Posterior mass of each value of each parameter.
    masses: [Vec<f64>; PARAMETERS],
    /// Mass of the heaviest cell of each value.
    heaviest: [Vec<f64>; PARAMETERS],
    total: f64,
    /// The grid point with the greatest density.
    pub(super) peak: [f64; PARAMETERS],
}

impl Grid {
    /// The grid over the whole prior.
    pub(super) fn coarse(model: &Model, sizes: &[usize; PARAMETERS]) -> Self {
        Self::new(&model.limits(), sizes, COARSE_NODES)
    }

    /// The grid within the limits of the coarse one.
    pub(super) fn fine(limits: &[[f64; 2]; PARAMETERS]) -> Self {
        Self::new(limits, &FINE, FINE_NODES)
    }

    fn new(limits: &[[f64; 2]; PARAMETERS], sizes: &[usize; PARAMETERS], nodes: f64) -> Self {
        let axes = std::array::from_fn(|index| {
            let [lower, upper] = limits[index];
            if lower >= upper {
                return vec![lower];
            }
            let last = sizes[index] - 1;
            (0..=last)
                .map(|place| {
                    if place == last { upper } else { lower + (upper - lower) * (place as f64 / last as f64) }
                })
                .collect()
        });
        Self { axes, nodes }
    }

    /// Distance of neighbouring values of each parameter; 0 for a fixed one.
    pub(super) fn steps(&self) -> [f64; PARAMETERS] {
        std::array::from_fn(|index| match self.axes[index][..] {
            [first, second, ..] => second - first,
            _ => 0.0,
        })
    }

    /// Sums the posterior over all cells, in parallel over thresholds.
    pub(super) fn sum(&self, model: &Model) -> Result<Sums, StatError> {
        let priors: [Vec<f64>; PARAMETERS] = std::array::from_fn(|index| {
            let values = self.axes[index].iter();
            values.map(|&value| model.ln_prior(index, value)).collect()
        });
        let table = Table::new(model, &self.axes, self.nodes);
        let slices: Vec<Slice> =
            parallel::map(self.axes[0].len(), |place| self.slice(model, &table, &priors, place));
        self.combine(&slices).ok_or(StatError::Degenerate {
            statistic: "Bayesian psychometric fit",
            reason: "the posterior is 0 wherever the priors and fixed parameters allow",
        })
    }

    /// Part of a cell that belongs to a value: half at both ends of the grid.
    fn weight(&self, index: usize, place: usize) -> f64 {
        let last = self.axes[index].len() - 1;
        if last > 0 && (place == 0 || place == last) { 0.5 } else { 1.0 }
    }

    /// All cells with one threshold, relative to the densest among them.
    fn slice(&self, model: &Model, table: &Table, priors: &[Vec<f64>; PARAMETERS], place: usize) -> Slice {
        let [thresholds, widths, lapses, dispersions, guesses] = &self.axes;
        let count = dispersions.len();
        let mut densities = Vec::with_capacity(widths.len() * guesses.len() * lapses.len() * count);
        let mut rises = vec![[0.0; 2]; model.levels.len()];
        let mut logits = vec![0.0; model.levels.len()];
        let mut densest = f64::NEG_INFINITY;
        for (&width, width_prior) in widths.iter().zip(&priors[1]) {
            for (rise, level) in rises.iter_mut().zip(&model.levels) {
                *rise = model.rise(level.position, thresholds[place], width);
            }
            for (&guess, guess_prior) in guesses.iter().zip(&priors[4]) {
                for (&lapse, lapse_prior) in lapses.iter().zip(&priors[2]) {
                    let prior = priors[0][place] + width_prior + guess_prior + lapse_prior;
                    let start = densities.len();
                    densities.extend(priors[3].iter().map(|dispersion| prior + dispersion));
                    if prior > f64::NEG_INFINITY {
                        for (logit, &rise) in logits.iter_mut().zip(&rises) {
                            let [mean, complement] = Model::probability(rise, lapse, guess);
                            *logit = (mean / complement).ln();
                        }
                        let greatest = table.add_all(&logits, densest + LOST, &mut densities[start..]);
                        densest = densest.max(greatest);
                    }
                }
            }
        }
        self.reduce(place, &densities)
    }

    fn reduce(&self, place: usize, densities: &[f64]) -> Slice {
        let mut slice = Slice {
            ln_scale: f64::NEG_INFINITY,
            total: 0.0,
            masses: std::array::from_fn(|index| vec![0.0; self.axes[index].len()]),
            heaviest: std::array::from_fn(|index| vec![0.0; self.axes[index].len()]),
            peak: [place, 0, 0, 0, 0],
        };
        let count = self.axes[3].len();
        let mut densest = 0;
        for (cell, &density) in densities.iter().enumerate() {
            if density > slice.ln_scale {
                slice.ln_scale = density;
                densest = cell;
            }
        }
        if slice.ln_scale.is_infinite() {
            return slice;
        }
        let mut rows = densities.chunks_exact(count);
        let mut row_number = 0;
        for width in 0..self.axes[1].len() {
            for guess in 0..self.axes[4].len() {
                for lapse in 0..self.axes[2].len() {
                    let Some(row) = rows.next() else {
                        return slice;
                    };
                    if row_number == densest / count {
                        slice.peak = [place, width, lapse, densest % count, guess];
                    }
                    row_number += 1;
                    let weight = self.weight(0, place)
                        * self.weight(1, width)
                        * self.weight(2, lapse)
                        * self.weight(4, guess);
                    let (mut total, mut heaviest) = (0.0, 0.0);
                    for (dispersion, density) in row.iter().enumerate() {
                        let relative = density - slice.ln_scale;
                        if relative < LOST {
                            continue;
                        }
                        let mass = relative.exp() * weight * self.weight(3, dispersion);
                        slice.masses[3][dispersion] += mass;
                        let most = &mut slice.heaviest[3][dispersion];
                        *most = mass.max(*most);
                        total += mass;
                        heaviest = mass.max(heaviest);
                    }
                    for (index, value) in [(0, place), (1, width), (2, lapse), (4, guess)] {
                        slice.masses[index][value] += total;
                        let most = &mut slice.heaviest[index][value];
                        *most = heaviest.max(*most);
                    }
                    slice.total += total;
                }
            }
        }
        slice
    }

    /// Adds the slices in their order.
    fn combine(&self, slices: &[Slice]) -> Option<Sums> {
        let densest = slices
            .iter()
            .max_by(|one, other| one.ln_scale.total_cmp(&other.ln_scale))
            .filter(|slice| slice.ln_scale.is_finite())?;
        let empty = || std::array::from_fn(|index: usize| vec![0.0; self.axes[index].len()]);
        let mut sums = Sums {
            axes: self.axes.clone(),
            masses: empty(),
            heaviest: empty(),
            total: 0.0,
            peak: std::array::from_fn(|index| self.axes[index][densest.peak[index]]),
        };
        for slice in slices {
            let scale = (slice.ln_scale - densest.ln_scale).exp();
            sums.total += scale * slice.total;
            for index in 0..PARAMETERS {
                for (sum, mass) in sums.masses[index].iter_mut().zip(&slice.masses[index]) {
                    *sum += scale * mass;
                }
                for (most, mass) in sums.heaviest[index].iter_mut().zip(&slice.heaviest[index]) {
                    *most = most.max(scale * mass);
                }
            }
        }
        Some(sums)
    }
}

/// The sums over one threshold, relative to their densest cell.
struct Slice {
    ln_scale: f64,
    total: f64,
    masses: [Vec<f64>; PARAMETERS],
    heaviest: [Vec<f64>; PARAMETERS],
    peak: [usize; PARAMETERS],
}

impl Sums {
    /// Limits for a finer grid: the values with a heavy cell, and one more on each side.
    pub(super) fn limits(&self) -> [[f64; 2]; PARAMETERS] {
        std::array::from_fn(|index| {
            let values = &self.axes[index];
            let heavy = |mass: &f64| *mass > LEAST_SHARE * self.total;
            let first = self.heaviest[index].iter().position(heavy).unwrap_or(0);
            let last = self.heaviest[index].iter().rposition(heavy);
            let last = last.unwrap_or(values.len() - 1) + 1;
            [values[first.saturating_sub(1)], values[last.min(values.len() - 1)]]
        })
    }

    pub(super) fn marginals(self) -> [Marginal; PARAMETERS] {
        let total = self.total;
        let mut masses = self.masses.into_iter();
        self.axes.map(|values| Marginal {
            masses: masses.next().unwrap_or_default().into_iter().map(|mass| mass / total).collect(),
            values,
        })
    }
}

/// The log-likelihood of each level on a grid of logits, with all overdispersions side by side.
struct Table {
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
    values: Vec<f64>,
    /// An upper bound of the log-likelihoods of this level and those that follow.
    greatest_rest: f64,
}

impl Table {
    fn new(model: &Model, axes: &[Vec<f64>; PARAMETERS], nodes: f64) -> Self {
        let precisions: Vec<f64> = axes[3].iter().map(|&value| Model::precision(value)).collect();
        let mut levels = parallel::map(model.levels.len(), |index| {
            let level = &model.levels[index];
            LevelTable::new(level, Self::logits(model, level, axes), &precisions, nodes)
        });
        let mut rest = 0.0;
        for level in levels.iter_mut().rev() {
            rest += level.greatest_rest;
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

    /// Adds the log-likelihoods of all levels to the cells of all overdispersions, and returns the greatest sum. Stops
    /// early where every cell stays below the `least` that matters.
    fn add_all(&self, logits: &[f64], least: f64, cells: &mut [f64]) -> f64 {
        for (index, (level, &logit)) in self.levels.iter().zip(logits).enumerate() {
            if index % CHECKED == CHECKED - 1 && greatest(cells) + level.greatest_rest < least {
                cells.fill(f64::NEG_INFINITY);
                return f64::NEG_INFINITY;
            }
            level.add((logit + LOGIT_LIMIT) * self.nodes, self.dispersions, cells);
        }
        greatest(cells)
    }
}

/// The greatest value, in lanes that are compared at the same time.
fn greatest(values: &[f64]) -> f64 {
    let more = |one: f64, other: f64| if other > one { other } else { one };
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
    fn new(level: &Level, logits: [f64; 2], precisions: &[f64], nodes: f64) -> Self {
        let greatest_node = (2.0 * LOGIT_LIMIT * nodes) as usize;
        let node = |logit: f64| ((logit + LOGIT_LIMIT) * nodes).clamp(0.0, greatest_node as f64) as usize;
        // Two more nodes on each side than a cubic needs, for rounding; four at least.
        let last = (node(logits[1]) + 4).clamp(4, greatest_node);
        let first = node(logits[0]).saturating_sub(3).min(last - 4);
        let totals: Vec<f64> =
            precisions.iter().map(|&precision| ln_rising(precision, level.correct + level.wrong)).collect();
        let mut values = Vec::with_capacity((last - first + 1) * precisions.len());
        for node in first..=last {
            let logit = node as f64 / nodes - LOGIT_LIMIT;
            let (mean, complement) = (1.0 / (1.0 + (-logit).exp()), 1.0 / (1.0 + logit.exp()));
            values.extend(precisions.iter().zip(&totals).map(|(&precision, &total)| {
                ln_likelihood_over(level.correct, level.wrong, mean, complement, precision, total)
            }));
        }
        let greatest_rest = greatest(&values) + OVERSHOOT;
        Self { first, nodes: last - first + 1, values, greatest_rest }
    }

    /// Adds the log-likelihood at a place between nodes to the cells of all overdispersions.
    #[inline]
    fn add(&self, place: f64, count: usize, cells: &mut [f64]) {
        // The cubic through four neighbouring nodes (Lagrange), from the second node on.
        let place = (place - self.first as f64).clamp(0.0, (self.nodes - 1) as f64);
        let node = (place as u32 as usize).clamp(1, self.nodes - 3);
        let t = place - node as f64;
        let (up, down, beyond) = (t + 1.0, t - 1.0, t - 2.0);
        let inner = down * beyond;
        let outer = up * t;
        let weights =
            [t * inner * (-1.0 / 6.0), up * inner * 0.5, outer * beyond * -0.5, outer * down * (1.0 / 6.0)];
        let (first, rest) = self.values[(node - 1) * count..(node + 3) * count].split_at(count);
        let (second, rest) = rest.split_at(count);
        let (third, fourth) = rest.split_at(count);
        let pairs = first.iter().zip(second).zip(third.iter().zip(fourth));
        for (cell, ((first, second), (third, fourth))) in cells.iter_mut().zip(pairs) {
            *cell += (weights[0] * first + weights[1] * second) + (weights[2] * third + weights[3] * fourth);
        }
    }
}
