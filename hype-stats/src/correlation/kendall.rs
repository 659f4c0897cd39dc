//! Kendall's rank correlation.

use super::orders::share_as_extreme;
use super::{MOST_ENUMERATED_PAIRS, check_pairs, constant};
use crate::StatError;
use crate::distributions::normal_sf;

const NAME: &str = "Kendall's correlation";

/// The largest number of pairs without ties for which the p value is exact by default.
const MOST_EXACT_PAIRS: usize = 33;

/// The computation of the p value of Kendall's coefficient.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum KendallMethod {
    /// Exact for at most nine pairs and, if there are no ties, for at most 33 pairs or at most one
    /// discordant (or concordant) one; otherwise asymptotic.
    #[default]
    Auto,
    /// From the normal approximation of C - D with its variance corrected for ties.
    Asymptotic,
}

/// Kendall's coefficient, and the p value of the hypothesis of no correlation.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Kendall {
    /// The coefficient, between -1 and 1.
    pub tau: f64,
    /// Two-sided p value.
    pub p: f64,
    /// Whether the p value is exact.
    pub exact: bool,
}

/// Sums over the groups of t tied values that Kendall's variance needs.
#[derive(Debug, Clone, Copy, Default)]
struct Ties {
    /// Σ t (t - 1) / 2.
    pairs: f64,
    /// Σ t (t - 1) (t - 2).
    triples: f64,
    /// Σ t (t - 1) (2t + 5).
    weighted: f64,
}

impl Ties {
    fn add(&mut self, tied: usize) {
        let t = tied as f64;
        self.pairs += 0.5 * t * (t - 1.0);
        self.triples += t * (t - 1.0) * (t - 2.0);
        self.weighted += t * (t - 1.0) * (2.0 * t + 5.0);
    }

    fn of_sorted<T>(values: &[T], same: impl Fn(&T, &T) -> bool) -> Self {
        let mut ties = Self::default();
        for tied in values.chunk_by(same) {
            ties.add(tied.len());
        }
        ties
    }
}

/// Computes Kendall's rank correlation coefficient and its p value.
///
/// # Method
///
/// τ-b: (C - D) / √((n0 - ties in x)(n0 - ties in y)), with n0 = n (n - 1) / 2.
/// C and D count concordant and discordant pairs (Kendall 1938), by Knight's (1966) merge sort in
/// O(n ln n). Exact p value: twice the share of the n! orders with at most min(C, D) inversions; with
/// ties the share of the orders for which C - D is at least as far from 0, by enumeration.
/// Asymptotic: z = (C - D) / √v with Kendall's (1970) variance
///
/// v = \[n (n - 1) (2n + 5) - Σ_x t (t - 1) (2t + 5) - Σ_y t (t - 1) (2t + 5)\] / 18 + Σ_x t (t - 1)
/// Σ_y t (t - 1) / (2 n (n - 1)) + Σ_x t (t - 1) (t - 2) Σ_y t (t - 1) (t - 2) / (9 n (n - 1) (n - 2)).
///
/// # Errors
///
/// [`StatError::Lengths`] for unequal lengths, [`StatError::TooFew`] for fewer than two pairs,
/// [`StatError::NotFinite`] for NaN or infinity, and [`StatError::Degenerate`] for a constant
/// variable.
///
/// # Examples
///
/// ```
/// # use hype_stats::correlation::{KendallMethod, kendall};
/// let (x, y) = ([1.0, 2.0, 3.0, 4.0], [1.0, 3.0, 2.0, 4.0]);
/// let found = kendall(&x, &y, KendallMethod::Auto)?;
/// assert!((found.tau - 2.0 / 3.0).abs() < 1e-15);
/// assert!((found.p - 1.0 / 3.0).abs() < 1e-15);
/// # Ok::<(), hype_stats::StatError>(())
/// ```
pub fn kendall(x: &[f64], y: &[f64], method: KendallMethod) -> Result<Kendall, StatError> {
    check_pairs(NAME, x, y, 2)?;
    let count = x.len();
    // Adding zero makes zeros of either sign equal: sorting by bits finds ties.
    let mut pairs: Vec<(f64, f64)> = x.iter().zip(y).map(|(x, y)| (x + 0.0, y + 0.0)).collect();
    pairs.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let ties_x = Ties::of_sorted(&pairs, |a, b| a.0.total_cmp(&b.0).is_eq());
    let ties_both =
        Ties::of_sorted(&pairs, |a, b| a.0.total_cmp(&b.0).is_eq() && a.1.total_cmp(&b.1).is_eq());
    let mut values: Vec<f64> = pairs.iter().map(|pair| pair.1).collect();
    let discordant = sort_counting(&mut values) as f64;
    let ties_y = Ties::of_sorted(&values, |a, b| a.total_cmp(b).is_eq());

    let n = count as f64;
    let total = 0.5 * n * (n - 1.0);
    if ties_x.pairs >= total || ties_y.pairs >= total {
        return Err(constant(NAME));
    }
    let concordant = total - ties_x.pairs - ties_y.pairs + ties_both.pairs - discordant;
    let excess = concordant - discordant;
    let tau = excess / (total - ties_x.pairs).sqrt() / (total - ties_y.pairs).sqrt();
    let tied = ties_x.pairs > 0.0 || ties_y.pairs > 0.0;
    let fewest = concordant.min(discordant);
    let enumerable = count <= MOST_ENUMERATED_PAIRS;
    let exact = match method {
        KendallMethod::Asymptotic => false,
        KendallMethod::Auto => enumerable || !tied && (count <= MOST_EXACT_PAIRS || fewest <= 1.0),
    };
    let p = match (exact, tied) {
        (false, _) => asymptotic_p(n, excess, ties_x, ties_y),
        (true, false) => exact_p(count, fewest as usize),
        (true, true) => tied_p(&pairs, &values, excess),
    };
    Ok(Kendall { tau: tau.clamp(-1.0, 1.0), p, exact })
}

