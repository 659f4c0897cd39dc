//! The parameters of all waves together, for each of several values of the drift.

use super::matrix::Lower;
use super::wave::Wave;
use super::{NAME, dot};
use crate::StatError;
use crate::distributions::normal_sf;

/// The values of the drift at which the likelihood is computed: first over all, then where it matters.
const COARSE: usize = 14;
const FINE: usize = 14;
/// How far below the greatest log-likelihood values of the drift still matter.
const MATTERS: f64 = 12.0;
const ROUNDS: usize = 100;
/// How probable it may be that the slope of a wave that is linked is not positive.
const FLAT: f64 = 0.1;

/// All parameters with one value of the drift.
#[derive(Debug, Clone)]
pub(super) struct Point {
    /// The probability of this value.
    pub(super) weight: f64,
    /// The variance of the drift.
    pub(super) drift: f64,
    /// Models' values on the scale of the first wave, and their covariance, up to a constant in all of its cells.
    pub(super) values: Vec<f64>,
    pub(super) covariance: Lower,
    /// Offset and slope of each wave.
    pub(super) scales: Vec<[f64; 2]>,
}

/// The parameters with every value of the drift that matters.
#[derive(Debug, Clone)]
pub(super) struct Fit {
    /// In ascending order.
    pub(super) models: Vec<u32>,
    pub(super) points: Vec<Point>,
}

/// An estimate: its wave, its place there, and its model's place among those of the fit.
#[derive(Debug, Clone, Copy)]
struct Observation {
    wave: usize,
    at: usize,
    model: usize,
}

/// The estimates, arranged for the fit.
struct Observed<'a> {
    waves: &'a [Wave],
    /// Those of models that were rated in several waves, whose `model` is a place in `core`.
    of_core: Vec<Observation>,
    /// Those of the others.
    single: Vec<Observation>,
    /// The places of models that were rated in several waves.
    core: Vec<usize>,
    /// Covariances between waves that have people in common, by the later and the earlier wave.
    shared: Vec<Vec<Option<Vec<f64>>>>,
}

/// A maximum with one value of the drift.
struct Solution {
    /// The values of models of the core, then offsets and slopes of all waves but the first.
    parameters: Vec<f64>,
    /// The factor of the covariance of the core's estimates, their scaled residuals and derivatives.
    factor: Lower,
    residuals: Vec<f64>,
    derivatives: Vec<Vec<f64>>,
    normal: Lower,
    log_likelihood: f64,
}

/// A model that was rated once, given the others.
struct Given {
    value: f64,
    /// Its derivatives by the parameters.
    gradient: Vec<f64>,
    /// The covariance of its estimate with those of the core, through the inverse factor of their covariance.
    across: Vec<f64>,
}

impl Fit {
    /// Fits all waves; `before` is the fit without the last.
    pub(super) fn new(waves: &[Wave], before: Option<&Self>) -> Result<Self, StatError> {
        let mut models: Vec<u32> = waves.iter().flat_map(|wave| wave.models().iter().copied()).collect();
        models.sort_unstable();
        models.dedup();
        let typical = waves.iter().map(Wave::typical_variance).sum::<f64>() / waves.len() as f64;
        let drift_at = |x: f64| typical * (x / (1.0 - x)).powi(2);
        let middle = |index: usize, count: usize| (index as f64 + 0.5) / count as f64;
        let (Some(before), [.., last]) = (before, waves) else {
            let points = (0..COARSE).map(|index| alone(&waves[0], drift_at(middle(index, COARSE))));
            return Ok(Self { models, points: points.collect() });
        };
        let observed = Observed::new(waves, &models);
        let mut start = observed.start(&models, before, last);
        // A drift with which the parameters have no maximum does not fit.
        let mut coarse = Vec::with_capacity(COARSE);
        for index in 0..COARSE {
            let solution = observed.solve(drift_at(middle(index, COARSE)), start.clone()).ok();
            coarse.push(solution.as_ref().map_or(f64::NEG_INFINITY, |solution| solution.log_likelihood));
            start = solution.map_or(start, |solution| solution.parameters);
        }
        let most = coarse.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let matters = |log: &f64| *log > most - MATTERS;
        let from = coarse.iter().position(matters).unwrap_or(0).saturating_sub(1);
        let to = coarse.iter().rposition(matters).map_or(COARSE, |last| (last + 2).min(COARSE));
        let mut points: Vec<Point> = Vec::with_capacity(FINE);
        let mut flat = 0.0;
        for index in 0..FINE {
            let x = (from as f64 + (to - from) as f64 * middle(index, FINE)) / COARSE as f64;
            let Ok(solution) = observed.solve(drift_at(x), start.clone()) else { continue };
            let mut point = observed.point(&solution, models.len(), drift_at(x))?;
            // Equal steps of x are steps of the drift's standard deviation with the density 1 / (s + τ)²; this makes it 1 / (s + τ).
            point.weight = (solution.log_likelihood - most).exp() * (typical.sqrt() + drift_at(x).sqrt());
            // The last parameter is the slope of the last wave, and the factor's last pivot its inverse standard error.
            let last = solution.parameters.len() - 1;
            flat += point.weight * normal_sf(solution.parameters[last] * solution.normal.at(last, last));
            points.push(point);
            start = solution.parameters;
        }
        if points.is_empty() {
            return Err(StatError::NoConvergence { statistic: NAME, iterations: ROUNDS });
        }
        let total: f64 = points.iter().map(|point| point.weight).sum();
        if flat > FLAT * total {
            return Err(StatError::Degenerate { statistic: NAME, reason: "the anchors determine no slope" });
        }
        points.iter_mut().for_each(|point| point.weight /= total);
        Ok(Self { models, points })
    }

