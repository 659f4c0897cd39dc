//! Response times of synthetic raters.

use hype_core::{Micros, Stream};
use rand_distr::{Distribution as _, Exp1, StandardNormal};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The longest response time, in ms: ten minutes.
const LONGEST_MS: f64 = 600_000.0;

/// The distribution of response times.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ResponseTimeModel {
    /// median_ms × exp(sigma × a standard normal value).
    #[default]
    Lognormal,
    /// A normal value with mean mu_ms and standard deviation sigma_ms, plus an exponential one with mean
    /// tau_ms (Luce 1986, Response Times).
    ExGaussian,
}

/// The response time of an honest rater, from the end of the presentation.
///
/// # Method
/// shift_ms + (1 - easier × max(0, 2 p - 1)) × a value of the model, where p is the probability of a right
/// answer to the trial; at least 0 and at most ten minutes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ResponseTimes {
    /// `lognormal` or `ex-gaussian`.
    pub model: ResponseTimeModel,
    /// The part that does not depend on the decision, in ms.
    #[schemars(range(min = 0.0))]
    pub shift_ms: f64,
    /// The median of the log-normal part, in ms.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub median_ms: f64,
    /// The standard deviation of the logarithm of the log-normal part.
    #[schemars(range(min = 0.0))]
    pub sigma: f64,
    /// The mean of the normal part of the ex-Gaussian, in ms.
    #[schemars(range(min = 0.0))]
    pub mu_ms: f64,
    /// The standard deviation of the normal part of the ex-Gaussian, in ms.
    #[schemars(range(min = 0.0))]
    pub sigma_ms: f64,
    /// The mean of the exponential part of the ex-Gaussian, in ms.
    #[schemars(range(min = 0.0))]
    pub tau_ms: f64,
    /// The share of the decision time that an easy trial saves, from 0 to 1.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub easier: f64,
}

impl Default for ResponseTimes {
    fn default() -> Self {
        Self {
            model: ResponseTimeModel::Lognormal,
            shift_ms: 200.0,
            median_ms: 450.0,
            sigma: 0.45,
            mu_ms: 350.0,
            sigma_ms: 60.0,
            tau_ms: 180.0,
            easier: 0.25,
        }
    }
}

impl ResponseTimes {
    /// Response times of raters who press a key without having looked.
    pub(crate) const CARELESS: Self = Self {
        model: ResponseTimeModel::Lognormal,
        shift_ms: 80.0,
        median_ms: 140.0,
        sigma: 0.35,
        mu_ms: 0.0,
        sigma_ms: 0.0,
        tau_ms: 0.0,
        easier: 0.0,
    };

    /// Response times of programs.
    pub(crate) const BOT: Self = Self { shift_ms: 30.0, median_ms: 20.0, sigma: 0.1, ..Self::CARELESS };

    /// Draws the response time for a trial, given the probability of a right answer.
    #[must_use]
    pub fn draw(&self, right: f64, chance: &mut Stream) -> Micros {
        let normal: f64 = StandardNormal.sample(chance);
        let decision = match self.model {
            ResponseTimeModel::Lognormal => self.median_ms * (self.sigma * normal).exp(),
            ResponseTimeModel::ExGaussian => {
                let exponential: f64 = Exp1.sample(chance);
                self.mu_ms + self.sigma_ms * normal + self.tau_ms * exponential
            }
        };
        let ease = (2.0 * right - 1.0).max(0.0);
        let whole = self.shift_ms + (1.0 - self.easier * ease) * decision;
        Micros((whole.clamp(0.0, LONGEST_MS) * 1000.0).round() as u64)
    }
}

#[cfg(test)]
mod tests {
    use hype_core::Streams;

    use super::*;

    /// Mean and standard deviation of 40,000 draws, in ms.
    fn moments(times: ResponseTimes, right: f64) -> (f64, f64) {
        let mut chance = Streams::new(5).stream("times");
        let draws: Vec<f64> = (0..40_000).map(|_| times.draw(right, &mut chance).0 as f64 / 1000.0).collect();
        let mean = draws.iter().sum::<f64>() / 40_000.0;
        let variance = draws.iter().map(|draw| (draw - mean).powi(2)).sum::<f64>() / 39_999.0;
        (mean, variance.sqrt())
    }

    fn check(times: ResponseTimes, right: f64, mean: f64, sd: f64) {
        let (got_mean, got_sd) = moments(times, right);
        assert!((got_mean - mean).abs() < 4.0 * sd / 200.0, "mean {got_mean}, not {mean}");
        assert!((got_sd / sd - 1.0).abs() < 0.03, "sd {got_sd}, not {sd}");
    }

    #[test]
    fn moments_are_those_of_the_models() {
        let lognormal = ResponseTimes::default();
        // exp(0.45² / 2) = 1.106 539, exp(0.45²) - 1 = 0.224 460: mean 450 × 1.106 539, sd that × sqrt(0.224
        // 460).
        check(lognormal, 0.5, 200.0 + 497.943, 235.911);
        check(lognormal, 1.0, 200.0 + 0.75 * 497.943, 0.75 * 235.911);
        let ex_gaussian = ResponseTimes { model: ResponseTimeModel::ExGaussian, ..lognormal };
        check(ex_gaussian, 0.3, 730.0, (60.0_f64 * 60.0 + 180.0 * 180.0).sqrt());
    }

    #[test]
    fn absurd_settings_give_bounded_times() {
        let mut chance = Streams::new(5).stream("times");
        for sigma in [1e9, f64::INFINITY, f64::NAN, -1e9] {
            let times = ResponseTimes { sigma, ..ResponseTimes::default() };
            assert!(times.draw(0.5, &mut chance) <= Micros(600_000_000));
        }
    }
}
