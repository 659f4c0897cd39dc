//! Psychometric functions: how the share of correct answers grows with the level of a stimulus.
//!
//! ψ(x) = guess + (1 - guess - lapse) F(slope · (t - location)), where t is the level x itself or its
//! natural logarithm. [`fit`] estimates location and slope (and the lapse rate) by maximum
//! likelihood, [`bayesian::fit`] by the posterior distribution of a beta-binomial model.
//!
//! Wichmann and Hill (2001), "The psychometric function: I. Fitting, sampling, and goodness of fit";
//! Kingdom and Prins (2016), "Psychophysics", chapter 4.

use crate::StatError;

pub mod bayesian;
mod likelihood;
mod maximum_likelihood;
mod problems;
mod profile;
mod search;
mod sigmoid;

pub use maximum_likelihood::{FitOptions, Lapse, PsychometricFit, StandardErrors, fit};
pub use problems::Problem;
pub use sigmoid::Sigmoid;

/// The axis on which a psychometric function is defined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Axis {
    /// The level itself.
    Linear,
    /// The natural logarithm of the level, which must be positive.
    Logarithmic,
}

impl Axis {
    /// Position of a level on this axis; levels up to 0 have the position -∞ on a logarithmic one.
    fn position(self, level: f64) -> f64 {
        match self {
            Self::Linear => level,
            Self::Logarithmic if level > 0.0 => level.ln(),
            Self::Logarithmic if level.is_nan() => level,
            Self::Logarithmic => f64::NEG_INFINITY,
        }
    }

    fn level(self, position: f64) -> f64 {
        match self {
            Self::Linear => position,
            Self::Logarithmic => position.exp(),
        }
    }
}

/// The answers at one level.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tally {
    /// Level of the stimulus, such as its exposure in milliseconds.
    pub level: f64,
    /// Number of correct answers (of answers "yes" in a yes/no experiment).
    pub correct: u32,
    /// Number of answers.
    pub total: u32,
}

impl Tally {
    /// Creates the tally of one level.
    #[must_use]
    pub const fn new(level: f64, correct: u32, total: u32) -> Self {
        Self { level, correct, total }
    }

    /// Counts single answers by level, in rising order of levels.
    ///
    /// # Examples
    ///
    /// ```
    /// use hype_stats::psychometric::Tally;
    /// let tallies = Tally::count([(200.0, true), (100.0, false), (200.0, false)]);
    /// assert_eq!(tallies, [Tally::new(100.0, 0, 1), Tally::new(200.0, 1, 2)]);
    /// ```
    #[must_use]
    pub fn count(answers: impl IntoIterator<Item = (f64, bool)>) -> Vec<Self> {
        let answers = answers.into_iter().map(|(level, correct)| Self::new(level, u32::from(correct), 1));
        Self::merge(answers.collect())
    }

    /// Sorts by level and adds up equal levels.
    fn merge(mut tallies: Vec<Self>) -> Vec<Self> {
        tallies.sort_by(|one, other| one.level.total_cmp(&other.level));
        tallies.dedup_by(|next, kept| {
            let equal = next.level <= kept.level;
            if equal {
                kept.correct = kept.correct.saturating_add(next.correct);
                kept.total = kept.total.saturating_add(next.total);
            }
            equal
        });
        tallies
    }

    /// Refuses impossible counts and levels; merges equal levels and removes those without answers.
    fn prepare(statistic: &'static str, tallies: &[Self], axis: Axis) -> Result<Vec<Self>, StatError> {
        for (index, tally) in tallies.iter().enumerate() {
            if !tally.level.is_finite() {
                return Err(StatError::NotFinite { statistic, index, got: tally.level });
            }
            if tally.correct > tally.total {
                return Err(StatError::Parameter {
                    parameter: "correct answers",
                    expected: "at most the number of answers",
                    got: f64::from(tally.correct),
                });
            }
            if axis == Axis::Logarithmic && tally.level <= 0.0 {
                return Err(StatError::Parameter {
                    parameter: "level",
                    expected: "positive on a logarithmic axis",
                    got: tally.level,
                });
            }
        }
        let answered = tallies.iter().filter(|tally| tally.total > 0).copied();
        let tallies = Self::merge(answered.collect());
        if tallies.len() < 2 {
            return Err(StatError::TooFew {
                statistic,
                needed: 2,
                of: "different levels",
                got: tallies.len(),
            });
        }
        Ok(tallies)
    }
}

