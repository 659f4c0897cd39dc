//! Each class of faults becomes the error that says what may have happened, and afterwards the platform says what is true.

use std::sync::Arc;

use hype_backends::crowd::platform::{ListingAdmission, Platform as _, Settlement, SubmissionState};
use hype_backends::crowd::prolific::HttpTransport;
use hype_fakes::faults::InjectedFault;

use super::support::{Lab, kind, market, order, reason};

/// The error after a change that breaks.
fn of_change(fault: InjectedFault) -> &'static str {
    match fault {
        InjectedFault::Throttled => "unavailable",
        InjectedFault::Duplicated => "nothing",
        _ => "unclear",
    }
}

#[tokio::test]
async fn changes_are_unclear_unless_nothing_was_done() {
    const DECIDE: &str = "POST submissions/{id}/transition/";
    for fault in InjectedFault::ALL {
        let lab = Lab::new().await;
        let Lab { fake, market, .. } = &lab;
        let study = lab.study(3).await;
        let [approved, rejected] = <[_; 2]>::try_from(lab.finished(&study, 2)).unwrap();
        let (first, second) =
            (lab.submission(&study, &approved).await, lab.submission(&study, &rejected).await);
        let is_done = fault.deliveries() > 0;
        let outcome = |result: Result<(), _>| result.as_ref().map_or_else(kind, |()| "nothing");

        fake.faults().on(DECIDE, fault);
        assert_eq!(outcome(market.approve(&first).await), of_change(fault), "{fault:?}");
        let state = if is_done { SubmissionState::Approved } else { SubmissionState::ToReview };
        assert_eq!(lab.submission(&study, &approved).await.state, state, "{fault:?}");

        fake.faults().on(DECIDE, fault);
        assert_eq!(outcome(market.reject(&second, &reason()).await), of_change(fault), "{fault:?}");
        let state = if is_done { SubmissionState::Rejected } else { SubmissionState::ToReview };
        assert_eq!(lab.submission(&study, &rejected).await.state, state, "{fault:?}");

        fake.faults().on("PATCH studies/{id}/", fault);
        assert_eq!(outcome(market.resize(&study, 4).await), of_change(fault), "{fault:?}");
        assert_eq!(market.listing(&study).await.unwrap().places, if is_done { 4 } else { 3 }, "{fault:?}");

        fake.faults().on("POST studies/{id}/transition/", fault);
        // Pausing a paused study is refused, which reveals a doubled request.
        let doubled = if fault == InjectedFault::Duplicated { "refused" } else { of_change(fault) };
        assert_eq!(outcome(market.admit(&study, ListingAdmission::Paused).await), doubled, "{fault:?}");
        let state = if is_done { ListingAdmission::Paused } else { ListingAdmission::Open };
        assert_eq!(market.listing(&study).await.unwrap().admission, state, "{fault:?}");

        // Repeating everything is harmless.
        market.approve(&first).await.unwrap();
        market.reject(&second, &reason()).await.unwrap();
        market.resize(&study, 4).await.unwrap();
        market.admit(&study, ListingAdmission::Paused).await.unwrap();
        assert_eq!(fake.paid()[&approved.submission].rewards, [150], "{fault:?}");
    }
}

#[tokio::test]
async fn payments_are_unclear_unless_nothing_was_paid() {
    for fault in InjectedFault::ALL {
        let lab = Lab::new().await;
        let study = lab.study(1).await;
        let person = lab.finished(&study, 1).remove(0);
        let order = order(&person, 500_000);
        let paid = || lab.fake.paid().get(&person.submission).map_or(0, |paid| paid.bonuses.len());

        // Setting up pays nothing: its failure is never unclear.
        lab.fake.faults().on("POST submissions/bonus-payments/", fault);
        let set_up = lab.market.pay(&study, std::slice::from_ref(&order)).await;
        if fault == InjectedFault::Duplicated {
            set_up.unwrap();
            assert_eq!(paid(), 1, "of two set-ups one is paid");
            continue;
        }
        assert_eq!(kind(&set_up.unwrap_err()), "unavailable", "{fault:?}");
        assert_eq!(paid(), 0, "{fault:?}");

        lab.fake.faults().on("POST bulk-bonus-payments/{id}/pay/", fault);
        let error = lab.market.pay(&study, std::slice::from_ref(&order)).await.unwrap_err();
        assert_eq!(kind(&error), of_change(fault), "{fault:?}");
        assert_eq!(paid(), fault.deliveries(), "{fault:?}");
        let settled = if paid() == 1 { Settlement::Made } else { Settlement::Unknown };
        assert_eq!(
            lab.market.settle(&study, std::slice::from_ref(&order)).await,
            Ok(vec![settled]),
            "{fault:?}"
        );
        let sent = lab.fake.requests().iter().filter(|label| label.ends_with("/pay/")).count();
        assert!(sent <= 1, "{fault:?}: nothing is repeated");
    }
}

