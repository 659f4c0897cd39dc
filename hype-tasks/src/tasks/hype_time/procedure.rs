//! How a block chooses its exposures.

use hype_stats::staircase::Staircase;

use super::quest::QuestPlusBlock;

/// The procedure of one block.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Procedure {
    Staircase(Staircase),
    QuestPlus(QuestPlusBlock),
}

impl Procedure {
    pub(super) fn exposure_ms(&self) -> u32 {
        match self {
            Self::Staircase(staircase) => staircase.level_ms(),
            Self::QuestPlus(block) => block.exposure_ms(),
        }
    }

    pub(super) fn answer(&mut self, right: bool) {
        match self {
            Self::Staircase(staircase) => {
                staircase.answer(right);
            }
            Self::QuestPlus(block) => block.answer(right),
        }
    }

    /// Whether the block ends before its last image.
    pub(super) fn is_over(&self) -> bool {
        match self {
            Self::Staircase(_) => false,
            Self::QuestPlus(block) => block.is_over(),
        }
    }

    /// The procedure at the beginning of the next block.
    pub(super) fn restarted(&self) -> Self {
        match self {
            Self::Staircase(staircase) => {
                Self::Staircase(Staircase::new(staircase.rule(), staircase.range()))
            }
            Self::QuestPlus(block) => Self::QuestPlus(block.restarted()),
        }
    }
}
