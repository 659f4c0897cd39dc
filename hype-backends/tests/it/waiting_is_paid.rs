//! Waiting is paid: by the minute, with the bonus in one payment, once, and never beyond the spending limit.

#![allow(clippy::unwrap_used, reason = "tests may panic")]

use std::sync::Arc;

use hype_backends::crowd::recruiter::{HoldReason, RecruitError, Recruiter};
use hype_backends::web::wire::screen::ScreenKind;
use hype_backends::web::{Clock as _, Page};
use hype_core::model::ledger::PaymentPurpose;
use hype_core::study::control::{ActionRequest, control};
use hype_core::study::erasure::{PlaceAfter, erase};
use hype_core::study::places::StudyPlaces;
use hype_core::{Amount, Streams};

use crate::fixture::{Fixture, kind};
use crate::held_open::{
    answer_all, ask_for, begun, call, fixture, held_open, records, retainer, service, waiting,
};
use crate::market::{Kind, TestMarket, fees};
use crate::recruited::{BASE, recruiting, work_of};

fn market() -> TestMarket {
    TestMarket::new(Kind::Tokens, BASE, Streams::new(1).stream("faults"), 0)
}

async fn recruiter(fixture: &Fixture, market: &TestMarket, limit: Option<Amount>) -> Recruiter {
    let settings = recruiting(market.facts(), limit);
    let store = Arc::new(fixture.store.clone());
    Recruiter::new(fixture.study.clone(), store, Arc::new(market.clone()), settings, "writer").await.unwrap()
}

fn now(fixture: &Fixture) -> u64 {
    fixture.clock.now().0 / 1_000
}

