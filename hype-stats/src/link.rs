//! One ranking from estimates of several studies, which rate some models of earlier ones again.
//!
//! A standing ranking is made of *waves*: studies of their own, with other raters and some other models. Raters of different
//! waves use a scale differently, and a model fares a little better or worse with other people and among other models. Pooled
//! answers ignore both. Here each wave enters by the estimates that it makes alone, and the models that it shares with earlier
//! waves, its *anchors*, link it to them.

mod fit;
mod matrix;
mod wave;

use std::f64::consts::PI;

use self::fit::{Fit, Point};
use self::matrix::Lower;
pub use self::wave::Wave;
use crate::StatError;
use crate::distributions::{ChiSquared, normal_sf};
use crate::equivalence::StudentEstimate;

const NAME: &str = "link between waves";

/// A wave whose anchors disagree with earlier waves at this level is not linked.
pub const DISAGREEMENT: f64 = 0.01;

/// The number of models that a wave has to share with the waves that are linked before it.
pub const LEAST_ANCHORS: usize = 5;

/// How the anchors of a wave agree with what earlier waves say of them.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct AnchorAgreement {
    /// The number of models that earlier waves rated as well.
    pub anchors: usize,
    /// The p value of the hypothesis that the anchors drifted no more than they did before; 1 with too few anchors.
    pub p: f64,
    /// The anchor that departs most from what the others let expect, if there are enough.
    pub farthest: Option<FarAnchor>,
    /// Whether the wave was linked.
    pub is_linked: bool,
}

/// The anchor of a wave that departs most.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct FarAnchor {
    /// The model.
    pub model: u32,
    /// How much higher its estimate is than expected, on the scale of the first wave.
    pub shift: f64,
    /// The p value of the hypothesis that it drifted as others do, adjusted for the number of anchors.
    pub p: f64,
}

/// A ranking over waves, which grows by one wave after the other.
///
/// # Method
///
/// Model m has in wave w the estimate `θ_wm = a_w + b_w (μ_m + δ_wm) + e_wm`. The offset `a_w` and the slope `b_w` say how the
/// wave's raters use the scale (0 and 1 in the first wave), `e` has the wave's clustered covariance, across waves as well where
/// the same people took part, and the drift δ is normal with variance τ², independently in every wave. The parameters are
/// fitted together by generalized least squares, iterated for the slopes and the covariance: errors of the earlier estimates
/// count as those of the later ones, so slopes are not attenuated. Models that were rated in one wave only do not inform the
/// link; they follow from it and their wave's covariance.
///
/// A few waves hardly determine τ. It is averaged over its restricted likelihood with the prior density 1 / (s + τ), where s is
/// the root mean square of the sampling errors. Drift is thus shrunk over all waves, and neither believed to be nothing where
/// anchors agree by chance nor as large as one wave alone lets it look. Where it is much larger than s, the density is 1 / τ,
/// with which a normal sample's mean has Student's t distribution with the degrees of freedom of the sample (Box and Tiao 1973,
/// section 2.4); the steeper s / (s + τ)² counts one more than the anchors have. A difference then has Student's t distribution
/// with the mean of its variance and the degrees of freedom 4 + 2 E² / V, E and V being the mean and the variance of its
/// variance, which is what a variance with an inverse χ² distribution has; those of the raters are combined with them.
///
/// Before a wave is linked, its anchors are compared with their prediction from the waves before: all together by χ² with
/// anchors − 2 degrees of freedom, and each with the others by a normal deviate times the number of anchors, both averaged over
/// τ. With a single wave before, when nothing is known of τ, its density is s / (s + τ)², which has an integral (DuMouchel and
/// Normand 2000). A wave is left out if the two p values, which the Cauchy combination of Liu and Xie (2020, equation 1) makes
/// one, are together below [`DISAGREEMENT`].
///
/// Values of models that follow from the link are divided by their wave's slope, and a ratio whose denominator may be zero has
/// no finite interval (Fieller 1954). A wave is an error if its slope, averaged over τ, is negative with a probability above 0.1.
///
/// # Examples
///
/// ```
/// use hype_stats::link::{Linked, Wave};
/// // Fifty raters of six models, and sixty others of five of them and a new one, who use half of the scale.
/// let wave = |models: &[u32], values: &[f64], raters: u32, first: u32| {
///     let mut rows = Vec::new();
///     for rater in 0..raters {
///         // What a rater's departures from the mean contribute to it.
///         rows.extend((0..models.len() as u32).map(|at| f64::from((rater * 7 + at * 5) % 11) - 5.0).map(|it| it * 0.004));
///     }
///     Wave::new(models, values, &(first..first + raters).collect::<Vec<_>>(), &rows)
/// };
/// let mut board = Linked::new(wave(&[0, 1, 2, 3, 4, 5], &[0.5, 0.3, 0.1, -0.1, -0.3, -0.5], 50, 0)?)?;
/// let agreement = board.add(wave(&[0, 1, 2, 3, 4, 6], &[0.25, 0.15, 0.05, -0.05, -0.15, 0.2], 60, 50)?)?;
/// assert!(agreement.is_linked && agreement.p > 0.05);
/// // 0.2 in the second wave is 0.4 in the first.
/// assert!((board.difference(6, 5)?.estimate() - 0.9).abs() < 0.05);
/// # use hype_stats::equivalence::MeanEvidence as _;
/// # Ok::<(), hype_stats::StatError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Linked {
    waves: Vec<Wave>,
    fit: Fit,
}

