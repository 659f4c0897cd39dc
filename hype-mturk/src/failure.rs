//! The meaning of a failed request: whether something has happened, and what the operator reads.

use std::error::Error as _;

use aws_sdk_mturk::config::http::HttpResponse;
use aws_sdk_mturk::error::{ProvideErrorMetadata, SdkError};
use hype_backends::crowd::platform::PlatformError;
use serde::Deserialize;

use crate::NAME;
use crate::connector::NotConnected;

/// The longest message of the service that is passed on, in characters.
const LONGEST_MESSAGE: usize = 300;

/// The service's code for work that was approved, rejected or not handed in, where something else is asked for.
pub(crate) const ASSIGNMENT_STATE: &str = "AWS.MechanicalTurk.InvalidAssignmentState";

/// The possible effect of a request without an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effect {
    /// Nothing that matters: the request reads, or prepares something that has no effect by itself.
    None,
    /// A change that the service carries out once however often it is asked to, by the request's token.
    Once,
    /// A change.
    Change,
}

/// A request, for errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Call {
    pub(crate) action: &'static str,
    pub(crate) effect: Effect,
}

impl Call {
    pub(crate) const fn read(action: &'static str) -> Self {
        Self { action, effect: Effect::None }
    }

    pub(crate) const fn once(action: &'static str) -> Self {
        Self { action, effect: Effect::Once }
    }

    pub(crate) const fn change(action: &'static str) -> Self {
        Self { action, effect: Effect::Change }
    }

    /// It is unknown what has become of the request.
    pub(crate) fn unanswered(self, reason: impl Into<String>) -> Failure {
        let (platform, action, reason) = (NAME, self.action, reason.into());
        Failure::from(match self.effect {
            Effect::None => PlatformError::Unavailable { platform, action, reason },
            Effect::Once | Effect::Change => PlatformError::Unclear { platform, action, reason },
        })
    }

    /// The request was answered with a success that cannot be read.
    pub(crate) fn not_understood(self, reason: &str) -> Failure {
        let (platform, action, reason) = (NAME, self.action, reason.to_owned());
        Failure::from(match self.effect {
            Effect::None => PlatformError::NotUnderstood { platform, action, reason },
            Effect::Once | Effect::Change => PlatformError::Unclear { platform, action, reason },
        })
    }

    /// The request had no effect, and may succeed later.
    pub(crate) fn unavailable(self, reason: impl Into<String>) -> Failure {
        PlatformError::Unavailable { platform: NAME, action: self.action, reason: reason.into() }.into()
    }

    /// The request had no effect, and will have none.
    pub(crate) fn refused(self, reason: impl Into<String>) -> Failure {
        PlatformError::Refused { platform: NAME, action: self.action, reason: reason.into() }.into()
    }

    /// Interprets an error of the client.
    pub(crate) fn failure<E: ProvideErrorMetadata>(self, error: &SdkError<E, HttpResponse>) -> Failure {
        match error {
            SdkError::ConstructionFailure(_) => self.refused("the request cannot be signed or written"),
            SdkError::DispatchFailure(failure) => {
                let source = failure.as_connector_error().and_then(|error| error.source());
                let reason = source.map_or_else(|| "the connection failed".into(), ToString::to_string);
                if source.is_some_and(|source| source.is::<NotConnected>()) {
                    self.unavailable(reason)
                } else {
                    self.unanswered(reason)
                }
            }
            SdkError::ServiceError(failure) => {
                let known = failure.err();
                self.answered(failure.raw(), known.code(), known.message())
            }
            SdkError::ResponseError(failure) => self.answered(failure.raw(), None, None),
            _ => self.unanswered("no answer in time"),
        }
    }

    /// Interprets an answer other than a success.
    fn answered(self, response: &HttpResponse, kind: Option<&str>, message: Option<&str>) -> Failure {
        let status = response.status();
        let code = turk_error_code(response.body().bytes().unwrap_or_default());
        let name = code.as_deref().or(kind).unwrap_or("no code");
        let reason = match message {
            Some(message) => format!("{} ({name})", without_ids(message)),
            None => format!("status {} ({name})", status.as_u16()),
        };
        let is_throttled = status.as_u16() == 429 || kind.is_some_and(is_throttling);
        let failure = if is_throttled {
            self.unavailable(reason)
        } else if status.is_client_error() {
            self.refused(reason)
        } else {
            self.unanswered(reason)
        };
        Failure { code, message: message.unwrap_or_default().to_owned(), is_throttled, ..failure }
    }

    /// Whether the request can be sent again after a failure: the service had too many, and sending it twice does nothing twice.
    pub(crate) fn can_repeat(self, failure: &Failure) -> bool {
        failure.is_throttled && self.effect != Effect::Change
    }
}

/// A failed request.
#[derive(Debug)]
pub(crate) struct Failure {
    /// The error for the caller.
    pub(crate) error: PlatformError,
    /// The service's own code.
    code: Option<String>,
    /// The service's message as it came, which may contain ids.
    message: String,
    /// Whether the service asks for fewer requests.
    is_throttled: bool,
}

