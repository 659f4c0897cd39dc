//! Sums of the posterior over a grid of all parameters.

use super::Marginal;
use super::beta_binomial::{ln_likelihood_over, ln_rising};
use super::model::{Level, Model, PARAMETERS};
use crate::StatError;
use crate::parallel;

/// Values of each parameter on the grid that finds the limits, as in psignifit 4.
pub(super) const COARSE_FORCED_CHOICE: [usize; PARAMETERS] = [30, 40, 10, 20, 1];
/// The same if the guess rate is free.
pub(super) const COARSE_YES_NO: [usize; PARAMETERS] = [25, 30, 10, 15, 10];
/// Values of each parameter on the grid that is summed.
const FINE: [usize; PARAMETERS] = [40, 40, 20, 20, 20];
/// A value stays within the limits if one of its cells has more than this part of the mass.
const LEAST_SHARE: f64 = 1e-5;
/// The distance of the tabulated logits, and their range.
const LOGIT_STEP: f64 = 1.0 / 16.0;
const LOGIT_LIMIT: f64 = 24.0;
const NODES: usize = (2.0 * LOGIT_LIMIT / LOGIT_STEP) as usize + 1;

/// The values of each parameter.
pub(super) struct Grid {
    axes: [Vec<f64>; PARAMETERS],
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
        Self::new(&model.limits(), sizes)
    }

    /// The grid within the limits of the coarse one.
    pub(super) fn fine(limits: &[[f64; 2]; PARAMETERS]) -> Self {
        Self::new(limits, &FINE)
    }

    fn new(limits: &[[f64; 2]; PARAMETERS], sizes: &[usize; PARAMETERS]) -> Self {
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
        Self { axes }
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
        let table = Table::new(model, &self.axes);
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
                        let cells = &mut densities[start..];
                        for (level, &rise) in rises.iter().enumerate() {
                            let [mean, complement] = Model::probability(rise, lapse, guess);
                            table.add(level, (mean / complement).ln(), cells);
                        }
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
                        // e^-50 of the densest cell is lost in the sum.
                        if relative < -50.0 {
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
    levels: Vec<LevelTable>,
}

/// The nodes of one level that its logits need.
struct LevelTable {
    /// The first node, whose values are the first ones.
    first: usize,
    nodes: usize,
    values: Vec<f64>,
}

impl Table {
    fn new(model: &Model, axes: &[Vec<f64>; PARAMETERS]) -> Self {
        let precisions: Vec<f64> = axes[3].iter().map(|&value| Model::precision(value)).collect();
        let levels = parallel::map(model.levels.len(), |index| {
            let level = &model.levels[index];
            LevelTable::new(level, Self::logits(model, level, axes), &precisions)
        });
        Self { dispersions: axes[3].len(), levels }
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

    /// Adds a level's log-likelihood at a logit to the cells of all overdispersions.
    fn add(&self, level: usize, logit: f64, cells: &mut [f64]) {
        let table = &self.levels[level];
        let place = ((logit + LOGIT_LIMIT) / LOGIT_STEP).clamp(0.0, (NODES - 1) as f64);
        let node = (place as usize).clamp(table.first + 1, table.first + table.nodes - 3);
        let t = place - node as f64;
        // The cubic through four neighbouring nodes (Lagrange).
        let before = -t * (t - 1.0) * (t - 2.0) * (1.0 / 6.0);
        let at = (t + 1.0) * (t - 1.0) * (t - 2.0) * 0.5;
        let after = -(t + 1.0) * t * (t - 2.0) * 0.5;
        let beyond = (t + 1.0) * t * (t - 1.0) * (1.0 / 6.0);
        let count = self.dispersions;
        let start = (node - 1 - table.first) * count;
        let (first, rest) = table.values[start..start + 4 * count].split_at(count);
        let (second, rest) = rest.split_at(count);
        let (third, fourth) = rest.split_at(count);
        let pairs = first.iter().zip(second).zip(third.iter().zip(fourth));
        for (cell, ((first, second), (third, fourth))) in cells.iter_mut().zip(pairs) {
            *cell += (before * first + at * second) + (after * third + beyond * fourth);
        }
    }
}

impl LevelTable {
    fn new(level: &Level, logits: [f64; 2], precisions: &[f64]) -> Self {
        let node = |logit: f64| ((logit + LOGIT_LIMIT) / LOGIT_STEP).clamp(0.0, (NODES - 1) as f64) as usize;
        // Two more nodes on each side than a cubic needs, for rounding; four at least.
        let last = (node(logits[1]) + 4).clamp(4, NODES - 1);
        let first = node(logits[0]).saturating_sub(3).min(last - 4);
        let totals: Vec<f64> =
            precisions.iter().map(|&precision| ln_rising(precision, level.correct + level.wrong)).collect();
        let mut values = Vec::with_capacity((last - first + 1) * precisions.len());
        for node in first..=last {
            let logit = node as f64 * LOGIT_STEP - LOGIT_LIMIT;
            let (mean, complement) = (1.0 / (1.0 + (-logit).exp()), 1.0 / (1.0 + logit.exp()));
            values.extend(precisions.iter().zip(&totals).map(|(&precision, &total)| {
                ln_likelihood_over(level.correct, level.wrong, mean, complement, precision, total)
            }));
        }
        Self { first, nodes: last - first + 1, values }
    }
}
