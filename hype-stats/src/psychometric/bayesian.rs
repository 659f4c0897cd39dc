//! Bayesian fits of psychometric functions with overdispersion.
//!
//! # Method
//!
//! The model and the default priors of Schütt, Harmeling, Macke and Wichmann (2016), "Painfree and
//! accurate Bayesian estimation of psychometric functions for (potentially) overdispersed data",
//! Vision Research 122 (psignifit 4): correct answers at a level are beta-binomial with mean
//! ψ = guess + (1 - guess - lapse) S(t; threshold, width) and variance scale η², where S is one half at
//! the threshold and rises from .05 to .95 over the width.
//!
//! Priors: the threshold is uniform over the tested range with cosine flanks of half its length; the
//! width is uniform from twice the least distance of levels to the range, with cosine flanks down to
//! that distance and up to three ranges; lapse rate, a free guess rate and η have Beta(1, 10).
//!
//! The posterior is summed over a grid whose limits are found with a coarser grid: values with a cell
//! of more than 1e-5 of the posterior mass, and one more value on each side.

use super::{Axis, PsychometricFunction, Sigmoid, Tally};
use crate::StatError;
use crate::bootstrap::IntervalEstimate;
use crate::distributions::check_level;

mod beta_binomial;
mod grid;
mod lanes;
mod model;
mod peak;
mod table;

use grid::Grid;
use model::{Model, PARAMETERS};

/// S rises from this to one minus this over the width.
const TAIL: f64 = 0.05;
/// How often the climb to the peak starts again, with a whole posterior and where the peak alone is sought.
const RESTARTS: usize = 4;
const FEW_RESTARTS: usize = 2;

/// The kind of experiment, which sets the guess rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Experiment {
    /// The rater chooses among a number of alternatives: the guess rate is one over their number.
    ForcedChoice {
        /// Number of alternatives, at least 2.
        alternatives: u32,
    },
    /// The rater says yes or no: the guess (false-alarm) rate is estimated.
    YesNo,
}

/// A parameter of the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PsychometricParameter {
    /// Where S is one half, on the axis (ln x on a logarithmic one).
    Threshold,
    /// Distance on the axis over which S rises from .05 to .95.
    Width,
    /// Lapse rate λ.
    Lapse,
    /// Overdispersion η: 0 for binomial answers, near 1 for answers that are all equal.
    Overdispersion,
    /// Guess rate γ.
    Guess,
}

impl PsychometricParameter {
    const fn index(self) -> usize {
        match self {
            Self::Threshold => 0,
            Self::Width => 1,
            Self::Lapse => 2,
            Self::Overdispersion => 3,
            Self::Guess => 4,
        }
    }
}

/// One value for each parameter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ParameterValues {
    /// Where S is one half, on the axis.
    pub threshold: f64,
    /// Distance on the axis over which S rises from .05 to .95.
    pub width: f64,
    /// Lapse rate λ.
    pub lapse: f64,
    /// Overdispersion η.
    pub overdispersion: f64,
    /// Guess rate γ.
    pub guess: f64,
}

impl ParameterValues {
    const fn from_array(values: [f64; PARAMETERS]) -> Self {
        Self {
            threshold: values[0],
            width: values[1],
            lapse: values[2],
            overdispersion: values[3],
            guess: values[4],
        }
    }
}

/// The model to fit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    sigmoid: Sigmoid,
    axis: Axis,
    fixed: [Option<f64>; PARAMETERS],
    coarse: [usize; PARAMETERS],
}

impl Options {
    /// Creates the model with its default priors and no fixed parameter except a forced choice's guess
    /// rate.
    ///
    /// # Errors
    ///
    /// [`StatError::Parameter`] for fewer than two alternatives.
    pub fn new(sigmoid: Sigmoid, axis: Axis, experiment: Experiment) -> Result<Self, StatError> {
        let guess = match experiment {
            Experiment::YesNo => None,
            Experiment::ForcedChoice { alternatives } if alternatives >= 2 => {
                Some(1.0 / f64::from(alternatives))
            }
            Experiment::ForcedChoice { alternatives } => {
                return Err(StatError::Parameter {
                    parameter: "number of alternatives",
                    expected: "at least 2",
                    got: f64::from(alternatives),
                });
            }
        };
        Ok(Self {
            sigmoid,
            axis,
            fixed: [None, None, None, None, guess],
            coarse: match experiment {
                Experiment::ForcedChoice { .. } => grid::COARSE_FORCED_CHOICE,
                Experiment::YesNo => grid::COARSE_YES_NO,
            },
        })
    }

