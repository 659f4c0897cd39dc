//! The search for the maximum of the likelihood.

use super::likelihood::{Expansion, Likelihood, Parameters};

/// The maximum number of Newton steps.
const ITERATIONS: usize = 300;
/// A gain in log-likelihood that ends the search: parameters are then within 1e-7 standard errors.
const NEGLIGIBLE: f64 = 1e-14;
/// The gain, as a share of the distance to a better result, below which a search is abandoned.
const RIVALRY: f64 = 1e-2;
/// A gain in log-likelihood that is negligible.
pub(super) const PLATEAU: f64 = 1e-6;
/// The number of slopes in the grid of starts, over the tested range.
const START_SLOPES: [f64; 6] = [1.2, 2.5, 5.0, 10.0, 20.0, 50.0];
/// The number of starts of the search: the best ones that are apart from each other.
const STARTS: usize = 4;
/// The number of levels to which the data are pooled for the choice of starts.
const POOLED_LEVELS: usize = 24;

/// The limits within which the parameters are searched.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    pub(super) lower: Parameters,
    pub(super) upper: Parameters,
}

impl Limits {
    fn clamp(&self, at: Parameters) -> Parameters {
        std::array::from_fn(|index| at[index].clamp(self.lower[index], self.upper[index]))
    }

    pub(super) fn at_lower(&self, at: &Parameters, index: usize) -> bool {
        at[index] <= self.lower[index]
    }

    pub(super) fn at_upper(&self, at: &Parameters, index: usize) -> bool {
        at[index] >= self.upper[index]
    }
}

/// Finds the maximum of the likelihood within the limits.
///
/// If the greatest slope is as likely as the one found, the sigmoid is a step for the tested levels,
/// and the greatest slope is returned.
pub(super) fn search(likelihood: &Likelihood, limits: &Limits) -> Parameters {
    let found = search_starts(likelihood, limits);
    let step = [found[0], limits.upper[1], found[2]];
    let as_likely = likelihood.value(&step) <= likelihood.value(&found) + PLATEAU;
    if as_likely { step } else { found }
}

fn search_starts(likelihood: &Likelihood, limits: &Limits) -> Parameters {
    let pooled = likelihood.pooled(POOLED_LEVELS);
    let few_lapses = limits.lower[2].max(limits.upper[2].min(0.01));
    let lapses =
        if few_lapses < limits.upper[2] { vec![few_lapses, limits.upper[2]] } else { vec![few_lapses] };
    let mut starts: Vec<(f64, Parameters)> = Vec::with_capacity(START_SLOPES.len() * 26);
    for slope in START_SLOPES {
        for place in -6..=6 {
            for &lapse in &lapses {
                let at = limits.clamp([0.15 * f64::from(place), slope.ln(), lapse]);
                starts.push((pooled.value(&at), at));
            }
        }
    }
    starts.sort_by(|one, other| one.0.total_cmp(&other.0));
    // Further starts, apart from the previous ones, guard against a local maximum.
    let mut tried: Vec<Parameters> = Vec::with_capacity(STARTS);
    let (mut best, mut least) = (starts[0].1, f64::INFINITY);
    for (_, start) in starts {
        let apart =
            |other: &Parameters| (start[0] - other[0]).abs() > 0.2 || (start[1] - other[1]).abs() > 1.2;
        if tried.len() < STARTS && tried.iter().all(apart) {
            tried.push(start);
            let found = minimize(likelihood, limits, start, least);
            let value = likelihood.value(&found);
            if value < least {
                (best, least) = (found, value);
            }
        }
    }
    best
}

