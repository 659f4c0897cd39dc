//! Bets against each possible mean.

use crate::StatError;
use crate::bootstrap::IntervalEstimate;
use crate::distributions::check_level;

/// A confidence sequence of the mean of values between 0 and 1, without any other assumption on them.
///
/// # Method
///
/// The hedged capital process of Waudby-Smith and Ramdas (2024), "Estimating means of bounded random variables by
/// betting": for each possible mean m, one gambler bets that values lie above m and one that they lie below, with
/// K⁺ = Π (1 + min(λ_t, 1/(2m)) (x_t - m)) and K⁻ = Π (1 - min(λ_t, 1/(2 (1 - m))) (x_t - m)). If m is the mean, it is
/// improbable that max(K⁺, K⁻)/2 ever reaches 1/α. Stakes are
/// λ_t = √(2 ln(2/α) / (t ln(1 + t) σ̂²)), with σ̂² = (1/4 + Σ (x_i - μ̂_i)²) / t and μ̂_i = (1/2 + x_1 + … + x_i) / (i + 1)
/// over the values before.
///
/// # Numerics
///
/// K⁺ falls with m and K⁻ rises, so the means that are left are an interval, whose ends are found by bisection
/// instead of on a grid. All values are kept; one value takes time proportional to their number.
///
/// # Examples
///
/// ```
/// # use hype_stats::confidence_sequence::Betting;
/// let mut sequence = Betting::new(0.95)?;
/// for place in 0..60 {
///     sequence.push(if place % 5 == 0 { 0.4 } else { 0.3 })?;
/// }
/// let interval = sequence.interval();
/// assert!(interval.lower > 0.2 && interval.upper < 0.45);
/// # Ok::<(), hype_stats::StatError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Betting {
    level: f64,
    /// Values with their stakes.
    bets: Vec<(f64, f64)>,
    sum: f64,
    squared_deviations: f64,
    lower: f64,
    upper: f64,
}

/// The side of the mean on which a gambler bets.
#[derive(Debug, Clone, Copy)]
enum Side {
    Above,
    Below,
}

impl Betting {
    /// Starts without values.
    ///
    /// # Errors
    ///
    /// [`StatError::Parameter`] for a level outside 0..1.
    pub fn new(level: f64) -> Result<Self, StatError> {
        check_level(level)?;
        Ok(Self { level, bets: Vec::new(), sum: 0.0, squared_deviations: 0.0, lower: 0.0, upper: 1.0 })
    }

    /// Adds one value.
    ///
    /// # Errors
    ///
    /// [`StatError::Parameter`] for a value outside 0..=1.
    pub fn push(&mut self, value: f64) -> Result<(), StatError> {
        if !(0.0..=1.0).contains(&value) {
            return Err(StatError::Parameter { parameter: "value", expected: "between 0 and 1", got: value });
        }
        let t = self.bets.len() as f64 + 1.0;
        let variance = (0.25 + self.squared_deviations) / t;
        self.bets.push((value, (2.0 * self.needed() / (t * t.ln_1p() * variance)).sqrt()));
        self.sum += value;
        self.squared_deviations += (value - (0.5 + self.sum) / (t + 1.0)).powi(2);
        self.lower = self.end(Side::Above, self.lower);
        self.upper = self.end(Side::Below, self.upper);
        Ok(())
    }

    /// Number of values.
    #[must_use]
    pub const fn count(&self) -> usize {
        self.bets.len()
    }

    /// The means that were left after each of the values so far; 0..=1 before the first.
    ///
    /// The lower end lies above the upper one if none is left, which is as improbable as missing the true one: the
    /// values then have no common mean.
    #[must_use]
    pub const fn interval(&self) -> IntervalEstimate {
        IntervalEstimate { lower: self.lower, upper: self.upper, level: self.level }
    }

    /// The means that are left after the last value, whether or not they were before. It is not narrower than
    /// [`Self::interval`].
    #[must_use]
    pub fn latest(&self) -> IntervalEstimate {
        IntervalEstimate {
            lower: self.end(Side::Above, 0.0),
            upper: self.end(Side::Below, 1.0),
            level: self.level,
        }
    }

    /// The evidence against a mean after the last value, max(K⁺, K⁻)/2. If it is the mean, it is improbable that the evidence ever
    /// reaches 1/α: the probability is at most α, for any α.
    ///
    /// # Errors
    ///
    /// [`StatError::Parameter`] for a mean outside 0..=1.
    pub fn e_value(&self, mean: f64) -> Result<f64, StatError> {
        if !(0.0..=1.0).contains(&mean) {
            return Err(StatError::Parameter { parameter: "mean", expected: "between 0 and 1", got: mean });
        }
        let most = self.capital(Side::Above, mean).max(self.capital(Side::Below, mean));
        // The largest number stands for evidence beyond it.
        Ok((0.5 * most.exp()).min(f64::MAX))
    }

    /// ln(2/α), the logarithm of the capital that excludes a mean.
    fn needed(&self) -> f64 {
        (2.0 / (1.0 - self.level)).ln()
    }

    /// The logarithm of a gambler's capital for the mean `m`.
    fn capital(&self, side: Side, m: f64) -> f64 {
        let gains = self.bets.iter().map(|&(value, stake)| match side {
            Side::Above => (stake.min(0.5 / m) * (value - m)).ln_1p(),
            Side::Below => (-stake.min(0.5 / (1.0 - m)) * (value - m)).ln_1p(),
        });
        gains.sum()
    }

    /// The end of the means that a gambler leaves, from `known` towards the other end of the range.
    fn end(&self, side: Side, known: f64) -> f64 {
        let needed = self.needed();
        if self.capital(side, known) < needed {
            return known;
        }
        // There is no gain at the far end of the range, where all values lie on one side.
        let (mut excluded, mut left) = match side {
            Side::Above => (known, 1.0),
            Side::Below => (known, 0.0),
        };
        loop {
            let middle = 0.5 * (excluded + left);
            if (excluded - left).abs() <= 1e-15
                || middle <= excluded.min(left)
                || middle >= excluded.max(left)
            {
                return excluded;
            }
            if self.capital(side, middle) < needed {
                left = middle;
            } else {
                excluded = middle;
            }
        }
    }
}
