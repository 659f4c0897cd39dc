//! The images of one session of a HYPE task: for each model its blocks, half real and half generated,
//! shuffled.

use std::collections::BTreeMap;
use std::sync::Arc;

use hype_core::RaterDesign;
use hype_core::protocol::draw::balanced;
use hype_core::{Design, Diagnostics, Inputs, Role, SetId, StartError, StimulusId, Streams, Use};

use crate::shared::qualification::{main_members, taken_from_main};

/// One block: the model that it judges and what it shows, in order.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Block {
    pub(crate) model: SetId,
    pub(crate) shown: Vec<(StimulusId, Role)>,
}

/// The number of images of each class that a session shows for one model.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shape {
    pub(crate) blocks: u32,
    pub(crate) real_in_block: u32,
    pub(crate) generated_in_block: u32,
}

impl Shape {
    pub(crate) fn trials_in_block(self) -> u32 {
        self.real_in_block.saturating_add(self.generated_in_block)
    }

    /// The number of images of a class in all blocks of a model.
    fn in_all_blocks(self, in_block: u32) -> usize {
        (self.blocks as usize).saturating_mul(in_block as usize)
    }
}

/// Draws a session's blocks: no image twice in the session, balanced over raters.
pub(crate) fn draw(shape: Shape, inputs: &Inputs<'_>, chance: &Streams) -> Result<Arc<[Block]>, StartError> {
    let design = &inputs.design;
    let models = &inputs.place.models;
    let turn = inputs.place.turn;
    // The real images are balanced over the raters of one model; with `within`, over all raters.
    let group = match (design.raters.design, models.first()) {
        (RaterDesign::Between, Some(model)) => u64::from(model.0) + 1,
        _ => 0,
    };
    let real_in_all = shape.in_all_blocks(shape.real_in_block).saturating_mul(models.len());
    let real_pool: Vec<StimulusId> = design
        .stimuli
        .real_sets(models)
        .flat_map(|set| main_members(design, inputs.study_chance, set))
        .collect();
    let mut real = balanced(&real_pool, real_in_all, turn, &inputs.study_chance.child("real", group));
    chance.stream("real order").shuffle(&mut real);
    let mut real = real.into_iter();
    let mut blocks = Vec::with_capacity(shape.blocks as usize * models.len());
    for &model in models {
        let pool = main_members(design, inputs.study_chance, model);
        let take = shape.in_all_blocks(shape.generated_in_block);
        let generated_chance = inputs.study_chance.child("generated", u64::from(model.0));
        let mut generated = balanced(&pool, take, turn, &generated_chance);
        chance.child("model", u64::from(model.0)).stream("generated order").shuffle(&mut generated);
        let mut generated = generated.into_iter();
        for _ in 0..shape.blocks {
            let mut shown: Vec<(StimulusId, Role)> = Vec::with_capacity(shape.trials_in_block() as usize);
            shown.extend(real.by_ref().take(shape.real_in_block as usize).map(|id| (id, Role::Real)));
            shown.extend(
                generated.by_ref().take(shape.generated_in_block as usize).map(|id| (id, Role::Generated)),
            );
            if shown.len() != shape.trials_in_block() as usize {
                return Err(StartError("there are too few images for the draw".into()));
            }
            chance.child("block", blocks.len() as u64).stream("order").shuffle(&mut shown);
            blocks.push(Block { model, shown });
        }
    }
    Ok(blocks.into())
}

/// Spare images, which replace those whose presentation was disturbed.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Spares {
    real: Vec<StimulusId>,
    generated: BTreeMap<SetId, Vec<StimulusId>>,
}

/// The images that the main phase may show and these blocks do not.
pub(crate) struct Unshown<'a> {
    inputs: &'a Inputs<'a>,
    /// By the numbers of stimuli.
    shown: Vec<bool>,
}

impl<'a> Unshown<'a> {
    pub(crate) fn by<'b>(inputs: &'a Inputs<'a>, blocks: impl IntoIterator<Item = &'b Block>) -> Self {
        let mut shown = vec![false; inputs.design.stimuli.all().len()];
        for &(StimulusId(id), _) in blocks.into_iter().flat_map(|block| &block.shown) {
            shown[id as usize] = true;
        }
        Self { inputs, shown }
    }

    /// Those of one set, in its order.
    pub(crate) fn of(&self, set: SetId) -> Vec<StimulusId> {
        let mut left = main_members(&self.inputs.design, self.inputs.study_chance, set);
        left.retain(|id| !self.shown[id.0 as usize]);
        left
    }

    /// Those of the sets of real images that are shown with the session's models.
    pub(crate) fn real(&self) -> Vec<StimulusId> {
        let sets = self.inputs.design.stimuli.real_sets(&self.inputs.place.models);
        sets.flat_map(|set| self.of(set)).collect()
    }
}

impl Spares {
    /// Draws at most a block's worth of each class and model.
    pub(crate) fn draw(shape: Shape, unshown: &Unshown<'_>, chance: &Streams) -> Self {
        let drawn = |mut pool: Vec<StimulusId>, most: u32, stream: u64| {
            chance.child("spares", stream).stream("order").shuffle(&mut pool);
            pool.truncate(most as usize);
            pool
        };
        let generated = unshown.inputs.place.models.iter().map(|&model| {
            (model, drawn(unshown.of(model), shape.generated_in_block, u64::from(model.0) + 1))
        });
        Self { generated: generated.collect(), real: drawn(unshown.real(), shape.real_in_block, 0) }
    }

