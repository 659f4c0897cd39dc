use std::fmt;
use std::str::FromStr;

use crate::StatError;

/// How correct answers are counted toward a harder step.
///
/// Exhaustive on purpose: a wrong answer either clears the count or leaves it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Counting {
    /// A wrong answer sets the count back to zero.
    Consecutive,
    /// A wrong answer leaves the count as it is.
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

/// Why a rule, a range or what is asked of them is refused. Each is the author's to correct.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum StaircaseError {
    /// No correct answer at all would make the trial harder.
    #[error("correct_to_harder must be at least 1")]
    NothingCounted,
    /// A step of zero never moves the level.
    #[error("{field} must be at least 1 ms")]
    ZeroStep {
        /// The step's name.
        field: &'static str,
    },
    /// The ceiling does not lie over the floor.
    #[error("ceiling_ms must be over floor_ms, got floor {floor_ms} and ceiling {ceiling_ms}")]
    EmptyRange {
        /// The shortest exposure asked for.
        floor_ms: u32,
        /// The longest exposure asked for.
        ceiling_ms: u32,
    },
    /// The first level lies outside the range.
    #[error("start_ms must lie from {floor_ms} to {ceiling_ms}, got {start_ms}")]
    StartOutside {
        /// The first exposure asked for.
        start_ms: u32,
        /// The shortest exposure.
        floor_ms: u32,
        /// The longest exposure.
        ceiling_ms: u32,
    },
    /// No preset has this name.
    #[error("unknown staircase rule `{name}`; known: {known}", known = Preset::names())]
    UnknownPreset {
        /// The name given.
        name: String,
    },
    /// The rule reaches more states than can be listed.
    #[error("the staircase reaches more than {most} states of level and count")]
    TooManyStates {
        /// The most that are listed.
        most: usize,
    },
    /// An observer answered with something that is no probability.
    #[error("the probability of a correct answer at {level_ms} ms must be in [0, 1], got {got}")]
    NoProbability {
        /// The level asked about.
        level_ms: u32,
        /// What the observer answered.
        got: f64,
    },
    /// A number of trials or blocks is too small to say anything about.
    #[error("{field} must be at least {least}, got {got}")]
    TooShort {
        /// What is counted: `trials`, `blocks`.
        field: &'static str,
        /// The least number that is of use.
        least: u32,
        /// The number given.
        got: u32,
    },
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
            return Err(StaircaseError::ZeroStep {
                field: "step_harder_ms",
            });
        }
        if step_easier_ms == 0 {
            return Err(StaircaseError::ZeroStep {
                field: "step_easier_ms",
            });
        }
        Ok(Self {
            correct_to_harder,
            step_harder_ms,
            step_easier_ms,
            counting,
        })
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
    /// p D- / n = (1 - p) D+ vanishes. Walls and discrete levels shift where a real block settles.
    #[must_use]
    pub fn target(&self) -> f64 {
        let counted = f64::from(self.correct_to_harder);
        let harder = f64::from(self.step_harder_ms);
        let easier = f64::from(self.step_easier_ms);
        match self.counting {
            Counting::Consecutive => {
                let balance = easier / (easier + harder);
                if self.correct_to_harder == 1 {
                    balance
                } else {
                    balance.powf(1.0 / counted)
                }
            }
            Counting::Cumulative => counted * easier / (counted * easier + harder),
        }
    }

    /// Says whether an observer with this guess and lapse rate can settle at the rule's target.
    ///
    /// The observer's probability of a correct answer lies strictly between `guess` and
    /// `1 - lapse`. A target within 1e-12 of either end counts as unreachable, for there only
    /// rounding would tell the two apart.
    ///
    /// # Errors
    /// [`StatError::Parameter`] unless both rates lie in [0, 1) and `guess < 1 - lapse`.
    pub fn reachability(&self, guess: f64, lapse: f64) -> Result<Reachability, StatError> {
        const EXPECTED: &str = "in [0, 1), with guess under 1 - lapse";
        if !(0.0..1.0).contains(&lapse) {
            return Err(StatError::Parameter {
                parameter: "lapse",
                expected: EXPECTED,
                got: lapse,
            });
        }
        if !(0.0..1.0 - lapse).contains(&guess) {
            return Err(StatError::Parameter {
                parameter: "guess",
                expected: EXPECTED,
                got: guess,
            });
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
    /// Guessing alone answers at least as often correctly: the level sinks to the floor.
    AtOrUnderGuess {
        /// The rule's target.
        target: f64,
        /// The observer's guess rate.
        guess: f64,
    },
    /// Even the easiest trial is not answered correctly that often: the level rises to the ceiling.
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

/// The named rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Preset {
    /// Each correct answer 10 ms harder, each wrong one 30 ms easier: target 0.75 (Kaernbach 1991).
    Weighted,
    /// Each correct answer 30 ms harder, each wrong one 10 ms easier, as Zhou et al. (2019) print it:
    /// target 0.25, which no observer who guesses half right can reach.
    PaperLiteral,
    /// Three consecutive correct answers 30 ms harder, each wrong one 10 ms easier: target 0.630.
    ThreeCorrect,
    /// Three consecutive correct answers 10 ms harder, each wrong one 10 ms easier: target 0.794
    /// (Levitt 1971).
    Transformed31,
    /// Three correct answers in all 10 ms harder, each wrong one 10 ms easier: target 0.75.
    Cumulative31,
    /// Two consecutive correct answers 10 ms harder, each wrong one 10 ms easier: target 0.707
    /// (Levitt 1971).
    TwoDownOneUp,
    /// Three consecutive correct answers 17 ms harder, each wrong one 23 ms easier: target 0.83155.
    ///
    /// García-Pérez (1998) gives D-/D+ = 0.7393 for three correct answers; 17/23 = 0.73913 is the
    /// nearest ratio of whole milliseconds up to 60, and moves the target from 0.83152 by 3e-5.
    GarciaPerez3,
}

impl Preset {
    /// Every preset, the default first.
    pub const ALL: [Self; 7] = [
        Self::Weighted,
        Self::PaperLiteral,
        Self::ThreeCorrect,
        Self::Transformed31,
        Self::Cumulative31,
        Self::TwoDownOneUp,
        Self::GarciaPerez3,
    ];

    /// The name used in specs and on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Weighted => "weighted",
            Self::PaperLiteral => "paper-literal",
            Self::ThreeCorrect => "three-correct",
            Self::Transformed31 => "transformed-3-1",
            Self::Cumulative31 => "cumulative-3-1",
            Self::TwoDownOneUp => "two-down-one-up",
            Self::GarciaPerez3 => "garcia-perez-3",
        }
    }

    /// The rule of this name.
    #[must_use]
    pub const fn rule(self) -> Rule {
        let (correct_to_harder, step_harder_ms, step_easier_ms, counting) = match self {
            Self::Weighted => (1, 10, 30, Counting::Consecutive),
            Self::PaperLiteral => (1, 30, 10, Counting::Consecutive),
            Self::ThreeCorrect => (3, 30, 10, Counting::Consecutive),
            Self::Transformed31 => (3, 10, 10, Counting::Consecutive),
            Self::Cumulative31 => (3, 10, 10, Counting::Cumulative),
            Self::TwoDownOneUp => (2, 10, 10, Counting::Consecutive),
            Self::GarciaPerez3 => (3, 17, 23, Counting::Consecutive),
        };
        Rule {
            correct_to_harder,
            step_harder_ms,
            step_easier_ms,
            counting,
        }
    }

    fn names() -> String {
        Self::ALL.map(Self::name).join(", ")
    }
}

