//! The log-likelihood of censored normal values, with its derivatives.

use super::Reading;
use crate::describe::sum_by;
use crate::distributions::{normal_density, normal_sf};

/// ln √(2π).
const LOG_ROOT_TAU: f64 = 0.918_938_533_204_672_7;

/// A log-likelihood with its gradient by γ and δ, and its information (the negative second derivatives by γγ,
/// γδ and δδ).
#[derive(Debug, Clone, Copy)]
pub(super) struct Slopes {
    pub(super) value: f64,
    pub(super) gradient: [f64; 2],
    pub(super) information: [f64; 3],
}

/// Readings as the data of a likelihood in γ = μ / σ and δ = 1 / σ.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Likelihood {
    readings: Vec<Reading>,
}

impl Likelihood {
    pub(super) const fn new(readings: Vec<Reading>) -> Self {
        Self { readings }
    }

    pub(super) fn slopes(&self, location: f64, precision: f64) -> Slopes {
        let terms: Vec<Slopes> =
            self.readings.iter().map(|reading| term(*reading, location, precision)).collect();
        let total = |part: &dyn Fn(&Slopes) -> f64| sum_by(terms.len(), |index| part(&terms[index]));
        Slopes {
            value: total(&|term| term.value),
            gradient: [0, 1].map(|at| total(&|term| term.gradient[at])),
            information: [0, 1, 2].map(|at| total(&|term| term.information[at])),
        }
    }
}

fn term(reading: Reading, location: f64, precision: f64) -> Slopes {
    let z = |value: f64| precision * value - location;
    match reading {
        Reading::Exact(y) => {
            let z = z(y);
            Slopes {
                value: precision.ln() - 0.5 * z * z - LOG_ROOT_TAU,
                gradient: [z, precision.recip() - z * y],
                information: [1.0, -y, y * y + precision.powi(-2)],
            }
        }
        Reading::AtLeast(y) => tail(z(y), y),
        // P(Y ≤ y) is the upper tail of the mirrored value.
        Reading::AtMost(y) => {
            let mirrored = tail(-z(y), y);
            Slopes { gradient: mirrored.gradient.map(|slope| -slope), ..mirrored }
        }
        Reading::Between(low, high) => between((z(low), low), (z(high), high)),
    }
}

/// Slopes of ln(1 - Φ(z)) with z = δ y - γ.
fn tail(z: f64, y: f64) -> Slopes {
    let survival = normal_sf(z);
    // Beyond the smallest double: the first terms of the asymptotic series.
    let (value, hazard) = if survival > 1e-290 {
        (survival.ln(), normal_density(z) / survival)
    } else {
        (-0.5 * z * z - LOG_ROOT_TAU - z.ln(), z + z.recip())
    };
    let weight = hazard * (hazard - z);
    Slopes { value, gradient: [hazard, -hazard * y], information: [weight, -weight * y, weight * y * y] }
}

/// Slopes of ln(Φ(b) - Φ(a)) for limits that are each given as z and y.
fn between((a, low): (f64, f64), (b, high): (f64, f64)) -> Slopes {
    // The difference of the smaller tails keeps its digits.
    let mass = if a > 0.0 { normal_sf(a) - normal_sf(b) } else { normal_sf(-b) - normal_sf(-a) };
    let (at_low, at_high) = (normal_density(a) / mass, normal_density(b) / mass);
    let (own_low, own_high) = (at_low * (at_low - a), at_high * (at_high + b));
    let both = at_low * at_high;
    Slopes {
        value: mass.ln(),
        gradient: [at_low - at_high, at_high * high - at_low * low],
        information: [
            own_low + own_high - 2.0 * both,
            both * (low + high) - own_high * high - own_low * low,
            own_high * high * high + own_low * low * low - 2.0 * both * low * high,
        ],
    }
}
