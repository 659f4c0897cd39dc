//! Comparisons within subjects: the same raters or items under several conditions.
//!
//! [`Blocks`] holds the subjects with a value under every condition. [`analysis_of_variance`] and
//! [`friedman`] test whether the conditions differ, [`signed_rank_tests`] which of them do.

mod anova;
mod pairs;
#[cfg(test)]
mod tests;

pub use anova::{Corrected, Mauchly, RepeatedMeasures, analysis_of_variance};
pub use pairs::{Concordance, RankedComparison, friedman, signed_rank_tests};

use crate::StatError;
use crate::describe::mean;

const NAME: &str = "comparison within subjects";

/// Values of subjects under several conditions, one row for each subject that has all of them.
///
/// Numbers of subjects are names. A subject without a value under some condition would bias the
/// differences, and is omitted.
///
/// # Examples
///
/// ```
/// use hype_stats::repeated::Blocks;
/// let responses = [(0, 0, 2.0), (0, 1, 5.0), (8, 1, 4.0), (3, 1, 6.0), (3, 0, 1.0), (3, 0, 3.0)];
/// let blocks = Blocks::from_responses(2, responses)?;
/// assert_eq!((blocks.subjects(), blocks.left_out()), (&[0, 3][..], &[8][..]));
/// assert_eq!(blocks.column(0), [2.0, 2.0]);
/// # Ok::<(), hype_stats::StatError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Blocks {
    conditions: usize,
    /// Row by row, one for each of `subjects`.
    values: Vec<f64>,
    subjects: Vec<usize>,
    left_out: Vec<usize>,
}

impl Blocks {
    /// Creates blocks from a matrix with one row for each subject, numbered from 0, and `None` in empty
    /// cells.
    ///
    /// # Errors
    ///
    /// [`StatError::Lengths`] if there are not subjects × conditions cells, otherwise as
    /// [`Self::from_responses`].
    pub fn from_matrix(subjects: usize, conditions: usize, cells: &[Option<f64>]) -> Result<Self, StatError> {
        if subjects.checked_mul(conditions) != Some(cells.len()) {
            return Err(StatError::Lengths {
                statistic: NAME,
                left: cells.len(),
                right: subjects.saturating_mul(conditions),
            });
        }
        let responses = cells.iter().enumerate();
        let responses = responses
            .filter_map(|(place, cell)| cell.map(|value| (place / conditions, place % conditions, value)));
        Self::from_responses(conditions, responses)
    }

    /// Creates blocks from (subject, condition, value) in any order; several values in a cell are
    /// averaged.
    ///
    /// # Errors
    ///
    /// [`StatError::TooFew`] for fewer than two conditions or subjects with all of them,
    /// [`StatError::Parameter`] for a condition that is not below `conditions`,
    /// [`StatError::NotFinite`] for NaN or infinity, and [`StatError::Degenerate`] if values are too
    /// large for double precision.
    pub fn from_responses(
        conditions: usize,
        responses: impl IntoIterator<Item = (usize, usize, f64)>,
    ) -> Result<Self, StatError> {
        if conditions < 2 {
            return Err(StatError::TooFew { statistic: NAME, needed: 2, of: "conditions", got: conditions });
        }
        let mut rows: Vec<(usize, usize, f64)> = Vec::new();
        for (index, response) in responses.into_iter().enumerate() {
            let (_, condition, value) = response;
            if condition >= conditions {
                return Err(StatError::Parameter {
                    parameter: "condition",
                    expected: "less than the number of conditions",
                    got: condition as f64,
                });
            }
            if !value.is_finite() {
                return Err(StatError::NotFinite { statistic: NAME, index, got: value });
            }
            rows.push(response);
        }
        // Values are sorted too: the order of arrival does not affect the last digit of a mean.
        rows.sort_unstable_by(|a, b| (a.0, a.1).cmp(&(b.0, b.1)).then(a.2.total_cmp(&b.2)));
        let mut blocks = Self { conditions, values: Vec::new(), subjects: Vec::new(), left_out: Vec::new() };
        for own in rows.chunk_by(|left, right| left.0 == right.0) {
            let cells: Vec<&[(usize, usize, f64)]> = own.chunk_by(|left, right| left.1 == right.1).collect();
            if cells.len() < conditions {
                blocks.left_out.push(own[0].0);
                continue;
            }
            blocks.subjects.push(own[0].0);
            for cell in cells {
                let values: Vec<f64> = cell.iter().map(|(_, _, value)| *value).collect();
                blocks.values.push(mean(&values)?);
            }
        }
        let got = blocks.subjects.len();
        if got < 2 {
            return Err(StatError::TooFew { statistic: NAME, needed: 2, of: "complete subjects", got });
        }
        Ok(blocks)
    }

    /// Number of conditions.
    #[must_use]
    pub const fn conditions(&self) -> usize {
        self.conditions
    }

    /// Names of the subjects with a value under every condition, ascending.
    #[must_use]
    pub fn subjects(&self) -> &[usize] {
        &self.subjects
    }

    /// Names of the omitted subjects, ascending.
    #[must_use]
    pub fn left_out(&self) -> &[usize] {
        &self.left_out
    }

    /// Values of each subject under all conditions.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &[f64]> {
        self.values.chunks_exact(self.conditions)
    }

    /// Values of all subjects under one condition; empty if the condition does not exist.
    #[must_use]
    pub fn column(&self, condition: usize) -> Vec<f64> {
        self.rows().filter_map(|row| row.get(condition).copied()).collect()
    }
}
