use std::collections::BTreeSet;

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;

fn key(session: &str, purpose: PaymentPurpose) -> PaymentKey {
    PaymentKey { session: session.into(), purpose }
}

fn due(session: &str, purpose: PaymentPurpose, amount: u64, fee: u64) -> Due {
    Due { payment: key(session, purpose), rater: "r1".into(), amount: Amount(amount), fee: Amount(fee) }
}

fn entry(unix_ms: u64, change: LedgerChange) -> LedgerEntry {
    LedgerEntry { id: format!("w-{unix_ms}").into(), unix_ms, change }
}

fn ledger(changes: impl IntoIterator<Item = LedgerChange>) -> Ledger {
    Ledger::of((0..).zip(changes).map(|(number, change)| entry(number, change)))
}

/// The changes of a payment's state by the names of the states that they lead to.
fn change(payment: &PaymentKey, to: &str) -> LedgerChange {
    let payment = payment.clone();
    match to {
        "sent" => LedgerChange::Sent { payment, token: "token".into() },
        "unclear" => LedgerChange::Unclear { payment, reason: "time-out".into() },
        "confirmed" => LedgerChange::Confirmed { payment, by: None },
        "failed" => LedgerChange::Failed { payment, reason: "no balance".into(), by: None },
        "cancelled" => LedgerChange::Cancelled { payment, reason: "the work was returned".into() },
        _ => panic!("no change leads to {to}"),
    }
}

fn planned(due: &Due) -> LedgerChange {
    ledger([]).plan(due, None).unwrap().unwrap()
}

#[test]
fn a_payment_takes_only_the_steps_of_the_diagram() {
    let due = due("s", PaymentPurpose::Bonus, 100, 20);
    let changes = ["sent", "unclear", "confirmed", "failed", "cancelled"];
    // A state, the states before it, and the states to which the changes lead from it.
    let table: [(&str, &[&str], [&str; 5]); 6] = [
        ("planned", &[], ["sent", "unclear", "confirmed", "-", "cancelled"]),
        ("sent", &[], ["-", "unclear", "confirmed", "failed", "-"]),
        ("unclear", &["sent"], ["-", "-", "confirmed", "failed", "-"]),
        ("failed", &["sent"], ["sent", "unclear", "confirmed", "-", "cancelled"]),
        ("confirmed", &["sent"], ["-", "-", "-", "-", "-"]),
        ("cancelled", &[], ["-", "-", "-", "-", "-"]),
    ];
    for (state, before, after) in table {
        let last = (state != "planned").then_some(state);
        let log: Vec<LedgerChange> = [planned(&due)]
            .into_iter()
            .chain(before.iter().copied().chain(last).map(|to| change(&due.payment, to)))
            .collect();
        let ledger = ledger(log);
        let current = &ledger.payments()[&due.payment];
        assert_eq!(current.state.name(), state);
        for (change, after) in changes.map(|to| self::change(&due.payment, to)).into_iter().zip(after) {
            let mut next = ledger.clone();
            assert_eq!(ledger.accepts(&change), after != "-", "{state}: {change:?}");
            next.apply(entry(99, change));
            let payment = &next.payments()[&due.payment];
            if after == "-" {
                assert_eq!(payment, current, "{state} stays as it is");
            } else {
                assert_eq!((payment.state.name(), payment.unix_ms), (after, 99), "from {state}");
            }
        }
    }
}

#[test]
fn a_payment_that_is_unclear_keeps_the_time_of_its_request() {
    let due = due("s", PaymentPurpose::Bonus, 100, 20);
    let unclear =
        |reason: &str| LedgerChange::Unclear { payment: due.payment.clone(), reason: reason.into() };
    let ledger =
        ledger([planned(&due), change(&due.payment, "sent"), unclear("time-out"), unclear("no balance")]);
    let state = PaymentState::Unclear { unix_ms: 1, reason: "no balance".into() };
    assert_eq!(ledger.payments()[&due.payment].state, state);
}

