//! Bootstrap distributions, their standard deviation and intervals.
//!
//! The unit that is resampled is part of every result's meaning: single values ([`mean`],
//! [`statistic`]), whole clusters such as raters ([`ratio`], [`clustered_mean`]), or both raters and
//! items ([`Crossed`]).
//!
//! # Method
//!
//! Efron and Tibshirani (1993), "An introduction to the bootstrap", chapters 6, 13 and 14; for
//! crossed factors Owen (2007), "The pigeonhole bootstrap", and Owen and Eckles (2012).
//!
//! # Numerics
//!
//! Resamples are divided into blocks of fixed size, and each block draws from a separate `ChaCha8`
//! stream, determined by the seed and the block's number: a result depends only on data, seed and
//! count, never on threads. `ChaCha8` has numbered streams and an output fixed by its definition, and
//! with several numbers from each 64-bit word it takes a small part of the time of a resample.

use crate::StatError;
use crate::describe::{self, check_sample, select_quantile, sum, sum_by};
use crate::distributions::{StudentT, check_level, normal_cdf, normal_quantile};
use crate::parallel;

mod crossed;
pub(crate) mod draws;
mod multinomial;
mod studentized;

pub use crossed::{Crossed, CrossedResamples, crossed_statistic};
use draws::{Bound, Draws};
use multinomial::GroupDraws;
pub use studentized::{StudentizedDistribution, studentized_mean};

/// The number of resamples that share one random stream.
pub(crate) const BLOCK: usize = 256;

/// The resamples to take: drawn from a seed, or given.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Resamples<'a> {
    /// Draws each index uniformly with replacement.
    Seeded {
        /// Number of resamples.
        count: usize,
        /// Seed of all streams; the same seed gives the same resamples.
        seed: u64,
    },
    /// Takes the given indices, one resample after the other, each as long as there are units.
    Explicit(&'a [u32]),
}

impl Resamples<'_> {
    /// Asks for `count` resamples drawn from `seed`.
    #[must_use]
    pub const fn seeded(count: usize, seed: u64) -> Self {
        Self::Seeded { count, seed }
    }

    /// Number of resamples of `units` units; refuses lists of indices with a wrong length.
    pub(crate) fn count(&self, units: usize) -> Result<usize, StatError> {
        let count = match *self {
            Self::Seeded { count, .. } => count,
            Self::Explicit(indices) => {
                if units == 0 || !indices.len().is_multiple_of(units) {
                    return Err(StatError::Lengths {
                        statistic: "bootstrap indices",
                        left: indices.len(),
                        right: units,
                    });
                }
                if let Some(&index) = indices.iter().find(|&&index| index as usize >= units) {
                    return Err(StatError::Parameter {
                        parameter: "bootstrap index",
                        expected: "less than the number of units",
                        got: f64::from(index),
                    });
                }
                indices.len() / units
            }
        };
        check_count(count)?;
        Ok(count)
    }
}

fn check_count(count: usize) -> Result<(), StatError> {
    if count < 2 {
        return Err(StatError::TooFew { statistic: "bootstrap", needed: 2, of: "resamples", got: count });
    }
    Ok(())
}

/// The number of units as the width of an index.
pub(crate) fn check_units(units: usize) -> Result<u32, StatError> {
    u32::try_from(units).map_err(|_| StatError::Parameter {
        parameter: "number of resampled units",
        expected: "below 2^32",
        got: units as f64,
    })
}

/// Two limits and the confidence that they were made for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct IntervalEstimate {
    /// Lower limit.
    pub lower: f64,
    /// Upper limit.
    pub upper: f64,
    /// Nominal confidence, such as 0.95.
    pub level: f64,
}

/// An estimate and its values on all resamples.
#[derive(Debug, Clone, PartialEq)]
pub struct Distribution {
    estimate: f64,
    replicates: Vec<f64>,
    undefined: usize,
    acceleration: Option<f64>,
}

