//! A copy of a study that was restored from a backup, or runs next to the original, pays nothing again.

use hype_backends::crowd::recruiter::Recruiter;
use hype_core::{Amount, Streams, Study};

use crate::crashing_store::CrashingStore;
use crate::market::{Double, Kind, TestMarket};
use crate::recruited::{BASE, LONG_MS, PEOPLE, Worked, collected, recruiter, work_of};

const HOUR_MS: u64 = 3_600_000;

fn market(kind: Kind) -> TestMarket {
    let market = TestMarket::new(kind, BASE, Streams::new(1).stream("faults"), 0);
    for person in PEOPLE {
        market.submit(&work_of(person), person);
    }
    market
}

/// Lets everything happen that is due.
async fn settle(recruiter: &Recruiter, market: &TestMarket) -> Vec<String> {
    let mut problems = Vec::new();
    for _ in 0..4 {
        problems = recruiter.step(market.now()).await.unwrap().problems;
        market.forward(LONG_MS);
    }
    problems
}

fn paid(market: &TestMarket) -> Vec<(u32, Amount)> {
    PEOPLE.iter().map(|person| market.paid(&work_of(person))).collect()
}

async fn all_paid(kind: Kind, study: &Study, store: &CrashingStore) -> TestMarket {
    let market = market(kind);
    let original = recruiter(study, store, &market, None, "original").await;
    original.publish(0).await.unwrap();
    settle(&original, &market).await;
    market
}

/// Whatever the backup has of the ledger, and also after the platform has forgotten the tokens.
#[tokio::test]
async fn a_restored_copy_pays_nothing_again() {
    for kind in [Kind::Tokens, Kind::Blind] {
        let (study, store, worked) = collected().await;
        let market = all_paid(kind, &study, &store).await;
        let before = paid(&market);
        for (earned, got) in worked.iter().zip(&before) {
            assert_eq!(got.1, earned.bonus);
        }
        for entries in 0..=store.ledger_entries().await {
            let backup = store.backup(entries).await;
            market.forward(25 * HOUR_MS);
            let copy = recruiter(&study, &backup, &market.client(1), None, "copy").await;
            settle(&copy, &market).await;
            assert_eq!(paid(&market), before, "{kind:?}, a backup of {entries} entries");
            let audit = copy.audit(market.now()).await.unwrap();
            let is_known = audit.differences().next().is_none();
            assert!(is_known || kind == Kind::Blind, "{entries} entries: {audit:?}");
        }
    }
}

/// The next audit of either copy names what was paid twice in the window of one request.
#[tokio::test]
async fn copies_that_pay_at_the_same_moment_are_named_by_the_next_audit() {
    let (study, store, worked) = collected().await;
    let market = market(Kind::Blind);
    recruiter(&study, &store, &market, None, "first").await.publish(0).await.unwrap();
    for person in &PEOPLE[1..] {
        market.approve_by_itself(&work_of(person));
    }
    let backup = store.backup(usize::MAX).await;
    market.mix();
    let original = recruiter(&study, &store, &market, None, "original").await;
    let copy = recruiter(&study, &backup, &market.client(1), None, "copy").await;
    let (one, other) = tokio::join!(original.step(1), copy.step(1));
    assert!(one.is_ok() && other.is_ok(), "{one:?}, {other:?}");
    assert_eq!(market.widest_window(), 0, "nothing is requested between the last question and the payment");
    let raced = |Worked { bonus, .. }: &&Worked| *bonus > Amount(0);
    let doubles = market.doubles();
    assert_eq!(doubles.len(), worked.iter().filter(raced).count(), "{doubles:?}");
    assert!(doubles.iter().all(|Double { was_seen, .. }| !was_seen), "{doubles:?}");
    for recruiter in [&original, &copy] {
        let audit = recruiter.audit(market.now()).await.unwrap();
        let named: Vec<_> = audit.differences().map(|one| one.difference).collect();
        assert_eq!(named.len(), doubles.len());
        for difference in named {
            assert_eq!(serde_json::to_value(difference).unwrap(), "paid-twice");
        }
    }
}

