//! Means of bounded values in clusters, such as the shares of raters' yes answers.
//!
//! The interval of a mean by its standard error fails for few raters near a bound: it leaves the range, is
//! too short on the side where there is room, and has no width where all raters agree. The intervals here
//! have positive width for any data.
//!
//! # Method
//!
//! Values are scaled to 0..1. With R clusters (raters) of n_i values, N in all, mean p and the
//! linearized variance v = R / (R - 1) Σ (Σ_j x_ij - n_i p)² / N² between clusters, the values are worth
//! n* = p (1 - p) / v independent ones: N over the design effect (Kish 1965, "Survey sampling",
//! section 8.2).
//!
//! Near a bound only the A clusters with a value away from it tell how clusters differ, and v is mostly too
//! small. So v has d = min(R - 1, A) degrees of freedom, and R v / (p (1 - p)), which is 1 if the values of a
//! cluster are all equal, is averaged with 1/2 in the proportion of d to 1 - 2 √(p (1 - p)): nothing in the
//! middle of the range, one cluster's worth at its ends. It is also no less than if all N values were
//! independent. Equal values say nothing about v: then every cluster counts as one value, n* = R, which holds
//! whatever the clusters' distribution is, as a cluster whose mean is θ gives only zeros with a probability of
//! at most 1 - θ. No interval is wider than that one.

use statrs::function::gamma::ln_gamma;

use crate::StatError;
use crate::bootstrap::IntervalEstimate;
use crate::describe::sum_by;
use crate::distributions::{StudentT, check_level};
use crate::equivalence::{MeanEvidence, check_finite};
use crate::proportion::{binomial_at_least, binomial_at_most, clopper_pearson, wilson};

const NAME: &str = "mean of bounded values";
/// Differences of scaled values below this are rounding errors.
const ROUNDING: f64 = 1e-12;
/// Clusters' worth of values away from the nearer bound, below which clusters that differ make the mean
/// skewed, and the share of values away from it.
const FEW: f64 = 4.0;
const SMALL: f64 = 0.25;
/// The design effect above which clusters differ by more than chance alone mostly does.
const DIFFERENT: f64 = 1.5;

/// The sums over one cluster's values, such as the answers of one rater.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Cluster {
    /// Number of values.
    pub count: u64,
    /// Sum of the values.
    pub sum: f64,
    /// Sum of the squared values.
    pub squares: f64,
}

impl Cluster {
    /// Sums the values.
    #[must_use]
    pub fn of(values: &[f64]) -> Self {
        Self {
            count: values.len() as u64,
            sum: sum_by(values.len(), |index| values[index]),
            squares: sum_by(values.len(), |index| values[index] * values[index]),
        }
    }

    /// The sums of `successes` ones among `count` zeros and ones.
    #[must_use]
    pub const fn successes(successes: u64, count: u64) -> Self {
        Self { count, sum: successes as f64, squares: successes as f64 }
    }
}

/// The mean of all values of some clusters, with what its intervals need.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BoundedMean {
    low: f64,
    width: f64,
    clusters: f64,
    /// The degrees of freedom of the variance between clusters.
    degrees: f64,
    /// Mean, scaled to 0..1.
    share: f64,
    /// Number of independent values with the same information.
    effective: f64,
    /// Whether clusters count as one value each, as they all agree or there is only one.
    whole: bool,
    skewed: bool,
}

