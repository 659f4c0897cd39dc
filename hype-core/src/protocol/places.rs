//! The rule of places: who gets which place of a study's plan.
//!
//! A plan has a fixed number of places, and each of them is to be completed once. The history of a plan is a log of
//! [`PlaceChange`]s. [`Places`] is the fold of that log; its methods answer requests with the change to
//! append. Nothing in here reads a clock or a store, so that every driver and every process decides alike.

use std::collections::BTreeSet;
use std::ops::Bound;
use std::sync::Arc;

use crate::model::units::Micros;

/// How many places a study has, and how often each may change hands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plan {
    /// The number of places; the first has the number 0.
    pub places: u32,
    /// How many more holders a place may have after the first before it is given up.
    pub replacements: u32,
}

/// A request to hold a place until a lease ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClaimRequest<'a> {
    /// Who asks: a name that nobody else has.
    pub holder: &'a str,
    /// Now, on a clock shared by all who claim.
    pub now: Micros,
    /// When the lease ends; at that instant it is over.
    pub until: Micros,
}

/// A claimed place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Claimed {
    /// The place's number.
    pub place: u32,
    /// How many held it before.
    pub attempt: u32,
}

/// Whether a place can be claimed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Occupancy {
    /// Anybody may claim it.
    #[default]
    Free,
    /// Its holder has it until the lease ends.
    Held,
    /// Its session was completed; nobody claims it again.
    Done,
}

/// The state of a place.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PlaceState {
    /// Who holds it, or held it last and may come back as long as nobody else has claimed it.
    pub holder: Option<Arc<str>>,
    /// When the last lease ends.
    pub until: Micros,
    /// How many have held it.
    pub holders: u32,
    /// Whether it can be claimed.
    pub occupancy: Occupancy,
}

/// An entry of a plan's log: a place and its state from then on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlaceChange {
    /// The place's number.
    pub place: u32,
    /// How many changes the place has had before. Of two changes with the same number the first one counts.
    pub number: u32,
    /// The state from then on.
    pub state: PlaceState,
}

/// What has become of a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlaceKind {
    /// It can be claimed.
    Free,
    /// Somebody holds it, and the lease has not ended.
    Held,
    /// Its session was completed.
    Done,
    /// Nobody holds it, and it has had as many holders as it may.
    GivenUp,
}

/// How many places of a plan there are of each [kind](PlaceKind). The others are free.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PlaceCounts {
    /// Done places.
    pub done: u32,
    /// Held places.
    pub held: u32,
    /// Places that were given up.
    pub given_up: u32,
}

impl PlaceCounts {
    /// How many are done or given up.
    #[must_use]
    pub const fn settled(self) -> u32 {
        self.done + self.given_up
    }
}

/// What the log of a place's latest session says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LatestSession {
    /// The session's rater.
    pub rater: Arc<str>,
    /// Which attempt at the place it is.
    pub attempt: u32,
    /// How the session stands.
    pub progress: Progress,
}

/// How a session stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// It can be resumed.
    Unfinished,
    /// It ended without filling its place: the rater left, did not qualify, or is excluded.
    Failed,
    /// It was completed by a rater who counts.
    Completed,
}

/// The fold of a plan's log.
///
/// # Examples
/// ```
/// use hype_core::protocol::places::{ClaimRequest, Claimed, Places, Plan};
/// use hype_core::Micros;
///
/// let (plan, mut places) = (Plan { places: 1, replacements: 0 }, Places::default());
/// let ann = ClaimRequest { holder: "ann", now: Micros(0), until: Micros(10) };
/// let (claimed, change) = places.claim(plan, &ann).unwrap();
/// assert_eq!(claimed, Claimed { place: 0, attempt: 0 });
/// places.apply(&change);
/// let bob = ClaimRequest { holder: "bob", ..ann };
/// assert!(places.claim(plan, &bob).is_none());
/// ```
#[derive(Debug, Default)]
pub struct Places {
    /// The places up to the last one that was ever claimed.
    entries: Vec<Entry>,
    /// The free ones among them, and the held ones whose leases have ended by `clock`; by the holders that they have
    /// had and by number.
    free: BTreeSet<(u32, u32)>,
    /// The held ones, by the end of their leases.
    leases: BTreeSet<(Micros, u32)>,
    /// The time of the last claim.
    clock: Micros,
    /// Holders with their places.
    holders: BTreeSet<(Arc<str>, u32)>,
}

#[derive(Debug, Default)]
struct Entry {
    /// How many changes the place has had.
    changes: u32,
    state: PlaceState,
}

