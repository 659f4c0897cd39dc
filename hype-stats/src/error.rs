/// Why a statistic has no value for the numbers it was given.
///
/// The caller passed data for which the quantity is not defined; nothing was computed. The message
/// names the quantity and its requirements.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum StatError {
    /// Fewer observations, groups or pairs than the statistic needs.
    #[error("{statistic} needs at least {needed} {of}, got {got}")]
    TooFew {
        /// The requested statistic.
        statistic: &'static str,
        /// The minimum number that it needs.
        needed: usize,
        /// The things counted: `observations`, `groups`, `pairs`.
        of: &'static str,
        /// The actual number.
        got: usize,
    },
    /// The data are constant but the statistic divides by their spread.
    #[error("{statistic} is not defined: {reason}")]
    Degenerate {
        /// The requested statistic.
        statistic: &'static str,
        /// The property of the data that makes it undefined.
        reason: &'static str,
    },
    /// A covariate has no estimate.
    #[error("{statistic} is not defined: covariate {covariate} {reason}")]
    Covariate {
        /// The requested statistic.
        statistic: &'static str,
        /// The number of the covariate, from 0.
        covariate: usize,
        /// The property that it has.
        reason: &'static str,
    },
    /// Too many of the values are bounds of what they are about.
    #[error("{statistic} is not defined: {bounds} of {of} values are only bounds")]
    Censored {
        /// The requested statistic.
        statistic: &'static str,
        /// Values that the true ones lie at or beyond.
        bounds: usize,
        /// All values.
        of: usize,
    },
    /// A parameter lies outside its range.
    #[error("{parameter} must be {expected}, got {got}")]
    Parameter {
        /// The parameter's name.
        parameter: &'static str,
        /// The range or kind of values allowed.
        expected: &'static str,
        /// The value given.
        got: f64,
    },
    /// A value is NaN or infinite.
    #[error("{statistic} needs finite values, got {got} at index {index}")]
    NotFinite {
        /// The requested statistic.
        statistic: &'static str,
        /// Position of the first such value.
        index: usize,
        /// The value.
        got: f64,
    },
    /// Slices that belong together differ in length.
    #[error("{statistic} needs slices of equal length, got {left} and {right}")]
    Lengths {
        /// The requested statistic.
        statistic: &'static str,
        /// Length of the first slice.
        left: usize,
        /// Length of the second slice.
        right: usize,
    },
    /// An iteration did not converge.
    #[error("{statistic} did not converge after {iterations} iterations")]
    NoConvergence {
        /// The requested statistic.
        statistic: &'static str,
        /// Iterations made.
        iterations: usize,
    },
    /// Groups that were never compared with each other have no common scale.
    #[error("{statistic} needs comparisons between all groups, but these were never compared: {groups:?}")]
    Disconnected {
        /// The requested statistic.
        statistic: &'static str,
        /// The groups, each as ascending indices, ordered by their first index.
        groups: Vec<Vec<usize>>,
    },
    /// A group never lost to another, so the estimate of its lead is infinite.
    #[error("{statistic} is infinite, because these groups never lost to those after them: {groups:?}")]
    Separated {
        /// The requested statistic.
        statistic: &'static str,
        /// The groups, each as ascending indices; none lost to, or tied with, a later one.
        groups: Vec<Vec<usize>>,
    },
}

impl From<hype_adaptive::AdaptiveError> for StatError {
    fn from(error: hype_adaptive::AdaptiveError) -> Self {
        match error {
            hype_adaptive::AdaptiveError::Parameter { parameter, expected, got } => {
                Self::Parameter { parameter, expected, got }
            }
            _ => Self::Degenerate {
                statistic: "the QUEST+ posterior",
                reason: "no point of the grid could have given these answers",
            },
        }
    }
}
