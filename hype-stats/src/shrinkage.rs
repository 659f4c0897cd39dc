//! Rates of many items from few answers each, drawn towards what items have in common.
//!
//! Of 1,423 images with four answers on average, hundreds have a rate of 100 % by chance. A gallery of the highest raw
//! rates shows which images were asked about least.

use std::collections::BTreeMap;

use crate::StatError;
use crate::bootstrap::IntervalEstimate;
use crate::distributions::{Beta, check_level, digamma_rising, increasing_root, ln_rising, normal_sf};

const NAME: &str = "beta-binomial distribution of rates";
/// From this sum of the shapes on, rates that differ cannot be told from equal ones.
const LARGEST_PRECISION: f64 = 1e8;
/// The largest sum in ln, and the steps by which it is scanned.
const SCAN: std::ops::RangeInclusive<i32> = -6..=36;
const SCAN_STEP: f64 = 0.5;
/// Up to this many terms are added one by one.
const FEW_TERMS: u64 = 64;

/// The answers about one item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct ItemCount {
    /// Answers of the counted kind, such as "real".
    pub successes: u64,
    /// All answers.
    pub trials: u64,
}

impl ItemCount {
    fn failures(self) -> Result<u64, StatError> {
        self.trials.checked_sub(self.successes).ok_or(StatError::Parameter {
            parameter: "successes",
            expected: "no more than trials",
            got: self.successes as f64,
        })
    }
}

/// How the rates of items are distributed, by maximum likelihood.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum RateDistribution {
    /// Rates follow a beta distribution.
    Beta {
        /// Shape of the successes.
        a: f64,
        /// Shape of the failures.
        b: f64,
    },
    /// Counts differ no more than those of equal rates: the likelihood rises as a + b goes to infinity.
    Common {
        /// The rate of all items.
        rate: f64,
    },
    /// The answers about each item are all equal: the likelihood rises as a + b goes to zero.
    AllOrNone {
        /// The share of items with only successes.
        share: f64,
    },
}

/// A beta-binomial distribution fitted to the counts of items.
///
/// # Method
///
/// The successes of an item are binomial with a rate that is Beta(a, b) distributed over items; a and b maximize the
/// likelihood Π B(x + a, n - x + b) / B(a, b). For a fixed precision a + b it is log-concave in the mean
/// a / (a + b), which is found by its slope; the precision is scanned and then refined by the slope of
/// the profile likelihood. There is no maximum at a finite precision where Tarone's (1979, "Testing the goodness
/// of fit of the binomial distribution") statistic is not positive, Σ x (x - 1) / p + Σ (n - x) (n - x - 1) / (1 - p)
/// ≤ Σ n (n - 1), and no precision of the scan has a greater likelihood than equal rates.
///
/// The shrunken rate of an item is the mean of its posterior Beta(a + x, b + n - x), and its interval has equal
/// tails. It takes a and b as known, as is usual in empirical Bayes (Casella 1985, "An introduction to empirical
/// Bayes data analysis").
///
/// # Examples
///
/// ```
/// use hype_stats::shrinkage::{BetaBinomial, ItemCount};
/// let counts = [(0, 5), (1, 5), (5, 5), (3, 6), (2, 2), (0, 1), (7, 10), (1, 9), (4, 4), (0, 12)]
///     .map(|(successes, trials)| ItemCount { successes, trials });
/// let fit = BetaBinomial::fit(&counts)?;
/// let rates = fit.rates(&counts, 0.9)?;
/// // Five of five is better evidence than two of two.
/// assert!(rates[2].estimate > rates[4].estimate && rates[2].estimate < 1.0);
/// # Ok::<(), hype_stats::StatError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BetaBinomial {
    distribution: RateDistribution,
    negative_log_likelihood: f64,
    /// That of one rate for all items.
    of_common_rate: f64,
}

/// The rate of one item, with what is known about it.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct ShrunkenRate {
    /// Mean of the posterior.
    pub estimate: f64,
    /// The interval between its quantiles.
    pub interval: IntervalEstimate,
}