impl BoundedMean {
    /// Summarizes clusters of values that lie within the range `low..=high`.
    ///
    /// Clusters without values are left out.
    ///
    /// # Errors
    ///
    /// [`StatError::TooFew`] without any value, [`StatError::NotFinite`] for sums that are not finite, and
    /// [`StatError::Parameter`] for a range that is empty or not finite, or sums that cannot be those of
    /// values within it.
    ///
    /// # Examples
    ///
    /// Three raters who were never fooled in 100 trials each:
    ///
    /// ```
    /// use hype_stats::bounded::{BoundedMean, Cluster};
    /// use hype_stats::equivalence::MeanEvidence;
    /// let never = BoundedMean::new(&[Cluster::successes(0, 100); 3], 0.0, 1.0)?;
    /// let interval = never.interval(0.95)?;
    /// assert_eq!(interval.lower, 0.0);
    /// assert!((interval.upper - 0.7076).abs() < 1e-4);
    /// # Ok::<(), hype_stats::StatError>(())
    /// ```
    pub fn new(clusters: &[Cluster], low: f64, high: f64) -> Result<Self, StatError> {
        let width = high - low;
        if !(low.is_finite() && width.is_finite() && width > 0.0) {
            let expected = "finite and above the lower bound";
            return Err(StatError::Parameter { parameter: "upper bound", expected, got: high });
        }
        let scaled = scale(clusters, low, width)?;
        if scaled.is_empty() {
            return Err(StatError::TooFew { statistic: NAME, needed: 1, of: "values", got: 0 });
        }
        let count = scaled.len() as f64;
        let total = |term: &dyn Fn(&Scaled) -> f64| sum_by(scaled.len(), |index| term(&scaled[index]));
        let values = total(&|cluster| cluster.count);
        let share = (total(&|cluster| cluster.sum) / values).clamp(0.0, 1.0);
        let room = share * (1.0 - share);
        let spread = (total(&|cluster| cluster.squares) / values - share * share).clamp(0.0, room);
        let deviations = total(&|cluster| (cluster.sum - cluster.count * share).powi(2)) / (values * values);
        let whole = count < 2.0 || room <= ROUNDING || deviations + spread <= ROUNDING;
        let (degrees, effective, skewed) = if whole {
            (count - 1.0, count, false)
        } else {
            // Both relative to clusters that are each worth one value.
            let between = count * count / (count - 1.0) * deviations / room;
            let independent = count / values * (spread / room);
            let away_from = |is_low: bool| {
                let distance = |one: &Scaled| if is_low { one.sum } else { one.count - one.sum };
                scaled.iter().filter(|one| distance(one) > ROUNDING).count() as f64
            };
            let away = match share - 0.5 {
                middle if middle.abs() <= ROUNDING => away_from(true).min(away_from(false)),
                middle => away_from(middle < 0.0),
            };
            let degrees = away.min(count - 1.0);
            let (effective, skewed) = worth([count, degrees], share, between, independent, count / values);
            (degrees, effective, skewed)
        };
        Ok(Self { low, width, clusters: count, degrees, share, effective, whole, skewed })
    }

    /// The share of zeros and ones that a planned study is expected to find, with the expected spread of its clusters.
    ///
    /// The means of the clusters have the given mean and standard deviation. `values` is the number of independent zeros and ones
    /// that would make the mean of a cluster as precise as its own values do; infinity where clusters enter by their means alone.
    /// A standard deviation of 0 says that all clusters agree.
    ///
    /// # Errors
    ///
    /// [`StatError::Parameter`] for a mean outside 0..=1, a standard deviation that is negative or not finite, fewer than two
    /// clusters, or less than one value.
    ///
    /// # Examples
    ///
    /// ```
    /// use hype_stats::bounded::{BoundedMean, Cluster};
    /// use hype_stats::equivalence::MeanEvidence;
    /// let found = BoundedMean::new(&[2, 4, 6].map(|ones| Cluster::successes(ones, 10)), 0.0, 1.0)?;
    /// let planned = BoundedMean::planned(0.4, 0.2, 3.0, 10.0)?;
    /// assert!((planned.interval(0.95)?.upper - found.interval(0.95)?.upper).abs() < 1e-9);
    /// # Ok::<(), hype_stats::StatError>(())
    /// ```
    pub fn planned(
        mean: f64,
        standard_deviation: f64,
        clusters: f64,
        values: f64,
    ) -> Result<Self, StatError> {
        let checks = [
            ("mean", mean, (0.0..=1.0).contains(&mean), "between 0 and 1"),
            (
                "standard deviation",
                standard_deviation,
                standard_deviation >= 0.0 && standard_deviation.is_finite(),
                "finite and at least 0",
            ),
            (
                "number of clusters",
                clusters,
                clusters >= 2.0 && clusters.is_finite(),
                "finite and at least 2",
            ),
            ("number of values", values, values >= 1.0, "at least 1"),
        ];
        if let Some((parameter, got, _, expected)) = checks.into_iter().find(|(_, _, holds, _)| !holds) {
            return Err(StatError::Parameter { parameter, expected, got });
        }
        let room = mean * (1.0 - mean);
        let whole = room <= ROUNDING || standard_deviation <= 0.0;
        let (degrees, effective, skewed) = if whole {
            (clusters - 1.0, clusters, false)
        } else {
            let between = standard_deviation * standard_deviation / room;
            let away = clusters * (1.0 - at_bound(mean.min(1.0 - mean), between, values));
            let degrees = away.min(clusters - 1.0);
            let (effective, skewed) = worth([clusters, degrees], mean, between, 1.0 / values, 1.0 / values);
            (degrees, effective, skewed)
        };
        Ok(Self { low: 0.0, width: 1.0, clusters, degrees, share: mean, effective, whole, skewed })
    }

