//! The real images of a session: each model is shown with those of its own levels.

use std::collections::BTreeSet;

use hype_core::model::stimulus::RealPool;
use hype_core::protocol::draw::Allocated;
use hype_core::{Design, Inputs, RaterDesign, SetId, StimulusId};

/// How many real images models are shown with: in the main phase, and before it in practice.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RealCounts {
    pub(crate) main: u32,
    pub(crate) practice: u32,
}

/// The real images that a session shows for models that share them.
#[derive(Debug, Clone)]
pub(crate) struct DrawnReals {
    pub(crate) models: Vec<SetId>,
    pub(crate) main: Vec<StimulusId>,
    pub(crate) practice: Vec<StimulusId>,
}

/// Draws a session's real images, balanced over the raters of the same models. An image that several models could be shown with is
/// not drawn twice.
pub(crate) fn draw(
    inputs: &Inputs<'_>,
    members: impl Fn(SetId) -> Vec<StimulusId>,
    counts: impl Fn(&[SetId]) -> RealCounts,
) -> Vec<DrawnReals> {
    let mut drawn = BTreeSet::new();
    let of_pool = |RealPool { models, sets, .. }: RealPool| {
        let pool: Vec<StimulusId> = sets.iter().flat_map(|&set| members(set)).collect();
        let RealCounts { main, practice } = counts(&models);
        // As many further images of the round are looked at as may be passed over.
        let passed_over = pool.iter().filter(|id| drawn.contains(*id)).count() as u32;
        let chance = inputs.study_chance.child("real", group_number(inputs, &models));
        let allocated = Allocated::new(&pool, main, inputs.place.turn, &chance);
        let further = practice.saturating_add(passed_over);
        let mut images = allocated
            .iter()
            .flat_map(|allocated| allocated.own().chain(allocated.beyond(further)))
            .filter(|&id| drawn.insert(id));
        let main = images.by_ref().take(main as usize).collect();
        DrawnReals { models, main, practice: images.take(practice as usize).collect() }
    };
    inputs.design.stimuli.real_pools(&inputs.place.models).into_iter().map(of_pool).collect()
}

/// The number of a group of models in draws that are balanced over their raters: 0 for all models of a study within raters.
fn group_number(inputs: &Inputs<'_>, models: &[SetId]) -> u64 {
    let design = &inputs.design;
    let is_all =
        design.raters.design == RaterDesign::Within && models.len() == design.stimuli.models().count();
    models.iter().min().filter(|_| !is_all).map_or(0, |model| u64::from(model.0) + 1)
}

/// Real images that a session has left, by the models that they can be shown with.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RealsLeft(Vec<(Vec<SetId>, Vec<StimulusId>)>);

impl RealsLeft {
    /// Those of each of a session's pools, as this function orders them.
    pub(crate) fn new(inputs: &Inputs<'_>, mut of_sets: impl FnMut(&[SetId]) -> Vec<StimulusId>) -> Self {
        let pools = inputs.design.stimuli.real_pools(&inputs.place.models);
        Self(pools.into_iter().map(|pool| (pool.models, of_sets(&pool.sets))).collect())
    }

    /// Takes an image for a model.
    pub(crate) fn pop(&mut self, model: SetId) -> Option<StimulusId> {
        let (_, own) = self.0.iter_mut().find(|(models, _)| models.contains(&model))?;
        let taken = own.pop()?;
        self.0.iter_mut().for_each(|(_, left)| left.retain(|id| *id != taken));
        Some(taken)
    }
}

/// The need of a rater for real images of some sets.
#[derive(Debug, Clone)]
pub(crate) struct RealNeed {
    /// One of the models that they are shown with.
    pub(crate) model: SetId,
    pub(crate) sets: Vec<SetId>,
    /// The number of the rater's models that are shown with them, of all that the rater judges.
    pub(crate) models: usize,
    pub(crate) of: usize,
}

/// The needs for real images of all raters, each once.
pub(crate) fn needs(design: &Design<'_>) -> Vec<RealNeed> {
    let mut found: Vec<RealNeed> = Vec::new();
    for group in design.groups() {
        for pool in design.stimuli.real_pools(&group) {
            let need =
                RealNeed { model: pool.models[0], sets: pool.sets, models: pool.shared_by, of: group.len() };
            let is_known = |known: &RealNeed| {
                (known.models, known.of) == (need.models, need.of) && known.sets == need.sets
            };
            if !found.iter().any(is_known) {
                found.push(need);
            }
        }
    }
    found
}
