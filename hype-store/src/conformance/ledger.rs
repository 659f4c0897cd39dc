//! Tests of the ledger.

use hype_core::model::action::LoggedAction;
use hype_core::model::ledger::{LedgerChange, LedgerEntry, PaymentKey, PaymentPurpose};
use hype_core::protocol::ledger::{Due, Ledger, LedgerTotals, PaymentState};
use hype_core::study::ledger::{LedgerLog, ledger};
use hype_core::{Amount, Store, StoreError, StoreExt as _};

use crate::conformance::samples::samples;
use crate::conformance::{Fresh, Suite, journals, now, patient, sound};

fn payment(number: u32) -> PaymentKey {
    PaymentKey { session: format!("p{number:06}-000").into(), purpose: PaymentPurpose::Bonus }
}

/// How many pay at once.
const WRITERS: usize = 4;

/// How many payments they all try to make.
const PAYMENTS: u32 = 12;

/// The cost of a payment in the tests.
const COST: Amount = Amount(1_200_001);

fn due(number: u32) -> Due {
    let rater = format!("r{number}").into();
    Due { payment: payment(number), rater, amount: Amount(1_000_001), fee: Amount(200_000) }
}

/// An entry of the ledger, different for each number.
pub(super) fn entry(number: u32) -> LedgerEntry {
    let payment = payment(number);
    let change = match number % 3 {
        0 => {
            let Due { payment, rater, amount, fee } = due(number);
            LedgerChange::Planned { payment, rater, amount, fee, by: None }
        }
        1 => LedgerChange::Unclear { payment, reason: "said “so” – täglich, 日本, 🙂".into() },
        _ => LedgerChange::Failed { payment, reason: String::new().into(), by: Some("operator".into()) },
    };
    LedgerEntry { id: format!("writer-{number}").into(), unix_ms: u64::from(number) << 32, change }
}

/// Appends three entries.
pub(super) fn keep(store: &dyn Store) {
    for number in 0..3 {
        assert!(journals::append(store, u64::from(number), &entry(number)));
    }
}

/// Checks that they are still there.
pub(super) fn find(store: &dyn Store) {
    assert_eq!(journals::read::<LedgerEntry>(store, 0), [0, 1, 2].map(entry));
}

/// The entries that a writer appended for a payment, and whether the store failed meanwhile.
#[derive(Debug, Default, Clone, Copy)]
struct Appended {
    planned: bool,
    sent: bool,
    failed: bool,
}

/// Appends what `decide` says, whatever else keeps the store busy.
fn append(
    log: &LedgerLog,
    store: &dyn Store,
    failed: &mut bool,
    decide: impl Fn(&Ledger) -> Option<LedgerChange> + Send + Sync,
) -> bool {
    loop {
        match now(log.append(store, 0, |ledger| Ok::<_, StoreError>(decide(ledger)))) {
            Ok(appended) => return appended,
            Err(error) if error.is_retryable() => *failed = true,
            Err(error) => panic!("the store failed: {error}"),
        }
    }
}

impl Suite {
    /// Entries of the ledger are appended at the end only, read from any number on, and apart from all other logs.
    pub fn the_ledger_is_appended_in_order(&self) {
        let Fresh { store, folder: _folder } = self.fresh();
        journals::check_order(&*store, entry);
        assert!(sound(store.sessions(None, 9)).is_empty(), "entries are in no session");
        assert_eq!(journals::read::<LoggedAction>(&*store, 0), [], "entries are not actions");
        sound(store.append_events("ledger", 0, &samples(0, 2)));
        assert_eq!(sound(store.load("ledger")), samples(0, 2), "a session with the name of a log");
        find(&*store);
    }

    /// Of several processes that plan and send the same payments at once, one plans each payment, and one may send it.
    pub fn one_of_several_writers_sends_each_payment(&self) {
        let logs: Vec<LedgerLog> =
            (0..WRITERS).map(|writer| LedgerLog::new(&format!("writer {writer}"))).collect();
        self.pay_at_once(|writer| &logs[writer]);
    }

    /// The same is true of several threads of one process.
    pub fn one_of_several_threads_sends_each_payment(&self) {
        let log = LedgerLog::new("process");
        self.pay_at_once(|_| &log);
    }