impl Linked {
    /// Starts with the first wave, whose scale is that of the ranking.
    ///
    /// # Errors
    ///
    /// [`StatError::NoConvergence`] if the wave's covariance is not one.
    pub fn new(first: Wave) -> Result<Self, StatError> {
        let waves = vec![first];
        let fit = Fit::new(&waves, None)?;
        Ok(Self { waves, fit })
    }

    /// Links a wave, if its anchors agree with the waves before.
    ///
    /// # Errors
    ///
    /// [`StatError::NoConvergence`] if the parameters cannot be determined, and [`StatError::Degenerate`] if the anchors determine
    /// no slope.
    pub fn add(&mut self, wave: Wave) -> Result<AnchorAgreement, StatError> {
        let agreement = self.agreement(&wave)?;
        if agreement.is_linked {
            self.waves.push(wave);
            match Fit::new(&self.waves, Some(&self.fit)) {
                Ok(fit) => self.fit = fit,
                Err(error) => {
                    self.waves.pop();
                    return Err(error);
                }
            }
        }
        Ok(agreement)
    }

    /// All models, in ascending order of their numbers.
    #[must_use]
    pub fn models(&self) -> &[u32] {
        &self.fit.models
    }

    /// The number of linked waves.
    #[must_use]
    pub const fn waves(&self) -> usize {
        self.waves.len()
    }

    /// The mean of the drift's standard deviation over what the anchors leave possible; `None` with a single wave.
    #[must_use]
    pub fn drift(&self) -> Option<f64> {
        (self.waves.len() > 1).then(|| self.fit.mean(|point| point.drift.sqrt()))
    }

    /// The offset and the slope of a linked wave, by the order in which waves were linked.
    ///
    /// # Panics
    ///
    /// For a wave that is not linked.
    #[must_use]
    pub fn scale(&self, wave: usize) -> [f64; 2] {
        assert!(wave < self.waves.len(), "no such wave");
        [0, 1].map(|which| self.fit.mean(|point| point.scales[wave][which]))
    }

    /// The difference of two models on the scale of the first wave.
    ///
    /// # Errors
    ///
    /// As [`Self::contrast`].
    pub fn difference(&self, first: u32, second: u32) -> Result<StudentEstimate, StatError> {
        self.contrast(&[(first, 1.0), (second, -1.0)])
    }

    /// A weighted sum of models on the scale of the first wave; the weights have to sum to zero, as no wave has the scale's
    /// origin.
    ///
    /// # Errors
    ///
    /// [`StatError::Degenerate`] for weights that do not sum to zero, a model that no linked wave rated, or a variance of zero.
    pub fn contrast(&self, weights: &[(u32, f64)]) -> Result<StudentEstimate, StatError> {
        let undefined = |reason| StatError::Degenerate { statistic: NAME, reason };
        let total: f64 = weights.iter().map(|(_, weight)| weight).sum();
        if total.abs() > 1e-9 {
            return Err(undefined("the weights of models do not sum to zero"));
        }
        let places: Option<Vec<(usize, f64)>> =
            weights.iter().map(|&(model, weight)| Some((self.fit.place(model)?, weight))).collect();
        let places = places.ok_or_else(|| undefined("a model was not rated in any linked wave"))?;
        let of_raters = self
            .waves
            .iter()
            .filter(|wave| weights.iter().any(|(model, _)| wave.models.contains(model)))
            .map(|wave| wave.raters() as f64 - 1.0)
            .fold(f64::INFINITY, f64::min);
        if let [wave] = &self.waves[..] {
            // Alone, a wave says how models compare in it; drift would be relative to others.
            let at: Vec<(usize, f64)> = places;
            let estimate = at.iter().map(|&(place, weight)| weight * wave.estimates[place]).sum();
            let variance = at
                .iter()
                .flat_map(|&(row, left)| at.iter().map(move |&(column, right)| (row, column, left * right)))
                .map(|(row, column, weight)| weight * wave.covariance(row, column))
                .sum::<f64>();
            return StudentEstimate::new(estimate, variance.sqrt(), of_raters);
        }
        let estimate = |point: &Point| -> f64 {
            places.iter().map(|&(place, weight)| weight * point.values[place]).sum()
        };
        let variance = |point: &Point| -> f64 {
            let mut sum = 0.0;
            for &(row, left) in &places {
                for &(column, right) in &places {
                    sum += left * right * point.covariance.at(row, column);
                }
            }
            sum.max(0.0)
        };
        let middle = self.fit.mean(estimate);
        let expected = self.fit.mean(variance);
        let spread = self.fit.mean(|point| (variance(point) - expected).powi(2));
        let between = self.fit.mean(|point| (estimate(point) - middle).powi(2));
        let of_drift = 4.0 + 2.0 * expected * expected / spread.max(f64::MIN_POSITIVE);
        let scale =
            (expected + between) * if of_drift.is_finite() { (of_drift - 2.0) / of_drift } else { 1.0 };
        StudentEstimate::new(middle, scale.sqrt(), (of_drift.recip() + of_raters.recip()).recip())
    }

