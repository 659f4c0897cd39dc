//! The contributions of single comparisons to the gradient of a likelihood.

use super::comparisons::ComparisonOutcome;

/// The contribution of one comparison to the gradient: along the lead of the first model, and along
/// ln ν.
#[derive(Debug, Clone, Copy)]
pub(super) struct Score {
    pub(super) lead: f64,
    pub(super) tie: f64,
}

/// Scores of the outcomes with these probabilities, in the order of [`ComparisonOutcome::ALL`].
pub(super) fn scores_of([first, second, tie]: [f64; 3]) -> [Score; 3] {
    ComparisonOutcome::ALL.map(|outcome| match outcome {
        ComparisonOutcome::First => Score { lead: second + 0.5 * tie, tie: -tie },
        ComparisonOutcome::Second => Score { lead: -first - 0.5 * tie, tie: -tie },
        ComparisonOutcome::Tie => Score { lead: -0.5 * (first - second), tie: first + second },
    })
}
