//! The binomial likelihood of answers, with its derivatives.

use super::{Axis, Sigmoid, Tally};

/// The lower bound of probabilities, which keeps logarithms and quotients finite.
const LEAST: f64 = 1e-300;

/// One level on a scale from -1/2 to 1/2.
#[derive(Debug, Clone, Copy)]
struct Point {
    position: f64,
    correct: f64,
    wrong: f64,
}

/// Answers on an axis that is scaled to the length 1, where location and slope are of similar
/// size.
#[derive(Debug, Clone)]
pub(super) struct Likelihood {
    points: Vec<Point>,
    sigmoid: Sigmoid,
    pub(super) guess: f64,
    pub(super) centre: f64,
    pub(super) range: f64,
}

/// Location, ln slope and lapse rate on the scaled axis.
pub(super) type Parameters = [f64; 3];

/// Value, gradient and Hessian of the negative log-likelihood.
pub(super) struct Expansion {
    pub(super) value: f64,
    pub(super) gradient: [f64; 3],
    pub(super) hessian: [[f64; 3]; 3],
}

impl Likelihood {
    /// Creates the likelihood of prepared tallies: at least two different levels in rising order.
    pub(super) fn new(tallies: &[Tally], sigmoid: Sigmoid, axis: Axis, guess: f64) -> Self {
        let first = axis.position(tallies[0].level);
        let last = axis.position(tallies[tallies.len() - 1].level);
        let centre = first + (last - first) / 2.0;
        // Levels that differ only by a rounding error may coincide on a logarithmic axis.
        let range = (last - first).max(centre.abs() * f64::EPSILON).max(f64::MIN_POSITIVE);
        let points = tallies
            .iter()
            .map(|tally| Point {
                position: (axis.position(tally.level) - centre) / range,
                correct: f64::from(tally.correct),
                wrong: f64::from(tally.total - tally.correct),
            })
            .collect();
        Self { points, sigmoid, guess, centre, range }
    }

    /// A coarser likelihood with at most the given number of levels, for finding a start.
    pub(super) fn pooled(&self, levels: usize) -> Self {
        let size = self.points.len().div_ceil(levels);
        let mut pooled = self.clone();
        if size > 1 {
            pooled.points = self
                .points
                .chunks(size)
                .map(|chunk| {
                    let mut sum = Point { position: 0.0, correct: 0.0, wrong: 0.0 };
                    for point in chunk {
                        let answers = point.correct + point.wrong;
                        sum.position += answers * point.position;
                        sum.correct += point.correct;
                        sum.wrong += point.wrong;
                    }
                    sum.position /= sum.correct + sum.wrong;
                    sum
                })
                .collect();
        }
        pooled
    }

    /// Minimum distance of two levels, on the scaled axis.
    pub(super) fn least_distance(&self) -> f64 {
        self.points
            .windows(2)
            .map(|pair| pair[1].position - pair[0].position)
            .filter(|&distance| distance > 0.0)
            .fold(1.0, f64::min)
    }

    /// Number of different levels.
    pub(super) const fn levels(&self) -> usize {
        self.points.len()
    }

    /// Numbers of correct and of all answers.
    pub(super) fn totals(&self) -> (f64, f64) {
        self.points.iter().fold((0.0, 0.0), |(correct, all), point| {
            (correct + point.correct, all + point.correct + point.wrong)
        })
    }

    fn probabilities(&self, rise: f64, remainder: f64, lapse: f64) -> (f64, f64) {
        let span = 1.0 - self.guess - lapse;
        ((self.guess + span * rise).max(LEAST), (lapse + span * remainder).max(LEAST))
    }

    /// Negative log-likelihood, without the binomial coefficients.
    pub(super) fn value(&self, at: &Parameters) -> f64 {
        let (location, slope, lapse) = (at[0], at[1].exp(), at[2]);
        -self
            .points
            .iter()
            .map(|point| {
                let [rise, remainder] = self.sigmoid.tails(slope * (point.position - location));
                let (correct, wrong) = self.probabilities(rise, remainder, lapse);
                times_ln(point.correct, correct) + times_ln(point.wrong, wrong)
            })
            .sum::<f64>()
    }

    /// Twice the distance in log-likelihood from a model with a free probability at each level.
    pub(super) fn deviance(&self, at: &Parameters) -> f64 {
        let saturated: f64 = self
            .points
            .iter()
            .map(|point| {
                let answers = point.correct + point.wrong;
                times_ln(point.correct, point.correct / answers)
                    + times_ln(point.wrong, point.wrong / answers)
            })
            .sum();
        (2.0 * (saturated + self.value(at))).max(0.0)
    }

    /// Negative log-likelihood with its derivatives by location, ln slope and lapse rate.
    pub(super) fn expand(&self, at: &Parameters) -> Expansion {
        let (location, slope, lapse) = (at[0], at[1].exp(), at[2]);
        let span = 1.0 - self.guess - lapse;
        let (mut value, mut gradient, mut hessian) = (0.0, [0.0; 3], [[0.0; 3]; 3]);
        for point in &self.points {
            let argument = slope * (point.position - location);
            let [rise, remainder, first, second] = self.sigmoid.derivatives(argument);
            let (correct, wrong) = self.probabilities(rise, remainder, lapse);
            value -= times_ln(point.correct, correct) + times_ln(point.wrong, wrong);
            // Derivatives of the log-likelihood by the probability of a correct answer.
            let (above, below) = (point.correct / correct, point.wrong / wrong);
            let score = above - below;
            let curvature = above / correct + below / wrong;
            // Derivatives of that probability by the sigmoid's argument and by the lapse rate.
            let by_argument = span * first;
            let l_z = by_argument * score;
            let l_zz = span * second * score - by_argument * by_argument * curvature;
            let l_zl = -first * score + by_argument * rise * curvature;
            // The argument by location and by ln slope is -slope and the argument itself.
            gradient[0] -= l_z * -slope;
            gradient[1] -= l_z * argument;
            gradient[2] -= -rise * score;
            hessian[0][0] -= l_zz * slope * slope;
            hessian[0][1] -= l_zz * -slope * argument - l_z * slope;
            hessian[1][1] -= l_zz * argument * argument + l_z * argument;
            hessian[0][2] -= l_zl * -slope;
            hessian[1][2] -= l_zl * argument;
            hessian[2][2] -= -rise * rise * curvature;
        }
        hessian[1][0] = hessian[0][1];
        hessian[2][0] = hessian[0][2];
        hessian[2][1] = hessian[1][2];
        Expansion { value, gradient, hessian }
    }
}

/// `count · ln probability`, which is 0 for a count of 0.
fn times_ln(count: f64, probability: f64) -> f64 {
    if count > 0.0 { count * probability.ln() } else { 0.0 }
}
