//! Sensitivity where raters differ in d' and in their criteria.

use super::Answers;
use super::pooled::{check_bounded, common_d_prime};
use super::profile::log_likelihood;
use crate::StatError;
use crate::describe::sum_by;
use crate::minimum::{Sought, minimize, solve};

const SOUGHT: Sought =
    Sought { statistic: "hierarchical d'", reason: "the likelihood has no maximum in double precision" };
/// The distance of the nodes of the quadrature, in standard deviations of a rater's parameters given the answers.
///
/// The error of the trapezoidal rule for a normal density is 2 exp(-2π² / h²), which 1 would suffice for. The skewed
/// densities of perfect raters need more nodes: with 1, their log-likelihood is 1e-4 off.
const NODE_DISTANCE: f64 = 0.5;
/// The number of nodes on either side of the mode.
const NODES: i32 = 18;
/// The number of Newton steps for a rater's mode, which halving makes certain.
const STEPS: usize = 100;

/// The distribution of d' and of the criterion over raters.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct HierarchicalSensitivity {
    /// Mean d' of raters.
    pub d_prime: f64,
    /// Standard error of the mean, from the observed information.
    pub standard_error: f64,
    /// Standard deviation of d' between raters.
    pub d_prime_deviation: f64,
    /// Mean criterion of raters.
    pub criterion: f64,
    /// Standard deviation of the criterion between raters.
    pub criterion_deviation: f64,
    /// The maximum of the log-likelihood, without binomial coefficients.
    pub log_likelihood: f64,
}

/// Estimates the mean d' of raters who differ in d' and in their criteria, by maximum likelihood.
///
/// Raters whose answers leave d' open, as those of a perfect rater do, are drawn towards the others, where the mean
/// of their corrected d' takes a bound for a value.
///
/// # Method
///
/// A probit model with two random effects (DeCarlo 1998; Rouder and Lu 2005, "An introduction to Bayesian
/// hierarchical models with an application in the theory of signal detection"): d' and c of a rater are
/// independent and normal over raters, and hits are binomial with probability Φ(d'/2 - c), false alarms with
/// Φ(-d'/2 - c). A rater's likelihood is integrated by the trapezoidal rule around its mode, in units of its curvature
/// there (Naylor and Smith 1982; Liu and Pierce 1994). The maximum is found by Newton's method; it is even in both
/// standard deviations, so that 0 is no boundary.
///
/// With few raters, standard deviations are estimated too small, and the standard error with them.
///
/// # Errors
///
/// As [`common_d_prime`]; and [`StatError::Degenerate`] or [`StatError::NoConvergence`] if the likelihood has no
/// maximum.
///
/// # Examples
///
/// ```
/// use hype_stats::detection::{Answers, hierarchical_d_prime};
/// let rater = |hits, misses, false_alarms, correct_rejections| Answers {
///     hits,
///     misses,
///     false_alarms,
///     correct_rejections,
/// };
/// let raters = [rater(45, 5, 8, 42), rater(50, 0, 3, 47), rater(38, 12, 2, 48), rater(50, 0, 0, 50)];
/// let found = hierarchical_d_prime(&raters)?;
/// assert!(found.d_prime > 2.5 && found.d_prime < 4.0);
/// # Ok::<(), hype_stats::StatError>(())
/// ```
pub fn hierarchical_d_prime(raters: &[Answers]) -> Result<HierarchicalSensitivity, StatError> {
    check_bounded(SOUGHT.statistic, raters)?;
    let start = common_d_prime(raters)?.d_prime;
    let mut loss = |point: &[f64]| {
        let between = Between::of(point)?;
        let value = -sum_by(raters.len(), |rater| between.log_integral(&raters[rater]).unwrap_or(f64::NAN));
        value.is_finite().then_some(value)
    };
    let found = minimize(SOUGHT, vec![start, 0.0, 0.5, 0.5], &mut loss)?;
    let variance = solve(found.hessian, vec![1.0, 0.0, 0.0, 0.0]).ok_or(SOUGHT.undefined())?[0];
    Ok(HierarchicalSensitivity {
        d_prime: found.point[0],
        standard_error: variance.sqrt(),
        d_prime_deviation: found.point[2].abs(),
        criterion: found.point[1],
        criterion_deviation: found.point[3].abs(),
        log_likelihood: -found.value,
    })
}

