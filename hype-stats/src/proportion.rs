//! Confidence intervals of a proportion, and the exact binomial test.

use crate::StatError;
use crate::distributions::{Beta, beta_factor, check_level, check_probability, normal_upper_quantile};
use crate::ttest::Alternative;

/// The method for the interval of a proportion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum ProportionInterval {
    /// Wilson's (1927) score interval: all π with |p - π| ≤ z √(π (1 - π) / n).
    #[default]
    Wilson,
    /// Clopper and Pearson's (1934) exact interval from beta quantiles: the coverage is at least the
    /// level.
    ClopperPearson,
}

/// A share of successes with its confidence interval.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Proportion {
    /// Successes over trials.
    pub estimate: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
}

fn check_counts(statistic: &'static str, successes: u64, trials: u64) -> Result<(f64, f64), StatError> {
    if trials == 0 {
        return Err(StatError::TooFew { statistic, needed: 1, of: "trials", got: 0 });
    }
    if successes > trials {
        return Err(StatError::Parameter {
            parameter: "successes",
            expected: "no more than trials",
            got: successes as f64,
        });
    }
    Ok((successes as f64, trials as f64))
}

/// Computes a share of successes and its two-sided confidence interval.
///
/// # Method
///
/// As named by [`ProportionInterval`], for independent trials with one probability. Brown, Cai and
/// DasGupta (2001), "Interval estimation for a binomial proportion", recommend
/// Wilson's for few trials.
///
/// # Errors
///
/// [`StatError::TooFew`] for no trials, [`StatError::Parameter`] for more successes than trials or a
/// level outside 0..1.
///
/// # Examples
///
/// ```
/// # use hype_stats::proportion::{ProportionInterval, interval};
/// let found = interval(27, 50, ProportionInterval::Wilson, 0.95)?;
/// assert!((found.low - 0.403988714).abs() < 1e-9);
/// assert!((found.high - 0.670303478).abs() < 1e-9);
/// # Ok::<(), hype_stats::StatError>(())
/// ```
pub fn interval(
    successes: u64,
    trials: u64,
    kind: ProportionInterval,
    level: f64,
) -> Result<Proportion, StatError> {
    check_level(level)?;
    let (k, n) = check_counts("interval of a proportion", successes, trials)?;
    let estimate = k / n;
    let tail = 0.5 * (1.0 - level);
    let (low, high) = match kind {
        ProportionInterval::Wilson => wilson(k, n, normal_upper_quantile(tail)?),
        ProportionInterval::ClopperPearson => clopper_pearson(k, n, tail)?,
    };
    Ok(Proportion { estimate, low: low.clamp(0.0, 1.0), high: high.clamp(0.0, 1.0) })
}

/// Wilson's interval of `k` successes in `n` trials, which need not be whole; `z` is the deviate of a tail.
pub(crate) fn wilson(k: f64, n: f64, z: f64) -> (f64, f64) {
    let square = z * z;
    let root = z * (square + 4.0 * k * ((n - k) / n)).sqrt();
    let above = 2.0 * k + square + root;
    // The lower end multiplied out keeps its digits near zero.
    (2.0 * k * (k / n) / above, above / (2.0 * (n + square)))
}

/// Clopper and Pearson's interval of `k` successes in `n` trials, which need not be whole.
pub(crate) fn clopper_pearson(k: f64, n: f64, tail: f64) -> Result<(f64, f64), StatError> {
    let low = if k <= 0.0 { 0.0 } else { Beta::new(k, n - k + 1.0)?.quantile(tail)? };
    let high = if k >= n { 1.0 } else { Beta::new(k + 1.0, n - k)?.upper_quantile(tail)? };
    Ok((low, high))
}

/// P(X = k) for a binomial X with 0 < p < 1.
fn binomial_mass(k: f64, n: f64, p: f64) -> f64 {
    beta_factor(k + 1.0, n - k + 1.0, p, 1.0 - p) / ((n + 1.0) * p * (1.0 - p))
}