impl fmt::Display for Preset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Preset {
    type Err = StaircaseError;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|preset| preset.name() == name)
            .ok_or_else(|| StaircaseError::UnknownPreset {
                name: name.to_owned(),
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn presets_have_the_published_targets() {
        let targets = [
            0.75,
            0.25,
            0.629_960_5,
            0.793_700_5,
            0.75,
            0.707_106_8,
            0.831_551_7,
        ];
        for (preset, target) in Preset::ALL.into_iter().zip(targets) {
            assert!((preset.rule().target() - target).abs() < 5e-8, "{preset}");
            assert_eq!(preset.name().parse::<Preset>(), Ok(preset));
        }
    }

    #[test]
    fn unknown_names_list_the_known() {
        let message = "weigthed".parse::<Preset>().unwrap_err().to_string();
        assert!(
            message.contains("`weigthed`") && message.contains("garcia-perez-3"),
            "{message}"
        );
    }

    #[test]
    fn zeros_are_refused_by_name() {
        let build = |n, harder, easier| Rule::new(n, harder, easier, Counting::Cumulative);
        assert_eq!(build(0, 1, 1), Err(StaircaseError::NothingCounted));
        assert_eq!(
            build(1, 0, 1),
            Err(StaircaseError::ZeroStep {
                field: "step_harder_ms"
            })
        );
        assert_eq!(
            build(1, 1, 0),
            Err(StaircaseError::ZeroStep {
                field: "step_easier_ms"
            })
        );
    }

    #[test]
    fn reach_depends_on_guess_and_lapse() {
        let reach = |preset: Preset, guess, lapse| preset.rule().reachability(guess, lapse);
        assert!(reach(Preset::Weighted, 0.5, 0.02).unwrap().is_reachable());
        assert_eq!(
            reach(Preset::PaperLiteral, 0.5, 0.02).unwrap(),
            Reachability::AtOrUnderGuess {
                target: 0.25,
                guess: 0.5
            }
        );
        assert_eq!(
            reach(Preset::Weighted, 0.5, 0.25).unwrap(),
            Reachability::AtOrOverUpper {
                target: 0.75,
                upper: 0.75
            }
        );
        assert!(
            reach(Preset::PaperLiteral, 0.2, 0.0)
                .unwrap()
                .is_reachable()
        );
        // (1/8)^(1/3) is 0.5 but for rounding.
        let eighth = Rule::new(3, 70, 10, Counting::Consecutive).unwrap();
        assert!(!eighth.reachability(0.5, 0.0).unwrap().is_reachable());
        for (guess, lapse) in [
            (0.5, 0.5),
            (f64::NAN, 0.0),
            (0.5, f64::NAN),
            (-0.1, 0.0),
            (0.0, 1.0),
        ] {
            assert!(
                reach(Preset::Weighted, guess, lapse).is_err(),
                "{guess} {lapse}"
            );
        }
    }
}
