//! Money follows decisions: while operators approve and reject, people return work, platforms approve by themselves, and requests
//! and processes fail, no work is paid twice, rejected or returned work is not paid, and the study does not pay beyond its limit.

use hype_backends::crowd::platform::SubmissionState;
use hype_backends::crowd::recruiter::{Audit, Disagreement, Recruiter};
use hype_core::{Amount, Stream, Streams, Study};

use crate::crashing_store::{Crash, CrashingStore};
use crate::market::{Kind, TestMarket};
use crate::proof::sized;
use crate::recruited::{BASE, LONG_MS, PEOPLE, Worked, for_all, recruiter, settle_by_hand, work_of};

/// Who has done something about the work of each person.
#[derive(Debug, Default)]
struct Deeds {
    /// The platform has approved it by itself.
    by_itself: [bool; PEOPLE.len()],
    /// Events so far, for messages.
    told: Vec<String>,
}

impl Deeds {
    /// An operator, a person or the platform does something, now and then.
    async fn happen(
        &mut self,
        draw: &mut Stream,
        recruiter: &Recruiter,
        market: &TestMarket,
        worked: &[Worked],
    ) {
        let place = draw.below(PEOPLE.len() as u32) as usize;
        let (work, session) = (work_of(PEOPLE[place]), &worked[place].session);
        // Operators are told if something cannot be done, and platforms may fail.
        match draw.below(12) {
            0 => {
                let carried = recruiter
                    .reject(session, "it is not the work of a person", "operator", market.now())
                    .await;
                self.told.push(format!("rejecting {}: {carried:?}", PEOPLE[place]));
            }
            1 => {
                let carried = recruiter.approve(session, "operator", market.now()).await;
                self.told.push(format!("approving {}: {carried:?}", PEOPLE[place]));
            }
            2 => {
                market.give_back(&work);
                self.told.push(format!("{} returns", PEOPLE[place]));
            }
            3 => {
                self.by_itself[place] |= market.approve_by_itself(&work);
                self.told.push(format!("the platform approves {}", PEOPLE[place]));
            }
            _ => {}
        }
    }

    /// Returns the payments of the platform that the study did not ask for, with fees.
    fn not_asked_for(&self, fee: Amount) -> Amount {
        let count = self.by_itself.iter().filter(|done| **done).count() as u64;
        BASE.plus(fee).times(count)
    }
}

