use std::fmt;

use super::StaircaseError;
use crate::StatError;

/// How correct answers are counted toward a harder step.
///
/// Exhaustive on purpose: a wrong answer either clears the count or leaves it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Counting {
    /// A wrong answer sets the count back to zero.
    Consecutive,
    /// A wrong answer does not change the count.
    Cumulative,
}

impl Counting {
    /// The name used in specs and results.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Consecutive => "consecutive",
            Self::Cumulative => "cumulative",
        }
    }
}

impl fmt::Display for Counting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// How a level moves after correct and wrong answers.
///
/// `correct_to_harder` correct answers shorten the exposure by `step_harder_ms`; every wrong answer
/// lengthens it by `step_easier_ms`. Valid once built: the count and both steps are at least 1.
///
/// # Examples
/// ```
/// use hype_stats::staircase::{Counting, Preset, Rule};
/// let rule = Rule::new(3, 30, 10, Counting::Consecutive)?;
/// assert_eq!(rule, Preset::ThreeCorrect.rule());
/// assert!((rule.target() - 0.25_f64.cbrt()).abs() < 1e-12);
/// # Ok::<(), hype_stats::staircase::StaircaseError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Rule {
    correct_to_harder: u32,
    step_harder_ms: u32,
    step_easier_ms: u32,
    counting: Counting,
}

impl Rule {
    /// Builds a rule from its four numbers.
    ///
    /// # Errors
    /// [`StaircaseError::NothingCounted`] or [`StaircaseError::ZeroStep`] if one of them is zero.
    pub const fn new(
        correct_to_harder: u32,
        step_harder_ms: u32,
        step_easier_ms: u32,
        counting: Counting,
    ) -> Result<Self, StaircaseError> {
        if correct_to_harder == 0 {
            return Err(StaircaseError::NothingCounted);
        }
        if step_harder_ms == 0 {
            return Err(StaircaseError::ZeroStep { field: "step_harder_ms" });
        }
        if step_easier_ms == 0 {
            return Err(StaircaseError::ZeroStep { field: "step_easier_ms" });
        }
        Ok(Self { correct_to_harder, step_harder_ms, step_easier_ms, counting })
    }

    /// For the presets, whose numbers are all positive.
    pub(super) const fn known_valid(
        correct_to_harder: u32,
        step_harder_ms: u32,
        step_easier_ms: u32,
        counting: Counting,
    ) -> Self {
        Self { correct_to_harder, step_harder_ms, step_easier_ms, counting }
    }

    /// Correct answers needed for a harder step.
    #[must_use]
    pub const fn correct_to_harder(&self) -> u32 {
        self.correct_to_harder
    }

    /// Milliseconds by which a harder step shortens the exposure.
    #[must_use]
    pub const fn step_harder_ms(&self) -> u32 {
        self.step_harder_ms
    }

    /// Milliseconds by which a wrong answer lengthens the exposure.
    #[must_use]
    pub const fn step_easier_ms(&self) -> u32 {
        self.step_easier_ms
    }

    /// How correct answers are counted.
    #[must_use]
    pub const fn counting(&self) -> Counting {
        self.counting
    }

    /// The probability of a correct answer at which harder and easier steps balance.
    ///
    /// # Method
    /// With n correct answers to a harder step, D+ the easier step and D- the harder one: counting
    /// consecutively p = (D+ / (D+ + D-))^(1/n), which is Levitt (1971) for equal steps and Kaernbach
    /// (1991) for n = 1; counting cumulatively p = n D+ / (n D+ + D-), where the expected drift
    /// p D- / n = (1 - p) D+ vanishes. Bounds and discrete levels shift the level at which a real
    /// block converges.
    #[must_use]
    pub fn target(&self) -> f64 {
        let counted = f64::from(self.correct_to_harder);
        let harder = f64::from(self.step_harder_ms);
        let easier = f64::from(self.step_easier_ms);
        match self.counting {
            Counting::Consecutive => {
                let balance = easier / (easier + harder);
                if self.correct_to_harder == 1 { balance } else { balance.powf(1.0 / counted) }
            }
            Counting::Cumulative => counted * easier / (counted * easier + harder),
        }
    }

