//! The settings of a model of paired comparisons.

use crate::StatError;

/// The treatment of ties.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Ties {
    /// Half a win for each model.
    Half,
    /// Ignored: only wins and losses are fitted.
    LeftOut,
    /// Ties indicate similar strengths, and have a separate probability (Davidson 1970).
    Davidson,
}

/// A model of paired comparisons: each model has a strength, and the stronger wins more often.
///
/// # Method
///
/// With θ the natural logarithms of the strengths, which sum to zero, a model a that is shown first
/// is preferred to b, b to a, and neither, with probabilities in the proportion
///
/// exp(δ/2) π_a : exp(-δ/2) π_b : ν √(π_a π_b), where π = exp θ.
///
/// Without ν this is Bradley and Terry's (1952) model, with it Davidson's (1970). The effect of the
/// order δ is the log odds by which being shown first raises a model's chance against an equal one
/// (Davidson and Beaver 1977, whose third term lacks the factor √γ: their ln ν is ours plus δ/2). It
/// is 0 unless requested.
///
/// The fit maximises the likelihood, or the likelihood minus α Σ θ². Its covariance is the
/// pseudo-inverse of the information, which gives variances of contrasts that sum to zero.
///
/// # Numerics
///
/// Newton's method with halved steps on a concave function, from θ = 0; the maximum is known to be
/// finite before the search begins (see [`Self::fit`]).
///
/// # Examples
///
/// ```
/// use hype_stats::preference::{BradleyTerry, Comparisons, Ties};
/// // Stigler (1994): citations between four journals of statistics.
/// let table = Comparisons::from_wins(
///     &[[0, 730, 498, 221], [33, 0, 68, 17], [320, 813, 0, 142], [284, 276, 325, 0]],
///     &[],
/// )?;
/// let fit = BradleyTerry::new(Ties::Half).fit(&table)?;
/// let (difference, error) = (fit.theta[1] - fit.theta[0], fit.covariance.difference(1, 0));
/// assert!((difference + 2.949072).abs() < 1e-6 && (error - 0.102545).abs() < 1e-6);
/// # Ok::<(), hype_stats::StatError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BradleyTerry {
    ties: Ties,
    order_effect: bool,
    ridge: f64,
}

impl BradleyTerry {
    /// Creates the model without an effect of the order and without a penalty.
    #[must_use]
    pub const fn new(ties: Ties) -> Self {
        Self { ties, order_effect: false, ridge: 0.0 }
    }

    /// Adds an effect of being shown first.
    #[must_use]
    pub const fn with_order_effect(self) -> Self {
        Self { order_effect: true, ..self }
    }

    /// Subtracts `alpha` times the sum of squared strengths from the log-likelihood.
    ///
    /// Strengths are then finite for any comparisons, and shrunk. It is a normal prior with variance
    /// 1 / (2 alpha) on each strength.
    ///
    /// # Errors
    ///
    /// [`StatError::Parameter`] unless alpha is positive and finite.
    pub fn with_ridge(self, alpha: f64) -> Result<Self, StatError> {
        check_ridge(alpha)?;
        Ok(Self { ridge: alpha, ..self })
    }

    pub(super) const fn ties(&self) -> Ties {
        self.ties
    }

    pub(super) const fn has_order_effect(&self) -> bool {
        self.order_effect
    }

    pub(super) const fn ridge(&self) -> f64 {
        self.ridge
    }

    pub(super) const fn name(&self) -> &'static str {
        match self.ties {
            Ties::Davidson => "Davidson model",
            Ties::Half | Ties::LeftOut => "Bradley-Terry model",
        }
    }
}

/// Refuses penalties that do not shrink strengths.
pub(super) fn check_ridge(alpha: f64) -> Result<(), StatError> {
    if alpha > 0.0 && alpha.is_finite() {
        Ok(())
    } else {
        Err(StatError::Parameter { parameter: "alpha", expected: "positive and finite", got: alpha })
    }
}
