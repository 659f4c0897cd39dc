//! Webhooks: reports of what has changed.

use base64::prelude::{BASE64_STANDARD, Engine as _};
use hmac::{Hmac, KeyInit as _, Mac as _};
use http_body_util::Full;
use hype_chance::Streams;
use hyper::Request;
use hyper::body::Bytes;
use hyper::client::conn::http1;
use hyper::header::HOST;
use hyper_util::rt::TokioIo;
use serde_json::json;
use sha2::Sha256;
use tokio::net::TcpStream;

use super::FakeProlific;
use super::state::HookEvent;

/// A report as it is sent.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Delivery {
    /// The headers that say who sent it, when, and what its name is.
    pub headers: Vec<(&'static str, String)>,
    /// The body.
    pub body: String,
}

impl FakeProlific {
    /// Reports of everything that has changed since the last call, signed at the clock's time.
    #[must_use]
    pub fn deliveries(&self) -> Vec<Delivery> {
        let mut state = self.state();
        let events: Vec<HookEvent> = state.events.drain(..).collect();
        let (secret, now_ms) = (state.setup.webhook_secret.clone(), state.clock.unix_ms());
        events.iter().map(|event| delivery(event, &secret, now_ms)).collect()
    }
}

fn delivery(event: &HookEvent, secret: &str, now_ms: u64) -> Delivery {
    let body = json!({ "event_type": event.kind, "resource_id": event.resource, "status": event.status })
        .to_string();
    let timestamp = (now_ms / 1_000).to_string();
    #[expect(clippy::unwrap_used, reason = "HMAC takes keys of any length")]
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).unwrap();
    mac.update(timestamp.as_bytes());
    mac.update(body.as_bytes());
    let signature = BASE64_STANDARD.encode(mac.finalize().into_bytes());
    let headers = vec![
        ("X-Prolific-Request-Signature", signature),
        ("X-Prolific-Request-Timestamp", timestamp),
        ("X-Event-ID", event.name.clone()),
        ("X-Timestamp", (event.unix_ms / 1_000).to_string()),
    ];
    Delivery { headers, body }
}

/// Reports as they may arrive: each twice, in an order drawn from a seed.
#[must_use]
pub fn disturbed(deliveries: &[Delivery], seed: u64) -> Vec<Delivery> {
    let mut disturbed = [deliveries, deliveries].concat();
    Streams::new(seed).stream("deliveries").shuffle(&mut disturbed);
    disturbed
}

impl Delivery {
    /// Sends the report to an address of this machine, such as `http://127.0.0.1:7850/api/panel`. Returns the status of the answer.
    ///
    /// # Errors
    /// If no server listens there, or no answer comes.
    pub async fn post(&self, url: &str) -> std::io::Result<u16> {
        let (host, path) = url
            .strip_prefix("http://")
            .map(|rest| rest.split_at(rest.find('/').unwrap_or(rest.len())))
            .ok_or_else(|| std::io::Error::other("the address does not begin with `http://`"))?;
        let stream = TcpStream::connect(host).await?;
        let (mut sender, connection) =
            http1::handshake(TokioIo::new(stream)).await.map_err(std::io::Error::other)?;
        let connection = tokio::spawn(connection);
        let mut request = Request::post(if path.is_empty() { "/" } else { path })
            .header(HOST, host)
            .header("content-type", "application/json");
        for (name, value) in &self.headers {
            request = request.header(*name, value);
        }
        let request =
            request.body(Full::new(Bytes::from(self.body.clone()))).map_err(std::io::Error::other)?;
        let answer = sender.send_request(request).await.map_err(std::io::Error::other)?;
        connection.abort();
        Ok(answer.status().as_u16())
    }
}
