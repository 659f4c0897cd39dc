//! Operators of a study that recruits: they see how it goes, approve, reject, pay and settle, each once, and no one else does.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use hype_backends::crowd::platform::PlatformFacts;
use hype_backends::crowd::recruiter::Recruiter;
use hype_backends::crowd::settings::{Finished, ReviewSettings};
use hype_backends::crowd::shared_recruiter::SharedRecruiter;
use hype_backends::web::wire::crowd::{CrowdAct, CrowdOverview};
use hype_backends::web::wire::operator::{Act, ActRequest};
use hype_backends::web::{CrowdReceipt, Fault as Refused, Page, RecruitingControl, Serving, serve};
use hype_core::model::ledger::{LedgerChange, LedgerEntry, PaymentKey, PaymentPurpose};
use hype_core::protocol::terms::HourlyPay;
use hype_core::{Amount, StoreExt as _, Streams};
use serde_json::{Value, json};
use tokio::sync::Notify;

use crate::connection::Reply;
use crate::crashing_store::CrashingStore;
use crate::fixture::{Fixture, ManualClock};
use crate::http_client::HttpClient;
use crate::market::{Fault, Kind, TestMarket, fees};
use crate::recruited::{BASE, PEOPLE, Worked, collected, recruiting, work_of};

const HOURLY: HourlyPay = HourlyPay { least: Amount(8_000_000), recommended: Amount(12_000_000) };

/// A served study whose raters came through a panel, before anybody was paid.
struct Recruited {
    market: TestMarket,
    store: CrashingStore,
    worked: Vec<Worked>,
    shared: Arc<SharedRecruiter>,
    clock: Arc<ManualClock>,
    operator: String,
    reader: String,
    serving: Serving,
}

impl Recruited {
    /// All finished work waits for the operator.
    async fn held(kind: Kind) -> Self {
        Self::with(kind, Finished::Hold, false).await
    }

    async fn with(kind: Kind, finished: Finished, by_hand: bool) -> Self {
        let (study, store, worked) = collected().await;
        let market = TestMarket::new(kind, BASE, Streams::new(1).stream("faults"), 0);
        for person in PEOPLE {
            market.submit(&work_of(person), person);
        }
        let by_hand = by_hand.then(|| PlatformFacts::new("By hand", fees()));
        let mut settings = recruiting(by_hand.unwrap_or_else(|| market.facts()), None);
        settings.review = ReviewSettings { finished, ..ReviewSettings::default() };
        let own = Arc::new(store.clone());
        let recruiter =
            Recruiter::new(study.clone(), own.clone(), Arc::new(market.clone()), settings, "writer");
        let recruiter = recruiter.await.unwrap();
        let shared =
            Arc::new(SharedRecruiter::new(recruiter, Some(HOURLY), Duration::MAX, Arc::new(Notify::new())));
        let fixture = Fixture::new(study, Page::default());
        let clock = Arc::clone(&fixture.clock);
        let service = fixture.service_with(own).await;
        service.operator.offer_recruiting(shared.clone());
        let (operator, reader) = (service.operator.token(), service.operator.reader_token());
        let serving = serve(service, "127.0.0.1:0".parse().unwrap()).await.unwrap();
        Self { market, store, worked, shared, clock, operator, reader, serving }
    }

    /// Takes a step, and lets the page's state be computed again.
    async fn step(&self) {
        self.step_at(0).await;
    }

    async fn step_at(&self, unix_ms: u64) {
        let _ = self.shared.step(unix_ms).await;
        self.clock.forward(2_000_000);
    }

    async fn send(&self, key: &str, headers: &[(&str, &str)], body: &Value) -> Reply {
        act_at(self.serving.address(), key, headers, body).await
    }

    /// The operator decides, by a request with a number.
    async fn decide(&self, number: u32, decision: Value) -> Reply {
        self.send(&self.operator, &[], &request(number, &decision)).await
    }

    /// Returns what the page is told of recruiting, and all that it is told.
    async fn seen(&self) -> (Value, String) {
        let reply = get(self.serving.address(), &self.reader, "/operator/status").await;
        assert_eq!(reply.status, 200);
        (reply.json()["crowd"].clone(), String::from_utf8(reply.body.clone()).unwrap())
    }

