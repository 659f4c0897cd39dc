use super::{Counting, Rule, StaircaseError};

/// The levels a staircase may show, and the first one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Range {
    floor_ms: u32,
    ceiling_ms: u32,
    start_ms: u32,
}

impl Range {
    /// HYPE's range: 100 to 1000 ms, from 500 ms.
    pub const HYPE: Self = Self { floor_ms: 100, ceiling_ms: 1000, start_ms: 500 };

    /// Builds a range.
    ///
    /// # Errors
    /// [`StaircaseError::EmptyRange`] or [`StaircaseError::StartOutside`].
    pub const fn new(floor_ms: u32, ceiling_ms: u32, start_ms: u32) -> Result<Self, StaircaseError> {
        if floor_ms >= ceiling_ms {
            return Err(StaircaseError::EmptyRange { floor_ms, ceiling_ms });
        }
        if start_ms < floor_ms || start_ms > ceiling_ms {
            return Err(StaircaseError::StartOutside { start_ms, floor_ms, ceiling_ms });
        }
        Ok(Self { floor_ms, ceiling_ms, start_ms })
    }

    /// The shortest exposure.
    #[must_use]
    pub const fn floor_ms(&self) -> u32 {
        self.floor_ms
    }

    /// The longest exposure.
    #[must_use]
    pub const fn ceiling_ms(&self) -> u32 {
        self.ceiling_ms
    }

    /// The exposure of the first trial.
    #[must_use]
    pub const fn start_ms(&self) -> u32 {
        self.start_ms
    }

    pub(super) fn harder(&self, level_ms: u32, rule: &Rule) -> u32 {
        level_ms.saturating_sub(rule.step_harder_ms()).max(self.floor_ms)
    }

    pub(super) fn easier(&self, level_ms: u32, rule: &Rule) -> u32 {
        level_ms.saturating_add(rule.step_easier_ms()).min(self.ceiling_ms)
    }
}

/// The direction of a step.
///
/// Exhaustive on purpose: a level has two neighbours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StepDirection {
    /// To a shorter exposure.
    Harder,
    /// To a longer exposure.
    Easier,
}

/// The effect of an answer on a staircase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Transition {
    /// The level that was answered.
    pub level_ms: u32,
    /// The step that the rule commanded, even if the range prevented it.
    pub step: Option<StepDirection>,
    /// True if that step is opposite to the previous commanded one.
    pub reversal: bool,
}

/// One block of a staircase, as a pure state machine.
///
/// # Method
/// A correct answer adds one to a count; at `correct_to_harder` the level falls by `step_harder_ms`
/// and the count starts again. A wrong answer raises the level by `step_easier_ms`, and clears the
/// count if counting is consecutive. The level is then clamped to the range; a step counts as made
/// even if the range prevented it. All numbers are integers.
///
/// # Examples
/// ```
/// use hype_stats::staircase::{Preset, Range, Staircase};
/// let mut block = Staircase::new(Preset::Weighted.rule(), Range::HYPE);
/// assert_eq!(block.level_ms(), 500);
/// block.answer(true);
/// assert_eq!(block.level_ms(), 490);
/// assert!(block.answer(false).reversal);
/// assert_eq!((block.level_ms(), block.trials(), block.reversals()), (520, 2, 1));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Staircase {
    rule: Rule,
    range: Range,
    level_ms: u32,
    counter: u32,
    last_step: Option<StepDirection>,
    trials: u32,
    reversals: u32,
}

impl Staircase {
    /// Begins a block at the range's first level.
    #[must_use]
    pub const fn new(rule: Rule, range: Range) -> Self {
        Self { rule, range, level_ms: range.start_ms, counter: 0, last_step: None, trials: 0, reversals: 0 }
    }

    /// The level of the next trial.
    #[must_use]
    pub const fn level_ms(&self) -> u32 {
        self.level_ms
    }

    /// Correct answers counted toward the next harder step.
    #[must_use]
    pub const fn counter(&self) -> u32 {
        self.counter
    }

