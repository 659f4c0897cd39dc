//! Whatever breaks: one study is published, work is paid once, and what is unclear is not sent again.

use hype_backends::crowd::platform::{ListingAdmission, Platform as _, Settlement, SubmissionState};
use hype_fakes::faults::InjectedFault;
use hype_fakes::prolific::{NoEntry, ProlificSetup};

use super::support::{Lab, listing, order};

/// All faults but the one that no client can survive: a payment that another client repeats is made twice.
const FAULTS: [InjectedFault; 7] = [
    InjectedFault::HungBefore,
    InjectedFault::HungAfter,
    InjectedFault::DroppedBefore,
    InjectedFault::DroppedAfter,
    InjectedFault::FailedBefore,
    InjectedFault::FailedAfter,
    InjectedFault::Throttled,
];

/// Repeats a call until the platform answers.
macro_rules! sooner_or_later {
    ($call:expr) => {
        loop {
            if let Ok(answer) = $call.await {
                break answer;
            }
        }
    };
}

async fn run(seed: u64) {
    let lab = Lab::direct(ProlificSetup { page: 2, bonus_delay_ms: 60_000, ..ProlificSetup::default() });
    let (fake, market) = (&lab.fake, &lab.market);
    fake.faults().at_random(seed, 0.4, 60, &FAULTS);

    let study = loop {
        match sooner_or_later!(market.find("m1")) {
            Some(state) if state.admission == ListingAdmission::Open => break state.id,
            Some(state) => drop(market.admit(&state.id, ListingAdmission::Open).await),
            None => drop(market.create(&listing("m1", 3)).await),
        }
    };
    assert_eq!(fake.studies(), [&*study], "seed {seed}");

    let people = lab.finished(&study, 3);
    assert_eq!(fake.arrive(&study), Err(NoEntry::Closed));
    loop {
        let submissions = sooner_or_later!(market.submissions(&study));
        assert_eq!(submissions.len(), 3, "seed {seed}");
        let waiting = submissions.iter().filter(|one| one.state == SubmissionState::ToReview);
        let mut is_done = true;
        for one in waiting {
            is_done = false;
            drop(market.approve(one).await);
        }
        if is_done {
            break;
        }
    }
    for person in &people {
        let order = order(person, 120_000);
        // Sent again only after an answer by which nothing has happened.
        let result = loop {
            match market.pay(&study, std::slice::from_ref(&order)).await {
                Err(error) if error.is_retryable() => {}
                result => break result,
            }
        };
        fake.clock().advance(60_000);
        let paid = fake.paid()[&person.submission].clone();
        assert_eq!(paid.rewards, [150], "seed {seed}");
        assert!(paid.bonuses.len() <= 1, "seed {seed}: {paid:?}");
        let is_paid = paid.bonuses == [12];
        match sooner_or_later!(market.settle(&study, std::slice::from_ref(&order)))[0] {
            Settlement::Made => assert!(is_paid, "seed {seed}"),
            Settlement::Unknown => assert!(!is_paid && result.is_err(), "seed {seed}"),
            other => panic!("seed {seed}: {other:?}"),
        }
    }
    let payments = sooner_or_later!(market.payments(&study));
    let paid = fake.paid().values().map(|paid| paid.bonuses.len()).sum::<usize>();
    assert_eq!(payments.len(), paid, "seed {seed}");
}

#[tokio::test]
async fn five_hundred_schedules_of_faults() {
    for seed in 0..500 {
        run(seed).await;
    }
}
