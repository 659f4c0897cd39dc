use super::{Range, Rule, Staircase};
use crate::StatError;

/// The number of reversals at the beginning of a block that are not averaged.
pub(super) const REVERSALS_DROPPED: usize = 4;

/// The most frequent level of a block.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Mode {
    /// The lowest of the most frequent levels.
    pub level_ms: u32,
    /// Every level with that frequency, ascending.
    pub tied_ms: Vec<u32>,
    /// The number of times each of them was shown.
    pub presentations: usize,
}

impl Mode {
    /// At which end of the range the mode lies, if any.
    #[must_use]
    pub const fn censoring(&self, range: Range) -> Censoring {
        if self.level_ms <= range.floor_ms() {
            Censoring::Floor
        } else if self.level_ms >= range.ceiling_ms() {
            Censoring::Ceiling
        } else {
            Censoring::None
        }
    }
}

/// Whether an estimate is a bound of the range rather than a threshold within it.
///
/// Exhaustive on purpose: a range has two ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Censoring {
    /// It lies within the range.
    None,
    /// It equals the shortest exposure: the threshold is there or below it.
    Floor,
    /// It equals the longest exposure: the threshold is there or above it.
    Ceiling,
}

/// Finds the most frequent level, the lowest if several are.
///
/// # Errors
/// [`StatError::TooFew`] without any level.
///
/// # Examples
/// ```
/// use hype_stats::staircase::{Censoring, Range, mode};
/// let found = mode(&[300, 310, 310, 300, 290])?;
/// assert_eq!((found.level_ms, found.tied_ms.as_slice()), (300, &[300, 310][..]));
/// assert_eq!(found.censoring(Range::HYPE), Censoring::None);
/// # Ok::<(), hype_stats::StatError>(())
/// ```
pub fn mode(levels_ms: &[u32]) -> Result<Mode, StatError> {
    at_least_one("the mode of a block", levels_ms)?;
    // Runs are never empty and there is at least one, so both indexings below hold.
    let mut sorted = levels_ms.to_vec();
    sorted.sort_unstable();
    let mut tied_ms = Vec::new();
    let mut presentations = 0;
    for run in sorted.chunk_by(|left, right| left == right) {
        if run.len() > presentations {
            tied_ms.clear();
            presentations = run.len();
        }
        if run.len() == presentations {
            tied_ms.push(run[0]);
        }
    }
    Ok(Mode { level_ms: tied_ms[0], tied_ms, presentations })
}

/// Averages the levels of the last half of a block, the longer half if the number is odd.
///
/// # Errors
/// [`StatError::TooFew`] without any level.
pub fn mean_last_half(levels_ms: &[u32]) -> Result<f64, StatError> {
    at_least_one("the mean of the last half", levels_ms)?;
    Ok(mean(&levels_ms[levels_ms.len() / 2..]))
}

/// A trial at which a staircase turned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Reversal {
    /// The trial, counted from 0.
    pub trial: usize,
    /// The level of the answer that turned it.
    pub level_ms: u32,
}

/// Lists the reversals of a block.
///
/// # Method
/// A reversal is a commanded step opposite to the previous commanded step, even if the range
/// prevented a change of level, and is recorded at the level whose answer caused it. Steps depend
/// only on the answers, so levels may differ from those that the staircase chose.
///
/// # Errors
/// [`StatError::Lengths`] unless every level has its answer.
pub fn reversals(rule: Rule, levels_ms: &[u32], correct: &[bool]) -> Result<Vec<Reversal>, StatError> {
    if levels_ms.len() != correct.len() {
        return Err(StatError::Lengths {
            statistic: "the reversals of a block",
            left: levels_ms.len(),
            right: correct.len(),
        });
    }
    let mut machine = Staircase::new(rule, Range::HYPE);
    Ok(levels_ms
        .iter()
        .zip(correct)
        .enumerate()
        .filter_map(|(trial, (&level_ms, &correct))| {
            machine.answer(correct).reversal.then_some(Reversal { trial, level_ms })
        })
        .collect())
}

/// The mean level at the reversals that are not dropped.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct MeanReversals {
    /// Mean level in milliseconds.
    pub mean_ms: f64,
    /// Reversals averaged.
    pub used: usize,
}

/// Averages the levels at the reversals of a block after the first four.
///
/// # Errors
/// [`StatError::Lengths`] unless every level has its answer, and [`StatError::TooFew`] if no reversal
/// is left after dropping.
pub fn mean_reversals(rule: Rule, levels_ms: &[u32], correct: &[bool]) -> Result<MeanReversals, StatError> {
    let found = reversals(rule, levels_ms, correct)?;
    if found.len() <= REVERSALS_DROPPED {
        return Err(StatError::TooFew {
            statistic: "the mean of the reversals",
            needed: REVERSALS_DROPPED + 1,
            of: "reversals",
            got: found.len(),
        });
    }
    let levels: Vec<u32> = found[REVERSALS_DROPPED..].iter().map(|turn| turn.level_ms).collect();
    Ok(MeanReversals { mean_ms: mean(&levels), used: levels.len() })
}

fn at_least_one(statistic: &'static str, levels_ms: &[u32]) -> Result<(), StatError> {
    if levels_ms.is_empty() {
        return Err(StatError::TooFew { statistic, needed: 1, of: "levels", got: 0 });
    }
    Ok(())
}

/// The sum is exact, so the order of the levels does not affect the result.
fn mean(levels_ms: &[u32]) -> f64 {
    let sum: u64 = levels_ms.iter().map(|&level| u64::from(level)).sum();
    sum as f64 / levels_ms.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::staircase::Preset;

    #[test]
    fn halves_of_odd_blocks_keep_the_middle_trial() {
        assert_eq!(mean_last_half(&[10, 20, 60]).unwrap(), 40.0);
        assert_eq!(mean_last_half(&[7]).unwrap(), 7.0);
    }

    #[test]
    fn the_mode_lists_its_ties_and_its_bound() {
        let found = mode(&[100, 120, 120, 100, 110]).unwrap();
        assert_eq!(found, Mode { level_ms: 100, tied_ms: vec![100, 120], presentations: 2 });
        assert_eq!(found.censoring(Range::HYPE), Censoring::Floor);
        assert_eq!(mode(&[1000, 1000, 990]).unwrap().censoring(Range::HYPE), Censoring::Ceiling);
    }

    #[test]
    fn few_reversals_are_an_outcome_with_their_number() {
        let rule = Preset::Weighted.rule();
        let turning = [true, false, true, false, true, false];
        let outcome = mean_reversals(rule, &[500, 490, 520, 510, 540, 530], &turning).unwrap();
        assert_eq!((outcome.mean_ms, outcome.used), (530.0, 1));
        let few = mean_reversals(rule, &[500, 490, 520, 510, 540], &turning[..5]);
        assert!(matches!(few, Err(StatError::TooFew { needed: 5, got: 4, .. })));
        assert!(matches!(
            mean_reversals(rule, &[500], &[]),
            Err(StatError::Lengths { left: 1, right: 0, .. })
        ));
    }

    #[test]
    fn empty_blocks_have_no_estimate() {
        assert!(mode(&[]).is_err() && mean_last_half(&[]).is_err());
    }
}
