//! The variances that are expected of raters who contribute different numbers of responses, and the degrees of freedom that follow.

/// Differences of weights below this share are of rounding.
pub(super) const ROUNDING: f64 = 1e-5;

/// Those who count for the same estimates.
pub(super) struct Stratum<'a> {
    /// The weights of one of them.
    pub(super) first: &'a [f64],
    /// The sum of their squares.
    pub(super) squares: f64,
    /// The share of each in the weighted sum of estimates.
    pub(super) shares: Vec<f64>,
}

/// The variance that is expected of the contribution of a rater with the share p: p `noise` + p² `tastes`.
pub(super) struct Expected {
    noise: f64,
    tastes: f64,
}

impl Expected {
    /// By moments: the sum of the squares of raters, and the `independent` variance that all would have together if cells
    /// were independent, with the sum of the squares of the cells' shares. Where these do not tell the two apart, all is
    /// taken for tastes, with which unequal raters weigh most.
    pub(super) fn new(variance: f64, strata: &[Stratum<'_>], independent: Option<(f64, f64)>) -> Self {
        let of_shares: f64 =
            strata.iter().flat_map(|stratum| &stratum.shares).map(|share| share * share).sum();
        let most = variance / of_shares;
        let tastes = match independent {
            Some((alone, of_cells)) if of_shares > of_cells * (1.0 + ROUNDING) => {
                ((variance - alone) / (of_shares - of_cells)).clamp(0.0, most)
            }
            _ => most,
        };
        Self { noise: variance - tastes * of_shares, tastes }
    }

    /// The degrees of freedom of the sum of squares of raters with these shares: (Σ v)² / Σ v² - 1 for the expected variances
    /// v of their contributions, which is one less than their number if the shares are equal.
    pub(super) fn degrees_of_freedom(&self, shares: &[f64]) -> f64 {
        let count = shares.len() as f64;
        let mean = shares.iter().sum::<f64>() / count;
        let (mut sum, mut squares) = (0.0, 0.0);
        for share in shares {
            let expected = share * self.noise + share * share * self.tastes;
            sum += expected;
            squares += expected * expected;
        }
        let are_equal = shares.iter().all(|share| (share - mean).abs() <= ROUNDING * mean);
        if are_equal || squares == 0.0 {
            return (count - 1.0).max(1.0);
        }
        (sum * sum / squares - 1.0).max(f64::MIN_POSITIVE)
    }
}

/// Responses of one rater to one item.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cell {
    pub(super) rater: u32,
    pub(super) item: u32,
    /// The number of contributions.
    pub(super) count: u32,
}

/// The content of a cell, entry by entry.
#[derive(Clone, Copy)]
pub(super) struct InCell<'a> {
    pub(super) cell: Cell,
    pub(super) of: &'a [u32],
    pub(super) values: &'a [f64],
    pub(super) weights: &'a [f32],
}

impl Cell {
    /// Orders by raters and then items.
    pub(super) const fn key(&self) -> u64 {
        (self.rater as u64) << 32 | self.item as u64
    }
}

/// The covariances of estimates if cells were independent.
#[derive(Debug, Clone)]
pub(super) struct Independent {
    /// By rows.
    pub(super) covariances: Vec<f64>,
    /// For each estimate the sum of the squares of the cells' shares.
    pub(super) concentration: Vec<f64>,
}

impl Independent {
    /// Of `k` estimates, by the cells' contributions.
    pub(super) fn new<'a>(k: usize, cells: impl Iterator<Item = InCell<'a>>) -> Self {
        let mut covariances = vec![0.0; k * k];
        let (mut squares, mut totals) = (vec![0.0; k], vec![0.0; k]);
        let (mut sums, mut touched) = (vec![(0.0, 0.0); k], Vec::new());
        for InCell { of, values, weights, .. } in cells {
            for ((&estimate, &value), &weight) in of.iter().zip(values).zip(weights) {
                let (sum, own) = &mut sums[estimate as usize];
                if *own == 0.0 {
                    touched.push(estimate as usize);
                }
                *sum += value;
                *own += f64::from(weight);
            }
            for &left in &touched {
                for &right in &touched {
                    covariances[left * k + right] += sums[left].0 * sums[right].0;
                }
            }
            for estimate in touched.drain(..) {
                let (_, own) = std::mem::take(&mut sums[estimate]);
                squares[estimate] += own * own;
                totals[estimate] += own;
            }
        }
        let concentration =
            squares.iter().zip(totals).map(|(square, total)| square / (total * total)).collect();
        Self { covariances, concentration }
    }

    /// The variance of a weighted sum of estimates, and the sum of the squares of the cells' shares in it.
    pub(super) fn of(&self, weights: &[(usize, f64)]) -> (f64, f64) {
        let k = self.concentration.len();
        let variance = quadratic(&self.covariances, k, weights);
        let all: f64 = weights.iter().map(|(_, weight)| weight.abs()).sum();
        let shares =
            weights.iter().map(|&(estimate, weight)| weight.abs() / all * self.concentration[estimate]);
        (variance, shares.sum())
    }
}

/// The sum of the products of all pairs of weights with the entries of a matrix of `k` rows.
pub(super) fn quadratic(matrix: &[f64], k: usize, weights: &[(usize, f64)]) -> f64 {
    weights
        .iter()
        .flat_map(|left| weights.iter().map(move |right| (left, right)))
        .map(|(left, right)| left.1 * right.1 * matrix[left.0 * k + right.0])
        .sum()
}
