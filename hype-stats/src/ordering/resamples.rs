//! How often each order of the models came up among resamples.

use std::collections::BTreeMap;

use crate::StatError;
use crate::equivalence::Better;

/// The share of resamples in which the models stood in one order.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct OrderShare {
    /// The models from the best to the worst; those in one group were equal.
    pub order: Vec<Vec<usize>>,
    /// Share of the resamples.
    pub share: f64,
}

/// How often each model led, and how often the models stood in each order, among resamples.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct OrderShares {
    /// Number of resamples that were counted.
    pub resamples: usize,
    /// Number of resamples left out because a value was not finite.
    pub undefined: usize,
    /// Share of the resamples that each model led; models that were equal share the lead.
    pub lead: Vec<f64>,
    /// The orders that came up, the most frequent first; equally frequent ones in the order of their
    /// models.
    pub orders: Vec<OrderShare>,
}

/// Counts how often each model led and each order came up among resamples.
///
/// `values` holds the estimates of one resample after the other, each with one value for every model.
///
/// The shares describe how the order depends on the sample. They are not probabilities that an order is
/// true: of two equal models, one leads in nine of ten resamples in a fifth of all studies. Whether a model
/// is ahead is said by [`PairwiseOrder`](super::PairwiseOrder).
///
/// # Errors
///
/// [`StatError::TooFew`] for fewer than two models or without a resample whose values are all finite, and
/// [`StatError::Lengths`] if `values` are not whole resamples.
///
/// # Examples
///
/// ```
/// use hype_stats::equivalence::Better;
/// use hype_stats::ordering::order_shares;
/// let found = order_shares(&[0.5, 0.3, 0.6, 0.2, 0.4, 0.4, 0.1, 0.2], 2, Better::Higher)?;
/// assert_eq!(found.lead, [0.625, 0.375]);
/// assert_eq!((&found.orders[0].order[..], found.orders[0].share), (&[vec![0], vec![1]][..], 0.5));
/// # Ok::<(), hype_stats::StatError>(())
/// ```
pub fn order_shares(values: &[f64], models: usize, better: Better) -> Result<OrderShares, StatError> {
    const NAME: &str = "shares of orders";
    if models < 2 {
        return Err(StatError::TooFew { statistic: NAME, needed: 2, of: "models", got: models });
    }
    if !values.len().is_multiple_of(models) {
        let whole = values.len() - values.len() % models;
        return Err(StatError::Lengths { statistic: NAME, left: whole, right: values.len() });
    }
    // An order is written as the models from the best to the worst, each with whether it is equal to the
    // one before.
    let mut counts: BTreeMap<Vec<(usize, bool)>, usize> = BTreeMap::new();
    let mut resamples = 0_usize;
    let mut order: Vec<usize> = Vec::with_capacity(models);
    for resample in values.chunks_exact(models) {
        if !resample.iter().all(|value| value.is_finite()) {
            continue;
        }
        resamples += 1;
        order.clear();
        order.extend(0..models);
        // Adding zero makes zeros of either sign equal. The sort is stable: equal models keep
        // their order.
        let key = |model: usize| resample[model] + 0.0;
        order.sort_by(|&left, &right| match better {
            Better::Higher => key(right).total_cmp(&key(left)),
            Better::Lower => key(left).total_cmp(&key(right)),
        });
        let tied = |place: usize| place > 0 && key(order[place - 1]).total_cmp(&key(order[place])).is_eq();
        let written = order.iter().enumerate().map(|(place, &model)| (model, tied(place))).collect();
        *counts.entry(written).or_default() += 1;
    }
    if resamples == 0 {
        return Err(StatError::TooFew { statistic: NAME, needed: 1, of: "resamples", got: 0 });
    }
    let mut lead = vec![0.0; models];
    let mut orders: Vec<(usize, Vec<Vec<usize>>)> = Vec::with_capacity(counts.len());
    for (written, count) in counts {
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for (model, tied) in written {
            match groups.last_mut() {
                Some(group) if tied => group.push(model),
                _ => groups.push(vec![model]),
            }
        }
        for &model in &groups[0] {
            lead[model] += count as f64 / (groups[0].len() * resamples) as f64;
        }
        orders.push((count, groups));
    }
    orders.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
    let share = |(count, order)| OrderShare { order, share: count as f64 / resamples as f64 };
    Ok(OrderShares {
        resamples,
        undefined: values.len() / models - resamples,
        lead,
        orders: orders.into_iter().map(share).collect(),
    })
}