impl Distribution {
    /// Removes the resamples on which the statistic has no finite value.
    pub(crate) fn new(
        estimate: f64,
        mut replicates: Vec<f64>,
        acceleration: Option<f64>,
    ) -> Result<Self, StatError> {
        if !estimate.is_finite() {
            return Err(StatError::Degenerate {
                statistic: "bootstrap",
                reason: "the statistic is not finite on the data themselves",
            });
        }
        let taken = replicates.len();
        replicates.retain(|value| value.is_finite());
        if replicates.len() < 2 {
            return Err(StatError::Degenerate {
                statistic: "bootstrap",
                reason: "the statistic is finite on fewer than two resamples",
            });
        }
        Ok(Self { estimate, undefined: taken - replicates.len(), replicates, acceleration })
    }

    /// The statistic on the data themselves.
    #[must_use]
    pub const fn estimate(&self) -> f64 {
        self.estimate
    }

    /// The statistic on each resample for which it is finite, in the order of drawing.
    #[must_use]
    pub fn replicates(&self) -> &[f64] {
        &self.replicates
    }

    /// Number of resamples removed because the statistic had no finite value.
    #[must_use]
    pub const fn undefined(&self) -> usize {
        self.undefined
    }

    /// Mean of the bootstrap distribution.
    ///
    /// # Errors
    ///
    /// [`StatError::Degenerate`] if the sum exceeds double precision.
    pub fn mean(&self) -> Result<f64, StatError> {
        describe::mean(&self.replicates)
    }

    /// Bias of the estimate: [`Self::mean`] minus [`Self::estimate`].
    ///
    /// # Errors
    ///
    /// As [`Self::mean`].
    pub fn bias(&self) -> Result<f64, StatError> {
        Ok(self.mean()? - self.estimate)
    }

    /// Standard deviation (n - 1) of the bootstrap distribution: the bootstrap standard error, and
    /// the "Std." of HYPE (Zhou et al. 2019).
    ///
    /// # Errors
    ///
    /// [`StatError::Degenerate`] if the squares exceed double precision.
    pub fn standard_deviation(&self) -> Result<f64, StatError> {
        describe::standard_deviation(&self.replicates)
    }

    /// Percentile interval: the quantiles (1 ∓ level) / 2 of the distribution.
    ///
    /// # Errors
    ///
    /// [`StatError::Parameter`] for a level outside 0 < level < 1.
    ///
    /// # Method
    ///
    /// Efron and Tibshirani (1993), equation 13.5, with quantiles of type 7.
    pub fn percentile(&self, level: f64) -> Result<IntervalEstimate, StatError> {
        check_level(level)?;
        Ok(self.between(tail(level), 1.0 - tail(level), level))
    }

    /// Percentile interval that is as wide as Student's t for the mean of so many resampled units.
    ///
    /// A percentile interval of a mean is too narrow by √((n - 1) / n) and by the difference of the normal and Student's
    /// distribution; its quantiles are moved outwards until it is not.
    ///
    /// # Errors
    ///
    /// As [`Self::percentile`], and [`StatError::TooFew`] for fewer than two units.
    ///
    /// # Method
    ///
    /// Hesterberg (2015), "What teachers should know about the bootstrap", The American Statistician 69, section 5.3: the
    /// quantiles Φ(∓√(n / (n - 1)) t) with the quantile t of n - 1 degrees of freedom.
    pub fn expanded_percentile(&self, level: f64, units: usize) -> Result<IntervalEstimate, StatError> {
        check_level(level)?;
        if units < 2 {
            return Err(StatError::TooFew {
                statistic: "expanded percentile interval",
                needed: 2,
                of: "units",
                got: units,
            });
        }
        let count = units as f64;
        let t = StudentT::new(count - 1.0)?.upper_quantile(tail(level))?;
        let outer = normal_cdf(-(count / (count - 1.0)).sqrt() * t);
        Ok(self.between(outer, 1.0 - outer, level))
    }

    /// Basic ("reflected") interval: twice the estimate minus the percentile limits.
    ///
    /// # Errors
    ///
    /// As [`Self::percentile`].
    ///
    /// # Method
    ///
    /// Davison and Hinkley (1997), equation 5.6.
    pub fn basic(&self, level: f64) -> Result<IntervalEstimate, StatError> {
        let IntervalEstimate { lower, upper, .. } = self.percentile(level)?;
        Ok(IntervalEstimate { lower: 2.0 * self.estimate - upper, upper: 2.0 * self.estimate - lower, level })
    }

