//! The average of the range's tail over the estimated standard deviation: the outer integral.

use std::collections::BTreeMap;

use super::range::{NEGLIGIBLE, NormalRange, Tail};
use super::{KNOWN_VARIANCE, increasing_root};
use crate::StatError;
use crate::distributions::Scale;

/// The tails of one studentized range.
///
/// The grid of the outer integral lies on multiples of a step of ln w, for any q. Neighbouring q
/// need the inner integral at the same points, whose values are cached: the p values of all pairs
/// and the critical value cost little more than one p value.
pub(crate) struct Evaluator {
    range: NormalRange,
    scale: Option<Scale>,
    lower: BTreeMap<i64, f64>,
    upper: BTreeMap<i64, f64>,
}

impl Evaluator {
    pub(super) fn new(means: u32, degrees_of_freedom: f64) -> Self {
        Self::assemble(NormalRange::new(means), degrees_of_freedom, step(means, degrees_of_freedom))
    }

    pub(super) fn assemble(range: NormalRange, degrees_of_freedom: f64, step: f64) -> Self {
        Self {
            range,
            scale: (degrees_of_freedom < KNOWN_VARIANCE).then(|| Scale::new(degrees_of_freedom, step)),
            lower: BTreeMap::new(),
            upper: BTreeMap::new(),
        }
    }

    /// P(Q ≤ q).
    pub(crate) fn cdf(&mut self, q: f64) -> f64 {
        self.tail(q, Tail::Lower)
    }

    /// P(Q > q).
    pub(crate) fn sf(&mut self, q: f64) -> f64 {
        self.tail(q, Tail::Upper)
    }

    /// The q with this probability below it.
    pub(crate) fn quantile(&mut self, probability: f64) -> Result<f64, StatError> {
        self.solve(probability, Tail::Lower)
    }

    /// The q with this probability above it.
    pub(crate) fn upper_quantile(&mut self, probability: f64) -> Result<f64, StatError> {
        self.solve(probability, Tail::Upper)
    }

    fn solve(&mut self, probability: f64, tail: Tail) -> Result<f64, StatError> {
        let (at_zero, at_one) = match tail {
            Tail::Lower => (0.0, f64::INFINITY),
            Tail::Upper => (f64::INFINITY, 0.0),
        };
        if probability <= 0.0 {
            return Ok(at_zero);
        }
        if probability >= 1.0 {
            return Ok(at_one);
        }
        let (lower, upper) = match tail {
            Tail::Lower => (probability, 1.0 - probability),
            Tail::Upper => (1.0 - probability, probability),
        };
        let root = increasing_root(1.2, 0.4, |log_q| {
            let q = log_q.exp();
            if lower < upper { self.cdf(q).ln() - lower.ln() } else { upper.ln() - self.sf(q).ln() }
        });
        root.map(f64::exp)
            .ok_or(StatError::NoConvergence { statistic: "studentized range quantile", iterations: 200 })
    }

    fn tail(&mut self, q: f64, tail: Tail) -> f64 {
        if q.is_nan() {
            return f64::NAN;
        }
        match tail {
            Tail::Lower if q <= 0.0 => 0.0,
            Tail::Upper if q <= 0.0 => 1.0,
            Tail::Lower if q.is_infinite() => 1.0,
            Tail::Upper if q.is_infinite() => 0.0,
            _ => self.integrate(q, tail),
        }
    }

    pub(super) fn integrate(&mut self, q: f64, tail: Tail) -> f64 {
        let Some(scale) = &self.scale else {
            return self.range.probability(q, tail);
        };
        let values = match tail {
            Tail::Lower => &mut self.lower,
            Tail::Upper => &mut self.upper,
        };
        let step = scale.step;
        let log_q = q.ln();
        let nearest = (log_q / step).round();
        let offset = log_q - nearest * step;
        let nearest = nearest as i64;
        // The distance u from ln q is taken on the grid: for many degrees of freedom the difference
        // of the two logarithms would have too few digits.
        let distance = |index: i64| (index - nearest) as f64 * step - offset;
        let mut value = |index: i64| {
            *values.entry(index).or_insert_with(|| self.range.probability((index as f64 * step).exp(), tail))
        };
        let peak = match tail {
            Tail::Lower => {
                let others = f64::from(self.range.others());
                (q * (1.0 + 0.5 * others / scale.half).sqrt()).min(q.max(2.0))
            }
            Tail::Upper => q / (0.5 * q / scale.half.sqrt()).hypot(1.0),
        };
        let start = (peak.ln() / step).round() as i64;
        let mut total = 0.0;
        for index in start.. {
            let term = scale.weight(distance(index)) * value(index);
            total += term;
            if term <= NEGLIGIBLE * total {
                break;
            }
        }
        for index in (i64::MIN..start).rev() {
            let (u, probability) = (distance(index), value(index));
            let term = scale.weight(u) * probability;
            total += term;
            if term <= NEGLIGIBLE * total {
                break;
            }
            if probability >= 1.0 && scale.half * (2.0 * u).exp() < NEGLIGIBLE {
                total += scale.rest_below(term);
                break;
            }
        }
        total.min(1.0)
    }
}

/// Step of the trapezoidal rule.
///
/// Far out the integrand is exp(n u - c e^(2u)) with n the degrees of freedom, and for the lower
/// tail n + k - 1. The error of the rule is the Fourier transform of that at 2π/h, which is
/// Γ((n + 2πi/h) / 2) / Γ(n/2), about exp(-π²/(n h²)) for many degrees of freedom and
/// exp(-π²/(2h)) for few: under 1e-13 of the tail here.
fn step(means: u32, degrees_of_freedom: f64) -> f64 {
    0.5 / (degrees_of_freedom + f64::from(means) + 11.0).sqrt()
}
