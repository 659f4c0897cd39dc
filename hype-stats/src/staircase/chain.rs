use std::collections::BTreeSet;

use super::{Counting, Range, Rule, StaircaseError};

/// One state of a staircase: a level, and how many correct answers are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct ChainState {
    /// Position of the level in [`Chain::levels_ms`].
    pub level: usize,
    /// Correct answers counted toward the next harder step.
    pub counter: u32,
    /// The state after a correct answer.
    pub correct: usize,
    /// The state after a wrong answer.
    pub wrong: usize,
    /// Whether a correct answer commands a harder step; a wrong one always commands an easier one.
    pub harder: bool,
}

/// Every state that a staircase can reach from its start.
///
/// Levels need not lie on one lattice: each bound that a step reaches begins another one. States
/// are sorted by level and count.
///
/// # Examples
/// ```
/// use hype_stats::staircase::{Chain, Preset, Range};
/// let chain = Chain::new(Preset::Transformed31.rule(), Range::HYPE)?;
/// assert_eq!((chain.levels_ms().len(), chain.states().len()), (91, 273));
/// # Ok::<(), hype_stats::staircase::StaircaseError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chain {
    levels_ms: Vec<u32>,
    states: Vec<ChainState>,
    start: usize,
}

impl Chain {
    /// The maximum number of states.
    pub const MOST_STATES: usize = 1 << 20;

    /// Finds the states that a rule reaches within a range.
    ///
    /// # Errors
    /// [`StaircaseError::TooManyStates`] if there are more than [`Self::MOST_STATES`].
    pub fn new(rule: Rule, range: Range) -> Result<Self, StaircaseError> {
        let step = |(level, counter): (u32, u32), correct: bool| {
            if !correct {
                let count = if rule.counting() == Counting::Cumulative { counter } else { 0 };
                (range.easier(level, &rule), count)
            } else if counter + 1 == rule.correct_to_harder() {
                (range.harder(level, &rule), 0)
            } else {
                (level, counter + 1)
            }
        };
        let first = (range.start_ms(), 0);
        let mut seen = BTreeSet::from([first]);
        let mut open = vec![first];
        while let Some(state) = open.pop() {
            for next in [step(state, true), step(state, false)] {
                if seen.insert(next) {
                    open.push(next);
                }
            }
            if seen.len() > Self::MOST_STATES {
                return Err(StaircaseError::TooManyStates { most: Self::MOST_STATES });
            }
        }
        let sorted: Vec<(u32, u32)> = seen.into_iter().collect();
        let mut levels_ms: Vec<u32> = sorted.iter().map(|state| state.0).collect();
        levels_ms.dedup();
        // Every state and level looked up below was put into the lists above, so neither search fails.
        let find = |state| sorted.partition_point(|other| *other < state);
        let states = sorted
            .iter()
            .map(|&state| ChainState {
                level: levels_ms.partition_point(|level| *level < state.0),
                counter: state.1,
                correct: find(step(state, true)),
                wrong: find(step(state, false)),
                harder: state.1 + 1 == rule.correct_to_harder(),
            })
            .collect();
        Ok(Self { start: find(first), levels_ms, states })
    }

    /// Every reachable level, ascending.
    #[must_use]
    pub fn levels_ms(&self) -> &[u32] {
        &self.levels_ms
    }

    /// Every reachable state, by level and count.
    #[must_use]
    pub fn states(&self) -> &[ChainState] {
        &self.states
    }

    /// Position of the first state.
    #[must_use]
    pub const fn start(&self) -> usize {
        self.start
    }

    /// Asks an observer for its probability of a correct answer at every level.
    ///
    /// # Errors
    /// [`StaircaseError::NoProbability`] if an answer is NaN or outside [0, 1].
    pub fn probabilities(&self, observer: impl Fn(f64) -> f64) -> Result<Vec<f64>, StaircaseError> {
        self.levels_ms
            .iter()
            .map(|&level_ms| {
                let got = observer(f64::from(level_ms));
                if (0.0..=1.0).contains(&got) {
                    Ok(got)
                } else {
                    Err(StaircaseError::NoProbability { level_ms, got })
                }
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::staircase::{Preset, Staircase};

    #[test]
    fn walls_begin_further_lattices() {
        let rule = Rule::new(1, 30, 20, Counting::Consecutive).unwrap();
        let chain = Chain::new(rule, Range::new(100, 155, 120).unwrap()).unwrap();
        let both: Vec<u32> = (100..=155).step_by(5).collect();
        assert_eq!(chain.levels_ms(), both);
    }

    #[test]
    fn levels_off_the_lattice_are_left_out() {
        let rule = Rule::new(1, 40, 20, Counting::Consecutive).unwrap();
        let chain = Chain::new(rule, Range::new(100, 500, 300).unwrap()).unwrap();
        let every_other: Vec<u32> = (100..=500).step_by(20).collect();
        assert_eq!(chain.levels_ms(), every_other);
    }

    #[test]
    fn counts_are_kept_only_by_cumulative_rules() {
        let range = Range::new(100, 200, 150).unwrap();
        let consecutive = Chain::new(Preset::TwoDownOneUp.rule(), range).unwrap();
        assert!(consecutive.states().iter().all(|s| consecutive.states()[s.wrong].counter == 0));
        let cumulative = Chain::new(Preset::Cumulative31.rule(), range).unwrap();
        assert!(cumulative.states().iter().all(|s| cumulative.states()[s.wrong].counter == s.counter));
    }

    #[test]
    fn the_chain_walks_as_the_machine_does() {
        for preset in Preset::ALL {
            let range = Range::new(95, 613, 402).unwrap();
            let chain = Chain::new(preset.rule(), range).unwrap();
            let mut machine = Staircase::new(preset.rule(), range);
            let mut state = chain.states()[chain.start()];
            for trial in 0_u32..5000 {
                assert_eq!(chain.levels_ms()[state.level], machine.level_ms());
                assert_eq!(state.counter, machine.counter());
                let correct = trial.wrapping_mul(2_654_435_761) >> 30 != trial % 5;
                machine.answer(correct);
                state = chain.states()[if correct { state.correct } else { state.wrong }];
            }
        }
    }

    #[test]
    fn endless_chains_are_refused() {
        let rule = Rule::new(u32::MAX, 1, 1, Counting::Consecutive).unwrap();
        let refused = Chain::new(rule, Range::HYPE);
        assert_eq!(refused, Err(StaircaseError::TooManyStates { most: Chain::MOST_STATES }));
    }

    #[test]
    fn observers_must_answer_with_probabilities() {
        let chain = Chain::new(Preset::Weighted.rule(), Range::HYPE).unwrap();
        let refused = chain.probabilities(|level| if level > 500.0 { f64::NAN } else { 0.5 });
        assert!(matches!(refused, Err(StaircaseError::NoProbability { level_ms: 510, .. })));
        assert!(chain.probabilities(|_| 1.0 + 1e-9).is_err());
    }
}
