//! P values adjusted for the number of tests.

use crate::StatError;

/// Methods of adjusting p values for the number of tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum PValueAdjustment {
    /// Bonferroni: m p. Any dependence.
    Bonferroni,
    /// Šidák (1967): 1 - (1 - p)^m. Independence, or positive dependence.
    Sidak,
    /// Holm (1979), stepping down: (m - i + 1) p_(i). Any dependence, stronger than Bonferroni.
    Holm,
    /// Holm's steps with Šidák's factor: 1 - (1 - p_(i))^(m - i + 1).
    HolmSidak,
    /// Hochberg (1988), stepping up: (m - i + 1) p_(i). Requires Simes's inequality.
    Hochberg,
    /// Hommel (1988), closed testing by Simes's inequality: stronger than Hochberg.
    Hommel,
    /// Benjamini and Hochberg (1995): m p_(i) / i. Holds the false discovery rate under
    /// independence or positive dependence.
    BenjaminiHochberg,
    /// Benjamini and Yekutieli (2001): m (Σ 1/j) p_(i) / i. Holds the false discovery rate under any
    /// dependence.
    BenjaminiYekutieli,
}

/// Adjusts p values for the number of tests, in the order given.
///
/// A test is significant at a family-wise error rate, or false discovery rate, of α where its
/// adjusted p value is at most α.
///
/// # Method
///
/// As named by [`PValueAdjustment`], with p_(1) ≤ … ≤ p_(m). Methods that step down use the running
/// maximum from the smallest p value, those that step up the running minimum from the largest; all
/// are clipped at 1. The values are those of Wright (1992), "Adjusted p-values for simultaneous
/// inference".
///
/// # Errors
///
/// [`StatError::Parameter`] for a p value outside 0..=1 or NaN.
///
/// # Examples
///
/// ```
/// # use hype_stats::multiple::{PValueAdjustment, adjust};
/// assert_eq!(adjust(&[0.25, 0.125], PValueAdjustment::Holm)?, [0.25, 0.25]);
/// # Ok::<(), hype_stats::StatError>(())
/// ```
pub fn adjust(p_values: &[f64], adjustment: PValueAdjustment) -> Result<Vec<f64>, StatError> {
    for &p in p_values {
        if !(0.0..=1.0).contains(&p) {
            return Err(StatError::Parameter { parameter: "p value", expected: "between 0 and 1", got: p });
        }
    }
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|&left, &right| p_values[left].total_cmp(&p_values[right]));
    let sorted: Vec<f64> = order.iter().map(|&index| p_values[index]).collect();
    let count = sorted.len() as f64;
    let sidak = |p: f64, power: f64| -(power * (-p).ln_1p()).exp_m1();
    // The smallest p value has rank 1, and m tests remain.
    let raw = |factor: &dyn Fn(f64, f64) -> f64| -> Vec<f64> {
        let ranked = sorted.iter().enumerate();
        ranked.map(|(index, &p)| factor(p, index as f64 + 1.0)).collect()
    };
    let found = match adjustment {
        PValueAdjustment::Bonferroni => raw(&|p, _| count * p),
        PValueAdjustment::Sidak => raw(&|p, _| sidak(p, count)),
        PValueAdjustment::Holm => step_down(raw(&|p, rank| (count - rank + 1.0) * p)),
        PValueAdjustment::HolmSidak => step_down(raw(&|p, rank| sidak(p, count - rank + 1.0))),
        PValueAdjustment::Hochberg => step_up(raw(&|p, rank| (count - rank + 1.0) * p)),
        PValueAdjustment::Hommel => hommel(&sorted),
        PValueAdjustment::BenjaminiHochberg => step_up(raw(&|p, rank| p * count / rank)),
        PValueAdjustment::BenjaminiYekutieli => {
            let harmonic: f64 = (1..=sorted.len()).rev().map(|rank| (rank as f64).recip()).sum();
            step_up(raw(&|p, rank| p * count / rank * harmonic))
        }
    };
    let mut adjusted = vec![0.0; sorted.len()];
    for (&index, p) in order.iter().zip(found) {
        adjusted[index] = p.min(1.0);
    }
    Ok(adjusted)
}

fn step_down(mut values: Vec<f64>) -> Vec<f64> {
    for index in 1..values.len() {
        values[index] = values[index].max(values[index - 1]);
    }
    values
}

fn step_up(mut values: Vec<f64>) -> Vec<f64> {
    for index in (1..values.len()).rev() {
        values[index - 1] = values[index - 1].min(values[index]);
    }
    values
}

