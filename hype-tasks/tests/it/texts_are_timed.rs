//! HYPE-time of texts: exposures of seconds, which images never get, and thresholds that simulated raters have.

use std::sync::Arc;

use crate::sessions::Sitting;
use hype_backends::Local;
use hype_core::model::trial::Part;
use hype_core::study::backend::Unwatched;
use hype_core::{
    Backend as _, Diagnostics, Digest, Media, Millis, Raters, Role, SetId, Severity, Spec, Stimuli, Stimulus,
    StimulusSet, Study, Use, analyse,
};
use hype_sim::{Observer, Population};
use hype_stats::staircase::theory::level_at;
use hype_store::MemoryStore;
use hype_tasks::HypeTime;

/// Texts of one real set and one model, each of a number of characters and lines.
fn texts(each: u32, characters: u32, lines: u32) -> Stimuli {
    let media = Media::Text { characters, words: 40, lines, headings: 0, list_items: 0, bold: 0 };
    let stimulus = |number: u32| {
        let path: Arc<str> = format!("{number}.md").into();
        Stimulus::new(SetId(u16::from(number >= each)), Digest::of(path.as_bytes()), path, media)
    };
    let set = |name: &str, role| StimulusSet::new(name, role, Use::Main);
    let sets = vec![set("real", Role::Real), set("model", Role::Generated)];
    Stimuli::new(sets, (0..2 * each).map(stimulus).collect()).unwrap()
}

fn spec(files: &str, task: &str) -> Spec {
    let yaml = format!(
        "stimuli:\n  real: {{ role: real, {files}: a/* }}\n  model: {{ role: generated, {files}: b/* }}\n\
         task: {{ kind: hype_time, {task} }}\nraters: {{ per_model: 1, qualification: null }}\n"
    );
    Spec::read(yaml.as_bytes()).unwrap_or_else(|found| panic!("{found:?}")).spec
}

fn task(spec: &Spec) -> &HypeTime {
    spec.protocol.task.downcast_ref().unwrap()
}

/// The severities and codes of faults of the task.
fn faults(task: &str, stimuli: &Stimuli) -> Vec<(Severity, &'static str)> {
    let found: Diagnostics = spec("texts", task).check_within(stimuli, None);
    found.iter().filter(|one| one.path.starts_with("task")).map(|one| (one.severity, one.code)).collect()
}

#[test]
fn settings_that_are_left_out_are_those_of_the_media() {
    assert_eq!(*task(&spec("images", "blocks: 3")), HypeTime::default());
    assert_eq!(*task(&spec("texts", "blocks: 3")), HypeTime::for_texts());
    let own = spec("texts", "exposure: { floor_ms: 2000 }, staircase: { preset: three-correct }");
    let exposure = task(&own).exposure;
    let shown = [exposure.floor_ms.get(), exposure.start_ms.get(), exposure.ceiling_ms.get()];
    assert_eq!(shown, [2_000, 5_000, 10_000]);
    let rule = task(&own).staircase.rule().unwrap();
    assert_eq!((rule.step_harder_ms(), rule.correct_to_harder()), (30, 3));
    let adaptive = spec("texts", "adaptive: { stop: { at_least: 20 } }");
    let adaptive = task(&adaptive).adaptive.as_ref().unwrap();
    assert_eq!(adaptive.stop.unwrap().sd_ms, 250.0);
    // What the author writes of images is never replaced.
    let images = spec("images", "exposure: { ceiling_ms: 2000 }");
    assert_eq!(task(&images).exposure.start_ms.get(), 500);
}

#[test]
fn texts_are_shown_for_seconds_and_masked() {
    let spec = spec("texts", "blocks: 1");
    let study = Study::new(spec, texts(160, 300, 3)).unwrap();
    let mut sitting = Sitting::open(&study, 0);
    let exposure = |sitting: &Sitting| sitting.trial().unwrap().exposure();
    assert_eq!(exposure(&sitting), Some(Millis(5_000)));
    sitting.answer(true);
    assert_eq!(exposure(&sitting), Some(Millis(4_900)));
    sitting.answer(false);
    assert_eq!(exposure(&sitting), Some(Millis(5_200)));
    let trial = sitting.trial().unwrap();
    assert!(trial.parts.iter().any(|part| matches!(part, Part::Masks { .. })));
}

#[test]
fn settings_that_suit_no_text_are_refused() {
    let stimuli = texts(460, 300, 3);
    let none: [(Severity, &str); 0] = [];
    let error = |code| vec![(Severity::Error, code)];
    assert_eq!(faults("blocks: 3", &stimuli), none);
    assert_eq!(faults("adaptive: {}", &stimuli), none);
    assert_eq!(faults("staircase: { preset: weighted }", &stimuli), error("out-of-reach"));
    assert_eq!(
        faults("exposure: { ceiling_ms: 30001 }, trials_per_block: 450, blocks: 1", &stimuli),
        error("too-long")
    );
    // 22 rows: one and a half for each line, and one for every 40 characters.
    assert_eq!(faults("blocks: 3", &texts(460, 679, 4)), none);
    assert_eq!(faults("blocks: 3", &texts(460, 680, 4)), error("too-long"));
}

#[test]
fn simulated_raters_have_the_threshold_that_is_found() {
    let observer = Observer { threshold_ms: Some(4_000.0), ..Observer::default() };
    let psi = observer.acuity().unwrap();
    let target = level_at(|ms| psi.timed(ms, 1.0), 0.75).unwrap();
    let population = Population { default_observer: observer, rater_sd: 0.0, ..Population::default() };
    let mut spec = Spec::new("texts", 3, Box::new(HypeTime::for_texts()));
    spec = spec.with_raters(Raters { per_model: 40, qualification: None, ..Raters::default() });
    let study = Study::new(spec, texts(460, 300, 3)).unwrap();
    let local = Local::with_raters(Box::new(population), None);
    let store = MemoryStore::new();
    hype_store::block_on(local.collect(&study, Arc::new(store.clone()), &Unwatched)).unwrap();
    let found = hype_store::block_on(analyse(&study, &store)).unwrap();
    let fit = found.measures.iter().find(|one| &*one.measure.name == "fit_ms").unwrap();
    let error = fit.estimates[0].value - target;
    assert!(error.abs() < 150.0, "{error} ms from {target} ms");
}