    /// Answers so far.
    #[must_use]
    pub const fn trials(&self) -> u32 {
        self.trials
    }

    /// Reversals so far.
    #[must_use]
    pub const fn reversals(&self) -> u32 {
        self.reversals
    }

    /// The rule in force.
    #[must_use]
    pub const fn rule(&self) -> Rule {
        self.rule
    }

    /// The range in force.
    #[must_use]
    pub const fn range(&self) -> Range {
        self.range
    }

    /// Records an answer to the current level and moves to the next.
    #[inline]
    pub fn answer(&mut self, correct: bool) -> Transition {
        let level_ms = self.level_ms;
        let step = if correct {
            self.counter += 1;
            (self.counter == self.rule.correct_to_harder()).then_some(StepDirection::Harder)
        } else {
            Some(StepDirection::Easier)
        };
        match step {
            Some(StepDirection::Harder) => {
                self.counter = 0;
                self.level_ms = self.range.harder(level_ms, &self.rule);
            }
            Some(StepDirection::Easier) => {
                if self.rule.counting() == Counting::Consecutive {
                    self.counter = 0;
                }
                self.level_ms = self.range.easier(level_ms, &self.rule);
            }
            None => {}
        }
        let reversal = matches!((self.last_step, step), (Some(before), Some(now)) if before != now);
        self.last_step = step.or(self.last_step);
        self.trials = self.trials.saturating_add(1);
        self.reversals = self.reversals.saturating_add(u32::from(reversal));
        Transition { level_ms, step, reversal }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn levels(rule: Rule, range: Range, answers: &[bool]) -> Vec<u32> {
        let mut staircase = Staircase::new(rule, range);
        answers
            .iter()
            .map(|&correct| {
                staircase.answer(correct);
                staircase.level_ms()
            })
            .collect()
    }

    #[test]
    fn a_wrong_answer_clears_only_consecutive_counts() {
        let range = Range::HYPE;
        let answers = [true, true, false, true, true, true];
        let consecutive = Rule::new(3, 20, 10, Counting::Consecutive).unwrap();
        assert_eq!(levels(consecutive, range, &answers), [500, 500, 510, 510, 510, 490]);
        let cumulative = Rule::new(3, 20, 10, Counting::Cumulative).unwrap();
        assert_eq!(levels(cumulative, range, &answers), [500, 500, 510, 490, 490, 490]);
    }

    #[test]
    fn steps_stop_at_the_walls_and_count_as_made() {
        let rule = Rule::new(2, 30, 45, Counting::Consecutive).unwrap();
        let range = Range::new(100, 130, 110).unwrap();
        assert_eq!(
            levels(rule, range, &[false, false, true, true, true, true, true, true]),
            [130, 130, 130, 100, 100, 100, 100, 100]
        );
        let mut staircase = Staircase::new(rule, Range::new(100, 130, 100).unwrap());
        staircase.answer(true);
        assert_eq!(staircase.answer(true).step, Some(StepDirection::Harder));
        assert!(staircase.answer(false).reversal);
        assert_eq!((staircase.reversals(), staircase.counter()), (1, 0));
    }

    #[test]
    fn extreme_numbers_neither_wrap_nor_panic() {
        let rule = Rule::new(1, u32::MAX, u32::MAX, Counting::Cumulative).unwrap();
        let range = Range::new(0, u32::MAX, 7).unwrap();
        assert_eq!(levels(rule, range, &[false, false, true, true]), [u32::MAX, u32::MAX, 0, 0]);
    }

    #[test]
    fn ranges_are_checked() {
        assert!(matches!(Range::new(100, 100, 100), Err(StaircaseError::EmptyRange { .. })));
        assert!(matches!(Range::new(100, 200, 99), Err(StaircaseError::StartOutside { .. })));
        assert!(matches!(Range::new(100, 200, 201), Err(StaircaseError::StartOutside { .. })));
        assert_eq!(Range::new(100, 1000, 500), Ok(Range::HYPE));
    }
}
