//! The images that each session shows: every image gets its number of raters.

use std::collections::BTreeMap;

use hype_core::protocol::draw::{CyclicDesign, balanced};
use hype_core::{ItemId, Role, Stimuli, StimulusId, Streams, Use};

use super::settings::Rating;

/// How the images of a study are allocated to sessions.
///
/// # Method
/// A [`CyclicDesign`] of blocks of `in_session` images. At any moment, whatever the sizes, the numbers of allocations
/// of any two images differ by at most one; so after the smallest number of sessions s with s × `in_session` ≥ images
/// × raters each image has been allocated to that many raters or one more.
///
/// If a rater sees at most one output of each item, the circle is arranged to keep any two outputs of one item
/// at least `in_session` places apart: the items' outputs are written one after the other, items with most outputs
/// first, down the columns of a table with m rows, m being the greatest number of outputs of an item; the circle reads
/// the table row by row. Outputs of one item are then at least n / m places apart. The item in column c begins with
/// its output number c, so that reading along a row the models take turns, as in a Latin square.
#[derive(Debug, Clone)]
pub(super) struct ImageAllocation {
    images: Vec<StimulusId>,
    /// Images by item, if a rater sees at most one of each.
    groups: Option<Vec<Vec<StimulusId>>>,
    in_session: usize,
}

impl ImageAllocation {
    /// The allocation of a study's images.
    pub(super) fn of(rating: &Rating, stimuli: &Stimuli) -> Self {
        let images = rated(stimuli, rating.real);
        let wanted = rating.per_session.map_or(usize::MAX, |wanted| wanted.get() as usize);
        let groups = rating.one_output_per_item.then(|| by_item(stimuli, &images));
        let most = groups.iter().flatten().map(Vec::len).max().unwrap_or(1).max(1);
        let in_session = wanted.min(images.len() / most);
        Self { images, groups, in_session }
    }

    /// The images that are rated, in the order of the study's stimuli.
    pub(super) fn images(&self) -> &[StimulusId] {
        &self.images
    }

    /// Images in a session.
    pub(super) fn in_session(&self) -> usize {
        self.in_session
    }

    /// The number of sessions that give each image its raters.
    pub(super) fn sessions(&self, per_item: u32) -> u32 {
        self.design().map_or(0, |design| design.raters(per_item))
    }

    /// The images of the session with this turn.
    pub(super) fn session(&self, turn: u32, chance: &Streams) -> Vec<StimulusId> {
        let Some(groups) = &self.groups else {
            return balanced(&self.images, self.in_session, turn, chance);
        };
        let Some(allocation) = self.design().map(|design| design.allocation(turn)) else {
            return Vec::new();
        };
        let circle = circle(groups.clone(), &chance.child("round", allocation.round()));
        (0..self.in_session as u64).map(|nth| circle[allocation.place(nth) as usize]).collect()
    }

    fn design(&self) -> Option<CyclicDesign> {
        let in_session = u32::try_from(self.in_session).unwrap_or(u32::MAX);
        CyclicDesign::new(self.images.len() as u64, in_session)
    }
}

/// The images under judgment: those of the models, and those of real sets if they are rated too.
fn rated(stimuli: &Stimuli, real: bool) -> Vec<StimulusId> {
    let reals = stimuli.sets_with(Role::Real, Use::Main).filter(|_| real);
    stimuli.models().chain(reals).flat_map(|set| stimuli.members(set)).copied().collect()
}

/// Images by item; each image without an item is its own group.
fn by_item(stimuli: &Stimuli, images: &[StimulusId]) -> Vec<Vec<StimulusId>> {
    let mut groups: BTreeMap<ItemId, Vec<StimulusId>> = BTreeMap::new();
    let mut alone = Vec::new();
    for &image in images {
        match stimuli.get(image).and_then(|stimulus| stimulus.item) {
            Some(item) => groups.entry(item).or_default().push(image),
            None => alone.push(vec![image]),
        }
    }
    groups.into_values().chain(alone).collect()
}

/// The images in a circular order that keeps outputs of one item far apart.
fn circle(mut groups: Vec<Vec<StimulusId>>, chance: &Streams) -> Vec<StimulusId> {
    chance.stream("order").shuffle(&mut groups);
    groups.sort_by_key(|group| std::cmp::Reverse(group.len()));
    let height = groups.first().map_or(1, Vec::len).max(1);
    let mut rows: Vec<Vec<StimulusId>> = vec![Vec::new(); height];
    let mut entry = 0;
    for group in groups {
        let column = entry / height;
        for number in 0..group.len() {
            rows[entry % height].push(group[(number + column) % group.len()]);
            entry += 1;
        }
    }
    rows.concat()
}
