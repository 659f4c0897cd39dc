//! Matched sets: for each item one image of every model that is compared.

use std::borrow::Cow;
use std::sync::Arc;

use hype_core::words::{counted, cut};
use hype_core::{Condition, Diagnostics, Item, ItemId, Role, SetId, Stimuli, StimulusId, Streams, Use};

/// The maximum number of items without an output that a message names.
const NAMED: usize = 3;

/// The images that are compared for one item.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct MatchedSet {
    /// The conditions from which they were made, if raters see them.
    pub(crate) conditions: Arc<[Condition]>,
    /// One image of each contender, in the contenders' order.
    pub(crate) images: Vec<(StimulusId, SetId)>,
}

/// All matched sets of a study.
///
/// An item for which every model has several outputs gives as many matched sets. In a study without items, images are
/// matched at random, once for the whole study: as many as the smallest set has.
#[derive(Debug, Clone)]
pub(crate) struct MatchedSets<'a> {
    stimuli: &'a Stimuli,
    contenders: Vec<SetId>,
    images: Vec<Vec<StimulusId>>,
    conditions: bool,
}

/// The numbers of compared models and of matched sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Size {
    pub(crate) contenders: usize,
    pub(crate) matched_sets: usize,
}

impl<'a> MatchedSets<'a> {
    /// The matched sets of a study, with the real images among the models if `real` says so.
    pub(crate) fn new(stimuli: &'a Stimuli, real: bool, conditions: bool, study_chance: &Streams) -> Self {
        let contenders = contenders(stimuli, real);
        let images = if stimuli.items().is_empty() {
            by_chance(stimuli, &contenders, study_chance)
        } else {
            by_item(stimuli, &contenders)
        };
        Self { stimuli, contenders, images, conditions }
    }

    /// The sets that are compared: the models, then the real one.
    pub(crate) fn contenders(&self) -> &[SetId] {
        &self.contenders
    }

    /// The number of matched sets.
    pub(crate) fn len(&self) -> usize {
        self.images.len()
    }

    /// One matched set.
    pub(crate) fn get(&self, index: usize) -> MatchedSet {
        let images = &self.images[index];
        let item = images.first().and_then(|&image| self.stimuli.item_of(image)).filter(|_| self.conditions);
        MatchedSet {
            conditions: item.map_or_else(Arc::default, |item| item.conditions.as_slice().into()),
            images: images.iter().copied().zip(self.contenders.iter().copied()).collect(),
        }
    }
}

impl Size {
    /// The size of a study's matched sets, without making them.
    pub(crate) fn of(stimuli: &Stimuli, real: bool) -> Self {
        let contenders = contenders(stimuli, real);
        let matched_sets = if stimuli.items().is_empty() {
            contenders.iter().map(|&set| stimuli.members(set).len()).min().unwrap_or(0)
        } else {
            by_item(stimuli, &contenders).len()
        };
        Self { contenders: contenders.len(), matched_sets }
    }

    /// The number of pairs of contenders.
    pub(crate) fn pairs(self) -> usize {
        self.contenders * self.contenders.saturating_sub(1) / 2
    }

    /// Checks that there are models to compare, and that every contender has an output for every item, at the path
    /// of the task.
    pub(crate) fn check(self, stimuli: &Stimuli, real: bool, at: &mut Diagnostics) {
        check_reals(stimuli, real, at);
        if self.contenders < 2 {
            at.error("too-few-models", format!("{} cannot be compared", sets(self.contenders))).help(
                "name the outputs of two models at least under `stimuli`, or of one model and a set of real images \
                 with `real: true`",
            );
        }
        let contenders = contenders(stimuli, real);
        let name = |set: SetId| stimuli.set(set).map_or("", |set| &*set.name);
        if stimuli.items().is_empty() {
            for &set in contenders.iter().filter(|&&set| stimuli.members(set).is_empty()) {
                at.error("too-few-images", format!("{} has no images", name(set)))
                    .help("check the pattern of its files");
            }
            if self.matched_sets > 0 && contenders.len() > 1 {
                at.warning(
                    "unmatched-images",
                    "the study has no items, so images of different sets are put side by side by chance, whatever they \
                     show",
                )
                .help(
                    "write `items: { match: name }` where files of one name are outputs for the same item, or \
                     `items: { table: items.csv }` to show prompts or sources too",
                );
            }
            let unused =
                contenders.iter().map(|&set| stimuli.members(set).len() - self.matched_sets).sum::<usize>();
            if unused > 0 && self.matched_sets > 0 {
                at.note(
                    "unused-images",
                    format!(
                        "the smallest set has {}, so {unused} of the others are never shown",
                        counted(self.matched_sets, "image")
                    ),
                )
                .help("give all sets the same number of images");
            }
            return;
        }
        for set in contenders {
            let missing = missing(stimuli, set);
            if let Some(&first) = missing.first() {
                at.error(
                    "missing-outputs",
                    format!(
                        "{} has no image for {} of {}: {}",
                        name(set),
                        missing.len(),
                        counted(stimuli.items().len(), "item"),
                        cut(missing.iter().map(|item| &item.id), NAMED, ", ")
                    ),
                )
                .help(format!("add an image such as {}.png, or remove these items", first.id));
            }
        }
    }
}

