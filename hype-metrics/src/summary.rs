//! Means and shares with their intervals.

use hype_stats::bootstrap::{IntervalEstimate, Resamples, mean};
use hype_stats::describe;
use hype_stats::proportion::{ProportionInterval, interval};

use crate::{MetricError, SampleWarning};

/// The confidence of all intervals of this crate.
pub(crate) const LEVEL: f64 = 0.95;
/// Resamples behind the interval of a mean.
const RESAMPLES: usize = 10_000;

/// A mean over images, pairs or inputs.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SampleMean {
    /// The mean.
    pub mean: f64,
    /// Sample standard deviation (n - 1) of the values; `None` for a single one.
    pub standard_deviation: Option<f64>,
    /// Number of values.
    pub count: usize,
    /// 95 % bootstrap interval of the mean; `None` for a single value or where the mean is infinite.
    pub interval: Option<IntervalEstimate>,
    /// Properties of the samples that may mislead.
    pub warnings: Vec<SampleWarning>,
}

impl SampleMean {
    /// Summarizes independent values.
    ///
    /// # Errors
    ///
    /// [`MetricError::TooFew`] for no values, [`MetricError::NotFiniteValue`] for NaN or infinity.
    ///
    /// # Method
    ///
    /// A percentile interval of 10,000 resamples, expanded to the width of Student's t: see
    /// [`expanded_percentile`](hype_stats::bootstrap::Distribution::expanded_percentile).
    ///
    /// # Examples
    ///
    /// ```
    /// use hype_metrics::SampleMean;
    /// let summary = SampleMean::of("aesthetic score", &[5.1, 6.0, 5.4, 5.7], 7)?;
    /// assert!((summary.mean - 5.55).abs() < 1e-12);
    /// # Ok::<(), hype_metrics::MetricError>(())
    /// ```
    pub fn of(metric: &'static str, values: &[f64], seed: u64) -> Result<Self, MetricError> {
        check_values(metric, values)?;
        let count = values.len();
        if count == 0 {
            return Err(MetricError::TooFew { metric, needed: 1, of: "values", got: 0 });
        }
        let (standard_deviation, interval) = if count < 2 {
            (None, None)
        } else {
            let resamples = mean(values, Resamples::seeded(RESAMPLES, seed))?;
            (Some(describe::standard_deviation(values)?), Some(resamples.expanded_percentile(LEVEL, count)?))
        };
        let mean = describe::mean(values)?;
        Ok(Self { mean, standard_deviation, count, interval, warnings: Vec::new() })
    }
}

/// A share of images, with Wilson's interval.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct ShareEstimate {
    /// Images with the property.
    pub hits: usize,
    /// All images.
    pub count: usize,
    /// Hits over count.
    pub share: f64,
    /// 95 % score interval (Wilson 1927) for independent images.
    pub interval: IntervalEstimate,
}

impl ShareEstimate {
    /// The share of `hits` among `count` images.
    ///
    /// # Errors
    ///
    /// [`MetricError::Interval`] for no images, or more hits than images.
    pub fn of(hits: usize, count: usize) -> Result<Self, MetricError> {
        let found = interval(hits as u64, count as u64, ProportionInterval::Wilson, LEVEL)?;
        let interval = IntervalEstimate { lower: found.low, upper: found.high, level: LEVEL };
        Ok(Self { hits, count, share: found.estimate, interval })
    }

    /// The share of `true`.
    pub(crate) fn of_flags(flags: impl IntoIterator<Item = bool>) -> Result<Self, MetricError> {
        let (mut hits, mut count) = (0, 0);
        for flag in flags {
            hits += usize::from(flag);
            count += 1;
        }
        Self::of(hits, count)
    }
}

/// Refuses NaN and infinity.
pub(crate) fn check_values(metric: &'static str, values: &[f64]) -> Result<(), MetricError> {
    match values.iter().position(|value| !value.is_finite()) {
        Some(index) => Err(MetricError::NotFiniteValue { metric, index, got: values[index] }),
        None => Ok(()),
    }
}

/// Refuses slices of different lengths.
pub(crate) const fn check_lengths(
    metric: &'static str,
    left: usize,
    right: usize,
) -> Result<(), MetricError> {
    if left == right { Ok(()) } else { Err(MetricError::Lengths { metric, left, right }) }
}

/// The places of each name, by ascending name.
pub(crate) fn groups(names: &[u32]) -> Vec<Vec<usize>> {
    let mut groups: std::collections::BTreeMap<u32, Vec<usize>> = std::collections::BTreeMap::new();
    for (place, &name) in names.iter().enumerate() {
        groups.entry(name).or_default().push(place);
    }
    groups.into_values().collect()
}
