//! Money is paid once by any number of copies of a study, under any schedule of restored backups, copies that run next to each other,
//! settings that change between runs, crashes and faults. At a platform without tokens a payment is made twice only in the window
//! between the last question and the request that pays; the next audit of every copy names it.

use std::cell::Cell;
use std::collections::BTreeSet;

use hype_backends::crowd::recruiter::{Disagreement, Recruiter};
use hype_backends::crowd::settings::Finished;
use hype_core::{Amount, Stream, Streams, Study};

use crate::crashing_store::{Crash, CrashingStore};
use crate::market::{Fault, Kind, TestMarket};
use crate::proof::sized;
use crate::recruited::{
    BASE, LONG_MS, PEOPLE, Worked, collected, for_all, recruiter, recruiter_with, recruiting, settle_by_hand,
    work_of,
};

/// The most copies of a study.
const COPIES: usize = 4;

/// The copies of a study, and where they are paid.
struct Copies<'a> {
    study: &'a Study,
    worked: &'a [Worked],
    market: TestMarket,
    stores: Vec<CrashingStore>,
    kind: Kind,
    number: u64,
}

impl Copies<'_> {
    /// Restores a backup of some moment.
    async fn restore(&mut self, draw: &mut Stream) {
        let of = &self.stores[draw.below(self.stores.len() as u32) as usize];
        let entries = of.ledger_entries().await;
        let kept = draw.below(1 + entries as u32) as usize;
        let backup = of.backup(kept).await;
        self.stores.push(backup);
    }

    /// A process of a copy, with settings as they are now, that ends at some moment.
    async fn process(&self, copy: usize, turn: u32, draw: &mut Stream) -> (CrashingStore, Recruiter) {
        let crash = match draw.below(3) {
            0 => Crash::At { append: draw.below(12), after: draw.below(2) == 0 },
            _ => Crash::Never,
        };
        let store = self.stores[copy].process(crash);
        let market = self.market.client(turn);
        let limit = (draw.below(3) == 0).then(|| Amount(u64::from(1_000_000 + draw.below(6_000_000))));
        let mut settings = recruiting(market.facts(), limit);
        if draw.below(4) == 0 {
            settings.review.finished = Finished::Hold;
        }
        let writer = format!("writer {turn}");
        let recruiter = recruiter_with(self.study, &store, &market, settings, &writer).await;
        (store, recruiter)
    }

    /// Checks what has to hold at any moment.
    fn check(&self, when: &str) {
        let Self { kind, number, .. } = self;
        let doubles = self.market.doubles();
        let what = format!("{kind:?}, schedule {number}, {when}");
        let is_race = *kind == Kind::Blind && doubles.iter().all(|double| !double.was_seen);
        assert!(doubles.is_empty() || is_race, "{what}: {doubles:?}");
        for (person, Worked { base, bonus, .. }) in PEOPLE.iter().zip(self.worked) {
            let (rewards, paid) = self.market.paid(&work_of(person));
            assert!(rewards <= u32::from(*base > Amount(0)), "{what}: {person} got {rewards} rewards");
            let is_double = doubles.iter().any(|double| *double.submission == *work_of(person));
            assert!(paid <= *bonus || is_double, "{what}: {person} got {paid} for {bonus}");
        }
        if *kind == Kind::Blind {
            assert_eq!(self.market.widest_window(), 0, "{what}: requests between question and payment");
        }
    }

    /// Lets every copy come to its end, and an operator look at the platform for what cannot be known. Returns how often one did.
    async fn end(&self) -> u32 {
        let mut settled = 0;
        let mut ends = Vec::new();
        for (copy, store) in self.stores.iter().enumerate() {
            let market = self.market.client(1_000 + copy as u32);
            let last = recruiter(self.study, store, &market, None, &format!("last {copy}")).await;
            for _ in 0..2 {
                for _ in 0..4 {
                    market.forward(LONG_MS);
                    last.step(market.now()).await.unwrap();
                }
                settled += settle_by_hand(&last, &market, self.worked, (self.kind, self.number)).await;
            }
            ends.push(last);
        }
        self.check("at the end");
        for last in &ends {
            self.agree(last).await;
        }
        settled
    }

    /// All received their earnings, and a copy's audit names double payments and nothing else.
    async fn agree(&self, last: &Recruiter) {
        let number = self.number;
        let doubles: BTreeSet<_> =
            self.market.doubles().into_iter().map(|double| double.submission).collect();
        let audit = last.audit(self.market.now()).await.unwrap();
        let named: Vec<_> = audit.differences().map(|one| (&one.payment.session, one.difference)).collect();
        for (person, Worked { session, base, bonus }) in PEOPLE.iter().zip(self.worked) {
            let (rewards, paid) = self.market.paid(&work_of(person));
            assert_eq!(rewards, u32::from(*base > Amount(0)), "schedule {number}: {person}");
            let differences: Vec<_> = named.iter().filter(|(of, _)| ***of == **session).collect();
            if doubles.contains(&*work_of(person)) {
                assert!(paid > *bonus, "schedule {number}: {person}");
                let is_named = matches!(differences[..], [(_, Some(Disagreement::PaidTwice))]);
                assert!(is_named, "schedule {number}: {person}: {differences:?}");
            } else {
                assert_eq!(paid, *bonus, "schedule {number}: {person}");
                assert!(differences.is_empty(), "schedule {number}: {person}: {differences:?}");
            }
        }
    }
}

