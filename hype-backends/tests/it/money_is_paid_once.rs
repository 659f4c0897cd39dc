//! Money is paid once, under any schedule of crashes and faults: what was earned is paid, nothing is paid twice, the limit is never
//! passed, and what cannot be known is unclear and not sent again.

use hype_backends::crowd::platform::SubmissionState;
use hype_core::protocol::ledger::PaymentState;
use hype_core::{Amount, Streams, Study};

use crate::crashing_store::{Crash, CrashingStore};
use crate::market::{Fault, Kind, TestMarket};
use crate::proof::sized;
use crate::recruited::{
    BASE, LONG_MS, PEOPLE, Worked, collected, for_all, recruiter, settle_by_hand, work_of,
};

/// One schedule of crashes and faults. Returns how many payments were unclear at its end.
async fn schedule(
    study: &Study,
    collected: &CrashingStore,
    worked: &[Worked],
    (kind, number): (Kind, u64),
) -> u32 {
    let chance = Streams::new(number);
    let mut draw = chance.stream("schedule");
    let market = TestMarket::new(kind, BASE, chance.stream("faults"), 10 + draw.below(60));
    // Every third schedule has a limit that stops somewhere on the way.
    let limit = number.is_multiple_of(3).then(|| Amount(u64::from(1_000_000 + draw.below(6_000_000))));
    let store = collected.copy().await;
    for person in PEOPLE {
        market.submit(&work_of(person), person);
    }
    recruiter(study, &store, &market, None, "first").await.publish(0).await.unwrap();
    market.storm();
    let check = |when: &str| {
        for (person, Worked { base, bonus, .. }) in PEOPLE.iter().zip(worked) {
            let (rewards, paid) = market.paid(&work_of(person));
            assert!(rewards <= 1, "schedule {number}, {when}: {person} got {rewards} rewards");
            assert!(
                u64::from(rewards) * BASE.0 <= base.0,
                "schedule {number}, {when}: {person} earned no reward"
            );
            assert!(paid <= *bonus, "schedule {number}, {when}: {person} got {paid} for {bonus}");
        }
        if let Some(limit) = limit {
            assert!(market.cost() <= limit, "schedule {number}, {when}: {} of {limit}", market.cost());
        }
    };
    for process in 0..1 + draw.below(5) {
        let crash = match draw.below(4) {
            0 => Crash::Never,
            _ => Crash::At { append: draw.below(12), after: draw.below(2) == 0 },
        };
        let alive = store.process(crash);
        // Sometimes two processes do the same at once.
        let own = recruiter(study, &alive, &market, limit, &format!("{process}a")).await;
        let other = recruiter(study, &store, &market, limit, &format!("{process}b")).await;
        for _ in 0..1 + draw.below(5) {
            let now = market.now();
            if draw.below(4) == 0 {
                let _ = tokio::join!(own.step(now), other.step(now));
            } else {
                let _ = own.step(now).await;
            }
            check("on the way");
            if alive.has_crashed() {
                break;
            }
            let pause = [10_000, 60_000, 3_600_000, 90_000_000][draw.below(4) as usize];
            market.forward(pause);
        }
    }
    market.calm();
    let last = recruiter(study, &store, &market, limit, "last").await;
    for _ in 0..4 {
        market.forward(LONG_MS);
        last.step(market.now()).await.unwrap();
    }
    check("after the faults");
    let unclear = settle_by_hand(&last, &market, worked, (kind, number)).await;
    for _ in 0..4 {
        market.forward(LONG_MS);
        last.step(market.now()).await.unwrap();
    }
    check("at the end");
    if limit.is_none() {
        for (person, Worked { base, bonus, .. }) in PEOPLE.iter().zip(worked) {
            let expected = (u32::from(*base > Amount(0)), *bonus);
            assert_eq!(market.paid(&work_of(person)), expected, "schedule {number}: {person} at the end");
        }
        let audit = last.audit(market.now()).await.unwrap();
        assert_eq!(audit.differences().collect::<Vec<_>>(), Vec::<&_>::new(), "schedule {number}");
        assert_eq!(Some(audit.ledger), audit.platform);
        assert_eq!(audit.ledger, audit.earned);
    }
    let listings = last.ledger().await.unwrap().listings().len();
    assert_eq!(listings, market.listings(), "schedule {number}: no listing was created twice");
    unclear
}

