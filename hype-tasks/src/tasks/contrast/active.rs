//! The active choice: the pair whose comparison tells most.

use hype_core::{Inputs, Streams};
use hype_stats::preference::pair_gains;

use super::pairs::{Pick, pairs, swapped};
use super::votes::{Tally, Vote};
use crate::shared::side_by_side::{Course, Dealt, Lineup, Lineups, Showing};

/// Pairs whose gains differ by this share tell as much as each other.
const ALIKE: f64 = 1e-9;

/// What chooses the pairs of one session.
///
/// # Method
/// The pair with the greatest gain that [`pair_gains`] expects, given all comparisons so far; of pairs that tell as
/// much as each other one of those compared least often, by chance. It is shown on the item that this rater has seen
/// least often, in the order in which items are dealt out among raters. No pair is shown to a rater twice on one item.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Active {
    pairs: Vec<(usize, usize)>,
    /// Those dealt to this rater, in order.
    lineups: Vec<Lineup>,
    tally: Tally,
    /// What was shown in the main phase, the present pick last.
    picked: Vec<Pick>,
    main: u32,
    study_chance: Streams,
    chance: Streams,
}

impl Active {
    /// Begins a session, with what it shows for practice.
    pub(super) fn begin(
        lineups: &Lineups<'_>,
        course: Course,
        tally: Tally,
        inputs: &Inputs<'_>,
        chance: &Streams,
    ) -> (Vec<Showing>, Self) {
        let turn = inputs.place.turn;
        let study_chance = inputs.study_chance;
        let items: Vec<usize> = (0..lineups.len()).collect();
        let dealt = Dealt::new(&items, course.main, turn, &study_chance.child("items", 0));
        let pairs = pairs(lineups.contenders().len());
        let pair_deck = study_chance.child("practice", 0);
        let practice_pairs: Vec<(usize, usize)> =
            Dealt::new(&pairs, course.practice, turn, &pair_deck).iter().flat_map(Dealt::own).collect();
        let practice = dealt
            .iter()
            .flat_map(|dealt| dealt.beyond(course.practice))
            .zip(practice_pairs.iter().copied().cycle())
            .map(|(lineup, pair)| Pick { pair, lineup, swapped: turn % 2 == 1 }.showing(&lineups.get(lineup)))
            .collect();
        let active = Self {
            lineups: dealt.iter().flat_map(Dealt::own).map(|item| lineups.get(item)).collect(),
            pairs,
            tally,
            picked: Vec::new(),
            main: course.main,
            study_chance: study_chance.clone(),
            chance: chance.clone(),
        };
        (practice, active)
    }

    /// Takes the vote about the present pick.
    pub(super) fn take(&mut self, vote: Vote) {
        if let Some(present) = self.picked.last() {
            self.tally.add(present.left_to_right(), vote);
        }
    }

    /// What is shown next; `None` if the session has shown all that it shows.
    pub(super) fn choose(&mut self) -> Option<Showing> {
        if self.picked.len() >= self.main as usize {
            return None;
        }
        let place = self.pair()?;
        let pair = self.pairs[place];
        let lineup = self.lineup(pair)?;
        let swapped = swapped(&self.study_chance, place, self.tally.of_pair(pair));
        let pick = Pick { pair, lineup, swapped };
        self.picked.push(pick);
        Some(pick.showing(&self.lineups[lineup]))
    }

    /// The place of the pair that tells most, of those with an item that the rater has not seen them on.
    fn pair(&self) -> Option<usize> {
        let shown = |pair| self.picked.iter().filter(|pick| pick.pair == pair).count();
        let free: Vec<usize> =
            (0..self.pairs.len()).filter(|&place| shown(self.pairs[place]) < self.lineups.len()).collect();
        let compared = |&place: &usize| self.tally.of_pair(self.pairs[place]);
        // Where nothing can be told of the gains, the least compared pair is as good a guess as any.
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
        chance.seek(self.picked.len() as u64);
        best.get(chance.below(best.len() as u32) as usize).copied()
    }

    /// The line-up that the rater has seen least often, and never with this pair.
    fn lineup(&self, pair: (usize, usize)) -> Option<usize> {
        let mut seen = vec![(0_u32, false); self.lineups.len()];
        for pick in &self.picked {
            let (times, with_pair) = &mut seen[pick.lineup];
            *times += 1;
            *with_pair |= pick.pair == pair;
        }
        (0..seen.len()).filter(|&lineup| !seen[lineup].1).min_by_key(|&lineup| seen[lineup].0)
    }
}
