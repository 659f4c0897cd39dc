/// Why a rule, a range or a request about them is refused. The author has to correct it.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum StaircaseError {
    /// The number of correct answers for a harder step is zero.
    #[error("correct_to_harder must be at least 1")]
    NothingCounted,
    /// A step is zero, so the level never changes.
    #[error("{field} must be at least 1 ms")]
    ZeroStep {
        /// The step's name.
        field: &'static str,
    },
    /// The ceiling is not above the floor.
    #[error("ceiling_ms must be over floor_ms, got floor {floor_ms} and ceiling {ceiling_ms}")]
    EmptyRange {
        /// The requested shortest exposure.
        floor_ms: u32,
        /// The requested longest exposure.
        ceiling_ms: u32,
    },
    /// The first level lies outside the range.
    #[error("start_ms must lie from {floor_ms} to {ceiling_ms}, got {start_ms}")]
    StartOutside {
        /// The requested first exposure.
        start_ms: u32,
        /// The shortest exposure.
        floor_ms: u32,
        /// The longest exposure.
        ceiling_ms: u32,
    },
    /// No preset has this name.
    #[error("unknown staircase rule `{name}`; known: {known}")]
    UnknownPreset {
        /// The name given.
        name: String,
        /// The names of all presets, joined by commas.
        known: String,
    },
    /// The rule reaches more states than can be listed.
    #[error("the staircase reaches more than {most} states of level and count")]
    TooManyStates {
        /// The maximum number.
        most: usize,
    },
    /// An observer gave something other than a probability.
    #[error("the probability of a correct answer at {level_ms} ms must be in [0, 1], got {got}")]
    NoProbability {
        /// The level of the request.
        level_ms: u32,
        /// The observer's result.
        got: f64,
    },
    /// A number of trials or blocks is too small.
    #[error("{field} must be at least {least}, got {got}")]
    TooShort {
        /// The things counted: `trials`, `blocks`.
        field: &'static str,
        /// The minimum.
        least: u32,
        /// The number given.
        got: u32,
    },
}
