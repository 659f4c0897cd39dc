//! Differences between a prompt and its perturbed or translated versions: fairness, robustness, languages.

use hype_stats::bootstrap::{IntervalEstimate, Resamples, clustered_mean};
use hype_stats::describe;

use crate::summary::{LEVEL, check_values, groups};
use crate::{MetricError, SampleMean};

const NAME: &str = "linked difference";
/// Resamples behind the interval.
const RESAMPLES: usize = 10_000;

/// A score of an original prompt and of one version of it: of CLIPScore, of human alignment, of any other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LinkedPair {
    /// The original prompt, which may have several versions.
    pub item: u32,
    /// Score of the original.
    pub original: f64,
    /// Score of the version.
    pub changed: f64,
}

/// How much a score changes with the prompt's wording.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct LinkedDifference {
    /// Mean score of the originals, each once for each of its versions.
    pub original: f64,
    /// Mean score of the versions.
    pub changed: f64,
    /// `changed` - `original`: negative where the model does worse with the changed prompt.
    pub difference: f64,
    /// 95 % paired interval of the difference; `None` for a single item.
    pub interval: Option<IntervalEstimate>,
    /// Over items, the mean of the least score of the original and its versions, which HELM reports as robustness.
    pub worst: SampleMean,
    /// Number of items.
    pub items: usize,
}

/// Compares linked scores.
///
/// # Method
///
/// The difference is taken within each pair, so what items have in common cancels. Whole items are resampled, since
/// versions of one prompt are not independent; the percentile interval is expanded to the width of Student's t for so
/// many items.
///
/// # Errors
///
/// [`MetricError::TooFew`] for no pairs, [`MetricError::NotFiniteValue`] for NaN or infinity.
///
/// # Examples
///
/// ```
/// use hype_metrics::heim::{LinkedPair, linked_difference};
/// let pairs = [(0, 30.0, 28.0), (1, 25.0, 24.0), (2, 33.0, 30.0)]
///     .map(|(item, original, changed)| LinkedPair { item, original, changed });
/// let found = linked_difference(&pairs, 7)?;
/// assert_eq!(found.difference, -2.0);
/// assert!(found.interval.is_some_and(|limits| limits.upper < 0.0));
/// # Ok::<(), hype_metrics::MetricError>(())
/// ```
pub fn linked_difference(pairs: &[LinkedPair], seed: u64) -> Result<LinkedDifference, MetricError> {
    let items: Vec<u32> = pairs.iter().map(|pair| pair.item).collect();
    let values = |score: fn(&LinkedPair) -> f64| pairs.iter().map(score).collect::<Vec<f64>>();
    let (originals, changed) = (values(|pair| pair.original), values(|pair| pair.changed));
    check_values(NAME, &originals)?;
    check_values(NAME, &changed)?;
    if pairs.is_empty() {
        return Err(MetricError::TooFew { metric: NAME, needed: 1, of: "pairs", got: 0 });
    }
    let differences = values(|pair| pair.changed - pair.original);
    let groups = groups(&items);
    let least: Vec<f64> = groups
        .iter()
        .map(|rows| rows.iter().map(|&row| originals[row].min(changed[row])).fold(f64::INFINITY, f64::min))
        .collect();
    let interval = if groups.len() < 2 {
        None
    } else {
        let resamples = clustered_mean(&items, &differences, Resamples::seeded(RESAMPLES, seed))?;
        Some(resamples.expanded_percentile(LEVEL, groups.len())?)
    };
    Ok(LinkedDifference {
        original: describe::mean(&originals)?,
        changed: describe::mean(&changed)?,
        difference: describe::mean(&differences)?,
        interval,
        worst: SampleMean::of(NAME, &least, seed)?,
        items: groups.len(),
    })
}
