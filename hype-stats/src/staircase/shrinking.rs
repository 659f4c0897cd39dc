//! Staircases whose steps shrink at each reversal, on linear, log or decibel scales.
//!
//! The general up-down procedure of laboratory software. Multiplicative steps make its levels floating
//! point; the [`Staircase`](super::Staircase) of whole milliseconds is what sessions run on.

use super::StepDirection;
use crate::StatError;

/// The effect of a step on a level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum StepScale {
    /// Adds or subtracts the step.
    Linear,
    /// Multiplies or divides by ten to the step.
    Log10,
    /// Multiplies or divides by ten to a twentieth of the step.
    Decibel,
}

/// The parameters of a shrinking staircase.
#[derive(Debug, Clone, PartialEq)]
pub struct ShrinkingRule {
    /// Consecutive correct answers needed for a harder step.
    pub correct_to_harder: u32,
    /// Consecutive wrong answers needed for an easier step.
    pub wrong_to_easier: u32,
    /// The steps: each reversal moves on to the next, and the last one stays.
    pub steps: Vec<f64>,
    /// How a step changes a level.
    pub scale: StepScale,
    /// Whether every answer makes a step until the first reversal.
    pub step_each_trial_first: bool,
    /// The first level.
    pub start: f64,
    /// The lowest level.
    pub floor: f64,
    /// The highest level.
    pub ceiling: f64,
}

/// One block of a shrinking staircase.
///
/// # Method
/// `correct_to_harder` correct answers in a row lower the level, `wrong_to_easier` wrong ones in a row
/// raise it; either step restarts the count. A step opposite to the previous one is a reversal, recorded
/// at the level whose answer caused it, and is itself made with the next step size. This is the
/// transformed up-down procedure of Levitt (1971) as laboratory software runs it.
///
/// # Numerics
/// Factors of the multiplicative scales are powers of ten and may differ in their last bit between
/// platforms.
#[derive(Debug, Clone)]
pub struct ShrinkingStaircase {
    rule: ShrinkingRule,
    level: f64,
    run: u32,
    last_correct: Option<bool>,
    last_step: Option<StepDirection>,
    reversals: Vec<(usize, f64)>,
    trials: usize,
}

impl ShrinkingStaircase {
    /// Begins a block.
    ///
    /// # Errors
    /// [`StatError::Parameter`] if a count is zero, there are no steps, a step is not positive and
    /// finite, a level is NaN, the start lies outside the bounds, or a multiplicative scale starts at or
    /// below zero.
    pub fn new(rule: ShrinkingRule) -> Result<Self, StatError> {
        let refuse = |parameter, expected, got| Err(StatError::Parameter { parameter, expected, got });
        if rule.correct_to_harder == 0 {
            return refuse("correct_to_harder", "at least 1", 0.0);
        }
        if rule.wrong_to_easier == 0 {
            return refuse("wrong_to_easier", "at least 1", 0.0);
        }
        if rule.steps.is_empty() {
            return refuse("steps", "at least one step", 0.0);
        }
        if let Some(&step) = rule.steps.iter().find(|step| !(step.is_finite() && **step > 0.0)) {
            return refuse("steps", "positive and finite", step);
        }
        if !rule.start.is_finite() {
            return refuse("start", "finite", rule.start);
        }
        if rule.floor.is_nan() || rule.start < rule.floor {
            return refuse("floor", "at or under the start", rule.floor);
        }
        if rule.ceiling.is_nan() || rule.start > rule.ceiling {
            return refuse("ceiling", "at or over the start", rule.ceiling);
        }
        if rule.scale != StepScale::Linear && rule.start <= 0.0 {
            return refuse("start", "over 0 on a multiplicative scale", rule.start);
        }
        Ok(Self {
            level: rule.start,
            rule,
            run: 0,
            last_correct: None,
            last_step: None,
            reversals: Vec::new(),
            trials: 0,
        })
    }

