//! The masks of a study: which images they are made from, and with which seeds.

use std::path::Path;

use hype_core::spec::{MaskedFrom, MasksKind, MasksSpec};
use hype_core::{Study, Use};
use hype_images::{
    ContentDigest, Faults, MaskKind, MaskOrder, Original, Prepared, Rule, find, inspect, make_masks,
};

use super::Preparing;

/// Prepares the masks of a study, if its task shows any, and says how many belong to each stimulus: 0 where any mask
/// follows any of them.
pub(super) fn prepare(
    study: &Study,
    stimuli: &[Prepared],
    rule: &Rule,
    folder: &Path,
    progress: &(dyn Fn(Preparing, usize, usize) + Sync),
) -> Result<(Vec<Prepared>, u32), Faults> {
    if !study.spec().task.pace().masks {
        return Ok((Vec::new(), 0));
    }
    let masks = study.spec().masks.clone().unwrap_or_default();
    let kind = match masks.kind {
        MasksKind::Files => return files(study, &masks, rule, folder, progress).map(|masks| (masks, 0)),
        MasksKind::PhaseScrambled => MaskKind::PhaseScrambled,
        MasksKind::Noise => MaskKind::Noise,
        _ => MaskKind::PortillaSimoncelli { iterations: masks.iterations },
    };
    let orders = match masks.from {
        MaskedFrom::Pool => from_pool(study, stimuli, masks.count),
        MaskedFrom::Own => from_own(study, stimuli, masks.count),
    };
    let tell = |done| progress(Preparing::Masks, done, orders.len());
    let made = make_masks(&orders, kind, folder, &tell)?;
    let own = if masks.from == MaskedFrom::Own { masks.count } else { 0 };
    Ok((made, own))
}

/// Masks of images drawn from all that are judged in the main phase: each once before any is drawn again.
fn from_pool<'a>(study: &Study, stimuli: &'a [Prepared], count: u32) -> Vec<MaskOrder<'a>> {
    let judged = |index: usize| {
        let stimulus = study.stimuli().all().get(index);
        let set = stimulus.and_then(|stimulus| study.stimuli().set(stimulus.set));
        set.is_some_and(|set| set.used_for == Use::Main)
    };
    let mut pool: Vec<usize> = (0..stimuli.len()).filter(|&index| judged(index)).collect();
    study.chance().stream("mask sources").shuffle(&mut pool);
    let numbered = pool.into_iter().cycle().take(count as usize).zip(0..);
    numbered.map(|(index, number)| order(study, &stimuli[index], number)).collect()
}

/// So many masks of each image.
fn from_own<'a>(study: &Study, stimuli: &'a [Prepared], count: u32) -> Vec<MaskOrder<'a>> {
    let each = |index: usize| (0..u64::from(count)).map(move |number| index as u64 * u64::from(count) + number);
    let all = stimuli.iter().enumerate().flat_map(|(index, source)| each(index).map(move |number| (source, number)));
    all.map(|(source, number)| order(study, source, number)).collect()
}

fn order<'a>(study: &Study, source: &'a Prepared, number: u64) -> MaskOrder<'a> {
    MaskOrder { source, seed: study.chance().child("mask", number).seed("texture") }
}

/// Masks that the author has made.
fn files(
    study: &Study,
    masks: &MasksSpec,
    rule: &Rule,
    folder: &Path,
    progress: &(dyn Fn(Preparing, usize, usize) + Sync),
) -> Result<Vec<Prepared>, Faults> {
    let patterns = masks.images.as_ref().map(|patterns| patterns.0.as_slice()).unwrap_or_default();
    let found = find(study.folder(), patterns).map_err(|fault| Faults(vec![fault]))?;
    let mut originals = Vec::with_capacity(found.images.len());
    let mut faults = Vec::new();
    for file in &found.images {
        match inspect(&file.path) {
            Ok(image) => originals.push(Original {
                name: file.relative.clone(),
                path: file.path.clone(),
                digest: ContentDigest(image.digest.0),
            }),
            Err(fault) => faults.push(fault),
        }
    }
    if !faults.is_empty() {
        return Err(Faults(faults));
    }
    let tell = |done| progress(Preparing::Masks, done, originals.len());
    hype_images::prepare(&originals, rule, folder, &tell)
}