fn request(fixture: &Fixture, id: &'static str) -> ActionRequest<'static> {
    ActionRequest { id, by: "operator", unix_ms: now(fixture) }
}

#[tokio::test]
async fn a_bonus_and_the_pay_for_waiting_are_one_payment_with_both_reasons() {
    let (fixture, market) = (fixture(), market());
    let service = service(&fixture).await;
    let recruiter = recruiter(&fixture, &market, None).await;
    let status = recruiter.publish(now(&fixture)).await.unwrap();
    assert_eq!((status.demand, status.supply), (2, 2), "as many as are let in");
    let [(right, _), (leaves, _)] = [begun(&service, "aa01").await, begun(&service, "aa02").await];
    ask_for(&fixture, &[&right, &leaves], 130).await;
    let status = recruiter.status(now(&fixture)).await.unwrap();
    assert_eq!(status.waiting.map(|room| (room.waiting, room.is_called)), Some((2, false)));

    let end = leaves.leave().await.unwrap();
    let ScreenKind::End(end) = end.shown else { panic!("{end:?}") };
    assert_eq!(end.earned.unwrap().waiting.as_deref(), Some("0.45"), "three begun minutes");
    let (called, status) = recruiter.call(request(&fixture, "1")).await.unwrap();
    assert!(called);
    assert_eq!((status.demand, status.supply), (4, 4), "all that are missing");
    let (again, _) = recruiter.call(request(&fixture, "2")).await.unwrap();
    assert!(!again);
    let end = answer_all(&right, right.wait().await.unwrap()).await;
    let ScreenKind::End(end) = end.shown else { panic!("{end:?}") };
    let shown = end.earned.unwrap();
    let bonus: f64 = shown.bonus.parse().unwrap();
    assert!(bonus > 0.0);
    // The third works at once.
    let (third, trial) = begun(&service, "aa03").await;
    answer_all(&third, trial).await;

    for id in ["aa01", "aa02", "aa03"] {
        market.submit(&work_of(id), id);
    }
    let status = recruiter.step(now(&fixture)).await.unwrap();
    let held: Vec<_> = status.held.iter().map(|held| (held.why, held.earned)).collect();
    assert_eq!(held, [(HoldReason::LeftWaiting.describe(), Amount(450_000))]);
    let left = status.held[0].name.clone();
    recruiter.approve(&left, "operator", now(&fixture)).await.unwrap();
    for _ in 0..3 {
        recruiter.step(now(&fixture)).await.unwrap();
    }
    let of_right = Amount::from_units(bonus + 0.45).unwrap();
    assert_eq!(market.paid(&work_of("aa01")), (1, of_right));
    assert_eq!(market.paid(&work_of("aa02")), (1, Amount(450_000)));
    let reason = |id| market.reason(&work_of(id)).unwrap();
    assert!(reason("aa01").contains("right answers") && reason("aa01").contains("waiting"));
    assert_eq!(&*reason("aa02"), "For waiting until the study began. Thank you!");
    assert_eq!(&*reason("aa03"), "For your right answers. Thank you!");
    // The reward of the one who left is more than was earned, by decision.
    let audit = recruiter.audit(now(&fixture)).await.unwrap();
    let differing: Vec<_> = audit.differences().map(|one| one.payment.to_string()).collect();
    assert_eq!(differing, [format!("{left}/reward")]);
    assert_eq!(Some(audit.ledger), audit.platform);
    let ledger = recruiter.ledger().await.unwrap();
    let bonuses = ledger.payments().keys().filter(|key| key.purpose == PaymentPurpose::Bonus);
    assert_eq!(bonuses.count(), 3);
}

#[tokio::test]
async fn absent_raters_stop_waiting_and_are_due_only_after_their_session() {
    let (fixture, market) = (fixture(), market());
    let service = service(&fixture).await;
    let recruiter = recruiter(&fixture, &market, None).await;
    let (browser, _) = begun(&service, "aa01").await;
    ask_for(&fixture, &[&browser], 60).await;
    fixture.clock.forward(3 * crate::held_open::MINUTE);
    let status = recruiter.status(now(&fixture)).await.unwrap();
    assert_eq!(status.waiting.unwrap().waiting, 0);
    let audit = recruiter.audit(now(&fixture)).await.unwrap();
    assert_eq!((audit.payments.len(), audit.earned), (0, Amount(0)));
    assert_eq!(waiting(&browser.wait().await.unwrap()).minutes, 3, "the page is back");
    assert_eq!(recruiter.status(now(&fixture)).await.unwrap().waiting.unwrap().waiting, 1);
}

#[tokio::test]
async fn the_limit_counts_all_who_may_wait() {
    let fees = fees();
    let place = |bonus: u64| {
        let parts = [BASE, Amount(bonus)].into_iter();
        parts.fold(Amount(0), |sum, part| sum.plus(part).plus(fees.on(part)))
    };
    // A place costs at most 1.00 and three right answers of 0.05, and two may have to wait for five minutes of 0.15.
    let cases =
        [(None, 4, place(150_000).times(4)), (Some(retainer()), 2, place(150_000 + 750_000).times(2))];
    for (hold_open, places, least) in cases {
        for (limit, expected) in [(least, places), (Amount(least.0 - 10_000), 0)] {
            let (fixture, market) = (Fixture::new(held_open(hold_open), Page::default()), market());
            service(&fixture).await;
            let recruiter = recruiter(&fixture, &market, Some(limit)).await;
            let status = recruiter.publish(now(&fixture)).await.unwrap();
            assert_eq!(
                (status.supply, status.problems.len()),
                (expected, usize::from(expected == 0)),
                "{limit}"
            );
        }
    }
}

#[tokio::test]
async fn waits_before_the_call_count_for_the_limit_after_it() {
    let fees = fees();
    let place = |bonus: u64| {
        let parts = [BASE, Amount(bonus)].into_iter();
        parts.fold(Amount(0), |sum, part| sum.plus(part).plus(fees.on(part)))
    };
    // One rater has waited for two minutes, and three others need not.
    let least = place(150_000 + 300_000).plus(place(150_000).times(3));
    for (limit, supply) in [(least, 4), (Amount(least.0 - 10_000), 2)] {
        let (fixture, market) = (fixture(), market());
        let service = service(&fixture).await;
        let recruiter = recruiter(&fixture, &market, Some(limit)).await;
        recruiter.publish(now(&fixture)).await.unwrap();
        let (browser, _) = begun(&service, "aa01").await;
        market.submit(&work_of("aa01"), "aa01");
        ask_for(&fixture, &[&browser], 60).await;
        let (_, status) = recruiter.call(request(&fixture, "1")).await.unwrap();
        assert_eq!(status.supply, supply, "{limit}: {:?}", status.problems);
    }
}

#[tokio::test]
async fn pay_for_waiting_stays_owed_when_answers_are_erased() {
    let (fixture, market) = (fixture(), market());
    let service = service(&fixture).await;
    let recruiter = recruiter(&fixture, &market, None).await;
    recruiter.publish(now(&fixture)).await.unwrap();
    let (browser, _) = begun(&service, "aa01").await;
    ask_for(&fixture, &[&browser], 60).await;
    let places = StudyPlaces::open(&fixture.study, &fixture.store).await.unwrap();
    let sessions = ["p000000-000".to_owned()];
    let at = fixture.clock.now();
    let erased =
        erase(&fixture.study, &fixture.store, &places, &sessions, at, PlaceAfter::Kept).await.unwrap();
    assert_eq!(erased[0].erased.earned.unwrap().waiting, Amount(300_000));
    let record = &records(&fixture.store).await[0];
    assert_eq!(record.earned().unwrap().beside_base(), Amount(300_000));
    let text = serde_json::to_string(&record.erased).unwrap();
    assert!(text.contains(r#""waiting":0.3"#), "{text}");
    market.submit(&work_of("aa01"), "aa01");
    let status = recruiter.step(now(&fixture)).await.unwrap();
    assert_eq!(status.held.len(), 1, "a person decides");
    let work = status.held[0].name.clone();
    recruiter.approve(&work, "operator", now(&fixture)).await.unwrap();
    recruiter.step(now(&fixture)).await.unwrap();
    assert_eq!(market.paid(&work_of("aa01")).1, Amount(300_000));
}

#[tokio::test]
async fn calls_are_refused_in_studies_without_waiting() {
    let fixture = Fixture::new(held_open(None), Page::default());
    service(&fixture).await;
    let recruiter = recruiter(&fixture, &market(), None).await;
    let refused = recruiter.call(request(&fixture, "1")).await.unwrap_err();
    assert!(
        matches!(&refused, RecruitError::NotPossible(reason) if reason.contains("hold_open")),
        "{refused}"
    );
    assert!(!control(&fixture.store).await.unwrap().is_called());
}

#[tokio::test]
async fn synthetic_raters_are_called_once_all_of_them_wait() {
    use hype_backends::crowd::shared_recruiter::SharedRecruiter;
    let (fixture, market) = (fixture(), market());
    let service = service(&fixture).await;
    let own = recruiter(&fixture, &market, None).await;
    let shared = SharedRecruiter::new(own, None, std::time::Duration::MAX, Arc::default()).calling();
    let (first, _) = begun(&service, "aa01").await;
    shared.step_and_call(now(&fixture)).await.unwrap();
    assert_eq!(kind(&first.wait().await.unwrap()), "waiting", "one is missing");
    let (second, _) = begun(&service, "aa02").await;
    shared.step_and_call(now(&fixture)).await.unwrap();
    for browser in [&first, &second] {
        assert_eq!(kind(&browser.wait().await.unwrap()), "trial");
    }
    assert_eq!(call(&service, 1).await, None);
}