    /// The name of a person's work.
    fn work(&self, person: usize) -> &str {
        &self.worked[person].session
    }

    /// Returns the payments to a person: the number of rewards, and bonuses.
    fn paid(&self, person: usize) -> (u32, Amount) {
        self.market.paid(&work_of(PEOPLE[person]))
    }

    async fn changes(&self) -> Vec<LedgerChange> {
        self.store.entries::<LedgerEntry>(0).await.unwrap().0.into_iter().map(|entry| entry.change).collect()
    }
}

fn request(number: u32, decision: &Value) -> Value {
    json!({ "id": format!("{number:032x}"), "act": { "kind": "crowd", "decision": decision } })
}

async fn act_at(address: SocketAddr, key: &str, headers: &[(&str, &str)], body: &Value) -> Reply {
    let key = format!("Bearer {key}");
    let mut all = vec![("authorization", &*key), ("content-type", "application/json")];
    all.extend(headers);
    HttpClient::to(address).await.send("POST", "/operator/act", &all, body.to_string().as_bytes()).await
}

async fn get(address: SocketAddr, key: &str, path: &str) -> Reply {
    let key = format!("Bearer {key}");
    HttpClient::to(address).await.send("GET", path, &[("authorization", &key)], b"").await
}

#[track_caller]
fn assert_refused(reply: &Reply, because: &str) {
    let message = reply.json()["error"]["message"].as_str().unwrap_or_default().to_owned();
    assert_eq!((reply.status, &*reply.code()), (422, "refused"), "{message}");
    assert!(message.contains(because), "{message}");
}

fn approve(work: &str) -> Value {
    json!({ "kind": "approve", "work": work })
}

fn reject(work: &str, reason: &str) -> Value {
    json!({ "kind": "reject", "work": work, "reason": reason })
}

#[tokio::test]
async fn operators_approve_reject_and_pay_once_and_are_named_in_the_ledger() {
    let recruited = Recruited::held(Kind::Tokens).await;
    recruited.step().await;
    recruited.step().await;
    let (crowd, _) = recruited.seen().await;
    assert_eq!((&crowd["panel"], &crowd["not_reached"]), (&json!("Test"), &Value::Null));
    let seen = &crowd["seen"];
    assert_eq!((&seen["recruited"], &seen["to_review"]), (&json!(4), &json!(4)));
    assert_eq!(seen["waiting"].as_array().unwrap().len(), 4, "{seen}");
    assert_eq!(seen["reason"], json!({ "shortest": 1, "longest": 1_000 }));
    assert_eq!((&seen["money"]["paid"], &seen["money"]["hourly_least"]), (&json!(0.0), &json!(8.0)));

    // A second click and a repeated request pay once.
    for number in [1, 1, 2] {
        let done = recruited.decide(number, approve(recruited.work(1))).await;
        assert_eq!(done.status, 200);
        let expected =
            json!({ "done": format!("approved {}", recruited.work(1)), "pending": null, "links": [] });
        assert_eq!(done.json(), expected);
        assert_eq!(recruited.paid(1), (1, Amount(0)));
    }
    let (crowd, _) = recruited.seen().await;
    assert_eq!((&crowd["seen"]["approved"], &crowd["seen"]["money"]["paid"]), (&json!(1), &json!(1.0)));
    assert_eq!(crowd["seen"]["waiting"].as_array().unwrap().len(), 3, "at once, not with the next step");

    let reason = "The session was copied\nfrom another   one.";
    for number in [3, 3, 4] {
        assert_eq!(recruited.decide(number, reject(recruited.work(2), reason)).await.status, 200);
    }
    for number in [5, 5, 6] {
        assert_eq!(
            recruited.decide(number, json!({ "kind": "pay" })).await.json()["done"],
            "paid what is due"
        );
        assert_eq!(recruited.paid(1), (1, recruited.worked[1].bonus));
    }
    assert_eq!(recruited.paid(2), (0, Amount(0)));

    let (first, second) = (recruited.work(1), recruited.work(2));
    for (decision, because) in [
        (approve(second), "was rejected"),
        (reject(second, "Another reason."), "was rejected already: The session was copied from another one."),
        (reject(first, reason), "no work of p000000-001 waits"),
        (reject(recruited.work(3), " \n "), "at least 1 characters"),
        (reject(recruited.work(3), &"long ".repeat(300)), "longer than 1000 characters"),
        (approve("p000099-000"), "no work of p000099-000 waits"),
    ] {
        assert_refused(&recruited.decide(9, decision).await, because);
    }
    let changes = recruited.changes().await;
    let decided = changes.iter().filter_map(|change| match change {
        LedgerChange::Planned { payment, by, .. } if payment.purpose == PaymentPurpose::Reward => {
            Some((&*payment.session, by.as_deref(), "approved".to_owned()))
        }
        LedgerChange::Rejected { session, by, reason, .. } => {
            Some((session, by.as_deref(), reason.to_string()))
        }
        _ => None,
    });
    assert_eq!(
        decided.collect::<Vec<_>>(),
        [
            (first, Some("operator"), "approved".to_owned()),
            (second, Some("operator"), "The session was copied from another one.".to_owned()),
        ]
    );
    let sent = changes.iter().filter(|change| matches!(change, LedgerChange::Sent { .. })).count();
    assert_eq!(sent, 2, "a reward and a bonus");
}

