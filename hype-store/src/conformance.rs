//! The required behaviour of stores, as a suite of tests.
//!
//! Sessions are resumed, audited and paid based on the contents of a store, so every store has to pass the same suite.
//! [`store_conformance!`](crate::store_conformance) runs it against a given store.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Barrier;
use std::thread;

use hype_core::plugin::store::{Entries, Log, all_sessions};
use hype_core::{Digest, Event, Store, StoreError, StoreExt as _};
use tempfile::TempDir;

mod actions;
mod claims;
mod erasures;
mod journals;
mod ledger;
mod model;
mod people;
mod samples;

use self::samples::{sample, samples};

/// Creates a module of tests that run the whole suite against a store.
///
/// The constructor receives a new folder for each test. `persistent` adds tests that data are still there when the
/// constructor is called again with the same folder, and that several such stores may be open at the same time.
///
/// # Examples
/// ```
/// use hype_store::{MemoryStore, store_conformance};
///
/// store_conformance!(memory, |_folder| MemoryStore::new());
/// # #[cfg(feature = "sqlite")]
/// store_conformance!(sqlite, |folder| {
///     hype_store::SqliteStore::open(folder.join("study.db")).expect("a new file can be opened")
/// }, persistent);
/// # fn main() {}
/// ```
#[macro_export]
macro_rules! store_conformance {
    ($name:ident, $open:expr $(,)?) => {
        $crate::__store_conformance!($name, $crate::conformance::Suite::new($open), []);
    };
    ($name:ident, $open:expr, persistent $(,)?) => {
        $crate::__store_conformance!(
            $name,
            $crate::conformance::Suite::persistent($open),
            [reopening_keeps_everything]
        );
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __store_conformance {
    ($name:ident, $suite:expr, [$($more:ident),*]) => {
        $crate::__store_conformance!(
            $name,
            $suite,
            tests: [
                appended_events_are_kept_in_order,
                an_append_at_another_length_is_refused,
                repeating_an_append_changes_nothing,
                an_overlapping_append_is_refused,
                appending_nothing_makes_no_session,
                an_unknown_session_is_empty,
                sessions_come_in_pages_in_order,
                visits_see_every_log_once_and_break_off,
                a_store_belongs_to_one_study,
                one_of_several_writers_wins_each_number,
                changes_of_places_are_compared_and_appended,
                new_holders_have_no_later_entry,
                a_holder_has_one_place,
                places_are_claimed_in_order,
                a_holder_keeps_its_place_and_attempt,
                a_lease_that_has_ended_lets_others_in,
                a_place_that_is_done_stays_done,
                only_the_holder_releases,
                places_are_given_up_after_their_replacements,
                holders_who_answer_nothing_spend_nothing,
                a_place_that_was_given_up_is_reopened,
                arrivals_at_once_get_places_of_their_own,
                a_place_in_a_large_plan_is_found_among_many,
                a_person_is_registered_once_and_forgotten,
                sealed_data_are_replaced_and_listed,
                a_link_is_redeemed_once,
                actions_are_appended_in_order,
                actions_at_once_are_all_taken_once,
                the_ledger_is_appended_in_order,
                one_of_several_writers_sends_each_payment,
                one_of_several_threads_sends_each_payment,
                writers_at_once_stay_within_the_limit,
                a_writer_follows_the_others,
                one_of_several_registrations_is_new,
                all_share_one_secret,
                an_erased_session_keeps_only_what_remains,
                repeating_an_erasure_changes_nothing,
                an_erasure_at_another_length_is_refused,
                writers_leave_nothing_in_an_erased_log,
                random_operations_agree_with_a_model
                $(, $more)*
            ]
        );
    };
    ($name:ident, $suite:expr, tests: [$($test:ident),+]) => {
        #[cfg(test)]
        fn $name() -> $crate::conformance::Suite {
            $suite
        }

        #[cfg(test)]
        mod $name {
            $(
                #[test]
                fn $test() {
                    super::$name().$test();
                }
            )+
        }
    };
}

type Open = dyn Fn(&Path) -> Box<dyn Store> + Sync;

/// The suite for one store. Each method is a test, which panics if the store misbehaves.
pub struct Suite {
    open: Box<Open>,
    persistent: bool,
}

impl std::fmt::Debug for Suite {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Suite").field("persistent", &self.persistent).finish_non_exhaustive()
    }
}

/// Waits for a store's future, without a runtime.
fn now<T>(future: impl Future<Output = T>) -> T {
    crate::block_on(future)
}

/// The result of a store's future, which must not be an error.
fn sound<T>(future: impl Future<Output = Result<T, StoreError>>) -> T {
    match now(future) {
        Ok(value) => value,
        Err(error) => panic!("the store failed: {error}"),
    }
}

/// The result of a call that is repeated while other writers keep the store busy.
fn patient<T, F: Future<Output = Result<T, StoreError>>>(ask: impl Fn() -> F) -> Result<T, StoreError> {
    loop {
        match now(ask()) {
            Err(error) if error.is_retryable() => {}
            result => return result,
        }
    }
}

#[track_caller]
fn assert_conflict(result: Result<u64, StoreError>, expected: u64, found: u64) {
    match result {
        Err(error @ StoreError::Conflict { expected: e, found: f, .. }) => {
            assert_eq!((e, f), (expected, found), "the conflict has wrong numbers");
            assert!(!error.is_retryable(), "a conflict must not be retryable");
        }
        other => panic!("expected a conflict of {expected} with {found}, got {other:?}"),
    }
}

/// A store in a folder that exists as long as the test runs.
struct Fresh {
    store: Box<dyn Store>,
    folder: TempDir,
}

impl Suite {
    /// The suite for a store without persistence.
    #[must_use]
    pub fn new<S: Store + 'static>(open: impl Fn(&Path) -> S + Sync + 'static) -> Self {
        Self { open: Box::new(move |folder| Box::new(open(folder))), persistent: false }
    }

    /// The suite for a persistent store, whose data can be read by later stores in the same folder.
    #[must_use]
    pub fn persistent<S: Store + 'static>(open: impl Fn(&Path) -> S + Sync + 'static) -> Self {
        Self { persistent: true, ..Self::new(open) }
    }

    fn fresh(&self) -> Fresh {
        let folder = tempfile::tempdir().expect("the system has a folder for temporary files");
        Fresh { store: (self.open)(folder.path()), folder }
    }

    /// Several writers to one folder, with separate stores if possible, or else the same one.
    fn compete<R: Send>(
        &self,
        writers: usize,
        work: impl Fn(usize, &dyn Store) -> R + Sync,
    ) -> (Fresh, Vec<R>) {
        let fresh = self.fresh();
        let barrier = Barrier::new(writers);
        let results = thread::scope(|scope| {
            let run = |writer: usize| {
                let own = self.persistent.then(|| (self.open)(fresh.folder.path()));
                barrier.wait();
                work(writer, own.as_deref().unwrap_or(&*fresh.store))
            };
            let threads: Vec<_> = (0..writers).map(|writer| scope.spawn(move || run(writer))).collect();
            threads
                .into_iter()
                .map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
                .collect()
        });
        (fresh, results)
    }

    /// Events are loaded exactly as they were appended, in order, whatever their values.
    pub fn appended_events_are_kept_in_order(&self) {
        let Fresh { store, folder: _folder } = self.fresh();
        let all = samples(0, 12);
        assert_eq!(sound(store.append_events("s", 0, &all[..1])), 1);
        assert_eq!(sound(store.append_events("s", 1, &all[1..8])), 8);
        assert_eq!(sound(store.append_events("t", 0, &all[3..5])), 2);
        assert_eq!(sound(store.append_events("s", 8, &all[8..])), 12);
        assert_eq!(sound(store.load("s")), all);
        assert_eq!(sound(store.load("t")), all[3..5]);
        for (from, end) in [(0, 12), (5, 12), (12, 12), (20, 12)] {
            let rest = all.iter().skip(from as usize).cloned().collect();
            assert_eq!(sound(store.read(Log::Session("s"), from)), (Entries::Events(rest), end));
        }
    }

    /// Nothing is appended to a log that is shorter or longer than expected.
    pub fn an_append_at_another_length_is_refused(&self) {
        let Fresh { store, folder: _folder } = self.fresh();
        assert_conflict(now(store.append_events("s", 1, &samples(0, 1))), 1, 0);
        assert_eq!(sound(store.load("s")), []);
        sound(store.append_events("s", 0, &samples(0, 3)));
        assert_conflict(now(store.append_events("s", 4, &samples(1, 1))), 4, 3);
        assert_conflict(now(store.append_events("s", 0, &samples(1, 1))), 0, 3);
        assert_conflict(now(store.append_events("s", 2, &samples(1, 1))), 2, 3);
        assert_conflict(now(store.append_events("s", u64::MAX, &samples(1, 2))), u64::MAX, 3);
        assert_eq!(sound(store.load("s")), samples(0, 3));
        assert_eq!(sound(store.sessions(None, 9)), ["s"], "a refused append must not create a session");
    }

    /// An equal repeat succeeds and returns the length, even after further appends.
    pub fn repeating_an_append_changes_nothing(&self) {
        let Fresh { store, folder: _folder } = self.fresh();
        let all = samples(0, 9);
        sound(store.append_events("s", 0, &all[..4]));
        assert_eq!(sound(store.append_events("s", 0, &all[..4])), 4);
        sound(store.append_events("s", 4, &all[4..]));
        assert_eq!(sound(store.append_events("s", 0, &all[..4])), 9);
        assert_eq!(sound(store.append_events("s", 4, &all[4..])), 9);
        assert_eq!(sound(store.append_events("s", 2, &all[2..6])), 9);
        assert_eq!(sound(store.load("s")), all);
    }

    /// An append conflicts if only its first events exist, even if these are equal: appends are atomic.
    pub fn an_overlapping_append_is_refused(&self) {
        let Fresh { store, folder: _folder } = self.fresh();
        let all = samples(0, 6);
        sound(store.append_events("s", 0, &all[..4]));
        assert_conflict(now(store.append_events("s", 2, &all[2..])), 2, 4);
        assert_conflict(now(store.append_events("s", 0, &all)), 0, 4);
        assert_eq!(sound(store.load("s")), all[..4]);
    }

    /// An empty append succeeds if the log is at least as long as expected, and does not create a session.
    pub fn appending_nothing_makes_no_session(&self) {
        let Fresh { store, folder: _folder } = self.fresh();
        assert_eq!(sound(store.append_events("s", 0, &[])), 0);
        assert_conflict(now(store.append_events("s", 1, &[])), 1, 0);
        assert!(sound(store.sessions(None, 9)).is_empty());
        sound(store.append_events("s", 0, &samples(0, 2)));
        assert_eq!(sound(store.append_events("s", 2, &[])), 2);
        assert_eq!(sound(store.append_events("s", 1, &[])), 2);
    }

    /// A session without appends has an empty log.
    pub fn an_unknown_session_is_empty(&self) {
        let Fresh { store, folder: _folder } = self.fresh();
        assert_eq!(sound(store.load("nobody")), []);
        assert!(sound(store.sessions(None, 9)).is_empty());
        assert!(sound(store.sessions(Some("a"), 9)).is_empty());
    }

    /// Pages of any size contain every name once, in the order of bytes.
    pub fn sessions_come_in_pages_in_order(&self) {
        let Fresh { store, folder: _folder } = self.fresh();
        let names = ["", "B", "a", "a'b", "aa", "p000009-000", "p000010-000", "Ä", "日本", "🙂"];
        for name in names.iter().rev() {
            sound(store.append_events(name, 0, &samples(0, 1)));
        }
        assert_eq!(sound(all_sessions(&*store)), names);
        for size in 1..=names.len() + 1 {
            let mut seen: Vec<String> = Vec::new();
            loop {
                let page = sound(store.sessions(seen.last().map(String::as_str), size));
                assert!(page.len() <= size, "a page of {} although {size} were requested", page.len());
                if page.is_empty() {
                    break;
                }
                seen.extend(page);
            }
            assert_eq!(seen, names, "in pages of {size}");
        }
        assert_eq!(
            sound(store.sessions(Some("aaa"), 1)),
            ["p000009-000"],
            "after a name that does not exist"
        );
        assert!(sound(store.sessions(None, 0)).is_empty());
        assert_eq!(sound(store.sessions(None, usize::MAX)), names);
    }

    /// A visit sees each complete log, in order, and stops on request.
    pub fn visits_see_every_log_once_and_break_off(&self) {
        let Fresh { store, folder: _folder } = self.fresh();
        let logs: Vec<(String, Vec<Event>)> =
            (0..7_u32).map(|n| (format!("s{n}"), samples(n, n as usize + 1))).collect();
        for (name, log) in logs.iter().rev() {
            sound(store.append_events(name, 0, log));
        }
        for wanted in [7, 3] {
            let mut seen = Vec::new();
            sound(store.visit(|name, log| {
                seen.push((name.to_owned(), log));
                if seen.len() == wanted { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            }));
            assert_eq!(seen, logs[..wanted]);
        }
    }

    /// The first study binds the store; another one is refused, with both digests in the error.
    pub fn a_store_belongs_to_one_study(&self) {
        let Fresh { store, folder: _folder } = self.fresh();
        let (one, other) = (Digest::of(b"one"), Digest::of(b"other"));
        sound(store.bind(one));
        sound(store.bind(one));
        match now(store.bind(other)) {
            Err(error @ StoreError::AnotherStudy { .. }) => {
                let text = error.to_string();
                assert!(text.contains(&one.to_string()) && text.contains(&other.to_string()), "{text}");
                assert!(!error.is_retryable());
            }
            result => panic!("expected a refusal of another study, got {result:?}"),
        }
        sound(store.bind(one));
    }

    /// Of several writers that append with the same number, exactly one succeeds, and its event is stored.
    pub fn one_of_several_writers_wins_each_number(&self) {
        const NUMBERS: u64 = 40;
        let (Fresh { store, folder: _folder }, wins) = self.compete(4, |writer, store| {
            let mut wins = Vec::new();
            for number in 0..NUMBERS {
                let event = [sample(writer as u32, number as usize)];
                match patient(|| store.append_events("s", number, &event)) {
                    Ok(_) => wins.push(number),
                    Err(StoreError::Conflict { found, .. }) if found > number => {}
                    Err(error) => panic!("writer {writer}, number {number}: {error}"),
                }
            }
            wins
        });
        let log = sound(store.load("s"));
        assert_eq!(log.len() as u64, NUMBERS);
        let mut winners = vec![Vec::new(); log.len()];
        for (writer, wins) in wins.iter().enumerate() {
            wins.iter().for_each(|&number| winners[number as usize].push(writer));
        }
        for (number, (event, winners)) in log.iter().zip(&winners).enumerate() {
            let [winner] = winners[..] else { panic!("event {number} was appended by {winners:?}") };
            assert_eq!(
                *event,
                sample(winner as u32, number),
                "event {number} is not that of the successful writer"
            );
        }
    }

    /// Logs, study, claims, actions, ledger and people are still there when the store is opened again.
    pub fn reopening_keeps_everything(&self) {
        let Fresh { store, folder } = self.fresh();
        let study = Digest::of(b"one");
        sound(store.bind(study));
        sound(store.append_events("s", 0, &samples(0, 12)));
        sound(store.append_events("t", 0, &samples(1, 3)));
        claims::take_four_places(&*store);
        people::keep(&*store);
        actions::keep(&*store);
        ledger::keep(&*store);
        erasures::erase_one(&*store);
        drop(store);
        for _ in 0..2 {
            let store = (self.open)(folder.path());
            assert_eq!(sound(store.load("s")), samples(0, 12));
            assert_eq!(sound(store.load("t")), samples(1, 3));
            assert_eq!(sound(store.sessions(None, 9)), ["erased", "kept", "s", "t"]);
            erasures::find_one_erased(&*store);
            assert!(matches!(now(store.bind(Digest::of(b"other"))), Err(StoreError::AnotherStudy { .. })));
            sound(store.bind(study));
            claims::find_four_places(&*store);
            people::find(&*store);
            actions::find(&*store);
            ledger::find(&*store);
        }
        let store = (self.open)(folder.path());
        assert_eq!(sound(store.append_events("t", 3, &samples(2, 1))), 4);
    }
}
