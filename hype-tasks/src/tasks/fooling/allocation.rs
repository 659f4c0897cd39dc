//! The pairs that a rater sees: for each model its images, each next to a real one, with each side
//! equally often.

use std::collections::HashMap;
use std::sync::Arc;

use hype_core::protocol::draw::Allocated;
use hype_core::words::{counted, cut};
use hype_core::{Design, Diagnostics, Inputs, Role, SetId, StartError, Stimuli, StimulusId, Streams, Use};

use super::settings::{Fooling, answer_at};
use crate::shared::reals::{self, DrawnReals, RealCounts, RealNeed};
use crate::shared::side_by_side::Layout;

/// The maximum number of images without a real one that a message names.
const NAMED: usize = 3;

type Image = (StimulusId, SetId);

/// Draws a session's pairs, those for practice first: no image twice in a session, balanced over raters.
pub(super) fn draw(task: &Fooling, inputs: &Inputs<'_>, chance: &Streams) -> Result<Vec<Layout>, StartError> {
    let (stimuli, models) = (inputs.design.stimuli, &inputs.place.models);
    let (mut practice, mut main) = (Vec::new(), Vec::new());
    for (number, &model) in models.iter().enumerate() {
        let cyclic = inputs.study_chance.child("generated", u64::from(model.0));
        let allocated = Allocated::new(stimuli.members(model), task.trials.get(), inputs.place.turn, &cyclic);
        let allocated = allocated.ok_or_else(too_few)?;
        let mut own: Vec<Image> = allocated.own().map(|image| (image, model)).collect();
        chance.child("model", u64::from(model.0)).stream("order").shuffle(&mut own);
        main.extend(own);
        let share = share(task.practice.get(), models.len(), number);
        practice.extend(allocated.beyond(share).map(|image| (image, model)));
    }
    chance.stream("practice order").shuffle(&mut practice);
    let mut sides = halves(practice.len(), &chance.child("practice", 0));
    for number in 0..models.len() as u64 {
        sides.extend(halves(task.trials.get() as usize, &chance.child("block", number)));
    }
    let generated = [practice, main].concat();
    let real = match task.same_item {
        true => originals(stimuli, &generated),
        false => any_reals(task, inputs, &generated),
    };
    if generated.len() != sides.len() || real.len() != generated.len() {
        return Err(too_few());
    }
    let pairs = generated.into_iter().zip(real).zip(sides);
    Ok(pairs.map(|((generated, real), real_first)| layout(task, generated, real, real_first)).collect())
}

fn too_few() -> StartError {
    StartError("there are too few images for the draw".into())
}

fn layout(task: &Fooling, generated: Image, real: Image, real_first: bool) -> Layout {
    let images = if real_first { vec![real, generated] } else { vec![generated, real] };
    let real_at = usize::from(!real_first);
    let asked_at = if task.ask.role() == Role::Real { real_at } else { 1 - real_at };
    let answer = Some(answer_at(asked_at));
    Layout { model: Some(generated.1), answer, ..Layout::new(Arc::default(), images) }
}

/// A number of sides, half of each, in random order; an odd one is random.
fn halves(count: usize, chance: &Streams) -> Vec<bool> {
    let mut stream = chance.stream("sides");
    let odd = stream.below(2) == 1;
    let mut sides: Vec<bool> = (0..count).map(|place| (place % 2 == 1) == odd).collect();
    stream.shuffle(&mut sides);
    sides
}

/// The number of practice trials for one of several models.
fn share(practice: u32, models: usize, number: usize) -> u32 {
    let models = u32::try_from(models).unwrap_or(u32::MAX).max(1);
    practice / models + u32::from((number as u32) < practice % models)
}

/// The most practice trials for one of several models, whose order is another for each rater.
fn most_practice(task: &Fooling, models: usize) -> u32 {
    share(task.practice.get(), models, 0)
}

/// All real images.
fn all_reals(stimuli: &Stimuli) -> impl Iterator<Item = Image> + use<'_> {
    let with_sets = |set| stimuli.members(set).iter().map(move |&image| (image, set));
    stimuli.real_sets(&[]).flat_map(with_sets)
}

