//! Resamples of units that fall into groups of equal ones: how often each group is drawn.

use super::draws::{Bound, Draws};

/// Standard deviations that the Poisson counts' mean stays below the number of units.
const MARGIN: f64 = 4.0;
/// The share of the greatest probability below which a Poisson count is left out, far below what 64 bits resolve.
const NEGLIGIBLE: f64 = 1e-30;

/// The number of times that each group is drawn, if as many units are drawn with replacement as there are.
///
/// # Method
///
/// Independent Poisson counts of the groups, with means in proportion to their sizes, are multinomial given their
/// total t (Johnson, Kotz and Balakrishnan 1997, "Discrete Multivariate Distributions", section 35.1). Together with
/// n - t single draws they are a multinomial of n, whatever t is, as long as t ≤ n. The means add up to four standard
/// deviations less than n, so hardly any set of counts has to be drawn again, and a resample costs the groups and
/// 4 √n draws in place of n.
///
/// # Numerics
///
/// Counts are drawn from alias tables (Walker 1977; Vose 1991), which groups of one size share, made by `+ - × ÷`
/// and `√` alone: a seed gives the same counts on every machine. Probabilities are exact to about 2^-50.
#[derive(Debug)]
pub(crate) struct GroupDraws {
    units: u32,
    /// The table of each group's counts.
    table_of: Vec<u32>,
    tables: Vec<AliasTable>,
    group_of: Vec<u32>,
}

impl GroupDraws {
    /// Prepares for units of these groups, which are numbered from 0; `units` is their number as an index.
    pub(crate) fn new(groups: usize, group_of: Vec<u32>, units: u32) -> Self {
        let mut sizes = vec![0_u32; groups];
        group_of.iter().for_each(|&group| sizes[group as usize] += 1);
        let count = f64::from(units);
        let share = (1.0 - MARGIN / count.sqrt()).max(0.0);
        let mut distinct = sizes.clone();
        distinct.sort_unstable();
        distinct.dedup();
        let tables = distinct.iter().map(|&size| AliasTable::poisson(share * f64::from(size))).collect();
        let table_of =
            sizes.iter().map(|size| distinct.partition_point(|other| other < size) as u32).collect();
        Self { units, table_of, tables, group_of }
    }

    /// Number of groups.
    pub(crate) const fn groups(&self) -> usize {
        self.table_of.len()
    }

    /// Draws as many units as there are, and writes how often each group came.
    pub(crate) fn fill(&self, draws: &mut Draws, times: &mut [u32]) {
        let total = loop {
            let mut total = 0_u64;
            for (times, &table) in times.iter_mut().zip(&self.table_of) {
                *times = self.tables[table as usize].draw(draws);
                total += u64::from(*times);
            }
            if total <= u64::from(self.units) {
                break total;
            }
        };
        let bound = Bound::new(self.units);
        let mut singles = [0; 64];
        let mut rest = (u64::from(self.units) - total) as usize;
        while rest > 0 {
            let some = &mut singles[..rest.min(64)];
            draws.fill_below(bound, some);
            some.iter().for_each(|&unit| times[self.group_of[unit as usize] as usize] += 1);
            rest -= some.len();
        }
    }
}

/// A distribution of whole numbers, drawn from with one random word.
#[derive(Debug)]
struct AliasTable {
    /// The number of the first column.
    first: u32,
    /// For each column the share, out of 2^64, that has the column's own number, and the other number.
    columns: Vec<(u64, u32)>,
}

impl AliasTable {
    /// The Poisson distribution with this mean.
    fn poisson(mean: f64) -> Self {
        let mode = mean.floor();
        let mut weights = vec![1.0];
        let mut below = mode;
        while below > 0.0 && weights[weights.len() - 1] > NEGLIGIBLE {
            weights.push(weights[weights.len() - 1] * (below / mean));
            below -= 1.0;
        }
        weights.reverse();
        let (mut above, mut weight) = (mode, 1.0);
        while weight > NEGLIGIBLE {
            above += 1.0;
            weight *= mean / above;
            weights.push(weight);
        }
        Self::new(below as u32, &weights)
    }

