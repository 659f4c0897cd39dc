//! Whatever is sent to the webhook changes nothing: a genuine report makes the recruiter look at the platform, and others not even that.

use std::sync::Arc;
use std::time::Duration;

use base64::prelude::{BASE64_STANDARD, Engine as _};
use hmac::{Hmac, KeyInit as _, Mac as _};
use hype_backends::crowd::prolific::webhook::{TOLERANCE_MS, receiver};
use hype_backends::crowd::shared_recruiter::SharedRecruiter;
use hype_backends::web::{Page, PanelRules, Serving, serve};
use hype_core::model::action::LoggedAction;
use hype_core::model::ledger::LedgerEntry;
use hype_core::protocol::places::PlaceChange;
use hype_core::{Store as _, StoreExt as _, Streams};
use sha2::Sha256;
use tokio::sync::Notify;

use crate::connection::Reply;
use crate::crashing_store::CrashingStore;
use crate::fixture::{Fixture, ManualClock};
use crate::http_client::HttpClient;
use crate::market::{Kind, TestMarket};
use crate::recruited::{BASE, PEOPLE, collected, recruiter, work_of};

const SECRET: &[u8] = b"a secret of the workspace";
const NOW_S: u64 = 1_700_000_000;

/// Prolific's report of a submission and of a study.
const CHANGED: &str = r#"{"event_type":"submission.status.change","resource_id":"63722971f9cc073ecc730f6a","status":"APPROVED"}"#;
const PAUSED: &str =
    r#"{"event_type":"study.status.change","resource_id":"63722971f9cc073ecc730f6b","status":"PAUSED"}"#;

/// A report with its headers.
#[derive(Clone)]
struct Sent {
    signature: String,
    timestamp: String,
    event: &'static str,
    body: String,
}

/// A report as Prolific signs it: base64(HMAC-SHA256(secret, timestamp + body)).
fn report(event: &'static str, body: &str, timestamp: u64, secret: &[u8]) -> Sent {
    let timestamp = timestamp.to_string();
    let mut mac = Hmac::<Sha256>::new_from_slice(secret).unwrap();
    mac.update(timestamp.as_bytes());
    mac.update(body.as_bytes());
    Sent {
        signature: BASE64_STANDARD.encode(mac.finalize().into_bytes()),
        timestamp,
        event,
        body: body.to_owned(),
    }
}

/// A served study that recruits, after everything that was due is done.
struct Served {
    market: TestMarket,
    store: CrashingStore,
    shared: SharedRecruiter,
    wake: Arc<Notify>,
    clock: Arc<ManualClock>,
    serving: Serving,
}

/// All that a report could change.
#[derive(Debug, PartialEq)]
struct Contents {
    ledger: usize,
    places: usize,
    sessions: Vec<String>,
    actions: usize,
    paid: Vec<(u32, hype_core::Amount)>,
}

impl Served {
    async fn new() -> Self {
        let (study, store, _) = collected().await;
        let market = TestMarket::new(Kind::Blind, BASE, Streams::new(1).stream("faults"), 0);
        for person in PEOPLE {
            market.submit(&work_of(person), person);
        }
        let recruiter = recruiter(&study, &store, &market, None, "writer").await;
        let fixture = Fixture::new(study, Page::default());
        let clock = Arc::clone(&fixture.clock);
        let webhook = receiver(SECRET.into(), clock.clone());
        let wake = Arc::clone(webhook.notified());
        let shared = SharedRecruiter::new(recruiter, None, Duration::MAX, Arc::clone(&wake));
        for _ in 0..4 {
            shared.step(0).await.unwrap();
        }
        let rules = PanelRules { webhook: Some(webhook), ..PanelRules::default() };
        let service = fixture.panel_with(Arc::new(store.clone()), rules).await;
        let serving = serve(service, "127.0.0.1:0".parse().unwrap()).await.unwrap();
        Self { market, store, shared, wake, clock, serving }
    }

    async fn send(&self, sent: &Sent) -> Reply {
        let headers = [
            ("content-type", "application/json"),
            ("x-prolific-request-signature", &sent.signature),
            ("x-prolific-request-timestamp", &sent.timestamp),
            ("x-event-id", sent.event),
        ];
        let mut client = HttpClient::to(self.serving.address()).await;
        client.send("POST", "/api/panel", &headers, sent.body.as_bytes()).await
    }

