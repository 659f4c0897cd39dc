//! Why a request was refused, with the HTTP status and the code listed in `docs/reference/protocol.md`.

use hype_core::study::control::ActionError;
use hype_core::study::places::PlacesError;
use hype_core::study::session::Rejected;
use hype_core::{AnalysisError, StoreError};

/// A refused request. It has changed nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// The request is malformed; the page is at fault.
    #[error("{0}")]
    BadRequest(String),
    /// The cookie is missing or belongs to no open session.
    #[error("no session belongs to this cookie")]
    NoSession,
    /// The operator's token is wrong.
    #[error("the operator token is wrong")]
    NotTheOperator,
    /// The key of the operator's page allows only to look.
    #[error("this key lets you look, not act: open the operator's address that the program has printed")]
    ReadOnlyKey,
    /// The report was not sent by the panel.
    #[error("the report was not sent by the panel")]
    NotThePanel,
    /// The request was sent by a script of another page.
    #[error("the request comes from another page")]
    OtherOrigin,
    /// There is nothing at this address.
    #[error("there is nothing at this address")]
    NothingThere,
    /// The current block has no image of this name.
    #[error("the current block has no such image")]
    NoSuchImage,
    /// The session was opened in another page.
    #[error("the session continues in another window")]
    TakenOver,
    /// The session is at another trial.
    #[error("the session is at another trial")]
    NotThisTrial,
    /// The request is well formed but not acceptable, such as an answer that is not an option of the trial.
    #[error("{0}")]
    Refused(String),
    /// Too many requests.
    #[error("too many requests")]
    TooMany {
        /// Seconds to wait before trying again.
        seconds: u32,
    },
    /// Too many raters have entered lately, from the same address or in all.
    #[error("many raters are entering at the moment")]
    Crowded {
        /// Seconds to wait before trying again.
        seconds: u32,
    },
    /// The store or a file cannot be reached at the moment.
    #[error("the study is not available at the moment")]
    Unavailable,
    /// The server failed, and repeating the request would not help. The operator has to act.
    #[error("the server failed")]
    Failed,
}

impl Fault {
    /// The HTTP status.
    #[must_use]
    pub fn status(&self) -> u16 {
        match self {
            Self::BadRequest(_) => 400,
            Self::NoSession | Self::NotTheOperator | Self::NotThePanel => 401,
            Self::ReadOnlyKey | Self::OtherOrigin => 403,
            Self::NothingThere | Self::NoSuchImage => 404,
            Self::TakenOver | Self::NotThisTrial => 409,
            Self::Refused(_) => 422,
            Self::TooMany { .. } | Self::Crowded { .. } => 429,
            Self::Unavailable | Self::Failed => 503,
        }
    }

    /// The code by which the page decides what to do.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::BadRequest(_) => "bad-request",
            Self::NoSession => "no-session",
            Self::NotTheOperator => "not-the-operator",
            Self::NotThePanel => "not-the-panel",
            Self::ReadOnlyKey => "read-only-key",
            Self::OtherOrigin => "other-origin",
            Self::NothingThere => "not-found",
            Self::NoSuchImage => "no-such-image",
            Self::TakenOver => "taken-over",
            Self::NotThisTrial => "not-this-trial",
            Self::Refused(_) => "refused",
            Self::TooMany { .. } => "too-many",
            Self::Crowded { .. } => "crowded",
            Self::Unavailable => "unavailable",
            Self::Failed => "failed",
        }
    }
}

impl From<Rejected> for Fault {
    fn from(rejected: Rejected) -> Self {
        match rejected {
            Rejected::Refused { reason, .. } => Self::Refused(reason),
            _ => Self::NotThisTrial,
        }
    }
}

impl From<StoreError> for Fault {
    fn from(error: StoreError) -> Self {
        match error {
            // The session is over.
            StoreError::Erased { .. } => Self::NoSession,
            error if error.is_retryable() => Self::Unavailable,
            _ => Self::Failed,
        }
    }
}

impl From<ActionError> for Fault {
    fn from(error: ActionError) -> Self {
        match error {
            ActionError::Store(error) => error.into(),
            error => Self::Refused(error.to_string()),
        }
    }
}

impl From<PlacesError> for Fault {
    fn from(error: PlacesError) -> Self {
        match error {
            PlacesError::Store(error) => error.into(),
            _ => Self::Failed,
        }
    }
}

impl From<AnalysisError> for Fault {
    fn from(error: AnalysisError) -> Self {
        match error {
            AnalysisError::Store(error) => error.into(),
            _ => Self::Failed,
        }
    }
}
