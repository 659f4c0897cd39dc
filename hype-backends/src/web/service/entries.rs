//! How fast raters enter, and who holds places without having answered.
//!
//! All of it is in memory only. Addresses are hashed with a key that is drawn when the process starts, and appear in no
//! log, so it cannot reveal who took part.

use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasher as _, RandomState};
use std::net::IpAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};

use hype_core::Micros;

use crate::web::service::fault::Fault;
use crate::web::settings::entries::EntryLimits;

/// The number of sources at which those that may enter as if they were new are dropped. The limit of all entries bounds how
/// many others there are.
const SWEEP_AT: usize = 4_096;

/// How long a rater may hold a place without an answer before a rater from elsewhere may take it if no place is free.
pub(crate) const UNANSWERED_FOR: Micros = Micros(5 * 60_000_000);

/// The keyed hash of an address; `None` for requests without one, which all count as one source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Source(Option<u64>);

/// Admits raters at a limited rate, and remembers which places they hold.
#[derive(Debug, Default)]
pub(crate) struct Entries {
    hasher: RandomState,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    all: Option<Bucket>,
    sources: HashMap<Source, Bucket>,
    /// Places whose holders have not answered, as far as this process knows.
    unanswered: BTreeMap<u32, Unanswered>,
}

/// A place whose holder has not answered.
#[derive(Debug, Clone)]
struct Unanswered {
    rater: String,
    source: Source,
    since: Micros,
}

/// A token bucket.
#[derive(Debug, Clone, Copy)]
struct Bucket {
    left: f64,
    at: Micros,
}

impl Bucket {
    fn at(self, now: Micros, burst: u32, per_minute: u32) -> Self {
        let minutes = Micros(now.0.saturating_sub(self.at.0)).as_secs_f64() / 60.0;
        Self { left: (self.left + minutes * f64::from(per_minute)).min(f64::from(burst)), at: now }
    }

    /// The time until an entry is allowed, in whole seconds; 0 if one is allowed now.
    fn wait(self, per_minute: u32) -> u32 {
        let missing = (1.0 - self.left).max(0.0);
        (missing * 60.0 / f64::from(per_minute)).ceil() as u32
    }
}

impl Entries {
    /// The source of requests from an address. An IPv4 address counts whole, an IPv6 address by its first 64 bits, which
    /// is what a household or a computer gets.
    pub(crate) fn source(&self, address: Option<IpAddr>) -> Source {
        Source(address.map(|address| match address.to_canonical() {
            IpAddr::V4(address) => self.hasher.hash_one(address),
            IpAddr::V6(address) => self.hasher.hash_one((address.to_bits() >> 64) as u64),
        }))
    }

    /// Charges an entry to its source and to all entries.
    ///
    /// # Errors
    /// [`Fault::Crowded`] if either limit is reached; nothing is charged then.
    pub(crate) fn admit(&self, limits: &EntryLimits, source: Source, now: Micros) -> Result<(), Fault> {
        let mut state = self.state();
        let full = |burst: u32| Bucket { left: f64::from(burst), at: now };
        let (source_burst, burst) = (limits.source_burst, limits.burst());
        let (source_per_minute, per_minute) = (limits.source_per_minute(), limits.per_minute());
        if state.sources.len() >= SWEEP_AT && !state.sources.contains_key(&source) {
            let most = f64::from(source_burst);
            state.sources.retain(|_, bucket| bucket.at(now, source_burst, source_per_minute).left < most);
        }
        let all = state.all.unwrap_or(full(burst)).at(now, burst, per_minute);
        // Requests without an address are limited together with all others only.
        let own = source.0.map(|_| {
            let own = state.sources.get(&source).copied().unwrap_or(full(source_burst));
            own.at(now, source_burst, source_per_minute)
        });
        let wait = all.wait(per_minute).max(own.map_or(0, |own| own.wait(source_per_minute)));
        if wait > 0 {
            return Err(Fault::Crowded { seconds: wait });
        }
        state.all = Some(Bucket { left: all.left - 1.0, ..all });
        if let Some(own) = own {
            state.sources.insert(source, Bucket { left: own.left - 1.0, ..own });
        }
        Ok(())
    }

    /// Records that a rater from a source has entered and holds a place.
    pub(crate) fn entered(&self, place: u32, rater: &str, source: Source, now: Micros) {
        let unanswered = Unanswered { rater: rater.to_owned(), source, since: now };
        self.state().unanswered.insert(place, unanswered);
    }

