//! Profiles of the likelihood.

use super::likelihood::{Likelihood, Parameters};
use super::search::{Limits, minimize};

/// The maximum number of halvings or steps in the search for an end of an interval.
const STEPS: usize = 200;

/// The likelihood as a function of one parameter, maximised over the others.
pub(super) struct Profile<'a> {
    pub(super) likelihood: &'a Likelihood,
    pub(super) limits: Limits,
    /// The parameter.
    pub(super) index: usize,
    /// The negative log-likelihood up to which values belong to the interval.
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
        self.bracket(best, direction).is_none()
    }

    /// Searches in one direction from the maximum for the point where the profile meets the target; `None` if it does
    /// not up to the limit.
    pub(super) fn end(&self, best: Parameters, direction: f64) -> Option<f64> {
        let Bracket { mut inside, mut outside, mut below, mut above, mut near } =
            self.bracket(best, direction)?;
        // False position with the Illinois rule: the end that stays gets half its weight.
        let mut last_side = 0;
        for _ in 0..STEPS {
            if (outside - inside).abs() < 1e-10 {
                break;
            }
            let share = (below / (below - above)).clamp(0.01, 0.99);
            let next = inside + share * (outside - inside);
            let (at, excess) = self.at(next, near);
            near = at;
            if excess > 0.0 {
                (outside, above) = (next, excess);
                below *= if last_side == 1 { 0.5 } else { 1.0 };
                last_side = 1;
            } else {
                (inside, below) = (next, excess);
                above *= if last_side == -1 { 0.5 } else { 1.0 };
                last_side = -1;
            }
        }
        Some(inside + (outside - inside) / 2.0)
    }

    /// Two values between which the profile meets the target, by steps of doubling length.
    fn bracket(&self, best: Parameters, direction: f64) -> Option<Bracket> {
        let bound =
            if direction < 0.0 { self.limits.lower[self.index] } else { self.limits.upper[self.index] };
        let (mut inside, mut below, mut near, mut step) = (best[self.index], -1.0, best, 0.02_f64);
        // The steps reach any limit long before their number does.
        for _ in 0..STEPS {
            if (bound - inside) * direction <= 0.0 {
                return None;
            }
            let next = inside + direction * step.min((bound - inside).abs());
            let (at, excess) = self.at(next, near);
            near = at;
            if excess > 0.0 {
                return Some(Bracket { inside, outside: next, below, above: excess, near });
            }
            (inside, below) = (next, excess);
            step *= 2.0;
        }
        None
    }
}

/// Two values of a parameter, and how far the profile is above the target there: `below` is negative, `above` positive.
struct Bracket {
    inside: f64,
    outside: f64,
    below: f64,
    above: f64,
    near: Parameters,
}
