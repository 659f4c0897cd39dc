//! Accuracy of a classifier's labels against given ones.

use crate::summary::check_lengths;
use crate::{Features, MetricError, ShareEstimate};

const NAME: &str = "classification accuracy";

/// How many images a classifier labels as given.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Classification {
    /// Share of right labels, with Wilson's interval.
    pub accuracy: ShareEstimate,
    /// Share of wrong labels, with Wilson's interval.
    pub error: ShareEstimate,
}

/// Compares labels with given ones.
///
/// The error is what StarGAN (Choi et al. 2018, section 5.4) reports for facial expressions, the accuracy what DRIT reports.
///
/// # Errors
///
/// [`MetricError::Lengths`] for different numbers of labels, [`MetricError::Interval`] for none.
///
/// # Examples
///
/// ```
/// use hype_metrics::classification::classification;
/// let found = classification(&[0, 1, 2, 2], &[0, 1, 2, 1])?;
/// assert_eq!(found.accuracy.share, 0.75);
/// assert_eq!(found.error.hits, 1);
/// # Ok::<(), hype_metrics::MetricError>(())
/// ```
pub fn classification(predicted: &[u32], given: &[u32]) -> Result<Classification, MetricError> {
    check_lengths(NAME, predicted.len(), given.len())?;
    let right = predicted.iter().zip(given).filter(|(predicted, given)| predicted == given).count();
    Ok(Classification {
        accuracy: ShareEstimate::of(right, given.len())?,
        error: ShareEstimate::of(given.len() - right, given.len())?,
    })
}

/// The share of images whose given label is among the `k` classes with the greatest scores.
///
/// A class with the same score as the given one counts as greater, so a classifier that does not distinguish classes
/// is never right.
///
/// # Errors
///
/// [`MetricError::Lengths`] unless each image has a label, [`MetricError::Parameter`] for a label beyond the classes or k = 0.
pub fn top_k_accuracy(scores: &Features<'_>, given: &[u32], k: usize) -> Result<ShareEstimate, MetricError> {
    check_lengths(NAME, scores.rows(), given.len())?;
    if k == 0 {
        return Err(MetricError::Parameter {
            parameter: "k of the accuracy",
            expected: "at least 1",
            got: 0.0,
        });
    }
    let classes = scores.width();
    if let Some(&label) = given.iter().find(|&&label| label as usize >= classes) {
        return Err(MetricError::Parameter {
            parameter: "label",
            expected: "less than the number of classes",
            got: f64::from(label),
        });
    }
    let mut row = vec![0.0; classes];
    ShareEstimate::of_flags(given.iter().enumerate().map(|(image, &label)| {
        scores.copy_row(image, &mut row);
        let own = row[label as usize];
        let others =
            row.iter().enumerate().filter(|&(class, &score)| class != label as usize && score >= own);
        others.count() < k
    }))
}
