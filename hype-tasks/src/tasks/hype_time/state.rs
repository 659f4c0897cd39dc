//! The state of a HYPE-time session.

use std::sync::Arc;

use hype_core::model::trial::Trial;
use hype_core::{Ending, Role, SetId, StimulusId};

use super::catch::CatchPlan;
use super::procedure::Procedure;
use crate::shared::qualification::{Progress, Standing};
use crate::shared::session_plan::{Block, Spares, upcoming};

/// The state of a HYPE-time session: the qualification, then block by block, with catch trials among those that count.
#[derive(Debug, Clone, PartialEq)]
pub struct HypeTimeState {
    qualification: Option<Progress>,
    blocks: Arc<[Block]>,
    catches: Option<CatchPlan>,
    spares: Spares,
    block: usize,
    /// Completed trials of the block, without catch trials.
    in_block: usize,
    procedure: Procedure,
}

/// The current trial of the main phase.
pub(super) struct Current {
    pub(super) block: u16,
    pub(super) block_trials: u32,
    /// Its position among all trials of the block.
    pub(super) in_block: u32,
    pub(super) stimulus: StimulusId,
    pub(super) exposure_ms: u32,
}

impl HypeTimeState {
    pub(super) fn new(
        qualification: Option<Progress>,
        blocks: Arc<[Block]>,
        catches: Option<CatchPlan>,
        spares: Spares,
        procedure: Procedure,
    ) -> Self {
        Self { qualification, blocks, catches, spares, block: 0, in_block: 0, procedure }
    }

    fn standing(&self) -> Standing {
        self.qualification.as_ref().map_or(Standing::Passed, Progress::standing)
    }

    pub(super) fn ending(&self) -> Option<Ending> {
        match self.standing() {
            Standing::Failed => Some(Ending::Disqualified),
            Standing::Passed if self.block == self.blocks.len() => Some(Ending::Completed),
            Standing::Running | Standing::Passed => None,
        }
    }

    fn running_qualification(&self) -> Option<&Progress> {
        self.qualification.as_ref().filter(|progress| progress.standing() == Standing::Running)
    }

    pub(super) fn qualification_trial(&self) -> Option<Trial> {
        self.running_qualification().and_then(Progress::trial)
    }

    /// The next trial of the qualification. Those after it depend on the answers.
    pub(super) fn following(&self) -> Option<Trial> {
        self.running_qualification().and_then(Progress::following)
    }

    /// The catch trial that is due in the main phase, with its exposure.
    fn due(&self) -> Option<(StimulusId, Role, u32)> {
        let catches = self.catches.as_ref()?;
        let (stimulus, role) = catches.due(self.block, self.in_block)?;
        Some((stimulus, role, catches.exposure_ms()))
    }

    /// Whether the current trial is a catch trial.
    pub(super) fn is_catch(&self) -> bool {
        self.running_qualification().is_none() && self.due().is_some()
    }

    pub(super) fn current(&self) -> Option<Current> {
        let block = self.blocks.get(self.block)?;
        let (stimulus, exposure_ms) = match self.due() {
            Some((stimulus, _, exposure_ms)) => (stimulus, exposure_ms),
            None => (block.shown.get(self.in_block)?.0, self.procedure.exposure_ms()),
        };
        let catches =
            self.catches.as_ref().map_or((0, 0), |catches| (catches.over(), catches.in_block(self.block)));
        Some(Current {
            block: self.block as u16,
            block_trials: (block.shown.len() + catches.1) as u32,
            in_block: (self.in_block + catches.0) as u32,
            stimulus,
            exposure_ms,
        })
    }

    /// The model under judgment and the role of the stimulus.
    pub(super) fn truth(&self) -> Option<(Option<SetId>, Role)> {
        if let Some(progress) = self.running_qualification() {
            return progress.truth();
        }
        let block = self.blocks.get(self.block)?;
        let role = match self.due() {
            Some((_, role, _)) => role,
            None => block.shown.get(self.in_block)?.1,
        };
        Some((Some(block.model), role))
    }

    /// Replaces the current image. The qualification, which has no time limit, is unchanged.
    pub(super) fn disturb(&mut self) {
        if self.running_qualification().is_some() {
            return;
        }
        if self.due().is_some() {
            if let Some(catches) = &mut self.catches {
                catches.replace(&mut self.spares, self.block);
            }
        } else if let Some(block) = Arc::make_mut(&mut self.blocks).get_mut(self.block) {
            self.spares.replace(block, self.in_block);
        }
    }

    /// The stimuli that the current block still shows.
    pub(super) fn upcoming(&self) -> Vec<StimulusId> {
        match self.running_qualification() {
            Some(progress) => progress.upcoming(),
            None => {
                let mut shown = upcoming(&self.blocks, self.block, self.in_block);
                shown.extend(self.catches.iter().flat_map(|catches| catches.upcoming(self.block)));
                shown
            }
        }
    }

    /// Records a judgment and returns whether it was right. Catch trials do not change what the next exposure is.
    pub(super) fn answer(&mut self, judged: Role) -> Option<bool> {
        if let Some(progress) = &mut self.qualification
            && progress.standing() == Standing::Running
        {
            return progress.answer(judged);
        }
        if let Some((_, role, _)) = self.due() {
            self.catches.iter_mut().for_each(CatchPlan::advance);
            return Some(judged == role);
        }
        let block = self.blocks.get(self.block)?;
        let &(_, role) = block.shown.get(self.in_block)?;
        let right = judged == role;
        self.procedure.answer(right);
        self.in_block += 1;
        if self.in_block == block.shown.len() || self.procedure.is_over() {
            self.block += 1;
            self.in_block = 0;
            self.catches.iter_mut().for_each(CatchPlan::begin_block);
            self.procedure = self.procedure.restarted();
        }
        Some(right)
    }
}
