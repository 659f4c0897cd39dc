//! The distribution of an estimated standard deviation over the true one, on a logarithmic scale.

use std::f64::consts::{LN_2, PI};

use super::stirling_error;

/// The distribution of u = ln √(χ²_ν / ν), for averages over u by the trapezoidal rule.
pub(crate) struct Scale {
    /// ν/2.
    pub(crate) half: f64,
    /// ln of the density at zero times the step.
    height: f64,
    pub(crate) step: f64,
}

impl Scale {
    pub(crate) fn new(degrees_of_freedom: f64, step: f64) -> Self {
        let half = 0.5 * degrees_of_freedom;
        Self { half, height: LN_2 + 0.5 * (half / (2.0 * PI)).ln() - stirling_error(half) + step.ln(), step }
    }

    /// Density times step at u.
    pub(crate) fn weight(&self, u: f64) -> f64 {
        (self.height - self.half * excess(2.0 * u)).exp()
    }

    /// The sum of all terms below one after which they fall by the same factor, slowly for few degrees of freedom.
    pub(crate) fn rest_below(&self, term: f64) -> f64 {
        term / (2.0 * self.half * self.step).exp_m1()
    }
}

/// e^x - 1 - x without cancellation near zero.
fn excess(x: f64) -> f64 {
    if x.abs() > 0.2 {
        return x.exp_m1() - x;
    }
    let series = (3..=13).rev().fold(1.0, |sum, order| 1.0 + x * sum / f64::from(order));
    0.5 * x * x * series
}