/// A psychometric function with all its parameters.
///
/// # Examples
///
/// ```
/// use hype_stats::psychometric::{Axis, PsychometricFunction, Sigmoid};
/// // A Weibull function of the exposure: threshold 250 ms, slope 3.5, two alternatives, 2 % lapses.
/// let weibull = PsychometricFunction::new(
///     Sigmoid::Gumbel, Axis::Logarithmic, 250_f64.ln(), 3.5, 0.5, 0.02,
/// )?;
/// let correct = weibull.evaluate(250.0);
/// assert!((correct - (0.5 + 0.48 * (1.0 - (-1_f64).exp()))).abs() < 1e-12);
/// assert!((weibull.inverse(correct)? - 250.0).abs() < 1e-9);
/// # Ok::<(), hype_stats::StatError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PsychometricFunction {
    sigmoid: Sigmoid,
    axis: Axis,
    location: f64,
    slope: f64,
    guess: f64,
    lapse: f64,
}

impl PsychometricFunction {
    /// Creates a function from its parameters, with the location on the named axis (ln x for
    /// [`Axis::Logarithmic`]).
    ///
    /// # Errors
    ///
    /// [`StatError::Parameter`] if the location is not finite, the slope not positive and finite, or
    /// guess and lapse are negative or add up to 1 or more.
    pub fn new(
        sigmoid: Sigmoid,
        axis: Axis,
        location: f64,
        slope: f64,
        guess: f64,
        lapse: f64,
    ) -> Result<Self, StatError> {
        let refuse = |parameter, expected, got| Err(StatError::Parameter { parameter, expected, got });
        if !location.is_finite() {
            return refuse("location", "finite", location);
        }
        if !(slope > 0.0 && slope.is_finite()) {
            return refuse("slope", "positive and finite", slope);
        }
        check_rates(guess, lapse)?;
        Ok(Self { sigmoid, axis, location, slope, guess, lapse })
    }

    /// Shape of the rise.
    #[must_use]
    pub const fn sigmoid(&self) -> Sigmoid {
        self.sigmoid
    }

    /// Axis on which the function is defined.
    #[must_use]
    pub const fn axis(&self) -> Axis {
        self.axis
    }

    /// Location on the axis, at which F has the argument 0.
    #[must_use]
    pub const fn location(&self) -> f64 {
        self.location
    }

    /// The location as a level: α of the Weibull and logistic functions of ln x.
    #[must_use]
    pub fn threshold(&self) -> f64 {
        self.axis.level(self.location)
    }

    /// Slope β in units of the axis; for the normal sigmoid 1/σ.
    #[must_use]
    pub const fn slope(&self) -> f64 {
        self.slope
    }

    /// Probability of a correct answer without any stimulus.
    #[must_use]
    pub const fn guess(&self) -> f64 {
        self.guess
    }

    /// Probability of a wrong answer at any level.
    #[must_use]
    pub const fn lapse(&self) -> f64 {
        self.lapse
    }

    /// Probability of a correct answer at a level; NaN only if the level is NaN.
    #[must_use]
    pub fn evaluate(&self, level: f64) -> f64 {
        let position = self.axis.position(level);
        let [rise, remainder] = self.sigmoid.tails(self.slope * (position - self.location));
        let span = 1.0 - self.guess - self.lapse;
        // Computed from the nearer asymptote: both tails keep their digits.
        if rise < 0.5 { self.guess + span * rise } else { 1.0 - (self.lapse + span * remainder) }
    }

    /// Level at which a correct answer has the given probability.
    ///
    /// # Errors
    ///
    /// [`StatError::Parameter`] unless guess < probability < 1 - lapse.
    pub fn inverse(&self, probability: f64) -> Result<f64, StatError> {
        let span = 1.0 - self.guess - self.lapse;
        let rise = (probability - self.guess) / span;
        let remainder = (1.0 - self.lapse - probability) / span;
        if !(rise > 0.0 && remainder > 0.0) {
            return Err(StatError::Parameter {
                parameter: "probability",
                expected: "between guess rate and 1 - lapse rate",
                got: probability,
            });
        }
        let position = self.location + self.sigmoid.inverse(rise, remainder) / self.slope;
        Ok(self.axis.level(position))
    }
}

fn check_rates(guess: f64, lapse: f64) -> Result<(), StatError> {
    for (parameter, rate) in [("guess rate", guess), ("lapse rate", lapse)] {
        if !(0.0..1.0).contains(&rate) {
            return Err(StatError::Parameter { parameter, expected: "within 0 <= rate < 1", got: rate });
        }
    }
    if guess + lapse >= 1.0 {
        return Err(StatError::Parameter {
            parameter: "guess rate + lapse rate",
            expected: "below 1",
            got: guess + lapse,
        });
    }
    Ok(())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::float_cmp, reason = "tests")]
mod tests;