/// The share of the orders of y for which C - D is at least as far from zero as `excess`, with ties.
fn tied_p(pairs: &[(f64, f64)], sorted_y: &[f64], excess: f64) -> f64 {
    let counts: Vec<u8> =
        sorted_y.chunk_by(|a, b| a.total_cmp(b).is_eq()).map(|tied| tied.len() as u8).collect();
    // The pairs are sorted by x, so an earlier place has a smaller x, or one that is tied.
    share_as_extreme(&counts, excess as i64, |place, value, before| {
        let x = pairs[place].0;
        let smaller = pairs[..place].iter().zip(before).filter(|(pair, _)| pair.0 < x);
        smaller.map(|(_, &other)| value.cmp(&other) as i64).sum()
    })
}

/// Sorts, and counts the exchanges of neighbours that are needed.
fn sort_counting(values: &mut [f64]) -> u64 {
    let middle = values.len() / 2;
    if middle == 0 {
        return 0;
    }
    let mut exchanges = sort_counting(&mut values[..middle]) + sort_counting(&mut values[middle..]);
    let left = values[..middle].to_vec();
    let (mut from_left, mut from_right) = (0, middle);
    for place in 0..values.len() {
        let take_right =
            from_right < values.len() && (from_left == left.len() || values[from_right] < left[from_left]);
        if take_right {
            exchanges += (left.len() - from_left) as u64;
            values[place] = values[from_right];
            from_right += 1;
        } else {
            values[place] = left[from_left];
            from_left += 1;
        }
    }
    exchanges
}

/// Twice the share of the orders of `count` values with at most `fewest` inversions.
fn exact_p(count: usize, fewest: usize) -> f64 {
    if 4 * fewest == count * (count - 1) {
        return 1.0;
    }
    // share[i] is the share of the orders of the first values that have i inversions.
    let mut share = vec![0.0; fewest + 1];
    share[0] = 1.0;
    for size in 2..=count {
        let mut window = 0.0;
        let before = share.clone();
        for inversions in 0..=fewest {
            window += before[inversions];
            if inversions >= size {
                window -= before[inversions - size];
            }
            share[inversions] = window / size as f64;
        }
    }
    (2.0 * share.iter().sum::<f64>()).clamp(0.0, 1.0)
}

fn asymptotic_p(n: f64, excess: f64, x: Ties, y: Ties) -> f64 {
    let orders = n * (n - 1.0);
    let mut variance =
        (orders * (2.0 * n + 5.0) - x.weighted - y.weighted) / 18.0 + 2.0 * x.pairs * y.pairs / orders;
    if n > 2.0 {
        variance += x.triples * y.triples / (9.0 * orders * (n - 2.0));
    }
    2.0 * normal_sf((excess / variance.sqrt()).abs())
}
