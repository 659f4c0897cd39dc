//! Details next to the judged ones that raters could see when they look closely.

use std::collections::BTreeMap;

use hype_core::diagnostics::Diagnostics;
use hype_core::{SetId, Study, Use};

use super::Area;
use crate::web::settings::Page;

/// Warns if `zoom` has no effect, and if the sizes of images tell their sets apart.
///
/// All images are prepared in the same way, but pixels keep what was done to them before: a closer look shows how large the
/// pixels of an image are, and whether it was resampled.
pub(crate) fn review(study: &Study, page: &Page, at: &mut Diagnostics) {
    if !page.zoom {
        return;
    }
    if study.profile().pace.limits_exposure {
        at.field("zoom")
            .warning("no-effect", "images of tasks that limit exposures cannot be looked at closely")
            .help("leave `zoom` out");
        return;
    }
    let mut usual = judged(study).filter_map(|set| Some((set, usual_size(study, set)?)));
    let Some((first, size)) = usual.next() else { return };
    let Some((other, different)) = usual.find(|(_, other)| *other != size) else { return };
    let name = |set| study.stimuli().set(set).map_or("", |set| &*set.name);
    let message = format!(
        "raters who look closely can tell sets apart by the size of pixels: images of `{}` have {} × {} pixels, and those of `{}` \
         {} × {}",
        name(first),
        size.width,
        size.height,
        name(other),
        different.width,
        different.height,
    );
    at.field("zoom").warning("sizes-differ", message).help(
        "use images that were made or resampled in the same way, to the same size with the same filter; `resize` makes their sizes equal, but \
         not how sharp they are",
    );
}

/// The sets that are judged in the main phase.
fn judged(study: &Study) -> impl Iterator<Item = SetId> + '_ {
    (0..)
        .map(SetId)
        .zip(study.stimuli().sets())
        .filter(|(_, set)| set.used_for == Use::Main)
        .map(|(id, _)| id)
}

/// The most frequent size of a set's images before they are resized; the smallest of several.
fn usual_size(study: &Study, set: SetId) -> Option<Area> {
    let stimuli = study.stimuli();
    let mut counts = BTreeMap::new();
    for stimulus in stimuli.members(set).iter().filter_map(|&id| stimuli.get(id)) {
        let (width, height) = stimulus.media.size()?;
        *counts.entry(Area::new(width, height)).or_insert(0_u32) += 1;
    }
    counts.into_iter().rev().max_by_key(|&(_, count)| count).map(|(size, _)| size)
}
