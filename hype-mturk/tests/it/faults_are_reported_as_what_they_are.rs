use hype_backends::crowd::platform::*;
use hype_fakes::clock::FakeClock;
use hype_fakes::faults::{FaultPlan, InjectedFault};
use hype_mturk::MechanicalTurkSettings;

use crate::bench::{ACCESS_KEY, Bench, SECRET_KEY, client, worker};

/// The outcome of a call with a fault.
#[derive(Debug, PartialEq, Eq)]
enum Outcome {
    Done,
    Unavailable,
    Unclear,
}

fn outcome<T>(result: &Result<T, PlatformError>) -> Outcome {
    match result {
        Ok(_) => Outcome::Done,
        Err(error) if error.is_retryable() => Outcome::Unavailable,
        Err(error) if error.is_unclear() => Outcome::Unclear,
        Err(error) => panic!("{error}"),
    }
}

/// Returns the outcome of a call that changes something.
fn of_change(fault: InjectedFault) -> Outcome {
    match fault {
        InjectedFault::Duplicated => Outcome::Done,
        InjectedFault::Throttled => Outcome::Unavailable,
        _ => Outcome::Unclear,
    }
}

/// Returns the outcome of a call that, by its token, is carried out once however often it is sent.
fn of_token(fault: InjectedFault) -> Outcome {
    if fault == InjectedFault::Throttled { Outcome::Done } else { of_change(fault) }
}

/// Returns the outcome of a call that changes nothing.
fn of_read(fault: InjectedFault) -> Outcome {
    match fault {
        InjectedFault::Duplicated | InjectedFault::Throttled => Outcome::Done,
        _ => Outcome::Unavailable,
    }
}

/// A service that is asked too often says so, and is asked again after pauses that grow. A change without a token is left to the
/// caller.
#[tokio::test]
async fn throttled_calls_are_repeated_unless_they_could_act_twice() {
    let bench = Bench::new().await;
    let hit = bench.create("mark", 2).await;
    bench.hand_in(&hit, &worker(0));
    let submission = bench.submission(&hit, &worker(0)).await;
    let throttled =
        |operation, times| (0..times).for_each(|_| bench.faults.on(operation, InjectedFault::Throttled));
    throttled("ListAssignmentsForHIT", 3);
    let before = bench.clock.unix_ms();
    assert_eq!(outcome(&bench.market.submissions(&hit).await), Outcome::Done);
    let waited = bench.clock.unix_ms() - before;
    assert!((3_500..=7_000).contains(&waited), "one, two and four seconds, less up to a half: {waited} ms");
    throttled("GetHIT", 4);
    assert_eq!(outcome(&bench.market.listing(&hit).await), Outcome::Unavailable, "it gives up in the end");
    throttled("SendBonus", 2);
    assert_eq!(
        outcome(&bench.market.pay(&hit, &[bench.order(&submission, "token", 150)]).await),
        Outcome::Done
    );
    assert_eq!(bench.fake.paid().bonuses.len(), 1);
    throttled("ApproveAssignment", 1);
    assert_eq!(outcome(&bench.market.approve(&submission).await), Outcome::Unavailable);
    bench.passes();
}

#[tokio::test]
async fn reading_can_be_repeated_after_every_fault() {
    for fault in InjectedFault::ALL {
        let bench = Bench::new().await;
        let hit = bench.create("mark", 1).await;
        bench.hand_in(&hit, &worker(0));
        let order = bench.order(&bench.submission(&hit, &worker(0)).await, "token", 100);
        let market = &bench.market;
        let breaks = |operation| bench.faults.on(operation, fault);
        breaks("ListHITs");
        assert_eq!(outcome(&market.find("mark").await), of_read(fault), "{fault:?}");
        breaks("GetHIT");
        assert_eq!(outcome(&market.listing(&hit).await), of_read(fault), "{fault:?}");
        breaks("ListAssignmentsForHIT");
        assert_eq!(outcome(&market.submissions(&hit).await), of_read(fault), "{fault:?}");
        breaks("ListBonusPayments");
        assert_eq!(
            outcome(&market.settle(&hit, std::slice::from_ref(&order)).await),
            of_read(fault),
            "{fault:?}"
        );
        breaks("ListBonusPayments");
        assert_eq!(outcome(&market.payments(&hit).await), of_read(fault), "{fault:?}");
        assert_eq!(bench.faults.happened().len(), 5);
        bench.passes();
    }
}