    pub(super) fn place(&self, model: u32) -> Option<usize> {
        self.models.binary_search(&model).ok()
    }

    pub(super) fn mean(&self, of: impl Fn(&Point) -> f64) -> f64 {
        self.points.iter().map(|point| point.weight * of(point)).sum()
    }
}

/// The derivatives of the difference of two models by all estimates, wave by wave.
pub(super) fn weights(
    waves: &[Wave],
    fit: &Fit,
    [first, second]: [usize; 2],
) -> Result<Vec<Vec<f64>>, StatError> {
    let mut all: Vec<Vec<f64>> = waves.iter().map(|wave| vec![0.0; wave.models.len()]).collect();
    if let [only] = &mut all[..] {
        (only[first], only[second]) = (1.0, -1.0);
        return Ok(all);
    }
    let observed = Observed::new(waves, &fit.models);
    let likeliest = fit.points.iter().max_by(|left, right| left.weight.total_cmp(&right.weight));
    let Some(point) = likeliest else { return Ok(all) };
    let mut start: Vec<f64> = observed.core.iter().map(|&place| point.values[place]).collect();
    start.extend(point.scales.iter().skip(1).flatten());
    let solution = observed.solve(point.drift, start)?;
    let Solution { parameters, factor, derivatives, normal, .. } = &solution;
    // The difference by the parameters, and by the core's estimates directly.
    let mut gradient = vec![0.0; parameters.len()];
    let mut direct = vec![0.0; observed.of_core.len()];
    for (model, sign) in [(first, 1.0), (second, -1.0)] {
        if let Ok(at) = observed.core.binary_search(&model) {
            gradient[at] += sign;
        } else if let Some(&of) = observed.single.iter().find(|of| of.model == model) {
            let slope = observed.scale(parameters, of.wave)[1];
            let given = observed.given(&solution, of);
            for (sum, own) in gradient.iter_mut().zip(&given.gradient) {
                *sum += sign * own;
            }
            for (sum, own) in direct.iter_mut().zip(&given.across) {
                *sum -= sign * own / slope;
            }
            all[of.wave][of.at] += sign / slope;
        }
    }
    let parameters = normal.backward(&normal.forward(&gradient));
    for (column, weight) in derivatives.iter().zip(&parameters) {
        direct.iter_mut().zip(column).for_each(|(sum, value)| *sum += weight * value);
    }
    for (of, weight) in observed.of_core.iter().zip(factor.backward(&direct)) {
        all[of.wave][of.at] += weight;
    }
    Ok(all)
}

/// A wave without others: nothing is known about the drift.
fn alone(wave: &Wave, drift: f64) -> Point {
    let covariance = Lower::new(wave.models.len(), |row, column| {
        wave.covariance(row, column) + if row == column { drift } else { 0.0 }
    });
    let weight = 1.0 / COARSE as f64;
    Point { weight, drift, values: wave.estimates.clone(), covariance, scales: vec![[0.0, 1.0]] }
}

