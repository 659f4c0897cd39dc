//! Intervals cover the truth as often as they say: 2,000 simulated studies of every family, through the session machine.
//!
//! The truth is what the same study finds with so many raters that its own error is a few hundredths of that of the
//! studies which are tried. The figures are in `docs/COVERAGE.md`.

#![allow(clippy::unwrap_used, unreachable_pub, missing_docs, reason = "a test")]

use std::sync::Arc;
use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use hype::backends::{Local, MemoryStore};
use hype::core::backend::Unwatched;
use hype::core::{Backend as _, ConditionKind, Findings, Spec, Stimuli, Study, analyse};
use hype::sim::fixtures;

const STUDIES: u64 = 2_000;

/// A design to try: its spec after the stimuli, its stimuli, and how many raters tell the truth.
struct Tried<'a> {
    spec: &'a str,
    stimuli: Stimuli,
    raters: u32,
    many: u32,
    measures: &'a [&'a str],
}

/// What the raters of every study are like.
const RATERS: &str = "
simulate:
  kind: synthetic
  rater_sd: 0.3
  qualification_accuracy: null
  quality: { rater_sd: 0.08, trial_sd: 0.15 }
  observers:
    a: { threshold_ms: 400, quality: 0.62, untimed: { fakes_error: 0.45, reals_error: 0.35 } }
    b: { threshold_ms: 300, quality: 0.5, untimed: { fakes_error: 0.35, reals_error: 0.3 } }
    c: { threshold_ms: 220, quality: 0.4, untimed: { fakes_error: 0.25, reals_error: 0.25 } }
";

fn spec(tried: &Tried<'_>, seed: u64, raters: u32) -> Spec {
    let sets = "stimuli:\n  real: { role: real, images: unused }\n  a: { role: generated, images: unused }\n";
    let text = format!("{sets}{}{RATERS}", tried.spec);
    let mut spec = Spec::read(text.as_bytes()).unwrap_or_else(|faults| panic!("{faults}")).spec;
    spec.seed = seed;
    match &mut spec.raters.per_item {
        Some(per_item) => *per_item = raters,
        None => spec.raters.per_model = raters,
    }
    spec
}

fn findings(tried: &Tried<'_>, seed: u64, raters: u32) -> Findings {
    let spec = spec(tried, seed, raters);
    let local = Local::with_raters(spec.simulate.clone().unwrap(), NonZeroUsize::new(1));
    let study = Study::new(spec, tried.stimuli.clone()).unwrap_or_else(|faults| panic!("{faults}"));
    let store = MemoryStore::new();
    hype::block_on(async {
        local.collect(&study, Arc::new(store.clone()), &Unwatched).await.unwrap();
        analyse(&study, &store).await.unwrap()
    })
}

/// By measure and model: the estimate and its interval.
fn estimates(tried: &Tried<'_>, found: &Findings) -> Vec<((String, String), f64, f64, f64)> {
    let wanted = |name: &str| tried.measures.contains(&name);
    let measures = found.measures.iter().filter(|found| wanted(&found.measure.name));
    measures
        .flat_map(|found| {
            found.estimates.iter().map(|estimate| {
                let interval = estimate.interval.as_ref().unwrap();
                let key = (found.measure.name.to_string(), estimate.model.to_string());
                (key, estimate.value, interval.low, interval.high)
            })
        })
        .collect()
}

/// The share of intervals that cover the truth, over all studies and models, by measure.
fn coverage(tried: &Tried<'_>) -> BTreeMap<String, f64> {
    let truth: BTreeMap<(String, String), f64> = estimates(tried, &findings(tried, 1 << 40, tried.many))
        .into_iter()
        .map(|(key, value, ..)| (key, value))
        .collect();
    let next = AtomicU64::new(0);
    let counts: Mutex<BTreeMap<String, (u64, u64)>> = Mutex::default();
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, NonZeroUsize::get) {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= STUDIES {
                        return;
                    }
                    let found = estimates(tried, &findings(tried, seed, tried.raters));
                    let mut counts = counts.lock().unwrap();
                    for (key, _, low, high) in found {
                        let (covered, all) = counts.entry(key.0.clone()).or_default();
                        *covered += u64::from((low..=high).contains(&truth[&key]));
                        *all += 1;
                    }
                }
            });
        }
    });
    let counts = counts.into_inner().unwrap();
    assert_eq!(counts.len(), tried.measures.len(), "{counts:?}");
    counts.into_iter().map(|(measure, (covered, all))| (measure, covered as f64 / all as f64)).collect()
}