/// How d' and the criterion are distributed over raters.
struct Between {
    means: [f64; 2],
    deviations: [f64; 2],
}

/// The logarithm of a rater's likelihood and of the density of its standardized parameters, with slopes and the
/// information about them.
struct Posterior {
    value: f64,
    slope: [f64; 2],
    /// Of the first, of both, of the second.
    information: [f64; 3],
}

impl Between {
    fn of(point: &[f64]) -> Option<Self> {
        let &[d_prime, criterion, of_d_prime, of_criterion] = point else { return None };
        Some(Self { means: [d_prime, criterion], deviations: [of_d_prime, of_criterion] })
    }

    fn posterior(&self, rater: &Answers, [a, b]: [f64; 2]) -> Posterior {
        let [of_d, of_c] = self.deviations;
        let [hits, alarms] = log_likelihood(rater, self.means[0] + of_d * a, self.means[1] + of_c * b);
        // Deviates are d'/2 - c and -d'/2 - c.
        let half = 0.5 * of_d;
        Posterior {
            value: hits.value + alarms.value - 0.5 * (a * a + b * b),
            slope: [half * (hits.slope - alarms.slope) - a, -of_c * (hits.slope + alarms.slope) - b],
            information: [
                half * half * (hits.information + alarms.information) + 1.0,
                -half * of_c * (hits.information - alarms.information),
                of_c * of_c * (hits.information + alarms.information) + 1.0,
            ],
        }
    }

    /// The logarithm of a rater's likelihood, integrated over its d' and criterion.
    fn log_integral(&self, rater: &Answers) -> Option<f64> {
        let mut mode = [0.0; 2];
        let mut here = self.posterior(rater, mode);
        for _ in 0..STEPS {
            let [a, b, c] = here.information;
            let determinant = a * c - b * b;
            let [s, t] = here.slope;
            let mut step = [(c * s - b * t) / determinant, (a * t - b * s) / determinant];
            if (step[0] * s + step[1] * t).abs() <= 1e-24 * (1.0 + here.value.abs()) {
                break;
            }
            // The logarithm is concave: a step that loses went too far.
            here = loop {
                let next = [mode[0] + step[0], mode[1] + step[1]];
                let there = self.posterior(rater, next);
                let is_small = step[0].abs().max(step[1].abs()) < 1e-14;
                if there.value >= here.value - 1e-14 * (1.0 + here.value.abs()) || is_small {
                    mode = next;
                    break there;
                }
                step = step.map(|part| 0.5 * part);
            };
        }
        // With L Lᵀ the information, steps are the columns of L⁻ᵀ.
        let [a, b, c] = here.information;
        let first = a.sqrt();
        let below = b / first;
        let second = (c - below * below).sqrt();
        let size = 2 * NODES as usize + 1;
        let node = |place: usize| NODE_DISTANCE * (place as f64 - f64::from(NODES));
        let total = sum_by(size * size, |place| {
            let (x, y) = (node(place / size), node(place % size));
            let down = y / second;
            let moved = [mode[0] + (x - below * down) / first, mode[1] + down];
            self.weight(rater, moved, here.value)
        });
        let area = NODE_DISTANCE * NODE_DISTANCE / (first * second * std::f64::consts::TAU);
        (total > 0.0).then(|| here.value + (total * area).ln())
    }

    /// The posterior density relative to that at the mode.
    fn weight(&self, rater: &Answers, [a, b]: [f64; 2], at_mode: f64) -> f64 {
        let [of_d, of_c] = self.deviations;
        let [hits, alarms] = log_likelihood(rater, self.means[0] + of_d * a, self.means[1] + of_c * b);
        (hits.value + alarms.value - 0.5 * (a * a + b * b) - at_mode).exp()
    }
}
