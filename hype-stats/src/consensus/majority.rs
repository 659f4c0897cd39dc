//! The most frequent label, and the agreement of raters with labels.

use super::check_cells;
use super::posterior::LabelPosteriors;
use super::votes::LabelVotes;
use crate::StatError;

/// The result of a majority vote.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Majority {
    /// The shares of the votes as posterior probabilities, and the labels: of tied ones the lowest.
    pub consensus: LabelPosteriors,
    winners: Vec<u32>,
    starts: Vec<usize>,
}

impl Majority {
    /// The labels with most votes in ascending order: several if tied, none without votes.
    #[must_use]
    pub fn winners(&self, item: usize) -> &[u32] {
        match self.starts.get(item..item.saturating_add(2)) {
            Some(&[start, end]) => &self.winners[start..end],
            _ => &[],
        }
    }
}

/// Finds the most frequent label of each item.
///
/// # Method
///
/// The posterior of an item is the share of its votes for each label. An item without votes gets the
/// mean of the shares of all others and no label.
///
/// # Errors
///
/// [`StatError::Parameter`] if items times labels exceed 2^29.
///
/// # Examples
///
/// ```
/// use hype_stats::consensus::{LabelVotes, majority_vote};
/// let votes = LabelVotes::from_columns(&[0, 0, 0, 1, 1], &[0, 1, 2, 0, 1], &[1, 1, 0, 0, 1])?;
/// let majority = majority_vote(&votes)?;
/// assert_eq!(majority.winners(0), [1]);
/// assert_eq!(majority.winners(1), [0, 1]);
/// assert_eq!(majority.consensus.posterior(1), [0.5, 0.5]);
/// # Ok::<(), hype_stats::StatError>(())
/// ```
pub fn majority_vote(votes: &LabelVotes) -> Result<Majority, StatError> {
    let labels = votes.labels();
    let mut shares =
        vec![0.0; check_cells("number of items times number of labels", &[votes.items(), labels])?];
    let (mut winners, mut starts) =
        (Vec::with_capacity(votes.items()), Vec::with_capacity(votes.items() + 1));
    let mut counts = vec![0_u32; labels];
    for (item, shares) in shares.chunks_exact_mut(labels).enumerate() {
        starts.push(winners.len());
        counts.fill(0);
        for (_, label) in votes.of_item(item) {
            counts[label] += 1;
        }
        let total = votes.of_item(item).len().max(1) as f64;
        for (share, &count) in shares.iter_mut().zip(&counts) {
            *share = f64::from(count) / total;
        }
        let most = counts.iter().copied().max().unwrap_or(0);
        if most > 0 {
            winners.extend((0..).zip(&counts).filter(|&(_, &count)| count == most).map(|(label, _)| label));
        }
    }
    starts.push(winners.len());
    fill_unvoted(votes, &mut shares);
    Ok(Majority { consensus: LabelPosteriors::new(votes, shares), winners, starts })
}

/// Fills items without votes with the mean of all items with votes.
fn fill_unvoted(votes: &LabelVotes, shares: &mut [f64]) {
    let voted = |item: usize| votes.of_item(item).len() > 0;
    if (0..votes.items()).all(voted) {
        return;
    }
    let mut mean = vec![0.0; votes.labels()];
    let mut count = 0.0;
    for (_, shares) in shares.chunks_exact(mean.len()).enumerate().filter(|&(item, _)| voted(item)) {
        count += 1.0;
        mean.iter_mut().zip(shares).for_each(|(mean, share)| *mean += share);
    }
    mean.iter_mut().for_each(|mean| *mean /= count);
    for (_, shares) in shares.chunks_exact_mut(mean.len()).enumerate().filter(|&(item, _)| !voted(item)) {
        shares.copy_from_slice(&mean);
    }
}

/// Computes how often each rater agrees with given labels, such as those of a majority or of experts.
///
/// An answer that a rater repeats on an item counts once. Items whose label is `None` are ignored; a
/// rater without any other vote has `None`.
///
/// # Errors
///
/// [`StatError::Lengths`] unless there is one label for each item.
pub fn agreement(votes: &LabelVotes, labels: &[Option<u32>]) -> Result<Vec<Option<f64>>, StatError> {
    if labels.len() != votes.items() {
        return Err(StatError::Lengths { statistic: "agreement", left: votes.items(), right: labels.len() });
    }
    let mut counts = vec![(0_u32, 0_u32); votes.raters()];
    for (item, truth) in labels.iter().enumerate() {
        let Some(truth) = truth else {
            continue;
        };
        let mut last = None;
        for vote in votes.of_item(item) {
            if last.replace(vote) != Some(vote) {
                let (agreed, all) = &mut counts[vote.0];
                *agreed += u32::from(vote.1 == *truth as usize);
                *all += 1;
            }
        }
    }
    let share = |(agreed, all): (u32, u32)| (all > 0).then(|| f64::from(agreed) / f64::from(all));
    Ok(counts.into_iter().map(share).collect())
}
