//! Analysis of variance with every subject under every condition.

use super::Blocks;
use crate::StatError;
use crate::describe::{mean, sum, sum_by};
use crate::distributions::{ChiSquared, FisherF};

/// The test with degrees of freedom reduced for unequal variances of differences.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Corrected {
    /// Factor ε of both degrees of freedom, 1 under sphericity.
    pub epsilon: f64,
    /// P(F ≥ f) with the reduced degrees of freedom.
    pub p: f64,
}

/// Mauchly's test of sphericity.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Mauchly {
    /// The statistic, 1 under sphericity and towards 0 away from it.
    pub w: f64,
    /// Its chi-squared approximation.
    pub chi_squared: f64,
    /// Degrees of freedom of the approximation.
    pub degrees_of_freedom: f64,
    /// P value by the approximation.
    pub p: f64,
}

/// The table of a one-way analysis of variance within subjects.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct RepeatedMeasures {
    /// Ratio of the mean squares of conditions and of error.
    pub f: f64,
    /// P(F ≥ f) if all conditions have equal means and all differences equal variances.
    pub p: f64,
    /// Degrees of freedom of conditions, k - 1.
    pub df_conditions: f64,
    /// Degrees of freedom of error, (n - 1)(k - 1).
    pub df_error: f64,
    /// Sum of squares of conditions.
    pub ss_conditions: f64,
    /// Sum of squares of subjects.
    pub ss_subjects: f64,
    /// Sum of squares of error, subjects by conditions.
    pub ss_error: f64,
    /// Greenhouse and Geisser's correction.
    pub greenhouse_geisser: Corrected,
    /// Huynh and Feldt's correction, less conservative.
    pub huynh_feldt: Corrected,
    /// The largest correction that can be needed, ε = 1 / (k - 1).
    pub lower_bound: Corrected,
    /// Test of sphericity; `None` for two conditions, which always satisfy it, for too few subjects (n
    /// < k), and if some differences are determined by others.
    pub mauchly: Option<Mauchly>,
    /// SSC / (SSC + SSE), partial η².
    pub partial_eta_squared: f64,
    /// SSC / (SSC + SSS + SSE), generalized η², which is comparable with designs between subjects.
    pub generalized_eta_squared: f64,
    /// Number of subjects, n.
    pub subjects: usize,
    /// Number of subjects that were omitted because they lacked a condition.
    pub left_out: usize,
}

