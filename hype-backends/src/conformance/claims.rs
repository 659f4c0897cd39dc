//! Tests of claims.

use hype_core::store::{Claim, Lease};
use hype_core::{Micros, Store};

use crate::conformance::{Fresh, Suite, patient, sound};

fn lease(place: u32, holder: &str, now: u64, until: u64) -> Lease<'_> {
    Lease { place, holder, now: Micros(now), until: Micros(until) }
}

fn held(until: u64) -> Claim {
    Claim::Held { until: Micros(until) }
}

/// Takes one place for good, one for a while, and gives one back.
pub(super) fn take_three_places(store: &dyn Store) {
    for place in 0..3 {
        assert_eq!(sound(store.claim(&lease(place, "ann", 0, 100))), Claim::Granted);
    }
    sound(store.release(0, "ann", true));
    sound(store.release(2, "ann", false));
}

/// Finds the places as they were left.
pub(super) fn find_three_places(store: &dyn Store) {
    assert_eq!(sound(store.claim(&lease(0, "ann", 500, 600))), Claim::Done);
    assert_eq!(sound(store.claim(&lease(1, "bob", 50, 600))), held(100));
    assert_eq!(sound(store.claim(&lease(2, "bob", 50, 600))), Claim::Granted);
    sound(store.release(2, "bob", false));
}

impl Suite {
    /// A lease keeps others out until it ends, can be prolonged, and never becomes shorter.
    pub fn a_place_has_one_holder_until_the_lease_ends(&self) {
        let Fresh { store, folder: _folder } = self.fresh();
        let claim = |holder, now, until| sound(store.claim(&lease(3, holder, now, until)));
        assert_eq!(claim("ann", 0, 100), Claim::Granted);
        assert_eq!(claim("bob", 99, 200), held(100));
        assert_eq!(sound(store.claim(&lease(4, "bob", 0, 100))), Claim::Granted, "places are independent");
        assert_eq!(claim("ann", 50, 150), Claim::Granted);
        assert_eq!(claim("ann", 51, 60), Claim::Granted);
        assert_eq!(claim("bob", 149, 200), held(150));
        assert_eq!(claim("bob", 150, 250), Claim::Granted, "a lease does not include its end");
        assert_eq!(claim("ann", 151, 300), held(250));
        assert_eq!(claim("bob", 400, 500), Claim::Granted, "a holder may come back late");
    }

    /// A completed place is nobody's any more, however late.
    pub fn a_place_that_is_done_stays_done(&self) {
        let Fresh { store, folder: _folder } = self.fresh();
        assert_eq!(sound(store.claim(&lease(0, "ann", 0, 10))), Claim::Granted);
        sound(store.release(0, "ann", true));
        sound(store.release(0, "ann", false));
        for (holder, now) in [("ann", 5), ("bob", 5), ("bob", 5_000)] {
            assert_eq!(sound(store.claim(&lease(0, holder, now, now + 10))), Claim::Done);
        }
        let late = lease(1, "ann", 0, 10);
        assert_eq!(sound(store.claim(&late)), Claim::Granted);
        sound(store.release(1, "ann", true));
        assert_eq!(sound(store.claim(&late)), Claim::Done);
    }

    /// A release by anybody else has no effect, also for a place that nobody holds.
    pub fn only_the_holder_releases(&self) {
        let Fresh { store, folder: _folder } = self.fresh();
        sound(store.release(0, "ann", true));
        assert_eq!(sound(store.claim(&lease(0, "ann", 0, 100))), Claim::Granted);
        sound(store.release(0, "bob", false));
        sound(store.release(0, "bob", true));
        assert_eq!(sound(store.claim(&lease(0, "bob", 1, 100))), held(100));
        sound(store.release(0, "ann", false));
        assert_eq!(sound(store.claim(&lease(0, "bob", 1, 100))), Claim::Granted);
        sound(store.release(0, "ann", true));
        assert_eq!(sound(store.claim(&lease(0, "ann", 2, 100))), held(100));
    }

    /// Of several who want a place at once, exactly one gets it, and all agree on who.
    pub fn one_of_several_claims_is_granted(&self) {
        const PLACES: u32 = 12;
        let (_fresh, granted) = self.compete(4, |writer, store| {
            let holder = format!("holder {writer}");
            let claims = (0..PLACES).map(|place| {
                patient(|| async move {
                    let holder = format!("holder {writer}");
                    store.claim(&lease(place, &holder, 0, 100)).await
                })
            });
            let claims: Vec<Claim> =
                claims.map(|claim| claim.unwrap_or_else(|e| panic!("{holder}: {e}"))).collect();
            claims
        });
        for place in 0..PLACES as usize {
            let winners = granted.iter().filter(|claims| claims[place] == Claim::Granted).count();
            assert_eq!(winners, 1, "place {place} was granted {winners} times");
            assert!(granted.iter().all(|claims| [Claim::Granted, held(100)].contains(&claims[place])));
        }
    }
}