#[tokio::test]
async fn a_hit_whose_creation_is_unclear_is_found_by_its_mark() {
    for fault in InjectedFault::ALL {
        let bench = Bench::new().await;
        let listing = bench.listing("mark", 9);
        // Nothing can be seen of a HIT type without a HIT.
        bench.faults.on("CreateHITType", fault);
        assert_eq!(outcome(&bench.market.create(&listing).await), of_read(fault), "{fault:?}");
        let bench = Bench::new().await;
        bench.faults.on("CreateHITWithHITType", fault);
        let created = bench.market.create(&listing).await;
        assert_eq!(outcome(&created), of_token(fault), "{fault:?}");
        let found = bench.market.find("mark").await.unwrap();
        assert_eq!(found.is_some(), created.is_ok() || fault.deliveries() > 0, "{fault:?}");
        let created = bench.market.create(&listing).await.unwrap();
        assert_eq!(bench.fake.hits(), [created.id.to_string()], "{fault:?}");
        bench.passes();
    }
}

#[tokio::test]
async fn work_whose_decision_is_unclear_says_its_state() {
    for fault in InjectedFault::ALL {
        let bench = Bench::new().await;
        let hit = bench.create("mark", 2).await;
        bench.hand_in(&hit, &worker(0));
        bench.hand_in(&hit, &worker(1));
        let approved = bench.submission(&hit, &worker(0)).await;
        let rejected = bench.submission(&hit, &worker(1)).await;
        bench.faults.on("ApproveAssignment", fault);
        bench.faults.on("RejectAssignment", fault);
        assert_eq!(outcome(&bench.market.approve(&approved).await), of_change(fault), "{fault:?}");
        assert_eq!(
            outcome(&bench.market.reject(&rejected, "No answers.").await),
            of_change(fault),
            "{fault:?}"
        );
        let states = async || {
            let states = bench.market.submissions(&hit).await.unwrap();
            states.iter().map(|one| one.state).collect::<Vec<_>>()
        };
        let decided = [SubmissionState::Approved, SubmissionState::Rejected];
        let open = [SubmissionState::ToReview; 2];
        assert_eq!(states().await, if fault.deliveries() > 0 { decided } else { open }, "{fault:?}");
        bench.market.approve(&approved).await.unwrap();
        bench.market.reject(&rejected, "No answers.").await.unwrap();
        assert_eq!(states().await, decided);
        let paid = bench.fake.paid();
        assert_eq!((paid.rewards.len(), paid.balance), (1, 1_000_000 - 120), "{fault:?}");
        bench.passes();
    }
}

/// Where the service refuses a decision and does not say what it decided before, that is unclear.
#[tokio::test]
async fn a_repeated_decision_that_cannot_be_looked_up_is_unclear() {
    let bench = Bench::new().await;
    let hit = bench.create("mark", 1).await;
    bench.hand_in(&hit, &worker(0));
    let submission = bench.submission(&hit, &worker(0)).await;
    bench.market.approve(&submission).await.unwrap();
    bench.faults.on("GetAssignment", InjectedFault::FailedBefore);
    assert_eq!(outcome(&bench.market.approve(&submission).await), Outcome::Unclear);
}

#[tokio::test]
async fn a_bonus_that_is_unclear_is_settled_by_asking() {
    for fault in InjectedFault::ALL {
        let bench = Bench::new().await;
        let hit = bench.create("mark", 1).await;
        bench.hand_in(&hit, &worker(0));
        let order = bench.order(&bench.submission(&hit, &worker(0)).await, "token", 150);
        let orders = [order.clone()];
        bench.faults.on("SendBonus", fault);
        let paid = bench.market.pay(&hit, &orders).await;
        assert_eq!(outcome(&paid), of_token(fault), "{fault:?}");
        let settled = bench.market.settle(&hit, std::slice::from_ref(&order)).await;
        let expected =
            if paid.is_ok() || fault.deliveries() > 0 { Settlement::Made } else { Settlement::NotMade };
        assert_eq!(settled, Ok(vec![expected]), "{fault:?}");
        if expected == Settlement::NotMade {
            bench.market.pay(&hit, &orders).await.unwrap();
        }
        // Even if it is sent again within a day.
        bench.market.pay(&hit, &orders).await.unwrap();
        let paid = bench.fake.paid();
        assert_eq!((paid.bonuses.len(), paid.balance), (1, 1_000_000 - 180), "{fault:?}");
        bench.passes();
    }
}

