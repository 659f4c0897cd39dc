//! The active choice: the pair whose comparison is most informative.

use hype_core::{Inputs, Streams};
use hype_stats::preference::pair_gains;

use super::pairs::{Comparison, pairs, swapped};
use super::votes::{Tally, Vote};
use crate::shared::side_by_side::{Layout, MatchedSet, MatchedSets, Schedule};
use hype_core::protocol::draw::Allocated;

/// Pairs whose gains differ by less than this share count as equally informative.
const ALIKE: f64 = 1e-9;

/// Chooses the pairs of one session.
///
/// # Method
/// The pair with the greatest gain that [`pair_gains`] expects, given all comparisons so far; of equally informative
/// pairs, a random one of those compared least often. It is shown on the item that this rater has seen least often,
/// in the order in which items are allocated to raters. No pair is shown to a rater twice on one item.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Active {
    pairs: Vec<(usize, usize)>,
    /// The matched sets allocated to this rater, in order.
    matched_sets: Vec<MatchedSet>,
    tally: Tally,
    /// The comparisons of the main phase, the current one last.
    chosen: Vec<Comparison>,
    main: u32,
    study_chance: Streams,
    chance: Streams,
}

impl Active {
    /// Begins a session with its practice trials.
    pub(super) fn begin(
        matched_sets: &MatchedSets<'_>,
        schedule: Schedule,
        tally: Tally,
        inputs: &Inputs<'_>,
        chance: &Streams,
    ) -> (Vec<Layout>, Self) {
        let turn = inputs.place.turn;
        let study_chance = inputs.study_chance;
        let items: Vec<usize> = (0..matched_sets.len()).collect();
        let allocated = Allocated::new(&items, schedule.main, turn, &study_chance.child("items", 0));
        let pairs = pairs(matched_sets.contenders().len());
        let pair_chance = study_chance.child("practice", 0);
        let practice_pairs: Vec<(usize, usize)> =
            Allocated::new(&pairs, schedule.practice, turn, &pair_chance)
                .iter()
                .flat_map(Allocated::own)
                .collect();
        let practice = allocated
            .iter()
            .flat_map(|allocated| allocated.beyond(schedule.practice))
            .zip(practice_pairs.iter().copied().cycle())
            .map(|(matched_set, pair)| {
                Comparison { pair, matched_set, swapped: turn % 2 == 1 }
                    .layout(&matched_sets.get(matched_set))
            })
            .collect();
        let active = Self {
            matched_sets: allocated
                .iter()
                .flat_map(Allocated::own)
                .map(|item| matched_sets.get(item))
                .collect(),
            pairs,
            tally,
            chosen: Vec::new(),
            main: schedule.main,
            study_chance: study_chance.clone(),
            chance: chance.clone(),
        };
        (practice, active)
    }

    /// Records the vote on the current comparison.
    pub(super) fn take(&mut self, vote: Vote) {
        if let Some(present) = self.chosen.last() {
            self.tally.add(present.left_to_right(), vote);
        }
    }

    /// The next comparison; `None` at the end of the session.
    pub(super) fn choose(&mut self) -> Option<Layout> {
        if self.chosen.len() >= self.main as usize {
            return None;
        }
        let place = self.pair()?;
        let pair = self.pairs[place];
        let matched_set = self.matched_set(pair)?;
        let swapped = swapped(&self.study_chance, place, self.tally.of_pair(pair));
        let comparison = Comparison { pair, matched_set, swapped };
        self.chosen.push(comparison);
        Some(comparison.layout(&self.matched_sets[matched_set]))
    }

    /// The most informative pair among those with an item on which the rater has not seen it.
    fn pair(&self) -> Option<usize> {
        let shown = |pair| self.chosen.iter().filter(|comparison| comparison.pair == pair).count();
        let free: Vec<usize> = (0..self.pairs.len())
            .filter(|&place| shown(self.pairs[place]) < self.matched_sets.len())
            .collect();
        let compared = |&place: &usize| self.tally.of_pair(self.pairs[place]);
        // Without estimates of the gains, the least compared pair is chosen.
        let gains = self.tally.comparisons().ok().and_then(|table| pair_gains(&table).ok());
        let gain = |place: usize| match &gains {
            Some(gains) => gains.pairs()[place].gain,
            None => 0.0,
        };
        let greatest = free.iter().fold(0.0_f64, |greatest, &place| greatest.max(gain(place)));
        let alike: Vec<usize> =
            free.into_iter().filter(|&place| gain(place) >= greatest * (1.0 - ALIKE)).collect();
        let fewest = alike.iter().map(compared).min()?;
        let best: Vec<usize> = alike.into_iter().filter(|place| compared(place) == fewest).collect();
        let mut chance = self.chance.stream("pairs");
        chance.seek(self.chosen.len() as u64);
        best.get(chance.below(best.len() as u32) as usize).copied()
    }

    /// The matched set that the rater has seen least often, and never with this pair.
    fn matched_set(&self, pair: (usize, usize)) -> Option<usize> {
        let mut seen = vec![(0_u32, false); self.matched_sets.len()];
        for comparison in &self.chosen {
            let (times, with_pair) = &mut seen[comparison.matched_set];
            *times += 1;
            *with_pair |= comparison.pair == pair;
        }
        (0..seen.len())
            .filter(|&matched_set| !seen[matched_set].1)
            .min_by_key(|&matched_set| seen[matched_set].0)
    }
}
