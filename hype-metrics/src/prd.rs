//! Precision and recall of distributions: PRD, which the HYPE paper calls precision.
//!
//! # Method
//!
//! Sajjadi et al. (2018), "Assessing generative models via precision and recall": features of both sets are clustered together,
//! and the two distributions over the clusters are compared. For slopes λ = tan θ, precision is α(λ) = Σ min(λ q, p) and
//! recall α(λ) / λ (algorithm 1), with p of the generated and q of the reference images.

#[cfg(feature = "linalg")]
mod cluster;

#[cfg(feature = "linalg")]
pub use cluster::{PrdSettings, PrdSummary, prd_of_features};

use std::f64::consts::FRAC_PI_2;

use crate::MetricError;
use crate::summary::check_lengths;

const NAME: &str = "PRD";
/// The distance of the angles from 0 and π/2, and the guard of the denominator of F, as published.
const EPSILON: f64 = 1e-10;

/// A curve of precision and recall.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct PrdCurve {
    /// Precision at each angle, ascending.
    pub precision: Vec<f64>,
    /// Recall at each angle, descending.
    pub recall: Vec<f64>,
}

impl PrdCurve {
    /// Computes the curve of two distributions over the same clusters.
    ///
    /// # Errors
    ///
    /// [`MetricError::Lengths`] for different numbers of clusters, [`MetricError::Parameter`] for fewer than three angles,
    /// [`MetricError::Undefined`] for shares that are negative or do not sum to 1.
    ///
    /// # Examples
    ///
    /// ```
    /// use hype_metrics::prd::PrdCurve;
    /// // The generator makes two of four kinds.
    /// let curve = PrdCurve::new(&[0.5, 0.5, 0.0, 0.0], &[0.25; 4], 1001)?;
    /// assert!((curve.f_score(8.0) - 0.5039).abs() < 1e-4);
    /// assert!((curve.f_score(0.125) - 0.9848).abs() < 1e-4);
    /// # Ok::<(), hype_metrics::MetricError>(())
    /// ```
    pub fn new(generated: &[f64], reference: &[f64], angles: usize) -> Result<Self, MetricError> {
        check_lengths(NAME, generated.len(), reference.len())?;
        if angles < 3 {
            return Err(MetricError::Parameter {
                parameter: "angles of PRD",
                expected: "at least 3",
                got: angles as f64,
            });
        }
        for shares in [generated, reference] {
            let total: f64 = shares.iter().sum();
            // A total that is NaN is not below 1e-6 either.
            let is_whole = (total - 1.0).abs() < 1e-6;
            if !is_whole || shares.iter().any(|&share| share < 0.0) {
                return Err(MetricError::Undefined {
                    metric: NAME,
                    reason: "the shares of clusters must sum to 1",
                });
            }
        }
        let step = (FRAC_PI_2 - 2.0 * EPSILON) / (angles - 1) as f64;
        let (mut precision, mut recall) = (Vec::with_capacity(angles), Vec::with_capacity(angles));
        for angle in 0..angles {
            let angle = if angle + 1 == angles { FRAC_PI_2 - EPSILON } else { EPSILON + step * angle as f64 };
            let slope = angle.tan();
            let common: f64 = reference
                .iter()
                .zip(generated)
                .map(|(reference, generated)| (reference * slope).min(*generated))
                .sum();
            precision.push(common.min(1.0));
            recall.push((common / slope).min(1.0));
        }
        Ok(Self { precision, recall })
    }

    /// The curve of clusters given for each image.
    ///
    /// # Errors
    ///
    /// As [`PrdCurve::new`], and [`MetricError::TooFew`] for a set without images.
    pub fn of_labels(generated: &[u32], reference: &[u32], angles: usize) -> Result<Self, MetricError> {
        let got = generated.len().min(reference.len());
        if got == 0 {
            return Err(MetricError::TooFew { metric: NAME, needed: 1, of: "images in each set", got });
        }
        let mut names: Vec<u32> = generated.iter().chain(reference).copied().collect();
        names.sort_unstable();
        names.dedup();
        let shares = |labels: &[u32]| {
            let mut counts = vec![0.0; names.len()];
            for label in labels {
                counts[names.partition_point(|name| name < label)] += 1.0;
            }
            counts.iter_mut().for_each(|count| *count /= labels.len() as f64);
            counts
        };
        Self::new(&shares(generated), &shares(reference), angles)
    }

    /// The greatest F score of the curve, in which recall weighs `beta` times as much as precision.
    ///
    /// F₈ stands for recall, F⅛ for precision.
    #[must_use]
    pub fn f_score(&self, beta: f64) -> f64 {
        let square = beta * beta;
        self.precision.iter().zip(&self.recall).fold(0.0, |greatest, (precision, recall)| {
            let denominator = square * precision + recall + EPSILON;
            f64::max(greatest, (1.0 + square) * precision * recall / denominator)
        })
    }
}
