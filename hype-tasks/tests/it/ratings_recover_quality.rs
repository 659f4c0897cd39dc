//! Ratings of a simulated population recover the known qualities of models.

#![allow(missing_docs, clippy::unwrap_used, reason = "a test")]

use crate::ratings;

use hype_backends::Local;
use hype_core::ConditionKind::{Prompt, Source};
use hype_core::study::backend::Unwatched;
use hype_core::{Backend as _, Findings, Raters, Spec, Stimuli, Study, analyse};
use hype_sim::population::Quality;
use hype_sim::{Behaviours, Observer, Population, Spammers, Untimed, fixtures};
use hype_stats::distributions::normal_sf;
use hype_store::MemoryStore;
use hype_tasks::Rating;
use hype_tasks::questionnaires::opinion::RatingMethod;
use hype_tasks::questionnaires::{HeimImage, HeimPhotorealism, Opinion};
use hype_tasks::tasks::rating::{Gold, Reference};
use std::sync::Arc;

const RATER_SD: f64 = 0.08;
const TRIAL_SD: f64 = 0.12;

fn population(qualities: &[(&str, f64)]) -> Population {
    let observer = |quality| Observer { quality: Some(quality), ..Observer::default() };
    Population {
        observers: qualities.iter().map(|&(model, quality)| (model.to_owned(), observer(quality))).collect(),
        quality: Quality { reals: 0.85, rater_sd: RATER_SD, trial_sd: TRIAL_SD, ..Quality::default() },
        ..Population::default()
    }
}

fn simulate(
    task: &Rating,
    rubric: &dyn hype_core::RubricSpec,
    raters: u32,
    stimuli: Stimuli,
    population: Population,
) -> Findings {
    let spec = Spec::new("ratings", 17, Box::new(task.clone())).with_rubric(rubric.boxed_clone());
    let raters = Raters { per_item: Some(raters), ..spec.raters() };
    let study = Study::new(spec.with_raters(raters), stimuli).unwrap();
    let local = Local::with_raters(Box::new(population), None);
    let store = MemoryStore::new();
    hype_store::block_on(local.collect(&study, Arc::new(store.clone()), &Unwatched)).unwrap();
    hype_store::block_on(analyse(&study, &store)).unwrap()
}

/// The mean score on a scale from 1 to `options` of a model of this quality: the worth of a trial is normal around it,
/// and falls into the option whose place from 0 to 1 is nearest.
fn expected(quality: f64, options: u32) -> f64 {
    let over = |place: f64| normal_sf((place - quality) / RATER_SD.hypot(TRIAL_SD));
    let steps = f64::from(options - 1);
    1.0 + (1..options).map(|place| over((f64::from(place) - 0.5) / steps)).sum::<f64>()
}

fn estimate(found: &Findings, measure: &str, model: &str) -> f64 {
    let of = found.measures.iter().find(|one| &*one.measure.name == measure).unwrap();
    of.estimates.iter().find(|one| &*one.model == model).unwrap().value
}

#[test]
fn scales_recover_the_models_means() {
    let qualities = [("poor", 0.25), ("fair", 0.5), ("good", 0.75)];
    let stimuli = fixtures::items(120, &["poor", "fair", "good"], &[Prompt]);
    let task = Rating { per_session: Some(60.into()), one_output_per_item: true, ..Rating::default() };
    let found = simulate(&task, &HeimImage::default(), 30, stimuli, population(&qualities));
    // 180 raters: the standard error is under 0.035 points on five options, for leniency and trials together.
    for (measure, options) in [("alignment", 5), ("subject_clarity", 3), ("originality", 5)] {
        for (model, quality) in qualities {
            let (value, truth) = (estimate(&found, measure, model), expected(quality, options));
            assert!((value - truth).abs() < 0.12, "{measure} of {model}: {value}, not {truth}");
        }
    }
    let shares = found.study.unwrap().protocol;
    assert!(shares.iter().any(|fact| fact.value["sessions"] == 180 && fact.value["in_session"] == 60));
}

#[test]
fn real_images_have_a_mean_of_their_own() {
    let task = Rating { real: true, ..Rating::default() };
    let stimuli = fixtures::stimuli(40, &[("gan", 40)]);
    let found = simulate(&task, &HeimPhotorealism::default(), 60, stimuli, population(&[("gan", 0.4)]));
    for (model, quality) in [("real", 0.85), ("gan", 0.4)] {
        let (value, truth) = (estimate(&found, "photorealism", model), expected(quality, 5));
        assert!((value - truth).abs() < 0.15, "{model}: {value}, not {truth}");
    }
    let note = found.notes.iter().find(|note| &*note.code == "real-images").unwrap();
    assert!(note.text.ends_with(": real"), "{}", note.text);
}

#[test]
fn comparisons_recover_both_signs() {
    // The sign of the answer depends on the order, so these raters compare instead of rating.
    let task = Rating { reference: Reference::Beside, ..Rating::default() };
    let rubric = Opinion { method: RatingMethod::Ccr, anchors: None };
    let raters = ratings::per_item(&task, 4);
    let study = ratings::study(&task, &rubric, raters, fixtures::items(30, &["worse", "better"], &[Source]));
    let better = study.stimuli().set_named("better").unwrap();
    for place in 0..study.places() {
        let record = ratings::answered(&study, place, |trial, truth| {
            let output = truth.shown.iter().position(|&set| Some(set) == truth.model).unwrap();
            let sign = if (truth.model == Some(better)) == (output == 1) { 2 } else { -2 };
            ratings::answer_with(trial, &[("opinion", &sign.to_string())])
        });
        for row in ratings::scores(&study, &record).rows() {
            let truth = if row.model == "better" { 2.0 } else { -2.0 };
            assert!((row.value - truth).abs() < 1e-12);
        }
    }
}

#[test]
fn raters_who_answer_anything_are_left_out_by_gold_images() {
    let task = Rating { gold: Some(Gold { per_session: 10.into(), pass: 0.6 }), ..Rating::default() };
    let main = fixtures::items(40, &["good"], &[]);
    let stimuli = ratings::with_set(
        &main,
        "catch",
        hype_core::Role::Real,
        hype_core::Use::Gold,
        12,
        &[("opinion", &["5"])],
    );
    let spammers = Spammers { random: 0.4, ..Spammers::default() };
    let population = Population {
        behaviours: Behaviours { spammers, ..Behaviours::default() },
        default_observer: Observer {
            untimed: Some(Untimed { fakes_error: 0.05, reals_error: 0.05 }),
            ..Observer::default()
        },
        ..population(&[("good", 0.8)])
    };
    let found = simulate(&task, &Opinion::default(), 50, stimuli, population);
    let excluded = found.exclusions.iter().filter(|one| &*one.rule == "gold").count();
    // All are replaced until 50 count. Failures before so many successes: 33 with a standard deviation of 7.5.
    assert!((14..=53).contains(&excluded), "{excluded} besides 50 raters, 40 % of which answer at random");
    let score = &found.measures[0].estimates[0];
    assert_eq!(score.raters, 50);
    let truth = expected(0.8, 5);
    assert!((score.value - truth).abs() < 0.15, "{}, not {truth}", score.value);
    assert!(score.with_excluded.as_ref().unwrap().value < truth - 0.25);
}
