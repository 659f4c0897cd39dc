//! Power for raters and stimuli that are both samples.

use super::means::{TestPower, t_test};
use crate::StatError;
use crate::distributions::check_level;
use crate::equivalence::check_finite;
use crate::ttest::Alternative;

/// Which raters see which stimuli in which of two conditions, such as two models.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum CrossedDesign {
    /// Every rater sees every stimulus in both conditions.
    Crossed,
    /// Every rater sees every stimulus once; half of the raters see half of the stimuli in the first condition and
    /// the rest in the second, the others the other way round.
    Counterbalanced,
    /// Each stimulus belongs to one condition, and every rater sees all: raters who judge several models, whose
    /// images differ.
    StimuliInCondition,
    /// Each rater belongs to one condition, and sees every stimulus in it: models on common prompts with raters of
    /// their own.
    RatersInCondition,
    /// Raters and stimuli both belong to one condition: models with images and raters of their own.
    Nested,
}

/// Variances of the parts of one answer.
///
/// If they sum to 1, a difference of means is Cohen's d, in standard deviations of single answers. An answer is
/// mean ± half the difference + rater + stimulus + rater × stimulus ± (rater's slope + stimulus' slope) + error,
/// with + in the first condition and - in the second.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[expect(clippy::exhaustive_structs, reason = "callers make it")]
pub struct VarianceShares {
    /// Error, E.
    pub error: f64,
    /// Raters, P.
    pub raters: f64,
    /// Stimuli, S.
    pub stimuli: f64,
    /// Raters × stimuli, PS.
    pub raters_by_stimuli: f64,
    /// Raters × condition, PC.
    pub raters_by_condition: f64,
    /// Stimuli × condition, SC.
    pub stimuli_by_condition: f64,
}

impl VarianceShares {
    /// The shares that Westfall, Kenny and Judd (2014) take as typical.
    pub const TYPICAL: Self = Self {
        error: 0.3,
        raters: 0.2,
        stimuli: 0.2,
        raters_by_stimuli: 0.1,
        raters_by_condition: 0.1,
        stimuli_by_condition: 0.1,
    };

    fn check(self) -> Result<Self, StatError> {
        let all = [
            ("error variance", self.error),
            ("variance of raters", self.raters),
            ("variance of stimuli", self.stimuli),
            ("variance of raters by stimuli", self.raters_by_stimuli),
            ("variance of raters by condition", self.raters_by_condition),
            ("variance of stimuli by condition", self.stimuli_by_condition),
        ];
        for (parameter, got) in all {
            if !(got >= 0.0 && got.is_finite()) {
                return Err(StatError::Parameter { parameter, expected: "finite and not negative", got });
            }
        }
        Ok(self)
    }
}

/// The mean squares from which degrees of freedom are estimated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum MeanSquares {
    /// Those whose combination c + s - e is the variance of the estimated difference.
    #[default]
    Matching,
    /// Those of the application that accompanies the paper, for comparison with its values. Its weights of raters or
    /// stimuli that meet both conditions are half of what its own noncentrality implies.
    Published,
}

