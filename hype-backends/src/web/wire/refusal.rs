//! The body of every response that refuses a request.

use std::borrow::Cow;

#[cfg(feature = "schemas")]
use schemars::JsonSchema;
use serde::Serialize;

/// A request was refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
pub struct RefusalBody {
    /// Why.
    pub error: RefusalReason,
}

/// Why a request was refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
pub struct RefusalReason {
    /// One of the codes in `docs/reference/protocol.md`, by which the page decides what to do.
    pub code: Cow<'static, str>,
    /// An explanation for people who read logs; raters never see it.
    pub message: String,
}

impl RefusalBody {
    /// A refusal with a code and a message.
    #[must_use]
    pub fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self { error: RefusalReason { code: code.into(), message: message.into() } }
    }
}
