//! Raters of a study that is held open wait, begin at the operator's call or after the longest wait, and are let in one by one.

#![allow(clippy::unwrap_used, reason = "tests may panic")]

use hype_backends::web::wire::operator::{Act, ActRequest, RaterGroup, RaterQuery, RaterState};
use hype_backends::web::wire::screen::{ClosedReason, Screen, ScreenKind};
use hype_backends::web::{Fault, OperatorRole, Page, serve};
use hype_core::model::note::SessionNote;
use hype_core::study::control::control;
use hype_core::{Micros, Session};
use serde_json::json;

use crate::fixture::{Browser, Fixture, kind};
use crate::held_open::{
    MINUTE, SECOND, answer_all, ask_for, begun, call, fixture, held_open, person, records, retainer, service,
    waiting,
};
use crate::http_client::HttpClient;

fn closed(screen: &Screen) -> Option<ClosedReason> {
    match screen.shown {
        ScreenKind::Closed { reason } => Some(reason),
        _ => None,
    }
}

#[tokio::test]
async fn raters_wait_after_the_instructions_and_begin_at_the_call() {
    let fixture = fixture();
    let service = service(&fixture).await;
    let mut consenting = person(&service, "aa01");
    let ScreenKind::Consent(consent) = consenting.open().await.unwrap().shown else { panic!("no consent") };
    let offer = consent.waiting.clone().unwrap();
    assert_eq!((offer.minutes_at_most, &*offer.per_hour, &*offer.currency), (5, "9.00", "USD"));

    let (first, shown) = begun(&service, "aa01").await;
    let at_first = waiting(&shown);
    assert_eq!((at_first.minutes, at_first.minutes_left, &*at_first.pay), (1, 5, "0.15"));
    fixture.clock.forward(MINUTE - 1);
    assert_eq!(waiting(&first.wait().await.unwrap()).minutes, 1);
    fixture.clock.forward(1);
    let second_minute = first.wait().await.unwrap();
    assert_eq!((waiting(&second_minute).minutes, waiting(&second_minute).minutes_left), (2, 4));
    assert!(matches!(first.answer(0).await, Err(Fault::NotThisTrial)), "no one is asked yet");
    assert!(matches!(first.disturbed(0, 0).await, Err(Fault::NotThisTrial)));

    let (second, _) = begun(&service, "aa02").await;
    let in_state = async |state| {
        let query = RaterQuery { group: Some(RaterGroup::Active), ..RaterQuery::default() };
        let active = service.operator.raters(&query).await.unwrap().raters;
        active.iter().filter(|row| row.state == state).count()
    };
    assert_eq!((in_state(RaterState::Waiting).await, in_state(RaterState::Rating).await), (2, 0));
    assert_eq!(call(&service, 1).await.as_deref(), Some("called the raters who wait"));
    assert_eq!(call(&service, 2).await, None, "they were called before");
    for browser in [&first, &second] {
        let trial = browser.wait().await.unwrap();
        assert_eq!(kind(&trial), "trial");
        assert_eq!(in_state(RaterState::Rating).await, 1);
        assert_eq!(browser.wait().await.unwrap(), trial, "asking again changes nothing");
        assert_eq!(kind(&answer_all(browser, trial).await), "end");
    }
    // Later ones begin at once, and are told of no wait.
    let mut third = person(&service, "aa03");
    let ScreenKind::Consent(consent) = third.open().await.unwrap().shown else { panic!("no consent") };
    assert_eq!(consent.waiting, None);
    third.agree_to(&consent.text, Some(true)).await.unwrap();
    assert_eq!(kind(&third.begin().await.unwrap()), "trial");
    let waits: Vec<bool> = records(&fixture.store)
        .await
        .iter()
        .map(|record| record.notes.iter().any(|noted| matches!(noted.note, SessionNote::Waited(_))))
        .collect();
    assert_eq!(waits, [true, true, false]);
}

#[tokio::test]
async fn the_longest_wait_ends_without_a_call() {
    let fixture = fixture();
    let service = service(&fixture).await;
    let (browser, _) = begun(&service, "aa01").await;
    let shown = ask_for(&fixture, &[&browser], 295).await;
    let last = waiting(&shown[0]);
    assert_eq!((last.minutes, last.minutes_left, &*last.pay), (5, 1, "0.75"));
    let shown = ask_for(&fixture, &[&browser], 5).await;
    assert_eq!(kind(&shown[0]), "trial");
    let end = answer_all(&browser, shown[0].clone()).await;
    let ScreenKind::End(end) = end.shown else { panic!("{end:?}") };
    assert_eq!(end.earned.unwrap().waiting.as_deref(), Some("0.75"));
    assert!(!control(&fixture.store).await.unwrap().is_called());
}

