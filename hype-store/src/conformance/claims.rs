//! Tests of the log of places, and of the rule of places applied to it.

use std::collections::BTreeSet;

use hype_core::plugin::store::Append;
use hype_core::protocol::places::{
    ClaimRequest, Claimed, Occupancy, PlaceChange, PlaceCounts, PlaceState, Places, Plan as Rule, Release,
};
use hype_core::study::places::PlacesLog;
use hype_core::{Micros, Store, StoreError, StoreExt as _};

use crate::conformance::{Fresh, Suite, now, patient, sound};

/// The position for a change whose holder may have any entries.
const ANY: u64 = u64::MAX;

/// A plan of places with replacements. Each call decides like a process that has just started.
#[derive(Clone, Copy)]
struct Plan {
    places: u32,
    replacements: u32,
}

impl Plan {
    fn rule(self) -> Rule {
        Rule { places: self.places, replacements: self.replacements }
    }

    async fn request(
        self,
        store: &dyn Store,
        request: ClaimRequest<'_>,
    ) -> Result<Option<Claimed>, StoreError> {
        PlacesLog::default().claim(store, |places: &mut Places| places.claim(self.rule(), &request)).await
    }

    /// The place and the attempt that a holder obtains.
    fn claim(self, store: &dyn Store, holder: &str, now: u64, until: u64) -> Option<(u32, u32)> {
        let request = ClaimRequest { holder, now: Micros(now), until: Micros(until) };
        sound(self.request(store, request)).map(|Claimed { place, attempt }| (place, attempt))
    }

    fn standing(self, store: &dyn Store, now: u64) -> (u32, u32, u32) {
        let ledger = PlacesLog::default();
        sound(ledger.refresh(store));
        let PlaceCounts { done, held, given_up } = ledger.counts(self.rule(), Micros(now));
        (done, held, given_up)
    }
}

/// The position of a change, if the store appends it. The holder has no entry after `expected`.
fn change_place(store: &dyn Store, change: &PlaceChange, expected: u64) -> Option<u64> {
    match now(store.append(Append::Place(change), expected)) {
        Ok(position) => Some(position),
        Err(StoreError::Conflict { .. }) => None,
        Err(error) => panic!("the store failed: {error}"),
    }
}

fn append(store: &dyn Store, change: &PlaceChange, expected: u64) -> u64 {
    let Some(position) = change_place(store, change, expected) else {
        panic!("a change is refused: {change:?}")
    };
    position
}

fn prolong(store: &dyn Store, place: u32, holder: &str, until: u64) -> bool {
    sound(PlacesLog::default().keep(store, |places| places.prolong(place, holder, Micros(until))))
}

fn release(store: &dyn Store, place: u32, holder: &str, why: Release) {
    sound(PlacesLog::default().keep(store, |places| places.release(place, holder, why)));
}

fn answer(store: &dyn Store, place: u32, holder: &str, until: u64) {
    assert!(sound(PlacesLog::default().keep(store, |places| places.answered(place, holder, Micros(until)))));
}

fn reopen(store: &dyn Store, plan: Plan, place: u32, now: u64) -> bool {
    let ledger = PlacesLog::default();
    sound(ledger.refresh(store));
    let reopen = |places: &mut Places| Some(((), places.reopen(plan.rule(), place, Micros(now))?));
    sound(ledger.change(store, reopen)).is_some()
}

const FOUR: Plan = Plan { places: 4, replacements: 1 };

/// Completes one place, holds another, releases a third and gives up a fourth.
pub(super) fn take_four_places(store: &dyn Store) {
    for (place, holder) in (0..).zip(["ann", "bob", "cem", "dan"]) {
        assert_eq!(FOUR.claim(store, holder, 0, 100), Some((place, 0)));
    }
    release(store, 0, "ann", Release::Completed);
    release(store, 3, "dan", Release::Answered);
    assert_eq!(FOUR.claim(store, "eve", 1, 100), Some((3, 1)));
    release(store, 3, "eve", Release::Answered);
    release(store, 2, "cem", Release::Answered);
}

/// Checks that the places are as they were left.
pub(super) fn find_four_places(store: &dyn Store) {
    assert_eq!(FOUR.standing(store, 50), (1, 1, 1));
    assert_eq!(FOUR.claim(store, "bob", 50, 60), Some((1, 0)));
    assert!(!prolong(store, 0, "ann", 200));
    assert!(!prolong(store, 2, "cem", 200));
}