/// Tests whether several conditions have equal means within subjects.
///
/// # Method
///
/// F = \[SSC / (k - 1)\] / \[SSE / ((n - 1)(k - 1))\] with SSC = n Σ (x̄_j - x̄)² and SSE = Σ r_ij²,
/// r_ij = x_ij - x̄_i - x̄_j + x̄, for normal values whose differences between conditions have equal
/// variances (sphericity). Otherwise both degrees of freedom are multiplied by
///
/// - Greenhouse and Geisser (1959): ε̂ = (tr S)² / \[(k - 1) tr S²\], S = Σ r_i r_iᵀ / (n - 1), the
///   double-centred covariance matrix (Box 1954);
/// - Huynh and Feldt (1976): \[n (k - 1) ε̂ - 2\] / \[(k - 1)(n - 1 - (k - 1) ε̂)\], at most 1 (and ε̂
///   for two subjects, where it is 0 / 0).
///
/// Mauchly (1940): W = det M / (tr M / p)^p with p = k - 1 and M the covariance matrix of p
/// orthonormal contrasts, -\[n - 1 - (2 p² + p + 2) / (6 p)\] ln W referred to chi-squared with
/// p (p + 1) / 2 - 1 degrees of freedom, the p value to the second order of the expansion (Anderson
/// 1958, 10.7.4). Its power is low for few subjects; the corrections need no test first. Effect sizes:
/// Olejnik and Algina (2003), the conditions being manipulated.
///
/// # Errors
///
/// [`StatError::Degenerate`] if all subjects have the same differences between conditions.
///
/// # Examples
///
/// ```
/// use hype_stats::repeated::{Blocks, analysis_of_variance};
/// let cells = [8.0, 7.0, 1.0, 9.0, 5.0, 2.0, 6.0, 2.0, 3.0, 5.0, 3.0, 1.0].map(Some);
/// let table = analysis_of_variance(&Blocks::from_matrix(4, 3, &cells)?)?;
/// assert_eq!((table.df_conditions, table.df_error), (2.0, 6.0));
/// assert!(table.p < table.huynh_feldt.p && table.huynh_feldt.p < table.greenhouse_geisser.p);
/// # Ok::<(), hype_stats::StatError>(())
/// ```
pub fn analysis_of_variance(blocks: &Blocks) -> Result<RepeatedMeasures, StatError> {
    let conditions = blocks.conditions();
    let (n, k) = (blocks.subjects().len() as f64, conditions as f64);
    let subject_means = blocks.rows().map(mean).collect::<Result<Vec<f64>, StatError>>()?;
    let condition_means =
        (0..conditions).map(|condition| mean(&blocks.column(condition))).collect::<Result<Vec<f64>, _>>()?;
    let grand = mean(&subject_means)?;
    let squares = |means: &[f64]| sum_by(means.len(), |index| (means[index] - grand).powi(2));
    let ss_conditions = n * squares(&condition_means);
    let ss_subjects = k * squares(&subject_means);
    let residuals: Vec<Vec<f64>> = blocks
        .rows()
        .zip(&subject_means)
        .map(|(row, own)| {
            row.iter().zip(&condition_means).map(|(value, common)| value - own - (common - grand)).collect()
        })
        .collect();
    let by_subject: Vec<f64> = residuals.iter().map(|row| row.iter().map(|rest| rest * rest).sum()).collect();
    let ss_error = sum(&by_subject);
    let largest = blocks.rows().flatten().fold(0.0_f64, |largest, value| largest.max(value.abs()));
    // Differences of equal values leave rounding of a few units in the last place of the values.
    let rounding = n * k * (8.0 * f64::EPSILON * largest).powi(2);
    if !(ss_error > rounding && (ss_conditions + ss_subjects + ss_error).is_finite()) {
        return Err(StatError::Degenerate {
            statistic: "analysis of variance within subjects",
            reason: "all subjects have the same differences between conditions",
        });
    }
    let df_conditions = k - 1.0;
    let df_error = (n - 1.0) * df_conditions;
    let f = (ss_conditions / df_conditions) / (ss_error / df_error);
    let corrected = |epsilon: f64| -> Result<Corrected, StatError> {
        Ok(Corrected { epsilon, p: FisherF::new(epsilon * df_conditions, epsilon * df_error)?.sf(f) })
    };
    let covariance = covariance(&residuals, conditions);
    let lower_bound = df_conditions.recip();
    let geisser = epsilon(&covariance, df_conditions).clamp(lower_bound, 1.0);
    let room = n - 1.0 - df_conditions * geisser;
    let excess = n * df_conditions * geisser - 2.0;
    let feldt = if excess <= 1e-12 { geisser } else { (excess / (df_conditions * room.max(0.0))).min(1.0) };
    Ok(RepeatedMeasures {
        f,
        p: FisherF::new(df_conditions, df_error)?.sf(f),
        df_conditions,
        df_error,
        ss_conditions,
        ss_subjects,
        ss_error,
        greenhouse_geisser: corrected(geisser)?,
        huynh_feldt: corrected(feldt.max(geisser))?,
        lower_bound: corrected(lower_bound)?,
        mauchly: mauchly(&covariance, n)?,
        partial_eta_squared: ss_conditions / (ss_conditions + ss_error),
        generalized_eta_squared: ss_conditions / (ss_conditions + ss_subjects + ss_error),
        subjects: blocks.subjects().len(),
        left_out: blocks.left_out().len(),
    })
}

