//! Intervals for the parameters of a maximum-likelihood fit.

use super::likelihood::{Likelihood, Parameters};
use super::maximum_likelihood::summarize;
use super::profile::Profile;
use super::search::search;
use super::{FitOptions, PsychometricFit, Tally};
use crate::StatError;
use crate::bootstrap::Distribution;
use crate::bootstrap::draws::Draws;
use crate::distributions::{check_level, normal_quantile};
use crate::parallel;

/// The number of simulated data sets that share one random stream.
const BLOCK: usize = 16;

/// A parameter of the fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum FitParameter {
    /// The location on the axis (ln x on a logarithmic one).
    Location,
    /// The slope.
    Slope,
}

/// A profile-likelihood interval; an end is `None` if the data do not bound the parameter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ProfileInterval {
    /// Lower end.
    pub lower: Option<f64>,
    /// Upper end.
    pub upper: Option<f64>,
    /// Nominal confidence, such as 0.95.
    pub level: f64,
}

/// Computes the profile-likelihood interval of one parameter.
///
/// # Errors
///
/// As [`super::fit`]; [`StatError::Parameter`] for a level outside 0 < level < 1.
///
/// # Method
///
/// The values of the parameter at which twice the log-likelihood, maximised over all other parameters,
/// is less than the quantile of χ² with one degree of freedom below its maximum (Venzon and Moolgavkar
/// 1988). An end is open where the likelihood stays above that up to the limits of the search: two
/// ranges beyond the tested levels, or a slope that is flat or a step for the tested levels.
pub fn profile_interval(
    tallies: &[Tally],
    options: &FitOptions,
    parameter: FitParameter,
    level: f64,
) -> Result<ProfileInterval, StatError> {
    check_level(level)?;
    let likelihood = options.likelihood(tallies)?;
    let limits = options.limits(&likelihood);
    let best = search(&likelihood, &limits);
    let index = match parameter {
        FitParameter::Location => 0,
        FitParameter::Slope => 1,
    };
    let deviate = normal_quantile((1.0 + level) / 2.0)?;
    let profile = Profile {
        likelihood: &likelihood,
        limits,
        index,
        target: likelihood.value(&best) + deviate * deviate / 2.0,
    };
    let unscale = |value: f64| match parameter {
        FitParameter::Location => likelihood.centre + value * likelihood.range,
        FitParameter::Slope => value.exp() / likelihood.range,
    };
    Ok(ProfileInterval {
        lower: profile.end(best, -1.0).map(unscale),
        upper: profile.end(best, 1.0).map(unscale),
        level,
    })
}

/// The distribution of fits to data simulated from a fit.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ParametricBootstrap {
    /// Distribution of the location on the axis.
    pub location: Distribution,
    /// Distribution of the slope.
    pub slope: Distribution,
    /// Distribution of the deviance if the fitted model is true.
    pub deviance: Distribution,
    /// Share of deviances at least as large as that of the data, including the data: a small share is
    /// evidence against the model.
    pub goodness_of_fit: f64,
    /// Number of simulated data sets that do not determine the parameters. Their fits lie at the
    /// limits of the search, so that percentile intervals include them and standard deviations are
    /// distorted.
    pub unidentified: usize,
}

/// Simulates data from the fitted function and fits them again.
///
/// # Errors
///
/// As [`super::fit`]; [`StatError::TooFew`] for fewer than two data sets.
///
/// # Method
///
/// Wichmann and Hill (2001), parts I (deviance) and II (intervals): binomial counts at the tested
/// levels with the fitted probabilities. The result depends on data, count and seed alone, not on
/// threads.
pub fn parametric_bootstrap(
    tallies: &[Tally],
    options: &FitOptions,
    count: usize,
    seed: u64,
) -> Result<ParametricBootstrap, StatError> {
    let likelihood = options.likelihood(tallies)?;
    let limits = options.limits(&likelihood);
    let best = search(&likelihood, &limits);
    let observed = summarize(&likelihood, options, &best)?;
    let blocks = parallel::map(count.div_ceil(BLOCK), |block| {
        let mut draws = Draws::new(seed, block as u64);
        (block * BLOCK..count.min((block + 1) * BLOCK))
            .map(|_| {
                let simulated = simulate(&likelihood, &best, &mut draws);
                let at = search(&simulated, &limits);
                summarize(&simulated, options, &at)
            })
            .collect::<Result<Vec<PsychometricFit>, StatError>>()
    });
    let fits = blocks.into_iter().collect::<Result<Vec<_>, StatError>>()?.concat();
    let distribution = |estimate: f64, value: fn(&PsychometricFit) -> f64| {
        Distribution::new(estimate, fits.iter().map(value).collect(), None)
    };
    let as_large = fits.iter().filter(|fit| fit.deviance >= observed.deviance).count();
    Ok(ParametricBootstrap {
        location: distribution(observed.function.location(), |fit| fit.function.location())?,
        slope: distribution(observed.function.slope(), |fit| fit.function.slope())?,
        deviance: distribution(observed.deviance, |fit| fit.deviance)?,
        goodness_of_fit: (as_large + 1) as f64 / (count + 1) as f64,
        unidentified: fits.iter().filter(|fit| !fit.is_identified()).count(),
    })
}

fn simulate(likelihood: &Likelihood, at: &Parameters, draws: &mut Draws) -> Likelihood {
    let correct: Vec<f64> = likelihood
        .predictions(at)
        .map(|(probability, answers)| {
            (0..answers as u64).filter(|_| draws.unit() < probability).count() as f64
        })
        .collect();
    likelihood.with_correct(correct.into_iter())
}
