//! The state of a HYPE-time session.

use std::sync::Arc;

use hype_core::trial::Trial;
use hype_core::{Ending, Role, SetId, StimulusId};
use hype_stats::staircase::{Range, Rule, Staircase};

use crate::qualification::{Progress, Standing};
use crate::session_plan::{Block, Spares, upcoming};

/// The state of a HYPE-time session: the qualification, then block by block.
#[derive(Debug, Clone, PartialEq)]
pub struct HypeTimeState {
    qualification: Option<Progress>,
    blocks: Arc<[Block]>,
    spares: Spares,
    block: usize,
    in_block: usize,
    staircase: Staircase,
}

impl HypeTimeState {
    pub(super) fn new(
        qualification: Option<Progress>,
        blocks: Arc<[Block]>,
        spares: Spares,
        rule: Rule,
        range: Range,
    ) -> Self {
        Self { qualification, blocks, spares, block: 0, in_block: 0, staircase: Staircase::new(rule, range) }
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

    /// Block, place in the block and stimulus of the current trial of the main phase.
    pub(super) fn current_main(&self) -> Option<(u16, u32, StimulusId)> {
        let &(stimulus, _) = self.blocks.get(self.block)?.shown.get(self.in_block)?;
        Some((self.block as u16, self.in_block as u32, stimulus))
    }

    /// The exposure of the current trial of the main phase.
    pub(super) fn level_ms(&self) -> u32 {
        self.staircase.level_ms()
    }

    /// The model under judgment and the role of what is shown.
    pub(super) fn truth(&self) -> Option<(Option<SetId>, Role)> {
        if let Some(progress) = self.running_qualification() {
            return progress.truth();
        }
        let block = self.blocks.get(self.block)?;
        let &(_, role) = block.shown.get(self.in_block)?;
        Some((Some(block.model), role))
    }

    /// Puts another image in the place of the current one; the qualification, which has no time limit, stays as it is.
    pub(super) fn disturb(&mut self) {
        if self.running_qualification().is_some() {
            return;
        }
        if let Some(block) = Arc::make_mut(&mut self.blocks).get_mut(self.block) {
            self.spares.replace(block, self.in_block);
        }
    }

    /// What the current block still shows.
    pub(super) fn upcoming(&self) -> Vec<StimulusId> {
        match self.running_qualification() {
            Some(progress) => progress.upcoming(),
            None => upcoming(&self.blocks, self.block, self.in_block),
        }
    }

    /// Takes a judgment and says whether it was right.
    pub(super) fn answer(&mut self, judged: Role) -> Option<bool> {
        if let Some(progress) = &mut self.qualification
            && progress.standing() == Standing::Running
        {
            return progress.answer(judged);
        }
        let block = self.blocks.get(self.block)?;
        let &(_, role) = block.shown.get(self.in_block)?;
        let right = judged == role;
        self.staircase.answer(right);
        self.in_block += 1;
        if self.in_block == block.shown.len() {
            self.block += 1;
            self.in_block = 0;
            self.staircase = Staircase::new(self.staircase.rule(), self.staircase.range());
        }
        Some(right)
    }
}