impl Places {
    /// Takes a change into account. A change that a later one of the same place has replaced is ignored.
    pub fn apply(&mut self, change: &PlaceChange) {
        if change.number.saturating_add(1) >= self.changes(change.place) {
            self.set(change.place, change.number.saturating_add(1), change.state.clone());
        }
    }

    /// Gives a place the state that it had after so many changes: undoes a change that was not appended.
    pub(crate) fn set(&mut self, place: u32, changes: u32, state: PlaceState) {
        while self.entries.len() <= place as usize {
            self.free.insert((0, self.entries.len() as u32));
            self.entries.push(Entry::default());
        }
        self.unlist(place);
        self.entries[place as usize] = Entry { changes, state };
        self.list(place);
    }

    /// How many changes a place has had.
    #[must_use]
    pub fn changes(&self, place: u32) -> u32 {
        self.entries.get(place as usize).map_or(0, |entry| entry.changes)
    }

    /// The state of a place.
    #[must_use]
    pub fn state(&self, place: u32) -> PlaceState {
        self.entries.get(place as usize).map(|entry| entry.state.clone()).unwrap_or_default()
    }

    /// The place that a claim gets, with the change to append: the one that the holder has, else the first that is
    /// free. `None` if none is free now.
    ///
    /// A place is free if it is not done, nobody holds it or the lease has ended, and it has had at most
    /// `plan.replacements` holders before. Each new holder makes the next attempt at the place, so that place and
    /// attempt together are given out once only. A holder who claims again gets the same place, with the same attempt
    /// and a lease that is never shorter than before; also after the lease has ended, until somebody else claims
    /// the place.
    pub fn claim(&mut self, plan: Plan, request: &ClaimRequest<'_>) -> Option<(Claimed, PlaceChange)> {
        let claimed = match self.place_of(request.holder) {
            Some(place) => {
                let change = self.prolong(place, request.holder, request.until)?;
                return Some((self.claimed(place), change));
            }
            None => self.next(plan, request.now)?,
        };
        Some((claimed, self.take(claimed.place, request.holder, request.until)))
    }

    /// The place that the next new holder gets. `None` if none is free now.
    pub fn next(&mut self, plan: Plan, now: Micros) -> Option<Claimed> {
        self.set_clock(now);
        // Visits one free place for each number of holders, and no more.
        let mut first = self.entries.len() as u32;
        let mut from = 0;
        while let Some(&(holders, place)) = self.free.range((from, 0)..).next() {
            if holders > plan.replacements {
                break;
            }
            first = first.min(place);
            from = holders + 1;
        }
        let holders = self.entries.get(first as usize).map_or(0, |entry| entry.state.holders);
        (first < plan.places).then_some(Claimed { place: first, attempt: holders })
    }

    /// The change that gives a place to a new holder.
    pub(crate) fn take(&self, place: u32, holder: &str, until: Micros) -> PlaceChange {
        let holders = self.state(place).holders + 1;
        self.change(
            place,
            PlaceState { holder: Some(holder.into()), until, holders, occupancy: Occupancy::Held },
        )
    }

    /// The change that prolongs a lease; `None` if `holder` does not hold the place. A lease never becomes shorter. A
    /// holder may come late, as long as nobody else has claimed the place.
    #[must_use]
    pub fn prolong(&self, place: u32, holder: &str, until: Micros) -> Option<PlaceChange> {
        let state = self.held_by(place, holder)?;
        let until = state.until.max(until);
        Some(self.change(place, PlaceState { until, occupancy: Occupancy::Held, ..state }))
    }

    /// The change that ends a lease at `now`; `None` if `holder` does not hold the place. Anybody may claim the place
    /// then, and until somebody does its holder may come back.
    #[must_use]
    pub fn suspend(&self, place: u32, holder: &str, now: Micros) -> Option<PlaceChange> {
        let state = self.held_by(place, holder)?;
        Some(self.change(place, PlaceState { until: now, occupancy: Occupancy::Free, ..state }))
    }

    /// The change that gives a place back; `None` if `holder` does not hold it. `done` if its session was completed,
    /// so that nobody claims it again.
    #[must_use]
    pub fn release(&self, place: u32, holder: &str, done: bool) -> Option<PlaceChange> {
        let state = self.held_by(place, holder)?;
        let occupancy = if done { Occupancy::Done } else { Occupancy::Free };
        Some(self.change(place, PlaceState { holder: None, occupancy, ..state }))
    }