    /// The degrees of freedom of the variance between clusters: their number less one, or the number of clusters with a value
    /// away from the nearer bound, if that is smaller; for a mean halfway between the bounds, of the bound that fewer clusters leave.
    #[must_use]
    pub const fn degrees_of_freedom(&self) -> f64 {
        self.degrees
    }

    /// Whether the estimate depends on few clusters far from a bound while most are near it: less than a
    /// quarter of the values, and less than four clusters' worth of them, lie away from the bound, and
    /// clusters differ by more than chance.
    #[must_use]
    pub const fn is_skewed(&self) -> bool {
        self.skewed
    }

    /// Wilson's interval for n* values, with the quantile of Student's t in place of the normal one, within
    /// [`Self::whole_clusters`], which it is where clusters count as one value.
    ///
    /// # Errors
    ///
    /// [`StatError::Parameter`] for a level outside 0..1.
    pub fn wilson(&self, level: f64) -> Result<IntervalEstimate, StatError> {
        let widest = self.whole_clusters(level)?;
        if self.whole {
            return Ok(widest);
        }
        let t = StudentT::new(self.degrees)?.upper_quantile(0.5 * (1.0 - level))?;
        let range = self.unscaled(wilson(self.effective * self.share, self.effective, t), level);
        let (lower, upper) = (range.lower.max(widest.lower), range.upper.min(widest.upper));
        Ok(IntervalEstimate { lower, upper, level })
    }

    /// Clopper and Pearson's interval for R values with R p ones, as if every cluster had given one
    /// value of 0 or 1.
    ///
    /// No distribution of clusters varies more, so it is the widest; it needs no estimate of a variance.
    ///
    /// # Errors
    ///
    /// As [`Self::wilson`].
    pub fn whole_clusters(&self, level: f64) -> Result<IntervalEstimate, StatError> {
        check_level(level)?;
        let ends = clopper_pearson(self.clusters * self.share, self.clusters, 0.5 * (1.0 - level))?;
        Ok(self.unscaled(ends, level))
    }

    fn unscaled(&self, (low, high): (f64, f64), level: f64) -> IntervalEstimate {
        let value = |share: f64| self.low + self.width * share.clamp(0.0, 1.0);
        IntervalEstimate { lower: value(low), upper: value(high), level }
    }

    /// P value of the hypothesis that the share is at most `value`, with 0 < value < 1.
    fn upper_tail(&self, value: f64) -> Result<f64, StatError> {
        let most = binomial_at_least(self.clusters * self.share, self.clusters, value)?;
        if self.whole {
            return Ok(most);
        }
        Ok(StudentT::new(self.degrees)?.sf(self.score(value)).min(most))
    }

    /// P value of the hypothesis that the share is at least `value`, with 0 < value < 1.
    fn lower_tail(&self, value: f64) -> Result<f64, StatError> {
        let most = binomial_at_most(self.clusters * self.share, self.clusters, value)?;
        if self.whole {
            return Ok(most);
        }
        Ok(StudentT::new(self.degrees)?.cdf(self.score(value)).min(most))
    }