#[test]
fn a_payment_that_another_copy_may_have_made_is_unclear_before_it_is_sent() {
    let due = due("s", PaymentPurpose::Bonus, 100, 20);
    let denied = LedgerChange::Failed {
        payment: due.payment.clone(),
        reason: "an operator says that it was not made".into(),
        by: Some("operator".into()),
    };
    let mut ledger = ledger([planned(&due), change(&due.payment, "unclear")]);
    let of = |ledger: &Ledger| ledger.payments()[&due.payment].clone();
    assert!(of(&ledger).is_unexplained());
    assert_eq!(of(&ledger).under_way_since(), None, "nothing was sent");
    assert!(ledger.send(&due.payment, "token".into()).is_none());
    ledger.apply(entry(7, denied));
    assert_eq!(of(&ledger).denied_by.as_deref(), Some("operator"));
    ledger.apply(entry(8, change(&due.payment, "sent")));
    assert_eq!((of(&ledger).denied_by, of(&ledger).under_way_since()), (None, Some(8)));
    let own = BTreeSet::from([due.payment.clone()]);
    assert!(!ledger.is_paying(&own, 9, 100));
    let is_paying = [9, 107, 108].map(|unix_ms| ledger.is_paying(&BTreeSet::new(), unix_ms, 100));
    assert_eq!(is_paying, [true, true, false]);
}

#[test]
fn money_is_open_until_it_is_paid_or_cancelled() {
    let due = due("s", PaymentPurpose::Bonus, 100, 20);
    let mut ledger = ledger([]);
    assert!(!ledger.is_open_for("r1"));
    ledger.apply(entry(0, planned(&due)));
    for (to, is_open) in [("sent", true), ("unclear", true), ("failed", true), ("cancelled", false)] {
        ledger.apply(entry(1, change(&due.payment, to)));
        assert_eq!(ledger.is_open_for("r1"), is_open, "{to}");
        assert!(!ledger.is_open_for("r2"));
    }
}

#[test]
fn the_limit_includes_fees_and_what_is_unclear_but_not_what_was_cancelled() {
    let [first, second, third] =
        [100, 200, 300].map(|amount| due(&format!("s{amount}"), PaymentPurpose::Bonus, amount, amount / 10));
    let mut ledger = ledger([
        planned(&first),
        change(&first.payment, "sent"),
        change(&first.payment, "unclear"),
        planned(&second),
    ]);
    assert_eq!(ledger.totals().committed(), Amount(330));
    let refusal = ledger.plan(&third, Some(Amount(659))).unwrap_err();
    assert_eq!(refusal, LimitReached { cost: Amount(330), limit: Amount(659), committed: Amount(330) });
    assert!(ledger.plan(&third, Some(Amount(660))).unwrap().is_some(), "the limit itself can be spent");
    ledger.apply(entry(9, change(&second.payment, "cancelled")));
    assert!(ledger.plan(&third, Some(Amount(440))).unwrap().is_some());
    assert!(ledger.plan(&third, Some(Amount(439))).is_err());
    ledger.apply(entry(9, change(&first.payment, "confirmed")));
    let totals = LedgerTotals { paid: Amount(100), fees: Amount(10), ..LedgerTotals::default() };
    assert_eq!(ledger.totals(), totals);
}

#[test]
fn a_limit_is_named_with_what_is_spent() {
    let refusal =
        LimitReached { cost: Amount(1_200_000), limit: Amount(5_000_000), committed: Amount(4_500_000) };
    assert_eq!(
        refusal.to_string(),
        "1.20 would exceed the spending limit of 5.00, of which 4.50 are spent or promised"
    );
}

