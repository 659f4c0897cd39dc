//! The likelihood of d' of one rater, with the best criterion for each d'.

use super::Answers;
use crate::distributions::{normal_density, normal_sf};

/// ln √(2π).
const LOG_ROOT_TAU: f64 = 0.918_938_533_204_672_7;
/// The number of Newton steps for the criterion, which halving makes certain.
const STEPS: usize = 100;

/// How a rater's likelihood depends on d'.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// Not at all: only one answer was given.
    Flat,
    /// It rises up to a limit.
    Rising,
    /// It falls from a limit.
    Falling,
    /// It has a maximum.
    Peaked,
}

impl Shape {
    pub(super) const fn of(answers: &Answers) -> Self {
        let only_yes = answers.misses == 0 && answers.correct_rejections == 0;
        let only_no = answers.hits == 0 && answers.false_alarms == 0;
        if only_yes || only_no {
            Self::Flat
        } else if answers.misses == 0 || answers.false_alarms == 0 {
            Self::Rising
        } else if answers.hits == 0 || answers.correct_rejections == 0 {
            Self::Falling
        } else {
            Self::Peaked
        }
    }
}

/// A log-likelihood with its slope by d' and the information about d', the criterion being the best one.
#[derive(Debug, Clone, Copy)]
pub(super) struct Profile {
    pub(super) value: f64,
    pub(super) slope: f64,
    pub(super) information: f64,
}

/// The log-likelihood of d' with the best criterion, for answers that are not all the same.
pub(super) fn profile(answers: &Answers, d_prime: f64) -> Profile {
    let at = |criterion: f64| log_likelihood(answers, d_prime, criterion);
    let mut criterion = 0.0;
    let mut here = at(criterion);
    for _ in 0..STEPS {
        let [hits, alarms] = here;
        let (slope, information) = (-hits.slope - alarms.slope, hits.information + alarms.information);
        let mut step = slope / information;
        let value = hits.value + alarms.value;
        if (step * slope).abs() <= 1e-26 * (1.0 + value.abs()) {
            break;
        }
        // The log-likelihood is concave: a step that loses went too far.
        here = loop {
            let next = at(criterion + step);
            if next[0].value + next[1].value >= value - 1e-14 * (1.0 + value.abs()) || step.abs() < 1e-15 {
                criterion += step;
                break next;
            }
            step *= 0.5;
        };
    }
    let [hits, alarms] = here;
    Profile {
        value: hits.value + alarms.value,
        slope: 0.5 * (hits.slope - alarms.slope),
        information: hits.information * alarms.information / (hits.information + alarms.information),
    }
}

/// The log-likelihood of the answers to signals and of those to noise, by their deviates: hits have the deviate d'/2 - c,
/// false alarms -d'/2 - c.
pub(super) fn log_likelihood(answers: &Answers, d_prime: f64, criterion: f64) -> [Log; 2] {
    let yes_no = |deviate: f64, yes: u64, no: u64| {
        let (up, down) = (log_cdf(deviate), log_cdf(-deviate));
        let (yes, no) = (yes as f64, no as f64);
        Log {
            value: yes * up.value + no * down.value,
            slope: yes * up.slope - no * down.slope,
            information: yes * up.information + no * down.information,
        }
    };
    [
        yes_no(0.5 * d_prime - criterion, answers.hits, answers.misses),
        yes_no(-0.5 * d_prime - criterion, answers.false_alarms, answers.correct_rejections),
    ]
}

/// A logarithm of a probability with its slope and information by the deviate.
#[derive(Clone, Copy)]
pub(super) struct Log {
    pub(super) value: f64,
    pub(super) slope: f64,
    pub(super) information: f64,
}

/// ln Φ.
fn log_cdf(deviate: f64) -> Log {
    let probability = normal_sf(-deviate);
    // Below the smallest double: the first terms of the asymptotic series.
    let (value, slope) = if probability > 1e-290 {
        (probability.ln(), normal_density(deviate) / probability)
    } else {
        (-0.5 * deviate * deviate - LOG_ROOT_TAU - (-deviate).ln(), -deviate - deviate.recip())
    };
    Log { value, slope, information: slope * (slope + deviate) }
}
