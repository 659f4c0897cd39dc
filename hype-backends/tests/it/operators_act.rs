//! Operators' actions are logged once each, all servers follow them, and those who may only look cannot act.

use hype_backends::web::wire::operator::{Act, ActRequest, RaterGroup, RaterQuery};
use hype_backends::web::wire::screen::{ClosedReason, Screen, ScreenKind};
use hype_backends::web::{Fault, OperatorRole, Page, Services};
use hype_core::model::action::LoggedAction;
use hype_core::protocol::control::Admission;
use hype_core::study::control::control;
use hype_core::{StoreExt as _, analyse};
use serde_json::json;

use crate::connection::Reply;
use crate::fixture::{Browser, Fixture, kind};
use crate::http_client::HttpClient;
use crate::served_study::ServedStudy;
use crate::small_task::{SmallTask, study};

fn fixture(per_model: u32) -> Fixture {
    let study = study(SmallTask { trials: 3, qualifying: 0, needed: 0 }, |spec| {
        spec.collection.raters.per_model = per_model;
        spec.collection.raters.replacements = 2;
    });
    Fixture::new(study, Page::default())
}

fn request(number: u32, act: Act) -> ActRequest {
    ActRequest { id: format!("{number:032x}"), act }
}

async fn act(service: &Services, number: u32, what: Act) -> Option<String> {
    service.operator.act("operator", &request(number, what)).await.unwrap().done
}

fn closed(screen: &Screen) -> Option<ClosedReason> {
    match screen.shown {
        ScreenKind::Closed { reason } => Some(reason),
        _ => None,
    }
}

#[tokio::test]
async fn paused_studies_admit_no_one_on_any_server_and_sessions_continue() {
    let fixture = fixture(8);
    let [first, second] = [fixture.service().await, fixture.service().await];
    let mut before = Browser::new(&second);
    before.agree().await.unwrap();
    let mut consenting = Browser::new(&second);
    let consent = consenting.open().await.unwrap();
    let ScreenKind::Consent(consent) = consent.shown else { panic!("{consent:?}") };

    assert_eq!(act(&first, 1, Act::Pause).await.as_deref(), Some("paused the study"));
    assert_eq!(act(&second, 2, Act::Pause).await, None, "it is paused already");
    assert_eq!(closed(&Browser::new(&second).open().await.unwrap()), Some(ClosedReason::Paused));
    let refused = consenting.agree_to(&consent.text, Some(true)).await.unwrap();
    assert_eq!(closed(&refused), Some(ClosedReason::Paused), "the consent comes too late");
    assert_eq!(kind(&before.play().await), "end", "who has entered may finish");

    assert!(act(&second, 3, Act::Resume).await.is_some());
    assert_eq!(kind(&consenting.agree_to(&consent.text, Some(true)).await.unwrap()), "instructions");
    assert!(act(&first, 4, Act::Close).await.is_some());
    assert_eq!(closed(&Browser::new(&second).open().await.unwrap()), Some(ClosedReason::Over));
    let refused = service_refusal(&first, Act::Pause).await;
    assert!(refused.contains("resume it first"), "{refused}");
    let restarted = fixture.service().await;
    assert_eq!(closed(&Browser::new(&restarted).open().await.unwrap()), Some(ClosedReason::Over));
}

async fn service_refusal(service: &Services, what: Act) -> String {
    match service.operator.act("operator", &request(99, what)).await {
        Err(Fault::Refused(reason)) => reason,
        other => panic!("not refused: {other:?}"),
    }
}

#[tokio::test]
async fn repeating_a_request_acts_once() {
    let fixture = fixture(1);
    let [first, second] = [fixture.service().await, fixture.service().await];
    let top_up = || Act::TopUp { places: 3 };
    for service in [&first, &second, &first] {
        assert_eq!(act(service, 1, top_up()).await.as_deref(), Some("added 3 places"));
    }
    assert_eq!(act(&second, 2, top_up()).await.as_deref(), Some("added 3 places"));
    let state = control(&fixture.store).await.unwrap();
    assert_eq!((state.log().len(), state.extra_places()), (2, 6));
    let links = first.operator.act("operator", &request(3, Act::Links { count: 2 })).await.unwrap().links;
    assert_eq!(
        second.operator.act("operator", &request(3, Act::Links { count: 2 })).await.unwrap().links,
        links
    );
    let more = second.operator.act("operator", &request(4, Act::Links { count: 2 })).await.unwrap().links;
    assert!(links.len() == 2 && more.iter().all(|link| !links.contains(link)), "{links:?} {more:?}");
    let unnamed = ActRequest { id: "1".into(), act: Act::Pause };
    assert!(matches!(first.operator.act("operator", &unnamed).await, Err(Fault::BadRequest(_))));
}

