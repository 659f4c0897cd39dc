//! The names of images in a session, which carry no information.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use hype_core::model::trial::{Part, Trial};
use hype_core::{StimulusId, Streams, Study};

use super::CachedSession;
use crate::web::service::image_source::ImageSource;
use crate::web::service::keys::{Credential, ImageId, Keys};

/// The number of masks that a block uses of those that may follow an image. The page has to load all of them.
pub(crate) const MASKS_IN_BLOCK: usize = 16;

/// The names of images in the current block and in the adjacent trials.
#[derive(Debug, Default)]
pub(crate) struct ImageNames {
    /// Those of the current block, or of the current trial if it is untimed.
    current: Names,
    /// The trial after the current one, if a page may show it early.
    following: Option<NamedTrial>,
    /// The trial before the current one, if the rater can return to it.
    previous: Option<NamedTrial>,
}

/// A trial next to the current one, and the names of its images.
#[derive(Debug)]
struct NamedTrial {
    trial: Trial,
    images: Names,
}

/// The names of images in a block.
#[derive(Debug, Default)]
struct Names {
    block: String,
    of: HashMap<ImageId, Arc<str>>,
    shown: HashMap<Arc<str>, ImageId>,
    /// All names, sorted; their order carries no information.
    sorted: Arc<[Arc<str>]>,
}

impl ImageNames {
    /// The names of all images of a timed block, or of those of an untimed trial, sorted; their order carries no
    /// information.
    pub(crate) fn block(&self) -> Arc<[Arc<str>]> {
        Arc::clone(&self.current.sorted)
    }

    /// The trial that a page may show before the current one is answered, with the names of its images as
    /// [`block`](Self::block) has them.
    pub(crate) fn following(&self) -> Option<(&Trial, Arc<[Arc<str>]>)> {
        self.following.as_ref().map(|next| (&next.trial, Arc::clone(&next.images.sorted)))
    }

    /// The names of the images of the trial to which the rater can return, as [`block`](Self::block) has them.
    pub(crate) fn previous(&self) -> Arc<[Arc<str>]> {
        self.previous.as_ref().map(|previous| Arc::clone(&previous.images.sorted)).unwrap_or_default()
    }

    /// The trials next to the current one whose images have names.
    fn beside(&self) -> impl Iterator<Item = &NamedTrial> {
        self.following.iter().chain(&self.previous)
    }

    /// The name of an image of the current block or of a trial next to the current one.
    pub(crate) fn of(&self, trial: &Trial, image: ImageId) -> Arc<str> {
        let images = self
            .beside()
            .find(|one| one.trial.number == trial.number)
            .map_or(&self.current, |one| &one.images);
        images.of.get(&image).cloned().unwrap_or_default()
    }

    /// The image that a name of the current block or of a trial next to the current one refers to.
    pub(crate) fn image(&self, name: &str) -> Option<ImageId> {
        let beside = || self.beside().find_map(|one| one.images.shown.get(name));
        self.current.shown.get(name).or_else(beside).copied()
    }
}

impl CachedSession {
    /// Names the images of the current block, and those of the following trial, unless they have names. Images of a timed
    /// block keep their names throughout, since the page loads the whole block. An image without a time limit gets a new
    /// name in each trial.
    pub(crate) fn name_images(&mut self, study: &Study, keys: &Keys, images: &dyn ImageSource) {
        let Some(trial) = self.trial() else { return };
        let block = name_of_block(trial);
        let is_new = block != self.names.current.block;
        let all_named =
            trial.all_stimuli().all(|id| self.names.current.of.contains_key(&ImageId::Stimulus(id.0)));
        if !is_new && all_named && self.session.showing() == 0 {
            return;
        }
        let is_timed = trial.exposure().is_some();
        let upcoming = if is_timed { self.session.upcoming() } else { trial.all_stimuli().collect() };
        let masks = self.block_masks(study, images, &upcoming);
        if is_new {
            let early = self.names.following.take().map(|following| following.images);
            self.names.current =
                early.filter(|names| names.block == block).unwrap_or_else(|| Names::of(block));
        }
        let stimuli = upcoming.into_iter().map(|id| ImageId::Stimulus(id.0));
        self.names.current.add(stimuli.chain(masks.into_iter().map(ImageId::Mask)), &self.credential, keys);
        let named = |trial: Trial| {
            let mut images = Names::of(name_of_block(&trial));
            images.add(trial.all_stimuli().map(|id| ImageId::Stimulus(id.0)), &self.credential, keys);
            NamedTrial { trial, images }
        };
        self.names.following =
            self.session.following().filter(|next| !is_timed && !is_limited(next)).map(named);
        self.names.previous = self.session.previous().map(|(trial, _)| named(trial.clone()));
    }

