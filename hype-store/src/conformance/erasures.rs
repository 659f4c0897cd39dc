//! Tests of erased sessions.

use hype_core::model::record::Erased;
use hype_core::plugin::store::Erasure;
use hype_core::{Event, Store, StoreError, StoreExt as _};

use crate::conformance::samples::{sample, samples};
use crate::conformance::{Fresh, Suite, now, patient, sound};

fn remains(answers: u32) -> [Event; 2] {
    let erased = Erased { unix_ms: 1_700_000_000_000, answers, ending: None, earned: None, filled: false };
    [sample(0, 0), Event::Erased(erased)]
}

fn erasure(session: &str, expected: u64) -> Erasure {
    Erasure { session: session.to_owned(), expected, remains: remains(3) }
}

/// Erases one of two sessions.
pub(super) fn erase_one(store: &dyn Store) {
    for name in ["erased", "kept"] {
        sound(store.append_events(name, 0, &samples(1, 9)));
    }
    sound(store.erase(&[erasure("erased", 9)]));
}

/// Checks that one session is erased and the other is not.
pub(super) fn find_one_erased(store: &dyn Store) {
    assert_eq!(sound(store.load("erased")), remains(3));
    assert_eq!(sound(store.load("kept")), samples(1, 9));
    let refused = now(store.append_events("erased", 2, &samples(1, 1)));
    assert!(matches!(refused, Err(StoreError::Erased { .. })), "{refused:?}");
}

impl Suite {
    /// An erased log holds what remains and takes no events; other logs do not change.
    pub fn an_erased_session_keeps_only_what_remains(&self) {
        let Fresh { store, folder: _folder } = self.fresh();
        erase_one(&*store);
        find_one_erased(&*store);
        assert_eq!(sound(store.sessions(None, 9)), ["erased", "kept"]);
        for (expected, count) in [(0, 9), (0, 1), (2, 1), (3, 1), (9, 1)] {
            let refused = now(store.append_events("erased", expected, &samples(1, count)));
            assert!(matches!(refused, Err(StoreError::Erased { .. })), "{count} at {expected}: {refused:?}");
        }
        // A log of as many events as remain of an erased one goes on.
        sound(store.append_events("short", 0, &samples(2, 2)));
        assert_eq!(sound(store.append_events("short", 2, &[sample(2, 2)])), 3);
        sound(store.scrub());
        find_one_erased(&*store);
    }

    /// Repeating an erasure changes nothing, whatever length and remains it names.
    pub fn repeating_an_erasure_changes_nothing(&self) {
        let Fresh { store, folder: _folder } = self.fresh();
        erase_one(&*store);
        for again in [
            erasure("erased", 9),
            erasure("erased", 2),
            Erasure { remains: remains(7), ..erasure("erased", 1) },
        ] {
            sound(store.erase(&[again]));
            find_one_erased(&*store);
        }
        sound(store.scrub());
        sound(store.scrub());
    }

    /// All logs are erased, or none if one of them has another length.
    pub fn an_erasure_at_another_length_is_refused(&self) {
        let Fresh { store, folder: _folder } = self.fresh();
        for name in ["a", "b"] {
            sound(store.append_events(name, 0, &samples(1, 5)));
        }
        for (second, length) in [(erasure("b", 4), 5), (erasure("b", 6), 5), (erasure("none", 0), 0)] {
            match now(store.erase(&[erasure("a", 5), second])) {
                Err(StoreError::Conflict { found, .. }) => assert_eq!(found, length),
                other => panic!("expected a conflict, got {other:?}"),
            }
            assert_eq!(sound(store.load("a")), samples(1, 5));
        }
        sound(store.erase(&[erasure("a", 5), erasure("b", 5)]));
        assert_eq!(sound(store.load("b")), remains(3));
        assert_eq!(sound(store.sessions(None, 9)), ["a", "b"]);
    }

    /// No event is appended to a log while or after it is erased, no matter how many writers try.
    pub fn writers_leave_nothing_in_an_erased_log(&self) {
        const EVENTS: usize = 40;
        let (Fresh { store, folder: _folder }, refused) = self.compete(4, |writer, store| {
            let mut refused = 0;
            for number in 0..EVENTS {
                if writer == 0 && number == EVENTS / 2 {
                    let erase = || async {
                        let found = store.load("s").await?.len() as u64;
                        match store.erase(&[erasure("s", found)]).await {
                            Err(StoreError::Conflict { .. }) => {
                                Err(StoreError::unavailable("another length".to_owned()))
                            }
                            done => done,
                        }
                    };
                    patient(erase).unwrap_or_else(|error| panic!("{error}"));
                }
                let append = || async {
                    let found = store.load("s").await?.len();
                    store.append_events("s", found as u64, &[sample(writer as u32, found)]).await
                };
                match patient(append) {
                    Ok(_) | Err(StoreError::Conflict { .. }) => {}
                    Err(StoreError::Erased { .. }) => refused += 1,
                    Err(error) => panic!("{error}"),
                }
            }
            refused
        });
        assert_eq!(sound(store.load("s")), remains(3));
        assert!(refused.iter().sum::<usize>() >= EVENTS / 2);
    }
}
