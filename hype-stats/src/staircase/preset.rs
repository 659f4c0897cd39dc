use std::fmt;
use std::str::FromStr;

use super::{Counting, Rule, StaircaseError};

/// The named rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Preset {
    /// Each correct answer 10 ms harder, each wrong one 30 ms easier: target 0.75 (Kaernbach 1991).
    Weighted,
    /// Each correct answer 30 ms harder, each wrong one 10 ms easier, as Zhou et al. (2019) print it:
    /// target 0.25, which an observer with a guess rate of one half cannot reach.
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
        Rule::known_valid(correct_to_harder, step_harder_ms, step_easier_ms, counting)
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
            .ok_or_else(|| StaircaseError::UnknownPreset { name: name.to_owned(), known: Self::names() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn presets_have_the_published_targets() {
        let targets =
            [0.75, 0.25, 0.629_960_5, 0.793_700_5, 0.75, std::f64::consts::FRAC_1_SQRT_2, 0.831_551_7];
        for (preset, target) in Preset::ALL.into_iter().zip(targets) {
            assert!((preset.rule().target() - target).abs() < 5e-8, "{preset}");
            assert_eq!(preset.name().parse::<Preset>(), Ok(preset));
        }
    }

    #[test]
    fn unknown_names_list_the_known() {
        let message = "weigthed".parse::<Preset>().unwrap_err().to_string();
        assert!(message.contains("`weigthed`") && message.contains("garcia-perez-3"), "{message}");
    }
}