#[track_caller]
fn check(tried: &Tried<'_>) {
    for (measure, share) in coverage(tried) {
        println!("{measure}: {:.1} % of 95 % intervals cover the truth", 100.0 * share);
        assert!((0.93..=0.97).contains(&share), "{measure}: {share}");
    }
}

const ITEMS: u32 = 12;

fn outputs() -> Stimuli {
    fixtures::items(
        ITEMS,
        &["a", "b", "c"],
        &[ConditionKind::Prompt, ConditionKind::Instruction, ConditionKind::Source],
    )
}

fn with_real(size: u32) -> Stimuli {
    fixtures::stimuli(size, &[("a", size), ("b", size), ("c", size)])
}

#[test]
fn thresholds_of_hype_time() {
    check(&Tried {
        spec: "
task: { kind: hype_time, blocks: 1, trials_per_block: 60 }
raters: { qualification: null, payment: null }
aggregate: { kind: by_model, measures: [mode_ms], bootstrap: { resamples: 1000 } }",
        stimuli: with_real(30),
        raters: 40,
        many: 8_000,
        measures: &["mode_ms"],
    });
}

#[test]
fn error_rates_of_hype_infinity() {
    check(&Tried {
        spec: "
task: { kind: hype_infinity, generated: 12, real: 12 }
raters: { qualification: null, payment: null }
aggregate: { kind: by_model, measures: [error], bootstrap: { resamples: 1000 } }",
        stimuli: with_real(12),
        raters: 40,
        many: 20_000,
        measures: &["error"],
    });
}

#[test]
fn fooling_rates() {
    check(&Tried {
        spec: "
task: { kind: fooling, trials: 12, practice: 0, exposure_ms: null }
aggregate: { kind: by_model, measures: [fooled], bootstrap: { resamples: 1000 } }",
        stimuli: with_real(12),
        raters: 40,
        many: 20_000,
        measures: &["fooled"],
    });
}

#[test]
fn means_of_graded_questions() {
    check(&Tried {
        spec: "
task: { kind: rating }
rubric: { kind: heim.image, aspects: [alignment, aesthetics] }
aggregate: { kind: by_model, measures: [alignment, aesthetics], bootstrap: { resamples: 1000 } }",
        stimuli: outputs(),
        raters: 40,
        many: 8_000,
        measures: &["alignment", "aesthetics"],
    });
}

#[test]
fn mean_opinion_scores() {
    check(&Tried {
        spec: "
task: { kind: rating }
rubric: { kind: opinion, method: acr }
aggregate: { kind: opinion, bootstrap: { resamples: 1000 } }",
        stimuli: outputs(),
        raters: 40,
        many: 4_000,
        measures: &["opinion"],
    });
}

#[test]
fn overall_scores_of_imagenhub() {
    check(&Tried {
        spec: "
task: { kind: rating }
rubric: { kind: imagenhub.text_guided_editing }
aggregate: { kind: imagenhub, unit: rater, bootstrap: { resamples: 500 } }",
        stimuli: outputs(),
        raters: 40,
        many: 4_000,
        measures: &["O", "SC", "PQ"],
    });
}

#[test]
fn strengths_and_win_rates_of_pairs() {
    check(&Tried {
        spec: "
task: { kind: contrast, per_session: 12 }
aggregate: { kind: contrast, bootstrap: { resamples: 500 } }",
        stimuli: outputs(),
        raters: 14,
        many: 2_000,
        measures: &["strength", "win_rate"],
    });
}

#[test]
fn strengths_and_ranks_of_orders() {
    check(&Tried {
        spec: "
task: { kind: ranking, ties: false, per_session: 6 }
aggregate: { kind: ranking, bootstrap: { resamples: 500 } }",
        stimuli: outputs(),
        raters: 20,
        many: 3_000,
        measures: &["rank", "strength"],
    });
}

#[test]
fn shares_of_the_best() {
    check(&Tried {
        spec: "
task: { kind: best_of, per_session: 12 }
aggregate: { kind: by_model, measures: [votes], bootstrap: { resamples: 1000 } }",
        stimuli: outputs(),
        raters: 40,
        many: 20_000,
        measures: &["votes"],
    });
}