#[tokio::test]
async fn added_places_are_filled_on_every_server() {
    let fixture = fixture(1);
    let [first, second] = [fixture.service().await, fixture.service().await];
    Browser::new(&first).take_part().await;
    fixture.clock.forward(3_000_000);
    assert_eq!(closed(&Browser::new(&first).open().await.unwrap()), Some(ClosedReason::Full));
    act(&second, 1, Act::TopUp { places: 1 }).await;
    let mut more = Browser::new(&first);
    more.agree().await.unwrap();
    // Another process has not heard of the place.
    more.service = fixture.service().await;
    assert_eq!(kind(&more.play().await), "end");
    fixture.clock.forward(3_000_000);
    let status = first.operator.status(OperatorRole::Reader).await.unwrap();
    assert_eq!((status.overview.places, status.overview.done), (2, 2));
    assert_eq!(closed(&Browser::new(&second).open().await.unwrap()), Some(ClosedReason::Full));
    let findings = analyse(&fixture.study, &fixture.store).await.unwrap();
    assert_eq!(findings.collected.unwrap().places, 2);
    assert!(findings.notes.iter().any(|note| &*note.code == "added-places"), "{:?}", findings.notes);
}

#[tokio::test]
async fn an_excluded_rater_is_replaced_and_named_in_the_findings_with_the_reason() {
    let fixture = fixture(1);
    let service = fixture.service().await;
    let untouched = analyse(&fixture.study, &fixture.store).await.unwrap();
    assert!(untouched.notes.iter().all(|note| !note.code.starts_with("operator")));
    Browser::new(&service).take_part().await;
    fixture.clock.forward(3_000_000);
    let rater = service.operator.raters(&RaterQuery::default()).await.unwrap().raters[0].rater.to_string();
    let exclude = |reason: &str| Act::Exclude { rater: rater.clone(), reason: reason.into() };
    assert!(service_refusal(&service, exclude(" ")).await.contains("a reason is required"));
    let unknown = Act::Exclude { rater: "r0".into(), reason: "why".into() };
    assert!(service_refusal(&service, unknown).await.contains("no rater \"r0\""));
    assert!(act(&service, 1, exclude("asked a friend")).await.is_some());
    assert_eq!(act(&service, 2, exclude("asked a friend")).await, None, "the rater is excluded already");

    let findings = analyse(&fixture.study, &fixture.store).await.unwrap();
    let excluded: Vec<_> =
        findings.exclusions.iter().map(|one| (&*one.rater, &*one.rule, &*one.reason)).collect();
    assert_eq!(excluded, [(&*rater, "operator", "excluded by the operator: asked a friend")]);
    assert_eq!(findings.collected.as_ref().unwrap().excluded, 1);
    assert!(findings.notes.iter().any(|note| &*note.code == "operator-exclusions"));

    // The place is open again, also after a restart.
    let restarted = fixture.service().await;
    let query = RaterQuery { group: Some(RaterGroup::Excluded), ..RaterQuery::default() };
    let row = restarted.operator.raters(&query).await.unwrap().raters.remove(0);
    assert_eq!(&*row.excluded.unwrap().reason, "asked a friend");
    assert_eq!(restarted.operator.status(OperatorRole::Reader).await.unwrap().overview.done, 0);
    let include = || Act::Include { rater: rater.clone(), reason: "a mistake".into() };
    assert!(act(&restarted, 3, include()).await.is_some());
    fixture.clock.forward(3_000_000);
    assert_eq!(
        service.operator.status(OperatorRole::Reader).await.unwrap().overview.done,
        1,
        "the rater counts again"
    );
    assert_eq!(analyse(&fixture.study, &fixture.store).await.unwrap().exclusions, []);

    assert!(act(&service, 4, exclude("after all")).await.is_some());
    assert_eq!(kind(&Browser::new(&restarted).take_part().await), "end", "another rater takes the place");
    fixture.clock.forward(3_000_000);
    let status = service.operator.status(OperatorRole::Reader).await.unwrap();
    assert_eq!((status.overview.done, status.overview.free), (1, 0));
    assert_eq!(status.overview.control.actions, 3);
}

