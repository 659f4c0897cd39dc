//! Tests on ranks.

use crate::StatError;
use crate::describe::check_sample;
use crate::ttest::{Alternative, paired_differences};

/// Ranks of a sample and the size of its ties.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Ranks {
    /// Rank of each value, from 1; tied values share the mean of their ranks.
    pub ranks: Vec<f64>,
    /// Σ (t³ - t) over the groups of t tied values.
    pub tie_sum: f64,
}

/// Ranks values from 1, with the mean rank for ties.
///
/// # Errors
///
/// [`StatError::NotFinite`] for NaN or infinity.
pub fn ranks(values: &[f64]) -> Result<Ranks, StatError> {
    check_sample("ranks", values, 0)?;
    Ok(rank_finite(values))
}

/// [`ranks`] of values known to be finite.
pub(crate) fn rank_finite(values: &[f64]) -> Ranks {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&left, &right| values[left].total_cmp(&values[right]));
    let mut ranks = vec![0.0; values.len()];
    let mut tie_sum = 0.0;
    let mut before = 0_usize;
    // Zeros of either sign are tied, which only a numeric comparison finds.
    for tied in order.chunk_by(|&left, &right| values[left] >= values[right]) {
        let count = tied.len() as f64;
        for &index in tied {
            ranks[index] = before as f64 + 0.5 * (count + 1.0);
        }
        tie_sum += count * count * count - count;
        before += tied.len();
    }
    Ranks { ranks, tie_sum }
}

/// A test of one or two samples on ranks.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct RankTest {
    /// The statistic; each test says which sum of ranks it is.
    pub statistic: f64,
    /// P value under the requested alternative.
    pub p: f64,
}

/// Signed ranks of the differences that are not zero.
struct SignedRanks {
    count: f64,
    tie_sum: f64,
    positive: f64,
    total: f64,
}

impl SignedRanks {
    fn new(statistic: &'static str, a: &[f64], b: &[f64]) -> Result<Self, StatError> {
        let mut differences = paired_differences(statistic, a, b)?;
        differences.retain(|difference| difference.abs() > 0.0);
        if differences.is_empty() {
            return Err(StatError::Degenerate { statistic, reason: "no pair differs" });
        }
        let magnitudes: Vec<f64> = differences.iter().map(|value| value.abs()).collect();
        let Ranks { ranks, tie_sum } = rank_finite(&magnitudes);
        let positive = differences
            .iter()
            .zip(&ranks)
            .filter(|(difference, _)| **difference > 0.0)
            .map(|(_, rank)| rank)
            .sum();
        let count = differences.len() as f64;
        Ok(Self { count, tie_sum, positive, total: 0.5 * count * (count + 1.0) })
    }

    fn statistic(&self, alternative: Alternative) -> f64 {
        match alternative {
            Alternative::TwoSided => self.positive.min(self.total - self.positive),
            Alternative::Less | Alternative::Greater => self.positive,
        }
    }
}

/// Tests by the normal approximation whether paired differences a - b are symmetric around zero.
///
/// The statistic is the smaller of the rank sums of positive and negative differences, and for
/// one-sided alternatives that of the positive ones. Pairs without a difference are omitted.
///
/// # Method
///
/// Wilcoxon (1945): the rank sum is referred to the normal distribution with mean n (n + 1) / 4 and
/// variance n (n + 1) (2n + 1) / 24 - Σ (t³ - t) / 48, without a correction for continuity.
///
/// # Errors
///
/// [`StatError::Lengths`] for unequal lengths, [`StatError::NotFinite`] for NaN or infinity, and
/// [`StatError::Degenerate`] if no pair differs.
pub fn wilcoxon(a: &[f64], b: &[f64], alternative: Alternative) -> Result<RankTest, StatError> {
    let signed = SignedRanks::new("Wilcoxon signed-rank test", a, b)?;
    let n = signed.count;
    let variance = n * (n + 1.0) * (2.0 * n + 1.0) / 24.0 - signed.tie_sum / 48.0;
    let deviate = (signed.positive - 0.5 * signed.total) / variance.sqrt();
    Ok(RankTest { statistic: signed.statistic(alternative), p: alternative.normal_p(deviate) })
}

/// The maximum number of pairs for which the exact distribution of the signed ranks is computed.
const MOST_EXACT_PAIRS: f64 = 500.0;