#[tokio::test]
async fn readers_strangers_and_other_pages_decide_nothing() {
    let recruited = Recruited::held(Kind::Tokens).await;
    recruited.step().await;
    recruited.step().await;
    let (before, requests) = (recruited.changes().await, recruited.market.requests());
    let stranger = "0".repeat(64);
    for decision in [
        approve(recruited.work(1)),
        reject(recruited.work(1), "No."),
        json!({ "kind": "pay" }),
        json!({
            "kind": "settle", "payment": { "session": recruited.work(1), "purpose": "bonus" }, "sendings": 0,
            "made": "made",
        }),
    ] {
        let body = request(1, &decision);
        let of_reader = recruited.send(&recruited.reader, &[], &body).await;
        assert_eq!((of_reader.status, &*of_reader.code()), (403, "read-only-key"));
        let of_stranger = recruited.send(&stranger, &[], &body).await;
        assert_eq!((of_stranger.status, &*of_stranger.code()), (401, "not-the-operator"));
        for header in [("origin", "https://evil.example"), ("sec-fetch-site", "cross-site")] {
            let of_other = recruited.send(&recruited.operator, &[header], &body).await;
            assert_eq!((of_other.status, &*of_other.code()), (403, "other-origin"), "{header:?}");
        }
        let form =
            [("authorization", &*format!("Bearer {}", recruited.operator)), ("content-type", "text/plain")];
        let mut client = HttpClient::to(recruited.serving.address()).await;
        let of_form = client.send("POST", "/operator/act", &form, body.to_string().as_bytes()).await;
        assert!((400..500).contains(&of_form.status), "{}", of_form.status);
    }
    for malformed in [
        json!({ "kind": "approve" }),
        json!({ "kind": "approve", "work": "p000001-000", "rater": "r" }),
        json!({ "kind": "settle", "payment": { "session": "s", "purpose": "bonus" }, "sendings": 0, "made": true }),
    ] {
        assert_eq!(recruited.decide(1, malformed).await.status, 400);
    }
    assert_eq!((recruited.changes().await, recruited.market.requests()), (before, requests));
}

#[tokio::test]
async fn operators_views_name_no_one_and_send_no_request() {
    let recruited = Recruited::held(Kind::Blind).await;
    recruited.step().await;
    recruited.market.fail_next("pay a bonus", Fault::LostBefore);
    recruited.decide(1, approve(recruited.work(1))).await;
    recruited.step().await;
    let requests = recruited.market.requests();
    for _ in 0..20 {
        recruited.clock.forward(2_000_000);
        let (crowd, text) = recruited.seen().await;
        assert_eq!(crowd["seen"]["unsettled"].as_array().unwrap().len(), 1, "{crowd}");
        assert!(!crowd["seen"]["problems"].as_array().unwrap().is_empty());
        for person in PEOPLE {
            assert!(!text.contains(person), "{text}");
        }
        assert!(!text.contains("work-of") && !text.contains("listing 0"), "{text}");
    }
    assert_eq!(recruited.market.requests(), requests, "readers do not ask the platform");
}