/// Damped Newton steps inside a box, from one start to the nearest minimum.
///
/// It stops early if it gains little and is far above `rival`, the least value so far.
pub(super) fn minimize(
    likelihood: &Likelihood,
    limits: &Limits,
    start: Parameters,
    rival: f64,
) -> Parameters {
    let mut at = limits.clamp(start);
    let mut expansion = likelihood.expand(&at);
    let mut damping = 1e-3;
    for _ in 0..ITERATIONS {
        let free = free_parameters(&expansion, limits, &at);
        if !free.contains(&true) {
            return at;
        }
        let step = damped_step(&expansion, &free, damping);
        let promised = promise(&expansion, &step);
        let next = limits.clamp(std::array::from_fn(|index| at[index] + step[index]));
        let moved = (0..3).fold(0.0, |moved: f64, index| moved.max((next[index] - at[index]).abs()));
        let candidate = likelihood.expand(&next);
        let gain = expansion.value - candidate.value;
        let rounding = 4.0 * f64::EPSILON * expansion.value.abs();
        if gain >= 0.0 {
            at = next;
            expansion = candidate;
            damping = (damping * 0.1).max(1e-12);
            let hopeless = promised < RIVALRY && expansion.value > rival + 10.0 * RIVALRY;
            if moved < 1e-9 || promised < NEGLIGIBLE || hopeless {
                return at;
            }
        } else if moved < 1e-9 || (-gain <= rounding && moved < 1e-6) {
            return at;
        } else {
            damping = (damping * 10.0).max(1e-6);
        }
    }
    at
}

/// The expected gain of a step, from the slope at its start.
pub(super) fn promise(expansion: &Expansion, step: &[f64; 3]) -> f64 {
    (0..3).map(|index| -expansion.gradient[index] * step[index]).sum()
}

/// Which parameters may still move: not those at a limit that the likelihood pushes against.
pub(super) fn free_parameters(expansion: &Expansion, limits: &Limits, at: &Parameters) -> [bool; 3] {
    std::array::from_fn(|index| {
        limits.lower[index] < limits.upper[index]
            && !(limits.at_lower(at, index) && expansion.gradient[index] >= 0.0)
            && !(limits.at_upper(at, index) && expansion.gradient[index] <= 0.0)
    })
}

/// The Newton step of the free parameters, damped until the Hessian is positive definite.
pub(super) fn damped_step(expansion: &Expansion, free: &[bool; 3], damping: f64) -> [f64; 3] {
    let mut damping = damping;
    loop {
        let mut matrix = [[0.0; 3]; 3];
        let mut right = [0.0; 3];
        for row in 0..3 {
            if !free[row] {
                matrix[row][row] = 1.0;
                continue;
            }
            right[row] = -expansion.gradient[row];
            for column in 0..3 {
                if free[column] {
                    matrix[row][column] = expansion.hessian[row][column];
                }
            }
            matrix[row][row] += damping * (expansion.hessian[row][row].abs() + 1e-6);
        }
        if let Some(factor) = cholesky(&matrix) {
            return solve(&factor, right);
        }
        // Each round makes the diagonal ten times larger. The bound cannot be reached with finite
        // numbers, but it ends the loop in any case.
        damping = (damping * 10.0).max(1e-3);
        if damping > 1e30 {
            return [0.0; 3];
        }
    }
}

pub(super) fn cholesky(matrix: &[[f64; 3]; 3]) -> Option<[[f64; 3]; 3]> {
    let mut factor = [[0.0; 3]; 3];
    for row in 0..3 {
        for column in 0..=row {
            let rest = (0..column)
                .fold(matrix[row][column], |rest, inner| rest - factor[row][inner] * factor[column][inner]);
            if row == column {
                if rest.is_nan() || rest <= f64::EPSILON * matrix[row][row].abs() {
                    return None;
                }
                factor[row][row] = rest.sqrt();
            } else {
                factor[row][column] = rest / factor[column][column];
            }
        }
    }
    Some(factor)
}

pub(super) fn solve(factor: &[[f64; 3]; 3], mut right: [f64; 3]) -> [f64; 3] {
    for row in 0..3 {
        for column in 0..row {
            right[row] -= factor[row][column] * right[column];
        }
        right[row] /= factor[row][row];
    }
    for row in (0..3).rev() {
        for column in row + 1..3 {
            right[row] -= factor[column][row] * right[column];
        }
        right[row] /= factor[row][row];
    }
    right
}
