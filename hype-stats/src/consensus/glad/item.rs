//! One iteration of GLAD for one item.

use super::{Assumptions, Normal, State};
use crate::consensus::em::LogProduct;
use crate::consensus::votes::LabelVotes;

/// The maximum number of Newton steps for one item in one iteration; the next iteration continues from
/// there.
const STEPS: usize = 4;
/// The maximum number of halvings of a step without gain.
const HALVINGS: usize = 30;

/// Sums over the items of a block.
#[derive(Clone)]
pub(super) struct Sums {
    /// Linear and quadratic coefficient of the bound in each rater's ability.
    pub(super) raters: Vec<[f64; 2]>,
    pub(super) log_likelihood: f64,
}

impl Sums {
    pub(super) fn new(raters: usize) -> Self {
        Self { raters: vec![[0.0; 2]; raters], log_likelihood: 0.0 }
    }

    pub(super) fn clear(&mut self) {
        self.raters.fill([0.0; 2]);
        self.log_likelihood = 0.0;
    }
}

/// A vote on an item.
struct Vote {
    rater: usize,
    label: usize,
    ability: f64,
    /// |α β|.
    magnitude: f64,
    /// e^-|α β|.
    small: f64,
}

impl Vote {
    /// Curvature of the quadratic lower bound of ln σ that touches it at x = α β: tanh(x / 2) / (2 x).
    fn curvature(&self) -> f64 {
        if self.magnitude < 1e-2 {
            // The quotient of small numbers loses digits; the next term of the series is 17 x^6 /
            // 80640.
            let square = self.magnitude * self.magnitude;
            return 0.25 - square * (1.0 / 48.0 - square / 480.0);
        }
        (1.0 - self.small) / ((1.0 + self.small) * (2.0 * self.magnitude))
    }
}

/// An item's votes and posterior, in memory that is reused for each item.
pub(super) struct Scratch {
    votes: Vec<Vote>,
    pub(super) posterior: Vec<f64>,
    /// Logarithm of the numerator of the greatest posterior, and the sum of all over it.
    top: f64,
    total: f64,
}

impl Scratch {
    pub(super) fn new(labels: usize) -> Self {
        Self { votes: Vec::new(), posterior: vec![0.0; labels], top: 0.0, total: 1.0 }
    }

    pub(super) fn load(&mut self, votes: &LabelVotes, item: usize, state: &State) {
        let vote = |(rater, label)| {
            let ability = state.abilities[rater];
            Vote { rater, label, ability, magnitude: 0.0, small: 0.0 }
        };
        self.votes.clear();
        self.votes.extend(votes.of_item(item).map(vote));
    }

    /// Sets the posterior, and the values that other quantities need for each vote.
    ///
    /// ln σ(x) - ln((1 - σ(x)) / (K - 1)) is x + ln(K - 1), so the posterior needs no logistic
    /// function.
    pub(super) fn expect(&mut self, easiness: f64, assumed: &Assumptions) {
        self.posterior.copy_from_slice(&assumed.classes);
        for vote in &mut self.votes {
            let x = vote.ability * easiness;
            self.posterior[vote.label] += x + assumed.ln_others;
            vote.magnitude = x.abs();
            vote.small = (-x.abs()).exp();
        }
        self.top = self.posterior.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        self.total = 0.0;
        for value in &mut self.posterior {
            *value = (*value - self.top).exp();
            self.total += *value;
        }
        self.posterior.iter_mut().for_each(|value| *value /= self.total);
    }

    /// The log-likelihood after [`Self::expect`], with one logarithm for all votes.
    ///
    /// It lacks Σ ln(1 - σ(x)) so far, which is -Σ ln(1 + e^x), and ln(K - 1) for each vote.
    fn log_likelihood(&self, assumed: &Assumptions) -> f64 {
        let (mut complements, mut linear) = (LogProduct::ONE, 0.0);
        for vote in &self.votes {
            linear += assumed.ln_others + if vote.ability > 0.0 { vote.magnitude } else { 0.0 };
            complements.multiply(1.0 + vote.small, 0);
        }
        self.top + self.total.ln() - linear - complements.ln()
    }