/// P(X ≤ k) for 0 < p < 1; for counts that are not whole, the beta function that interpolates it.
pub(crate) fn binomial_at_most(k: f64, n: f64, p: f64) -> Result<f64, StatError> {
    if k < 0.0 {
        return Ok(0.0);
    }
    if k >= n {
        return Ok(1.0);
    }
    Ok(Beta::new(k + 1.0, n - k)?.sf(p))
}

/// P(X ≥ k) for 0 < p < 1; as [`binomial_at_most`] for counts that are not whole.
pub(crate) fn binomial_at_least(k: f64, n: f64, p: f64) -> Result<f64, StatError> {
    if k <= 0.0 {
        return Ok(1.0);
    }
    if k > n {
        return Ok(0.0);
    }
    Ok(Beta::new(k, n - k + 1.0)?.cdf(p))
}

/// Computes the p value of the exact binomial test that the probability of success is `probability`.
///
/// # Method
///
/// One-sided: the binomial tail. Two-sided: the sum over all outcomes at most as likely as
/// the one observed, likely being judged with a relative slack of 1e-7 as in R's `binom.test` and
/// scipy's `binomtest`.
///
/// # Errors
///
/// [`StatError::TooFew`] for no trials, [`StatError::Parameter`] for more successes than trials or a
/// probability outside 0..=1.
pub fn binomial_test(
    successes: u64,
    trials: u64,
    probability: f64,
    alternative: Alternative,
) -> Result<f64, StatError> {
    check_probability(probability)?;
    let (k, n) = check_counts("binomial test", successes, trials)?;
    let p = probability;
    if p <= 0.0 || p >= 1.0 {
        let certain = if p <= 0.0 { 0.0 } else { n };
        let possible = match alternative {
            Alternative::TwoSided => (k - certain).abs() <= 0.0,
            Alternative::Less => k >= certain,
            Alternative::Greater => k <= certain,
        };
        return Ok(f64::from(u8::from(possible)));
    }
    match alternative {
        Alternative::Less => binomial_at_most(k, n, p),
        Alternative::Greater => binomial_at_least(k, n, p),
        Alternative::TwoSided => two_sided_binomial(k, n, p),
    }
}

fn two_sided_binomial(k: f64, n: f64, p: f64) -> Result<f64, StatError> {
    const SLACK: f64 = 1.0 + 1e-7;
    let limit = SLACK * binomial_mass(k, n, p);
    let unlikely = |outcome: f64| binomial_mass(outcome, n, p) <= limit;
    let mean = n * p;
    let total = if (k - mean).abs() <= 0.0 {
        1.0
    } else if k < mean {
        let from = first_where(mean.ceil(), n + 1.0, unlikely);
        binomial_at_most(k, n, p)? + binomial_at_least(from, n, p)?
    } else {
        // Counted down from the mean, over the distance to it.
        let mode = mean.floor();
        let distance = first_where(0.0, mode + 1.0, |distance| unlikely(mode - distance));
        binomial_at_most(mode - distance, n, p)? + binomial_at_least(k, n, p)?
    };
    Ok(total.min(1.0))
}