impl Suite {
    /// A change is appended if its number is that of the earlier changes of its place; repeating it changes nothing.
    pub fn changes_of_places_are_compared_and_appended(&self) {
        let Fresh { store, folder: _folder } = self.fresh();
        let change = |place, number, holder: &str| PlaceChange {
            place,
            number,
            state: PlaceState {
                holder: (!holder.is_empty()).then(|| holder.into()),
                until: Micros(u64::from(number)),
                holders: number,
                spent: number / 2,
                answered: number % 2 == 1,
                occupancy: [Occupancy::Held, Occupancy::Free, Occupancy::Done][number as usize % 3],
            },
        };
        assert_eq!(sound(store.entries::<PlaceChange>(0)), (Vec::new(), 0));
        for (refused, why) in
            [(change(0, 1, "ann"), "a gap"), (change(7, 3, "ann"), "a place without changes")]
        {
            assert_eq!(change_place(&*store, &refused, ANY), None, "{why}");
        }
        let log = [change(7, 0, "ann"), change(0, 0, "bob"), change(7, 1, ""), change(7, 2, "cem")];
        let mut end = 0;
        for change in &log {
            end = append(&*store, change, ANY);
            assert_eq!(change_place(&*store, change, ANY), Some(end), "a repeat");
        }
        for other in [change(7, 0, "bob"), change(7, 2, ""), change(0, 2, "bob")] {
            assert_eq!(change_place(&*store, &other, ANY), None);
        }
        assert_eq!(change_place(&*store, &log[0], ANY), None, "not the last change");
        assert_eq!(sound(store.entries::<PlaceChange>(0)), (log.to_vec(), end));
        assert_eq!(sound(store.entries::<PlaceChange>(end)), (Vec::new(), end));
        let next = append(&*store, &change(0, 1, "dan"), ANY);
        assert_eq!(next, end + 1, "positions without a gap");
        assert_eq!(sound(store.entries::<PlaceChange>(end)), (vec![change(0, 1, "dan")], next));
    }

    /// A new holder is refused if the log has an entry of the holder after a position.
    pub fn new_holders_have_no_later_entry(&self) {
        let Fresh { store, folder: _folder } = self.fresh();
        let change = |place, holder: &str| PlaceChange {
            place,
            number: 0,
            state: PlaceState { holder: Some(holder.into()), holders: 1, ..PlaceState::default() },
        };
        let first = append(&*store, &change(0, "ann"), 0);
        assert_eq!(change_place(&*store, &change(0, "ann"), 0), Some(first), "a repeat");
        assert_eq!(change_place(&*store, &change(1, "ann"), 0), None);
        let second = append(&*store, &change(1, "bob"), 0);
        assert_eq!(change_place(&*store, &change(2, "ann"), first), Some(second + 1));
        assert_eq!(change_place(&*store, &change(3, "bob"), first), None);
        assert_eq!(sound(store.entries::<PlaceChange>(second)).0, [change(2, "ann")]);
    }

    /// A holder who claims from two processes gets one place, although the second has not read the first one's claim.
    pub fn a_holder_has_one_place(&self) {
        let Fresh { store, folder: _folder } = self.fresh();
        let ledgers = [PlacesLog::default(), PlacesLog::default()];
        let rule = Rule { places: 9, replacements: 0 };
        let claim = |ledger: &PlacesLog, holder| {
            let request = ClaimRequest { holder, now: Micros(0), until: Micros(100) };
            sound(ledger.claim(&*store, |places: &mut Places| places.claim(rule, &request)))
                .map(|it| it.place)
        };
        for (number, holder) in (0..).zip(["ann", "bob", "cem", "dan"]) {
            for turn in 0..4 {
                assert_eq!(claim(&ledgers[(number + turn) % 2], holder), Some(number as u32), "{holder}");
            }
        }
    }

    /// Every holder gets the first free place, and none beyond the plan.
    pub fn places_are_claimed_in_order(&self) {
        let Fresh { store, folder: _folder } = self.fresh();
        let plan = Plan { places: 3, replacements: 5 };
        assert_eq!(plan.standing(&*store, 0), (0, 0, 0));
        assert_eq!(plan.claim(&*store, "ann", 0, 100), Some((0, 0)));
        assert_eq!(plan.claim(&*store, "bob", 0, 100), Some((1, 0)));
        release(&*store, 0, "ann", Release::Answered);
        assert_eq!(plan.claim(&*store, "cem", 1, 100), Some((0, 1)));
        assert_eq!(plan.claim(&*store, "dan", 1, 100), Some((2, 0)));
        assert_eq!(plan.claim(&*store, "eve", 1, 100), None);
        assert_eq!(plan.standing(&*store, 1), (0, 3, 0));
        let nothing = Plan { places: 0, ..plan };
        assert_eq!(nothing.claim(&*store, "eve", 1, 2), None);
        let larger = Plan { places: 4, ..plan };
        assert_eq!(larger.claim(&*store, "eve", 1, 100), Some((3, 0)));
    }

