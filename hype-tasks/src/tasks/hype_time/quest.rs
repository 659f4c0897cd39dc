//! QUEST+ over exposures: the design that sessions of a study share, and the state of one block.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use hype_stats::staircase::Censoring;
use hype_stats::staircase::quest_plus::{Choice, Domain, FunctionForm, LevelScale, QuestPlus, equal_ratios};

use super::settings::{
    Adaptive, AdaptiveFunction, GUESS, HypeTime, Interest, LAPSES, LEVELS, SLOPES, StopRule, TARGET,
    THRESHOLDS,
};

/// A detail of tasks whose blocks are QUEST+ over exposures.
///
/// Copies share the tables of probabilities, about 0.6 MB with the default settings.
#[derive(Debug, Clone, PartialEq)]
pub struct QuestPlusDesign(Arc<Tabulated>);

/// Tables that follow from the settings.
#[derive(Debug, PartialEq)]
struct Tabulated {
    settings: Settings,
    levels_ms: Vec<u32>,
    prior: QuestPlus,
}

/// The settings on which the procedure depends.
#[derive(Debug, Clone, PartialEq)]
struct Settings {
    adaptive: Adaptive,
    floor_ms: u32,
    ceiling_ms: u32,
    trials_per_block: u32,
}

/// The designs in use, each shared by the sessions of a study. Nothing but time and memory depends on it.
static IN_USE: Mutex<Vec<Weak<Tabulated>>> = Mutex::new(Vec::new());

impl QuestPlusDesign {
    /// The design of a task; `None` if it has a staircase, or its settings are not valid.
    pub(super) fn of(task: &HypeTime) -> Option<Self> {
        let settings = Settings {
            adaptive: task.adaptive.clone()?,
            floor_ms: task.exposure.floor_ms.get(),
            ceiling_ms: task.exposure.ceiling_ms.get(),
            trials_per_block: task.trials_per_block.get(),
        };
        let mut in_use = IN_USE.lock().unwrap_or_else(PoisonError::into_inner);
        let shared = in_use.iter().filter_map(Weak::upgrade).find(|design| design.settings == settings);
        if let Some(shared) = shared {
            return Some(Self(shared));
        }
        let design = Arc::new(Tabulated::new(settings)?);
        in_use.retain(|design| design.strong_count() > 0);
        in_use.push(Arc::downgrade(&design));
        Some(Self(design))
    }

    /// The exposures to choose from, in milliseconds, ascending.
    #[must_use]
    pub fn levels_ms(&self) -> &[u32] {
        &self.0.levels_ms
    }

    /// The largest number of trials in a block.
    #[must_use]
    pub fn trials_per_block(&self) -> u32 {
        self.0.settings.trials_per_block
    }

    /// Begins a block.
    #[must_use]
    pub fn block(&self) -> QuestPlusBlock {
        let level = choose(&self.0.prior, self.0.settings.adaptive.of_interest);
        QuestPlusBlock { design: self.clone(), posterior: self.0.prior.clone(), level, trials: 0 }
    }

    /// The block that these exposures, in milliseconds, and answers belong to; `None` if the design does not have
    /// one of the exposures.
    #[must_use]
    pub fn replayed(&self, answers: impl IntoIterator<Item = (u32, bool)>) -> Option<QuestPlusBlock> {
        let mut block = self.block();
        for (exposure_ms, right) in answers {
            let level = self.0.levels_ms.binary_search(&exposure_ms).ok()?;
            block.record(level, right);
        }
        block.level = choose(&block.posterior, self.0.settings.adaptive.of_interest);
        Some(block)
    }
}

impl Tabulated {
    fn new(settings: Settings) -> Option<Self> {
        let Settings { adaptive, floor_ms, ceiling_ms, .. } = &settings;
        if floor_ms >= ceiling_ms {
            return None;
        }
        let between = |number: u32| equal_ratios(f64::from(*floor_ms), f64::from(*ceiling_ms), number);
        let mut levels_ms: Vec<u32> = between(LEVELS).into_iter().map(|level| (level + 0.5) as u32).collect();
        levels_ms.dedup();
        let domain = Domain {
            levels: levels_ms.iter().copied().map(f64::from).collect(),
            thresholds: between(THRESHOLDS),
            slopes: SLOPES.to_vec(),
            guesses: vec![GUESS],
            lapses: LAPSES.to_vec(),
        };
        let form = match adaptive.function {
            AdaptiveFunction::Logistic => FunctionForm::Logistic(LevelScale::Linear),
            AdaptiveFunction::Weibull => FunctionForm::Weibull(LevelScale::Linear),
        };
        let prior = QuestPlus::with_threshold_at(TARGET, form, domain).ok()?;
        Some(Self { settings, levels_ms, prior })
    }
}