/// The first whole number from `low` on where the condition holds, or `high`; the condition holds
/// from some number on.
pub(crate) fn first_where(mut low: f64, mut high: f64, condition: impl Fn(f64) -> bool) -> f64 {
    while low < high {
        let middle = ((low + high) / 2.0).floor();
        if condition(middle) {
            high = middle;
        } else {
            low = middle + 1.0;
        }
    }
    low
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::float_cmp, reason = "tests")]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const KINDS: [ProportionInterval; 2] = [ProportionInterval::Wilson, ProportionInterval::ClopperPearson];

    #[test]
    fn no_successes_have_closed_forms() {
        let z: f64 = 1.959_963_984_540_054;
        let wilson = interval(0, 20, ProportionInterval::Wilson, 0.95).unwrap();
        assert!((wilson.high - z * z / (20.0 + z * z)).abs() < 1e-15);
        let exact = interval(0, 20, ProportionInterval::ClopperPearson, 0.95).unwrap();
        assert!((exact.high - (1.0 - 0.025_f64.powf(0.05))).abs() < 1e-14);
        assert_eq!((wilson.low, exact.low), (0.0, 0.0));
    }

    /// By hand for 5 throws of a fair coin and for 3 throws with p = 1/4.
    #[test]
    fn small_binomial_tests() {
        let two = Alternative::TwoSided;
        for (k, n, p, want) in [
            (0, 5, 0.5, 2.0 / 32.0),
            (1, 5, 0.5, 12.0 / 32.0),
            (2, 5, 0.5, 1.0),
            (3, 3, 0.25, 1.0 / 64.0),
            (2, 3, 0.25, 10.0 / 64.0),
            (1, 3, 0.25, 1.0),
            (0, 3, 0.25, 1.0),
        ] {
            let found = binomial_test(k, n, p, two).unwrap();
            assert!((found - want).abs() < 1e-14, "{k} of {n} at {p}: {found} {want}");
        }
        assert!((binomial_test(2, 3, 0.25, Alternative::Greater).unwrap() - 10.0 / 64.0).abs() < 1e-15);
        assert!((binomial_test(0, 3, 0.25, Alternative::Less).unwrap() - 27.0 / 64.0).abs() < 1e-15);
        assert_eq!(binomial_test(0, 3, 0.0, two).unwrap(), 1.0);
        assert_eq!(binomial_test(1, 3, 0.0, two).unwrap(), 0.0);
        assert_eq!(binomial_test(3, 3, 1.0, Alternative::Less).unwrap(), 1.0);
    }

    #[test]
    fn bad_input_is_refused() {
        assert!(interval(0, 0, ProportionInterval::Wilson, 0.95).is_err());
        assert!(interval(3, 2, ProportionInterval::Wilson, 0.95).is_err());
        assert!(interval(1, 2, ProportionInterval::Wilson, 1.0).is_err());
        assert!(binomial_test(1, 2, 1.5, Alternative::TwoSided).is_err());
        assert!(binomial_test(3, 2, 0.5, Alternative::TwoSided).is_err());
    }

    proptest! {
        #[test]
        fn intervals_mirror_and_hold_the_share(k in 0_u64..2_000, more in 0_u64..2_000) {
            let n = k + more + 1;
            for kind in KINDS {
                let found = interval(k, n, kind, 0.9).unwrap();
                let mirrored = interval(n - k, n, kind, 0.9).unwrap();
                prop_assert!((found.low + mirrored.high - 1.0).abs() < 1e-11);
                prop_assert!(0.0 <= found.low && found.high <= 1.0);
                prop_assert!(found.low <= found.estimate && found.estimate <= found.high);
            }
        }

        /// The ends of Clopper and Pearson's interval are where a one-sided test just rejects.
        #[test]
        fn exact_interval_inverts_the_test(k in 1_u64..200, more in 0_u64..200) {
            let n = k + more;
            let found = interval(k, n, ProportionInterval::ClopperPearson, 0.9).unwrap();
            let p = binomial_test(k, n, found.low, Alternative::Greater).unwrap();
            prop_assert!((p - 0.05).abs() < 1e-10);
        }

        #[test]
        fn two_sided_test_adds_all_outcomes_no_more_likely(n in 1_u64..60, share in 0.0..1.0_f64, p in 0.01..0.99_f64) {
            let k = (share * n as f64) as u64;
            let mass = |i: u64| binomial_mass(i as f64, n as f64, p);
            let want: f64 = (0..=n).map(mass).filter(|other| *other <= mass(k) * (1.0 + 1e-7)).sum();
            let found = binomial_test(k, n, p, Alternative::TwoSided).unwrap();
            prop_assert!((found - want.min(1.0)).abs() < 1e-11, "{found} {want}");
        }
    }
}