    /// A repeated claim gives the same place and attempt, and a lease that is never shorter.
    pub fn a_holder_keeps_its_place_and_attempt(&self) {
        let Fresh { store, folder: _folder } = self.fresh();
        let plan = Plan { places: 1, replacements: 0 };
        assert_eq!(plan.claim(&*store, "ann", 0, 100), Some((0, 0)));
        assert_eq!(plan.claim(&*store, "ann", 50, 150), Some((0, 0)));
        answer(&*store, 0, "ann", 150);
        assert_eq!(plan.claim(&*store, "ann", 51, 60), Some((0, 0)));
        assert_eq!(plan.standing(&*store, 149), (0, 1, 0));
        assert!(prolong(&*store, 0, "ann", 250));
        assert!(prolong(&*store, 0, "ann", 70));
        assert_eq!(plan.standing(&*store, 249), (0, 1, 0));
        assert_eq!(plan.standing(&*store, 250), (0, 0, 1), "a lease does not include its end");
        assert!(!prolong(&*store, 0, "bob", 900));
        assert!(!prolong(&*store, 1, "ann", 900), "there is no such place");
        assert_eq!(plan.claim(&*store, "bob", 300, 400), None, "the place may have only one holder");
        assert_eq!(plan.claim(&*store, "ann", 300, 400), Some((0, 0)), "a holder may return late");
        assert_eq!(plan.standing(&*store, 399), (0, 1, 0));
    }

    /// After a lease, anyone may get the place with the next attempt; its previous holder then loses it.
    pub fn a_lease_that_has_ended_lets_others_in(&self) {
        let Fresh { store, folder: _folder } = self.fresh();
        let plan = Plan { places: 1, replacements: 9 };
        assert_eq!(plan.claim(&*store, "ann", 0, 100), Some((0, 0)));
        assert_eq!(plan.claim(&*store, "bob", 99, 200), None);
        assert_eq!(plan.claim(&*store, "bob", 100, 200), Some((0, 1)));
        assert_eq!(plan.claim(&*store, "ann", 150, 300), None);
        assert!(!prolong(&*store, 0, "ann", 300));
        release(&*store, 0, "ann", Release::Completed);
        assert!(prolong(&*store, 0, "bob", 400));
        assert_eq!(plan.claim(&*store, "ann", 399, 500), None);
        assert_eq!(plan.claim(&*store, "ann", 400, 500), Some((0, 2)));
        let late = Plan { places: 0, replacements: 0 };
        assert_eq!(late.claim(&*store, "ann", 900, 901), Some((0, 2)), "even after the plan has shrunk");
    }

    /// A completed place cannot be claimed again, no matter when.
    pub fn a_place_that_is_done_stays_done(&self) {
        let Fresh { store, folder: _folder } = self.fresh();
        let plan = Plan { places: 1, replacements: 9 };
        assert_eq!(plan.claim(&*store, "ann", 0, 10), Some((0, 0)));
        release(&*store, 0, "ann", Release::Completed);
        release(&*store, 0, "ann", Release::Answered);
        for (holder, now) in [("ann", 5), ("bob", 5), ("bob", 5_000)] {
            assert_eq!(plan.claim(&*store, holder, now, now + 10), None);
            assert!(!prolong(&*store, 0, holder, now + 10));
        }
        assert_eq!(plan.standing(&*store, 5_000), (1, 0, 0));
        let larger = Plan { places: 2, ..plan };
        assert_eq!(larger.claim(&*store, "ann", 0, 10), Some((1, 0)), "a holder may complete several places");
        release(&*store, 1, "ann", Release::Completed);
        assert_eq!(larger.standing(&*store, 0), (2, 0, 0));
        assert_eq!(plan.standing(&*store, 0), (1, 0, 0), "places beyond the plan do not count");
    }

