//! Sums of the posterior over a grid of all parameters.

use super::model::{Model, PARAMETERS};
use super::table::{DISPERSIONS, DISPERSIONS_YES_NO, Places, Table, greatest, more};
use super::{Marginal, lanes};
use crate::StatError;
use crate::parallel;

/// Values of each parameter on the grid that finds the limits, as in psignifit 4.
pub(super) const COARSE_FORCED_CHOICE: [usize; PARAMETERS] = [30, 40, 10, DISPERSIONS, 1];
/// The same if the guess rate is free.
pub(super) const COARSE_YES_NO: [usize; PARAMETERS] = [25, 30, 10, DISPERSIONS_YES_NO, 10];
/// Values of each parameter on the grid from whose densest value the peak is climbed, where nothing else is sought.
pub(super) const FOR_THE_PEAK: [usize; PARAMETERS] = [16, 12, 5, DISPERSIONS_YES_NO, 6];
/// Values of each parameter on the grid that is summed.
const FINE_SIZES: [usize; PARAMETERS] = [40, 40, 20, DISPERSIONS, 20];
/// A value stays within the limits if one of its cells has more than this part of the mass.
const LEAST_SHARE: f64 = 1e-5;
/// The accuracies required of the coarse grid, which only finds limits, and of the fine one.
const COARSE: Accuracy = Accuracy { error: 1e-2, lost: -25.0 };
const FINE: Accuracy = Accuracy { error: 5e-5, lost: -40.0 };
/// Smaller relative densities, in logarithms, count as this one, which no sum notices.
const LEAST_RELATIVE: f32 = -80.0;

#[derive(Clone, Copy)]
struct Accuracy {
    /// The greatest error of a level's interpolated log-likelihood.
    error: f64,
    /// The logarithm of a cell's density, relative to the densest cell, below which it is lost in the sum.
    lost: f32,
}

/// The values of each parameter.
pub(super) struct Grid {
    axes: [Vec<f64>; PARAMETERS],
    accuracy: Accuracy,
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
        Self::new(&model.limits(), sizes, COARSE)
    }

    /// The grid within the limits of the coarse one.
    pub(super) fn fine(limits: &[[f64; 2]; PARAMETERS]) -> Self {
        Self::new(limits, &FINE_SIZES, FINE)
    }

    fn new(limits: &[[f64; 2]; PARAMETERS], sizes: &[usize; PARAMETERS], accuracy: Accuracy) -> Self {
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
        Self { axes, accuracy }
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
        let table = Table::new(model, &self.axes, self.accuracy.error);
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
        let rows = widths.len() * guesses.len() * lapses.len();
        let mut densities = Densities {
            cells: Vec::with_capacity(rows * dispersions.len()),
            greatest: Vec::with_capacity(rows),
            densest: (f32::NEG_INFINITY, 0),
            lost: self.accuracy.lost,
        };
        // All lapse rates of a level side by side.
        let mut logits = vec![0.0; model.levels.len() * lapses.len()];
        let mut rises = vec![[0.0; 2]; model.levels.len()];
        let mut places = Places::new(logits.len());
        for (&width, width_prior) in widths.iter().zip(&priors[1]) {
            for (rise, level) in rises.iter_mut().zip(&model.levels) {
                *rise = model.rise(level.position, thresholds[place], width);
            }
            for (&guess, guess_prior) in guesses.iter().zip(&priors[4]) {
                // Divisions, logarithms and places by themselves, each in one loop.
                for (&rise, odds) in rises.iter().zip(logits.chunks_exact_mut(lapses.len())) {
                    for (odds, &lapse) in odds.iter_mut().zip(lapses) {
                        let [mean, complement] = Model::probability(rise, lapse, guess);
                        *odds = mean / complement;
                    }
                }
                logits.iter_mut().for_each(|odds| *odds = lanes::ln(*odds));
                table.find(&logits, &mut places);
                for (lapse, lapse_prior) in priors[2].iter().enumerate() {
                    let prior = priors[0][place] + width_prior + guess_prior + lapse_prior;
                    densities.add_row(prior, &priors[3], |least, cells| {
                        table.add_all(&places, lapse, least, cells)
                    });
                }
            }
        }
        self.reduce(place, &densities)
    }

    fn reduce(&self, place: usize, densities: &Densities) -> Slice {
        let (ln_scale, densest) = densities.densest;
        let mut slice = Slice {
            ln_scale: f64::from(ln_scale),
            total: 0.0,
            masses: std::array::from_fn(|index| vec![0.0; self.axes[index].len()]),
            heaviest: std::array::from_fn(|index| vec![0.0; self.axes[index].len()]),
            peak: [place, 0, 0, 0, 0],
        };
        if ln_scale.is_infinite() {
            return slice;
        }
        let count = self.axes[3].len();
        let weights: Vec<f32> = (0..count).map(|dispersion| self.weight(3, dispersion) as f32).collect();
        let mut masses = vec![0.0_f32; count];
        let mut rows = densities.cells.chunks_exact(count).zip(&densities.greatest).enumerate();
        for width in 0..self.axes[1].len() {
            for guess in 0..self.axes[4].len() {
                for lapse in 0..self.axes[2].len() {
                    let Some((number, (row, greatest_of_row))) = rows.next() else {
                        return slice;
                    };
                    if number == densest {
                        let dispersion = row.iter().position(|&density| density >= ln_scale);
                        slice.peak = [place, width, lapse, dispersion.unwrap_or(0), guess];
                    }
                    if greatest_of_row - ln_scale < densities.lost {
                        continue;
                    }
                    let weight = (self.weight(0, place)
                        * self.weight(1, width)
                        * self.weight(2, lapse)
                        * self.weight(4, guess)) as f32;
                    for ((mass, density), last) in masses.iter_mut().zip(row).zip(&weights) {
                        *mass = lanes::exp(more(density - ln_scale, LEAST_RELATIVE)) * weight * last;
                    }
                    let sums = slice.masses[3].iter_mut().zip(&mut slice.heaviest[3]);
                    for ((sum, most), &mass) in sums.zip(&masses) {
                        *sum += f64::from(mass);
                        *most = more(*most, f64::from(mass));
                    }
                    let total = masses.iter().fold(0.0, |total, &mass| total + f64::from(mass));
                    let heaviest = f64::from(greatest(&masses));
                    for (index, value) in [(0, place), (1, width), (2, lapse), (4, guess)] {
                        slice.masses[index][value] += total;
                        let most = &mut slice.heaviest[index][value];
                        *most = more(*most, heaviest);
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

/// The logarithms of the densities with one threshold: rows of all overdispersions.
struct Densities {
    cells: Vec<f32>,
    /// The greatest of each row.
    greatest: Vec<f32>,
    /// The greatest of all, and the first row that has it.
    densest: (f32, usize),
    /// See [`Accuracy`].
    lost: f32,
}

impl Densities {
    /// Adds a row with its prior, to which `add` adds the log-likelihoods, except where all stay below a `least` value.
    /// It returns the greatest of the row.
    fn add_row(&mut self, prior: f64, priors: &[f64], add: impl FnOnce(f32, &mut [f32]) -> f32) {
        let start = self.cells.len();
        self.cells.extend(priors.iter().map(|dispersion| (prior + dispersion) as f32));
        let greatest = if prior > f64::NEG_INFINITY {
            add(self.densest.0 + self.lost, &mut self.cells[start..])
        } else {
            f32::NEG_INFINITY
        };
        if greatest > self.densest.0 {
            self.densest = (greatest, self.greatest.len());
        }
        self.greatest.push(greatest);
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
