/// Why a procedure cannot be set up, or cannot take an answer.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum AdaptiveError {
    /// A parameter lies outside its range; the caller has to pass another value.
    #[error("{parameter} must be {expected}, got {got}")]
    Parameter {
        /// The parameter's name.
        parameter: &'static str,
        /// The range or kind of values allowed.
        expected: &'static str,
        /// The value given.
        got: f64,
    },
    /// No point of the grid with a positive posterior could have given this answer. The posterior is unchanged.
    #[error("no point of the grid could have given these answers")]
    Impossible,
}