#[tokio::test]
async fn reads_are_repeated_until_they_succeed() {
    let lab = Lab::new().await;
    let study = lab.study(1).await;
    for fault in InjectedFault::ALL {
        let before = lab.waiting.delays().len();
        for _ in 0..3 {
            lab.fake.faults().on("GET studies/{id}/", fault);
        }
        assert_eq!(lab.market.listing(&study).await.unwrap().places, 1, "{fault:?}");
        let delays: Vec<u64> =
            lab.waiting.delays()[before..].iter().map(std::time::Duration::as_secs).collect();
        match fault {
            InjectedFault::Duplicated => assert_eq!(delays, [0; 0]),
            InjectedFault::Throttled => assert_eq!(delays, [2, 2, 2], "as the platform asks for"),
            _ => assert_eq!(delays, [1, 2, 4]),
        }
        lab.fake.faults().end();
    }
}

#[tokio::test]
async fn reads_that_keep_failing_are_unavailable() {
    for fault in [
        InjectedFault::HungBefore,
        InjectedFault::DroppedAfter,
        InjectedFault::FailedBefore,
        InjectedFault::Throttled,
    ] {
        let lab = Lab::new().await;
        let study = lab.study(1).await;
        lab.fake.faults().at_random(1, 1.0, 1_000, &[fault]);
        assert_eq!(kind(&lab.market.listing(&study).await.unwrap_err()), "unavailable", "{fault:?}");
        assert_eq!(kind(&lab.market.submissions(&study).await.unwrap_err()), "unavailable", "{fault:?}");
        assert_eq!(kind(&lab.market.find("a-mark").await.unwrap_err()), "unavailable", "{fault:?}");
        assert_eq!(lab.waiting.delays().len(), 9, "each of them was sent four times");
    }
}

#[tokio::test]
async fn nothing_has_happened_without_a_connection() {
    let lab = Lab::new().await;
    let study = lab.study(1).await;
    let person = lab.finished(&study, 1).remove(0);
    let submission = lab.submission(&study, &person).await;
    let Lab { market, served, .. } = lab;
    let url = served.as_ref().unwrap().url();
    drop(served);
    // The port is free as soon as the listener's task has ended.
    while tokio::net::TcpStream::connect(url.trim_start_matches("http://")).await.is_ok() {
        tokio::task::yield_now().await;
    }
    assert_eq!(kind(&market.approve(&submission).await.unwrap_err()), "unavailable");
    assert_eq!(kind(&market.listing(&study).await.unwrap_err()), "unavailable");
    let error = market.pay(&study, &[order(&person, 10_000)]).await.unwrap_err();
    assert_eq!(kind(&error), "unavailable");
    assert!(error.to_string().starts_with("Prolific cannot be reached to set up bonuses: "), "{error}");
}

#[tokio::test]
async fn a_wrong_token_is_refused() {
    let lab = Lab::new().await;
    let url = lab.served.as_ref().unwrap().url();
    let transport = HttpTransport::new(&url, Arc::new(lab.waiting.clone())).unwrap();
    let market = market(&url, "another token", Arc::new(transport), &lab.waiting);
    let error = market.listing("60aca280709ee40ec37d4885").await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "Prolific refused to read a study: status 401 (Unauthorized: Invalid token.): check the token"
    );
    assert_eq!(lab.waiting.delays().len(), 0, "repeating it would not help");
}
