//! An HTTP client for synthetic visitors: one connection and one cookie, as in one browser.

use std::net::SocketAddr;

use axum::body::Bytes;
use axum::http::header::{CONTENT_TYPE, COOKIE, HOST, SET_COOKIE};
use axum::http::{Request, StatusCode};
use http_body_util::{BodyExt as _, Full};
use hype_core::model::hex;
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::TcpStream;

/// A page in a browser.
#[derive(Debug)]
pub(crate) struct Client {
    server: SocketAddr,
    connection: SendRequest<Full<Bytes>>,
    pub(super) browser: Browser,
}

/// The name by which the server identifies the page.
#[derive(Debug, Clone)]
pub(super) struct Browser {
    /// Name and value.
    pub(super) cookie: Option<String>,
    tab: String,
}

impl Browser {
    /// A page that was just loaded, in a browser with a cookie or without one.
    pub(super) fn new(cookie: Option<String>) -> Result<Self, ClientError> {
        let mut tab = [0; 16];
        getrandom::fill(&mut tab).map_err(|error| ClientError::Failed(error.to_string()))?;
        Ok(Self { cookie, tab: hex::to_hex(&tab) })
    }
}

/// A request failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ClientError {
    /// The server cannot be reached, or asks to wait.
    #[error("the server is not available")]
    Unavailable,
    /// The server refused the request.
    #[error("{0}")]
    Failed(String),
}

impl Client {
    /// Opens a connection.
    pub(super) async fn connect(server: SocketAddr, browser: Browser) -> Result<Self, ClientError> {
        let stream = TcpStream::connect(server).await.map_err(|_| ClientError::Unavailable)?;
        let (connection, driver) =
            handshake(TokioIo::new(stream)).await.map_err(|_| ClientError::Unavailable)?;
        tokio::spawn(driver);
        Ok(Self { server, connection, browser })
    }

    /// The session's cookie.
    pub(super) fn cookie(&self) -> Option<&str> {
        self.browser.cookie.as_deref()?.split_once('=').map(|(_, value)| value)
    }

    /// Sends a report with the page's name in it, and repeats it while the server asks to wait.
    pub(super) async fn post(&mut self, path: &str, mut body: Value) -> Result<Value, ClientError> {
        body["tab"] = self.browser.tab.as_str().into();
        let request = self.request("POST", path).header(CONTENT_TYPE, "application/json");
        let request = request
            .body(Full::from(body.to_string()))
            .map_err(|error| ClientError::Failed(error.to_string()))?;
        let bytes = self.send(request).await?;
        serde_json::from_slice(&bytes).map_err(|error| ClientError::Failed(error.to_string()))
    }

    /// Fetches a file.
    pub(crate) async fn get(&mut self, path: &str) -> Result<Bytes, ClientError> {
        let request = self.request("GET", path).body(Full::default());
        self.send(request.map_err(|error| ClientError::Failed(error.to_string()))?).await
    }

    fn request(&self, method: &str, path: &str) -> axum::http::request::Builder {
        let request =
            Request::builder().method(method).uri(format!("/{path}")).header(HOST, self.server.to_string());
        match &self.browser.cookie {
            Some(cookie) => request.header(COOKIE, cookie),
            None => request,
        }
    }

    async fn send(&mut self, request: Request<Full<Bytes>>) -> Result<Bytes, ClientError> {
        self.connection.ready().await.map_err(|_| ClientError::Unavailable)?;
        let response = self.connection.send_request(request).await.map_err(|_| ClientError::Unavailable)?;
        if let Some(cookie) = response.headers().get(SET_COOKIE).and_then(|value| value.to_str().ok()) {
            self.browser.cookie = cookie.split(';').next().map(str::to_owned);
        }
        let status = response.status();
        let bytes = response.into_body().collect().await.map_err(|_| ClientError::Unavailable)?.to_bytes();
        match status {
            StatusCode::OK => Ok(bytes),
            StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE => Err(ClientError::Unavailable),
            status => Err(ClientError::Failed(format!("{status}: {}", String::from_utf8_lossy(&bytes)))),
        }
    }
}
