//! Tests of participants, links and the secret.

use hype_core::plugin::store::Identity::{Link, Person};
use hype_core::plugin::store::{Holders, Registered, all_sealed};
use hype_core::{Store, StoreExt as _};

use crate::conformance::{Fresh, Suite, patient, sound};

fn before(holder: &str) -> Registered {
    Registered::Before(holder.to_owned())
}

/// Registers two people, forgets one of them, redeems a link and creates the secret.
pub(super) fn keep(store: &dyn Store) {
    assert_eq!(sound(store.register(Person("key of Ann"), "r1", Some(b"Ann"))), Registered::New);
    assert_eq!(sound(store.register(Person("key of Bob"), "r2", Some(b"Bob"))), Registered::New);
    sound(store.forget("r2"));
    assert_eq!(sound(store.register(Link("link"), "r1", None)), Registered::New);
    assert_eq!(sound(store.secret([7; 32])), [7; 32]);
}

/// Checks that the people who were registered and not forgotten are still there.
pub(super) fn find(store: &dyn Store) {
    assert_eq!(sound(store.register(Person("key of Ann"), "r3", None)), before("r1"));
    assert_eq!(sound(store.sealed_of("r1")).as_deref(), Some(&b"Ann"[..]));
    assert_eq!(sound(store.sealed_of("r2")), None);
    assert_eq!(sound(store.register(Person("key of Bob"), "r4", None)), Registered::New);
    sound(store.forget("r4"));
    assert_eq!(sound(store.register(Link("link"), "r2", None)), before("r1"));
    assert_eq!(sound(store.secret([8; 32])), [7; 32]);
}

impl Suite {
    /// A key is bound to its first holder until that holder is forgotten, and so are the sealed data.
    pub fn a_person_is_registered_once_and_forgotten(&self) {
        let Fresh { store, folder: _folder } = self.fresh();
        let sealed: Vec<u8> = (0..=255).collect();
        assert_eq!(sound(store.holder(Person("a"))), None);
        assert_eq!(sound(store.register(Person("a"), "r1", Some(&sealed))), Registered::New);
        assert_eq!(sound(store.holder(Person("a"))).as_deref(), Some("r1"));
        assert_eq!(
            sound(store.register(Person("a"), "r1", Some(b"other"))),
            before("r1"),
            "a repeat returns the holder"
        );
        assert_eq!(sound(store.register(Person("a"), "r2", Some(b"other"))), before("r1"));
        assert_eq!(sound(store.register(Person("b"), "r2", None)), Registered::New);
        assert_eq!(sound(store.sealed_of("r1")), Some(sealed));
        assert_eq!(sound(store.sealed_of("r2")), None);
        assert_eq!(
            sound(store.register(Person("c"), "r2", Some(b""))),
            Registered::New,
            "a person may have several keys"
        );
        assert_eq!(sound(store.register(Person("d"), "r2", Some(b"later"))), Registered::New);
        assert_eq!(sound(store.sealed_of("r2")).as_deref(), Some(&b""[..]), "the first sealed data stay");
        sound(store.forget("r1"));
        sound(store.forget("nobody"));
        assert_eq!(sound(store.sealed_of("r1")), None);
        assert_eq!(sound(store.register(Person("a"), "r3", None)), Registered::New);
        sound(store.forget("r2"));
        for key in ["b", "c", "d"] {
            assert_eq!(sound(store.register(Person(key), "r3", None)), Registered::New, "{key} was r2's");
        }
    }