    /// The change that makes a place follow from its latest session; `None` if it does already. This accounts for
    /// sessions that were collected without claims, and for those whose driver ended before it gave the place back.
    #[must_use]
    pub fn follow(&self, place: u32, latest: &LatestSession) -> Option<PlaceChange> {
        let state = self.state(place);
        let holders = latest.attempt + 1;
        // A later attempt has been claimed and has no session yet, or the place is done.
        if holders < state.holders || state.occupancy == Occupancy::Done {
            return None;
        }
        let is_known = holders == state.holders && state.holder.as_ref().is_none_or(|by| *by == latest.rater);
        let followed = match latest.progress {
            Progress::Completed => PlaceState { holder: None, occupancy: Occupancy::Done, ..state },
            Progress::Failed => PlaceState { holder: None, occupancy: Occupancy::Free, ..state },
            Progress::Unfinished if is_known => return None,
            Progress::Unfinished => PlaceState {
                holder: Some(Arc::clone(&latest.rater)),
                until: Micros(0),
                occupancy: Occupancy::Free,
                ..state
            },
        };
        let followed = PlaceState { holders, ..followed };
        (followed != self.state(place)).then(|| self.change(place, followed))
    }

    /// What has become of a place.
    #[must_use]
    pub fn kind(&self, plan: Plan, place: u32, now: Micros) -> PlaceKind {
        match self.entries.get(place as usize).map(|entry| &entry.state) {
            Some(PlaceState { occupancy: Occupancy::Done, .. }) => PlaceKind::Done,
            Some(PlaceState { occupancy: Occupancy::Held, until, .. }) if *until > now => PlaceKind::Held,
            Some(PlaceState { holders, .. }) if *holders > plan.replacements => PlaceKind::GivenUp,
            _ => PlaceKind::Free,
        }
    }

    /// Counts the places of a plan by what has become of them.
    #[must_use]
    pub fn counts(&self, plan: Plan, now: Micros) -> PlaceCounts {
        let mut counts = PlaceCounts::default();
        for place in 0..plan.places.min(self.entries.len() as u32) {
            match self.kind(plan, place, now) {
                PlaceKind::Done => counts.done += 1,
                PlaceKind::Held => counts.held += 1,
                PlaceKind::GivenUp => counts.given_up += 1,
                PlaceKind::Free => {}
            }
        }
        counts
    }

    /// The places of a plan that somebody holds, or held last and may come back to, in ascending order.
    pub fn holders(&self, plan: Plan) -> impl Iterator<Item = (Claimed, &Arc<str>)> {
        (0..).zip(self.entries.iter().take(plan.places as usize)).filter_map(|(place, entry)| {
            let holder = entry.state.holder.as_ref()?;
            Some((Claimed { place, attempt: entry.state.holders.checked_sub(1)? }, holder))
        })
    }

    /// Moves leases that have ended into the index of free places; back out of it where the clock goes back.
    fn set_clock(&mut self, now: Micros) {
        if now == self.clock {
            return;
        }
        let (from, to) = (self.clock.min(now), self.clock.max(now));
        let after = |at: Micros| Bound::Excluded((at, u32::MAX));
        for &(_, place) in self.leases.range((after(from), after(to))) {
            let listed = (self.entries[place as usize].state.holders, place);
            if now > self.clock {
                self.free.insert(listed)
            } else {
                self.free.remove(&listed)
            };
        }
        self.clock = now;
    }

    fn place_of(&self, holder: &str) -> Option<u32> {
        let (by, place) = self.holders.range((Arc::from(holder), 0)..).next()?;
        (**by == *holder).then_some(*place)
    }

    fn held_by(&self, place: u32, holder: &str) -> Option<PlaceState> {
        let state = &self.entries.get(place as usize)?.state;
        (state.holder.as_deref() == Some(holder)).then(|| state.clone())
    }

    fn claimed(&self, place: u32) -> Claimed {
        Claimed { place, attempt: self.state(place).holders.saturating_sub(1) }
    }

    fn change(&self, place: u32, state: PlaceState) -> PlaceChange {
        PlaceChange { place, number: self.changes(place), state }
    }

    /// Takes a place out of the indices.
    fn unlist(&mut self, place: u32) {
        let state = &self.entries[place as usize].state;
        self.free.remove(&(state.holders, place));
        self.leases.remove(&(state.until, place));
        if let Some(holder) = &state.holder {
            self.holders.remove(&(Arc::clone(holder), place));
        }
    }

    /// Puts a place into the indices.
    fn list(&mut self, place: u32) {
        let state = &self.entries[place as usize].state;
        let is_held = state.occupancy == Occupancy::Held;
        if is_held {
            self.leases.insert((state.until, place));
        }
        if state.occupancy == Occupancy::Free || (is_held && state.until <= self.clock) {
            self.free.insert((state.holders, place));
        }
        if let Some(holder) = &state.holder {
            self.holders.insert((Arc::clone(holder), place));
        }
    }
}