/// Computes the power of the test of two conditions when both raters and stimuli are samples.
///
/// `raters` and `stimuli` are totals over both conditions. Either may be infinite, which shows what the other one
/// limits: with three raters no number of stimuli gives much power.
///
/// # Method
///
/// Westfall, Kenny and Judd (2014), "Statistical power and optimal design in experiments in which samples of
/// participants respond to samples of stimuli". With p raters and q stimuli the squared standard error of the
/// difference is, with parts that a design cannot tell apart added up,
///
/// - crossed: 2 (E/pq + 2 SC/q + 2 PC/p);
/// - counterbalanced: 4 (E/pq + SC/q + PC/p), E with PS;
/// - stimuli in condition: 4 (E/pq + S/q + PC/p), E with PS, S with SC;
/// - raters in condition: 4 (E/pq + SC/q + P/p), E with PS, P with PC;
/// - nested: 4 (2E/pq + S/q + P/p), E with PS, S with SC, P with PC.
///
/// The degrees of freedom are Satterthwaite's, (c + s - e)² / (c²/df_c + s²/df_s + e²/df_e), where c, s and e are the
/// expected mean squares of raters, stimuli and error.
///
/// # Errors
///
/// [`StatError::Parameter`] for a difference that is not finite, a variance that is negative, fewer than two raters
/// or stimuli (three where they belong to conditions) or an α outside 0..1; [`StatError::Degenerate`] if the
/// standard error is 0.
///
/// # Examples
///
/// ```
/// # use hype_stats::power::{CrossedDesign, MeanSquares, VarianceShares, crossed};
/// let design = CrossedDesign::Nested;
/// let found = crossed(design, 0.5, VarianceShares::TYPICAL, [60.0, 100.0], MeanSquares::Matching, 0.05)?;
/// assert!((found.power - 0.785160).abs() < 1e-6);
/// # Ok::<(), hype_stats::StatError>(())
/// ```
pub fn crossed(
    design: CrossedDesign,
    difference: f64,
    variances: VarianceShares,
    [raters, stimuli]: [f64; 2],
    mean_squares: MeanSquares,
    alpha: f64,
) -> Result<TestPower, StatError> {
    check_level(alpha)?;
    let difference = check_finite("difference", difference)?;
    let variances = variances.check()?;
    let layout = Layout::of(design, variances);
    for (parameter, got, spent) in
        [("number of raters", raters, layout.spent[0]), ("number of stimuli", stimuli, layout.spent[1])]
    {
        if got.is_nan() || got <= spent {
            return Err(StatError::Parameter {
                parameter,
                expected: "at least 2, or 3 where they belong to conditions",
                got,
            });
        }
    }
    let [weight_c, weight_s] = match mean_squares {
        MeanSquares::Matching => [1.0, 1.0],
        MeanSquares::Published => layout.published,
    };
    // All mean squares are divided by pq: infinite numbers need no case of their own.
    let error = layout.error / raters / stimuli;
    let by_stimuli = layout.stimuli / stimuli;
    let by_raters = layout.raters / raters;
    let variance = error + by_stimuli + by_raters;
    if variance <= 0.0 {
        return Err(StatError::Degenerate {
            statistic: "power of a test of two conditions",
            reason: "the standard error of the difference is 0",
        });
    }
    let (s, c) = (error + weight_s * by_stimuli, error + weight_c * by_raters);
    let degrees = [raters - layout.spent[0], stimuli - layout.spent[1]];
    let spread = c * c / degrees[0] + s * s / degrees[1] + error * error / degrees[0] / degrees[1];
    let degrees_of_freedom = (c + s - error).powi(2) / spread;
    let noncentrality = difference / (layout.factor * variance).sqrt();
    let power = t_test(noncentrality, degrees_of_freedom, Alternative::TwoSided, alpha)?;
    Ok(TestPower { power, noncentrality, degrees_of_freedom })
}

/// The squared standard error of the difference is factor · (error/pq + stimuli/q + raters/p).
struct Layout {
    factor: f64,
    error: f64,
    stimuli: f64,
    raters: f64,
    /// Degrees of freedom of raters and of stimuli that the means take.
    spent: [f64; 2],
    /// Published weights of raters and of stimuli in the mean squares, over the matching ones.
    published: [f64; 2],
}

impl Layout {
    fn of(design: CrossedDesign, variances: VarianceShares) -> Self {
        let residual = variances.error + variances.raters_by_stimuli;
        let stimuli = variances.stimuli + variances.stimuli_by_condition;
        let raters = variances.raters + variances.raters_by_condition;
        match design {
            CrossedDesign::Crossed => Self {
                factor: 2.0,
                error: variances.error,
                stimuli: 2.0 * variances.stimuli_by_condition,
                raters: 2.0 * variances.raters_by_condition,
                spent: [1.0, 1.0],
                published: [0.5, 0.5],
            },
            CrossedDesign::Counterbalanced => Self {
                factor: 4.0,
                error: residual,
                stimuli: variances.stimuli_by_condition,
                raters: variances.raters_by_condition,
                spent: [2.0, 2.0],
                published: [0.5, 0.5],
            },
            CrossedDesign::StimuliInCondition => Self {
                factor: 4.0,
                error: residual,
                stimuli,
                raters: variances.raters_by_condition,
                spent: [1.0, 2.0],
                published: [0.5, 1.0],
            },
            CrossedDesign::RatersInCondition => Self {
                factor: 4.0,
                error: residual,
                stimuli: variances.stimuli_by_condition,
                raters,
                spent: [2.0, 1.0],
                published: [1.0, 0.5],
            },
            CrossedDesign::Nested => Self {
                factor: 8.0,
                error: residual,
                stimuli: 0.5 * stimuli,
                raters: 0.5 * raters,
                spent: [2.0, 2.0],
                published: [1.0, 1.0],
            },
        }
    }
}
