//! Studies for tests: created in memory, and run through the same state machine as those of people.

use hype::backends::Local;
use hype::core::Raters;
use hype::core::study::backend::Unwatched;
use hype::core::{Backend as _, Findings, Spec, Study, TaskSpec, analyse};
use hype::sim::{Population, fixtures};
use hype::store::MemoryStore;
use std::sync::Arc;

/// A study of models and synthetic raters, with as many images as the published protocol needs.
pub fn study(
    task: Box<dyn TaskSpec>,
    per_model: u32,
    seed: u64,
    models: &[&str],
    population: Population,
) -> Study {
    let mut spec = Spec::new("test", seed, task);
    spec = spec.with_raters(Raters { per_model, qualification: None, ..Raters::default() });
    spec.collection.simulate = Some(Box::new(population));
    let sets: Vec<(&str, u32)> = models.iter().map(|&model| (model, 240)).collect();
    Study::new(spec, fixtures::stimuli(240, &sets)).expect("the study is valid")
}

/// Collects a study from its synthetic raters.
pub fn collect(study: &Study, threads: usize) -> MemoryStore {
    let store = MemoryStore::new();
    let cohort = study.spec().collection.simulate.clone().expect("the study is simulated");
    let local = Local::with_raters(cohort, std::num::NonZeroUsize::new(threads));
    hype::block_on(local.collect(study, Arc::new(store.clone()), &Unwatched)).expect("collection succeeds");
    store
}

/// Collects and analyses a study.
pub fn findings(study: &Study, threads: usize) -> Findings {
    hype::block_on(analyse(study, &collect(study, threads))).expect("analysis succeeds")
}

/// The estimate of a measure for a model.
pub fn estimate<'f>(
    findings: &'f Findings,
    measure: &str,
    model: &str,
) -> &'f hype::core::model::findings::Estimate {
    findings
        .measures
        .iter()
        .find(|found| &*found.measure.name == measure)
        .and_then(|found| found.estimates.iter().find(|estimate| &*estimate.model == model))
        .expect("the measure and the model are there")
}