    /// A release by anyone else has no effect, even for a place without holder.
    pub fn only_the_holder_releases(&self) {
        let Fresh { store, folder: _folder } = self.fresh();
        let plan = Plan { places: 1, replacements: 9 };
        release(&*store, 0, "ann", Release::Completed);
        assert_eq!(plan.claim(&*store, "ann", 0, 100), Some((0, 0)));
        release(&*store, 0, "bob", Release::Answered);
        release(&*store, 0, "bob", Release::Completed);
        assert_eq!(plan.claim(&*store, "bob", 1, 100), None);
        release(&*store, 0, "ann", Release::Answered);
        release(&*store, 0, "ann", Release::Completed);
        assert_eq!(plan.claim(&*store, "bob", 1, 100), Some((0, 1)));
        release(&*store, 0, "ann", Release::Completed);
        assert_eq!(plan.claim(&*store, "ann", 2, 100), None);
        release(&*store, 0, "bob", Release::Answered);
        assert_eq!(plan.claim(&*store, "bob", 3, 100), Some((0, 2)), "a released place starts again");
        assert_eq!(plan.claim(&*store, "ann", 100, 200), Some((0, 3)));
        release(&*store, 0, "bob", Release::Completed);
        assert_eq!(plan.standing(&*store, 100), (0, 1, 0));
    }

    /// A holder who answered nothing spends no replacement, whether it left or its lease ended.
    pub fn holders_who_answer_nothing_spend_nothing(&self) {
        let Fresh { store, folder: _folder } = self.fresh();
        let plan = Plan { places: 1, replacements: 0 };
        for attempt in 0..40_u32 {
            let (holder, now) = (format!("holder {attempt}"), 10 * u64::from(attempt));
            assert_eq!(plan.claim(&*store, &holder, now, now + 10), Some((0, attempt)));
            if attempt % 2 == 0 {
                release(&*store, 0, &holder, Release::Unanswered);
            }
        }
        assert_eq!(plan.standing(&*store, 400), (0, 0, 0));
        assert_eq!(plan.claim(&*store, "ann", 400, 410), Some((0, 40)));
        answer(&*store, 0, "ann", 420);
        answer(&*store, 0, "ann", 415);
        assert_eq!(plan.standing(&*store, 419), (0, 1, 0));
        assert_eq!(
            plan.standing(&*store, 420),
            (0, 0, 1),
            "a holder who answered counts when its lease ends"
        );
        let patient = Plan { replacements: 1, ..plan };
        assert_eq!(patient.claim(&*store, "bob", 420, 430), Some((0, 41)), "it counted once");
    }

    /// A place that was given up can be claimed again once it is reopened, with as many replacements as before.
    pub fn a_place_that_was_given_up_is_reopened(&self) {
        let Fresh { store, folder: _folder } = self.fresh();
        let plan = Plan { places: 2, replacements: 1 };
        let give_up = |first: u32| {
            for attempt in first..first + 2 {
                let holder = format!("holder {attempt}");
                assert_eq!(plan.claim(&*store, &holder, 0, 10), Some((0, attempt)));
                assert!(!reopen(&*store, plan, 0, 5), "a held place was not given up");
                release(&*store, 0, &holder, Release::Answered);
            }
            assert_eq!(plan.standing(&*store, 0), (0, 0, 1));
        };
        give_up(0);
        assert!(!reopen(&*store, plan, 1, 0), "a free place was not given up");
        assert!(reopen(&*store, plan, 0, 0));
        assert!(!reopen(&*store, plan, 0, 0), "once is enough");
        assert_eq!(plan.standing(&*store, 0), (0, 0, 0));
        give_up(2);
        assert!(reopen(&*store, plan, 0, 0));
        assert_eq!(plan.claim(&*store, "ann", 0, 10), Some((0, 4)));
        release(&*store, 0, "ann", Release::Completed);
        assert!(!reopen(&*store, plan, 0, 0), "a done place was not given up");
        assert_eq!(plan.standing(&*store, 0), (1, 0, 0));
    }

