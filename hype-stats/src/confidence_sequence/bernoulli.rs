//! The mixture of binomial likelihood ratios.

use crate::StatError;
use crate::bootstrap::IntervalEstimate;
use crate::distributions::{check_level, ln_rising};

/// The evidence of successes and failures against a probability, however one came to stop counting.
///
/// # Method
///
/// The likelihood averaged over Jeffreys's distribution, Beta(1/2, 1/2), over that of the probability p:
/// E = B(1/2 + w, 1/2 + l) / (B(1/2, 1/2) p^w (1 - p)^l). If p is true, it is at most α likely that E ever reaches 1/α
/// (Ville 1939; Robbins 1970).
///
/// # Examples
///
/// ```
/// # use hype_stats::confidence_sequence::BernoulliMixture;
/// let counts = BernoulliMixture::new(60, 40);
/// let interval = counts.interval(0.95)?;
/// assert!((interval.lower - 0.434315).abs() < 1e-6 && (interval.upper - 0.751430).abs() < 1e-6);
/// # Ok::<(), hype_stats::StatError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BernoulliMixture {
    successes: u64,
    failures: u64,
}

impl BernoulliMixture {
    /// Starts with these counts, one for each independent trial.
    #[must_use]
    pub const fn new(successes: u64, failures: u64) -> Self {
        Self { successes, failures }
    }

    /// Adds one trial.
    pub const fn push(&mut self, is_success: bool) {
        if is_success {
            self.successes += 1;
        } else {
            self.failures += 1;
        }
    }

    /// Computes the evidence E against a probability of success; its reciprocal is a p value at any time.
    ///
    /// # Errors
    ///
    /// [`StatError::Parameter`] for a probability that is not strictly between 0 and 1.
    pub fn e_value(&self, probability: f64) -> Result<f64, StatError> {
        if probability > 0.0 && probability < 1.0 {
            return Ok(self.log_e_value(probability).exp());
        }
        Err(StatError::Parameter {
            parameter: "probability",
            expected: "above 0 and below 1",
            got: probability,
        })
    }

    fn log_e_value(&self, probability: f64) -> f64 {
        let (w, l) = (self.successes as f64, self.failures as f64);
        let term = |count: f64, log: f64| if count > 0.0 { count * log } else { 0.0 };
        ln_rising(0.5, w) + ln_rising(0.5, l)
            - ln_rising(1.0, w + l)
            - term(w, probability.ln())
            - term(l, (-probability).ln_1p())
    }

    /// Computes the interval of the probabilities against which E is below 1/α.
    ///
    /// # Errors
    ///
    /// [`StatError::Parameter`] for a level outside 0..1.
    pub fn interval(&self, level: f64) -> Result<IntervalEstimate, StatError> {
        check_level(level)?;
        let needed = -(1.0 - level).ln();
        let trials = self.successes + self.failures;
        if trials == 0 {
            return Ok(IntervalEstimate { lower: 0.0, upper: 1.0, level });
        }
        // E is at most 1 at the observed share, and grows from there to both sides.
        let share = self.successes as f64 / trials as f64;
        let end = |mut outside: f64| {
            let mut inside = share;
            if self.log_e_value(outside) < needed {
                return outside;
            }
            loop {
                let middle = 0.5 * (inside + outside);
                if middle <= inside.min(outside) || middle >= inside.max(outside) {
                    return outside;
                }
                if self.log_e_value(middle) < needed {
                    inside = middle;
                } else {
                    outside = middle;
                }
            }
        };
        Ok(IntervalEstimate { lower: end(0.0), upper: end(1.0), level })
    }
}