fn choose(posterior: &QuestPlus, of_interest: Interest) -> usize {
    let Choice { index, .. } = match of_interest {
        Interest::Threshold => posterior.next_level_for_threshold(),
        Interest::All => posterior.next_level(),
    };
    index
}

/// One block of QUEST+, as a pure state machine.
#[derive(Debug, Clone, PartialEq)]
pub struct QuestPlusBlock {
    design: QuestPlusDesign,
    posterior: QuestPlus,
    /// The position of the next exposure.
    level: usize,
    trials: u32,
}

/// The threshold of a block.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct QuestPlusEstimate {
    /// The posterior's mean in milliseconds; the bound if it is censored.
    pub threshold_ms: f64,
    /// The posterior's standard deviation in milliseconds.
    pub sd_ms: f64,
    /// Whether most of the posterior lies at the shortest or the longest exposure.
    pub censoring: Censoring,
}

impl QuestPlusBlock {
    /// The next exposure, in milliseconds.
    #[must_use]
    pub fn exposure_ms(&self) -> u32 {
        self.design.0.levels_ms[self.level]
    }

    /// The shortest and the longest exposure, in milliseconds.
    #[must_use]
    pub fn bounds_ms(&self) -> (u32, u32) {
        let Settings { floor_ms, ceiling_ms, .. } = self.design.0.settings;
        (floor_ms, ceiling_ms)
    }

    /// Answers so far.
    #[must_use]
    pub fn trials(&self) -> u32 {
        self.trials
    }

    /// Another block of the same design.
    #[must_use]
    pub fn restarted(&self) -> Self {
        self.design.block()
    }

    /// Records an answer at the current exposure and chooses the next one.
    pub fn answer(&mut self, right: bool) {
        self.record(self.level, right);
        self.level = choose(&self.posterior, self.design.0.settings.adaptive.of_interest);
    }

    /// Whether the block has all of its trials, or its posterior is as narrow as its stopping rule asks.
    #[must_use]
    pub fn is_over(&self) -> bool {
        let Settings { adaptive, trials_per_block, .. } = &self.design.0.settings;
        let narrow = |stop: &StopRule| self.trials >= stop.at_least.get() && self.moments().1 <= stop.sd_ms;
        self.trials >= *trials_per_block || adaptive.stop.as_ref().is_some_and(narrow)
    }

    /// The threshold from the answers so far.
    #[must_use]
    pub fn estimate(&self) -> QuestPlusEstimate {
        let (mean, sd_ms) = self.moments();
        let (floor_ms, ceiling_ms) = self.bounds_ms();
        let at = |bound: Option<(f64, f64)>| bound.is_some_and(|(_, weight)| weight > 0.5);
        let (censoring, threshold_ms) = if at(self.posterior.threshold_posterior().next()) {
            (Censoring::Floor, f64::from(floor_ms))
        } else if at(self.posterior.threshold_posterior().last()) {
            (Censoring::Ceiling, f64::from(ceiling_ms))
        } else {
            (Censoring::None, mean)
        };
        QuestPlusEstimate { threshold_ms, sd_ms, censoring }
    }

    /// Updates the posterior.
    fn record(&mut self, level: usize, right: bool) {
        // The level is one of the design's, and with lapses of at least 0.001 and a guess rate of one half every point
        // of the grid can give either answer, so this cannot fail.
        let _ = self.posterior.answer(level, right);
        self.trials = self.trials.saturating_add(1);
    }

    /// The mean of the threshold and its standard deviation.
    fn moments(&self) -> (f64, f64) {
        let over = |of: &dyn Fn(f64) -> f64| -> f64 {
            self.posterior.threshold_posterior().map(|(threshold, weight)| of(threshold) * weight).sum()
        };
        let mean = over(&|threshold| threshold);
        let variance = over(&|threshold| (threshold - mean) * (threshold - mean));
        (mean, variance.sqrt())
    }
}
