//! The maximum-likelihood fit.

use super::likelihood::{Expansion, Likelihood, Parameters};
use super::problems::problems;
use super::search::{Limits, cholesky, search, solve};
use super::{Axis, Problem, PsychometricFunction, Sigmoid, Tally, check_rates};
use crate::StatError;

/// The maximum distance of the location from the tested levels, in ranges of them.
const REACH: f64 = 2.0;
/// Minimum slope: the sigmoid's argument changes by this much over the tested range.
const LEAST_SLOPE: f64 = 0.01;
/// Greatest slope: the argument changes by this much between the two nearest levels.
const GREATEST_STEP: f64 = 60.0;

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
    /// Standard errors, if the likelihood has a proper maximum and falls off around it.
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
/// Whether the data determine the parameters is decided by the width of the likelihood, maximised over the other
/// parameters: [`Problem::Plateau`] and [`Problem::NearlySeparated`] name fits from which it falls by less than 0.1 up to
/// a location half a range beyond the tested levels, or up to a step. Of simulated staircases of 150 trials with
/// thresholds well within their range these are at most one in twenty, and hardly any of designs whose levels resolve the
/// slope.
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
    let problems = problems(likelihood, &limits, at, &expansion);
    let is_flat = |problem: &Problem| matches!(problem, Problem::Plateau | Problem::NearlySeparated);
    let standard_errors = if problems.iter().any(is_flat) {
        None
    } else {
        standard_errors(likelihood, &expansion, &limits, at)
    };
    Ok(PsychometricFit {
        function: function_at(likelihood, options, at)?,
        standard_errors,
        negative_log_likelihood: expansion.value,
        deviance: likelihood.deviance(at),
        levels: likelihood.levels(),
        problems,
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