/// One schedule. Returns how many payments an operator had to settle, and how many were made twice.
async fn schedule(
    study: &Study,
    collected: &CrashingStore,
    worked: &[Worked],
    (kind, number): (Kind, u64),
) -> (u32, usize) {
    let chance = Streams::new(number).child("copies", 0);
    let mut draw = chance.stream("schedule");
    let market = TestMarket::new(kind, BASE, chance.stream("faults"), draw.below(60));
    let store = collected.copy().await;
    for person in PEOPLE {
        market.submit(&work_of(person), person);
    }
    recruiter(study, &store, &market, None, "first").await.publish(0).await.unwrap();
    market.mix();
    market.storm();
    let mut copies = Copies { study, worked, market, stores: vec![store], kind, number };
    let mut processes = 0;
    for _ in 0..2 + draw.below(4) {
        if copies.stores.len() < COPIES && draw.below(2) == 0 {
            copies.restore(&mut draw).await;
        }
        let count = copies.stores.len() as u32;
        let [one, other] = [(); 2].map(|()| draw.below(count) as usize);
        processes += 2;
        let (alive, own) = copies.process(one, processes, &mut draw).await;
        let (also_alive, others) = copies.process(other, processes + 1, &mut draw).await;
        for _ in 0..1 + draw.below(4) {
            let now = copies.market.now();
            match draw.below(3) {
                0 => drop(tokio::join!(own.step(now), others.step(now))),
                1 => drop(own.step(now).await),
                _ => drop(others.step(now).await),
            }
            copies.check("on the way");
            if alive.has_crashed() && also_alive.has_crashed() {
                break;
            }
            copies.market.forward([10_000, 60_000, 3_600_000, 90_000_000][draw.below(4) as usize]);
        }
    }
    copies.market.calm();
    (copies.end().await, copies.market.doubles().len())
}

/// Half of the schedules. Returns how many payments an operator had to settle, and how many were made twice.
async fn half_of_the_schedules(kind: Kind) -> (u32, usize) {
    let doubles = Cell::new(0);
    let settled = for_all(sized(200, 500_000), async |study, collected, worked, number| {
        let (settled, more) = schedule(study, collected, worked, (kind, number)).await;
        doubles.set(doubles.get() + more);
        settled
    });
    (settled.await, doubles.get())
}

#[tokio::test]
async fn copies_with_tokens_pay_everyone_once() {
    assert_eq!(half_of_the_schedules(Kind::Tokens).await, (0, 0));
}

#[tokio::test]
async fn copies_without_tokens_name_double_payments() {
    let (settled, doubles) = half_of_the_schedules(Kind::Blind).await;
    assert!(settled > 0 && doubles > 0, "{settled} settled, {doubles} made twice: the window is tried");
}

/// Every order of outcomes of the first requests that change something.
#[tokio::test]
async fn refusals_in_every_order_pay_once() {
    use Fault::{Late, LostAfter, LostBefore, Nothing, Refused, Unavailable};
    const OUTCOMES: [Fault; 6] = [Nothing, Refused, Unavailable, LostBefore, LostAfter, Late];
    let requests = sized(3, 6);
    let (study, collected, worked) = collected().await;
    for kind in [Kind::Tokens, Kind::Blind] {
        for order in 0..6_u64.pow(requests) {
            let market = TestMarket::new(kind, BASE, Streams::new(order).stream("faults"), 0);
            for person in PEOPLE {
                market.submit(&work_of(person), person);
            }
            let store = collected.copy().await;
            recruiter(&study, &store, &market, None, "first").await.publish(0).await.unwrap();
            market.script((0..requests).map(|at| OUTCOMES[(order / 6_u64.pow(at) % 6) as usize]));
            let own = recruiter(&study, &store, &market, None, "own").await;
            let mut settled = 0;
            for _ in 0..8 {
                own.step(market.now()).await.unwrap();
                market.forward(60_000);
            }
            market.calm();
            let stores = vec![store.backup(0).await, store];
            let copies = Copies { study: &study, worked: &worked, market, stores, kind, number: order };
            settled += copies.end().await;
            assert!(kind == Kind::Blind || settled == 0, "order {order}");
            assert_eq!(copies.market.doubles(), [], "order {order}");
        }
    }
}
