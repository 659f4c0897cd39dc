//! Why a request was refused, with the status and the code that `docs/PAGE.md` gives.

use hype_core::StoreError;
use hype_core::study::places::PlacesError;
use hype_core::study::session::Rejected;

/// A request was refused; nothing has changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// The request is none; the page is at fault.
    #[error("{0}")]
    BadRequest(String),
    /// There is no session behind the cookie.
    #[error("there is no session")]
    NoSession,
    /// The operator's token is wrong.
    #[error("the token does not open this page")]
    NotTheOperator,
    /// No image of the rater's block has this name.
    #[error("there is no such image")]
    NoSuchImage,
    /// Another page has taken the session over.
    #[error("the session goes on in another window")]
    TakenOver,
    /// The session is at another trial.
    #[error("the session is at another trial")]
    NotThisTrial,
    /// The answer is none to the trial.
    #[error("{0}")]
    Refused(String),
    /// Too many requests.
    #[error("too many requests")]
    TooMany {
        /// After how many seconds to try again.
        seconds: u32,
    },
    /// The store or a file is out of reach at the moment.
    #[error("the study is not available at the moment")]
    Unavailable,
    /// The server failed; the operator reads the log.
    #[error("the server failed")]
    Failed,
}

impl Fault {
    /// The status of HTTP.
    #[must_use]
    pub fn status(&self) -> u16 {
        match self {
            Self::BadRequest(_) => 400,
            Self::NoSession | Self::NotTheOperator => 401,
            Self::NoSuchImage => 404,
            Self::TakenOver | Self::NotThisTrial => 409,
            Self::Refused(_) => 422,
            Self::TooMany { .. } => 429,
            Self::Unavailable | Self::Failed => 503,
        }
    }

    /// The code that the page goes by.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::BadRequest(_) => "bad-request",
            Self::NoSession => "no-session",
            Self::NotTheOperator => "not-the-operator",
            Self::NoSuchImage => "no-such-image",
            Self::TakenOver => "taken-over",
            Self::NotThisTrial => "not-this-trial",
            Self::Refused(_) => "refused",
            Self::TooMany { .. } => "too-many",
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
        if error.is_retryable() { Self::Unavailable } else { Self::Failed }
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