const HOUR_MS: u64 = 3_600_000;

#[tokio::test]
async fn an_answer_about_one_sending_does_not_apply_to_a_later_one() {
    let recruited = Recruited::with(Kind::Blind, Finished::Approve, false).await;
    let unsettled = async || recruited.seen().await.0["seen"]["unsettled"].clone();
    let settle = |sendings: u32, made: &str| {
        let payment = PaymentKey { session: recruited.work(1).into(), purpose: PaymentPurpose::Bonus };
        json!({ "kind": "settle", "payment": payment, "sendings": sendings, "made": made })
    };
    recruited.step().await;
    recruited.market.fail_next("pay a bonus", Fault::LostBefore);
    recruited.step().await;
    let open = unsettled().await;
    let states = |open: &Value| -> Vec<(String, u64)> {
        let all = open.as_array().unwrap().iter();
        all.map(|one| (one["state"].as_str().unwrap().into(), one["sendings"].as_u64().unwrap())).collect()
    };
    // The platform takes three payments at once: none or all of them are made.
    assert_eq!(states(&open), vec![("unclear".to_owned(), 1); 3], "{open}");
    assert_refused(&recruited.decide(1, settle(0, "not-made")).await, "sent again since");
    assert_eq!(recruited.decide(2, settle(1, "not-made")).await.status, 200);
    assert_eq!(recruited.decide(2, settle(1, "not-made")).await.status, 200, "a repeated request");
    assert_eq!(unsettled().await.as_array().unwrap().len(), 2);

    recruited.step().await;
    assert_eq!(
        states(&unsettled().await).len(),
        2,
        "the others may still be under way, and requests must not overlap"
    );
    recruited.market.fail_next("pay a bonus", Fault::LostBefore);
    recruited.step_at(HOUR_MS).await;
    let open = unsettled().await;
    let sendings = states(&open).into_iter().map(|(_, sendings)| sendings).collect::<Vec<_>>();
    assert_eq!(sendings.iter().sum::<u64>(), 4, "one of them was sent again: {open}");
    assert_refused(&recruited.decide(2, settle(1, "not-made")).await, "sent again since");
    recruited.step_at(HOUR_MS).await;
    assert_eq!(states(&unsettled().await), states(&open), "nothing more is sent");

    assert_eq!(recruited.decide(3, settle(2, "not-made")).await.status, 200);
    recruited.step_at(HOUR_MS).await;
    assert_eq!(recruited.paid(1).1, recruited.worked[1].bonus);
    assert_refused(&recruited.decide(4, settle(2, "not-made")).await, "");
    recruited.step_at(HOUR_MS).await;
    assert_eq!(recruited.paid(1).1, recruited.worked[1].bonus, "it is paid once");
}

#[tokio::test]
async fn decisions_are_carried_out_later_where_the_platform_does_not_answer() {
    let recruited = Recruited::held(Kind::Tokens).await;
    recruited.step().await;
    recruited.step().await;
    recruited.market.fail_next("approve a submission", Fault::Unavailable);
    let reply = recruited.decide(1, approve(recruited.work(1))).await;
    let pending = reply.json()["pending"].as_str().unwrap().to_owned();
    assert!(pending.contains("cannot be reached to approve a submission"), "{pending}");
    let (crowd, _) = recruited.seen().await;
    assert_eq!(crowd["seen"]["waiting"].as_array().unwrap().len(), 3, "it is decided");
    assert_eq!(recruited.paid(1).0, 0);

    recruited.market.fail_next("read", Fault::Unavailable);
    assert!(recruited.shared.step(7_000).await.is_err());
    recruited.market.fail_next("read", Fault::Unavailable);
    assert!(recruited.shared.step(9_000).await.is_err());
    recruited.clock.forward(2_000_000);
    let (crowd, _) = recruited.seen().await;
    assert_eq!(crowd["not_reached"]["since_unix_ms"], 7_000);
    assert!(crowd["not_reached"]["reason"].as_str().unwrap().contains("cannot be reached"), "{crowd}");
    assert_eq!(crowd["seen"]["recruited"], 4, "what was seen before stays");

    recruited.step().await;
    recruited.step().await;
    let (crowd, _) = recruited.seen().await;
    assert_eq!((&crowd["not_reached"], &crowd["seen"]["approved"]), (&Value::Null, &json!(1)), "{crowd}");
    assert_eq!(recruited.paid(1).0, 1);
}