    /// Records that the holder of a place has answered, or no longer holds it.
    pub(crate) fn settled(&self, place: u32, rater: &str) {
        let mut state = self.state();
        if state.unanswered.get(&place).is_some_and(|held| held.rater == rater) {
            state.unanswered.remove(&place);
        }
    }

    /// The place and the holder to give up when no place is free for a rater from a source: of the source with the most
    /// holders who have not answered, the one who entered first, if that was [`UNANSWERED_FOR`] ago. `None` if no other
    /// source would still have at least as many as this one.
    pub(crate) fn to_displace(&self, source: Source, now: Micros) -> Option<(u32, String)> {
        let state = self.state();
        let mut counts: HashMap<Source, usize> = HashMap::new();
        for held in state.unanswered.values() {
            *counts.entry(held.source).or_default() += 1;
        }
        let own = counts.get(&source).copied().unwrap_or(0);
        let is_old = |held: &Unanswered| now.0.saturating_sub(held.since.0) >= UNANSWERED_FOR.0;
        let crowded = |held: &Unanswered| counts.get(&held.source).copied().unwrap_or(0);
        let candidates = state.unanswered.iter().filter(|(_, held)| is_old(held) && crowded(held) > own + 1);
        let (place, held) = candidates.min_by_key(|(place, held)| {
            (std::cmp::Reverse(crowded(held)), held.since, held.source, **place)
        })?;
        Some((*place, held.rater.clone()))
    }

    /// No panic can leave the state half changed, so a poisoned lock is safe to use.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: EntryLimits = EntryLimits { source_burst: 60 };

    fn minutes(count: u64) -> Micros {
        Micros(count * 60_000_000)
    }

    #[test]
    fn a_source_gets_its_burst_and_then_its_rate_and_all_sources_share_a_limit() {
        let entries = Entries::default();
        let source = |address: &str| entries.source(Some(address.parse().unwrap()));
        let admitted = |address: &str, now| {
            (0..1_000).take_while(|_| entries.admit(&LIMITS, source(address), now).is_ok()).count()
        };
        assert_eq!(admitted("192.0.2.1", minutes(0)), 60);
        let refused = entries.admit(&LIMITS, source("192.0.2.1"), minutes(0));
        assert_eq!(refused, Err(Fault::Crowded { seconds: 3 }));
        let others: usize = (0..9).map(|other| admitted(&format!("2001:db8:2:{other}::1"), minutes(0))).sum();
        assert_eq!(others, 540, "those that are left of all entries");
        assert_eq!(admitted("2001:db8:1:2::1", minutes(0)), 0);
        assert_eq!(admitted("192.0.2.1", minutes(1)), 20);
        assert_eq!(admitted("2001:db8:1:2:ffff::9", minutes(1)), 60, "the same network of 64 bits");
        assert_eq!(admitted("2001:db8:1:2::1", minutes(1)), 0, "its other half");
        assert_eq!(admitted("2001:db8:1:3::1", Micros(u64::MAX)), 60);
    }

    #[test]
    fn the_number_of_sources_is_bounded() {
        let entries = Entries::default();
        let limits = EntryLimits { source_burst: u32::MAX };
        for number in 0..3 * SWEEP_AT as u32 {
            let source = entries.source(Some(std::net::Ipv4Addr::from_bits(number).into()));
            entries.admit(&limits, source, Micros(u64::from(number) * 3_000_000)).unwrap();
            assert!(entries.state().sources.len() <= SWEEP_AT);
        }
    }

    #[test]
    fn silent_holders_make_room_for_a_source_that_holds_less() {
        let entries = Entries::default();
        let [crowd, other] =
            ["192.0.2.1", "192.0.2.2"].map(|text| entries.source(Some(text.parse().unwrap())));
        for place in 0..3 {
            entries.entered(place, &format!("r{place}"), crowd, Micros(u64::from(place)));
        }
        assert_eq!(entries.to_displace(other, minutes(4)), None, "they may still be reading");
        assert_eq!(entries.to_displace(crowd, minutes(6)), None, "none of one's own");
        assert_eq!(entries.to_displace(other, minutes(6)), Some((0, "r0".to_owned())));
        entries.settled(0, "r9");
        entries.settled(0, "r0");
        entries.entered(0, "s0", other, minutes(6));
        assert_eq!(entries.to_displace(other, minutes(12)), None, "it would hold more than the other");
        let third = entries.source(None);
        assert_eq!(entries.to_displace(third, minutes(12)), Some((1, "r1".to_owned())));
    }
}
