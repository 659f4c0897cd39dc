//! The backend of the plugin completes every place, and its raters score as guessing does.

use std::sync::Arc;

use hype::core::study::backend::Unwatched;
use hype::core::{Spec, Study, analyse};
use hype::sim::fixtures;
use hype::store::MemoryStore;
use hype_example_plugin as _;

const SPEC: &str = "
stimuli:
  real: { role: real, images: unused }
  good: { role: generated, images: unused }
task: { kind: yes_no, pairs: 10 }
raters: { per_model: 4 }
backend: { kind: first_option }
";

#[test]
fn raters_who_take_the_first_option_are_right_by_chance() {
    let spec = Spec::read(SPEC.as_bytes()).unwrap().spec;
    let study = Study::new(spec, fixtures::stimuli(10, &[("good", 10)])).unwrap();
    let store = MemoryStore::new();
    let backend = study.spec().collection.backend.clone().unwrap();
    let (collected, findings) = hype::block_on(async {
        let collected = backend.collect(&study, Arc::new(store.clone()), &Unwatched).await.unwrap();
        (collected, analyse(&study, &store).await.unwrap())
    });
    assert_eq!((collected.completed, collected.open), (4, 0));
    // The first option is no, which is right for half of a rater's images.
    let correct = &findings.measures[0].estimates[0];
    assert!((correct.value - 0.5).abs() < 1e-12, "{}", correct.value);
}
