//! The masks of a study: from which images they are made, and with which seeds.

use std::path::Path;
use std::time::Duration;

use hype_core::study::spec::{MaskedFrom, MasksKind, MasksSpec};
use hype_core::{Study, Use};
use hype_images::{
    ContentDigest, Faults, Framing, MaskKind, MaskOrder, Original, PrepareRule, Prepared, Size, find,
    inspect, make_masks,
};

use super::PreparationStep;

/// The masks of a study.
#[derive(Debug, Default)]
pub(crate) struct Masks {
    pub(crate) masks: Vec<Prepared>,
    /// The index of the stimulus that each was made from; empty if the author provides the masks.
    pub(crate) sources: Vec<usize>,
    /// The number of masks of each stimulus; 0 if any mask may follow any stimulus.
    pub(crate) own: u32,
}

/// Prepares the masks of a study, if its task shows any.
pub(crate) fn prepare(
    study: &Study,
    stimuli: &[Prepared],
    rule: &PrepareRule,
    folder: &Path,
    progress: &(dyn Fn(PreparationStep, usize, usize) + Sync),
) -> Result<Masks, Faults> {
    // Masks of texts are texts.
    if !study.profile().pace.masks || !study.stimuli().kind().is_image() {
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
    let report = |done| progress(PreparationStep::Masks, done, orders.len());
    let masks = make_masks(&orders, kind, rule.encoding, folder, &report)?;
    Ok(Masks { masks, sources, own })
}

/// The processor time for a pixel of a texture and an iteration of its synthesis, in nanoseconds, as measured.
const TEXTURE_NS: f64 = 1_000.0;

/// The number of textures that are made for a study, and how long that takes on a number of processors, roughly.
pub(super) fn expected(study: &Study, framing: Framing, processors: usize) -> Option<(usize, Duration)> {
    let spec = study.spec().protocol.masks.clone().unwrap_or_default();
    if !study.profile().pace.masks || spec.kind != MasksKind::PortillaSimoncelli {
        return None;
    }
    let stimuli = study.stimuli().all();
    let count = match spec.from {
        MaskedFrom::Pool => spec.count.get() as usize,
        MaskedFrom::Own => spec.count.get() as usize * stimuli.len(),
    };
    let sizes = stimuli.iter().filter_map(|stimulus| {
        let (width, height) = stimulus.media.size()?;
        let (_, size) = framing.plan(Size::new(width, height).ok()?).ok()?;
        Some((size.width(), size.height()))
    });
    let (width, height) = sizes.reduce(|one, other| (one.0.max(other.0), one.1.max(other.1)))?;
    let work = f64::from(width) * f64::from(height) * f64::from(spec.iterations.get()) * count as f64;
    Some((count, Duration::from_secs_f64(work * TEXTURE_NS * 1e-9 / processors as f64)))
}

/// Draws `count` stimuli of the main phase, each once before any is drawn again.
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

/// Prepares the author's own masks.
fn files(
    study: &Study,
    masks: &MasksSpec,
    rule: &PrepareRule,
    folder: &Path,
    progress: &(dyn Fn(PreparationStep, usize, usize) + Sync),
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
    let report = |done| progress(PreparationStep::Masks, done, originals.len());
    hype_images::prepare(&originals, rule, folder, &report)
}