#[test]
fn work_is_either_rejected_or_its_reward_planned() {
    let (reward, bonus) =
        (due("s", PaymentPurpose::Reward, 100, 20), due("s", PaymentPurpose::Bonus, 50, 10));
    let rejected = ledger([]).reject("s", "r1", "no answers", None).unwrap();
    let ledger_of = |first: &LedgerChange, second: &LedgerChange| ledger([first.clone(), second.clone()]);

    let refused = ledger_of(&rejected, &planned(&reward));
    assert!(refused.payments().is_empty());
    assert_eq!(refused.plan(&reward, None), Ok(None));
    assert!(refused.plan(&bonus, None).unwrap().is_some(), "only the reward depends on it");
    assert!(refused.reject("s", "r1", "another reason", None).is_none());
    assert_eq!(*refused.rejections()["s"].reason, *"no answers");

    let promised = ledger_of(&planned(&reward), &rejected);
    assert!(promised.rejections().is_empty());
    assert!(promised.reject("s", "r1", "no answers", None).is_none());
    assert!(promised.reject("t", "r1", "no answers", None).is_some());
    assert!(ledger_of(&planned(&bonus), &rejected).rejections().contains_key("s"));
}

#[test]
fn a_person_is_forgotten_once() {
    assert_eq!(Ledger::default().forget("9f2c".into()), None, "no one was recruited");
    let mut known = ledger([planned(&due("s", PaymentPurpose::Reward, 1, 0))]);
    let forgotten = known.forget("9f2c".into()).unwrap();
    known.apply(LedgerEntry { id: "f".into(), unix_ms: 0, change: forgotten });
    assert!(known.is_forgotten("9f2c") && !known.is_forgotten("9f2d"));
    assert_eq!((known.forget("9f2c".into()), known.forgotten()), (None, 1));
}

#[test]
fn nothing_is_planned_for_nothing() {
    assert_eq!(ledger([]).plan(&due("s", PaymentPurpose::Bonus, 0, 0), Some(Amount(0))), Ok(None));
}

#[test]
fn a_listing_is_created_once_and_followed() {
    use LedgerChange::{ListingClosed, ListingCreated, ListingPlanned, ListingResized};
    let log = [
        ListingCreated { listing: 0, id: "of nobody".into() },
        ListingPlanned { listing: 0, mark: "m0".into(), places: 9 },
        ListingPlanned { listing: 0, mark: "again".into(), places: 99 },
        ListingCreated { listing: 0, id: "A".into() },
        ListingCreated { listing: 0, id: "B".into() },
        ListingResized { listing: 0, places: 12 },
        ListingPlanned { listing: 1, mark: "m1".into(), places: 3 },
        ListingClosed { listing: 0 },
        ListingClosed { listing: 7 },
    ];
    let listings = ledger(log).listings().clone();
    let first = Listing { mark: "m0".into(), id: Some("A".into()), places: 12, is_closed: true };
    let second = Listing { mark: "m1".into(), id: None, places: 3, is_closed: false };
    assert_eq!(listings, BTreeMap::from([(0, first), (1, second)]));
}

/// The kind of a change in the ledger; a new one has to be added here and to the entries below.
fn kind(change: &LedgerChange) -> &'static str {
    match change {
        LedgerChange::ListingPlanned { .. } => "listing-planned",
        LedgerChange::ListingCreated { .. } => "listing-created",
        LedgerChange::ListingResized { .. } => "listing-resized",
        LedgerChange::ListingClosed { .. } => "listing-closed",
        LedgerChange::Planned { .. } => "planned",
        LedgerChange::Sent { .. } => "sent",
        LedgerChange::Confirmed { .. } => "confirmed",
        LedgerChange::Unclear { .. } => "unclear",
        LedgerChange::Failed { .. } => "failed",
        LedgerChange::Cancelled { .. } => "cancelled",
        LedgerChange::Rejected { .. } => "rejected",
        LedgerChange::Forgotten { .. } => "forgotten",
    }
}

