//! The posterior of one item.
//!
//! Probabilities are multiplied without logarithms. Their powers of two are split off before they
//! leave the range of a double. This is faster and more accurate than ln and exp of each, and no
//! class underflows for any number of votes.

use super::{Group, LANES, Tables};

/// Minimum entry of the likelihood tables and of a prior above 0.
pub(in super::super) const LEAST: f64 = 1e-20;
/// The maximum number of factors between two splits: a prior and twelve factors of 1e-20 stay above
/// 1e-260.
const FACTORS: usize = 12;

/// The posterior of an item, and the probability of its votes as `evidence` times 2^`exponent`.
pub(super) struct Posterior<'a> {
    pub(super) groups: &'a [Group],
    pub(super) evidence: f64,
    pub(super) exponent: i64,
}

/// Computes the posterior of an item from the rows of its votes.
#[inline(always)]
pub(super) fn posterior<'a>(rows: &[u32], tables: &Tables, scratch: &'a mut [Group]) -> Posterior<'a> {
    scratch.copy_from_slice(&tables.prior[..scratch.len()]);
    let exponent = if rows.len() <= FACTORS {
        multiply(scratch, rows, tables);
        0
    } else {
        multiply_many(scratch, rows, tables)
    };
    let mut lanes = [0.0; LANES];
    for group in &*scratch {
        for (lane, value) in lanes.iter_mut().zip(group) {
            *lane += value;
        }
    }
    let evidence = (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
    let scale = 1.0 / evidence;
    for value in scratch.as_flattened_mut() {
        *value *= scale;
    }
    Posterior { groups: scratch, evidence, exponent }
}

#[inline(always)]
fn multiply(products: &mut [Group], rows: &[u32], tables: &Tables) {
    let groups = products.len();
    for &row in rows {
        let factors = &tables.likelihood[row as usize * groups..][..groups];
        for (products, factors) in products.iter_mut().zip(factors) {
            for (product, factor) in products.iter_mut().zip(factors) {
                *product *= factor;
            }
        }
    }
}

/// Multiplies any number of factors; returns the power of two that was split off all products.
#[cold]
#[inline(never)]
fn multiply_many(products: &mut [Group], rows: &[u32], tables: &Tables) -> i64 {
    let mut exponents = vec![0_i64; products.len() * LANES];
    for rows in rows.chunks(FACTORS) {
        multiply(products, rows, tables);
        for (product, exponent) in products.as_flattened_mut().iter_mut().zip(&mut exponents) {
            // The padding is 0 and stays so.
            if *product > 0.0 {
                let (mantissa, power) = split(*product);
                *product = mantissa;
                *exponent += power;
            }
        }
    }
    let values = products.as_flattened_mut();
    let of_classes = values.iter().zip(&exponents).filter(|&(&value, _)| value > 0.0);
    let top = of_classes.map(|(_, &exponent)| exponent).max().unwrap_or(0);
    for (value, exponent) in values.iter_mut().zip(exponents) {
        *value *= power_of_two(exponent - top);
    }
    top
}

/// Splits a positive normal number into one in 1..2 and a power of two.
const fn split(value: f64) -> (f64, i64) {
    const FRACTION: u64 = (1 << 52) - 1;
    let bits = value.to_bits();
    (f64::from_bits((bits & FRACTION) | (1023 << 52)), (bits >> 52) as i64 - 1023)
}

/// 2^exponent for exponents up to 0, and 0 below the range of normal numbers.
const fn power_of_two(exponent: i64) -> f64 {
    if exponent < -1022 { 0.0 } else { f64::from_bits(((1023 + exponent) as u64) << 52) }
}

/// A product of many positive numbers, whose logarithm is computed once.
pub(in super::super) struct LogProduct {
    mantissa: f64,
    exponent: i64,
}

impl LogProduct {
    pub(in super::super) const ONE: Self = Self { mantissa: 1.0, exponent: 0 };

    /// Multiplies by a positive normal number times a power of two.
    #[inline(always)]
    pub(in super::super) fn multiply(&mut self, value: f64, exponent: i64) {
        let (factor, power) = split(value);
        let (mantissa, carry) = split(self.mantissa * factor);
        self.mantissa = mantissa;
        self.exponent += power + carry + exponent;
    }

    pub(in super::super) fn ln(&self) -> f64 {
        self.mantissa.ln() + self.exponent as f64 * std::f64::consts::LN_2
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_beyond_the_range_of_doubles_keep_their_logarithm() {
        let mut product = LogProduct::ONE;
        for _ in 0..1_000 {
            product.multiply(3e-200, -7);
        }
        let want = 1_000.0 * (3e-200_f64.ln() - 7.0 * std::f64::consts::LN_2);
        assert!((product.ln() / want - 1.0).abs() < 1e-14);
    }

    #[test]
    fn no_class_is_lost_on_the_way() {
        // Forty votes at 1e-15 speak against the first class, then as many against the second: each
        // product alone is 1e-600, and the evidence is even.
        let tables = Tables {
            groups: 1,
            prior: vec![[0.5, 0.5, 0.0, 0.0]],
            likelihood: vec![[1e-15, 1.0, 1.0, 1.0], [1.0, 1e-15, 1.0, 1.0]],
        };
        let rows = [[0; 40], [1; 40]].concat();
        let mut scratch = [[0.0; LANES]];
        let found = posterior(&rows, &tables, &mut scratch);
        assert!((found.groups[0][0] - 0.5).abs() < 1e-12 && (found.groups[0][1] - 0.5).abs() < 1e-12);
        let ln = found.evidence.ln() + found.exponent as f64 * std::f64::consts::LN_2;
        assert!((ln / (40.0 * 1e-15_f64.ln()) - 1.0).abs() < 1e-12);
        assert_eq!(found.groups[0][2..], [0.0, 0.0]);
    }
}
