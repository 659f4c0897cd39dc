//! The rules of claims, on plain maps.

use std::collections::{BTreeMap, BTreeSet};

use hype_core::Micros;
use hype_core::plugin::store::{Claimed, Standing, Wish};

/// Who holds which place of a plan.
#[derive(Debug, Default)]
pub(crate) struct Claims {
    /// The places that were ever claimed: 0, 1, 2 and so on.
    places: Vec<Place>,
    /// The free ones among them, by the holders that they have had and by number.
    free: BTreeSet<(u32, u32)>,
    /// The held ones, by the end of their leases.
    ending: BTreeSet<(Micros, u32)>,
    /// The places that holders can come back to.
    holders: BTreeMap<String, u32>,
}

#[derive(Debug)]
struct Place {
    /// Who holds it, or held it last and may come back.
    holder: Option<String>,
    until: Micros,
    /// How many have held it.
    holders: u32,
    state: State,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Free,
    Held,
    Done,
}

impl Claims {
    pub(crate) fn claim_next(&mut self, wish: &Wish<'_>) -> Option<Claimed> {
        if let Some(&number) = self.holders.get(wish.holder) {
            self.hold(number, wish.until);
            return Some(self.claimed(number));
        }
        while let Some(&(_, number)) = self.ending.first().filter(|(until, _)| *until <= wish.now) {
            self.free(number);
        }
        let number = self.first_free(wish)?;
        if number as usize == self.places.len() {
            self.places.push(Place { holder: None, until: wish.until, holders: 0, state: State::Free });
        }
        let place = &mut self.places[number as usize];
        self.free.remove(&(place.holders, number));
        if let Some(last) = place.holder.replace(wish.holder.to_owned()) {
            self.holders.remove(&last);
        }
        place.holders += 1;
        place.until = wish.until;
        self.holders.insert(wish.holder.to_owned(), number);
        self.hold(number, wish.until);
        Some(self.claimed(number))
    }

    pub(crate) fn prolong(&mut self, number: u32, holder: &str, until: Micros) -> bool {
        let holds = self.holders.get(holder) == Some(&number);
        if holds {
            self.hold(number, until);
        }
        holds
    }

    pub(crate) fn release(&mut self, number: u32, holder: &str, done: bool) {
        if self.holders.get(holder) != Some(&number) {
            return;
        }
        self.holders.remove(holder);
        self.free(number);
        let place = &mut self.places[number as usize];
        place.holder = None;
        if done {
            self.free.remove(&(place.holders, number));
            place.state = State::Done;
        }
    }

    pub(crate) fn standing(&self, now: Micros, replacements: u32) -> Standing {
        let mut standing = Standing::default();
        for place in &self.places {
            match place.state {
                State::Done => standing.done += 1,
                State::Held if place.until > now => standing.held += 1,
                _ if place.holders > replacements => standing.given_up += 1,
                _ => {}
            }
        }
        standing
    }

    /// The first place that may be claimed. Visits one free place for each number of holders, and no more.
    fn first_free(&self, wish: &Wish<'_>) -> Option<u32> {
        let mut first = self.places.len() as u32;
        let mut from = 0;
        while let Some(&(holders, number)) = self.free.range((from, 0)..).next() {
            if holders > wish.replacements {
                break;
            }
            first = first.min(number);
            from = holders + 1;
        }
        (first < wish.places).then_some(first)
    }

    /// Makes a place held by the holder that it has.
    fn hold(&mut self, number: u32, until: Micros) {
        let place = &mut self.places[number as usize];
        match place.state {
            State::Free => self.free.remove(&(place.holders, number)),
            _ => self.ending.remove(&(place.until, number)),
        };
        place.state = State::Held;
        place.until = place.until.max(until);
        self.ending.insert((place.until, number));
    }

    /// Makes a place free; its holder may come back.
    fn free(&mut self, number: u32) {
        let place = &mut self.places[number as usize];
        self.ending.remove(&(place.until, number));
        place.state = State::Free;
        self.free.insert((place.holders, number));
    }

    fn claimed(&self, number: u32) -> Claimed {
        Claimed { place: number, attempt: self.places[number as usize].holders - 1 }
    }
}