    /// The masks of the current trial in order, each once before any repeats.
    pub(crate) fn trial_masks(&self, study: &Study, images: &dyn ImageSource) -> Vec<u32> {
        let Some(trial) = self.trial() else { return Vec::new() };
        let shown: Vec<StimulusId> = trial.stimuli().collect();
        let mut masks = self.block_masks(study, images, &shown);
        if masks.is_empty() {
            return masks;
        }
        let wanted: usize = trial.parts.iter().map(masks_of).sum();
        let chance = self.chance(study).child("masks of trials", u64::from(trial.number));
        chance.stream("order").shuffle(&mut masks);
        masks.into_iter().cycle().take(wanted).collect()
    }

    /// The masks of the current block that may follow these stimuli; empty if the trial has none.
    fn block_masks(&self, study: &Study, images: &dyn ImageSource, stimuli: &[StimulusId]) -> Vec<u32> {
        let Some(trial) = self.trial() else { return Vec::new() };
        if !trial.parts.iter().any(|part| masks_of(part) > 0) {
            return Vec::new();
        }
        let mut ranges: Vec<Range<u32>> = stimuli.iter().map(|&id| images.masks(id)).collect();
        ranges.sort_unstable_by_key(|range| range.start);
        ranges.dedup();
        let chance = self.chance(study).child("masks", u64::from(trial.block));
        let chosen = ranges.into_iter().flat_map(|range| {
            let mut masks: Vec<u32> = range.clone().collect();
            chance.child("from", u64::from(range.start)).stream("order").shuffle(&mut masks);
            masks.truncate(MASKS_IN_BLOCK);
            masks
        });
        chosen.collect()
    }

    fn chance(&self, study: &Study) -> Streams {
        let header = self.session.header();
        study.session_chance(header.place.number, header.attempt)
    }
}

impl Names {
    fn of(block: String) -> Self {
        Self { block, ..Self::default() }
    }

    /// Names images that have no names yet.
    fn add(&mut self, images: impl Iterator<Item = ImageId>, credential: &Credential, keys: &Keys) {
        for image in images {
            if self.of.contains_key(&image) {
                continue;
            }
            let name: Arc<str> = keys.image(credential, &self.block, image).into();
            self.of.insert(image, Arc::clone(&name));
            self.shown.insert(name, image);
        }
        let mut names: Vec<Arc<str>> = self.shown.keys().cloned().collect();
        names.sort_unstable();
        self.sorted = names.into();
    }
}

/// Returns the name after which the images of a trial are named: its block if it limits exposures, otherwise the trial itself.
fn name_of_block(trial: &Trial) -> String {
    match trial.exposure().is_some() {
        true => format!("{:?} {}", trial.phase, trial.block),
        false => format!("{:?} {} {}", trial.phase, trial.block, trial.number),
    }
}

/// Whether a part of a trial disappears by itself; the page has the same rule.
fn is_limited(trial: &Trial) -> bool {
    let is_limited = |part: &Part| matches!(part, Part::Countdown { .. } | Part::Masks { .. });
    trial.exposure().is_some() || trial.parts.iter().any(is_limited)
}

/// The number of masks in a part.
fn masks_of(part: &Part) -> usize {
    match part {
        Part::Masks { count, .. } => usize::from(*count),
        _ => 0,
    }
}
