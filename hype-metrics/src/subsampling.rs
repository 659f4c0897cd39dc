//! Intervals of distances between sets, by subsampling without replacement.
//!
//! # Method
//!
//! The delete-d jackknife of Shao and Wu (1989), "A general theory for jackknife variance estimation", equation 2.2, on
//! random subsets: with b = n - d images kept in each of S subsets, the variance of the estimate is
//! b / (n - b) times the variance of the S values. Both sets are subsampled, each by the same share. On either side the
//! interval reaches as far as Student's t times the standard error, or as the quantile of the values' deviations from their
//! mean, scaled likewise (Wu 1990, "On the asymptotic properties of the jackknife histogram"), whichever is farther: the
//! distances are skew, and their spread grows with them, so either alone is too short above small estimates.
//!
//! The interval is for the expectation of the metric with so many images, not for its limit: it does not contain the bias of
//! FID, which is larger in the subsets but nearly the same in all of them. How often it covers: docs/measured/coverage.md.
//!
//! # Examples
//!
//! ```
//! use hype_metrics::{Features, kernel, subsampling::{Subsampling, subsample}};
//! let values: Vec<f32> = (0..400).map(|i| ((i * 37) % 101) as f32 / 101.0).collect();
//! let (real, generated) = (Features::new(&values[..200], 2)?, Features::new(&values[200..], 2)?);
//! let found = subsample("KID", &real, &generated, Subsampling::new(50, 7), |real, generated| {
//!     Ok(kernel::kernel_distance(real, generated)?.distance)
//! })?;
//! assert!(found.interval.lower < found.estimate && found.estimate < found.interval.upper);
//! # Ok::<(), hype_metrics::MetricError>(())
//! ```

use hype_chance::{Stream, Streams};
use hype_stats::bootstrap::IntervalEstimate;
use hype_stats::describe;
use hype_stats::distributions::StudentT;

use crate::features::check_sets;
use crate::summary::LEVEL;
use crate::{Features, MetricError};

/// How subsets are drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Subsampling {
    /// The share of each set that a subset keeps: one half by default, the most that leaves out as many as it keeps.
    pub share: f64,
    /// Number of subsets.
    pub subsets: usize,
    /// Seed of the subsets.
    pub seed: u64,
}

impl Subsampling {
    /// So many subsets of half the images; 200 leave five beyond each limit of the interval.
    #[must_use]
    pub const fn new(subsets: usize, seed: u64) -> Self {
        Self { share: 0.5, subsets, seed }
    }
}

/// A metric of two sets with its interval.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Subsampled {
    /// The metric of all images.
    pub estimate: f64,
    /// Standard error of the estimate.
    pub standard_error: f64,
    /// 95 % interval.
    pub interval: IntervalEstimate,
    /// The metric of each subset.
    pub values: Vec<f64>,
}

/// Computes a metric of two sets, and its interval from subsets.
///
/// # Errors
///
/// The metric's own errors, [`MetricError::Parameter`] for fewer than two subsets or a share that leaves fewer than two
/// images or removes none, [`MetricError::Undefined`] if a value is NaN or infinite.
pub fn subsample(
    metric: &'static str,
    left: &Features<'_>,
    right: &Features<'_>,
    settings: Subsampling,
    compute: impl Fn(&Features<'_>, &Features<'_>) -> Result<f64, MetricError>,
) -> Result<Subsampled, MetricError> {
    let [found] =
        subsample_several(metric, left, right, settings, |left, right| Ok([compute(left, right)?]))?;
    Ok(found)
}

/// Computes metrics that belong together, and the interval of each from the same subsets: the numbers of [`subsample`] for each.
///
/// # Errors
///
/// As [`subsample`].
pub fn subsample_several<const N: usize>(
    metric: &'static str,
    left: &Features<'_>,
    right: &Features<'_>,
    settings: Subsampling,
    compute: impl Fn(&Features<'_>, &Features<'_>) -> Result<[f64; N], MetricError>,
) -> Result<[Subsampled; N], MetricError> {
    check_sets(metric, left, right, 3)?;
    let Subsampling { share, subsets, seed } = settings;
    if subsets < 2 {
        return Err(MetricError::Parameter {
            parameter: "number of subsets",
            expected: "at least 2",
            got: subsets as f64,
        });
    }
    let kept = [left.rows(), right.rows()].map(|rows| (share * rows as f64).round() as usize);
    if !(share > 0.0 && share < 1.0)
        || kept[0] < 2
        || kept[1] < 2
        || kept[0] == left.rows()
        || kept[1] == right.rows()
    {
        return Err(MetricError::Parameter {
            parameter: "share kept in a subset",
            expected: "between 0 and 1, and leave at least 2 images and remove at least 1",
            got: share,
        });
    }
    let estimates = finite(metric, compute(left, right)?)?;
    let streams = Streams::new(seed);
    let mut drawn = Vec::with_capacity(subsets);
    for subset in 0..subsets {
        let branch = streams.child("subset", subset as u64);
        let first = left.select(&draw(left.rows(), kept[0], &mut branch.stream("left")));
        let second = right.select(&draw(right.rows(), kept[1], &mut branch.stream("right")));
        drawn.push(finite(metric, compute(&first.view(), &second.view())?)?);
    }
    let scale = (share / (1.0 - share)).sqrt();
    let freedom = left.rows().min(right.rows()) - 1;
    let mut found = Vec::with_capacity(N);
    for (which, estimate) in estimates.into_iter().enumerate() {
        let values = drawn.iter().map(|values| values[which]).collect();
        found.push(Subsampled::of(estimate, values, scale, freedom)?);
    }
    found.try_into().map_err(|_| MetricError::Undefined { metric, reason: "it has no values" })
}

impl Subsampled {
    /// The interval of an estimate from the values of subsets, whose deviations times `scale` are those of estimates.
    fn of(estimate: f64, values: Vec<f64>, scale: f64, freedom: usize) -> Result<Self, MetricError> {
        let standard_error = scale * describe::standard_deviation(&values)?;
        let mean = describe::mean(&values)?;
        let tail = 0.5 * (1.0 - LEVEL);
        let symmetric = StudentT::new(freedom as f64)?.upper_quantile(tail)? * standard_error;
        let below = scale * (mean - describe::quantile(&values, tail)?);
        let above = scale * (describe::quantile(&values, 1.0 - tail)? - mean);
        let interval = IntervalEstimate {
            lower: estimate - symmetric.max(below),
            upper: estimate + symmetric.max(above),
            level: LEVEL,
        };
        Ok(Self { estimate, standard_error, interval, values })
    }
}

fn finite<const N: usize>(metric: &'static str, values: [f64; N]) -> Result<[f64; N], MetricError> {
    if values.iter().all(|value| value.is_finite()) {
        Ok(values)
    } else {
        Err(MetricError::Undefined { metric, reason: "its value is not finite" })
    }
}

/// Draws `size` of `count` numbers without replacement, in ascending order.
pub(crate) fn draw(count: usize, size: usize, stream: &mut Stream) -> Vec<usize> {
    // The first steps of a Fisher-Yates shuffle.
    let mut numbers: Vec<usize> = (0..count).collect();
    for place in 0..size.min(count) {
        let other = place + stream.below((count - place) as u32) as usize;
        numbers.swap(place, other);
    }
    numbers.truncate(size);
    numbers.sort_unstable();
    numbers
}
