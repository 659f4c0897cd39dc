//! Metrics from nearest neighbours: precision and recall, density and coverage.
//!
//! # Method
//!
//! Each image of a set stands for a ball around its features that reaches to its k-th nearest neighbour in the set, without
//! itself. Kynkäänniemi et al. (2019), "Improved precision and recall metric for assessing generative models", equations 1 and
//! 2: precision is the share of generated images within a ball of the real ones, recall the share of real images within a
//! ball of the generated ones, with k = 3; the surface belongs to a ball. Naeem et al. (2020), "Reliable fidelity and diversity
//! metrics for generative models", equations 3 and 4: density is the mean number of real balls around a generated image over
//! k, coverage the share of real balls that contain a generated image, with k = 5; here the surface does not belong to a ball,
//! as in the code that the authors published.
//!
//! # Numerics
//!
//! Distances are estimated in single precision from products of matrices, with a bound of the error. Whatever the bound leaves
//! open is computed in double precision, as the sum of squared differences, so all counts are exact.

mod balls;
mod estimate;

use balls::{Balls, Crossing};
use estimate::Points;

use crate::features::{check_sets, column_means};
use crate::{Features, MetricError};

/// Whether points on the surface of a ball lie within it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Surface {
    /// They do: d ≤ r.
    Closed,
    /// They do not: d < r. A point that occurs k + 1 times has a ball that contains nothing.
    Open,
}

/// Which balls are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BallSettings {
    /// The neighbour to which a ball reaches.
    pub neighbour: usize,
    /// Whether a ball contains its surface.
    pub surface: Surface,
}

impl BallSettings {
    /// The published balls of precision and recall: k = 3, closed.
    pub const PRECISION_RECALL: Self = Self { neighbour: 3, surface: Surface::Closed };
    /// The published balls of density and coverage: k = 5, open.
    pub const DENSITY_COVERAGE: Self = Self { neighbour: 5, surface: Surface::Open };
}

/// Precision and recall of a generated set.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct PrecisionRecall {
    /// Share of generated images within a ball of the real ones.
    pub precision: f64,
    /// Share of real images within a ball of the generated ones.
    pub recall: f64,
}

/// Density and coverage of a generated set.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct DensityCoverage {
    /// Mean number of real balls around a generated image, over k; may exceed 1.
    pub density: f64,
    /// Share of real balls that contain a generated image.
    pub coverage: f64,
}

/// Computes precision and recall, for instance with [`BallSettings::PRECISION_RECALL`].
///
/// # Errors
///
/// [`MetricError::Width`] for features of different widths, [`MetricError::TooFew`] unless each set has more images than k,
/// [`MetricError::Parameter`] for k = 0, [`MetricError::Undefined`] for features whose squares exceed double precision.
///
/// # Examples
///
/// ```
/// use hype_metrics::{Features, neighbours::{BallSettings, precision_recall}};
/// let real: Vec<f32> = (0..100).map(|place| place as f32).collect();
/// // The generator knows only the first half.
/// let generated: Vec<f32> = (0..50).map(|place| place as f32 + 0.25).collect();
/// let (real, generated) = (Features::new(&real, 1)?, Features::new(&generated, 1)?);
/// let found = precision_recall(&real, &generated, BallSettings::PRECISION_RECALL)?;
/// assert_eq!(found.precision, 1.0);
/// assert!(found.recall < 0.6);
/// # Ok::<(), hype_metrics::MetricError>(())
/// ```
pub fn precision_recall(
    real: &Features<'_>,
    generated: &Features<'_>,
    settings: BallSettings,
) -> Result<PrecisionRecall, MetricError> {
    let [real, generated] = prepare("precision and recall", real, generated, settings)?;
    let balls = [Balls::new(&real, settings.neighbour), Balls::new(&generated, settings.neighbour)];
    let crossing = Crossing::new([&real, &generated], [&balls[0], &balls[1]], settings.surface);
    let share =
        |counts: &[u32]| counts.iter().filter(|&&count| count > 0).count() as f64 / counts.len() as f64;
    Ok(PrecisionRecall {
        precision: share(&crossing.balls_around_right),
        recall: share(&crossing.balls_around_left),
    })
}

/// Computes density and coverage, for instance with [`BallSettings::DENSITY_COVERAGE`].
///
/// # Errors
///
/// As [`precision_recall`].
pub fn density_coverage(
    real: &Features<'_>,
    generated: &Features<'_>,
    settings: BallSettings,
) -> Result<DensityCoverage, MetricError> {
    let [real, generated] = prepare("density and coverage", real, generated, settings)?;
    let balls = [Balls::new(&real, settings.neighbour), Balls::none(generated.rows())];
    let crossing = Crossing::new([&real, &generated], [&balls[0], &balls[1]], settings.surface);
    let contained: u64 = crossing.balls_around_right.iter().copied().map(u64::from).sum();
    let covered = crossing.left_contains.iter().filter(|&&contains| contains).count();
    Ok(DensityCoverage {
        density: contained as f64 / (settings.neighbour * generated.rows()) as f64,
        coverage: covered as f64 / real.rows() as f64,
    })
}

fn prepare<'a>(
    metric: &'static str,
    real: &'a Features<'a>,
    generated: &'a Features<'a>,
    settings: BallSettings,
) -> Result<[Points<'a>; 2], MetricError> {
    if settings.neighbour == 0 {
        return Err(MetricError::Parameter {
            parameter: "neighbour of a ball",
            expected: "at least 1",
            got: 0.0,
        });
    }
    check_sets(metric, real, generated, settings.neighbour + 1)?;
    let centre = column_means(real)?;
    let points = [Points::new(real, &centre), Points::new(generated, &centre)];
    // The greatest square of a difference is at most four times the greatest norm.
    if points.iter().any(|set| !(4.0 * set.greatest_norm()).is_finite()) {
        return Err(MetricError::Undefined {
            metric,
            reason: "squares of the features exceed double precision",
        });
    }
    Ok(points)
}