#[tokio::test]
async fn only_minutes_in_which_the_page_asked_are_paid() {
    let mut long = retainer();
    long.minutes_at_most = 480.into();
    let fixture = Fixture::new(held_open(Some(long)), Page::default());
    let service = service(&fixture).await;
    let (browser, _) = begun(&service, "aa01").await;
    fixture.clock.forward(20 * MINUTE);
    assert_eq!(waiting(&browser.wait().await.unwrap()).minutes, 2, "the gap adds one minute");
    let (again, other) = tokio::join!(browser.wait(), browser.wait());
    assert_eq!((waiting(&again.unwrap()).minutes, waiting(&other.unwrap()).minutes), (2, 2));
    fixture.clock.forward(MINUTE);
    let (again, other) = tokio::join!(browser.wait(), browser.wait());
    assert_eq!((waiting(&again.unwrap()).minutes, waiting(&other.unwrap()).minutes), (3, 3), "once");
}

#[tokio::test]
async fn the_longest_wait_is_stored_whole() {
    let mut longest = retainer();
    longest.minutes_at_most = 480.into();
    let fixture = Fixture::new(held_open(Some(longest)), Page::default());
    let service = service(&fixture).await;
    let (browser, mut shown) = begun(&service, "aa01").await;
    for _ in 0..480 {
        assert_eq!(kind(&shown), "waiting");
        fixture.clock.forward(MINUTE);
        shown = browser.wait().await.unwrap();
    }
    assert_eq!(kind(&shown), "trial");
    let reloaded = Browser { tab: crate::fixture::tab(7), ..browser };
    assert_eq!(kind(&reloaded.clone().open().await.unwrap()), "trial");
    let record = &records(&fixture.store).await[0];
    assert_eq!(record.earned().unwrap().waiting.to_string(), "72.00");
}

#[tokio::test]
async fn waits_continue_in_another_process_another_tab_and_after_a_reload() {
    let fixture = fixture();
    let (before, after) = (service(&fixture).await, service(&fixture).await);
    let (mut browser, _) = begun(&before, "aa01").await;
    ask_for(&fixture, &[&browser], 90).await;
    // The first process has crashed.
    browser.service = after.clone();
    assert_eq!(waiting(&browser.wait().await.unwrap()).minutes, 2);
    ask_for(&fixture, &[&browser], 30).await;
    assert_eq!(waiting(&browser.wait().await.unwrap()).minutes, 3, "no minute is lost");
    let mut second = Browser { tab: crate::fixture::tab(5), ..browser.clone() };
    assert_eq!(waiting(&second.open().await.unwrap()).minutes, 3);
    assert!(matches!(browser.wait().await, Err(Fault::TakenOver)), "one tab waits, and is paid");
    call(&before, 1).await;
    // A reload after the call shows the trial as well.
    assert_eq!(kind(&second.open().await.unwrap()), "trial");
    assert_eq!(kind(&second.wait().await.unwrap()), "trial");
    // The log is that of a session like any other.
    let record = &records(&fixture.store).await[0];
    assert_eq!(record.earned().unwrap().waiting.to_string(), "0.45");
    let events = hype_core::StoreExt::load(&fixture.store, "p000000-000").await.unwrap();
    assert_eq!(Session::replay(&fixture.study, events.clone()).unwrap().events(), events.len() as u64);
}

#[tokio::test]
async fn a_response_time_does_not_contain_the_wait() {
    let fixture = fixture();
    let service = service(&fixture).await;
    let (browser, _) = begun(&service, "aa01").await;
    ask_for(&fixture, &[&browser], 120).await;
    call(&service, 1).await;
    assert_eq!(kind(&browser.wait().await.unwrap()), "trial");
    fixture.clock.forward(2 * SECOND);
    // The answer says that it took longer than the trial can have been shown, in another process as in this one.
    let other = Browser { service: self::service(&fixture).await, ..browser };
    let answer = json!({ "judgment": "fake" });
    other.answer_in(0, 0, answer, 60 * SECOND).await.unwrap();
    let record = &records(&fixture.store).await[0];
    let seen = record.notes.iter().find_map(|noted| match &noted.note {
        SessionNote::Overrun(overrun) => Some(overrun.seen),
        _ => None,
    });
    assert_eq!(seen, Some(Micros(2 * SECOND)));
}

#[tokio::test]
async fn only_so_many_raters_are_let_in_before_the_call() {
    let fixture = fixture();
    let service = service(&fixture).await;
    // All of them have read the consent before the first agrees.
    let mut all = Vec::new();
    for id in ["aa01", "aa02", "aa03", "aa04"] {
        let mut browser = person(&service, id);
        let ScreenKind::Consent(consent) = browser.open().await.unwrap().shown else { panic!("no consent") };
        all.push((browser, consent.text.clone()));
    }
    let agreed = all.iter_mut().map(|(browser, text)| browser.agree_to(text, Some(true)));
    let mut shown = Vec::new();
    for one in agreed.collect::<Vec<_>>() {
        shown.push(one.await.unwrap());
    }
    let closed_to: Vec<Option<ClosedReason>> = shown.iter().map(closed).collect();
    assert_eq!(closed_to, [None, None, Some(ClosedReason::Paused), Some(ClosedReason::Paused)]);
    assert_eq!(closed(&person(&service, "aa05").open().await.unwrap()), Some(ClosedReason::Paused));
    // Raters who were let in can come back, and one who leaves makes room.
    let first = &mut all[0].0;
    assert_eq!(kind(&first.open().await.unwrap()), "instructions");
    assert_eq!(kind(&first.begin().await.unwrap()), "waiting");
    assert_eq!(kind(&all[1].0.leave().await.unwrap()), "end");
    let (browser, text) = &mut all[2];
    assert_eq!(kind(&browser.agree_to(text, Some(true)).await.unwrap()), "instructions");
    // The call opens the study to all.
    call(&service, 1).await;
    let (browser, text) = &mut all[3];
    assert_eq!(kind(&browser.agree_to(text, Some(true)).await.unwrap()), "instructions");
    assert_eq!(kind(&browser.begin().await.unwrap()), "trial");
}

