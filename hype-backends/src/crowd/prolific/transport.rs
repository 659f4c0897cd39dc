//! How requests reach Prolific.

use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use hyper::body::Bytes;
use hyper::http::header::{CONNECTION, HeaderValue};
use hyper::http::{Request, Response};

use crate::clock::Clock;
use crate::crowd::transport::{TransportError, client};

/// How long an answer may take.
const ANSWER: Duration = Duration::from_secs(60);

/// The largest answer, in bytes. A page of a list has some hundred kilobytes.
const LARGEST_ANSWER: usize = 32 << 20;

/// Sends a request once and returns the answer. Implementations repeat nothing.
#[async_trait]
pub trait Transport: Debug + Send + Sync {
    /// Sends a request.
    ///
    /// # Errors
    /// If no answer came.
    async fn send(&self, request: Request<Bytes>) -> Result<Response<Bytes>, Unanswered>;
}

/// No answer came.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "transports make it")]
pub enum Unanswered {
    /// Nothing was sent: there was no connection.
    NotSent(String),
    /// The request was sent, at least in part, and may have been carried out.
    Lost(String),
}

/// Sends requests by HTTP.
#[derive(Debug)]
pub struct HttpTransport {
    client: reqwest::Client,
    clock: Arc<dyn Clock>,
}

impl HttpTransport {
    /// A transport to an address of the API.
    ///
    /// # Errors
    /// If the system's certificates cannot be read.
    pub fn new(base_url: &str, clock: Arc<dyn Clock>) -> Result<Self, TransportError> {
        Ok(Self { client: client(base_url)?, clock })
    }

    async fn exchange(&self, request: reqwest::Request) -> reqwest::Result<Response<Bytes>> {
        let mut response = self.client.execute(request).await?;
        let mut body = Vec::new();
        while body.len() <= LARGEST_ANSWER
            && let Some(chunk) = response.chunk().await?
        {
            body.extend_from_slice(&chunk);
        }
        let mut answer = Response::new(Bytes::from(body));
        *answer.status_mut() = response.status();
        *answer.headers_mut() = response.headers().clone();
        Ok(answer)
    }
}

#[async_trait]
impl Transport for HttpTransport {
    async fn send(&self, request: Request<Bytes>) -> Result<Response<Bytes>, Unanswered> {
        let lost = |error: reqwest::Error| {
            if error.is_connect() {
                Unanswered::NotSent(cause(&error))
            } else {
                Unanswered::Lost(cause(&error))
            }
        };
        let mut request =
            reqwest::Request::try_from(request).map_err(|error| Unanswered::NotSent(cause(&error)))?;
        // Each request has its own connection: it is unknown whether a request was read if the other side has just closed the
        // connection.
        request.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
        let answer = tokio::select! {
            answer = self.exchange(request) => answer.map_err(lost)?,
            () = self.clock.overdue(ANSWER) => {
                return Err(Unanswered::Lost(format!("no answer in {} seconds", ANSWER.as_secs())));
            }
        };
        if answer.body().len() > LARGEST_ANSWER {
            return Err(Unanswered::Lost("the answer is too large".into()));
        }
        Ok(answer)
    }
}

/// The innermost cause of an error, which says most and does not contain the address.
fn cause(error: &reqwest::Error) -> String {
    let mut cause = std::error::Error::source(error);
    while let Some(source) = cause.and_then(std::error::Error::source) {
        cause = Some(source);
    }
    cause.map_or_else(|| "the connection failed".into(), ToString::to_string)
}