/// Stores contain these lines.
#[test]
fn every_version_writes_the_same_entries() {
    let lines = include_str!("entries.jsonl");
    let mut kinds = BTreeSet::new();
    for line in lines.lines() {
        let entry: LedgerEntry = serde_json::from_str(line).unwrap_or_else(|error| panic!("{line}: {error}"));
        assert_eq!(serde_json::to_string(&entry).unwrap(), line);
        let kind = kind(&entry.change);
        assert!(line.contains(&format!(r#"{{"kind":"{kind}","#)), "{line}");
        kinds.insert(kind);
    }
    assert_eq!(kinds.len(), 12, "{kinds:?}");
    let ledger = Ledger::of(lines.lines().map(|line| serde_json::from_str(line).unwrap()));
    let states: Vec<(String, &str)> =
        ledger.payments().iter().map(|(key, payment)| (key.to_string(), payment.state.name())).collect();
    assert_eq!(
        states,
        [
            ("p000000-000/reward".to_owned(), "confirmed"),
            ("p000000-000/bonus".to_owned(), "confirmed"),
            ("p000001-000/bonus".to_owned(), "cancelled"),
            ("p000004-000/reward".to_owned(), "planned")
        ]
    );
    let totals = LedgerTotals {
        paid: Amount(1_500_000),
        fees: Amount(300_001),
        promised: Amount(1_200_000),
        unclear: Amount(0),
    };
    assert_eq!(ledger.totals(), totals);
}

fn purpose() -> impl Strategy<Value = PaymentPurpose> {
    prop_oneof![Just(PaymentPurpose::Reward), Just(PaymentPurpose::Bonus)]
}

fn session() -> impl Strategy<Value = Arc<str>> {
    (0..3_u8).prop_map(|number| format!("s{number}").into())
}

fn payment() -> impl Strategy<Value = PaymentKey> {
    (session(), purpose()).prop_map(|(session, purpose)| PaymentKey { session, purpose })
}

fn some_due() -> impl Strategy<Value = Due> {
    (payment(), 0..50_u64, 0..20_u64).prop_map(|(payment, amount, fee)| Due {
        rater: format!("rater of {}", payment.session).into(),
        payment,
        amount: Amount(amount),
        fee: Amount(fee),
    })
}

fn word() -> impl Strategy<Value = Arc<str>> {
    (0..3_u8).prop_map(|number| format!("word {number}").into())
}

/// Any change but that which plans a payment.
fn other_change() -> impl Strategy<Value = LedgerChange> {
    prop_oneof![
        8 => (payment(), word()).prop_map(|(payment, token)| LedgerChange::Sent { payment, token }),
        2 => payment().prop_map(|payment| LedgerChange::Confirmed { payment, by: None }),
        4 => (payment(), word()).prop_map(|(payment, reason)| LedgerChange::Unclear { payment, reason }),
        6 => (payment(), word())
            .prop_map(|(payment, reason)| LedgerChange::Failed { payment, reason, by: None }),
        2 => (payment(), word()).prop_map(|(payment, reason)| LedgerChange::Cancelled { payment, reason }),
        1 => (session(), word(), word()).prop_map(|(session, rater, reason)| {
            LedgerChange::Rejected { session, rater, reason, by: None }
        }),
        1 => (0..2_u32, word()).prop_map(|(listing, mark)| {
            LedgerChange::ListingPlanned { listing, mark, places: 3 }
        }),
        1 => (0..2_u32).prop_map(|listing| LedgerChange::ListingClosed { listing }),
    ]
}

fn any_change() -> impl Strategy<Value = LedgerChange> {
    let planned = some_due().prop_map(|Due { payment, rater, amount, fee }| LedgerChange::Planned {
        payment,
        rater,
        amount,
        fee,
        by: None,
    });
    prop_oneof![1 => planned, 3 => other_change()]
}

/// Checks the invariants of any ledger.
fn check_state(ledger: &Ledger) -> Result<(), TestCaseError> {
    let sum = |names: &[&str], part: fn(&LedgerPayment) -> u64| -> Amount {
        let counted = ledger.payments().values().filter(|payment| names.contains(&payment.state.name()));
        Amount(counted.map(part).sum())
    };
    let cost = |payment: &LedgerPayment| payment.amount.0 + payment.fee.0;
    let totals = LedgerTotals {
        paid: sum(&["confirmed"], |payment| payment.amount.0),
        fees: sum(&["confirmed"], |payment| payment.fee.0),
        promised: sum(&["planned", "failed"], cost),
        unclear: sum(&["sent", "unclear"], cost),
    };
    prop_assert_eq!(ledger.totals(), totals);
    for session in ledger.rejections().keys() {
        let reward = PaymentKey { session: Arc::clone(session), purpose: PaymentPurpose::Reward };
        prop_assert!(!ledger.payments().contains_key(&reward), "{} was rejected", session);
    }
    Ok(())
}

/// Checks the invariants of any step from one ledger to the next.
fn check_step(before: &Ledger, after: &Ledger) -> Result<(), TestCaseError> {
    for (key, payment) in before.payments() {
        let next = after.payments().get(key);
        let Some(next) = next else { return Err(TestCaseError::fail(format!("{key} is gone"))) };
        prop_assert_eq!((&next.rater, next.amount, next.fee), (&payment.rater, payment.amount, payment.fee));
        if !payment.state.is_open() {
            prop_assert_eq!(next, payment, "{} is final", key);
        }
        if next.sendings > payment.sendings {
            prop_assert_eq!(next.sendings, payment.sendings + 1);
            let is_failed = matches!(payment.state, PaymentState::Failed { .. });
            prop_assert!(is_failed || payment.sendings == 0, "{} is sent twice", key);
        }
    }
    for (session, rejection) in before.rejections() {
        prop_assert_eq!(after.rejections().get(session), Some(rejection));
    }
    Ok(())
}

proptest! {
    #[test]
    fn any_log_keeps_the_invariants(changes in vec(any_change(), 0..120)) {
        let mut ledger = Ledger::default();
        for (number, change) in (0..).zip(changes) {
            let before = ledger.clone();
            ledger.apply(entry(number, change.clone()));
            check_state(&ledger)?;
            check_step(&before, &ledger)?;
            let planned = matches!(change, LedgerChange::Planned { .. });
            let differs = ledger.payments() != before.payments();
            prop_assert!(planned || before.accepts(&change) == differs, "{:?}", change);
            prop_assert_eq!(ledger.entries(), before.entries() + 1);
        }
    }

    #[test]
    fn the_state_follows_from_the_log_wherever_it_is_read_from(
        changes in vec(any_change(), 0..60),
        cut in any::<prop::sample::Index>(),
    ) {
        let log: Vec<LedgerEntry> = (0..).zip(changes).map(|(number, change)| entry(number, change)).collect();
        let (first, rest) = log.split_at(cut.index(log.len() + 1));
        let mut followed = Ledger::of(first.to_vec());
        rest.iter().for_each(|entry| followed.apply(entry.clone()));
        prop_assert_eq!(followed, Ledger::of(log));
    }

    #[test]
    fn the_limit_is_never_exceeded(
        limit in 0..200_u64,
        steps in vec(prop_oneof![2 => some_due().prop_map(Ok), 3 => other_change().prop_map(Err)], 0..120),
    ) {
        let limit = Some(Amount(limit));
        let mut ledger = Ledger::default();
        for (number, step) in (0..).zip(steps) {
            let change = match step {
                Ok(due) => ledger.plan(&due, limit).unwrap_or(None),
                Err(change) => Some(change),
            };
            change.into_iter().for_each(|change| ledger.apply(entry(number, change)));
            prop_assert!(Some(ledger.totals().committed()) <= limit);
        }
    }

    #[test]
    fn decisions_take_effect(
        changes in vec(any_change(), 0..60),
        due in some_due(),
        session in session(),
    ) {
        let before = ledger(changes);
        let decided = [
            before.plan(&due, None).unwrap(),
            before.send(&due.payment, "token".into()),
            before.reject(&session, "rater", "reason", None),
        ];
        for change in decided.into_iter().flatten() {
            let mut after = before.clone();
            after.apply(entry(999, change.clone()));
            let state = |ledger: &Ledger| (ledger.payments().clone(), ledger.rejections().clone());
            prop_assert_ne!(state(&after), state(&before), "{:?}", change);
            let again = [
                after.plan(&due, None).unwrap(),
                after.send(&due.payment, "another token".into()),
                after.reject(&session, "rater", "reason", None),
            ];
            prop_assert!(again.iter().flatten().all(|next| kind(next) != kind(&change)), "{:?}", change);
        }
    }
}