impl Failure {
    pub(crate) fn has_code(&self, code: &str) -> bool {
        self.code.as_deref() == Some(code)
    }

    pub(crate) const fn is_refused(&self) -> bool {
        matches!(self.error, PlatformError::Refused { .. })
    }

    /// Whether the request was refused because an earlier one like it was carried out: what it asks for exists, or its token was
    /// used.
    pub(crate) fn is_repetition(&self) -> bool {
        let is_known = self.code.as_deref().is_some_and(|code| {
            code.starts_with("AWS.MechanicalTurk.")
                && (code.ends_with("AlreadyExists") || code.ends_with("DuplicateCall"))
        });
        self.is_refused() && (is_known || self.message.contains("has already been processed"))
    }
}

impl From<PlatformError> for Failure {
    fn from(error: PlatformError) -> Self {
        Self { error, code: None, message: String::new(), is_throttled: false }
    }
}

impl From<Failure> for PlatformError {
    fn from(failure: Failure) -> Self {
        failure.error
    }
}

/// The kinds of errors, which the service's model does not list, by which AWS asks for fewer requests.
fn is_throttling(kind: &str) -> bool {
    ["ThrottlingException", "Throttling", "TooManyRequestsException", "RequestLimitExceeded"].contains(&kind)
}

/// The member `TurkErrorCode` of an error, which all operations have in common.
fn turk_error_code(body: &[u8]) -> Option<String> {
    #[derive(Deserialize)]
    struct Body {
        #[serde(rename = "TurkErrorCode")]
        code: Option<String>,
    }
    serde_json::from_slice::<Body>(body).ok()?.code
}

/// A message of the service without what may be an id of a person, a piece of work or an account: runs of eight or more capital
/// letters and digits.
fn without_ids(message: &str) -> String {
    let is_of_id = |letter: char| letter.is_ascii_uppercase() || letter.is_ascii_digit();
    let mut clean = String::new();
    let mut rest = message;
    while let Some(letter) = rest.chars().next() {
        let run = rest.find(|letter| !is_of_id(letter)).unwrap_or(rest.len());
        let taken = if run == 0 { letter.len_utf8() } else { run };
        let (part, after) = rest.split_at(taken);
        clean.push_str(if run >= 8 { "…" } else { part });
        rest = after;
    }
    clean.chars().take(LONGEST_MESSAGE).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAY: Call = Call::change("pay");

    fn answered(call: Call, status: u16, body: &str, kind: Option<&str>, message: Option<&str>) -> Failure {
        let status = status.try_into().unwrap();
        call.answered(&HttpResponse::new(status, body.to_owned().into()), kind, message)
    }

    #[test]
    fn messages_are_passed_on_without_ids() {
        let cases = [
            (
                "The value \"A143XRCI1YXAFE\" is not valid. (1585151438622 s)",
                "The value \"…\" is not valid. (… s)",
            ),
            ("HIT 3VJ4PFXFJ5VXUC3I783DUQKOMF2UAWWed Jul 14", "HIT …ed Jul 14"),
            ("Größe: ABCDEFG is short", "Größe: ABCDEFG is short"),
            ("", ""),
        ];
        for (message, clean) in cases {
            assert_eq!(without_ids(message), clean);
        }
        assert_eq!(without_ids(&"ä".repeat(400)).chars().count(), LONGEST_MESSAGE);
    }

    #[test]
    fn answers_say_whether_something_has_happened() {
        let refused = answered(
            PAY,
            400,
            r#"{"TurkErrorCode": "AWS.MechanicalTurk.InsufficientFunds"}"#,
            Some("RequestError"),
            Some("no funds"),
        );
        assert!(refused.has_code("AWS.MechanicalTurk.InsufficientFunds") && !refused.is_repetition());
        assert_eq!(
            refused.error.to_string(),
            "Mechanical Turk refused to pay: no funds (AWS.MechanicalTurk.InsufficientFunds)"
        );
        let throttled = answered(PAY, 400, "{}", Some("ThrottlingException"), Some("Rate exceeded"));
        assert!(throttled.error.is_retryable());
        assert!(answered(PAY, 429, "", None, None).error.is_retryable());
        assert!(answered(PAY, 500, "<html>", None, None).error.is_unclear());
        assert!(answered(Call::read("read"), 500, "", Some("ServiceFault"), None).error.is_retryable());
    }

    #[test]
    fn repetitions_are_told_from_other_refusals() {
        let processed = "The idempotency token \"x\" has already been processed. (1626172412406)";
        assert!(answered(PAY, 400, "{}", Some("RequestError"), Some(processed)).is_repetition());
        let exists = r#"{"TurkErrorCode": "AWS.MechanicalTurk.HitAlreadyExists"}"#;
        assert!(answered(PAY, 400, exists, Some("RequestError"), None).is_repetition());
        assert!(!answered(PAY, 500, exists, Some("ServiceFault"), Some(processed)).is_repetition());
    }
}
