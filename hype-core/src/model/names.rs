//! Interned names.

use std::hash::{BuildHasher as _, Hasher as _};
use std::sync::Arc;

/// Marks a slot without a name.
const EMPTY: u32 = u32::MAX;

/// Interned names, numbered in the order of first use.
///
/// Open addressing with at most half of the slots in use. The hash has a random key, as names come from strangers.
#[derive(Debug, Clone, Default)]
pub struct Names {
    by_number: Vec<Arc<str>>,
    slots: Vec<u32>,
    /// For each name the one that last came after it in a column.
    followers: Vec<u32>,
    hasher: foldhash::fast::RandomState,
}

impl PartialEq for Names {
    fn eq(&self, other: &Self) -> bool {
        self.by_number == other.by_number
    }
}

impl Eq for Names {}

impl Names {
    /// The number of a name, which is added if it is new.
    pub fn intern(&mut self, name: &str) -> u32 {
        self.number(name).unwrap_or_else(|| self.add(name))
    }

    /// [`Self::intern`] for a column whose last name has the number `last`.
    pub(super) fn intern_after(&mut self, last: Option<u32>, name: &str) -> u32 {
        let Some(last) = last else { return self.intern(name) };
        self.expect_after(last, name.as_bytes()).unwrap_or_else(|| {
            let number = self.intern(name);
            self.followers[last as usize] = number;
            number
        })
    }

    /// The number of a name in a column whose last name has the number `last`, if it is that name again or the one that last
    /// came after it.
    #[inline(always)]
    pub(super) fn expect_after(&self, last: u32, name: &[u8]) -> Option<u32> {
        if self.is_name(last, name) {
            return Some(last);
        }
        let &follower = self.followers.get(last as usize)?;
        self.is_name(follower, name).then_some(follower)
    }

    #[inline(always)]
    fn is_name(&self, number: u32, name: &[u8]) -> bool {
        match self.by_number.get(number as usize) {
            Some(known) => is_same(known.as_bytes(), name),
            None => false,
        }
    }

    /// The number of a known name.
    #[must_use]
    pub fn number(&self, name: &str) -> Option<u32> {
        if self.slots.is_empty() {
            return None;
        }
        let mut slot = self.home(name);
        loop {
            match self.slots[slot] {
                EMPTY => return None,
                number if self.is_name(number, name.as_bytes()) => return Some(number),
                _ => slot = (slot + 1) & (self.slots.len() - 1),
            }
        }
    }

    #[cold]
    fn add(&mut self, name: &str) -> u32 {
        let number = self.by_number.len() as u32;
        self.by_number.push(name.into());
        self.followers.push(number);
        if 2 * self.by_number.len() > self.slots.len() {
            self.slots = vec![EMPTY; (2 * self.slots.len()).max(16)];
            (0..=number).for_each(|known| self.place(known));
        } else {
            self.place(number);
        }
        number
    }

    fn place(&mut self, number: u32) {
        let mut slot = self.home(&self.by_number[number as usize]);
        while self.slots[slot] != EMPTY {
            slot = (slot + 1) & (self.slots.len() - 1);
        }
        self.slots[slot] = number;
    }

    /// The slot where the search for a name begins.
    #[inline]
    fn home(&self, name: &str) -> usize {
        let mut hasher = self.hasher.build_hasher();
        hasher.write(name.as_bytes());
        hasher.finish() as usize & (self.slots.len() - 1)
    }

    /// The name with a number.
    #[must_use]
    pub fn name(&self, number: u32) -> Option<&Arc<str>> {
        self.by_number.get(number as usize)
    }

    /// All names in the order of their numbers.
    #[must_use]
    pub fn all(&self) -> &[Arc<str>] {
        &self.by_number
    }

    /// The number of names.
    #[must_use]
    pub fn len(&self) -> usize {
        self.by_number.len()
    }

    /// Whether there are no names.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.by_number.is_empty()
    }
}

/// Whether two names are equal; short ones are compared in two overlapping words, without a call.
#[inline(always)]
fn is_same(one: &[u8], other: &[u8]) -> bool {
    if one.len() != other.len() {
        return false;
    }
    match one.len() {
        0..4 => one.iter().zip(other).all(|(one, other)| one == other),
        4..=8 => have_equal_ends::<4>(one, other),
        9..=16 => have_equal_ends::<8>(one, other),
        _ => one == other,
    }
}

/// Whether the first and the last `N` bytes are equal.
#[inline(always)]
fn have_equal_ends<const N: usize>(one: &[u8], other: &[u8]) -> bool {
    let (Some(one_first), Some(other_first)) = (one.first_chunk::<N>(), other.first_chunk()) else {
        return false;
    };
    let (Some(one_last), Some(other_last)) = (one.last_chunk::<N>(), other.last_chunk()) else {
        return false;
    };
    one_first == other_first && one_last == other_last
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_keep_their_numbers_through_any_column() {
        // Names of all lengths about the borders of words, that differ in one place.
        let mut names = Names::default();
        let mut all: Vec<String> = vec![String::new()];
        for length in 1..20 {
            for place in 0..length {
                let mut name = vec![b'a'; length];
                name[place] = b'b';
                all.push(String::from_utf8(name).unwrap());
            }
        }
        let numbers: Vec<u32> = all.iter().map(|name| names.intern(name)).collect();
        assert_eq!(numbers, (0..all.len() as u32).collect::<Vec<_>>());
        let mut last = None;
        for turn in 0..5 * all.len() {
            let number = turn * turn % all.len();
            let found = names.intern_after(last, &all[number]);
            assert_eq!(found as usize, number);
            last = Some(found);
        }
        assert_eq!(names.len(), all.len());
        assert_eq!(names.number("c"), None);
        assert_eq!(Names::default().number(""), None);
        let mut others = Names::default();
        all.iter().rev().for_each(|name| {
            others.intern(name);
        });
        assert_ne!(names, others);
    }
}
