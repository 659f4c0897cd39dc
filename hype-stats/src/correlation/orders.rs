//! Enumeration of the orders of a few values, for exact p values of rank correlations.

use super::MOST_ENUMERATED_PAIRS;

/// The share of the orders of y for which a statistic is at least as far from zero as `observed`.
///
/// The statistic is a sum over the places of y. `gain(place, value, before)` is what y's value number
/// `value` adds at a place, with the values at the places before it. Values of y are numbered from 0
/// among the distinct ones, and `counts[value]` is how often each occurs. Equal values are not told
/// apart: every order of them stands for the same number of permutations.
pub(super) fn share_as_extreme(
    counts: &[u8],
    observed: i64,
    gain: impl Fn(usize, usize, &[usize]) -> i64,
) -> f64 {
    let places = counts.iter().map(|&count| usize::from(count)).sum();
    let mut search = Search {
        remaining: counts.to_vec(),
        values: [0; MOST_ENUMERATED_PAIRS],
        places,
        bound: observed.abs(),
        extreme: 0,
        all: 0,
        gain,
    };
    search.place(0, 0);
    search.extreme as f64 / search.all as f64
}

struct Search<G> {
    remaining: Vec<u8>,
    values: [usize; MOST_ENUMERATED_PAIRS],
    places: usize,
    bound: i64,
    extreme: u64,
    all: u64,
    gain: G,
}

impl<G: Fn(usize, usize, &[usize]) -> i64> Search<G> {
    fn place(&mut self, place: usize, sum: i64) {
        for value in 0..self.remaining.len() {
            if self.remaining[value] == 0 {
                continue;
            }
            let sum = sum + (self.gain)(place, value, &self.values[..place]);
            if place + 1 == self.places {
                self.all += 1;
                self.extreme += u64::from(sum.abs() >= self.bound);
                continue;
            }
            self.remaining[value] -= 1;
            self.values[place] = value;
            self.place(place + 1, sum);
            self.remaining[value] += 1;
        }
    }
}