    /// Fixes a parameter at a value; a threshold or a width is on the axis.
    ///
    /// # Errors
    ///
    /// [`StatError::Parameter`] for a value outside the parameter's range.
    pub fn fix(mut self, parameter: PsychometricParameter, value: f64) -> Result<Self, StatError> {
        let (name, allowed, expected) = match parameter {
            PsychometricParameter::Threshold => ("threshold", value.is_finite(), "finite"),
            PsychometricParameter::Width => {
                ("width", value > 0.0 && value.is_finite(), "positive and finite")
            }
            PsychometricParameter::Lapse => ("lapse rate", (0.0..0.5).contains(&value), "within 0..0.5"),
            PsychometricParameter::Guess => ("guess rate", (0.0..=0.5).contains(&value), "within 0..=0.5"),
            PsychometricParameter::Overdispersion => {
                ("overdispersion", (0.0..1.0).contains(&value), "within 0..1")
            }
        };
        if !allowed {
            return Err(StatError::Parameter { parameter: name, expected, got: value });
        }
        self.fixed[parameter.index()] = Some(value);
        Ok(self)
    }

    /// The psychometric function with given parameters.
    fn function(&self, at: &ParameterValues) -> Result<PsychometricFunction, StatError> {
        let slope = self.sigmoid.span(TAIL) / at.width;
        let location = at.threshold - self.sigmoid.middle() / slope;
        PsychometricFunction::new(self.sigmoid, self.axis, location, slope, at.guess, at.lapse)
    }
}

/// A parameter's posterior distribution on a grid of values.
#[derive(Debug, Clone, PartialEq)]
pub struct Marginal {
    values: Vec<f64>,
    masses: Vec<f64>,
}

impl Marginal {
    /// Values of the grid, in rising order; one if the parameter is fixed.
    #[must_use]
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Posterior mass at each value; the sum is 1.
    #[must_use]
    pub fn masses(&self) -> &[f64] {
        &self.masses
    }

    /// The value up to which the masses sum to a probability; `share` is the part of a value's mass
    /// that lies below it.
    fn quantile(&self, probability: f64, share: f64) -> f64 {
        let mut below = 0.0;
        let mut previous: Option<(f64, f64)> = None;
        for (&value, &mass) in self.values.iter().zip(&self.masses) {
            let at = below + share * mass;
            if at >= probability {
                return match previous {
                    Some((last, last_at)) if at > last_at => {
                        last + (value - last) * ((probability - last_at) / (at - last_at))
                    }
                    _ => value,
                };
            }
            previous = Some((value, at));
            below += mass;
        }
        previous.map_or(f64::NAN, |(value, _)| value)
    }
}

/// The posterior distribution of a psychometric function's parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct Posterior {
    options: Options,
    mode: ParameterValues,
    mean: ParameterValues,
    marginals: [Marginal; PARAMETERS],
}

impl Posterior {
    /// The parameters with the greatest posterior density (MAP).
    #[must_use]
    pub const fn mode(&self) -> ParameterValues {
        self.mode
    }

    /// The posterior mean of each parameter.
    #[must_use]
    pub const fn mean(&self) -> ParameterValues {
        self.mean
    }

    /// The posterior distribution of one parameter.
    #[must_use]
    pub const fn marginal(&self, parameter: PsychometricParameter) -> &Marginal {
        &self.marginals[parameter.index()]
    }

    /// The psychometric function with given parameters, such as [`Self::mode`].
    ///
    /// # Errors
    ///
    /// [`StatError::Parameter`] for parameters outside their ranges.
    pub fn function(&self, at: &ParameterValues) -> Result<PsychometricFunction, StatError> {
        self.options.function(at)
    }

    /// Central credible interval, by the rule of psignifit 4 (`percentiles`).
    ///
    /// The cumulated masses are interpolated with each value's mass counted at the value itself, so
    /// that both limits lie about half a step of the grid low; a limit below the first value's mass is
    /// that value. [`Self::interpolated_interval`] does not have this bias.
    ///
    /// # Errors
    ///
    /// [`StatError::Parameter`] for a level outside 0 < level < 1.
    pub fn credible_interval(
        &self,
        parameter: PsychometricParameter,
        level: f64,
    ) -> Result<IntervalEstimate, StatError> {
        self.interval(parameter, level, 1.0)
    }

