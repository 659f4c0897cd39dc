//! The rule of places: who gets which place of a study's plan.
//!
//! A plan has a fixed number of places, and each place has to be completed once. The history of a plan is a log of
//! [`PlaceChange`]s. [`Places`] is the fold of that log; its methods answer requests with the change to append. Nothing
//! here reads a clock or a store, so every driver and every process makes the same decisions.

use std::collections::BTreeSet;
use std::ops::Bound;
use std::sync::Arc;

use crate::model::units::Micros;

/// The number of places in a study, and how many holders each may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plan {
    /// The number of places; the first has the number 0.
    pub places: u32,
    /// How many holders may use up an attempt at a place without completing it, after the first one, before the place is given
    /// up. Holders who answered little do not count, so entering and leaving cannot use up a study.
    pub replacements: u32,
}

/// A request to hold a place until a lease ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClaimRequest<'a> {
    /// The claimant, under a name that is unique in the study.
    pub holder: &'a str,
    /// The current time, on a clock that all claimants share.
    pub now: Micros,
    /// When the lease ends. The lease does not include this instant.
    pub until: Micros,
}

/// A claimed place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Claimed {
    /// The place's number.
    pub place: u32,
    /// How many holders it had before.
    pub attempt: u32,
}

/// Whether a place can be claimed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Occupancy {
    /// Anyone may claim it.
    #[default]
    Free,
    /// It belongs to its holder until the lease ends.
    Held,
    /// Its session was completed; it cannot be claimed again.
    Done,
}

/// The state of a place.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PlaceState {
    /// The current holder, or the last one, who may return until someone else claims the place.
    pub holder: Option<Arc<str>>,
    /// When the current lease ends, or the last one ended.
    pub until: Micros,
    /// How many holders it has had, which is the number of the next attempt.
    pub holders: u32,
    /// How many of them answered at least one trial since the place was [reopened](Places::reopen), if it ever was.
    pub spent: u32,
    /// Whether the current or last holder is one of those who answered.
    pub answered: bool,
    /// Whether it can be claimed.
    pub occupancy: Occupancy,
}

impl PlaceState {
    /// The state after an answer of the current holder, who counts once.
    fn with_answer(self) -> Self {
        Self { spent: self.spent + u32::from(!self.answered), answered: true, ..self }
    }
}

/// An entry in a plan's log: a place and its new state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlaceChange {
    /// The place's number.
    pub place: u32,
    /// The number of earlier changes of the place. Of two changes with the same number, the first one counts.
    pub number: u32,
    /// The new state.
    pub state: PlaceState,
}

/// The status of a place in a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlaceKind {
    /// It can be claimed.
    Free,
    /// It is held, and the lease has not ended.
    Held,
    /// Its session was completed.
    Done,
    /// It is not held, and the maximum number of holders have answered without completing it.
    GivenUp,
}

/// Why a place is released.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Release {
    /// Its session was completed by a rater who counts, so the place cannot be claimed again.
    Completed,
    /// Its session had answers but does not fill the place: the rater left, did not qualify, or is excluded.
    Answered,
    /// Its session ended without an answer.
    Unanswered,
}

impl Release {
    /// The release of a place whose session ended, with or without answers.
    #[must_use]
    pub const fn after(fills: bool, is_answered: bool) -> Self {
        match (fills, is_answered) {
            (true, _) => Self::Completed,
            (false, true) => Self::Answered,
            (false, false) => Self::Unanswered,
        }
    }
}

/// The number of places of each [kind](PlaceKind) in a plan; the remaining places are free.
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
    /// The number of places that are done or given up.
    #[must_use]
    pub const fn settled(self) -> u32 {
        self.done + self.given_up
    }
}

/// The state of a place's latest session according to its log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LatestSession {
    /// The session's rater.
    pub rater: Arc<str>,
    /// The attempt number.
    pub attempt: u32,
    /// Whether the session has ended, and how.
    pub progress: Progress,
    /// Whether a trial was answered.
    pub answered: bool,
}