/// Wright's (1992, appendix) algorithm for Hommel's adjusted values of sorted p values.
fn hommel(sorted: &[f64]) -> Vec<f64> {
    let count = sorted.len();
    let mut adjusted = sorted.to_vec();
    for size in (2..=count).rev() {
        let m = size as f64;
        let (small, large) = sorted.split_at(count - size + 1);
        let simes = large
            .iter()
            .enumerate()
            .map(|(index, p)| m * p / (index as f64 + 2.0))
            .fold(f64::INFINITY, f64::min);
        for (own, p) in adjusted.iter_mut().zip(small) {
            *own = own.max(simes.min(m * p));
        }
        for own in &mut adjusted[count - size + 1..] {
            *own = own.max(simes);
        }
    }
    adjusted
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::float_cmp, reason = "tests")]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const ALL: [PValueAdjustment; 8] = [
        PValueAdjustment::Bonferroni,
        PValueAdjustment::Sidak,
        PValueAdjustment::Holm,
        PValueAdjustment::HolmSidak,
        PValueAdjustment::Hochberg,
        PValueAdjustment::Hommel,
        PValueAdjustment::BenjaminiHochberg,
        PValueAdjustment::BenjaminiYekutieli,
    ];

    /// Simes's test of every set of hypotheses, the definition of Hommel's procedure.
    fn closed_by_simes(p: &[f64]) -> Vec<f64> {
        let mut adjusted = vec![0.0_f64; p.len()];
        for set in 1_u32..1 << p.len() {
            let members: Vec<usize> = (0..p.len()).filter(|i| set >> i & 1 == 1).collect();
            let mut values: Vec<f64> = members.iter().map(|&i| p[i]).collect();
            values.sort_by(f64::total_cmp);
            let m = values.len() as f64;
            let simes = values.iter().enumerate().map(|(i, p)| m * p / (i as f64 + 1.0)).fold(1.0, f64::min);
            for i in members {
                adjusted[i] = adjusted[i].max(simes);
            }
        }
        adjusted
    }

    #[test]
    fn none_and_one() {
        for adjustment in ALL {
            assert!(adjust(&[], adjustment).unwrap().is_empty());
            let one = adjust(&[0.03], adjustment).unwrap()[0];
            assert!((one - 0.03).abs() < 1e-16);
            assert!(adjust(&[0.5, f64::NAN], adjustment).is_err());
            assert!(adjust(&[1.5], adjustment).is_err());
        }
    }

    #[test]
    fn tiny_p_values_keep_their_digits() {
        for adjustment in ALL {
            let found = adjust(&[1e-200, 0.5], adjustment).unwrap()[0];
            assert!(found > 1.9e-200 && found < 3.1e-200, "{adjustment:?} {found:e}");
        }
    }

    proptest! {
        #[test]
        fn hommel_is_closed_testing(p in proptest::collection::vec(0.0..1.0_f64, 1..8)) {
            let found = adjust(&p, PValueAdjustment::Hommel).unwrap();
            for (found, want) in found.into_iter().zip(closed_by_simes(&p)) {
                prop_assert!((found - want).abs() < 1e-14);
            }
        }

        #[test]
        fn order_is_kept_and_power_is_ranked(p in proptest::collection::vec(0.0..1.0_f64, 1..30)) {
            let of = |adjustment| adjust(&p, adjustment).unwrap();
            for adjustment in ALL {
                let found = of(adjustment);
                for (a, x) in p.iter().zip(&found) {
                    prop_assert!(*x >= a - 1e-15 && *x <= 1.0);
                    for (b, y) in p.iter().zip(&found) {
                        prop_assert!(a > b || x <= y);
                    }
                }
            }
            for (strong, weak) in [
                (PValueAdjustment::Hommel, PValueAdjustment::Hochberg),
                (PValueAdjustment::Hochberg, PValueAdjustment::Holm),
                (PValueAdjustment::Holm, PValueAdjustment::Bonferroni),
                (PValueAdjustment::HolmSidak, PValueAdjustment::Holm),
                (PValueAdjustment::BenjaminiHochberg, PValueAdjustment::Hochberg),
                (PValueAdjustment::BenjaminiHochberg, PValueAdjustment::BenjaminiYekutieli),
            ] {
                for (strong, weak) in of(strong).into_iter().zip(of(weak)) {
                    prop_assert!(strong <= weak + 1e-14);
                }
            }
        }
    }
}
