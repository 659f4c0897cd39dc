//! Response times of synthetic raters.

use hype_core::{Micros, Stream};
use rand_distr::{Distribution as _, StandardNormal};

/// The longest response time, in ms: ten minutes.
const LONGEST_MS: f64 = 600_000.0;

/// The response time of a rater, from the end of the presentation.
///
/// # Method
/// shift_ms + (1 - easier × max(0, 2 p - 1)) × median_ms × exp(sigma × a standard normal value), where p is the probability of a
/// right answer to the trial; at least 0 and at most ten minutes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ResponseTimes {
    /// The part that does not depend on the decision, in ms.
    shift_ms: f64,
    /// The median of the log-normal part, in ms.
    median_ms: f64,
    /// The standard deviation of the logarithm of the log-normal part.
    sigma: f64,
    /// The share of the decision time that an easy trial saves, from 0 to 1.
    easier: f64,
}

impl ResponseTimes {
    /// Response times of raters who look.
    pub(crate) const HONEST: Self = Self { shift_ms: 200.0, median_ms: 450.0, sigma: 0.45, easier: 0.25 };

    /// Response times of raters who press a key without having looked.
    pub(crate) const CARELESS: Self = Self { shift_ms: 80.0, median_ms: 140.0, sigma: 0.35, easier: 0.0 };

    /// Response times of programs.
    pub(crate) const BOT: Self = Self { shift_ms: 30.0, median_ms: 20.0, sigma: 0.1, easier: 0.0 };

    /// Draws the response time for a trial, given the probability of a right answer.
    pub(crate) fn draw(&self, right: f64, chance: &mut Stream) -> Micros {
        let normal: f64 = StandardNormal.sample(chance);
        let decision = self.median_ms * (self.sigma * normal).exp();
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
    fn moments_match_the_model() {
        let lognormal = ResponseTimes::HONEST;
        // exp(0.45² / 2) = 1.106 539, exp(0.45²) - 1 = 0.224 460: mean 450 × 1.106 539, sd that × sqrt(0.224
        // 460).
        check(lognormal, 0.5, 200.0 + 497.943, 235.911);
        check(lognormal, 1.0, 200.0 + 0.75 * 497.943, 0.75 * 235.911);
    }

    #[test]
    fn absurd_numbers_give_bounded_times() {
        let mut chance = Streams::new(5).stream("times");
        for sigma in [1e9, f64::INFINITY, f64::NAN, -1e9] {
            let times = ResponseTimes { sigma, ..ResponseTimes::HONEST };
            assert!(times.draw(0.5, &mut chance) <= Micros(600_000_000));
        }
    }
}
