//! Why the data do not determine the parameters of a fit.

use super::likelihood::{Expansion, Likelihood, Parameters};
use super::profile::Profile;
use super::search::{Limits, PLATEAU, damped_step, free_parameters, promise};

/// The loss in log-likelihood up to which other parameters are nearly as likely as the fit.
const NEARLY: f64 = 0.1;
/// The distance of the location from the middle of the tested levels, in ranges of them, that is half a range beyond them.
const BEYOND: f64 = 1.0;

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
    /// The slope is at its upper bound: the levels separate wrong from correct answers, and the
    /// threshold lies anywhere between two levels.
    SlopeAtMost,
    /// The threshold lies outside the tested levels, by extrapolation.
    ThresholdOutsideLevels,
    /// The free lapse rate is at its upper bound.
    LapseAtMost,
    /// The search ended on a ridge of nearly equal likelihood, before its maximum.
    Ridge,
    /// A location half a range beyond the tested levels is nearly as likely as the fit: the likelihood is a plateau.
    Plateau,
    /// A step between two levels is nearly as likely as the fit: the levels almost separate wrong from correct answers, so
    /// that the slope has no upper bound, and standard errors no meaning.
    NearlySeparated,
}

/// Returns the parts of a fit that the data do not determine.
pub(super) fn problems(
    likelihood: &Likelihood,
    limits: &Limits,
    at: &Parameters,
    expansion: &Expansion,
) -> Vec<Problem> {
    let step = damped_step(expansion, &free_parameters(expansion, limits, at), 1e-9);
    let (correct, all) = likelihood.totals();
    let share = (correct / all).clamp(likelihood.guess, 1.0 - limits.lower[2]);
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
        (Problem::LapseAtMost, limits.lower[2] < limits.upper[2] && limits.at_upper(at, 2)),
        (Problem::Ridge, promise(expansion, &step) > PLATEAU),
        (Problem::Plateau, reaches_beyond(likelihood, limits, at, expansion)),
        (Problem::NearlySeparated, reaches_a_step(likelihood, limits, at, expansion)),
    ];
    let present = found.into_iter().filter(|&(_, present)| present);
    present.map(|(problem, _)| problem).collect()
}

/// Whether a location half a range beyond the tested levels is nearly as likely as the fit.
fn reaches_beyond(likelihood: &Likelihood, limits: &Limits, at: &Parameters, expansion: &Expansion) -> bool {
    let mut limits = *limits;
    (limits.lower[0], limits.upper[0]) = (-BEYOND, BEYOND);
    if at[0].abs() >= BEYOND {
        return true;
    }
    let profile = Profile { likelihood, limits, index: 0, target: expansion.value + NEARLY };
    [-1.0, 1.0].iter().any(|&direction| profile.is_open(*at, direction))
}

/// Whether the greatest slope, a step for the tested levels, is nearly as likely as the fit.
fn reaches_a_step(likelihood: &Likelihood, limits: &Limits, at: &Parameters, expansion: &Expansion) -> bool {
    let profile = Profile { likelihood, limits: *limits, index: 1, target: expansion.value + NEARLY };
    !limits.at_upper(at, 1) && profile.is_open(*at, 1.0)
}