    /// Replaces an image of a block by another of the same class: a spare one, or else one that comes later.
    pub(crate) fn replace(&mut self, block: &mut Block, at: usize) {
        let Some(&(_, role)) = block.shown.get(at) else { return };
        let spare = match role {
            Role::Real => self.real.pop(),
            Role::Generated => self.generated.get_mut(&block.model).and_then(Vec::pop),
        };
        if let Some(spare) = spare {
            block.shown[at].0 = spare;
        } else if let Some(later) = (at + 1..block.shown.len()).find(|&later| block.shown[later].1 == role) {
            block.shown.swap(at, later);
        }
    }
}

/// The stimuli that a block shows from a given trial on.
pub(crate) fn upcoming(blocks: &[Block], block: usize, from: usize) -> Vec<StimulusId> {
    let shown = blocks.get(block).and_then(|block| block.shown.get(from..));
    shown.unwrap_or_default().iter().map(|&(id, _)| id).collect()
}

/// Trials of a session's main phase.
pub(crate) fn trials(shape: Shape, design: &Design<'_>) -> u32 {
    let models = u32::try_from(models_seen(design)).unwrap_or(u32::MAX);
    shape.blocks.saturating_mul(shape.trials_in_block()).saturating_mul(models)
}

/// The number of models that a rater judges.
pub(crate) fn models_seen(design: &Design<'_>) -> usize {
    match design.raters.design {
        RaterDesign::Between => 1,
        RaterDesign::Within => design.stimuli.models().count(),
    }
}

/// How many real images a session shows, and for models that are shown with the same real sets how many of those are left
/// after the qualification.
pub(crate) fn real_images(shape: Shape, design: &Design<'_>) -> (u64, Vec<(SetId, usize)>) {
    let in_blocks = u64::from(shape.blocks) * u64::from(shape.real_in_block);
    let mut pools: Vec<(SetId, Vec<SetId>)> = Vec::new();
    for model in design.stimuli.models() {
        let sets: Vec<SetId> = match design.raters.design {
            RaterDesign::Between => design.stimuli.real_sets(&[model]).collect(),
            RaterDesign::Within => design.stimuli.real_sets(&[]).collect(),
        };
        if !sets.is_empty() && pools.iter().all(|(_, known)| *known != sets) {
            pools.push((model, sets));
        }
    }
    let left = |set: &SetId| design.stimuli.members(*set).len() - taken_from_main(design, *set);
    let left = pools.iter().map(|(model, sets)| (*model, sets.iter().map(left).sum())).collect();
    (in_blocks.saturating_mul(models_seen(design) as u64), left)
}

/// The cell that real images are for, in messages; empty if they are for all models.
pub(crate) fn for_cell(design: &Design<'_>, model: SetId) -> String {
    match design.stimuli.set(model) {
        Some(set) if !set.levels.is_empty() => format!(" of {}", set.name),
        _ => String::new(),
    }
}

/// How many images of a model a session shows, and how many are left after the qualification.
pub(crate) fn images_of(shape: Shape, design: &Design<'_>, model: SetId) -> (u64, usize) {
    let left = design.stimuli.members(model).len() - taken_from_main(design, model);
    (u64::from(shape.blocks) * u64::from(shape.generated_in_block), left)
}

/// Checks that there are enough images for every session, at the path of the task.
pub(crate) fn check(shape: Shape, design: &Design<'_>, at: &mut Diagnostics) {
    let stimuli = design.stimuli;
    let (real_needed, real_left) = real_images(shape, design);
    let hint = |needed: u64, left: usize| {
        format!(
            "add images or make the task smaller; an image is never shown twice to a rater, and the qualification \
             needs separate images (missing: {})",
            needed.saturating_sub(left as u64)
        )
    };
    if stimuli.sets_with(Role::Real, Use::Main).next().is_none() {
        at.error(
            "no-reals",
            "no set of stimuli has `role: real`, so there is nothing to compare the fakes with",
        )
        .help("name a set of real images, such as `real: { role: real, images: images/real/*.png }`");
    }
    let has_reals = stimuli.sets_with(Role::Real, Use::Main).next().is_some();
    for (model, real_left) in real_left.into_iter().filter(|_| has_reals) {
        if (real_left as u64) < real_needed {
            let of = for_cell(design, model);
            at.error(
                "too-few-images",
                format!(
                    "each rater{of} sees {real_needed} real images, but {real_left} are left for the main phase"
                ),
            )
            .help(hint(real_needed, real_left));
        }
    }
    for model in stimuli.models() {
        let (needed, left) = images_of(shape, design, model);
        if (left as u64) < needed {
            let name = stimuli.set(model).map_or("", |set| &*set.name);
            at.error(
                "too-few-images",
                format!(
                    "each rater of {name} sees {needed} of its images, but {left} are left for the main phase"
                ),
            )
            .help(hint(needed, left));
        }
    }
}
