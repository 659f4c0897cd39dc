//! Tests of who takes part, of links and of the secret.

use hype_core::Store;
use hype_core::plugin::store::Registered;

use crate::conformance::{Fresh, Suite, patient, sound};

fn before(holder: &str) -> Registered {
    Registered::Before(holder.to_owned())
}

/// Registers two people, forgets one, redeems a link and makes the secret.
pub(super) fn keep(store: &dyn Store) {
    assert_eq!(sound(store.register("key of Ann", "r1", Some(b"Ann"))), Registered::New);
    assert_eq!(sound(store.register("key of Bob", "r2", Some(b"Bob"))), Registered::New);
    sound(store.forget("r2"));
    assert_eq!(sound(store.redeem("link", "r1")), Registered::New);
    assert_eq!(sound(store.secret([7; 32])), [7; 32]);
}

/// Finds the people who were registered and not forgotten.
pub(super) fn find(store: &dyn Store) {
    assert_eq!(sound(store.register("key of Ann", "r3", None)), before("r1"));
    assert_eq!(sound(store.sealed("r1")).as_deref(), Some(&b"Ann"[..]));
    assert_eq!(sound(store.sealed("r2")), None);
    assert_eq!(sound(store.register("key of Bob", "r4", None)), Registered::New);
    sound(store.forget("r4"));
    assert_eq!(sound(store.redeem("link", "r2")), before("r1"));
    assert_eq!(sound(store.secret([8; 32])), [7; 32]);
}

impl Suite {
    /// A key is bound to its first holder until that one is forgotten, and so is what was sealed.
    pub fn a_person_is_registered_once_and_forgotten(&self) {
        let Fresh { store, folder: _folder } = self.fresh();
        let sealed: Vec<u8> = (0..=255).collect();
        assert_eq!(sound(store.registered("a")), None);
        assert_eq!(sound(store.register("a", "r1", Some(&sealed))), Registered::New);
        assert_eq!(sound(store.registered("a")).as_deref(), Some("r1"));
        assert_eq!(sound(store.register("a", "r1", Some(b"other"))), before("r1"), "a repeat is told");
        assert_eq!(sound(store.register("a", "r2", Some(b"other"))), before("r1"));
        assert_eq!(sound(store.register("b", "r2", None)), Registered::New);
        assert_eq!(sound(store.sealed("r1")), Some(sealed));
        assert_eq!(sound(store.sealed("r2")), None);
        assert_eq!(
            sound(store.register("c", "r2", Some(b""))),
            Registered::New,
            "a person may have several keys"
        );
        assert_eq!(sound(store.register("d", "r2", Some(b"later"))), Registered::New);
        assert_eq!(sound(store.sealed("r2")).as_deref(), Some(&b""[..]), "the first that was sealed stays");
        sound(store.forget("r1"));
        sound(store.forget("nobody"));
        assert_eq!(sound(store.sealed("r1")), None);
        assert_eq!(sound(store.register("a", "r3", None)), Registered::New);
        sound(store.forget("r2"));
        for key in ["b", "c", "d"] {
            assert_eq!(sound(store.register(key, "r3", None)), Registered::New, "{key} was r2's");
        }
    }

    /// A link is its first holder's for good.
    pub fn a_link_is_redeemed_once(&self) {
        let Fresh { store, folder: _folder } = self.fresh();
        assert_eq!(sound(store.redeemed("x")), None);
        assert_eq!(sound(store.redeem("x", "r1")), Registered::New);
        assert_eq!(sound(store.redeemed("x")).as_deref(), Some("r1"));
        assert_eq!(sound(store.redeem("x", "r1")), before("r1"));
        assert_eq!(sound(store.redeem("x", "r2")), before("r1"));
        assert_eq!(sound(store.redeem("y", "r1")), Registered::New, "links and keys have names of their own");
        assert_eq!(sound(store.register("x", "r2", None)), Registered::New);
        sound(store.forget("r1"));
        assert_eq!(sound(store.redeem("x", "r3")), before("r1"));
    }

    /// Of several who register the same key at once, one is new and the others are told who.
    pub fn one_of_several_registrations_is_new(&self) {
        const KEYS: u32 = 20;
        let (_fresh, told) = self.compete(4, |writer, store| {
            let holder = format!("holder {writer}");
            let register = |number: u32| {
                let name = format!("name {number}");
                let registered = patient(|| store.register(&name, &holder, Some(holder.as_bytes())));
                let redeemed = patient(|| store.redeem(&name, &holder));
                [registered, redeemed].map(|told| told.unwrap_or_else(|error| panic!("{holder}: {error}")))
            };
            (0..KEYS).map(register).collect::<Vec<_>>()
        });
        for number in 0..KEYS as usize {
            for kind in 0..2 {
                let told: Vec<_> = told.iter().map(|told| &told[number][kind]).collect();
                let mut winners = (0..told.len()).filter(|&writer| *told[writer] == Registered::New);
                let (Some(winner), None) = (winners.next(), winners.next()) else {
                    panic!("name {number} was new to others than one: {told:?}")
                };
                let winner = before(&format!("holder {winner}"));
                assert!(told.iter().all(|told| **told == Registered::New || **told == winner), "{told:?}");
            }
        }
    }

    /// Of several fresh secrets one is kept, and everybody has it.
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