#[tokio::test]
async fn idempotent_requests_can_be_repeated_after_every_fault() {
    for fault in InjectedFault::ALL {
        let bench = Bench::new().await;
        let market = &bench.market;
        let hit = bench.create("mark", 3).await;
        let breaks = |operation| bench.faults.on(operation, fault);
        breaks("CreateAdditionalAssignmentsForHIT");
        assert_eq!(outcome(&market.resize(&hit, 9).await), of_token(fault), "{fault:?}");
        market.resize(&hit, 9).await.unwrap();
        assert_eq!(market.listing(&hit).await.unwrap().places, 9, "{fault:?}");
        bench.hand_in(&hit, &worker(0));
        market.approve(&bench.submission(&hit, &worker(0)).await).await.unwrap();
        for admission in [ListingAdmission::Paused, ListingAdmission::Open] {
            breaks("UpdateExpirationForHIT");
            assert_eq!(outcome(&market.admit(&hit, admission).await), of_change(fault), "{fault:?}");
            market.admit(&hit, admission).await.unwrap();
            assert_eq!(market.listing(&hit).await.unwrap().admission, admission, "{fault:?}");
        }
        let unused = bench.create("unused", 1).await;
        breaks("DeleteHIT");
        assert_eq!(
            outcome(&market.admit(&unused, ListingAdmission::Closed).await),
            of_change(fault),
            "{fault:?}"
        );
        market.admit(&unused, ListingAdmission::Closed).await.unwrap();
        assert_eq!(bench.fake.hits(), [hit.to_string()], "{fault:?}");
        breaks("CreateQualificationType");
        assert_eq!(outcome(&market.add_to_pool("pool", &[&worker(0)]).await), of_read(fault), "{fault:?}");
        breaks("AssociateQualificationWithWorker");
        assert_eq!(outcome(&market.add_to_pool("pool", &[&worker(0)]).await), of_change(fault), "{fault:?}");
        market.add_to_pool("pool", &[&worker(0)]).await.unwrap();
        assert_eq!(bench.fake.qualified("pool").len(), 1, "{fault:?}");
        assert_eq!(bench.faults.happened().len(), 6, "{fault:?}");
        bench.passes();
    }
}

#[tokio::test]
async fn a_service_that_is_not_there_was_told_nothing() {
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let market = client(
        MechanicalTurkSettings::default(),
        &format!("http://{free}"),
        SECRET_KEY,
        &FakeClock::default(),
        &FaultPlan::default(),
    );
    assert_eq!(outcome(&market.find("mark").await), Outcome::Unavailable);
    let bench = Bench::new().await;
    let hit = bench.create("mark", 1).await;
    bench.hand_in(&hit, &worker(0));
    let submission = bench.submission(&hit, &worker(0)).await;
    let orders = [bench.order(&submission, "token", 100)];
    assert_eq!(outcome(&market.pay(&hit, &orders).await), Outcome::Unavailable);
    assert_eq!(outcome(&market.approve(&submission).await), Outcome::Unavailable);
}

#[tokio::test]
async fn messages_contain_no_name_and_no_key() {
    let bench = Bench::new().await;
    let hit = bench.create("mark", 2).await;
    bench.hand_in(&hit, &worker(0));
    let submission = bench.submission(&hit, &worker(0)).await;
    let mut errors = Vec::new();
    for fault in InjectedFault::ALL {
        bench.faults.on("ApproveAssignment", fault);
        errors.extend(bench.market.approve(&submission).await.err());
    }
    errors.extend(bench.market.reject(&submission, "No.").await.err());
    let of_another = Submission { id: "3UNKNOWNASSIGNMENT".into(), ..submission.clone() };
    errors.extend(bench.market.approve(&of_another).await.err());
    let order = PaymentOrder { participant: worker(1).into(), ..bench.order(&submission, "t", 1) };
    errors.extend(bench.market.pay(&hit, &[order]).await.err());
    errors.extend(bench.market.listing("3UNKNOWNHIT").await.err());
    errors.extend(bench.with_secret("another").find("mark").await.err());
    assert!(errors.len() > 8, "{errors:?}");
    let texts: Vec<_> = errors.iter().map(|error| format!("{error} {error:?}")).collect();
    let shown = format!("{:?}", bench.market);
    for text in texts.iter().chain([&shown]) {
        let secrets = [
            &*submission.id,
            &*hit,
            &worker(0),
            &worker(1),
            "3UNKNOWNASSIGNMENT",
            "3UNKNOWNHIT",
            ACCESS_KEY,
            SECRET_KEY,
        ];
        for secret in secrets {
            assert!(!text.contains(secret), "{text}");
        }
    }
}
