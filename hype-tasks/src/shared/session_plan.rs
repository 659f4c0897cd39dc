//! The images of one session of a HYPE task: for each model its blocks, half real and half generated,
//! shuffled.

use std::collections::BTreeMap;
use std::sync::Arc;

use hype_core::protocol::draw::balanced;
use hype_core::{Design, Diagnostics, Inputs, Role, SetId, StartError, StimulusId, Streams, Use};

use crate::shared::qualification::{main_members, taken_from_main};
use crate::shared::reals::{self, DrawnReals, RealCounts, RealsLeft};

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
    let mut order = chance.stream("real order");
    let in_all_blocks = shape.in_all_blocks(shape.real_in_block);
    let counts = |models: &[SetId]| RealCounts {
        main: u32::try_from(in_all_blocks.saturating_mul(models.len())).unwrap_or(u32::MAX),
        practice: 0,
    };
    let members = |set| main_members(design, inputs.study_chance, set);
    let mut reals: Vec<_> = reals::draw(inputs, members, counts)
        .into_iter()
        .map(|DrawnReals { models, mut main, .. }| {
            order.shuffle(&mut main);
            (models, main.into_iter())
        })
        .collect();
    let mut blocks = Vec::with_capacity(shape.blocks as usize * models.len());
    for &model in models {
        let pool = main_members(design, inputs.study_chance, model);
        let take = shape.in_all_blocks(shape.generated_in_block);
        let generated_chance = inputs.study_chance.child("generated", u64::from(model.0));
        let mut generated = balanced(&pool, take, turn, &generated_chance);
        chance.child("model", u64::from(model.0)).stream("generated order").shuffle(&mut generated);
        let mut generated = generated.into_iter();
        let real = reals.iter_mut().find(|(models, _)| models.contains(&model)).map(|(_, real)| real);
        let mut real = real.into_iter().flatten();
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
    real: RealsLeft,
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

    /// Those of the sets of real images that are shown with each of the session's models, as this function orders them.
    pub(crate) fn real(&self, mut in_order: impl FnMut(Vec<StimulusId>) -> Vec<StimulusId>) -> RealsLeft {
        RealsLeft::new(self.inputs, |sets| in_order(sets.iter().flat_map(|&set| self.of(set)).collect()))
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
        let real = unshown.real(|pool| drawn(pool, shape.real_in_block, 0));
        Self { generated: generated.collect(), real }
    }

    /// Replaces an image of a block by another of the same class: a spare one, or else one that comes later.
    pub(crate) fn replace(&mut self, block: &mut Block, at: usize) {
        let Some(&(_, role)) = block.shown.get(at) else { return };
        let spare = match role {
            Role::Real => self.real.pop(block.model),
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
    let of_model = shape.blocks.saturating_mul(shape.trials_in_block());
    of_model.saturating_mul(design.models_of_a_rater())
}

/// For models that are shown with the same real sets how many real images a session shows, and how many of those are left after the
/// qualification.
pub(crate) fn real_images(shape: Shape, design: &Design<'_>) -> Vec<(SetId, u64, usize)> {
    let of_model = u64::from(shape.blocks) * u64::from(shape.real_in_block);
    let left = |set: &SetId| design.stimuli.members(*set).len() - taken_from_main(design, *set);
    let need = |need: reals::RealNeed| {
        (need.model, of_model.saturating_mul(need.models as u64), need.sets.iter().map(left).sum())
    };
    let needs = reals::needs(design).into_iter();
    needs.filter(|need| !need.sets.is_empty()).map(need).collect()
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
    for (model, real_needed, real_left) in real_images(shape, design).into_iter().filter(|_| has_reals) {
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