#[tokio::test]
async fn people_are_paid_by_hand_where_the_panel_has_no_interface() {
    let recruited = Recruited::with(Kind::Tokens, Finished::Approve, true).await;
    recruited.step().await;
    let (crowd, _) = recruited.seen().await;
    let seen = &crowd["seen"];
    assert_eq!((&seen["reason"], &seen["waiting"]), (&Value::Null, &json!([])));
    let open = seen["unsettled"].as_array().unwrap();
    assert_eq!(open.len(), 6, "a reward and a bonus for each of three: {seen}");
    assert!(open.iter().all(|payment| payment["state"] == "by-hand" && payment["sendings"] == 0));
    assert_refused(&recruited.decide(1, approve(recruited.work(1))).await, "approve the work there");
    let made = json!({
        "kind": "settle", "payment": { "session": recruited.work(1), "purpose": "reward" }, "sendings": 0, "made": "made",
    });
    for number in [2, 2, 3] {
        assert_eq!(recruited.decide(number, made.clone()).await.status, 200);
    }
    let (crowd, _) = recruited.seen().await;
    assert_eq!(crowd["seen"]["money"]["paid"], 1.0);
    let by = recruited.changes().await.into_iter().find_map(|change| match change {
        LedgerChange::Confirmed { by, .. } => by,
        _ => None,
    });
    assert_eq!(by.as_deref(), Some("operator"));
}

#[tokio::test]
async fn a_server_that_deals_with_no_panel_shows_and_decides_nothing() {
    let study = crate::served_study::ServedStudy::new(3, Page::default()).await;
    let status = get(study.address(), &study.token, "/operator/status").await.json();
    assert_eq!(status["crowd"], Value::Null);
    let refused = act_at(study.address(), &study.token, &[], &request(1, &json!({ "kind": "pay" }))).await;
    assert_refused(&refused, "deals with no panel");
}

/// Carries out a decision when it is told to.
#[derive(Default)]
struct Slow {
    has_begun: Notify,
    goes_on: Notify,
    has_ended: Notify,
    is_done: AtomicBool,
}

#[async_trait]
impl RecruitingControl for Slow {
    fn overview(&self) -> Arc<CrowdOverview> {
        Arc::new(CrowdOverview { panel: "Slow".into(), not_reached: None, seen: None })
    }

    async fn act(&self, _: &CrowdAct, _: &str, _: u64) -> Result<CrowdReceipt, Refused> {
        self.has_begun.notify_one();
        self.goes_on.notified().await;
        self.is_done.store(true, Ordering::Relaxed);
        self.has_ended.notify_one();
        Ok(CrowdReceipt { done: "paid what is due".into(), pending: None })
    }
}

#[tokio::test]
async fn a_decision_is_carried_out_although_the_client_has_gone() {
    let task = crate::small_task::SmallTask { trials: 3, qualifying: 0, needed: 0 };
    let fixture = Fixture::new(crate::small_task::study(task, |_| {}), Page::default());
    let service = fixture.service().await;
    let slow = Arc::new(Slow::default());
    service.operator.offer_recruiting(slow.clone());
    let asked = ActRequest { id: "0".repeat(32), act: Act::Crowd { decision: CrowdAct::Pay } };
    tokio::select! {
        done = service.operator.act("operator", &asked) => panic!("{done:?}"),
        () = slow.has_begun.notified() => {}
    }
    slow.goes_on.notify_one();
    slow.has_ended.notified().await;
    assert!(slow.is_done.load(Ordering::Relaxed));
}