    fn pay_at_once<'a>(&self, log: impl Fn(usize) -> &'a LedgerLog + Sync) {
        let limit = Some(COST.times(u64::from(PAYMENTS)));
        let (Fresh { store, folder: _folder }, writers) = self.compete(WRITERS, |writer, store| {
            let pay = |number: u32| {
                let mut appended = Appended::default();
                appended.planned = append(log(writer), store, &mut appended.failed, |ledger| {
                    ledger.plan(&due(number), limit).unwrap_or_else(|error| panic!("{error}"))
                });
                appended.sent = append(log(writer), store, &mut appended.failed, |ledger| {
                    ledger.send(&payment(number), format!("token of {writer}").into())
                });
                appended
            };
            (0..PAYMENTS).map(pay).collect::<Vec<Appended>>()
        });
        let state = patient(|| ledger(&*store)).unwrap_or_else(|error| panic!("{error}"));
        for number in 0..PAYMENTS {
            let of: Vec<Appended> = writers.iter().map(|writer| writer[number as usize]).collect();
            // A call that failed may have been effective without the caller knowing.
            let is_known = of.iter().all(|of| !of.failed);
            for count in [of.iter().filter(|of| of.planned).count(), of.iter().filter(|of| of.sent).count()] {
                assert!(count == 1 || count == 0 && !is_known, "payment {number}: {count} writers");
            }
            let PaymentState::Sent { token, .. } = &state.payments()[&payment(number)].state else {
                panic!("payment {number} was not sent")
            };
            for (writer, _) in of.iter().enumerate().filter(|(_, of)| of.sent) {
                assert_eq!(
                    **token,
                    format!("token of {writer}"),
                    "payment {number} was sent by another writer"
                );
            }
        }
        assert_eq!(state.entries(), 2 * u64::from(PAYMENTS), "a payment is planned and sent once");
        let unclear = COST.times(u64::from(PAYMENTS));
        assert_eq!(state.totals(), LedgerTotals { unclear, ..LedgerTotals::default() });
    }

    /// Of several processes that plan different payments at once, none exceeds the spending limit.
    pub fn writers_at_once_stay_within_the_limit(&self) {
        const OWN: u32 = 6;
        const AFFORDABLE: u32 = 10;
        let limit = Some(Amount(COST.times(u64::from(AFFORDABLE)).0 + COST.0 / 2));
        let (Fresh { store, folder: _folder }, _) = self.compete(WRITERS, |writer, store| {
            let log = LedgerLog::new(&format!("writer {writer}"));
            for number in 0..OWN {
                let due = due(OWN * writer as u32 + number);
                // A payment beyond the limit is not planned.
                append(&log, store, &mut false, |ledger| ledger.plan(&due, limit).unwrap_or(None));
            }
        });
        let state = patient(|| ledger(&*store)).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(state.payments().len() as u32, AFFORDABLE);
        assert_eq!(state.totals().committed(), COST.times(u64::from(AFFORDABLE)));
    }

    /// A process that follows the ledger sees what others append, and its own decisions follow from it.
    pub fn a_writer_follows_the_others(&self) {
        let Fresh { store, folder: _folder } = self.fresh();
        let [one, two] = ["one", "two"].map(LedgerLog::new);
        let plan = |log: &LedgerLog, number| {
            append(log, &*store, &mut false, |ledger| ledger.plan(&due(number), None).unwrap_or(None))
        };
        let send = |log: &LedgerLog, number| {
            append(log, &*store, &mut false, |ledger| ledger.send(&payment(number), "token".into()))
        };
        assert!(plan(&one, 0));
        assert_eq!((one.current().entries(), two.current().entries()), (1, 0));
        assert!(!plan(&two, 0), "another writer has planned it");
        assert_eq!(two.current(), one.current());
        assert!(plan(&two, 1) && send(&two, 0));
        assert!(!send(&one, 0), "another writer has sent it");
        assert!(send(&one, 1));
        assert_eq!(sound(two.refresh(&*store)), one.current());
        assert_eq!(sound(ledger(&*store)), one.current());
        let ids: Vec<_> =
            journals::read::<LedgerEntry>(&*store, 0).into_iter().map(|entry| entry.id).collect();
        let mut distinct = ids.clone();
        distinct.sort();
        distinct.dedup();
        assert_eq!(distinct.len(), ids.len(), "no two attempts have one name: {ids:?}");
        let failed: Result<bool, StoreError> =
            now(one.append(&*store, 0, |_| Err(StoreError::failed("no decision".into()))));
        assert!(failed.is_err());
        assert_eq!(one.current().entries(), 4, "nothing is appended without a decision");
    }
}