    /// Bias-corrected and accelerated interval.
    ///
    /// # Errors
    ///
    /// [`StatError::Parameter`] for a level outside 0 < level < 1; [`StatError::Degenerate`] if no
    /// acceleration is known, as for a general [`statistic`], if the estimate lies outside all
    /// replicates, or if the acceleration is so large that a limit has no place.
    ///
    /// # Method
    ///
    /// Efron and Tibshirani (1993), equations 14.9 to 14.15. Replicates equal to the estimate count
    /// half for the bias correction. A distribution of one value has that value as both limits.
    pub fn bca(&self, level: f64) -> Result<IntervalEstimate, StatError> {
        let degenerate = |reason| StatError::Degenerate { statistic: "BCa interval", reason };
        check_level(level)?;
        let acceleration = self
            .acceleration
            .filter(|value| value.is_finite())
            .ok_or_else(|| degenerate("the statistic has no jackknife acceleration"))?;
        let below = self.count(|value| value < self.estimate);
        let not_above = self.count(|value| value <= self.estimate);
        let share = (below + not_above) as f64 / (2 * self.replicates.len()) as f64;
        if share <= 0.0 || share >= 1.0 {
            return Err(degenerate("the estimate lies outside all replicates"));
        }
        let correction = normal_quantile(share)?;
        let place = |probability: f64| {
            let shifted = correction + normal_quantile(probability)?;
            let scale = 1.0 - acceleration * shifted;
            (scale > 0.0)
                .then(|| normal_cdf(correction + shifted / scale))
                .ok_or_else(|| degenerate("the acceleration is too large for the level"))
        };
        Ok(self.between(place(tail(level))?, place(1.0 - tail(level))?, level))
    }

    fn between(&self, lower: f64, upper: f64, level: f64) -> IntervalEstimate {
        let mut scratch = self.replicates.clone();
        IntervalEstimate {
            lower: select_quantile(&mut scratch, lower.clamp(0.0, 1.0)),
            upper: select_quantile(&mut scratch, upper.clamp(0.0, 1.0)),
            level,
        }
    }

    fn count(&self, condition: impl Fn(f64) -> bool) -> usize {
        self.replicates.iter().filter(|&&value| condition(value)).count()
    }
}

/// Bootstraps a mean, with single values as the resampled unit.
///
/// # Errors
///
/// [`StatError::TooFew`] for fewer than two values or resamples, [`StatError::NotFinite`] for NaN or
/// infinity, and [`StatError::Lengths`] or [`StatError::Parameter`] for given indices that do not
/// fit.
///
/// # Examples
///
/// ```
/// use hype_stats::bootstrap::{Resamples, mean};
/// let errors = [0.31, 0.24, 0.45, 0.38, 0.29, 0.33];
/// let distribution = mean(&errors, Resamples::seeded(10_000, 7))?;
/// let interval = distribution.percentile(0.95)?;
/// assert!(interval.lower < distribution.estimate() && distribution.estimate() < interval.upper);
/// # Ok::<(), hype_stats::StatError>(())
/// ```
pub fn mean(values: &[f64], resamples: Resamples<'_>) -> Result<Distribution, StatError> {
    check_sample("bootstrap mean", values, 2)?;
    let size = values.len() as f64;
    let mut table = [0.0; 256];
    let replicates = if let Some(small) = table.get_mut(..values.len()) {
        small.copy_from_slice(values);
        replicate(values.len(), resamples, |indices| describe::sum_drawn_small(&table, indices) / size)?
    } else {
        replicate(values.len(), resamples, |indices| describe::sum_drawn(values, indices) / size)?
    };
    let total = sum(values);
    let left_out: Vec<f64> = values.iter().map(|value| (total - value) / (size - 1.0)).collect();
    Distribution::new(total / size, replicates, acceleration(&left_out))
}

