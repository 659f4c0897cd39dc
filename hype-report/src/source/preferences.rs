//! The votes of each rater, and whether they form an order.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// Votes won minus votes lost, by pairs of models, the one with the lower number first.
type Wins = BTreeMap<(u32, u32), f64>;

/// For each rater, which models won against which.
#[derive(Debug, Clone, Default)]
pub(crate) struct Preferences {
    models: HashMap<Arc<str>, u32>,
    raters: BTreeMap<u32, Wins>,
}

/// Triples of models whose three pairs have a winner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Triads {
    /// Those in which each model wins against one of the others, which leaves no order.
    pub(crate) circular: u64,
    /// All of them.
    pub(crate) all: u64,
}

impl Preferences {
    /// Adds a comparison: 1 if the model won, 0 if the other did, and ½ for a tie.
    pub(crate) fn add(&mut self, rater: u32, model: &str, against: &str, value: f64) {
        let (first, second) = (self.number_of(model), self.number_of(against));
        let won = 2.0 * value - 1.0;
        let (pair, won) = if first < second { ((first, second), won) } else { ((second, first), -won) };
        *self.raters.entry(rater).or_default().entry(pair).or_default() += won;
    }

    fn number_of(&mut self, model: &str) -> u32 {
        if let Some(number) = self.models.get(model) {
            return *number;
        }
        let next = self.models.len() as u32;
        self.models.insert(model.into(), next);
        next
    }

    /// The triads of each rater's own votes, added up.
    pub(crate) fn of_raters(&self) -> Triads {
        self.raters.values().fold(Triads::default(), |sum, wins| {
            let own = triads(wins);
            Triads { circular: sum.circular + own.circular, all: sum.all + own.all }
        })
    }
}

/// The triads of pairs by the numbers of their models, the lower one first.
fn triads(wins: &Wins) -> Triads {
    let mut found = Triads::default();
    for (&(a, b), &ab) in wins {
        for (&(_, c), &ac) in wins.range((a, b + 1)..=(a, u32::MAX)) {
            let Some(&bc) = wins.get(&(b, c)) else { continue };
            if [ab, bc, ac].iter().any(|won| won.abs() < 1e-9) {
                continue;
            }
            found.all += 1;
            // a beats b, b beats c and c beats a, or the other way round.
            found.circular += u64::from((ab > 0.0) == (bc > 0.0) && (ab > 0.0) != (ac > 0.0));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(votes: &[(&str, &str, f64)]) -> Triads {
        let mut known = Preferences::default();
        for (model, against, value) in votes {
            known.add(0, model, against, *value);
        }
        known.of_raters()
    }

    #[test]
    fn circles_are_counted_in_either_direction() {
        let circle = [("a", "b", 1.0), ("b", "c", 1.0), ("a", "c", 0.0)];
        assert_eq!(of(&circle), Triads { circular: 1, all: 1 });
        let other = circle.map(|(model, against, value)| (model, against, 1.0 - value));
        assert_eq!(of(&other), Triads { circular: 1, all: 1 });
        let order = [("a", "b", 1.0), ("c", "b", 0.0), ("a", "c", 1.0)];
        assert_eq!(of(&order), Triads { circular: 0, all: 1 });
    }

    #[test]
    fn ties_and_missing_pairs_do_not_count_as_triads() {
        assert_eq!(of(&[("a", "b", 1.0), ("b", "c", 1.0), ("a", "c", 0.5)]), Triads::default());
        assert_eq!(of(&[("a", "b", 1.0), ("b", "c", 1.0)]), Triads::default());
        let twice = [("a", "b", 1.0), ("b", "a", 1.0), ("b", "c", 1.0), ("a", "c", 0.0)];
        assert_eq!(of(&twice), Triads::default(), "one vote each is a tie");
    }

    #[test]
    fn a_regular_tournament_has_the_known_number() {
        // Of five models that each beat the next two, 5 of 10 triads are circular (Kendall and Babington Smith 1940).
        let names = ["a", "b", "c", "d", "e"];
        let votes: Vec<_> =
            (0..5).flat_map(|at| [1, 2].map(|step| (names[at], names[(at + step) % 5], 1.0))).collect();
        assert_eq!(of(&votes), Triads { circular: 5, all: 10 });
    }
}