    /// Determines whether an observer with this guess and lapse rate can converge at the rule's
    /// target.
    ///
    /// The observer's probability of a correct answer lies strictly between `guess` and
    /// `1 - lapse`. A target within 1e-12 of either end counts as unreachable, as the difference may
    /// be due to rounding.
    ///
    /// # Errors
    /// [`StatError::Parameter`] unless both rates lie in [0, 1) and `guess < 1 - lapse`.
    pub fn reachability(&self, guess: f64, lapse: f64) -> Result<Reachability, StatError> {
        const EXPECTED: &str = "in [0, 1), with guess under 1 - lapse";
        if !(0.0..1.0).contains(&lapse) {
            return Err(StatError::Parameter { parameter: "lapse", expected: EXPECTED, got: lapse });
        }
        if !(0.0..1.0 - lapse).contains(&guess) {
            return Err(StatError::Parameter { parameter: "guess", expected: EXPECTED, got: guess });
        }
        const ROUNDING: f64 = 1e-12;
        let target = self.target();
        let upper = 1.0 - lapse;
        Ok(if target <= guess + ROUNDING {
            Reachability::AtOrUnderGuess { target, guess }
        } else if target >= upper - ROUNDING {
            Reachability::AtOrOverUpper { target, upper }
        } else {
            Reachability::Reachable { target }
        })
    }
}

/// Whether a rule's target can be reached, and if not why.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Reachability {
    /// The target lies between the guess rate and 1 - lapse.
    Reachable {
        /// The rule's target.
        target: f64,
    },
    /// Guessing alone is correct at least as often: the level falls to the floor.
    AtOrUnderGuess {
        /// The rule's target.
        target: f64,
        /// The observer's guess rate.
        guess: f64,
    },
    /// Even the easiest trial is answered correctly less often: the level rises to the ceiling.
    AtOrOverUpper {
        /// The rule's target.
        target: f64,
        /// The observer's 1 - lapse.
        upper: f64,
    },
}

impl Reachability {
    /// True if the target can be reached.
    #[must_use]
    pub const fn is_reachable(&self) -> bool {
        matches!(self, Self::Reachable { .. })
    }
}

impl fmt::Display for Reachability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Reachable { target } => write!(f, "the target {target:.4} can be reached"),
            Self::AtOrUnderGuess { target, guess } => write!(
                f,
                "the target {target:.4} is not over the guess rate {guess:.4}, so every block ends at the floor"
            ),
            Self::AtOrOverUpper { target, upper } => write!(
                f,
                "the target {target:.4} is not under 1 - lapse = {upper:.4}, so every block ends at the ceiling"
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Preset;
    use super::*;

    #[test]
    fn zeros_are_refused_by_name() {
        let build = |n, harder, easier| Rule::new(n, harder, easier, Counting::Cumulative);
        assert_eq!(build(0, 1, 1), Err(StaircaseError::NothingCounted));
        assert_eq!(build(1, 0, 1), Err(StaircaseError::ZeroStep { field: "step_harder_ms" }));
        assert_eq!(build(1, 1, 0), Err(StaircaseError::ZeroStep { field: "step_easier_ms" }));
    }

    #[test]
    fn reach_depends_on_guess_and_lapse() {
        let reach = |preset: Preset, guess, lapse| preset.rule().reachability(guess, lapse);
        assert!(reach(Preset::Weighted, 0.5, 0.02).unwrap().is_reachable());
        assert_eq!(
            reach(Preset::PaperLiteral, 0.5, 0.02).unwrap(),
            Reachability::AtOrUnderGuess { target: 0.25, guess: 0.5 }
        );
        assert_eq!(
            reach(Preset::Weighted, 0.5, 0.25).unwrap(),
            Reachability::AtOrOverUpper { target: 0.75, upper: 0.75 }
        );
        assert!(reach(Preset::PaperLiteral, 0.2, 0.0).unwrap().is_reachable());
        // (1/8)^(1/3) is 0.5 except for rounding.
        let eighth = Rule::new(3, 70, 10, Counting::Consecutive).unwrap();
        assert!(!eighth.reachability(0.5, 0.0).unwrap().is_reachable());
        for (guess, lapse) in [(0.5, 0.5), (f64::NAN, 0.0), (0.5, f64::NAN), (-0.1, 0.0), (0.0, 1.0)] {
            assert!(reach(Preset::Weighted, guess, lapse).is_err(), "{guess} {lapse}");
        }
    }
}
