//! The thresholds of the blocks of a session.

use hype_core::{Answered, Description, SessionRecord, SetId};
use hype_stats::psychometric::bayesian::{Experiment, Options, PsychometricParameter, most_probable};
use hype_stats::psychometric::{Axis, Sigmoid, Tally};
use hype_stats::staircase::{self, Approach, Censoring};

use super::{AT_CEILING, AT_FLOOR, STILL_FALLING, STILL_RISING};
use crate::tasks::hype_time::quest::{QuestPlusBlock, QuestPlusDesign};
use crate::tasks::hype_time::settings::{StaircaseDesign, TARGET};

/// Real and generated.
const ALTERNATIVES: u32 = 2;

/// One block as logged.
pub(super) struct Block<'a> {
    pub(super) model: SetId,
    pub(super) number: u16,
    pub(super) trials: Vec<&'a Answered>,
}

/// The blocks of the main phase, complete or not. Fails with a trial's number if the log is incomplete.
pub(super) fn blocks(session: &SessionRecord) -> Result<Vec<Block<'_>>, u32> {
    let mut blocks: Vec<Block<'_>> = Vec::new();
    for answered in session.main_trials() {
        let shown = &answered.shown;
        let (Some(model), Some(_), Some(_)) = (shown.model, shown.exposure_ms, answered.correct) else {
            return Err(answered.trial);
        };
        match blocks.last_mut() {
            Some(block) if block.number == shown.block => block.trials.push(answered),
            _ => blocks.push(Block { model, number: shown.block, trials: vec![answered] }),
        }
    }
    Ok(blocks)
}

/// The procedure of a study's blocks.
pub(super) enum BlockDesign<'a> {
    Staircase(&'a StaircaseDesign),
    QuestPlus(&'a QuestPlusDesign),
}

impl<'a> BlockDesign<'a> {
    pub(super) fn of(task: &'a Description) -> Option<Self> {
        let staircase = task.get().map(Self::Staircase);
        staircase.or_else(|| task.get().map(Self::QuestPlus))
    }

    /// The shortest and the longest exposure in milliseconds.
    pub(super) fn bounds(&self) -> [u32; 2] {
        match self {
            Self::Staircase(design) => [design.range.floor_ms(), design.range.ceiling_ms()],
            Self::QuestPlus(design) => {
                let levels = design.levels_ms();
                [levels.first(), levels.last()].map(|level| level.copied().unwrap_or_default())
            }
        }
    }

    /// The share of right answers at the threshold.
    pub(super) fn target(&self) -> f64 {
        match self {
            Self::Staircase(design) => design.rule.target(),
            Self::QuestPlus(_) => TARGET,
        }
    }

    /// The thresholds of one block and whether they are censored. Undefined thresholds, and those of incomplete blocks,
    /// have no value. `None` if the procedure never shows one of the block's exposures.
    pub(super) fn thresholds(&self, block: &Block<'_>) -> Option<Vec<(&'static str, f64)>> {
        let levels: Vec<u32> = block
            .trials
            .iter()
            .map(|trial| trial.shown.exposure_ms.map_or(0, |exposure| exposure.0))
            .collect();
        let correct: Vec<bool> = block.trials.iter().map(|trial| trial.correct == Some(true)).collect();
        let found = match self {
            Self::Staircase(design) if levels.len() == design.trials_per_block as usize => {
                staircase_thresholds(&levels, &correct, design)
            }
            Self::Staircase(_) => Vec::new(),
            Self::QuestPlus(design) => {
                let ended = design.replayed(levels.iter().copied().zip(correct.iter().copied()))?;
                if ended.is_over() { posterior_thresholds(&ended, &levels, &correct) } else { Vec::new() }
            }
        };
        Some(found)
    }
}

/// The thresholds of a staircase's block.
fn staircase_thresholds(
    levels: &[u32],
    correct: &[bool],
    design: &StaircaseDesign,
) -> Vec<(&'static str, f64)> {
    let StaircaseDesign { rule, range, reach, .. } = *design;
    let mode = staircase::mode(levels).ok();
    let bounds = (range.floor_ms(), range.ceiling_ms());
    let mut found = Vec::with_capacity(8);
    let mut add = |measure, value: Option<f64>| found.extend(value.map(|value| (measure, value)));
    add("mode_ms", mode.as_ref().map(|mode| f64::from(mode.level_ms)));
    add("mean_last_half_ms", staircase::mean_last_half(levels).ok());
    add("mean_reversals_ms", staircase::mean_reversals(rule, levels, correct).ok().map(|mean| mean.mean_ms));
    add("fit_ms", fitted_threshold(levels, correct, rule.target(), bounds));
    if let Some(mode) = mode {
        let censoring = mode.censoring(range);
        found.extend(censoring_rows(censoring));
        let arrival = reach.and_then(|reach| reach.arrival(levels).ok()).unwrap_or(Approach::Arrived);
        let way = if censoring == Censoring::None { arrival } else { Approach::Arrived };
        found.push((STILL_FALLING, f64::from(u8::from(way == Approach::Falling))));
        found.push((STILL_RISING, f64::from(u8::from(way == Approach::Rising))));
    }
    found
}

/// The thresholds of a block of QUEST+.
fn posterior_thresholds(
    block: &QuestPlusBlock,
    levels: &[u32],
    correct: &[bool],
) -> Vec<(&'static str, f64)> {
    let estimate = block.estimate();
    let mut found = vec![("posterior_mean_ms", estimate.threshold_ms)];
    found.extend(fitted_threshold(levels, correct, TARGET, block.bounds_ms()).map(|fit| ("fit_ms", fit)));
    found.push(("posterior_sd_ms", estimate.sd_ms));
    found.push(("block_trials", f64::from(block.trials())));
    found.extend(censoring_rows(estimate.censoring));
    found
}

/// Whether a block is censored at either bound.
fn censoring_rows(found: Censoring) -> [(&'static str, f64); 2] {
    let share = |bound| f64::from(u8::from(found == bound));
    [(AT_FLOOR, share(Censoring::Floor)), (AT_CEILING, share(Censoring::Ceiling))]
}

/// The exposure at which a logistic function of ln time is right as often as the procedure's target: the most probable one by the
/// answers of the block and psignifit's priors, with a guess rate of 0.5. A threshold beyond the range is taken as the bound, as
/// the block has no exposure there.
fn fitted_threshold(levels: &[u32], correct: &[bool], target: f64, bounds: (u32, u32)) -> Option<f64> {
    let options = Options::new(
        Sigmoid::Logistic,
        Axis::Logarithmic,
        Experiment::ForcedChoice { alternatives: ALTERNATIVES },
    );
    let options = options.ok()?.fix(PsychometricParameter::Overdispersion, 0.0).ok()?;
    let answers = levels.iter().zip(correct).map(|(&level, &correct)| (f64::from(level), correct));
    let function = most_probable(&Tally::count(answers), &options).ok()?;
    let threshold = function.inverse(target).ok()?;
    Some(threshold.clamp(f64::from(bounds.0), f64::from(bounds.1)))
}