    /// Distance from the value in standard errors as they are if it is the mean.
    fn score(&self, value: f64) -> f64 {
        (self.share - value) / (value * (1.0 - value) / self.effective).sqrt()
    }
}

/// Tests and intervals are Wilson's ([`BoundedMean::wilson`]), which invert each other: p values by
/// t = (p - π) / √(π (1 - π) / n*), and at most those of whole clusters.
impl MeanEvidence for BoundedMean {
    fn estimate(&self) -> f64 {
        self.low + self.width * self.share
    }

    fn p_at_most(&self, value: f64) -> Result<f64, StatError> {
        let value = (check_finite("tested value", value)? - self.low) / self.width;
        if value >= 1.0 {
            Ok(1.0)
        } else if value > 0.0 {
            self.upper_tail(value)
        } else {
            // Certain, or excluded by the range or by a single value above the bound.
            Ok(f64::from(u8::from(value >= 0.0 && self.share <= 0.0)))
        }
    }

    fn p_at_least(&self, value: f64) -> Result<f64, StatError> {
        let value = (check_finite("tested value", value)? - self.low) / self.width;
        if value <= 0.0 {
            Ok(1.0)
        } else if value < 1.0 {
            self.lower_tail(value)
        } else {
            Ok(f64::from(u8::from(value <= 1.0 && self.share >= 1.0)))
        }
    }

    fn interval(&self, level: f64) -> Result<IntervalEstimate, StatError> {
        self.wilson(level)
    }
}

/// The probability that a cluster has no value away from the bound next to the mean, which lies `away` from it, by the beta-binomial
/// distribution; `between` is as in [`worth`].
fn at_bound(away: f64, between: f64, values: f64) -> f64 {
    let correlation = if values > 1.0 { (between - 1.0 / values) / (1.0 - 1.0 / values) } else { 0.0 };
    if values.is_infinite() {
        0.0
    } else if correlation <= 0.0 {
        (1.0 - away).powf(values)
    } else if correlation >= 1.0 {
        1.0 - away
    } else {
        let total = (1.0 - correlation) / correlation;
        let rest = (1.0 - away) * total;
        (ln_gamma(rest + values) - ln_gamma(rest) + ln_gamma(total) - ln_gamma(total + values)).exp()
    }
}

/// The number of independent values that clusters are worth, and whether few of them decide the mean.
///
/// `between` is the variance between clusters, and `independent` that of independent values, both relative to clusters of which
/// each is worth one value; `each` is one over the number of values of a cluster.
fn worth([count, degrees]: [f64; 2], share: f64, between: f64, independent: f64, each: f64) -> (f64, bool) {
    let room = share * (1.0 - share);
    let unknown = 1.0 - 2.0 * room.sqrt();
    let shrunk = (degrees * between + 0.5 * unknown) / (degrees + unknown);
    let away = share.min(1.0 - share);
    let is_few = away < SMALL && count * away < FEW;
    (count / shrunk.max(independent), is_few && between > DIFFERENT * each)
}

/// A cluster's sums of values scaled to 0..1.
struct Scaled {
    count: f64,
    sum: f64,
    squares: f64,
}

fn scale(clusters: &[Cluster], low: f64, width: f64) -> Result<Vec<Scaled>, StatError> {
    let mut scaled = Vec::with_capacity(clusters.len());
    for (index, cluster) in clusters.iter().enumerate() {
        for got in [cluster.sum, cluster.squares] {
            if !got.is_finite() {
                return Err(StatError::NotFinite { statistic: NAME, index, got });
            }
        }
        if cluster.count == 0 {
            continue;
        }
        let count = cluster.count as f64;
        let sum = (cluster.sum - low * count) / width;
        let squares = (cluster.squares - 2.0 * low * cluster.sum + low * low * count) / (width * width);
        let slack = 1e-9 * count;
        if sum < -slack || sum > count + slack || squares < -slack || squares > sum + slack {
            return Err(StatError::Parameter {
                parameter: "sum of a cluster",
                expected: "that of values within the bounds",
                got: cluster.sum,
            });
        }
        scaled.push(Scaled { count, sum, squares });
    }
    Ok(scaled)
}

#[cfg(test)]
mod tests;