/// Requests for bonuses of one study never overlap, however many processes pay: Prolific supports no concurrent ones.
#[tokio::test]
async fn bonuses_are_requested_one_at_a_time() {
    let (study, store, worked) = collected().await;
    let market = market(Kind::Blind);
    market.pay_singly();
    recruiter(&study, &store, &market, None, "first").await.publish(0).await.unwrap();
    market.mix();
    let one = recruiter(&study, &store, &market, None, "one").await;
    let other = recruiter(&study, &store, &market, None, "other").await;
    for _ in 0..6 {
        let (first, second) = tokio::join!(one.step(market.now()), other.step(market.now()));
        assert!(first.is_ok() && second.is_ok(), "{first:?}, {second:?}");
        market.forward(HOUR_MS);
    }
    assert_eq!((market.overlaps(), market.doubles()), (0, Vec::new()));
    for (person, Worked { bonus, .. }) in PEOPLE.iter().zip(&worked) {
        assert_eq!(market.paid(&work_of(person)).1, *bonus, "{person}");
    }
}

/// A platform that pays in the minutes after a request does not contradict the ledger meanwhile.
#[tokio::test]
async fn payments_sent_minutes_ago_are_on_their_way() {
    let (study, store, worked) = collected().await;
    let market = market(Kind::Blind);
    market.list_after(5 * 60_000);
    let recruiter = recruiter(&study, &store, &market, None, "writer").await;
    recruiter.publish(0).await.unwrap();
    recruiter.step(1).await.unwrap();
    let differences = async |unix_ms| {
        let audit = recruiter.audit(unix_ms).await.unwrap();
        audit.differences().map(|one| serde_json::to_value(one.difference).unwrap()).collect::<Vec<_>>()
    };
    let bonuses = worked.iter().filter(|worked| worked.bonus > Amount(0)).count();
    assert_eq!(differences(60_000).await, vec!["on-its-way"; bonuses]);
    // A bonus that is never listed is a difference in the end.
    assert_eq!(differences(3 * HOUR_MS).await, vec!["platform"; bonuses]);
    market.forward(5 * 60_000);
    assert_eq!(differences(market.now()).await, Vec::<serde_json::Value>::new());
}

/// The ledger of an operator who looks while another process pays is not behind.
#[tokio::test]
async fn reading_while_another_process_pays_reports_no_problem() {
    for kind in [Kind::Tokens, Kind::Blind] {
        let (study, store, _) = collected().await;
        let market = market(kind);
        recruiter(&study, &store, &market, None, "first").await.publish(0).await.unwrap();
        market.mix();
        let pays = recruiter(&study, &store, &market, None, "pays").await;
        let looking = async {
            for number in 0..24 {
                let looks =
                    recruiter(&study, &store, &market.client(1), None, &format!("looks {number}")).await;
                assert_eq!(looks.status(1).await.unwrap().problems, Vec::<String>::new(), "{kind:?}");
            }
        };
        let (paid, ()) = tokio::join!(pays.pay(1), looking);
        paid.unwrap();
    }
}

/// While one operator pays, the audit of another one finds agreement, or says what is on its way.
#[tokio::test]
async fn audits_of_two_operators_agree() {
    for kind in [Kind::Tokens, Kind::Blind] {
        let (study, store, _) = collected().await;
        let market = market(kind);
        recruiter(&study, &store, &market, None, "first").await.publish(0).await.unwrap();
        market.mix();
        let pays = recruiter(&study, &store, &market, None, "pays").await;
        let audits = recruiter(&study, &store, &market.client(1), None, "audits").await;
        let auditing = async {
            let mut found = Vec::new();
            for _ in 0..12 {
                let audit = audits.audit(1).await.unwrap();
                found.extend(audit.differences().map(|one| serde_json::to_value(one.difference).unwrap()));
            }
            found
        };
        let (paid, found) = tokio::join!(pays.pay(1), auditing);
        paid.unwrap();
        let allowed = ["on-its-way", "not-paid-yet"];
        assert!(found.iter().all(|one| allowed.iter().any(|allowed| one == allowed)), "{kind:?}: {found:?}");
        assert!(found.iter().any(|one| one == "on-its-way"), "{kind:?}: {found:?}");
        let audit = audits.audit(market.now()).await.unwrap();
        assert_eq!(audit.differences().count(), 0, "{kind:?}: {audit:?}");
    }
}
