//! The transport of the official client: reqwest with the TLS of the rest of the program.
//!
//! The transports that come with the client bring their own TLS library.

use aws_sdk_mturk::config::http::{HttpRequest, HttpResponse};
use aws_sdk_mturk::config::{HttpClient, RuntimeComponents};
use aws_sdk_mturk::error::{BoxError, ConnectorError};
use aws_smithy_runtime_api::client::http::{
    HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpConnector,
};
use hyper::http;

/// No connection was made, so nothing was sent.
#[derive(Debug, thiserror::Error)]
#[error("no connection: {0}")]
pub(crate) struct NotConnected(String);

/// Sends the requests of the official client.
#[derive(Debug, Clone)]
pub(crate) struct Connector(reqwest::Client);

impl Connector {
    pub(crate) const fn new(client: reqwest::Client) -> Self {
        Self(client)
    }
}

impl HttpClient for Connector {
    fn http_connector(&self, _: &HttpConnectorSettings, _: &RuntimeComponents) -> SharedHttpConnector {
        SharedHttpConnector::new(self.clone())
    }
}

impl HttpConnector for Connector {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let client = self.0.clone();
        HttpConnectorFuture::new(async move {
            let request = translated(request).map_err(ConnectorError::user)?;
            let response = client.execute(request).await.map_err(|error| failure(&error))?;
            let mut translated = http::Response::builder().status(response.status());
            if let Some(headers) = translated.headers_mut() {
                headers.extend(response.headers().clone());
            }
            let body = response.bytes().await.map_err(|error| failure(&error))?;
            let response =
                translated.body(body.into()).map_err(|error| ConnectorError::user(error.into()))?;
            HttpResponse::try_from(response).map_err(|error| ConnectorError::user(error.into()))
        })
    }
}

/// The client's request as one of reqwest. Bodies of the protocol are JSON in memory.
fn translated(request: HttpRequest) -> Result<reqwest::Request, BoxError> {
    let (parts, body) = request.try_into_http1x()?.into_parts();
    let body = body.bytes().ok_or("the body of a request is not in memory")?.to_vec();
    Ok(reqwest::Request::try_from(http::Request::from_parts(parts, body))?)
}

/// Errors of reqwest name the address and what failed, and nothing of the request.
fn failure(error: &reqwest::Error) -> ConnectorError {
    if error.is_connect() {
        ConnectorError::io(NotConnected(innermost(error)).into())
    } else {
        ConnectorError::io(innermost(error).into())
    }
}

/// The cause at the end of the chain, which says most.
fn innermost(error: &dyn std::error::Error) -> String {
    let mut last = error;
    while let Some(source) = last.source() {
        last = source;
    }
    last.to_string()
}
