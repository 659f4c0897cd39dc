//! The catch trials of one session: their images and positions.

use std::collections::BTreeMap;
use std::sync::Arc;

use hype_core::{Inputs, Role, SetId, StartError, StimulusId, Streams};

use crate::shared::reals::RealsLeft;
use crate::shared::session_plan::{Block, Spares, Unshown};
use crate::tasks::hype_time::settings::CatchTrials;

/// The catch trials of a session, and its progress.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::tasks::hype_time) struct CatchPlan {
    exposure_ms: u32,
    /// By the blocks of the main phase.
    blocks: Arc<[BlockCatches]>,
    /// The number of the current block's catch trials that are over.
    over: usize,
}

/// The catch trials among those of one block.
#[derive(Debug, Clone, PartialEq)]
struct BlockCatches {
    /// The images; generated ones are from the block's model.
    catch: Block,
    /// The block's own trial that each precedes, in order; never the first one, and all different.
    before: Vec<usize>,
}

impl CatchPlan {
    /// Draws a session's catch trials: spread equally over blocks, half of them real, never two in a row.
    pub(in crate::tasks::hype_time) fn draw(
        settings: &CatchTrials,
        inputs: &Inputs<'_>,
        blocks: &[Block],
        chance: &Streams,
    ) -> Result<Self, StartError> {
        let own = chance.child("catch", 0);
        let (all, half) = (settings.trials.get() as usize, settings.trials.get() as usize / 2);
        let mut counts: Vec<usize> = (0..blocks.len())
            .map(|block| all / blocks.len() + usize::from(block < all % blocks.len()))
            .collect();
        own.stream("blocks").shuffle(&mut counts);
        let mut roles = vec![Role::Real; half];
        roles.resize(2 * half, Role::Generated);
        own.stream("roles").shuffle(&mut roles);
        let mut roles = roles.into_iter();
        let mut pools = Pools::draw(&Unshown::by(inputs, blocks), &inputs.place.models, &own);
        let mut among = Vec::with_capacity(blocks.len());
        for (number, (block, count)) in blocks.iter().zip(counts).enumerate() {
            let mut before: Vec<usize> = (1..block.shown.len()).collect();
            own.child("block", number as u64).stream("places").shuffle(&mut before);
            before.truncate(count);
            before.sort_unstable();
            let shown: Option<Vec<_>> = roles
                .by_ref()
                .take(before.len())
                .map(|role| Some((pools.pop(role, block.model)?, role)))
                .collect();
            match shown {
                Some(shown) if shown.len() == count => {
                    among.push(BlockCatches { catch: Block { model: block.model, shown }, before });
                }
                _ => return Err(StartError("there is no room for the catch trials".into())),
            }
        }
        Ok(Self { exposure_ms: settings.exposure_ms.get(), blocks: among.into(), over: 0 })
    }

    pub(in crate::tasks::hype_time) fn exposure_ms(&self) -> u32 {
        self.exposure_ms
    }

    /// Their images, by block.
    pub(in crate::tasks::hype_time) fn blocks(&self) -> impl Iterator<Item = &Block> {
        self.blocks.iter().map(|among| &among.catch)
    }

    /// The catch trial that comes before one of a block's own, unless it is over.
    pub(in crate::tasks::hype_time) fn due(
        &self,
        block: usize,
        in_block: usize,
    ) -> Option<(StimulusId, Role)> {
        let among = self.blocks.get(block)?;
        let due = among.before.get(self.over).is_some_and(|&before| before == in_block);
        if due { among.catch.shown.get(self.over).copied() } else { None }
    }

    /// The number of the current block's catch trials that are over.
    pub(in crate::tasks::hype_time) fn over(&self) -> usize {
        self.over
    }

    /// The number of catch trials in a block.
    pub(in crate::tasks::hype_time) fn in_block(&self, block: usize) -> usize {
        self.blocks.get(block).map_or(0, |among| among.before.len())
    }

    /// The images that a block's catch trials still show.
    pub(in crate::tasks::hype_time) fn upcoming(&self, block: usize) -> impl Iterator<Item = StimulusId> {
        let shown = self.blocks.get(block).and_then(|among| among.catch.shown.get(self.over..));
        shown.unwrap_or_default().iter().map(|&(id, _)| id)
    }

    /// Marks the current catch trial as answered.
    pub(in crate::tasks::hype_time) fn advance(&mut self) {
        self.over += 1;
    }

    /// Begins the next block.
    pub(in crate::tasks::hype_time) fn begin_block(&mut self) {
        self.over = 0;
    }

    /// Replaces the image of the current catch trial.
    pub(in crate::tasks::hype_time) fn replace(&mut self, spares: &mut Spares, block: usize) {
        if let Some(among) = Arc::make_mut(&mut self.blocks).get_mut(block) {
            spares.replace(&mut among.catch, self.over);
        }
    }
}

/// The images that catch trials may show.
struct Pools {
    real: RealsLeft,
    generated: BTreeMap<SetId, Vec<StimulusId>>,
}

impl Pools {
    fn draw(unshown: &Unshown<'_>, models: &[SetId], chance: &Streams) -> Self {
        let shuffled = |mut pool: Vec<StimulusId>, stream: u64| {
            chance.child("images", stream).stream("order").shuffle(&mut pool);
            pool
        };
        let generated =
            models.iter().map(|&model| (model, shuffled(unshown.of(model), u64::from(model.0) + 1)));
        Self { generated: generated.collect(), real: unshown.real(|pool| shuffled(pool, 0)) }
    }

    fn pop(&mut self, role: Role, model: SetId) -> Option<StimulusId> {
        match role {
            Role::Real => self.real.pop(model),
            Role::Generated => self.generated.get_mut(&model)?.pop(),
        }
    }
}