    /// A place may have one holder more than its replacements, and is then skipped.
    pub fn places_are_given_up_after_their_replacements(&self) {
        let Fresh { store, folder: _folder } = self.fresh();
        let plan = Plan { places: 2, replacements: 2 };
        for attempt in 0..3 {
            let holder = format!("holder {attempt}");
            assert_eq!(plan.claim(&*store, &holder, 0, 10), Some((0, attempt)));
            release(&*store, 0, &holder, Release::Answered);
        }
        assert_eq!(plan.standing(&*store, 0), (0, 0, 1));
        for attempt in 0..3 {
            let now = 10 * u64::from(attempt);
            let holder = format!("late {attempt}");
            assert_eq!(plan.claim(&*store, &holder, now, now + 10), Some((1, attempt)));
            answer(&*store, 1, &holder, now + 10);
        }
        assert_eq!(plan.standing(&*store, 29), (0, 1, 1));
        assert_eq!(plan.claim(&*store, "ann", 30, 40), None);
        assert_eq!(plan.standing(&*store, 30), (0, 0, 2));
        release(&*store, 1, "late 2", Release::Completed);
        assert_eq!(plan.standing(&*store, 30), (1, 0, 1));
        let patient = Plan { replacements: 3, ..plan };
        assert_eq!(patient.claim(&*store, "ann", 30, 40), Some((0, 3)), "the plan limits the number");
    }

    /// No matter how many claims arrive at once, no pair of place and attempt is assigned twice, and no place beyond
    /// the plan.
    pub fn arrivals_at_once_get_places_of_their_own(&self) {
        const EACH: u32 = 12;
        let plan = Plan { places: 30, replacements: 0 };
        let (Fresh { store, folder: _folder }, granted) = self.compete(4, |writer, store| {
            let claim = |arrival: u32| {
                let holder = format!("holder {writer} {arrival}");
                let claimed = patient(|| async {
                    // The same request from several threads, as if a page were loaded twice.
                    let request = |holder| ClaimRequest { holder, now: Micros(0), until: Micros(100) };
                    plan.request(store, request("twin")).await?;
                    plan.request(store, request(&holder)).await
                });
                claimed.unwrap_or_else(|error| panic!("{holder}: {error}"))
            };
            (0..EACH).filter_map(claim).collect::<Vec<_>>()
        });
        let granted: Vec<_> = granted.into_iter().flatten().collect();
        let mut places: BTreeSet<u32> = granted.iter().map(|claimed| claimed.place).collect();
        assert_eq!(places.len(), granted.len(), "a place was assigned twice");
        assert!(granted.iter().all(|claimed| claimed.attempt == 0));
        assert_eq!(granted.len() as u32, plan.places - 1, "of {} requests for {}", 4 * EACH, plan.places - 1);
        places.extend(plan.claim(&*store, "twin", 0, 100).map(|(place, _)| place));
        assert!(places.into_iter().eq(0..plan.places));
        assert_eq!(plan.standing(&*store, 0), (0, plan.places, 0));
    }

    /// The first free place is found among places of all kinds.
    pub fn a_place_in_a_large_plan_is_found_among_many(&self) {
        let Fresh { store, folder: _folder } = self.fresh();
        let plan = Plan { places: 400, replacements: 1 };
        for number in 0..300 {
            let holder = format!("holder {number}");
            assert_eq!(plan.claim(&*store, &holder, 0, 100 + u64::from(number)), Some((number, 0)));
            if number % 3 == 0 {
                release(&*store, number, &holder, Release::Completed);
            }
        }
        release(&*store, 250, "holder 250", Release::Answered);
        assert_eq!(plan.claim(&*store, "ann", 50, 5_000), Some((250, 1)));
        assert_eq!(plan.claim(&*store, "bob", 50, 5_000), Some((300, 0)));
        release(&*store, 250, "ann", Release::Answered);
        release(&*store, 298, "holder 298", Release::Answered);
        assert_eq!(plan.claim(&*store, "ann", 50, 5_000), Some((298, 1)), "250 is given up");
        assert_eq!(plan.claim(&*store, "cem", 200, 5_000), Some((1, 1)), "the leases up to 100 have ended");
        assert_eq!(plan.claim(&*store, "dan", 200, 5_000), Some((2, 1)));
        assert_eq!(plan.claim(&*store, "eve", 200, 5_000), Some((4, 1)));
        assert!(prolong(&*store, 5, "holder 5", 5_000), "it has not been claimed since");
        assert_eq!(plan.claim(&*store, "fay", 200, 5_000), Some((7, 1)));
        let (done, held, given_up) = plan.standing(&*store, 200);
        assert_eq!((done, given_up), (100, 1));
        // Places 101 to 299 with leases beyond 200, except 250, and seven others: bob, cem, dan, eve, fay, 5 and, among
        // the former, ann.
        let leases = (101..300).filter(|number| number % 3 != 0 && *number != 250).count();
        assert_eq!(held as usize, leases + 6);
    }
}