impl BetaBinomial {
    /// Fits the distribution. Items without answers are left out.
    ///
    /// # Errors
    ///
    /// [`StatError::Parameter`] for more successes than trials, [`StatError::TooFew`] without an answer, and
    /// [`StatError::Degenerate`] if no item has two answers, as nothing is then known about how rates differ.
    pub fn fit(counts: &[ItemCount]) -> Result<Self, StatError> {
        let mut table: BTreeMap<ItemCount, f64> = BTreeMap::new();
        for &count in counts {
            count.failures()?;
            if count.trials > 0 {
                *table.entry(count).or_default() += 1.0;
            }
        }
        if table.is_empty() {
            return Err(StatError::TooFew { statistic: NAME, needed: 1, of: "answers", got: 0 });
        }
        let likelihood = Likelihood::new(&table);
        let rate = likelihood.rate;
        if rate <= 0.0 || rate >= 1.0 {
            return Ok(Self {
                distribution: RateDistribution::Common { rate },
                negative_log_likelihood: 0.0,
                of_common_rate: 0.0,
            });
        }
        let binomial = likelihood.binomial();
        if table.keys().all(|count| count.trials < 2) {
            return Err(StatError::Degenerate { statistic: NAME, reason: "no item has two answers" });
        }
        if table.keys().all(|count| count.successes == 0 || count.successes == count.trials) {
            return Ok(Self::all_or_none(&table, -binomial));
        }
        let mut best = (f64::NEG_INFINITY, 1.0);
        for step in SCAN {
            let precision = (SCAN_STEP * f64::from(step)).exp();
            let value = likelihood.value(precision, likelihood.mean(precision)?);
            if value > best.0 {
                best = (value, precision);
            }
        }
        if likelihood.tarone() <= 0.0 && best.0 <= binomial {
            return Ok(Self {
                distribution: RateDistribution::Common { rate },
                negative_log_likelihood: -binomial,
                of_common_rate: -binomial,
            });
        }
        let slope = |log: f64| {
            let precision = log.exp();
            likelihood.mean(precision).map_or(f64::NAN, |mean| -likelihood.slope(precision, mean))
        };
        let precision = increasing_root(best.1.ln(), SCAN_STEP, slope)
            .map(f64::exp)
            .ok_or(StatError::NoConvergence { statistic: NAME, iterations: 200 })?;
        let (distribution, value) = if precision < LARGEST_PRECISION {
            let mean = likelihood.mean(precision)?;
            let shapes = RateDistribution::Beta { a: precision * mean, b: precision * (1.0 - mean) };
            (shapes, likelihood.value(precision, mean))
        } else {
            (RateDistribution::Common { rate }, binomial)
        };
        Ok(Self { distribution, negative_log_likelihood: -value, of_common_rate: -binomial })
    }

    /// The limit of the likelihood for a + b → 0 is that of one answer an item.
    fn all_or_none(table: &BTreeMap<ItemCount, f64>, of_common_rate: f64) -> Self {
        let (items, all) = table.iter().fold((0.0, 0.0), |(items, all), (count, weight)| {
            (items + weight, if count.successes > 0 { all + weight } else { all })
        });
        let share: f64 = all / items;
        let value = all * share.ln() + (items - all) * (-share).ln_1p();
        let distribution = RateDistribution::AllOrNone { share };
        Self { distribution, negative_log_likelihood: -value, of_common_rate }
    }

    /// How rates are distributed.
    #[must_use]
    pub const fn distribution(&self) -> RateDistribution {
        self.distribution
    }

    /// The negative of the logarithm of the likelihood, without the binomial coefficients.
    #[must_use]
    pub const fn negative_log_likelihood(&self) -> f64 {
        self.negative_log_likelihood
    }

    /// The p value of the likelihood ratio test of one rate for all items.
    ///
    /// # Method
    ///
    /// One rate is the bound of the beta distributions, so twice the logarithm of the ratio is 0 in half of studies with
    /// one rate, and chi-squared with one degree of freedom in the others (Self and Liang 1987, JASA).
    #[must_use]
    pub fn p_of_common_rate(&self) -> f64 {
        let ratio = 2.0 * (self.of_common_rate - self.negative_log_likelihood);
        if ratio > 0.0 { normal_sf(ratio.sqrt()) } else { 1.0 }
    }

    /// Computes the shrunken rate of each item, with intervals that contain it with probability `level`.
    ///
    /// Under [`RateDistribution::Common`] all items have that rate; under [`RateDistribution::AllOrNone`] they
    /// have 0 or 1, and without answers the share. Intervals then have no width, or all of 0..=1 without answers,
    /// since nothing but the fitted distribution is uncertain in them.
    ///
    /// # Errors
    ///
    /// [`StatError::Parameter`] for a level outside 0..1 or more successes than trials.
    pub fn rates(&self, counts: &[ItemCount], level: f64) -> Result<Vec<ShrunkenRate>, StatError> {
        check_level(level)?;
        let mut found: BTreeMap<ItemCount, ShrunkenRate> = BTreeMap::new();
        counts
            .iter()
            .map(|&count| {
                if let Some(&rate) = found.get(&count) {
                    return Ok(rate);
                }
                let rate = self.rate(count, level)?;
                found.insert(count, rate);
                Ok(rate)
            })
            .collect()
    }