impl<'a> Observed<'a> {
    fn new(waves: &'a [Wave], models: &[u32]) -> Self {
        let place = |model: &u32| models.partition_point(|other| other < model);
        let mut times = vec![0_usize; models.len()];
        waves.iter().flat_map(|wave| &wave.models).for_each(|model| times[place(model)] += 1);
        let core: Vec<usize> = (0..models.len()).filter(|&at| times[at] > 1).collect();
        let (mut of_core, mut single) = (Vec::new(), Vec::new());
        for (wave, of) in waves.iter().enumerate() {
            for (at, model) in of.models.iter().enumerate() {
                let model = place(model);
                match core.binary_search(&model) {
                    Ok(model) => of_core.push(Observation { wave, at, model }),
                    Err(_) => single.push(Observation { wave, at, model }),
                }
            }
        }
        let shared = (0..waves.len())
            .map(|later| (0..later).map(|earlier| waves[later].shared(&waves[earlier])).collect())
            .collect();
        Self { waves, of_core, single, core, shared }
    }

    /// Where the search begins: values from the fit before, and a straight line for the last wave.
    fn start(&self, models: &[u32], before: &Fit, last: &Wave) -> Vec<f64> {
        // The point whose drift is likeliest; the core's models were all rated before the last wave.
        let point = before.points.iter().max_by(|left, right| left.weight.total_cmp(&right.weight));
        let known = |model: u32| Some(point?.values[before.place(model)?]);
        let mut start: Vec<f64> =
            self.core.iter().map(|&place| known(models[place]).unwrap_or(0.0)).collect();
        start.extend(point.iter().flat_map(|point| point.scales.iter().skip(1).flatten()));
        let pairs: Vec<(f64, f64)> = last
            .models
            .iter()
            .zip(&last.estimates)
            .filter_map(|(&model, &estimate)| Some((known(model)?, estimate)))
            .collect();
        let count = pairs.len() as f64;
        let mean_x = pairs.iter().map(|(x, _)| x).sum::<f64>() / count;
        let mean_y = pairs.iter().map(|(_, y)| y).sum::<f64>() / count;
        let squares: f64 = pairs.iter().map(|(x, _)| (x - mean_x).powi(2)).sum();
        let products: f64 = pairs.iter().map(|(x, y)| (x - mean_x) * (y - mean_y)).sum();
        let slope = if squares > 0.0 { (products / squares).clamp(0.2, 5.0) } else { 1.0 };
        start.extend([mean_y - slope * mean_x, slope]);
        start
    }

    /// The places of a wave's offset and slope among the parameters; `None` for the first.
    fn scale_of(&self, wave: usize) -> Option<[usize; 2]> {
        let offset = self.core.len() + 2 * wave.checked_sub(1)?;
        Some([offset, offset + 1])
    }

    fn scale(&self, parameters: &[f64], wave: usize) -> [f64; 2] {
        self.scale_of(wave).map_or([0.0, 1.0], |places| places.map(|place| parameters[place]))
    }

    /// The sampling covariance of two estimates.
    fn sampling(&self, left: Observation, right: Observation) -> f64 {
        if left.wave == right.wave {
            return self.waves[left.wave].covariance(left.at, right.at);
        }
        let (later, earlier) = if left.wave > right.wave { (left, right) } else { (right, left) };
        let columns = self.waves[earlier.wave].models.len();
        self.shared[later.wave][earlier.wave]
            .as_ref()
            .map_or(0.0, |cells| cells[later.at * columns + earlier.at])
    }

    fn covariance(&self, drift: f64, parameters: &[f64]) -> Option<Lower> {
        Lower::factor(self.of_core.len(), |row, column| {
            let own = self.of_core[row];
            let of_drift =
                if row == column { drift * self.scale(parameters, own.wave)[1].powi(2) } else { 0.0 };
            self.sampling(own, self.of_core[column]) + of_drift
        })
    }

