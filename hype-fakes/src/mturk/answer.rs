//! The answers of the service.

use hyper::Response;
use hyper::body::Bytes;
use serde_json::{Value, json};

/// Why the service does not carry out a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Refused {
    status: u16,
    kind: &'static str,
    code: Option<&'static str>,
    message: String,
}

impl Refused {
    /// By a rule of the service, which has a code.
    pub(super) fn by_rule(code: &'static str, message: impl Into<String>) -> Self {
        Self { status: 400, kind: "RequestError", code: Some(code), message: message.into() }
    }

    /// Because a request with the same token was carried out. The documentation names no code.
    pub(super) fn used_token(token: &str) -> Self {
        let message = format!("The idempotency token \"{token}\" has already been processed.");
        Self { status: 400, kind: "RequestError", code: None, message }
    }

    /// Because a member has a value that the service does not accept.
    pub(super) fn invalid(message: impl Into<String>) -> Self {
        Self { status: 400, kind: "ParameterValidationError", code: None, message: message.into() }
    }

    /// Because the request does not follow the service's model.
    pub(super) fn malformed(message: impl Into<String>) -> Self {
        Self { status: 400, kind: "ValidationException", code: None, message: message.into() }
    }

    /// Because the signature is not that of the account.
    pub(super) fn unsigned(message: impl Into<String>) -> Self {
        Self { status: 403, kind: "InvalidSignatureException", code: None, message: message.into() }
    }

    /// Because there were too many requests. The model does not list this error.
    pub(super) fn throttled() -> Self {
        Self { status: 400, kind: "ThrottlingException", code: None, message: "Rate exceeded".into() }
    }

    /// Because of a fault of the service.
    pub(super) fn fault() -> Self {
        Self {
            status: 500,
            kind: "ServiceFault",
            code: Some("AWS.ServiceUnavailable"),
            message:
                "Amazon Mechanical Turk is temporarily unable to process your request. Try your call again."
                    .into(),
        }
    }

    pub(super) fn response(&self, now: u64) -> Response<Bytes> {
        // The service ends its messages with the time.
        let mut body = json!({ "__type": self.kind, "Message": format!("{} ({now} s)", self.message) });
        if let (Some(code), Some(members)) = (self.code, body.as_object_mut()) {
            members.insert("TurkErrorCode".into(), json!(code));
        }
        written(self.status, &body)
    }
}

/// The answer to a request that was carried out.
pub(super) fn done(output: &Value) -> Response<Bytes> {
    written(200, output)
}

fn written(status: u16, body: &Value) -> Response<Bytes> {
    let response = Response::builder()
        .status(status)
        .header("content-type", "application/x-amz-json-1.1")
        .header("x-amzn-requestid", "00000000-0000-4000-8000-000000000000")
        .body(Bytes::from(body.to_string()));
    // The status and the headers are always valid.
    response.unwrap_or_default()
}
