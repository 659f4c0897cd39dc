//! The maximum-likelihood fit.

use super::likelihood::{Expansion, Likelihood, Parameters};
use super::{Axis, PsychometricFunction, Sigmoid, Tally, check_rates};
use crate::StatError;

/// The maximum number of Newton steps.
const ITERATIONS: usize = 300;
/// A gain in log-likelihood that ends the search: parameters are then within 1e-7 standard errors.
const NEGLIGIBLE: f64 = 1e-14;
/// The gain, as a share of the distance to a better result, below which a search is abandoned.
const RIVALRY: f64 = 1e-2;
/// A gain in log-likelihood that is negligible.
const PLATEAU: f64 = 1e-6;
/// The maximum distance of the location from the tested levels, in ranges of them.
const REACH: f64 = 2.0;
/// Minimum slope: the sigmoid's argument changes by this much over the tested range.
const LEAST_SLOPE: f64 = 0.01;
/// Greatest slope: the argument changes by this much between the two nearest levels.
const GREATEST_STEP: f64 = 60.0;
/// The number of slopes in the grid of starts, over the tested range.
const START_SLOPES: [f64; 6] = [1.2, 2.5, 5.0, 10.0, 20.0, 50.0];
/// The number of starts of the search: the best ones that are apart from each other.
const STARTS: usize = 4;
/// The number of levels to which the data are pooled for the choice of starts.
const POOLED_LEVELS: usize = 24;

/// The treatment of the lapse rate in a fit.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Lapse {
    /// Holds it at this value.
    Fixed(f64),
    /// Estimates it between 0 and this value.
    Free {
        /// Greatest lapse rate allowed.
        greatest: f64,
    },
}

/// The model to fit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FitOptions {
    sigmoid: Sigmoid,
    axis: Axis,
    guess: f64,
    lapse: Lapse,
}

impl FitOptions {
    /// Creates the model with its shape, axis, fixed guess rate and treatment of lapses.
    ///
    /// # Errors
    ///
    /// [`StatError::Parameter`] for rates that are negative, NaN, or add up to 1 or more.
    pub fn new(sigmoid: Sigmoid, axis: Axis, guess: f64, lapse: Lapse) -> Result<Self, StatError> {
        let (Lapse::Fixed(greatest) | Lapse::Free { greatest }) = lapse;
        check_rates(guess, greatest)?;
        Ok(Self { sigmoid, axis, guess, lapse })
    }

    pub(super) fn likelihood(&self, tallies: &[Tally]) -> Result<Likelihood, StatError> {
        let tallies = Tally::prepare("psychometric fit", tallies, self.axis)?;
        Ok(Likelihood::new(&tallies, self.sigmoid, self.axis, self.guess))
    }

    /// The limits within which the parameters are searched.
    pub(super) fn limits(&self, likelihood: &Likelihood) -> Limits {
        let steepest = (GREATEST_STEP / likelihood.least_distance()).ln();
        let (least, greatest) = match self.lapse {
            Lapse::Fixed(lapse) => (lapse, lapse),
            Lapse::Free { greatest } => (0.0, greatest),
        };
        Limits { lower: [-0.5 - REACH, LEAST_SLOPE.ln(), least], upper: [0.5 + REACH, steepest, greatest] }
    }

    pub(super) const fn lapse_is_free(&self) -> bool {
        matches!(self.lapse, Lapse::Free { .. })
    }
}

/// Why the parameters of a fit must not be taken at face value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Problem {
    /// Every answer was correct: the threshold is below the tested levels.
    AllCorrect,
    /// No answer was correct.
    AllWrong,
    /// A constant probability describes the answers as well as the fit, for example if all are at
    /// chance.
    NoRise,
    /// The slope is at its lower bound: the rise is too shallow for the tested levels.
    SlopeAtLeast,
    /// The slope is at its upper bound: the levels separate wrong from correct answers, so that the
    /// threshold lies anywhere between two levels.
    SlopeAtMost,
    /// The threshold lies outside the tested levels, by extrapolation.
    ThresholdOutsideLevels,
    /// The free lapse rate is at its upper bound.
    LapseAtMost,
    /// The search ended on a ridge of nearly equal likelihood, before its maximum.
    Ridge,
}