    /// Maximises the likelihood with one value of the drift by Gauss and Newton's method; the covariance follows the slopes.
    fn solve(&self, drift: f64, mut parameters: Vec<f64>) -> Result<Solution, StatError> {
        let failed = StatError::NoConvergence { statistic: NAME, iterations: ROUNDS };
        let rows = self.of_core.len();
        for round in 0..ROUNDS {
            let factor = self.covariance(drift, &parameters).ok_or_else(|| failed.clone())?;
            let mut left = vec![0.0; rows];
            let mut columns = vec![vec![0.0; rows]; parameters.len()];
            for (row, of) in self.of_core.iter().enumerate() {
                let [offset, slope] = self.scale(&parameters, of.wave);
                let value = parameters[of.model];
                left[row] = self.waves[of.wave].estimates[of.at] - offset - slope * value;
                columns[of.model][row] = slope;
                if let Some([offset, slope]) = self.scale_of(of.wave) {
                    columns[offset][row] = 1.0;
                    columns[slope][row] = value;
                }
            }
            let residuals = factor.forward(&left);
            let derivatives: Vec<Vec<f64>> = columns.iter().map(|column| factor.forward(column)).collect();
            let normal =
                Lower::factor(parameters.len(), |row, column| dot(&derivatives[row], &derivatives[column]));
            let normal = normal.ok_or_else(|| failed.clone())?;
            let gradient: Vec<f64> = derivatives.iter().map(|column| dot(column, &residuals)).collect();
            let towards = normal.forward(&gradient);
            let step = normal.backward(&towards);
            if dot(&towards, &towards) < 1e-10 {
                let log_likelihood = -0.5
                    * (factor.log_determinant() + normal.log_determinant() + dot(&residuals, &residuals));
                return Ok(Solution { parameters, factor, residuals, derivatives, normal, log_likelihood });
            }
            // Slopes stay positive: no step changes one by more than half. Where the covariance and the slopes chase each other,
            // shorter steps end it.
            let mut share = if round < ROUNDS / 4 { 1.0_f64 } else { 0.3 };
            for place in (self.core.len() + 1..parameters.len()).step_by(2) {
                share = share.min(0.5 * parameters[place].abs() / step[place].abs().max(f64::MIN_POSITIVE));
            }
            parameters.iter_mut().zip(&step).for_each(|(value, step)| *value += share.min(1.0) * step);
        }
        Err(failed)
    }

    /// The value of a model that was rated once, by its estimate and the errors of its wave's anchors.
    fn given(&self, solution: &Solution, of: Observation) -> Given {
        let Solution { parameters, factor, residuals, derivatives, .. } = solution;
        let [offset, slope] = self.scale(parameters, of.wave);
        let across: Vec<f64> = self.of_core.iter().map(|&other| self.sampling(of, other)).collect();
        let across = factor.forward(&across);
        let value = (self.waves[of.wave].estimates[of.at] - dot(&across, residuals) - offset) / slope;
        let mut gradient: Vec<f64> = derivatives.iter().map(|column| dot(column, &across) / slope).collect();
        if let Some([offset_place, slope_place]) = self.scale_of(of.wave) {
            gradient[offset_place] -= 1.0 / slope;
            gradient[slope_place] -= value / slope;
        }
        Given { value, gradient, across }
    }

    /// All models' values: those of the core, and those that follow from them and the covariance of their waves.
    fn point(&self, solution: &Solution, models: usize, drift: f64) -> Result<Point, StatError> {
        let Solution { parameters, normal, .. } = solution;
        let (core, size) = (self.core.len(), parameters.len());
        let scales: Vec<[f64; 2]> = (0..self.waves.len()).map(|wave| self.scale(parameters, wave)).collect();
        // Each model's derivatives by the parameters, through the inverse factor of their covariance.
        let mut scaled: Vec<Vec<f64>> = Vec::with_capacity(models);
        let mut place = vec![0; models];
        let mut values = vec![0.0; models];
        for (at, &model) in self.core.iter().enumerate() {
            let mut unit = vec![0.0; size];
            unit[at] = 1.0;
            place[model] = scaled.len();
            values[model] = parameters[at];
            scaled.push(normal.forward(&unit));
        }
        let mut across = Vec::with_capacity(self.single.len());
        for &of in &self.single {
            let given = self.given(solution, of);
            place[of.model] = scaled.len();
            values[of.model] = given.value;
            scaled.push(normal.forward(&given.gradient));
            across.push(given.across);
        }
        let covariance = Lower::new(models, |row, column| {
            let (left, right) = (place[row], place[column]);
            let mut value = dot(&scaled[left], &scaled[right]);
            if left >= core && right >= core {
                let (own, other) = (self.single[left - core], self.single[right - core]);
                if own.wave == other.wave || self.is_shared(own.wave, other.wave) {
                    let slopes = scales[own.wave][1] * scales[other.wave][1];
                    let given = self.sampling(own, other) - dot(&across[left - core], &across[right - core]);
                    value += given / slopes;
                }
                if left == right {
                    value += drift;
                }
            }
            value
        });
        Ok(Point { weight: 1.0, drift, values, covariance, scales })
    }

    fn is_shared(&self, left: usize, right: usize) -> bool {
        self.shared[left.max(right)].get(left.min(right)).is_some_and(Option::is_some)
    }
}