/// The double-centred covariance matrix.
fn covariance(residuals: &[Vec<f64>], conditions: usize) -> Vec<Vec<f64>> {
    let degrees = (residuals.len() - 1) as f64;
    let entry = |row: usize, column: usize| {
        sum_by(residuals.len(), |subject| residuals[subject][row] * residuals[subject][column]) / degrees
    };
    (0..conditions).map(|row| (0..conditions).map(|column| entry(row, column)).collect()).collect()
}

fn trace(matrix: &[Vec<f64>]) -> f64 {
    matrix.iter().enumerate().map(|(index, row)| row[index]).sum()
}

fn epsilon(covariance: &[Vec<f64>], degrees: f64) -> f64 {
    // Divided by the trace first: neither very large nor very small values leave the range.
    let total = trace(covariance);
    let squares: f64 = covariance.iter().flatten().map(|entry| (entry / total).powi(2)).sum();
    (degrees * squares).recip()
}

fn mauchly(covariance: &[Vec<f64>], subjects: f64) -> Result<Option<Mauchly>, StatError> {
    let p = (covariance.len() - 1) as f64;
    let factor = subjects - 1.0 - (2.0 * p * p + p + 2.0) / (6.0 * p);
    if p < 2.0 || subjects - 1.0 < p || factor <= 0.0 {
        return Ok(None);
    }
    let scale = trace(covariance) / p;
    let Some(log_w) = log_determinant(contrasts(covariance, scale)) else { return Ok(None) };
    // Arithmetic and geometric mean of eigenvalues: only rounding puts ln W above 0.
    let log_w = log_w.min(0.0);
    let degrees_of_freedom = 0.5 * p * (p + 1.0) - 1.0;
    let chi_squared = -factor * log_w;
    let tail = ChiSquared::new(degrees_of_freedom)?.sf(chi_squared);
    let next_tail = ChiSquared::new(degrees_of_freedom + 4.0)?.sf(chi_squared);
    let second_order = (p + 2.0) * (p - 1.0) * (p - 2.0) * (2.0 * p * p * p + 6.0 * p * p + 3.0 * p + 2.0)
        / (288.0 * (p * factor).powi(2));
    let p = (tail + second_order * (next_tail - tail)).clamp(0.0, 1.0);
    Ok(Some(Mauchly { w: log_w.exp(), chi_squared, degrees_of_freedom, p }))
}

/// The covariance matrix of Helmert's contrasts, in units of `scale`.
fn contrasts(covariance: &[Vec<f64>], scale: f64) -> Vec<Vec<f64>> {
    let conditions = covariance.len();
    let helmert: Vec<Vec<f64>> = (1..conditions)
        .map(|order| {
            let length = ((order * (order + 1)) as f64).sqrt();
            let weight = |place: usize| match place.cmp(&order) {
                std::cmp::Ordering::Less => 1.0 / length,
                std::cmp::Ordering::Equal => -(order as f64) / length,
                std::cmp::Ordering::Greater => 0.0,
            };
            (0..conditions).map(weight).collect()
        })
        .collect();
    let product = |left: &[f64], right: &[f64]| -> f64 {
        let rows = left.iter().zip(covariance);
        rows.map(|(a, row)| a * row.iter().zip(right).map(|(entry, b)| entry * b).sum::<f64>()).sum()
    };
    helmert.iter().map(|left| helmert.iter().map(|right| product(left, right) / scale).collect()).collect()
}

/// ln det of a symmetric matrix with entries of about 1 by Cholesky's factors, or nothing if singular.
fn log_determinant(mut matrix: Vec<Vec<f64>>) -> Option<f64> {
    let size = matrix.len();
    let mut logarithm = 0.0;
    for pivot in 0..size {
        let square = matrix[pivot][pivot];
        if square <= 1e-13 * size as f64 {
            return None;
        }
        logarithm += square.ln();
        let (above, below) = matrix.split_at_mut(pivot + 1);
        for row in below {
            let factor = row[pivot] / square;
            for (entry, own) in row[pivot..].iter_mut().zip(&above[pivot][pivot..]) {
                *entry -= factor * own;
            }
        }
    }
    Some(logarithm)
}