/// Whether a session has ended, and how.
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
    /// All places up to the last one that was ever claimed.
    entries: Vec<Entry>,
    /// Free places among them, and held places whose leases ended by `clock`, sorted by the number of holders
    /// who answered, then by place number.
    free: BTreeSet<(u32, u32)>,
    /// Held places, by the end of their leases.
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
    /// Applies a change. It is ignored if a later change of the same place has been applied.
    pub fn apply(&mut self, change: &PlaceChange) {
        if change.number.saturating_add(1) >= self.changes(change.place) {
            self.set(change.place, change.number.saturating_add(1), change.state.clone());
        }
    }

    /// Resets a place to its state after `changes` changes, which undoes a change that was not appended.
    pub(crate) fn set(&mut self, place: u32, changes: u32, state: PlaceState) {
        while self.entries.len() <= place as usize {
            self.free.insert((0, self.entries.len() as u32));
            self.entries.push(Entry::default());
        }
        self.unlist(place);
        self.entries[place as usize] = Entry { changes, state };
        self.list(place);
    }

    /// The number of changes of a place so far.
    #[must_use]
    pub fn changes(&self, place: u32) -> u32 {
        self.entries.get(place as usize).map_or(0, |entry| entry.changes)
    }

    /// The state of a place.
    #[must_use]
    pub fn state(&self, place: u32) -> PlaceState {
        self.entries.get(place as usize).map(|entry| entry.state.clone()).unwrap_or_default()
    }

    /// The place that a claim gets, with the change to append: the holder's current place, or else the first free one.
    /// `None` if no place is free now.
    ///
    /// A place is free if it is not done, it is not held or its lease has ended, and at most
    /// `plan.replacements` holders answered trials of it. Each new holder makes the next attempt at the place: each pair of place
    /// and attempt is assigned only once. A holder who claims again gets the same place and attempt, with a lease that is
    /// never shorter than before. This holds even after the lease has ended, until someone else claims the place.
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

    /// The place that the next new holder gets; `None` if no place is free now.
    pub fn next(&mut self, plan: Plan, now: Micros) -> Option<Claimed> {
        self.set_clock(now);
        // Visits at most one free place for each number of holders who answered.
        let mut first = self.entries.len() as u32;
        let mut from = 0;
        while let Some(&(spent, place)) = self.free.range((from, 0)..).next() {
            if spent > plan.replacements {
                break;
            }
            first = first.min(place);
            from = spent + 1;
        }
        let holders = self.entries.get(first as usize).map_or(0, |entry| entry.state.holders);
        (first < plan.places).then_some(Claimed { place: first, attempt: holders })
    }

    /// The change that assigns a place to a new holder.
    pub(crate) fn take(&self, place: u32, holder: &str, until: Micros) -> PlaceChange {
        let PlaceState { holders, spent, .. } = self.state(place);
        self.change(
            place,
            PlaceState {
                holder: Some(holder.into()),
                until,
                holders: holders + 1,
                spent,
                answered: false,
                occupancy: Occupancy::Held,
            },
        )
    }

    /// The change that extends a lease; `None` if `holder` does not hold the place. A lease is never shortened. An
    /// expired lease can be extended until someone else claims the place.
    #[must_use]
    pub fn prolong(&self, place: u32, holder: &str, until: Micros) -> Option<PlaceChange> {
        let state = self.held_by(place, holder)?;
        let until = state.until.max(until);
        Some(self.change(place, PlaceState { until, occupancy: Occupancy::Held, ..state }))
    }

    /// The change that records the holder's first answer and extends the lease; `None` if `holder` does not hold the
    /// place. From then on the holder counts among those who may answer before the place is given up.
    #[must_use]
    pub fn answered(&self, place: u32, holder: &str, until: Micros) -> Option<PlaceChange> {
        let change = self.prolong(place, holder, until)?;
        Some(PlaceChange { state: change.state.with_answer(), ..change })
    }

    /// The change that ends a lease at `now`; `None` if `holder` does not hold the place. Anyone may then claim the
    /// place, and its holder may return until someone does.
    #[must_use]
    pub fn suspend(&self, place: u32, holder: &str, now: Micros) -> Option<PlaceChange> {
        let state = self.held_by(place, holder)?;
        Some(self.change(place, PlaceState { until: now, occupancy: Occupancy::Free, ..state }))
    }

    /// The change that releases a place; `None` if `holder` does not hold it.
    #[must_use]
    pub fn release(&self, place: u32, holder: &str, release: Release) -> Option<PlaceChange> {
        let state = self.held_by(place, holder)?;
        let (state, occupancy) = match release {
            Release::Completed => (state.with_answer(), Occupancy::Done),
            Release::Answered => (state.with_answer(), Occupancy::Free),
            Release::Unanswered => (state, Occupancy::Free),
        };
        Some(self.change(place, PlaceState { holder: None, occupancy, ..state }))
    }

    /// The change that lets a done place be claimed again, as the operator excludes the rater of the attempt that
    /// filled it. `None` if the place is not done, or a later attempt filled it. The place is given up if it has had all
    /// its replacements, as with exclusions by a rule.
    #[must_use]
    pub fn vacate(&self, place: u32, attempt: u32) -> Option<PlaceChange> {
        let state = self.state(place);
        let is_filled_by = state.occupancy == Occupancy::Done && state.holders == attempt + 1;
        is_filled_by.then(|| self.change(place, PlaceState { occupancy: Occupancy::Free, ..state }))
    }

    /// The change that lets a place be claimed again that was [given up](PlaceKind::GivenUp); `None` if it was not. It
    /// then has as many replacements as at the start. Its last holder may return until someone else claims it.
    #[must_use]
    pub fn reopen(&self, plan: Plan, place: u32, now: Micros) -> Option<PlaceChange> {
        (self.kind(plan, place, now) == PlaceKind::GivenUp).then(|| self.freed(place))
    }

    /// The change that lets a place be claimed again that an attempt has filled, as its answers were erased; `None` if the
    /// place is not done, or was filled by another attempt.
    #[must_use]
    pub fn reopen_erased(&self, place: u32, attempt: u32) -> Option<PlaceChange> {
        let PlaceState { occupancy, holders, .. } = self.state(place);
        (occupancy == Occupancy::Done && holders == attempt + 1).then(|| self.freed(place))
    }

    fn freed(&self, place: u32) -> PlaceChange {
        self.change(place, PlaceState { spent: 0, occupancy: Occupancy::Free, ..self.state(place) })
    }

    /// The change that brings a place in line with its latest session; `None` if it already is. This accounts for
    /// sessions that were collected without claims, and for sessions whose driver ended before it released the place.
    #[must_use]
    pub fn follow(&self, place: u32, latest: &LatestSession) -> Option<PlaceChange> {
        let state = self.state(place);
        let holders = latest.attempt + 1;
        // A later attempt was claimed and has no session yet, or the place is done.
        if holders < state.holders || state.occupancy == Occupancy::Done {
            return None;
        }
        let is_current = holders == state.holders;
        let is_known = is_current && state.holder.as_ref().is_none_or(|by| *by == latest.rater);
        // Nothing is known of holders between the last one and this one; they count as having answered.
        let before = if is_current {
            state.clone()
        } else {
            PlaceState {
                holders,
                spent: state.spent + (holders - state.holders - 1),
                answered: false,
                ..state.clone()
            }
        };
        let before = if latest.answered { before.with_answer() } else { before };
        let followed = match latest.progress {
            Progress::Completed => PlaceState { holder: None, occupancy: Occupancy::Done, ..before },
            Progress::Failed => PlaceState { holder: None, occupancy: Occupancy::Free, ..before },
            Progress::Unfinished if is_known => before,
            Progress::Unfinished => PlaceState {
                holder: Some(Arc::clone(&latest.rater)),
                until: Micros(0),
                occupancy: Occupancy::Free,
                ..before
            },
        };
        (followed != state).then(|| self.change(place, followed))
    }

    /// The status of a place in a plan.
    #[must_use]
    pub fn kind(&self, plan: Plan, place: u32, now: Micros) -> PlaceKind {
        match self.entries.get(place as usize).map(|entry| &entry.state) {
            Some(PlaceState { occupancy: Occupancy::Done, .. }) => PlaceKind::Done,
            Some(PlaceState { occupancy: Occupancy::Held, until, .. }) if *until > now => PlaceKind::Held,
            Some(PlaceState { spent, .. }) if *spent > plan.replacements => PlaceKind::GivenUp,
            _ => PlaceKind::Free,
        }
    }

    /// Counts the places of a plan by status.
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

    /// The places of a plan with a current holder, or a last one who may return, in ascending order.
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
            let listed = (self.entries[place as usize].state.spent, place);
            if now > self.clock {
                self.free.insert(listed)
            } else {
                self.free.remove(&listed)
            };
        }
        self.clock = now;
    }

    /// Whether `holder` is the current holder of a place, or the last one, who may return.
    #[must_use]
    pub fn has(&self, holder: &str) -> bool {
        self.place_of(holder).is_some()
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
        self.free.remove(&(state.spent, place));
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
            self.free.insert((state.spent, place));
        }
        if let Some(holder) = &state.holder {
            self.holders.insert((Arc::clone(holder), place));
        }
    }
}
