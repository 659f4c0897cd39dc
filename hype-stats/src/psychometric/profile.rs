//! Profiles of the likelihood.

use super::likelihood::{Likelihood, Parameters};
use super::search::{Limits, minimize};

/// The maximum number of steps of doubling length, which reach any limit long before.
const STEPS: usize = 200;

/// The likelihood as a function of one parameter, maximised over the others.
pub(super) struct Profile<'a> {
    pub(super) likelihood: &'a Likelihood,
    pub(super) limits: Limits,
    /// The parameter.
    pub(super) index: usize,
    /// The negative log-likelihood up to which values are nearly as likely as the best.
    pub(super) target: f64,
}

impl Profile<'_> {
    /// The best parameters with one of them fixed, and the distance of their value above the target.
    fn at(&self, value: f64, near: Parameters) -> (Parameters, f64) {
        let mut limits = self.limits;
        limits.lower[self.index] = value;
        limits.upper[self.index] = value;
        let at = minimize(self.likelihood, &limits, near, f64::INFINITY);
        (at, self.likelihood.value(&at) - self.target)
    }

    /// Whether the profile does not meet the target up to the limit in one direction.
    pub(super) fn is_open(&self, best: Parameters, direction: f64) -> bool {
        let bound =
            if direction < 0.0 { self.limits.lower[self.index] } else { self.limits.upper[self.index] };
        let (mut inside, mut near, mut step) = (best[self.index], best, 0.02_f64);
        for _ in 0..STEPS {
            if (bound - inside) * direction <= 0.0 {
                return true;
            }
            let next = inside + direction * step.min((bound - inside).abs());
            let (at, excess) = self.at(next, near);
            if excess > 0.0 {
                return false;
            }
            (inside, near) = (next, at);
            step *= 2.0;
        }
        true
    }
}