    /// How much a difference changes by the change of each estimate of each linked wave, by the order of
    /// [`Wave::models`](Wave::models), with the likeliest drift. With what raters contribute to the estimates, this says what the
    /// difference would be without them.
    ///
    /// # Errors
    ///
    /// [`StatError::Degenerate`] for a model that no linked wave rated, and as [`Self::add`].
    pub fn weights(&self, first: u32, second: u32) -> Result<Vec<Vec<f64>>, StatError> {
        let places = [first, second].map(|model| self.fit.place(model));
        let [Some(first), Some(second)] = places else {
            return Err(StatError::Degenerate {
                statistic: NAME,
                reason: "a model was not rated in any linked wave",
            });
        };
        fit::weights(&self.waves, &self.fit, [first, second])
    }

    /// Compares a wave's anchors with what earlier waves let expect.
    fn agreement(&self, wave: &Wave) -> Result<AnchorAgreement, StatError> {
        let anchors: Vec<(usize, usize)> = wave
            .models
            .iter()
            .enumerate()
            .filter_map(|(at, &model)| Some((at, self.fit.place(model)?)))
            .collect();
        let count = anchors.len();
        if count < LEAST_ANCHORS {
            return Ok(AnchorAgreement { anchors: count, p: 1.0, farthest: None, is_linked: false });
        }
        let chi = ChiSquared::new((count - 2) as f64)?;
        let mut together = 0.0;
        // Of each anchor: the weights of τ by the other anchors, and its deviate and shift with each.
        let mut single = vec![Vec::with_capacity(self.fit.points.len()); count];
        for point in &self.fit.points {
            let predicted = Predicted::new(wave, point, &anchors)?;
            together += point.weight * chi.sf(predicted.deviance(None)?.squares);
            for (left_out, found) in single.iter_mut().enumerate() {
                let others = predicted.deviance(Some(left_out))?;
                found.push((point.weight.ln() + others.log_likelihood, others.deviate, others.shift));
            }
        }
        let mut farthest: Option<FarAnchor> = None;
        for (found, &(at, _)) in single.iter().zip(&anchors) {
            let most = found.iter().map(|(log, ..)| *log).fold(f64::NEG_INFINITY, f64::max);
            let total: f64 = found.iter().map(|(log, ..)| (log - most).exp()).sum();
            let mean = |value: &dyn Fn(f64, f64) -> f64| -> f64 {
                found
                    .iter()
                    .map(|&(log, deviate, shift)| (log - most).exp() / total * value(deviate, shift))
                    .sum()
            };
            let p = (count as f64 * mean(&|deviate, _| 2.0 * normal_sf(deviate.abs()))).min(1.0);
            let model = wave.models[at];
            if farthest.is_none_or(|far| p < far.p) {
                farthest = Some(FarAnchor { model, shift: mean(&|_, shift| shift), p });
            }
        }
        let p = cauchy([together, farthest.map_or(1.0, |far| far.p)]);
        Ok(AnchorAgreement { anchors: count, p, farthest, is_linked: p >= DISAGREEMENT })
    }
}

/// The p value of two tests of one hypothesis that may depend on each other, by the Cauchy combination with equal weights. It is
/// near the smaller one, doubled, where one test finds nothing, and near both where they agree.
fn cauchy(both: [f64; 2]) -> f64 {
    // A p value of 1 would outweigh any other.
    let deviates = both.map(|p| (PI * (0.5 - p.min(0.9))).tan());
    0.5 - (f64::midpoint(deviates[0], deviates[1])).atan() / PI
}

/// A wave's anchors and their prediction, with one value of the drift.
struct Predicted {
    expected: Vec<f64>,
    found: Vec<f64>,
    /// The covariance of what was found less the prediction times the wave's slope.
    covariance: Vec<f64>,
}