/// Bootstraps a ratio of sums, with the pairs (clusters) as the resampled unit.
///
/// With each cluster's sum above and its number of rows below, this is the mean over all rows when
/// whole clusters, such as raters, are resampled.
///
/// # Errors
///
/// As [`mean`]; [`StatError::Lengths`] if the slices differ in length, [`StatError::Degenerate`] if
/// the denominators sum to 0.
///
/// # Method
///
/// Field and Welsh (2007), "Bootstrapping clustered data": each resample draws as many clusters as
/// there are. A resample whose denominator is 0 has no value and is counted as undefined.
pub fn ratio(
    numerators: &[f64],
    denominators: &[f64],
    resamples: Resamples<'_>,
) -> Result<Distribution, StatError> {
    if numerators.len() != denominators.len() {
        return Err(StatError::Lengths {
            statistic: "bootstrap ratio",
            left: numerators.len(),
            right: denominators.len(),
        });
    }
    check_sample("bootstrap ratio", numerators, 2)?;
    check_sample("bootstrap ratio", denominators, 2)?;
    let replicates = replicate(numerators.len(), resamples, |indices| {
        describe::sum_drawn(numerators, indices) / describe::sum_drawn(denominators, indices)
    })?;
    let (above, below) = (sum(numerators), sum(denominators));
    let left_out: Vec<f64> = numerators
        .iter()
        .zip(denominators)
        .map(|(numerator, denominator)| (above - numerator) / (below - denominator))
        .collect();
    Distribution::new(above / below, replicates, acceleration(&left_out))
}

/// Bootstraps the mean of rows, with whole clusters as the resampled unit.
///
/// `clusters[i]` names the cluster of `values[i]`, such as the rater; the names need not be dense.
///
/// # Errors
///
/// As [`ratio`], with at least two different clusters.
pub fn clustered_mean(
    clusters: &[u32],
    values: &[f64],
    resamples: Resamples<'_>,
) -> Result<Distribution, StatError> {
    if clusters.len() != values.len() {
        return Err(StatError::Lengths {
            statistic: "clustered bootstrap",
            left: clusters.len(),
            right: values.len(),
        });
    }
    check_sample("clustered bootstrap", values, 2)?;
    let mut names = clusters.to_vec();
    names.sort_unstable();
    names.dedup();
    let (mut sums, mut counts) = (vec![0.0; names.len()], vec![0.0; names.len()]);
    for (cluster, value) in clusters.iter().zip(values) {
        let place = names.partition_point(|name| name < cluster);
        sums[place] += value;
        counts[place] += 1.0;
    }
    ratio(&sums, &counts, resamples)
}

/// Bootstraps any statistic of `units` units, which receives the indices of those drawn.
///
/// If it returns NaN or infinity, the resample counts as undefined. The distribution has no interval by
/// [`Distribution::bca`], which means and ratios have.
///
/// # Errors
///
/// [`StatError::TooFew`] for fewer than two units or resamples, [`StatError::Degenerate`] if the
/// statistic is not finite on the data, and [`StatError::Lengths`] or [`StatError::Parameter`] for
/// given indices that do not fit.
///
/// # Examples
///
/// ```
/// use hype_stats::bootstrap::{Resamples, statistic};
/// let times = [310.0, 240.0, 450.0, 380.0, 290.0];
/// let longest = |drawn: &[u32]| drawn.iter().map(|&i| times[i as usize]).fold(0.0, f64::max);
/// let distribution = statistic(times.len(), Resamples::seeded(1_000, 7), longest)?;
/// assert_eq!(distribution.estimate(), 450.0);
/// # Ok::<(), hype_stats::StatError>(())
/// ```
pub fn statistic(
    units: usize,
    resamples: Resamples<'_>,
    statistic: impl Fn(&[u32]) -> f64 + Sync,
) -> Result<Distribution, StatError> {
    if units < 2 {
        return Err(StatError::TooFew { statistic: "bootstrap", needed: 2, of: "units", got: units });
    }
    let all: Vec<u32> = (0..check_units(units)?).collect();
    let replicates = replicate(units, resamples, &statistic)?;
    Distribution::new(statistic(&all), replicates, None)
}

/// The number of units from which draws of single units take most of the time of a statistic of groups.
const MANY_UNITS: usize = 4_096;
/// The number of units for each group from which it is quicker to draw counts of groups.
const LARGE_GROUPS: usize = 8;

