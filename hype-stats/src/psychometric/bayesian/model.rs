//! Priors, limits and exact posterior density of the beta-binomial model.

use std::f64::consts::PI;

use super::beta_binomial::ln_likelihood;
use super::{Options, TAIL};
use crate::psychometric::{Sigmoid, Tally};

/// Threshold, width, lapse rate, overdispersion, guess rate.
pub(super) const PARAMETERS: usize = 5;

/// Minimum overdispersion: answers are then binomial to the last digit.
const LEAST_OVERDISPERSION: f64 = 1e-10;
/// The minimum distance of probabilities from 0 and 1 (logit 36), which keeps logarithms finite.
const LEAST_PROBABILITY: f64 = 2.3e-16;
/// Exponent of the priors Beta(1, 10): (1 - rate)^9.
const RATE_EXPONENT: f64 = 9.0;

/// One level on the axis.
pub(super) struct Level {
    pub(super) position: f64,
    pub(super) correct: f64,
    pub(super) wrong: f64,
}

/// Data, shape and priors.
pub(super) struct Model {
    pub(super) levels: Vec<Level>,
    pub(super) fixed: [Option<f64>; PARAMETERS],
    sigmoid: Sigmoid,
    middle: f64,
    span: f64,
    first: f64,
    range: f64,
    least_distance: f64,
}

impl Model {
    pub(super) fn new(tallies: &[Tally], options: &Options) -> Self {
        let levels: Vec<Level> = tallies
            .iter()
            .map(|tally| Level {
                position: options.axis.position(tally.level),
                correct: f64::from(tally.correct),
                wrong: f64::from(tally.total - tally.correct),
            })
            .collect();
        let first = levels[0].position;
        let range = levels[levels.len() - 1].position - first;
        let least_distance = levels
            .windows(2)
            .map(|pair| pair[1].position - pair[0].position)
            .fold(range, f64::min)
            .max(range * 1e-6);
        Self {
            levels,
            fixed: options.fixed,
            sigmoid: options.sigmoid,
            middle: options.sigmoid.middle(),
            span: options.sigmoid.span(TAIL),
            first,
            range,
            least_distance,
        }
    }

    /// Limits of each parameter: where its prior ends, or its fixed value twice.
    pub(super) fn limits(&self) -> [[f64; 2]; PARAMETERS] {
        let free = [
            [self.first - self.range / 2.0, self.first + self.range * 1.5],
            [self.least_distance, 3.0 * self.range],
            [0.0, 0.5],
            [0.0, 1.0 - LEAST_OVERDISPERSION],
            [0.0, 0.5],
        ];
        std::array::from_fn(|index| self.fixed[index].map_or(free[index], |value| [value; 2]))
    }

    /// ln of a parameter's prior, up to a constant; 0 for a fixed one.
    pub(super) fn ln_prior(&self, index: usize, value: f64) -> f64 {
        if self.fixed[index].is_some() {
            return 0.0;
        }
        match index {
            0 => {
                let outside = (self.first - value).max(value - self.first - self.range);
                flank(outside / (self.range / 2.0)).ln()
            }
            1 => {
                let narrow = (2.0 * self.least_distance - value) / self.least_distance;
                let wide = (value - self.range) / (2.0 * self.range);
                flank(narrow).ln() + flank(wide).ln()
            }
            _ => RATE_EXPONENT * (-value).ln_1p(),
        }
    }

    /// S and 1 - S at a level.
    pub(super) fn rise(&self, position: f64, threshold: f64, width: f64) -> [f64; 2] {
        let argument = self.middle + self.span * ((position - threshold) / width);
        self.sigmoid.tails(argument)
    }

    /// ψ and 1 - ψ, both greater than 0.
    pub(super) fn probability(rise: [f64; 2], lapse: f64, guess: f64) -> [f64; 2] {
        let span = 1.0 - guess - lapse;
        [(guess + span * rise[0]).max(LEAST_PROBABILITY), (lapse + span * rise[1]).max(LEAST_PROBABILITY)]
    }

    /// Precision ν = 1/η² - 1 of the Beta distribution with overdispersion η.
    pub(super) fn precision(overdispersion: f64) -> f64 {
        let overdispersion = overdispersion.max(LEAST_OVERDISPERSION);
        (1.0 - overdispersion) * (1.0 + overdispersion) / (overdispersion * overdispersion)
    }

    /// ln of the posterior density, up to a constant.
    pub(super) fn ln_posterior(&self, at: &[f64; PARAMETERS]) -> f64 {
        let prior: f64 = (0..PARAMETERS).map(|index| self.ln_prior(index, at[index])).sum();
        let precision = Self::precision(at[3]);
        self.levels.iter().fold(prior, |total, level| {
            let rise = self.rise(level.position, at[0], at[1]);
            let [mean, complement] = Self::probability(rise, at[2], at[4]);
            total + ln_likelihood(level.correct, level.wrong, mean, complement, precision)
        })
    }
}

/// A cosine flank: 1 up to the distance 0, 0 from the distance 1.
fn flank(distance: f64) -> f64 {
    0.5 + 0.5 * (PI * distance.clamp(0.0, 1.0)).cos()
}