    /// Does what a collection does when it is woken up. Returns the number of requests to the platform.
    async fn looked(&self) -> u32 {
        let before = self.market.requests();
        let mut woken = Box::pin(self.wake.notified());
        if woken.as_mut().enable() {
            self.shared.step(0).await.unwrap();
        }
        self.market.requests() - before
    }

    async fn contents(&self) -> Contents {
        Contents {
            ledger: self.store.entries::<LedgerEntry>(0).await.unwrap().0.len(),
            places: self.store.entries::<PlaceChange>(0).await.unwrap().0.len(),
            sessions: self.store.sessions(None, 1_000).await.unwrap(),
            actions: self.store.entries::<LoggedAction>(0).await.unwrap().0.len(),
            paid: PEOPLE.iter().map(|person| self.market.paid(&work_of(person))).collect(),
        }
    }
}

#[tokio::test]
async fn wrong_signatures_and_stale_times_wake_no_one() {
    let served = Served::new().await;
    let before = served.contents().await;
    let genuine = report("e1", CHANGED, NOW_S, SECRET);
    let limit = TOLERANCE_MS / 1_000;
    for refused in [
        report("e1", CHANGED, NOW_S, b"another secret"),
        Sent { body: CHANGED.replace("APPROVED", "REJECTED"), ..genuine.clone() },
        Sent { timestamp: (NOW_S + 1).to_string(), ..genuine.clone() },
        Sent { signature: String::new(), ..genuine.clone() },
        Sent { signature: "not base64!".into(), ..genuine.clone() },
        report("e1", CHANGED, NOW_S - limit - 1, SECRET),
        report("e1", CHANGED, NOW_S + limit + 1, SECRET),
        report("e1", "no JSON", NOW_S, SECRET),
    ] {
        let reply = served.send(&refused).await;
        assert_eq!((reply.status, &*reply.code()), (401, "not-the-panel"));
        assert!(!String::from_utf8_lossy(&reply.body).contains("63722971"), "what was sent is not repeated");
        assert_eq!(served.looked().await, 0);
    }
    assert_eq!(served.contents().await, before);
    // A report that was refused does not keep the genuine one from being taken.
    assert_eq!(served.send(&genuine).await.status, 204);
    assert!(served.looked().await > 0);
    assert_eq!(
        served.contents().await,
        before,
        "it says that a submission was approved, and changes nothing"
    );
}

#[tokio::test]
async fn replayed_and_reordered_reports_cost_at_most_a_look() {
    let served = Served::new().await;
    let before = served.contents().await;
    let reports: Vec<Sent> = [("e1", CHANGED, 0), ("e2", PAUSED, 1), ("e3", CHANGED, 2)]
        .map(|(event, body, after)| report(event, body, NOW_S + after, SECRET))
        .into();
    // The latest comes first.
    let mut looks = Vec::new();
    for sent in reports.iter().rev() {
        assert_eq!(served.send(sent).await.status, 204);
        looks.push(served.looked().await);
    }
    assert!(looks[0] > 0 && looks.iter().all(|look| *look == looks[0]), "{looks:?}");
    // Each of them once more, also with another signature of the same event.
    for sent in reports.iter().chain(&[report("e2", PAUSED, NOW_S + 3, SECRET)]) {
        assert_eq!(served.send(sent).await.status, 204, "it is confirmed and does not come again");
        assert_eq!(served.looked().await, 0);
    }
    // Several that come before anybody looks are one look.
    for event in ["e4", "e5", "e6"] {
        served.send(&report(event, CHANGED, NOW_S, SECRET)).await;
    }
    assert_eq!((served.looked().await, served.looked().await), (looks[0], 0));
    // Recorded ones are of no use later.
    served.clock.forward((TOLERANCE_MS + 5_000) * 1_000);
    for sent in &reports {
        assert_eq!(served.send(sent).await.status, 401);
        assert_eq!(served.looked().await, 0);
    }
    assert_eq!(served.contents().await, before);
}