    /// Central credible interval with each value's mass spread evenly around it.
    ///
    /// # Errors
    ///
    /// As [`Self::credible_interval`].
    pub fn interpolated_interval(
        &self,
        parameter: PsychometricParameter,
        level: f64,
    ) -> Result<IntervalEstimate, StatError> {
        self.interval(parameter, level, 0.5)
    }

    fn interval(
        &self,
        parameter: PsychometricParameter,
        level: f64,
        share: f64,
    ) -> Result<IntervalEstimate, StatError> {
        check_level(level)?;
        let marginal = self.marginal(parameter);
        let tail = (1.0 - level) / 2.0;
        Ok(IntervalEstimate {
            lower: marginal.quantile(tail, share),
            upper: marginal.quantile(1.0 - tail, share),
            level,
        })
    }
}

/// Fits a psychometric function with overdispersion and returns its posterior distribution.
///
/// # Errors
///
/// [`StatError::TooFew`] for fewer than two different levels with answers, [`StatError::NotFinite`]
/// and [`StatError::Parameter`] for impossible tallies, [`StatError::Degenerate`] if fixed parameters
/// leave the answers without any probability.
///
/// # Numerics
///
/// The log-likelihood of each level is tabulated over the logit of ψ, relative to its greatest, in single
/// precision, and interpolated by cubics between as many values as keep their error below 5e-5. The mode
/// is found with exact values. Sums run in a fixed order, whatever the number of threads.
///
/// # Examples
///
/// ```
/// use hype_stats::psychometric::bayesian::{Experiment, Options, PsychometricParameter, fit};
/// use hype_stats::psychometric::{Axis, Sigmoid, Tally};
/// let tallies = [
///     Tally::new(100.0, 11, 20), Tally::new(200.0, 13, 20), Tally::new(300.0, 16, 20),
///     Tally::new(400.0, 19, 20), Tally::new(600.0, 20, 20),
/// ];
/// let model = Options::new(
///     Sigmoid::Normal, Axis::Linear, Experiment::ForcedChoice { alternatives: 2 },
/// )?.fix(PsychometricParameter::Overdispersion, 0.0)?;
/// let posterior = fit(&tallies, &model)?;
/// let interval = posterior.credible_interval(PsychometricParameter::Threshold, 0.95)?;
/// assert!(interval.lower < posterior.mean().threshold && posterior.mean().threshold < interval.upper);
/// # Ok::<(), hype_stats::StatError>(())
/// ```
pub fn fit(tallies: &[Tally], options: &Options) -> Result<Posterior, StatError> {
    let tallies = Tally::prepare("Bayesian psychometric fit", tallies, options.axis)?;
    let model = Model::new(&tallies, options);
    let limits = Grid::coarse(&model, &options.coarse).sum(&model)?.limits();
    let grid = Grid::fine(&limits);
    let sums = grid.sum(&model)?;
    let mode = peak::climb(&model, sums.peak, &grid.steps(), RESTARTS);
    let marginals = sums.marginals();
    let mean = std::array::from_fn(|index: usize| {
        let marginal: &Marginal = &marginals[index];
        crate::describe::sum_by(marginal.values.len(), |place| {
            marginal.values[place] * marginal.masses[place]
        })
    });
    Ok(Posterior {
        options: *options,
        mode: ParameterValues::from_array(mode),
        mean: ParameterValues::from_array(mean),
        marginals,
    })
}

/// The psychometric function with the greatest posterior density, without the rest of the posterior of [`fit`].
///
/// Where answers say little, it is that of the prior: a threshold within the tested levels or half their range beyond, a width
/// of at most their range, and no lapses.
///
/// # Errors
///
/// Those of [`fit`].
///
/// # Numerics
///
/// The peak of a grid that is coarser than that of [`fit`], from which the exact density is climbed, as for [`Posterior::mode`].
pub fn most_probable(tallies: &[Tally], options: &Options) -> Result<PsychometricFunction, StatError> {
    let tallies = Tally::prepare("Bayesian psychometric fit", tallies, options.axis)?;
    let model = Model::new(&tallies, options);
    let grid = Grid::coarse(&model, &grid::FOR_THE_PEAK);
    let peak = grid.sum(&model)?.peak;
    options.function(&ParameterValues::from_array(peak::climb(&model, peak, &grid.steps(), FEW_RESTARTS)))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::float_cmp, reason = "tests")]
mod tests;