    fn rate(&self, count: ItemCount, level: f64) -> Result<ShrunkenRate, StatError> {
        let failures = count.failures()?;
        let certain = |estimate: f64| ShrunkenRate {
            estimate,
            interval: IntervalEstimate { lower: estimate, upper: estimate, level },
        };
        Ok(match self.distribution {
            RateDistribution::Beta { a, b } => {
                let (a, b) = (a + count.successes as f64, b + failures as f64);
                let posterior = Beta::new(a, b)?;
                let tail = 0.5 * (1.0 - level);
                let (lower, upper) = (posterior.quantile(tail)?, posterior.upper_quantile(tail)?);
                ShrunkenRate { estimate: a / (a + b), interval: IntervalEstimate { lower, upper, level } }
            }
            RateDistribution::Common { rate } => certain(rate),
            RateDistribution::AllOrNone { share } if count.trials == 0 => {
                ShrunkenRate { estimate: share, interval: IntervalEstimate { lower: 0.0, upper: 1.0, level } }
            }
            RateDistribution::AllOrNone { .. } => certain(count.successes as f64 / count.trials as f64),
        })
    }
}

/// Sums over items, by how many have each number of successes, failures and trials.
struct Likelihood {
    successes: Vec<(u64, f64)>,
    failures: Vec<(u64, f64)>,
    trials: Vec<(u64, f64)>,
    rate: f64,
}

impl Likelihood {
    fn new(table: &BTreeMap<ItemCount, f64>) -> Self {
        let grouped = |of: &dyn Fn(&ItemCount) -> u64| -> Vec<(u64, f64)> {
            let mut weights: BTreeMap<u64, f64> = BTreeMap::new();
            for (count, weight) in table {
                *weights.entry(of(count)).or_default() += weight;
            }
            weights.into_iter().filter(|(number, _)| *number > 0).collect()
        };
        let successes = grouped(&|count| count.successes);
        let failures = grouped(&|count| count.trials - count.successes);
        let trials = grouped(&|count| count.trials);
        let rate = total(&successes, |count| count) / total(&trials, |count| count);
        Self { successes, failures, trials, rate }
    }

    /// ln of the likelihood.
    fn value(&self, precision: f64, mean: f64) -> f64 {
        let sum = |counts: &[(u64, f64)], start: f64| total(counts, |count| ln_rising(start, count));
        sum(&self.successes, precision * mean) + sum(&self.failures, precision * (1.0 - mean))
            - sum(&self.trials, precision)
    }

    /// ln of the likelihood of equal rates.
    fn binomial(&self) -> f64 {
        total(&self.successes, |count| count) * self.rate.ln()
            + total(&self.failures, |count| count) * (-self.rate).ln_1p()
    }

    /// Tarone's statistic: the slope of the likelihood in 1 / (a + b) at 0, times two.
    fn tarone(&self) -> f64 {
        let pairs = |counts: &[(u64, f64)]| total(counts, |count| count * (count - 1.0));
        pairs(&self.successes) / self.rate + pairs(&self.failures) / (1.0 - self.rate) - pairs(&self.trials)
    }

    /// The mean that maximizes the likelihood for a precision.
    fn mean(&self, precision: f64) -> Result<f64, StatError> {
        let sum = |counts: &[(u64, f64)], start: f64| total(counts, |count| digamma_rising(start, count));
        let start = (self.rate / (1.0 - self.rate)).ln();
        let root = increasing_root(start, 0.1, |log_odds| {
            let (mean, rest) = ((1.0 + (-log_odds).exp()).recip(), (1.0 + log_odds.exp()).recip());
            sum(&self.failures, precision * rest).ln() - sum(&self.successes, precision * mean).ln()
        });
        root.map(|log_odds| (1.0 + (-log_odds).exp()).recip())
            .ok_or(StatError::NoConvergence { statistic: NAME, iterations: 200 })
    }

    /// The slope of ln of the likelihood in ln of the precision. With Σ 1 = Σ x + Σ (n - x) taken out of the
    /// digamma functions, it keeps its digits where rates hardly differ.
    fn slope(&self, precision: f64, mean: f64) -> f64 {
        let sum = |counts: &[(u64, f64)], start: f64| {
            counts.iter().map(|&(count, weight)| weight * shortfall(start, count)).sum::<f64>()
        };
        sum(&self.trials, precision)
            - sum(&self.successes, precision * mean)
            - sum(&self.failures, precision * (1.0 - mean))
    }
}

fn total(counts: &[(u64, f64)], term: impl Fn(f64) -> f64) -> f64 {
    counts.iter().map(|&(count, weight)| weight * term(count as f64)).sum()
}

/// Σ j / (start + j) for j below `count`.
fn shortfall(start: f64, count: u64) -> f64 {
    if count <= FEW_TERMS {
        return (1..count).map(|step| step as f64 / (start + step as f64)).sum();
    }
    count as f64 - start * digamma_rising(start, count as f64)
}

#[cfg(test)]
mod tests;
