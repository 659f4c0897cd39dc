//! Work that takes an unusual way is neither forgotten nor paid twice: it is handed in late or never, rejected, returned, or
//! approved by someone else.

use hype_backends::crowd::platform::SubmissionState;
use hype_backends::crowd::recruiter::Disagreement;
use hype_core::protocol::ledger::PaymentState;
use hype_core::{Amount, Streams};

use crate::market::{Fault, Kind, TestMarket};
use crate::recruited::{BASE, PEOPLE, collected, recruiter, work_of};

fn market() -> TestMarket {
    TestMarket::new(Kind::Tokens, BASE, Streams::new(1).stream("faults"), 0)
}

#[tokio::test]
async fn finished_sessions_are_awaited_at_the_platform() {
    let (study, store, worked) = collected().await;
    let market = market();
    let recruiter = recruiter(&study, &store, &market, None, "writer").await;
    recruiter.publish(0).await.unwrap();
    let early = recruiter.status(0).await.unwrap();
    assert_eq!((early.expected, early.not_handed_in.len()), (3, 0), "{early:?}");
    assert!(!early.is_settled());
    market.submit(&work_of(PEOPLE[1]), PEOPLE[1]);
    assert_eq!(recruiter.status(0).await.unwrap().expected, 2);
    // No rater has more than two hours from arrival to the end, by the settings.
    let late = recruiter.status(u64::MAX / 1_000_000).await.unwrap();
    assert_eq!(late.expected, 0);
    let missing: Vec<&str> = late.not_handed_in.iter().map(|name| &**name).collect();
    assert_eq!(missing, [&*worked[2].session, &*worked[3].session]);
}

#[tokio::test]
async fn an_audit_knows_rejected_and_returned_work() {
    let (study, store, worked) = collected().await;
    let market = market();
    for person in PEOPLE {
        market.submit(&work_of(person), person);
    }
    market.set(&work_of(PEOPLE[2]), SubmissionState::Returned);
    let recruiter = recruiter(&study, &store, &market, None, "writer").await;
    recruiter.publish(0).await.unwrap();
    let reason = "The same answer was given to every image, whatever was shown, faster than images can be seen at all.";
    recruiter.reject(&worked[1].session, reason, "operator", 0).await.unwrap();
    for _ in 0..3 {
        recruiter.step(0).await.unwrap();
    }
    let audit = recruiter.audit(0).await.unwrap();
    let differences: Vec<_> =
        audit.differences().map(|one| (&*one.payment.session, one.difference.unwrap())).collect();
    let expected = [
        (&*worked[1].session, Disagreement::Rejected),
        (&*worked[1].session, Disagreement::Rejected),
        (&*worked[2].session, Disagreement::Returned),
        (&*worked[2].session, Disagreement::Returned),
    ];
    assert_eq!(differences, expected);
    assert_eq!(market.paid(&work_of(PEOPLE[3])), (1, worked[3].bonus));
    // Lost work is no longer owed, so it does not count against the limit.
    assert_eq!(recruiter.status(0).await.unwrap().owed, Amount(0));
}

#[tokio::test]
async fn work_without_a_session_counts_against_the_limit_and_is_in_the_ledger() {
    let (study, store, _) = collected().await;
    let market = market();
    for person in PEOPLE {
        market.submit(&work_of(person), person);
    }
    market.submit("work-of-a-stranger", "zz99");
    let recruiter = recruiter(&study, &store, &market, None, "writer").await;
    recruiter.publish(0).await.unwrap();
    for _ in 0..3 {
        recruiter.step(0).await.unwrap();
    }
    let waits = recruiter.status(0).await.unwrap();
    assert!(waits.owed >= BASE, "the platform may approve it by itself: {}", waits.owed);
    market.set("work-of-a-stranger", SubmissionState::Approved);
    let before = recruiter.ledger().await.unwrap().totals().paid;
    recruiter.step(0).await.unwrap();
    let ledger = recruiter.ledger().await.unwrap();
    assert_eq!(ledger.totals().paid, before.plus(BASE));
    assert_eq!(recruiter.status(0).await.unwrap().owed, Amount(0));
    recruiter.step(0).await.unwrap();
    assert_eq!(recruiter.ledger().await.unwrap().entries(), ledger.entries(), "once");
}