fn sets(contenders: usize) -> &'static str {
    if contenders == 0 { "no model" } else { "one model" }
}

fn check_reals(stimuli: &Stimuli, real: bool, at: &mut Diagnostics) {
    if !real {
        return;
    }
    match stimuli.sets_with(Role::Real, Use::Main).count() {
        0 => {
            at.field("real")
                .error("no-reals", "no set of stimuli has `role: real`, so there are no real images to compare")
                .help("name one, such as `real: { role: real, images: images/real/*.png }`, or write `real: false`");
        }
        1 => {}
        several => {
            at.field("real")
                .error(
                    "several-reals",
                    format!("there are {several} sets of real images, but only one can be compared"),
                )
                .help("put them into one set by a list of patterns");
        }
    }
}

/// The sets that are compared: the models, and the real set if requested.
pub(crate) fn contenders(stimuli: &Stimuli, real: bool) -> Vec<SetId> {
    let original = real.then(|| stimuli.sets_with(Role::Real, Use::Main).next()).flatten();
    stimuli.models().chain(original).collect()
}

fn by_item(stimuli: &Stimuli, contenders: &[SetId]) -> Vec<Vec<StimulusId>> {
    let mut outputs = vec![vec![Vec::new(); contenders.len()]; stimuli.items().len()];
    for (place, &set) in contenders.iter().enumerate() {
        for &id in stimuli.members(set) {
            if let Some(ItemId(item)) = stimuli.get(id).and_then(|stimulus| stimulus.item) {
                outputs[item as usize][place].push(id);
            }
        }
    }
    let complete = |of_item: &Vec<Vec<StimulusId>>| of_item.iter().map(Vec::len).min().unwrap_or(0);
    outputs
        .iter()
        .flat_map(|of_item| {
            (0..complete(of_item)).map(|nth| of_item.iter().map(|of_set| of_set[nth]).collect())
        })
        .collect()
}

fn by_chance(stimuli: &Stimuli, contenders: &[SetId], study_chance: &Streams) -> Vec<Vec<StimulusId>> {
    let shuffled: Vec<Vec<StimulusId>> = contenders
        .iter()
        .map(|&set| {
            let mut order = stimuli.members(set).to_vec();
            study_chance.child("lineup", u64::from(set.0)).stream("order").shuffle(&mut order);
            order
        })
        .collect();
    let matched_sets = shuffled.iter().map(Vec::len).min().unwrap_or(0);
    (0..matched_sets).map(|nth| shuffled.iter().map(|of_set| of_set[nth]).collect()).collect()
}

/// The items for which a set has no image.
fn missing(stimuli: &Stimuli, set: SetId) -> Vec<&Item> {
    let mut has = vec![false; stimuli.items().len()];
    for &id in stimuli.members(set) {
        if let Some(ItemId(item)) = stimuli.get(id).and_then(|stimulus| stimulus.item) {
            has[item as usize] = true;
        }
    }
    stimuli.items().iter().zip(has).filter_map(|(item, has)| (!has).then_some(item)).collect()
}

/// The name of images shown together in scores: their item, or else all their paths in an order that does
/// not depend on their positions.
pub(crate) fn item_name<'a>(stimuli: &'a Stimuli, images: &[StimulusId]) -> Cow<'a, str> {
    match images {
        [] => Cow::Borrowed(""),
        [first, ..] if stimuli.item_of(*first).is_some() => Cow::Borrowed(stimuli.label(*first)),
        several => {
            let mut sorted = several.to_vec();
            sorted.sort_unstable();
            let paths: Vec<&str> = sorted.into_iter().map(|id| stimuli.label(id)).collect();
            Cow::Owned(paths.join(" + "))
        }
    }
}
