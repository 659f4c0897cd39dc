//! The masks of a study: which images they are made from, and with which seeds.

use std::path::Path;

use hype_core::study::spec::{MaskedFrom, MasksKind, MasksSpec};
use hype_core::{Study, Use};
use hype_images::{
    ContentDigest, Faults, MaskKind, MaskOrder, Original, PrepareRule, Prepared, find, inspect, make_masks,
};

use super::Preparing;

/// The masks of a study.
#[derive(Debug, Default)]
pub(in crate::web) struct Masks {
    pub(in crate::web) masks: Vec<Prepared>,
    /// The stimuli that they were made from, by their places; none where they were given.
    pub(in crate::web) sources: Vec<usize>,
    /// How many belong to each stimulus: 0 where any of them follows any stimulus.
    pub(in crate::web) own: u32,
}

/// Prepares the masks of a study, if its task shows any.
pub(in crate::web) fn prepare(
    study: &Study,
    stimuli: &[Prepared],
    rule: &PrepareRule,
    folder: &Path,
    progress: &(dyn Fn(Preparing, usize, usize) + Sync),
) -> Result<Masks, Faults> {
    if !study.profile().pace.masks {
        return Ok(Masks::default());
    }
    let spec = study.spec().protocol.masks.clone().unwrap_or_default();
    let kind = match spec.kind {
        MasksKind::Files => {
            let masks = files(study, &spec, rule, folder, progress)?;
            return Ok(Masks { masks, ..Masks::default() });
        }
        MasksKind::PhaseScrambled => MaskKind::PhaseScrambled,
        MasksKind::Noise => MaskKind::Noise,
        _ => MaskKind::PortillaSimoncelli { iterations: spec.iterations.get() },
    };
    let (sources, own) = match spec.from {
        MaskedFrom::Pool => (pool(study, stimuli.len(), spec.count.get()), 0),
        MaskedFrom::Own => (
            (0..stimuli.len()).flat_map(|of| (0..spec.count.get()).map(move |_| of)).collect(),
            spec.count.get(),
        ),
    };
    let seed = |number: u64| study.chance().child("mask", number).seed("texture");
    let orders: Vec<MaskOrder<'_>> = sources
        .iter()
        .zip(0..)
        .map(|(&source, number)| MaskOrder { source: &stimuli[source], seed: seed(number) })
        .collect();
    let tell = |done| progress(Preparing::Masks, done, orders.len());
    let masks = make_masks(&orders, kind, folder, &tell)?;
    Ok(Masks { masks, sources, own })
}

/// So many of the images that are judged in the main phase, each once before any is drawn again.
fn pool(study: &Study, stimuli: usize, count: u32) -> Vec<usize> {
    let judged = |&index: &usize| {
        let stimulus = study.stimuli().all().get(index);
        let set = stimulus.and_then(|stimulus| study.stimuli().set(stimulus.set));
        set.is_some_and(|set| set.used_for == Use::Main)
    };
    let mut pool: Vec<usize> = (0..stimuli).filter(judged).collect();
    study.chance().stream("mask sources").shuffle(&mut pool);
    pool.into_iter().cycle().take(count as usize).collect()
}

/// Masks that the author has made.
fn files(
    study: &Study,
    masks: &MasksSpec,
    rule: &PrepareRule,
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
