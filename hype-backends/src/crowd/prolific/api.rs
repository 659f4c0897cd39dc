//! Requests to the API: sent once or repeated, and what an answer means.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use hyper::body::Bytes;
use hyper::http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderValue, RETRY_AFTER, USER_AGENT};
use hyper::http::{Method, Request, Response, StatusCode};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::NAME;
use super::transport::{Transport, Unanswered};
use super::wire::ErrorBody;
use crate::clock::Clock;
use crate::crowd::platform::PlatformError;
use crate::crowd::transport::{ATTEMPTS, pause};

/// The program that makes requests.
const PROGRAM: &str = concat!("hype/", env!("CARGO_PKG_VERSION"));

/// The beginning of every path of the API.
const VERSION: &str = "api/v1/";

/// The longest delay that a read waits for when the platform asks for it.
const LONGEST_DELAY: Duration = Duration::from_secs(60);

/// The longest message of the platform that is passed on, in characters.
const LONGEST_MESSAGE: usize = 300;

/// The shortest run of letters and digits in a message that may be an id or a token.
const SHORTEST_ID: usize = 20;

/// Version 1 of Prolific's API.
pub(super) struct Api {
    transport: Arc<dyn Transport>,
    clock: Arc<dyn Clock>,
    base: String,
    authorization: HeaderValue,
}

/// Shows no token.
impl fmt::Debug for Api {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Api").field("base", &self.base).finish_non_exhaustive()
    }
}

/// The possible effect of a request that fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effect {
    /// Nothing that matters: the request reads, or prepares something that has no effect by itself.
    None,
    /// A change.
    Change,
}

/// Why a request has failed.
#[derive(Debug)]
pub(super) struct Failure {
    kind: FailureKind,
    reason: String,
    /// The delay for which the platform asks.
    after: Option<Duration>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FailureKind {
    /// There was no connection, or the platform was too busy: nothing has happened.
    NotTaken,
    /// No answer came, or one that says that the platform has failed.
    Unknown,
    /// The platform has refused.
    Refused,
    /// The platform has agreed, in words that this version does not know.
    Unreadable,
}

impl Failure {
    const fn new(kind: FailureKind, reason: String) -> Self {
        Self { kind, reason, after: None }
    }

    const fn is_passing(&self) -> bool {
        matches!(self.kind, FailureKind::NotTaken | FailureKind::Unknown)
    }

    fn into_error(self, action: &'static str, effect: Effect) -> PlatformError {
        let (platform, reason) = (NAME, self.reason);
        match (self.kind, effect) {
            (FailureKind::Refused, _) => PlatformError::Refused { platform, action, reason },
            (FailureKind::NotTaken, _) | (FailureKind::Unknown, Effect::None) => {
                PlatformError::Unavailable { platform, action, reason }
            }
            (FailureKind::Unreadable, Effect::None) => {
                PlatformError::NotUnderstood { platform, action, reason }
            }
            (FailureKind::Unknown | FailureKind::Unreadable, Effect::Change) => {
                PlatformError::Unclear { platform, action, reason }
            }
        }
    }
}

impl Api {
    /// An API at an address, with the token of an account. `None` if the token cannot be part of a request.
    pub(super) fn new(
        base_url: &str,
        token: &str,
        transport: Arc<dyn Transport>,
        clock: Arc<dyn Clock>,
    ) -> Option<Self> {
        let mut authorization = HeaderValue::from_str(&format!("Token {}", token.trim())).ok()?;
        authorization.set_sensitive(true);
        let base = format!("{}/{VERSION}", base_url.trim_end_matches('/'));
        Some(Self { transport, clock, base, authorization })
    }

    /// Reads something. Repeats the request for as long as that can help.
    pub(super) async fn read<T: DeserializeOwned>(
        &self,
        action: &'static str,
        path: &str,
    ) -> Result<T, PlatformError> {
        let mut attempt = 1;
        loop {
            let failure =
                match self.send(&Method::GET, path, Bytes::new()).await.and_then(|body| parsed(&body)) {
                    Ok(answer) => return Ok(answer),
                    Err(failure) => failure,
                };
            let delay = failure.after.unwrap_or_else(|| pause(attempt, &*self.clock));
            if attempt == ATTEMPTS || !failure.is_passing() || delay > LONGEST_DELAY {
                return Err(failure.into_error(action, Effect::None));
            }
            self.clock.sleep(delay).await;
            attempt += 1;
        }
    }