/// How far anchors are from a straight line through their predictions.
struct Deviance {
    squares: f64,
    log_likelihood: f64,
    /// Of the anchor that was left out: its distance from the line, in standard errors and on the scale of the first wave.
    deviate: f64,
    shift: f64,
}

impl Predicted {
    fn new(wave: &Wave, point: &Point, anchors: &[(usize, usize)]) -> Result<Self, StatError> {
        let count = anchors.len();
        let expected: Vec<f64> = anchors.iter().map(|&(_, place)| point.values[place]).collect();
        let found: Vec<f64> = anchors.iter().map(|&(at, _)| wave.estimates[at]).collect();
        let of_wave = |row: usize, column: usize| wave.covariance(anchors[row].0, anchors[column].0);
        let mut predicted = Self { expected, found, covariance: vec![0.0; count * count] };
        // The slope enters the covariance; a few rounds settle it.
        let mut slope = 1.0_f64;
        for _ in 0..4 {
            for row in 0..count {
                for column in 0..count {
                    let drift = if row == column { point.drift } else { 0.0 };
                    let past = point.covariance.at(anchors[row].1, anchors[column].1);
                    predicted.covariance[row * count + column] =
                        of_wave(row, column) + slope * slope * (past + drift);
                }
            }
            slope = predicted.line(None)?.1[1].clamp(0.1, 10.0);
        }
        Ok(predicted)
    }

    /// The anchors that count, the line through them, and the factor of their covariance.
    #[allow(clippy::type_complexity, reason = "used in two places of this file")]
    fn line(&self, left_out: Option<usize>) -> Result<(Vec<usize>, [f64; 2], [f64; 3], Lower), StatError> {
        let count = self.found.len();
        let kept: Vec<usize> = (0..count).filter(|&at| Some(at) != left_out).collect();
        let factor =
            Lower::factor(kept.len(), |row, column| self.covariance[kept[row] * count + kept[column]])
                .ok_or(StatError::NoConvergence { statistic: NAME, iterations: 0 })?;
        let ones = factor.forward(&vec![1.0; kept.len()]);
        let past = factor.forward(&kept.iter().map(|&at| self.expected[at]).collect::<Vec<_>>());
        let now = factor.forward(&kept.iter().map(|&at| self.found[at]).collect::<Vec<_>>());
        let (oo, op, pp) = (dot(&ones, &ones), dot(&ones, &past), dot(&past, &past));
        let (on, pn) = (dot(&ones, &now), dot(&past, &now));
        let determinant = oo * pp - op * op;
        if determinant <= 0.0 {
            return Err(StatError::Degenerate { statistic: NAME, reason: "all anchors are equally good" });
        }
        let line = [(pp * on - op * pn) / determinant, (oo * pn - op * on) / determinant];
        Ok((kept, line, [oo, op, pp], factor))
    }

    fn deviance(&self, left_out: Option<usize>) -> Result<Deviance, StatError> {
        let count = self.found.len();
        let (kept, line, [oo, op, pp], factor) = self.line(left_out)?;
        let residual = |at: usize| self.found[at] - line[0] - line[1] * self.expected[at];
        let residuals = factor.forward(&kept.iter().map(|&at| residual(at)).collect::<Vec<_>>());
        let squares = dot(&residuals, &residuals);
        let determinant = oo * pp - op * op;
        let log_likelihood = -0.5 * (factor.log_determinant() + determinant.ln() + squares);
        let (mut deviate, mut shift) = (0.0, 0.0);
        if let Some(at) = left_out {
            let across: Vec<f64> = kept.iter().map(|&other| self.covariance[at * count + other]).collect();
            let across = factor.forward(&across);
            let ones = factor.forward(&vec![1.0; kept.len()]);
            let past = factor.forward(&kept.iter().map(|&other| self.expected[other]).collect::<Vec<_>>());
            let distance = residual(at) - dot(&across, &residuals);
            // The remainder of the constant and the prediction beyond those of the others.
            let (one, own) = (1.0 - dot(&across, &ones), self.expected[at] - dot(&across, &past));
            let of_line = (one * one * pp - 2.0 * one * own * op + own * own * oo) / determinant;
            let variance = self.covariance[at * count + at] - dot(&across, &across) + of_line;
            deviate = distance / variance.max(f64::MIN_POSITIVE).sqrt();
            shift = distance / line[1];
        }
        Ok(Deviance { squares, log_likelihood, deviate, shift })
    }
}

fn dot(left: &[f64], right: &[f64]) -> f64 {
    left.iter().zip(right).map(|(left, right)| left * right).sum()
}

#[cfg(test)]
mod tests;