/// Real images for all pairs of a session, those for practice first; each is of the levels of its model.
fn any_reals(task: &Fooling, inputs: &Inputs<'_>, generated: &[Image]) -> Vec<Image> {
    let stimuli = inputs.design.stimuli;
    let trials = task.trials.get();
    let all = trials.saturating_mul(u32::try_from(inputs.place.models.len()).unwrap_or(u32::MAX));
    let in_practice = &generated[..generated.len().saturating_sub(all as usize)];
    let counts = |models: &[SetId]| RealCounts {
        main: trials.saturating_mul(u32::try_from(models.len()).unwrap_or(u32::MAX)),
        practice: in_practice.iter().filter(|(_, model)| models.contains(model)).count() as u32,
    };
    let drawn = reals::draw(inputs, |set| stimuli.members(set).to_vec(), counts);
    let mut left: Vec<_> = drawn
        .into_iter()
        .map(|DrawnReals { models, main, practice }| (models, practice.into_iter().chain(main)))
        .collect();
    let next = |&(_, model): &Image| {
        let image = left.iter_mut().find(|(models, _)| models.contains(&model))?.1.next()?;
        Some((image, stimuli.get(image)?.set))
    };
    generated.iter().filter_map(next).collect()
}

/// The real images of the same items.
fn originals(stimuli: &Stimuli, generated: &[Image]) -> Vec<Image> {
    let by_label = by_label(stimuli);
    generated.iter().filter_map(|&(image, _)| by_label.get(stimuli.label(image)).copied()).collect()
}

fn by_label(stimuli: &Stimuli) -> HashMap<&str, Image> {
    all_reals(stimuli)
        .filter(|&(image, _)| stimuli.item_of(image).is_some())
        .map(|real| (stimuli.label(real.0), real))
        .collect()
}

/// Checks that there are enough images for every session, at the path of the task.
pub(super) fn check(task: &Fooling, design: &Design<'_>, at: &mut Diagnostics) {
    let stimuli = design.stimuli;
    let too_few = |at: &mut Diagnostics, whose: &str, needed: u64, there: usize| {
        if (there as u64) < needed {
            at.error(
                "too-few-images",
                format!("each rater sees {} of {whose}, but there are {there}", counted(needed, "image")),
            )
            .help(format!(
                "add images or ask for fewer trials; no image is shown to a rater twice (missing: {})",
                needed - there as u64
            ));
        }
    };
    let real = all_reals(stimuli).count();
    if stimuli.sets_with(Role::Real, Use::Main).next().is_none() {
        at.error(
            "no-reals",
            "no set of stimuli has `role: real`, so there is nothing to compare the fakes with",
        )
        .help("name a set of real images, such as `real: { role: real, images: images/real/*.png }`");
    } else if !task.same_item {
        for RealNeed { sets, models, of, .. } in reals::needs(design) {
            let real = sets.iter().map(|&set| stimuli.members(set).len()).sum();
            let practice = u64::from(most_practice(task, of)).saturating_mul(models as u64);
            let practice = practice.min(u64::from(task.practice.get()));
            let needed = u64::from(task.trials.get()).saturating_mul(models as u64) + practice;
            too_few(at, "the real sets", needed, real);
        }
    }
    let by_label = by_label(stimuli);
    for (model, of) in
        design.groups().iter().flat_map(|group| group.iter().map(|&model| (model, group.len())))
    {
        let name = stimuli.set(model).map_or("", |set| &*set.name);
        let practice = most_practice(task, of);
        let members = stimuli.members(model);
        too_few(at, name, u64::from(task.trials.get()) + u64::from(practice), members.len());
        if task.same_item && real > 0 {
            let lone = |image: &&StimulusId| {
                stimuli.item_of(**image).is_none() || !by_label.contains_key(stimuli.label(**image))
            };
            let alone: Vec<&str> = members.iter().filter(lone).map(|&image| stimuli.label(image)).collect();
            if !alone.is_empty() {
                let named = cut(&alone, NAMED, ", ");
                at.field("same_item")
                    .error(
                        "missing-originals",
                        format!(
                            "{} of {name} without a real one for the item: {named}",
                            counted(alone.len(), "image")
                        ),
                    )
                    .help("match images by `items`, with a real one for each, or write `same_item: false`");
            }
        }
    }
}