    /// Performs one iteration: returns the new logarithm of easiness, and adds to the sums of the
    /// block.
    pub(super) fn step(
        &mut self,
        votes: &LabelVotes,
        item: usize,
        assumed: &Assumptions,
        state: &State,
        sums: &mut Sums,
    ) -> f64 {
        let start = state.log_easiness[item];
        self.load(votes, item, state);
        if self.votes.is_empty() {
            return start;
        }
        self.expect(start.exp(), assumed);
        sums.log_likelihood += self.log_likelihood(assumed);
        let (mut linear, mut square) = (0.0, 0.0);
        for vote in &self.votes {
            linear += (self.posterior[vote.label] - 0.5) * vote.ability;
            square += vote.curvature() * (vote.ability * vote.ability);
        }
        let log_easiness = climb(start, linear, square, &assumed.easiness);
        let easiness = log_easiness.exp();
        self.expect(easiness, assumed);
        for vote in &self.votes {
            let [linear, square] = &mut sums.raters[vote.rater];
            *linear += (self.posterior[vote.label] - 0.5) * easiness;
            *square += vote.curvature() * (easiness * easiness);
        }
        log_easiness
    }
}

/// Maximizes linear e^v - square e^(2 v) / 2 + ln prior(v) from v; the result is never lower.
fn climb(start: f64, linear: f64, square: f64, prior: &Normal) -> f64 {
    let value = |at: f64, easiness: f64| easiness * (linear - 0.5 * square * easiness) + prior.ln(at);
    let (mut at, mut easiness) = (start, start.exp());
    let mut height = value(at, easiness);
    for _ in 0..STEPS {
        let slope = easiness * (linear - square * easiness) - prior.precision * (at - prior.mean);
        let bend = easiness * (linear - 2.0 * square * easiness) - prior.precision;
        // Where the curve is convex a Newton step would go down, so a step of the same length goes up.
        let mut step = (slope / bend.abs().max(1e-3 * prior.precision)).clamp(-1.0, 1.0);
        if step.abs() < 1e-7 && bend < 0.0 {
            // The gain is below the rounding error of the objective.
            return at + step;
        }
        let higher = (0..HALVINGS).find_map(|_| {
            let (there, easiness) = (at + step, (at + step).exp());
            let found = value(there, easiness);
            step *= 0.5;
            (found >= height).then_some((there, easiness, found))
        });
        let Some(found) = higher else {
            break;
        };
        (at, easiness, height) = found;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curvature(x: f64) -> f64 {
        Vote { rater: 0, label: 0, ability: x, magnitude: x.abs(), small: (-x.abs()).exp() }.curvature()
    }

    #[test]
    fn curvature_is_even_and_continuous() {
        // tanh(1) / 4 at x = 2.
        assert!((curvature(2.0) - 1_f64.tanh() / 4.0).abs() < 1e-15);
        assert_eq!(curvature(0.0), 0.25);
        assert_eq!(curvature(-3.0), curvature(3.0));
        assert!((curvature(0.01) - curvature(0.01 - 1e-12)).abs() < 1e-13);
    }

    #[test]
    fn the_bound_touches_and_never_exceeds() {
        let ln_sigma = |x: f64| -(-x).exp().ln_1p();
        for at in [-8.0, -1.5, 0.0, 0.003, 2.0, 20.0_f64] {
            for x in [-30.0, -8.0, -1.5, -0.2, 0.0, 0.1, 1.0, 2.0, 8.0, 25.0] {
                let bound = ln_sigma(at) + 0.5 * (x - at) - 0.5 * curvature(at) * (x * x - at * at);
                assert!(bound <= ln_sigma(x) + 1e-12, "at {at}, {x}: {bound}");
            }
        }
    }

    #[test]
    fn climbs_to_a_stationary_point_that_is_not_lower() {
        let prior = Normal { mean: 1.0, precision: 1.0 };
        for (linear, square) in
            [(0.0, 0.0), (2.5, 0.7), (-2.5, 0.7), (40.0, 3.0), (-40.0, 300.0), (0.1, 1e-9)]
        {
            let value = |at: f64| at.exp() * (linear - 0.5 * square * at.exp()) + prior.ln(at);
            for start in [-3.0, 0.0, 1.0, 4.0] {
                let mut at = start;
                for _ in 0..40 {
                    let there = climb(at, linear, square, &prior);
                    assert!(
                        value(there) >= value(at) - 1e-12 * value(at).abs(),
                        "{linear} {square} {at} {there}"
                    );
                    at = there;
                }
                let slope = at.exp() * (linear - square * at.exp()) - (at - 1.0);
                assert!(
                    slope.abs() < 1e-7 * (1.0 + linear.abs() * at.exp()),
                    "{linear} {square} {start}: {slope}"
                );
            }
        }
    }
}
