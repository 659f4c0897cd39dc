//! Gwet's AC1 and AC2.

use super::fleiss::mean_shares;
use super::items::{Items, sum_items, total_items};
use super::{ALL_THE_SAME, check_paired_items};
use crate::StatError;
use crate::describe::{sum, sum_by};

const NAME: &str = "Gwet's coefficient";

/// How far two values agree in Gwet's coefficient, from 0 to 1, by the type of their scale.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum GwetWeights {
    /// 1 for the same value, else 0: AC1.
    Identity,
    /// 1 - (d + 1) d / (q (q - 1)) for values that are d places apart among q: AC2 for ordered categories.
    Ordinal,
    /// 1 - (c - k)² / (max - min)²: AC2 for numbers with meaningful differences.
    Quadratic,
}

impl GwetWeights {
    /// The agreement of the values at two places.
    fn of(self, values: &[f64], one: usize, other: usize) -> f64 {
        if one == other {
            return 1.0;
        }
        let last = values.len() - 1;
        match self {
            Self::Identity => 0.0,
            Self::Ordinal => {
                let apart = one.abs_diff(other) as f64;
                1.0 - apart * (apart + 1.0) / (values.len() as f64 * last as f64)
            }
            Self::Quadratic => {
                let distance = (values[one] - values[other]) / (values[last] - values[0]);
                1.0 - distance * distance
            }
        }
    }

    /// The sum of the agreement of all pairs of values.
    fn total(self, values: &[f64]) -> f64 {
        let count = values.len() as f64;
        match self {
            Self::Identity => count,
            // The sum over d of 2 (q - d) d (d + 1) is (q - 1) q (q + 1) (q + 2) / 6.
            Self::Ordinal => count * count - (count + 1.0) * (count + 2.0) / 6.0,
            Self::Quadratic => {
                let width = values[values.len() - 1] - values[0];
                let place = |at: usize| (values[at] - values[0]) / width;
                let (all, squares) =
                    (sum_by(values.len(), place), sum_by(values.len(), |at| place(at) * place(at)));
                count * count - 2.0 * (count * squares - all * all)
            }
        }
    }
}

/// The mean agreement within items, and that by chance.
struct Agreed {
    observed: f64,
    by_chance: f64,
}

/// Gwet's coefficient (P̄ - P_e) / (1 - P_e) of items that may have different numbers of ratings.
pub(super) fn gwet<I: Items>(items: &I, values: &[f64], weights: GwetWeights) -> Result<f64, StatError> {
    let Agreed { observed, by_chance } = agreed(items, values, weights)?;
    Ok((observed - by_chance) / (1.0 - by_chance))
}

/// The disagreement that chance gives by Gwet's coefficient, 1 - P_e.
pub(super) fn disagreement_by_chance<I: Items>(
    items: &I,
    values: &[f64],
    weights: GwetWeights,
) -> Result<f64, StatError> {
    Ok(1.0 - agreed(items, values, weights)?.by_chance)
}

fn agreed<I: Items>(items: &I, values: &[f64], weights: GwetWeights) -> Result<Agreed, StatError> {
    let width = values.len();
    if width < 2 {
        return Err(StatError::Degenerate { statistic: NAME, reason: ALL_THE_SAME });
    }
    let counts = total_items(items, 2, |totals, item, weight| {
        let size = items.size(item);
        totals[0] += weight * f64::from(u8::from(size.total > 0.0));
        totals[1] += weight * f64::from(u8::from(size.pairs > 0.0));
    });
    let [rated, paired] = [counts[0], counts[1]];
    check_paired_items(NAME, 2, paired)?;
    let within = sum_items(items, |item| {
        let size = items.size(item);
        if size.pairs <= 0.0 {
            return 0.0;
        }
        let mut alike = 0.0;
        items.for_each(item, |place, count| {
            // A rating is not paired with itself.
            let mut agreeing = -1.0;
            items.for_each(item, |other, others| agreeing += weights.of(values, place, other) * others);
            alike += count * agreeing;
        });
        alike / size.pairs
    });
    let shares = mean_shares(items, width, rated);
    let varied: Vec<f64> = shares.iter().map(|share| share * (1.0 - share)).collect();
    let q = width as f64;
    Ok(Agreed {
        observed: within / paired,
        by_chance: weights.total(values) / (q * (q - 1.0)) * sum(&varied),
    })
}