/// Standard errors from the observed information.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StandardErrors {
    /// Standard error of the location, in units of the axis (ln x on a logarithmic one).
    pub location: f64,
    /// Standard error of the slope.
    pub slope: f64,
    /// Standard error of the lapse rate, if it was free and not at a bound.
    pub lapse: Option<f64>,
}

/// A fitted psychometric function.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct PsychometricFit {
    /// The function with the estimated parameters.
    pub function: PsychometricFunction,
    /// Standard errors, if the likelihood has a proper maximum.
    pub standard_errors: Option<StandardErrors>,
    /// Negative log-likelihood without the binomial coefficients, in nats.
    pub negative_log_likelihood: f64,
    /// Deviance from a model with a free probability at each level.
    pub deviance: f64,
    /// Number of different levels.
    pub levels: usize,
    /// Why the data do not determine the parameters.
    pub problems: Vec<Problem>,
}

impl PsychometricFit {
    /// Whether the data determine location and slope within the tested levels.
    #[must_use]
    pub fn is_identified(&self) -> bool {
        self.problems.iter().all(|problem| matches!(problem, Problem::LapseAtMost))
    }
}

/// Fits a psychometric function to counts by maximum likelihood.
///
/// Data that do not determine the parameters (all correct, all at chance, levels that separate wrong
/// from correct answers) give a result whose [`PsychometricFit::problems`] name the cause.
///
/// # Errors
///
/// [`StatError::TooFew`] for fewer than two different levels with answers, [`StatError::NotFinite`]
/// and [`StatError::Parameter`] for impossible tallies.
///
/// # Method
///
/// Binomial likelihood Σ k ln ψ + (n - k) ln(1 - ψ) (Wichmann and Hill 2001, equation 3), maximised by
/// Newton's method with exact derivatives from the best points of a coarse grid. The location may lie
/// up to two ranges outside the tested levels. Standard errors: inverse of the observed information
/// for location, slope and a free lapse rate; one at its bound counts as known.
///
/// # Examples
///
/// ```
/// use hype_stats::psychometric::{Axis, FitOptions, Lapse, Sigmoid, Tally, fit};
/// let tallies = [
///     Tally::new(100.0, 11, 20), Tally::new(200.0, 13, 20), Tally::new(300.0, 16, 20),
///     Tally::new(400.0, 19, 20), Tally::new(600.0, 20, 20),
/// ];
/// let model = FitOptions::new(Sigmoid::Logistic, Axis::Logarithmic, 0.5, Lapse::Fixed(0.02))?;
/// let fit = fit(&tallies, &model)?;
/// assert!(fit.is_identified());
/// assert!((200.0..300.0).contains(&fit.function.threshold()));
/// # Ok::<(), hype_stats::StatError>(())
/// ```
pub fn fit(tallies: &[Tally], options: &FitOptions) -> Result<PsychometricFit, StatError> {
    let likelihood = options.likelihood(tallies)?;
    let at = search(&likelihood, &options.limits(&likelihood));
    summarize(&likelihood, options, &at)
}

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

    fn at_lower(&self, at: &Parameters, index: usize) -> bool {
        at[index] <= self.lower[index]
    }

    fn at_upper(&self, at: &Parameters, index: usize) -> bool {
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
fn promise(expansion: &Expansion, step: &[f64; 3]) -> f64 {
    (0..3).map(|index| -expansion.gradient[index] * step[index]).sum()
}

/// Which parameters may still move: not those at a limit that the likelihood pushes against.
fn free_parameters(expansion: &Expansion, limits: &Limits, at: &Parameters) -> [bool; 3] {
    std::array::from_fn(|index| {
        limits.lower[index] < limits.upper[index]
            && !(limits.at_lower(at, index) && expansion.gradient[index] >= 0.0)
            && !(limits.at_upper(at, index) && expansion.gradient[index] <= 0.0)
    })
}

/// The Newton step of the free parameters, damped until the Hessian is positive definite.
fn damped_step(expansion: &Expansion, free: &[bool; 3], damping: f64) -> [f64; 3] {
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

fn cholesky(matrix: &[[f64; 3]; 3]) -> Option<[[f64; 3]; 3]> {
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

fn solve(factor: &[[f64; 3]; 3], mut right: [f64; 3]) -> [f64; 3] {
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

/// The function that belongs to parameters on the scaled axis.
pub(super) fn function_at(
    likelihood: &Likelihood,
    options: &FitOptions,
    at: &Parameters,
) -> Result<PsychometricFunction, StatError> {
    PsychometricFunction::new(
        options.sigmoid,
        options.axis,
        likelihood.centre + at[0] * likelihood.range,
        at[1].exp() / likelihood.range,
        options.guess,
        at[2],
    )
}

pub(super) fn summarize(
    likelihood: &Likelihood,
    options: &FitOptions,
    at: &Parameters,
) -> Result<PsychometricFit, StatError> {
    let expansion = likelihood.expand(at);
    let limits = options.limits(likelihood);
    Ok(PsychometricFit {
        function: function_at(likelihood, options, at)?,
        standard_errors: standard_errors(likelihood, &expansion, &limits, at),
        negative_log_likelihood: expansion.value,
        deviance: likelihood.deviance(at),
        levels: likelihood.levels(),
        problems: problems(likelihood, options, &limits, at, &expansion),
    })
}

fn standard_errors(
    likelihood: &Likelihood,
    expansion: &Expansion,
    limits: &Limits,
    at: &Parameters,
) -> Option<StandardErrors> {
    let inside = |index| !limits.at_lower(at, index) && !limits.at_upper(at, index);
    if !(inside(0) && inside(1)) {
        return None;
    }
    let lapse_is_free = inside(2);
    let mut information = expansion.hessian;
    if !lapse_is_free {
        information[2] = [0.0, 0.0, 1.0];
        information[0][2] = 0.0;
        information[1][2] = 0.0;
    }
    let factor = cholesky(&information)?;
    let error = |index: usize| {
        let mut unit = [0.0; 3];
        unit[index] = 1.0;
        Some(solve(&factor, unit)[index].sqrt()).filter(|error| error.is_finite())
    };
    // At a maximum the information for the slope is that for its logarithm, divided by its square.
    Some(StandardErrors {
        location: error(0)? * likelihood.range,
        slope: error(1)? * at[1].exp() / likelihood.range,
        lapse: if lapse_is_free { error(2) } else { None },
    })
}

fn problems(
    likelihood: &Likelihood,
    options: &FitOptions,
    limits: &Limits,
    at: &Parameters,
    expansion: &Expansion,
) -> Vec<Problem> {
    let step = damped_step(expansion, &free_parameters(expansion, limits, at), 1e-9);
    let (correct, all) = likelihood.totals();
    let share = (correct / all).clamp(options.guess, 1.0 - limits.lower[2]);
    let term = |count: f64, probability: f64| {
        if count > 0.0 { count * probability.ln() } else { 0.0 }
    };
    let constant = -(term(correct, share) + term(all - correct, 1.0 - share));
    let found = [
        (Problem::AllCorrect, correct >= all),
        (Problem::AllWrong, correct <= 0.0),
        // A hundredth of the likelihood ratio that would be significant at one half.
        (Problem::NoRise, constant - expansion.value < 0.002),
        (Problem::SlopeAtLeast, limits.at_lower(at, 1)),
        (Problem::SlopeAtMost, limits.at_upper(at, 1)),
        (Problem::ThresholdOutsideLevels, at[0].abs() > 0.5),
        (Problem::LapseAtMost, options.lapse_is_free() && limits.at_upper(at, 2) && limits.upper[2] > 0.0),
        (Problem::Ridge, promise(expansion, &step) > PLATEAU),
    ];
    let present = found.into_iter().filter(|&(_, present)| present);
    present.map(|(problem, _)| problem).collect()
}
