//! Why a request to a platform fails.

/// A request to a platform failed. No message contains ids of people or secrets.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PlatformError {
    /// The platform has refused, and nothing has happened. The operator reads the reason.
    #[error("{platform} refused to {action}: {reason}")]
    Refused {
        /// The platform.
        platform: &'static str,
        /// The request, such as `approve a submission`.
        action: &'static str,
        /// The platform's code and message.
        reason: String,
    },
    /// The platform was not reached or is too busy, and nothing has happened. The same call may succeed later.
    #[error("{platform} cannot be reached to {action}: {reason}")]
    Unavailable {
        /// The platform.
        platform: &'static str,
        /// The request.
        action: &'static str,
        /// Why.
        reason: String,
    },
    /// The platform has answered in a way that this version does not know, and nothing was changed. A later version may know it.
    #[error("{platform} answers the request to {action} in a way that this version does not know: {reason}")]
    NotUnderstood {
        /// The platform.
        platform: &'static str,
        /// The request.
        action: &'static str,
        /// The fact that is not known.
        reason: String,
    },
    /// The platform did not confirm the request, which may have been carried out.
    #[error("it is unclear whether {platform} has carried out the request to {action}: {reason}")]
    Unclear {
        /// The platform.
        platform: &'static str,
        /// The request.
        action: &'static str,
        /// Why.
        reason: String,
    },
}

impl PlatformError {
    /// Whether the request may have been carried out.
    #[must_use]
    pub const fn is_unclear(&self) -> bool {
        matches!(self, Self::Unclear { .. })
    }

    /// Whether the same call may succeed later.
    #[must_use]
    pub const fn is_retryable(&self) -> bool {
        matches!(self, Self::Unavailable { .. })
    }
}
