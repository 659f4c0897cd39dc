//! A panel's frames and reports over HTTP: which pages may be framed, which cookies they get, and who may report.

#![allow(clippy::unwrap_used, reason = "tests may panic")]

use std::net::SocketAddr;
use std::sync::Arc;

use hype_backends::web::{Page, PanelRules, Serving, SubmitForm, Webhook, serve};
use serde_json::json;
use tokio::sync::Notify;

use crate::connection::Reply;
use crate::fixture::Fixture;
use crate::http_client::HttpClient;
use crate::small_task::{SmallTask, study};

/// The kinds of addresses at which a page is served.
const ADDRESSES: [&str; 2] = ["https://study.example/", "http://127.0.0.1:7850/"];

struct Served {
    serving: Serving,
    _fixture: Fixture,
}

impl Served {
    async fn at(public_url: &str, rules: Option<PanelRules>) -> Self {
        let page = Page { public_url: Some(public_url.into()), ..Page::default() };
        let fixture = Fixture::new(study(SmallTask { trials: 3, qualifying: 0, needed: 0 }, |_| {}), page);
        let service = match rules {
            Some(rules) => fixture.panel(rules).await,
            None => fixture.service().await,
        };
        Self { serving: serve(service, "127.0.0.1:0".parse().unwrap()).await.unwrap(), _fixture: fixture }
    }

    fn address(&self) -> SocketAddr {
        self.serving.address()
    }
}

fn framed() -> PanelRules {
    PanelRules {
        participant: Some("workerId".into()),
        framed_by: vec!["https://worker.mturk.com".into(), "https://workersandbox.mturk.com".into()],
        submit: Some(SubmitForm {
            address: "turkSubmitTo".into(),
            origins: vec!["https://www.mturk.com".into()],
            path: "/mturk/externalSubmit".into(),
            fields: vec!["assignmentId".into()],
        }),
        ..PanelRules::default()
    }
}

/// Gives consent as a worker, and returns the reply.
async fn agree(client: &mut HttpClient) -> Reply {
    let arrival = json!({ "workerId": "W", "assignmentId": "A" });
    let opened =
        client.post("/api/open", json!({ "arrival": arrival, "language": "en", "shown": "frame" })).await;
    let text = opened.json()["text"].clone();
    let consent = json!({ "arrival": arrival, "language": "en", "text": text, "adult": true });
    client.post("/api/consent", consent).await
}

#[tokio::test]
async fn only_the_rater_page_stands_in_frames_and_only_in_those_of_the_panel() {
    let served = Served::at(ADDRESSES[0], Some(framed())).await;
    let mut client = HttpClient::to(served.address()).await;
    let page = client.get("/").await;
    let policy = page.header("content-security-policy").unwrap();
    assert!(policy.ends_with(
        "form-action https://www.mturk.com; frame-ancestors https://worker.mturk.com https://workersandbox.mturk.com"
    ));
    assert_eq!(page.header("x-frame-options"), None);
    let plain = Served::at(ADDRESSES[0], None).await;
    let mut other = HttpClient::to(plain.address()).await;
    let replies = [
        other.get("/").await,
        client.get("/operator").await,
        client.get("/assets/icon.svg").await,
        client.get("/nothing").await,
        agree(&mut client).await,
    ];
    for reply in &replies {
        let policy = reply.header("content-security-policy").unwrap();
        assert!(policy.ends_with("; form-action 'none'; frame-ancestors 'none'"), "{policy}");
        assert_eq!(reply.header("x-frame-options"), Some("DENY"));
        assert_eq!(reply.header("cross-origin-resource-policy"), Some("same-origin"));
    }
}

#[tokio::test]
async fn cookies_reach_frames_over_https_only_and_no_other_site() {
    let cases = [
        (ADDRESSES[0], None, "HttpOnly; SameSite=Strict; Secure"),
        (ADDRESSES[1], None, "HttpOnly; SameSite=Strict"),
        (ADDRESSES[0], Some(PanelRules::default()), "HttpOnly; SameSite=Strict; Secure"),
        (ADDRESSES[0], Some(framed()), "HttpOnly; SameSite=None; Secure; Partitioned"),
        (ADDRESSES[1], Some(framed()), "HttpOnly; SameSite=Strict"),
    ];
    for (address, rules, expected) in cases {
        let served = Served::at(address, rules).await;
        let mut client = HttpClient::to(served.address()).await;
        let reply = agree(&mut client).await;
        let cookie = reply.header("set-cookie").unwrap();
        assert!(cookie.ends_with(expected), "{address}: {cookie}");
        // The scripts of other pages may not report, with whatever cookies.
        let headers = [("content-type", "application/json"), ("sec-fetch-site", "cross-site")];
        let stolen = client.send("POST", "/api/leave", &headers, br#"{"tab":"1"}"#).await;
        assert_eq!((stolen.status, &*stolen.code()), (403, "other-origin"));
    }
}

#[tokio::test]
async fn only_the_panel_reports_and_waiting_raters_are_notified() {
    let notify = Arc::new(Notify::new());
    let webhook = Webhook::new(
        |headers, body| headers.get("x-signature").is_some_and(|signature| signature.as_bytes() == body),
        Arc::clone(&notify),
    );
    let served = Served::at(ADDRESSES[0], Some(PanelRules { webhook: Some(webhook), ..framed() })).await;
    let mut client = HttpClient::to(served.address()).await;
    let is_told = || {
        let mut told = Box::pin(notify.notified());
        told.as_mut().enable()
    };
    for (headers, body) in [
        (vec![], "event"),
        (vec![("x-signature", "other")], "event"),
        (vec![("x-signature", "event")], "event "),
    ] {
        let reply = client.send("POST", "/api/panel", &headers, body.as_bytes()).await;
        assert_eq!((reply.status, &*reply.code()), (401, "not-the-panel"));
        assert!(!String::from_utf8_lossy(&reply.body).contains("event"));
        assert!(!is_told());
    }
    let reply = client.send("POST", "/api/panel", &[("x-signature", "event")], b"event").await;
    assert_eq!((reply.status, reply.body.len()), (204, 0));
    assert!(is_told() && !is_told());
    // Repeated reports are one notification.
    for _ in 0..2 {
        client.send("POST", "/api/panel", &[("x-signature", "event")], b"event").await;
    }
    assert!(is_told() && !is_told());
    let large = vec![b'x'; 70_000];
    let reply = client.send("POST", "/api/panel", &[("x-signature", "x")], &large).await;
    assert_eq!(reply.status, 413);
    assert_eq!(client.get("/api/panel").await.status, 404);
    for rules in [None, Some(framed())] {
        let closed = Served::at(ADDRESSES[0], rules).await;
        let mut client = HttpClient::to(closed.address()).await;
        let reply = client.send("POST", "/api/panel", &[("x-signature", "event")], b"event").await;
        assert_eq!((reply.status, &*reply.code()), (404, "not-found"));
    }
}