    /// Sealed data are replaced only for holders who have some.
    pub fn sealed_data_are_replaced_and_listed(&self) {
        let Fresh { store, folder: _folder } = self.fresh();
        let all = |after: Option<&str>, limit| sound(store.sealed(Holders::After(after, limit)));
        assert_eq!(all(None, 10), []);
        sound(store.reseal("r1", b"nobody"));
        assert_eq!(sound(store.sealed_of("r1")), None);
        for (key, holder, sealed) in [("b", "p2.r", "2"), ("a", "p10.r", "10"), ("c", "p1.R", "1")] {
            assert_eq!(sound(store.register(Person(key), holder, Some(sealed.as_bytes()))), Registered::New);
        }
        sound(store.register(Person("d"), "p3.r", None));
        sound(store.reseal("p3.r", b"none before"));
        sound(store.reseal("p10.r", b"later"));
        let row = |holder: &str, sealed: &str| (holder.to_owned(), sealed.as_bytes().to_vec());
        let rows = [row("p1.R", "1"), row("p10.r", "later"), row("p2.r", "2")];
        assert_eq!(all(None, 10), rows);
        assert_eq!(all(None, 2), rows[..2]);
        assert_eq!(all(Some("p10.r"), 2), rows[2..]);
        assert_eq!(all(Some("p2.r"), 2), []);
        sound(store.forget("p10.r"));
        sound(store.reseal("p10.r", b"again"));
        assert_eq!(all(None, 10), [row("p1.R", "1"), row("p2.r", "2")]);
        assert_eq!(sound(all_sealed(&*store)), all(None, 10));
    }

    /// A link stays bound to its first holder.
    pub fn a_link_is_redeemed_once(&self) {
        let Fresh { store, folder: _folder } = self.fresh();
        assert_eq!(sound(store.holder(Link("x"))), None);
        assert_eq!(sound(store.register(Link("x"), "r1", None)), Registered::New);
        assert_eq!(sound(store.holder(Link("x"))).as_deref(), Some("r1"));
        assert_eq!(sound(store.register(Link("x"), "r1", None)), before("r1"));
        assert_eq!(sound(store.register(Link("x"), "r2", None)), before("r1"));
        assert_eq!(
            sound(store.register(Link("y"), "r1", None)),
            Registered::New,
            "links and keys have separate names"
        );
        assert_eq!(sound(store.register(Person("x"), "r2", None)), Registered::New);
        sound(store.forget("r1"));
        assert_eq!(sound(store.register(Link("x"), "r3", None)), before("r1"));
    }

    /// Of several concurrent registrations of the same key, one is new and the others return its holder.
    pub fn one_of_several_registrations_is_new(&self) {
        const KEYS: u32 = 20;
        let (_fresh, returned) = self.compete(4, |writer, store| {
            let holder = format!("holder {writer}");
            let register = |number: u32| {
                let name = format!("name {number}");
                let registered = patient(|| store.register(Person(&name), &holder, Some(holder.as_bytes())));
                let redeemed = patient(|| store.register(Link(&name), &holder, None));
                [registered, redeemed]
                    .map(|returned| returned.unwrap_or_else(|error| panic!("{holder}: {error}")))
            };
            (0..KEYS).map(register).collect::<Vec<_>>()
        });
        for number in 0..KEYS as usize {
            for kind in 0..2 {
                let returned: Vec<_> = returned.iter().map(|returned| &returned[number][kind]).collect();
                let mut winners = (0..returned.len()).filter(|&writer| *returned[writer] == Registered::New);
                let (Some(winner), None) = (winners.next(), winners.next()) else {
                    panic!("name {number} was not new exactly once: {returned:?}")
                };
                let winner = before(&format!("holder {winner}"));
                assert!(
                    returned.iter().all(|returned| **returned == Registered::New || **returned == winner),
                    "{returned:?}"
                );
            }
        }
    }

    /// Of several fresh secrets, one is kept and returned to all callers.
    pub fn all_share_one_secret(&self) {
        let (Fresh { store, folder: _folder }, secrets) = self.compete(4, |writer, store| {
            patient(|| store.secret([writer as u8; 32])).unwrap_or_else(|error| panic!("{writer}: {error}"))
        });
        assert!(
            secrets[0][0] < 4 && secrets.iter().all(|secret| *secret == [secrets[0][0]; 32]),
            "{secrets:?}"
        );
        assert_eq!(sound(store.secret([255; 32])), secrets[0]);
    }
}