#[tokio::test]
async fn a_refused_payment_does_not_hold_up_the_others() {
    let (study, store, worked) = collected().await;
    // Three bonuses go by one request.
    let market = TestMarket::new(Kind::Blind, BASE, Streams::new(1).stream("faults"), 0);
    for person in PEOPLE {
        market.submit(&work_of(person), person);
        market.set(&work_of(person), SubmissionState::Approved);
    }
    let recruiter = recruiter(&study, &store, &market, None, "writer").await;
    recruiter.publish(0).await.unwrap();
    for _ in 0..2 {
        market.fail_next("pay a bonus", Fault::Refused);
        recruiter.step(0).await.unwrap();
    }
    let ledger = recruiter.ledger().await.unwrap();
    let failed = |state: &PaymentState| matches!(state, PaymentState::Failed { .. });
    assert_eq!(ledger.payments().values().filter(|payment| failed(&payment.state)).count(), 1);
    let paid = PEOPLE.iter().filter(|person| market.paid(&work_of(person)).1 > Amount(0)).count();
    assert_eq!(paid, worked.iter().filter(|one| one.bonus > Amount(0)).count() - 1);
}

#[tokio::test]
async fn places_of_a_listing_that_has_ended_are_listed_anew() {
    let (study, store, _) = collected().await;
    let market = market();
    let recruiter = recruiter(&study, &store, &market, None, "writer").await;
    recruiter.publish(0).await.unwrap();
    let offered = recruiter.status(0).await.unwrap();
    assert!(offered.demand > 0, "the place of the rater who left is free");
    market.end_listings();
    for _ in 0..3 {
        recruiter.step(0).await.unwrap();
    }
    let ledger = recruiter.ledger().await.unwrap();
    let closed: Vec<bool> = ledger.listings().values().map(|listing| listing.is_closed).collect();
    assert_eq!(closed, [true, false]);
    assert_eq!(recruiter.status(0).await.unwrap().supply, offered.supply);
}

#[tokio::test]
async fn finished_work_is_handed_in_for_people_who_lost_their_code() {
    let (study, store, _) = collected().await;
    let market = TestMarket::new(Kind::Blind, BASE, Streams::new(1).stream("faults"), 0);
    for person in PEOPLE {
        market.submit(&work_of(person), person);
        market.set(&work_of(person), SubmissionState::Working);
    }
    let recruiter = recruiter(&study, &store, &market, None, "writer").await;
    recruiter.publish(0).await.unwrap();
    // A moment after the end, people still hand in themselves.
    let ended = 1_700_000_000_000;
    recruiter.step(ended).await.unwrap();
    assert_eq!(market.state(&work_of(PEOPLE[1])), SubmissionState::Working);
    recruiter.step(ended + 600_000).await.unwrap();
    recruiter.step(ended + 660_000).await.unwrap();
    let states = PEOPLE.map(|person| market.state(&work_of(person)));
    use SubmissionState::{Approved, Working};
    assert_eq!(states, [Working, Approved, Approved, Approved], "the first has left");
}

#[tokio::test]
async fn a_first_listing_that_is_refused_ends_the_collection() {
    let (study, store, _) = collected().await;
    let market = market();
    market.fail_next("create a listing", Fault::Refused);
    let recruiter = recruiter(&study, &store, &market, None, "writer").await;
    let refused = recruiter.step(0).await.expect_err("no one would ever come").to_string();
    assert!(refused.contains("a fault of the test"), "{refused}");
    assert!(refused.contains("nothing was listed"), "{refused}");
    // Once it is corrected, the same study goes on; what is refused later is a problem of that listing.
    assert_eq!(recruiter.step(1).await.unwrap().problems, [""; 0]);
    assert_eq!(market.listings(), 1);
}
