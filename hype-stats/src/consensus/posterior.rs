//! The results that all methods have in common.

use super::votes::LabelVotes;

/// Posterior probabilities of the labels of items, and how often raters are right according to them.
#[derive(Debug, Clone, PartialEq)]
pub struct LabelPosteriors {
    labels: usize,
    posteriors: Vec<f64>,
    answers: Vec<Option<u32>>,
    accuracies: Vec<Option<f64>>,
}

impl LabelPosteriors {
    /// Creates a result from the posteriors, item by item with one number for each label.
    pub(super) fn new(votes: &LabelVotes, posteriors: Vec<f64>) -> Self {
        let labels = votes.labels();
        let mut correct = vec![(0.0, 0_u32); votes.raters()];
        let answers = posteriors
            .chunks_exact(labels)
            .enumerate()
            .map(|(item, posterior)| {
                let voted = votes.of_item(item);
                let answer = (voted.len() > 0).then(|| most_probable(posterior));
                for (rater, label) in voted {
                    correct[rater].0 += posterior[label];
                    correct[rater].1 += 1;
                }
                answer
            })
            .collect();
        let accuracies = correct
            .into_iter()
            .map(|(correct, count)| (count > 0).then(|| correct / f64::from(count)))
            .collect();
        Self { labels, posteriors, answers, accuracies }
    }

    /// Number of items.
    #[must_use]
    pub const fn items(&self) -> usize {
        self.answers.len()
    }

    /// The posterior probability of each label of an item; empty for an unknown item.
    ///
    /// For an item without votes it is the class prior.
    #[must_use]
    pub fn posterior(&self, item: usize) -> &[f64] {
        self.posteriors.chunks_exact(self.labels).nth(item).unwrap_or_default()
    }

    /// The posterior probabilities of all items, item by item with one number for each label.
    #[must_use]
    pub fn posteriors(&self) -> &[f64] {
        &self.posteriors
    }

    /// The most probable label of each item, the lowest of equals; `None` for an item without votes.
    #[must_use]
    pub fn labels(&self) -> &[Option<u32>] {
        &self.answers
    }

    /// Entropy of an item's posterior in nats: 0 if the label is certain, ln(labels) if nothing is
    /// known; 0 for an unknown item.
    #[must_use]
    pub fn entropy(&self, item: usize) -> f64 {
        // For a posterior of 1 the sum is -0, and rounding could make it negative.
        self.posterior(item)
            .iter()
            .filter(|&&probability| probability > 0.0)
            .map(|probability| -probability * probability.ln())
            .sum::<f64>()
            .max(0.0)
    }

    /// Expected share of each rater's votes that are the true label; `None` for a rater without votes.
    ///
    /// It is the mean of the posterior probability of the rater's answers.
    #[must_use]
    pub fn accuracies(&self) -> &[Option<f64>] {
        &self.accuracies
    }
}

/// The most probable label, the lowest of equals.
fn most_probable(posterior: &[f64]) -> u32 {
    let mut best = (0, f64::NEG_INFINITY);
    for (label, &probability) in (0..).zip(posterior) {
        if probability > best.1 {
            best = (label, probability);
        }
    }
    best.0
}