/// Half of the schedules. Returns how many payments were unclear at their ends.
async fn half_of_the_schedules(kind: Kind) -> u32 {
    for_all(sized(600, 500_000), async |study, collected, worked, number| {
        assert!(worked[1..].iter().all(|one| one.base == BASE && one.bonus > Amount(0)), "{worked:?}");
        let earned = (worked[0].base, worked[0].bonus);
        assert_eq!(earned, (Amount(0), Amount(0)), "who left at once has earned nothing");
        schedule(study, collected, worked, (kind, number)).await
    })
    .await
}

/// At a platform that knows tokens and lists payments at once, as Mechanical Turk does, everything can be known.
#[tokio::test]
async fn failures_with_tokens_pay_everyone_once() {
    assert_eq!(half_of_the_schedules(Kind::Tokens).await, 0);
}

/// At a platform that pays again if a request is repeated, as Prolific does, some payments are unclear.
#[tokio::test]
async fn failures_without_tokens_pay_everyone_once() {
    assert!(half_of_the_schedules(Kind::Blind).await > 0);
}

/// A payment that the platform keeps refusing is tried less and less often, operators read why, and it is made as soon as they ask.
#[tokio::test]
async fn payments_refused_repeatedly_are_made_in_the_end() {
    let (study, store, worked) = collected().await;
    let market = TestMarket::new(Kind::Tokens, BASE, Streams::new(1).stream("faults"), 0);
    for person in PEOPLE {
        market.submit(&work_of(person), person);
        market.set(&work_of(person), SubmissionState::Approved);
    }
    let recruiter = recruiter(&study, &store, &market, None, "writer").await;
    recruiter.publish(0).await.unwrap();
    let mut problems = Vec::new();
    for _ in 0..24 * 60 {
        market.fail_next("pay a bonus", Fault::Refused);
        market.forward(60_000);
        problems = recruiter.step(market.now()).await.unwrap().problems;
    }
    let ledger = recruiter.ledger().await.unwrap();
    let failed: Vec<_> =
        ledger.payments().iter().filter(|(_, payment)| payment.state != PaymentState::Confirmed).collect();
    let [(key, payment)] = &failed[..] else {
        panic!("the first payment of each step is refused: {failed:?}")
    };
    assert!((12..20).contains(&payment.sendings), "{key} was sent {} times in a day", payment.sendings);
    assert!(problems.iter().any(|problem| problem.starts_with(&format!("{key} was sent "))), "{problems:?}");
    market.fail_next("pay a bonus", Fault::Nothing);
    recruiter.pay(market.now()).await.unwrap();
    for (person, Worked { bonus, .. }) in PEOPLE.iter().zip(&worked) {
        assert_eq!(market.paid(&work_of(person)).1, *bonus, "{person}");
    }
}

/// The reward of work that was approved at the platform by someone else is in the ledger, and its bonus is paid.
#[tokio::test]
async fn work_approved_by_others_is_in_the_ledger() {
    let (study, store, worked) = collected().await;
    let market = TestMarket::new(Kind::Tokens, BASE, Streams::new(1).stream("faults"), 0);
    for person in PEOPLE {
        market.submit(&work_of(person), person);
    }
    let recruiter = recruiter(&study, &store, &market, None, "writer").await;
    recruiter.publish(0).await.unwrap();
    market.set(&work_of(PEOPLE[1]), SubmissionState::Approved);
    recruiter.step(1).await.unwrap();
    let ledger = recruiter.ledger().await.unwrap();
    assert_eq!(ledger.payments().len(), 6, "three rewards and three bonuses: {ledger:?}");
    assert!(ledger.payments().values().all(|payment| payment.state == PaymentState::Confirmed));
    assert_eq!(market.paid(&work_of(PEOPLE[1])).1, worked[1].bonus);
}