/// Bootstraps a statistic of units that fall into `groups` groups of equal ones, numbered from 0.
///
/// The statistic receives how often each group was drawn. Seeded resamples of 4,096 units or more, eight or more for each
/// group, are drawn by group ([`GroupDraws`]), others unit by unit.
///
/// # Errors
///
/// As [`statistic`].
pub(crate) fn grouped_statistic(
    groups: usize,
    group_of: Vec<u32>,
    resamples: Resamples<'_>,
    statistic: impl Fn(&[u32]) -> f64 + Sync,
) -> Result<Distribution, StatError> {
    let units = group_of.len();
    let count_of = |drawn: &[u32]| {
        let mut times = vec![0; groups];
        drawn.iter().for_each(|&unit| times[group_of[unit as usize] as usize] += 1);
        times
    };
    let Resamples::Seeded { seed, .. } = resamples else {
        return self::statistic(units, resamples, |drawn| statistic(&count_of(drawn)));
    };
    if units < MANY_UNITS.max(LARGE_GROUPS * groups) {
        return self::statistic(units, resamples, |drawn| statistic(&count_of(drawn)));
    }
    let all: Vec<u32> = (0..check_units(units)?).collect();
    let estimate = statistic(&count_of(&all));
    let mut replicates = vec![0.0; resamples.count(units)?];
    let groups = GroupDraws::new(groups, group_of, check_units(units)?);
    parallel::for_each_of(replicates.chunks_mut(BLOCK), |block, replicates| {
        let mut draws = Draws::new(seed, block as u64);
        let mut times = vec![0; groups.groups()];
        for replicate in replicates {
            groups.fill(&mut draws, &mut times);
            *replicate = statistic(&times);
        }
    });
    Distribution::new(estimate, replicates, None)
}

/// Bootstraps the median.
///
/// # Errors
///
/// As [`statistic`].
pub fn median(values: &[f64], resamples: Resamples<'_>) -> Result<Distribution, StatError> {
    statistic(values.len(), resamples, |drawn| {
        let drawn: Vec<f64> = drawn.iter().map(|&index| values[index as usize]).collect();
        describe::median(&drawn).unwrap_or(f64::NAN)
    })
}

/// Computes the acceleration of the BCa interval from jackknife values.
///
/// It is `None` without values or if one is not finite, and 0 if all are equal.
///
/// # Method
///
/// Σ d³ / (6 (Σ d²)^1.5) with d = mean - value: Efron and Tibshirani (1993), equation 14.15.
fn acceleration(jackknife: &[f64]) -> Option<f64> {
    let centre = describe::mean(jackknife).ok()?;
    let largest = jackknife.iter().map(|value| (centre - value).abs()).fold(0.0, f64::max);
    // Differences of a few rounding errors carry no skewness.
    if largest <= 8.0 * f64::EPSILON * centre.abs() {
        return Some(0.0);
    }
    // Scaled: neither squares nor cubes underflow.
    let deviation = |index: usize| (centre - jackknife[index]) / largest;
    let squares = sum_by(jackknife.len(), |index| deviation(index).powi(2));
    let cubes = sum_by(jackknife.len(), |index| deviation(index).powi(3));
    let value = cubes / (6.0 * squares.powf(1.5));
    value.is_finite().then_some(value)
}

/// Computes the statistic on every resample, in parallel over blocks of fixed size.
fn replicate(
    units: usize,
    resamples: Resamples<'_>,
    statistic: impl Fn(&[u32]) -> f64 + Sync,
) -> Result<Vec<f64>, StatError> {
    let bound = Bound::new(check_units(units)?);
    let mut replicates = vec![0.0; resamples.count(units)?];
    parallel::for_each_of(replicates.chunks_mut(BLOCK), |block, replicates| match resamples {
        Resamples::Seeded { seed, .. } => {
            let mut draws = Draws::new(seed, block as u64);
            let mut indices = vec![0; units];
            for replicate in replicates {
                draws.fill_below(bound, &mut indices);
                *replicate = statistic(&indices);
            }
        }
        Resamples::Explicit(all) => {
            let rows = all[block * BLOCK * units..].chunks_exact(units);
            for (replicate, indices) in replicates.iter_mut().zip(rows) {
                *replicate = statistic(indices);
            }
        }
    });
    Ok(replicates)
}

/// Probability outside a central interval, on each side.
const fn tail(level: f64) -> f64 {
    (1.0 - level) / 2.0
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::float_cmp, reason = "tests")]
mod tests;