#[tokio::test]
async fn raters_excluded_midway_do_not_fill_a_place() {
    let fixture = fixture(1);
    let [first, second] = [fixture.service().await, fixture.service().await];
    let mut browser = Browser::new(&first);
    browser.agree().await.unwrap();
    let rater = first.operator.raters(&RaterQuery::default()).await.unwrap().raters[0].rater.to_string();
    act(&second, 1, Act::Exclude { rater, reason: "a colleague".into() }).await;
    browser.play().await;
    fixture.clock.forward(3_000_000);
    let status = second.operator.status(OperatorRole::Reader).await.unwrap();
    assert_eq!((status.overview.done, status.overview.free), (0, 1));
}

#[tokio::test]
async fn an_excluded_rater_is_told_at_the_next_trial() {
    let fixture = fixture(1);
    let service = fixture.service().await;
    let mut browser = Browser::new(&service);
    browser.agree().await.unwrap();
    browser.begin().await.unwrap();
    browser.answer(0).await.unwrap();
    let rater = service.operator.raters(&RaterQuery::default()).await.unwrap().raters[0].rater.to_string();
    act(&service, 1, Act::Exclude { rater, reason: "a colleague".into() }).await;
    let next = serde_json::to_value(browser.answer(1).await.unwrap().next).unwrap();
    assert_eq!((&next["screen"], &next["excluded"]), (&json!("end"), &json!(true)), "{next}");
    // The answer is stored, and the page shows the same when it is loaded again.
    let again = serde_json::to_value(browser.open().await.unwrap()).unwrap();
    assert_eq!((&again["ending"], &again["excluded"]), (&json!("left"), &json!(true)), "{again}");
    fixture.clock.forward(3_000_000);
    let status = service.operator.status(OperatorRole::Reader).await.unwrap().overview;
    assert_eq!((status.done, status.held, status.free), (0, 0, 1));
    assert_eq!(status.counted.unwrap().answers, 2);
}

async fn post(study: &ServedStudy, token: &str, headers: &[(&str, &str)], body: &str) -> Reply {
    let token = format!("Bearer {token}");
    let mut all = vec![("authorization", &*token), ("content-type", "application/json")];
    all.extend(headers);
    HttpClient::to(study.address()).await.send("POST", "/operator/act", &all, body.as_bytes()).await
}

#[tokio::test]
async fn only_the_operators_key_acts_and_only_from_the_page_itself() {
    let study = ServedStudy::new(3, Page::default()).await;
    let pause = json!({ "id": "0".repeat(32), "act": { "kind": "pause" } }).to_string();
    let admission = async || control(&study.fixture.store).await.unwrap().admission();

    let refused = post(&study, &study.reader, &[], &pause).await;
    assert_eq!((refused.status, refused.code()), (403, "read-only-key".into()));
    let refused = post(&study, &"0".repeat(32), &[], &pause).await;
    assert_eq!((refused.status, refused.code()), (401, "not-the-operator".into()));
    for header in [("origin", "https://evil.example"), ("sec-fetch-site", "cross-site")] {
        let refused = post(&study, &study.token, &[header], &pause).await;
        assert_eq!((refused.status, refused.code()), (403, "other-origin".into()), "{header:?}");
    }
    assert_eq!(admission().await, Admission::Open);

    let token = format!("Bearer {}", study.reader);
    let reader = [("authorization", &*token)];
    let status = HttpClient::to(study.address()).await.send("GET", "/operator/status", &reader, b"").await;
    assert_eq!((status.status, &status.json()["role"]), (200, &json!("reader")));
    for path in ["/operator/download/scores.csv", "/operator/download/package.tar"] {
        let refused = HttpClient::to(study.address()).await.send("POST", path, &reader, b"").await;
        assert_eq!((refused.status, refused.code()), (403, "read-only-key".into()));
    }
    for _ in 0..2 {
        let done = post(&study, &study.token, &[], &pause).await;
        assert_eq!(
            (done.status, &done.json()["done"]),
            (200, &json!("paused the study")),
            "a repeated click"
        );
    }
    assert_eq!(
        (admission().await, study.fixture.store.entries::<LoggedAction>(0).await.unwrap().0.len()),
        (Admission::Paused, 1)
    );
}

#[tokio::test]
async fn actions_of_a_study_are_in_its_log_with_who_and_when() {
    let fixture = fixture(1);
    let service = fixture.service().await;
    act(&service, 7, Act::Close).await;
    let entry = fixture.store.entries::<LoggedAction>(0).await.unwrap().0.remove(0);
    assert_eq!((&*entry.by, entry.unix_ms), ("operator", 1_700_000_000_000));
    let status = service.operator.status(OperatorRole::Operator).await.unwrap();
    assert_eq!(status.overview.control.recent, [entry]);
}