/// Tests exactly whether paired differences a - b are symmetric around zero.
///
/// As [`wilcoxon`], with the p value from all 2^n assignments of signs.
///
/// # Errors
///
/// As [`wilcoxon`], and [`StatError::Degenerate`] if two differences have the same size, if a pair
/// does not differ, or for more than 500 pairs.
pub fn wilcoxon_exact(a: &[f64], b: &[f64], alternative: Alternative) -> Result<RankTest, StatError> {
    const NAME: &str = "exact Wilcoxon signed-rank test";
    let signed = SignedRanks::new(NAME, a, b)?;
    let refuse = |reason| Err(StatError::Degenerate { statistic: NAME, reason });
    if signed.tie_sum > 0.0 || (signed.count as usize) < a.len() {
        return refuse("differences are tied or zero");
    }
    if signed.count > MOST_EXACT_PAIRS {
        return refuse("there are more than 500 pairs; the normal approximation is as good");
    }
    // share[s] is the share of the sign assignments whose positive ranks add up to s.
    let mut share = vec![0.0; signed.total as usize + 1];
    share[0] = 1.0;
    for rank in 1..=signed.count as usize {
        for total in (0..share.len()).rev() {
            let with = if total >= rank { share[total - rank] } else { 0.0 };
            share[total] = 0.5 * (share[total] + with);
        }
    }
    let at_most = |total: f64| share[..=total as usize].iter().sum::<f64>();
    let negative = signed.total - signed.positive;
    let p = match alternative {
        Alternative::TwoSided => (2.0 * at_most(signed.positive.min(negative))).min(1.0),
        Alternative::Less => at_most(signed.positive),
        Alternative::Greater => at_most(negative),
    };
    Ok(RankTest { statistic: signed.statistic(alternative), p: p.min(1.0) })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::float_cmp, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn tied_values_share_their_mean_rank() {
        let found = ranks(&[3.0, -0.0, 1.0, 3.0, 0.0, 3.0]).unwrap();
        assert_eq!(found.ranks, [5.0, 1.5, 3.0, 5.0, 1.5, 5.0]);
        assert_eq!(found.tie_sum, 30.0);
        assert!(ranks(&[f64::NAN]).is_err());
    }

    /// By hand: of the 2^3 sign assignments, the rank sums are 0, 1, 2, 3, 3, 4, 5, 6.
    #[test]
    fn exact_signed_ranks_of_three_pairs() {
        let (a, b) = ([1.0, 2.0, 0.0], [0.0, 0.0, 4.0]);
        let p = |alternative| wilcoxon_exact(&a, &b, alternative).unwrap();
        assert_eq!(p(Alternative::TwoSided), RankTest { statistic: 3.0, p: 1.0 });
        assert_eq!(p(Alternative::Less), RankTest { statistic: 3.0, p: 0.625 });
        let p = |alternative| wilcoxon_exact(&b, &[-1.0, -2.0, 0.0], alternative).unwrap().p;
        assert_eq!(p(Alternative::TwoSided), 0.25);
        assert_eq!(p(Alternative::Greater), 0.125);
        assert_eq!(p(Alternative::Less), 1.0);
    }
    #[test]
    fn exact_and_approximate_signed_ranks_agree_for_many_pairs() {
        // Differences 1, 2, …, 60, about a third of them negative.
        let a: Vec<f64> = (0..60_u32).map(|i| f64::from((i + 1) * u32::from(i * i % 7 > 1))).collect();
        let b: Vec<f64> = (0..60_u32).map(|i| f64::from((i + 1) * u32::from(i * i % 7 < 2))).collect();
        for alternative in [Alternative::TwoSided, Alternative::Less, Alternative::Greater] {
            let exact = wilcoxon_exact(&a, &b, alternative).unwrap();
            let normal = wilcoxon(&a, &b, alternative).unwrap();
            assert_eq!(exact.statistic, normal.statistic);
            assert!((exact.p - normal.p).abs() < 5e-3, "{exact:?} {normal:?}");
        }
    }

    #[test]
    fn bad_input_is_refused() {
        let two = Alternative::TwoSided;
        assert!(matches!(wilcoxon(&[1.0], &[1.0], two), Err(StatError::Degenerate { .. })));
        assert!(matches!(wilcoxon(&[1.0], &[], two), Err(StatError::Lengths { .. })));
        assert!(matches!(wilcoxon_exact(&[1.0, 2.0], &[0.0, 1.0], two), Err(StatError::Degenerate { .. })));
    }
}