/// One schedule. Returns how many payments an operator had to settle.
async fn schedule(
    study: &Study,
    collected: &CrashingStore,
    worked: &[Worked],
    (kind, number): (Kind, u64),
) -> u32 {
    let chance = Streams::new(number).child("decisions", 0);
    let (mut draw, mut of_deeds) = (chance.stream("schedule"), chance.stream("deeds"));
    let market = TestMarket::new(kind, BASE, chance.stream("faults"), draw.below(60));
    let limit = number.is_multiple_of(3).then(|| Amount(u64::from(1_000_000 + draw.below(6_000_000))));
    let store = collected.copy().await;
    for person in PEOPLE {
        market.submit(&work_of(person), person);
    }
    recruiter(study, &store, &market, None, "first").await.publish(0).await.unwrap();
    market.storm();
    let mut deeds = Deeds::default();
    let fee = crate::market::fees().on(BASE);
    let check = |when: &str, deeds: &Deeds| {
        for (person, Worked { bonus, .. }) in PEOPLE.iter().zip(worked) {
            let (rewards, paid) = market.paid(&work_of(person));
            let what = format!("{kind:?}, schedule {number}, {when}: {person} after {:?}", deeds.told);
            assert!(rewards <= 1, "{rewards} rewards: {what}");
            assert!(paid <= *bonus, "{paid} for {bonus}: {what}");
            let is_approved = market.state(&work_of(person)) == SubmissionState::Approved;
            assert!(is_approved || (rewards, paid) == (0, Amount(0)), "{rewards} and {paid}: {what}");
        }
        if let Some(limit) = limit {
            let most = limit.plus(deeds.not_asked_for(fee));
            assert!(
                market.cost() <= most,
                "{kind:?}, schedule {number}, {when}: {} of {limit}",
                market.cost()
            );
        }
    };
    for process in 0..1 + draw.below(4) {
        let crash = match draw.below(3) {
            0 => Crash::Never,
            _ => Crash::At { append: draw.below(12), after: draw.below(2) == 0 },
        };
        let alive = store.process(crash);
        let own = recruiter(study, &alive, &market, limit, &format!("{process}a")).await;
        let other = recruiter(study, &store, &market, limit, &format!("{process}b")).await;
        for _ in 0..1 + draw.below(6) {
            let now = market.now();
            if draw.below(4) == 0 {
                let deed = deeds.happen(&mut of_deeds, &other, &market, worked);
                let _ = tokio::join!(own.step(now), deed);
            } else {
                deeds.happen(&mut of_deeds, &other, &market, worked).await;
                let _ = own.step(now).await;
            }
            check("on the way", &deeds);
            if alive.has_crashed() {
                break;
            }
            market.forward([10_000, 60_000, 3_600_000, 90_000_000][draw.below(4) as usize]);
        }
    }
    market.calm();
    let last = recruiter(study, &store, &market, limit, "last").await;
    let mut unclear = 0;
    for _ in 0..2 {
        for _ in 0..4 {
            market.forward(LONG_MS);
            last.step(market.now()).await.unwrap();
        }
        check("after the faults", &deeds);
        unclear += settle_by_hand(&last, &market, worked, (kind, number)).await;
    }
    check("at the end", &deeds);
    agree(&last.audit(market.now()).await.unwrap(), &last, (&deeds, limit, number), worked).await;
    if limit.is_none() {
        for (place, (person, Worked { bonus, session, .. })) in PEOPLE.iter().zip(worked).enumerate() {
            let ledger = last.ledger().await.unwrap();
            let is_rejected = ledger.rejections().contains_key(&**session);
            let (rewards, paid) = market.paid(&work_of(person));
            let what = format!("schedule {number}: {person} after {:?}", deeds.told);
            match market.state(&work_of(person)) {
                SubmissionState::Approved => {
                    assert!(
                        rewards == 1 && (paid == *bonus || is_rejected && deeds.by_itself[place]),
                        "{what}"
                    );
                }
                // Who left before anything was earned waits for an operator.
                SubmissionState::ToReview => assert!(*bonus == Amount(0) && !is_rejected, "{what}"),
                SubmissionState::Rejected => assert!(is_rejected, "{what}"),
                state => assert_eq!(state, SubmissionState::Returned, "{what}"),
            }
        }
    }
    unclear
}

/// Ledger, logs and platform agree, other than by decisions and by the limit.
async fn agree(
    audit: &Audit,
    recruiter: &Recruiter,
    (deeds, limit, number): (&Deeds, Option<Amount>, u64),
    worked: &[Worked],
) {
    let ledger = recruiter.ledger().await.unwrap();
    for one in audit.differences() {
        let place = worked.iter().position(|worked| worked.session == *one.payment.session).unwrap();
        let is_rejected = ledger.rejections().contains_key(&one.payment.session);
        let is_explained = match one.difference.unwrap() {
            Disagreement::Rejected => is_rejected,
            Disagreement::Returned => !is_rejected,
            // An operator has approved work for which nothing was earned, or the platform has.
            Disagreement::MoreThanEarned => worked[place].base == Amount(0),
            Disagreement::NotPaidYet => limit.is_some(),
            // The platform was faster than the rejection.
            Disagreement::Platform => is_rejected && deeds.by_itself[place],
            _ => false,
        };
        assert!(is_explained, "schedule {number}: {one:?} after {:?}", deeds.told);
    }
}

async fn decided(kind: Kind) -> u32 {
    for_all(sized(300, 100_000), async |study, collected, worked, number| {
        schedule(study, collected, worked, (kind, number)).await
    })
    .await
}

#[tokio::test]
async fn payments_with_tokens_follow_decisions() {
    assert_eq!(decided(Kind::Tokens).await, 0);
}

#[tokio::test]
async fn payments_without_tokens_follow_decisions() {
    assert!(decided(Kind::Blind).await > 0);
}