    /// Reads a file that belongs to no version of the API, such as `.well-known/study/jwks.json`. It is asked for once.
    pub(super) async fn read_file<T: DeserializeOwned>(
        &self,
        action: &'static str,
        path: &str,
    ) -> Result<T, PlatformError> {
        let address = format!("{}{path}", self.base.trim_end_matches(VERSION));
        let sent = self.send_to(&Method::GET, &address, Bytes::new()).await;
        sent.and_then(|body| parsed(&body)).map_err(|failure| failure.into_error(action, Effect::None))
    }

    /// Sends something once, and reads the answer.
    pub(super) async fn write<T: DeserializeOwned>(
        &self,
        action: &'static str,
        effect: Effect,
        (method, path): (Method, &str),
        body: &(impl Serialize + Sync),
    ) -> Result<T, PlatformError> {
        let answer = self.request(action, &method, path, body).await?;
        answer.and_then(|body| parsed(&body)).map_err(|failure| failure.into_error(action, effect))
    }

    /// Sends a change once. The answer says nothing that matters.
    pub(super) async fn change(
        &self,
        action: &'static str,
        (method, path): (Method, &str),
        body: &(impl Serialize + Sync),
    ) -> Result<(), PlatformError> {
        let answer = self.request(action, &method, path, body).await?;
        answer.map(drop).map_err(|failure| failure.into_error(action, Effect::Change))
    }

    async fn request(
        &self,
        action: &'static str,
        method: &Method,
        path: &str,
        body: &(impl Serialize + Sync),
    ) -> Result<Result<Bytes, Failure>, PlatformError> {
        let body = serde_json::to_vec(body).map_err(|error| refused(action, error.to_string()))?;
        Ok(self.send(method, path, body.into()).await)
    }

    /// Sends a request once. A path begins without a slash.
    async fn send(&self, method: &Method, path: &str, body: Bytes) -> Result<Bytes, Failure> {
        self.send_to(method, &format!("{}{path}", self.base), body).await
    }

    async fn send_to(&self, method: &Method, address: &str, body: Bytes) -> Result<Bytes, Failure> {
        let not_sent = |reason: String| Failure::new(FailureKind::NotTaken, reason);
        let mut request = Request::new(body);
        *request.method_mut() = method.clone();
        *request.uri_mut() =
            address.parse().map_err(|_| not_sent("the address of the request is not valid".into()))?;
        let headers = request.headers_mut();
        headers.insert(AUTHORIZATION, self.authorization.clone());
        headers.insert(USER_AGENT, HeaderValue::from_static(PROGRAM));
        headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        match self.transport.send(request).await {
            Ok(answer) => judged(answer),
            Err(Unanswered::NotSent(reason)) => Err(not_sent(reason)),
            Err(Unanswered::Lost(reason)) => Err(Failure::new(FailureKind::Unknown, reason)),
        }
    }
}

/// A refusal of this program itself, before anything is sent.
pub(super) fn refused(action: &'static str, reason: impl Into<String>) -> PlatformError {
    PlatformError::Refused { platform: NAME, action, reason: reason.into() }
}

/// The platform says something that this version does not know.
pub(super) fn not_understood(action: &'static str, reason: impl Into<String>) -> PlatformError {
    PlatformError::NotUnderstood { platform: NAME, action, reason: reason.into() }
}

/// An id as a part of a path. Ids of Prolific are letters and digits.
pub(super) fn part<'a>(action: &'static str, id: &'a str) -> Result<&'a str, PlatformError> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    if id.is_empty() || !id.bytes().all(is_plain) {
        return Err(refused(action, "what is named cannot be an id of Prolific"));
    }
    Ok(id)
}

/// The body of an answer that agrees, or what another one means.
fn judged(answer: Response<Bytes>) -> Result<Bytes, Failure> {
    let status = answer.status();
    if status.is_success() {
        return Ok(answer.into_body());
    }
    let reason = format!("status {}{}", status.as_u16(), message(answer.body()));
    let kind = match status {
        StatusCode::TOO_MANY_REQUESTS => FailureKind::NotTaken,
        // Whether the whole request had arrived, only the platform knows.
        StatusCode::REQUEST_TIMEOUT => FailureKind::Unknown,
        _ if status.is_server_error() || status.is_informational() => FailureKind::Unknown,
        _ => FailureKind::Refused,
    };
    let reason = match status {
        StatusCode::UNAUTHORIZED => format!("{reason}: check the token"),
        _ if status.is_redirection() => format!("{reason}: the API is not at this address, check `base_url`"),
        _ => reason,
    };
    let after = answer.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok()?.trim().parse().ok());
    Err(Failure { after: after.map(Duration::from_secs), ..Failure::new(kind, reason) })
}