    /// Vose's construction.
    fn new(first: u32, weights: &[f64]) -> Self {
        let count = weights.len();
        let total: f64 = weights.iter().sum();
        let mut shares: Vec<f64> = weights.iter().map(|weight| weight / total * count as f64).collect();
        let (mut small, mut large): (Vec<usize>, Vec<usize>) =
            (0..count).partition(|&column| shares[column] < 1.0);
        // The remainder of rounding at the end is a full column of its own.
        let mut columns: Vec<(u64, u32)> =
            (0..count).map(|column| (u64::MAX, first + column as u32)).collect();
        while let (Some(&column), Some(&donor)) = (small.last(), large.last()) {
            small.pop();
            // A share below 1 is below 2^64 in the table's unit; the conversion rounds down.
            columns[column] = ((shares[column] * 18_446_744_073_709_551_616.0) as u64, first + donor as u32);
            shares[donor] -= 1.0 - shares[column];
            if shares[donor] < 1.0 {
                large.pop();
                small.push(donor);
            }
        }
        Self { first, columns }
    }

    #[inline]
    fn draw(&self, draws: &mut Draws) -> u32 {
        // The upper half of the product is a column, the lower half is uniform within it.
        let wide = u128::from(draws.word()) * self.columns.len() as u128;
        let column = (wide >> 64) as usize;
        let (own, other) = self.columns[column];
        if wide as u64 <= own { self.first + column as u32 } else { other }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    /// The probability of each number of a table, from its columns.
    fn probabilities(table: &AliasTable) -> Vec<f64> {
        let width = 1.0 / table.columns.len() as f64;
        let mut probabilities = vec![0.0; table.columns.len()];
        for (column, &(own, other)) in table.columns.iter().enumerate() {
            let own = own as f64 / 18_446_744_073_709_551_616.0;
            probabilities[column] += own * width;
            probabilities[(other - table.first) as usize] += (1.0 - own) * width;
        }
        probabilities
    }

    #[test]
    fn tables_hold_the_poisson_distribution() {
        for mean in [0.3, 0.987, 1.0, 5.5, 42.0, 9_876.5] {
            let table = AliasTable::poisson(mean);
            for (number, got) in (table.first..).zip(probabilities(&table)) {
                let number = f64::from(number);
                // By its definition, with the gamma function of the C library.
                let want = (number * mean.ln() - mean - libm::lgamma(number + 1.0)).exp();
                assert!((got - want).abs() < 1e-11, "{mean} {number}: {got} {want}");
            }
        }
    }

    #[test]
    fn counts_have_the_moments_of_the_multinomial() {
        const RESAMPLES: u64 = 40_000;
        let sizes = [1_u32, 1, 2, 17, 300, 1_500, 2_275];
        let units: u32 = sizes.iter().sum();
        let group_of: Vec<u32> = (0_u32..)
            .zip(sizes)
            .flat_map(|(group, size)| std::iter::repeat_n(group, size as usize))
            .collect();
        let groups = GroupDraws::new(sizes.len(), group_of, units);
        let mut draws = Draws::new(3, 0);
        let mut times = vec![0; sizes.len()];
        let mut sums = vec![0.0; sizes.len()];
        let mut products = vec![vec![0.0; sizes.len()]; sizes.len()];
        for _ in 0..RESAMPLES {
            groups.fill(&mut draws, &mut times);
            assert_eq!(times.iter().sum::<u32>(), units);
            let apart: Vec<f64> =
                times.iter().zip(sizes).map(|(&times, size)| f64::from(times) - f64::from(size)).collect();
            for (a, one) in apart.iter().enumerate() {
                sums[a] += one;
                for (b, other) in apart.iter().enumerate() {
                    products[a][b] += one * other;
                }
            }
        }
        let (count, n) = (RESAMPLES as f64, f64::from(units));
        for (a, size) in sizes.into_iter().enumerate() {
            let share = f64::from(size) / n;
            let variance = n * share * (1.0 - share);
            // Five standard errors; the fourth moment of a count is at most 3 v² + v.
            assert!((sums[a] / count).abs() < 5.0 * (variance / count).sqrt(), "mean of {size}");
            for (b, other) in sizes.into_iter().enumerate() {
                let (want, second) = if a == b {
                    (variance, variance)
                } else {
                    let beside = f64::from(other) / n;
                    (-n * share * beside, n * beside * (1.0 - beside))
                };
                let error = ((2.0 * variance * second + variance.max(second)) / count).sqrt();
                assert!((products[a][b] / count - want).abs() < 5.0 * error, "{size} and {other}");
            }
        }
    }

    #[test]
    fn golden_counts() {
        let group_of: Vec<u32> = (0..5_000_u32).map(|unit| (unit * unit) % 11).collect();
        let groups = GroupDraws::new(11, group_of, 5_000);
        let mut times = [0; 11];
        groups.fill(&mut Draws::new(7, 3), &mut times);
        assert_eq!(times, GOLDEN);
    }

    const GOLDEN: [u32; 11] = [492, 931, 0, 919, 921, 866, 0, 0, 0, 871, 0];
}
