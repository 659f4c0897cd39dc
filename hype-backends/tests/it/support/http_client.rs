//! An HTTP client that acts as one page of a browser, with one cookie.

use std::net::SocketAddr;

use serde_json::{Value, json};

use crate::connection::{Connection, Reply, request};

pub(crate) struct HttpClient {
    server: SocketAddr,
    wire: Connection,
    /// Name and value.
    pub(crate) cookie: Option<String>,
    pub(crate) tab: String,
}

impl HttpClient {
    pub(crate) async fn to(server: SocketAddr) -> Self {
        Self { server, wire: Connection::to(server).await, cookie: None, tab: format!("{:032x}", 1) }
    }

    /// The name of the client's session, once it has one.
    pub(crate) fn session(&self) -> String {
        let value = self.cookie.as_ref().unwrap().split_once('=').unwrap().1;
        value.split('.').next().unwrap().to_owned()
    }

    /// Sends a report with the name of the page in it.
    pub(crate) async fn post(&mut self, path: &str, mut body: Value) -> Reply {
        body["tab"] = self.tab.as_str().into();
        self.post_bytes(path, body.to_string().as_bytes()).await
    }

    /// Sends bytes as if they were a report.
    pub(crate) async fn post_bytes(&mut self, path: &str, body: &[u8]) -> Reply {
        self.send("POST", path, &[("content-type", "application/json")], body).await
    }

    pub(crate) async fn get(&mut self, path: &str) -> Reply {
        self.send("GET", path, &[], b"").await
    }

    /// The address of the rater page's module, as its document says.
    pub(crate) async fn module(&mut self) -> String {
        // Unless it is told, Caddy asks for compressed bytes, and sends what it reads in chunks.
        let reply = self.send("GET", "/", &[("accept-encoding", "identity")], b"").await;
        let page = String::from_utf8_lossy(&reply.body);
        let found = page.split_once("data-main=\"").and_then(|(_, rest)| rest.split_once('"'));
        let (module, _) = found.unwrap_or_else(|| panic!("no module in {page:?}: {}", reply.head));
        format!("/{module}")
    }

    /// Sends any request with the cookie, on a new connection if the server has closed the previous one.
    pub(crate) async fn send(
        &mut self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> Reply {
        let mut all = headers.to_vec();
        let cookie = self.cookie.clone();
        all.extend(cookie.as_deref().map(|cookie| ("cookie", cookie)));
        let bytes = request(method, path, &all, body);
        let reply = match self.exchange(&bytes).await {
            Ok(reply) => reply,
            Err(_) => {
                self.wire = Connection::to(self.server).await;
                self.exchange(&bytes).await.unwrap()
            }
        };
        if let Some(cookie) = reply.header("set-cookie") {
            self.cookie = cookie.split(';').next().map(str::to_owned);
        }
        reply
    }

    async fn exchange(&mut self, bytes: &[u8]) -> std::io::Result<Reply> {
        self.wire.send(bytes).await?;
        self.wire.reply().await
    }

    pub(crate) async fn open(&mut self) -> Reply {
        self.post("/api/open", json!({ "arrival": {}, "language": "en" })).await
    }

    /// Opens the page and gives consent. With a session, the consent names no particular text.
    pub(crate) async fn agree(&mut self) -> Reply {
        let opened = self.open().await.json();
        let text = opened["text"].as_str().unwrap_or_default();
        self.post("/api/consent", json!({ "arrival": {}, "language": "en", "text": text, "adult": true }))
            .await
    }

    /// Begins with the first trial.
    pub(crate) async fn begin(&mut self) -> Reply {
        self.post("/api/begin", json!({ "environment": environment() })).await
    }

    /// Answers in less time than clocks may be wrong by, whatever time has passed for the server.
    pub(crate) async fn answer(&mut self, trial: &Value, answer: Value) -> Reply {
        let (number, showing) = (&trial["number"], &trial["showing"]);
        let report = json!({ "trial": number, "showing": showing, "answer": answer, "rt_us": 90_000, "display": null });
        self.post("/api/answer", report).await
    }
}

/// The environment of a page at 60 Hz.
pub(crate) fn environment() -> Value {
    json!({
        "width": 1_280, "height": 800, "pixel_ratio": 1.0, "touch": false, "refresh_hz": 60.0,
        "frame_us": 16_667, "frame_spread": 0.01, "grain_us": 5, "reduced_motion": false,
    })
}