fn parsed<T: DeserializeOwned>(body: &[u8]) -> Result<T, Failure> {
    serde_json::from_slice(body).map_err(|error| {
        // Serde may quote an id from the answer.
        Failure::new(FailureKind::Unreadable, masked(&error.to_string()))
    })
}

/// Returns the platform's message after a colon; empty if the body does not have its usual form.
fn message(body: &[u8]) -> String {
    let Ok(ErrorBody { error }) = serde_json::from_slice(body) else { return String::new() };
    let parts = [error.title, flat(&error.detail)];
    let text =
        parts.iter().filter(|part| !part.is_empty()).map(String::as_str).collect::<Vec<_>>().join(": ");
    if text.is_empty() { text } else { format!(" ({})", masked(&text)) }
}

/// The texts of a detail: a sentence, a list of them, or lists of them by field.
fn flat(detail: &Value) -> String {
    let join = |parts: Vec<String>| parts.join("; ");
    match detail {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(parts) => join(parts.iter().map(flat).collect()),
        Value::Object(fields) => {
            join(fields.iter().map(|(field, value)| format!("{field}: {}", flat(value))).collect())
        }
        other => other.to_string(),
    }
}

/// A message of the platform without what may be an id of a person or a token, and not longer than fits on a few lines.
fn masked(message: &str) -> String {
    let mut clean = String::new();
    for run in message.split_inclusive(|letter: char| !letter.is_ascii_alphanumeric()) {
        let end = run.find(|letter: char| !letter.is_ascii_alphanumeric()).unwrap_or(run.len());
        clean.push_str(if end >= SHORTEST_ID { "…" } else { &run[..end] });
        clean.push_str(&run[end..]);
    }
    clean.chars().take(LONGEST_MESSAGE).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(status: u16, body: &str) -> Response<Bytes> {
        Response::builder().status(status).body(Bytes::from(body.to_owned())).unwrap()
    }

    fn error(status: u16, effect: Effect) -> PlatformError {
        judged(answer(status, "<html>")).unwrap_err().into_error("approve a submission", effect)
    }

    #[test]
    fn statuses_say_whether_something_has_happened() {
        use PlatformError::{Refused, Unavailable, Unclear};
        for status in [400, 401, 403, 404, 409, 422, 301] {
            assert!(matches!(error(status, Effect::Change), Refused { .. }), "{status}");
            assert!(matches!(error(status, Effect::None), Refused { .. }), "{status}");
        }
        assert!(matches!(error(429, Effect::Change), Unavailable { .. }));
        for status in [408, 500, 502, 503, 504] {
            assert!(matches!(error(status, Effect::Change), Unclear { .. }), "{status}");
            assert!(matches!(error(status, Effect::None), Unavailable { .. }), "{status}");
        }
    }

    #[test]
    fn an_answer_that_cannot_be_read_is_unclear_after_a_change() {
        let error = |effect| parsed::<u32>(b"{").unwrap_err().into_error("create a study", effect);
        assert!(error(Effect::Change).is_unclear());
        assert!(matches!(error(Effect::None), PlatformError::NotUnderstood { .. }));
    }

    #[test]
    fn messages_are_passed_on_without_ids() {
        let reason = |body: &str| judged(answer(400, body)).unwrap_err().reason;
        let body =
            |detail: &str| format!(r#"{{"error": {{"status": 400, "title": "Bad", "detail": {detail}}}}}"#);
        assert_eq!(reason("oops"), "status 400");
        assert_eq!(reason(&body("null")), "status 400 (Bad)");
        assert_eq!(reason(&body(r#"["too few", "places"]"#)), "status 400 (Bad: too few; places)");
        let named = body(r#"{"ids": ["60ffe5c8371090c7041d43f8 did not take part"]}"#);
        assert_eq!(reason(&named), "status 400 (Bad: ids: … did not take part)");
        assert_eq!(masked(&"ä ".repeat(400)).chars().count(), LONGEST_MESSAGE);
        assert_eq!(masked("x=60ffe5c8371090c7041d43f8"), "x=…");
    }
}