#[tokio::test]
async fn questions_keep_the_place_of_a_rater_who_waits() {
    let mut long = retainer();
    long.minutes_at_most = 300.into();
    let fixture = Fixture::new(held_open(Some(long)), Page { idle_minutes: 10, ..Page::default() });
    let service = service(&fixture).await;
    let (browser, _) = begun(&service, "aa01").await;
    let (gone, _) = begun(&service, "aa02").await;
    for _ in 0..40 {
        fixture.clock.forward(MINUTE);
        assert_eq!(kind(&browser.wait().await.unwrap()), "waiting");
    }
    let status = service.operator.status(OperatorRole::Reader).await.unwrap();
    assert_eq!(status.overview.held, 1, "the place of the one who is gone is free");
    let room = status.overview.waiting.unwrap();
    assert_eq!((room.waiting, room.raters, room.is_called), (1, 2, false));
    // Someone else gets it, and the one who waits keeps their own.
    begun(&service, "aa03").await;
    assert_eq!(closed(&person(&service, "aa04").open().await.unwrap()), Some(ClosedReason::Paused));
    drop(gone);
    call(&service, 1).await;
    assert_eq!(kind(&answer_all(&browser, browser.wait().await.unwrap()).await), "end");
    fixture.clock.forward(3 * SECOND);
    let status = service.operator.status(OperatorRole::Operator).await.unwrap();
    assert_eq!(status.overview.done, 1);
    assert!(status.overview.waiting.unwrap().is_called);
}

#[tokio::test]
async fn calls_are_for_operators_of_studies_that_are_held_open() {
    let fixture = Fixture::new(held_open(None), Page::default());
    let plain = service(&fixture).await;
    let request = |number: u32| ActRequest { id: format!("{number:032x}"), act: Act::Call };
    let refused = plain.operator.act("operator", &request(1)).await.unwrap_err().to_string();
    assert!(refused.contains("no rater waits in this study"), "{refused}");
    assert_eq!(plain.operator.status(OperatorRole::Reader).await.unwrap().overview.waiting, None);

    let fixture = crate::held_open::fixture();
    let service = service(&fixture).await;
    let (browser, _) = begun(&service, "aa01").await;
    service
        .operator
        .act("operator", &ActRequest { id: format!("{:032x}", 1), act: Act::Close })
        .await
        .unwrap();
    let refused = service.operator.act("operator", &request(2)).await.unwrap_err().to_string();
    assert!(refused.contains("resume it first"), "{refused}");
    // No one would call in a study that is closed.
    assert_eq!(kind(&browser.wait().await.unwrap()), "trial");
}

#[tokio::test]
async fn readers_see_who_waits_and_cannot_call() {
    let fixture = fixture();
    let service = service(&fixture).await;
    begun(&service, "aa01").await;
    let (operator, reader) = (service.operator.token(), service.operator.reader_token());
    let serving = serve(service, "127.0.0.1:0".parse().unwrap()).await.unwrap();
    let body = json!({ "id": format!("{:032x}", 1), "act": { "kind": "call" } }).to_string();
    let mut replies = Vec::new();
    for (method, path, key) in [
        ("GET", "/operator/status", &reader),
        ("POST", "/operator/act", &reader),
        ("POST", "/operator/act", &operator),
        ("POST", "/operator/act", &operator),
    ] {
        let key = format!("Bearer {key}");
        let headers = [("authorization", &*key), ("content-type", "application/json")];
        let body = if method == "POST" { body.as_bytes() } else { b"" };
        replies.push(HttpClient::to(serving.address()).await.send(method, path, &headers, body).await);
    }
    let room = json!({ "waiting": 1, "raters": 2, "is_called": false });
    assert_eq!(replies[0].json()["waiting"], room);
    assert_eq!((replies[1].status, &*replies[1].code()), (403, "read-only-key"));
    assert_eq!(replies[2].json()["done"], "called the raters who wait");
    assert_eq!(replies[3].json(), replies[2].json(), "a repeated request acts once");
    assert_eq!(control(&fixture.store).await.unwrap().log().len(), 1);
}

#[tokio::test]
async fn simulations_of_the_page_do_not_wait() {
    let fixture = fixture();
    // Without a panel, as synthetic raters of `hype run --simulate` come.
    let service = fixture.service().await;
    for _ in 0..3 {
        let mut browser = Browser::new(&service);
        browser.agree().await.unwrap();
        assert_eq!(kind(&browser.begin().await.unwrap()), "trial");
    }
}