    /// The level of the next trial.
    #[must_use]
    pub const fn level(&self) -> f64 {
        self.level
    }

    /// Each reversal so far: the trial, counted from 0, and its level.
    #[must_use]
    pub fn reversals(&self) -> &[(usize, f64)] {
        &self.reversals
    }

    /// Records an answer to the current level and moves to the next.
    pub fn answer(&mut self, correct: bool) {
        self.run = if self.last_correct == Some(correct) { self.run + 1 } else { 1 };
        self.last_correct = Some(correct);
        let needed = if self.rule.step_each_trial_first && self.reversals.is_empty() {
            1
        } else if correct {
            self.rule.correct_to_harder
        } else {
            self.rule.wrong_to_easier
        };
        if self.run >= needed {
            let step = if correct { StepDirection::Harder } else { StepDirection::Easier };
            if self.last_step.is_some_and(|last| last != step) {
                self.reversals.push((self.trials, self.level));
            }
            self.last_step = Some(step);
            self.run = 0;
            self.level = self.moved(step);
        }
        self.trials += 1;
    }

    fn moved(&self, direction: StepDirection) -> f64 {
        let last = self.rule.steps.len() - 1;
        let step = self.rule.steps[self.reversals.len().min(last)];
        let factor = match self.rule.scale {
            StepScale::Linear => {
                return match direction {
                    StepDirection::Harder => (self.level - step).max(self.rule.floor),
                    StepDirection::Easier => (self.level + step).min(self.rule.ceiling),
                };
            }
            StepScale::Log10 => 10_f64.powf(step),
            StepScale::Decibel => 10_f64.powf(step / 20.0),
        };
        match direction {
            StepDirection::Harder => (self.level / factor).max(self.rule.floor),
            StepDirection::Easier => (self.level * factor).min(self.rule.ceiling),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule() -> ShrinkingRule {
        ShrinkingRule {
            correct_to_harder: 2,
            wrong_to_easier: 1,
            steps: vec![8.0, 4.0, 2.0],
            scale: StepScale::Linear,
            step_each_trial_first: false,
            start: 50.0,
            floor: 0.0,
            ceiling: 100.0,
        }
    }

    #[test]
    fn steps_shrink_at_each_reversal() {
        let mut block = ShrinkingStaircase::new(rule()).unwrap();
        let mut levels = Vec::new();
        for correct in [true, true, false, true, true, false, false] {
            block.answer(correct);
            levels.push(block.level());
        }
        assert_eq!(levels, [50.0, 42.0, 46.0, 46.0, 44.0, 46.0, 48.0]);
        assert_eq!(block.reversals(), [(2, 42.0), (4, 46.0), (5, 44.0)]);
    }

    #[test]
    fn several_wrong_answers_may_be_needed() {
        let mut block =
            ShrinkingStaircase::new(ShrinkingRule { correct_to_harder: 1, wrong_to_easier: 2, ..rule() })
                .unwrap();
        for correct in [false, true, false] {
            block.answer(correct);
        }
        assert_eq!(block.level(), 42.0);
        block.answer(false);
        assert_eq!(block.level(), 46.0);
    }

    #[test]
    fn nonsense_is_refused() {
        let bad = [
            ShrinkingRule { correct_to_harder: 0, ..rule() },
            ShrinkingRule { wrong_to_easier: 0, ..rule() },
            ShrinkingRule { steps: Vec::new(), ..rule() },
            ShrinkingRule { steps: vec![4.0, f64::NAN], ..rule() },
            ShrinkingRule { start: f64::INFINITY, ..rule() },
            ShrinkingRule { floor: 60.0, ..rule() },
            ShrinkingRule { ceiling: f64::NAN, ..rule() },
            ShrinkingRule { start: 0.0, scale: StepScale::Decibel, ..rule() },
        ];
        for rule in bad {
            assert!(ShrinkingStaircase::new(rule.clone()).is_err(), "{rule:?}");
        }
    }
}
