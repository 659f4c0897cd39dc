//! Sessions follow the published protocol: what is shown, how often, to whom, and what it earns.

#![allow(missing_docs, clippy::unwrap_used, clippy::float_cmp, reason = "a test")]

use std::collections::{BTreeMap, BTreeSet};

use hype_core::model::record::Answered;
use hype_core::model::trial::{Part, Phase};
use hype_core::{
    Amount, Ending, Event, Millis, Outcome, Raters, Role, Session, Spec, Step, Study, TaskSpec, Timing,
};
use hype_core::{Payment, Qualification, RaterDesign};
use hype_sim::fixtures::stimuli;
use hype_tasks::{HypeInfinity, HypeTime};
use serde_json::json;

fn study(task: Box<dyn TaskSpec>, raters: Raters, images: u32) -> Study {
    let mut spec = Spec::new("protocol", 5, task);
    spec = spec.with_raters(raters);
    Study::new(spec, stimuli(images, &[("a", images), ("b", images)])).unwrap()
}

/// The published protocol with its pay.
fn paid() -> Raters {
    let payment = Payment { base: Amount(1_000_000), per_correct: Amount(20_000), ..Payment::default() };
    Raters { payment: Some(payment), ..Raters::default() }
}

/// Answers every trial, correctly if `right` returns true for its number.
fn answer_all(study: &Study, place: u32, right: impl Fn(u32) -> bool) -> (Vec<Answered>, Outcome) {
    let (mut session, _) = Session::open(study, "r", place, 0).unwrap();
    let mut answered = Vec::new();
    while let Step::Show(trial) = session.step().clone() {
        let truth = session.truth().unwrap().role.unwrap();
        let judged = if right(trial.number) == (truth == Role::Real) { "real" } else { "generated" };
        let accepted = session.handle_answer(trial.number, json!({ "judgment": judged }), Timing::default());
        let hype_core::study::session::Accepted::Recorded(recorded) = accepted.unwrap() else {
            panic!("repeated")
        };
        if let Event::Answered(event) = recorded.event {
            answered.push(event);
        }
    }
    let Step::Finished(outcome) = session.step().clone() else { panic!("not finished") };
    (answered, outcome)
}

#[test]
fn hype_time_is_the_published_protocol_by_default() {
    let study = study(Box::new(HypeTime::default()), paid(), 300);
    let (session, _) = Session::open(&study, "r", 0, 0).unwrap();
    let Step::Show(first) = session.step() else { panic!("nothing is asked") };
    assert_eq!((first.phase, first.exposure(), first.feedback), (Phase::Qualification, None, None));
    let (answered, outcome) = answer_all(&study, 0, |_| true);
    let qualification: Vec<_> =
        answered.iter().filter(|trial| trial.shown.phase == Phase::Qualification).collect();
    let main: Vec<_> = answered.iter().filter(|trial| trial.shown.phase == Phase::Main).collect();
    assert_eq!((qualification.len(), main.len()), (100, 450));
    assert_eq!(main[0].shown.exposure_ms, Some(Millis(500)));
    assert_eq!(main[150].shown.exposure_ms, Some(Millis(500)));
    assert_eq!(main[149].shown.exposure_ms, Some(Millis(100)));
    let mut seen = BTreeSet::new();
    assert!(answered.iter().all(|trial| seen.insert(trial.shown.stimuli[0])), "an image was shown twice");
    for block in main.chunks(150) {
        let real = block
            .iter()
            .filter(|trial| {
                let item = study.stimuli().get(trial.shown.stimuli[0]).unwrap();
                study.stimuli().set(item.set).unwrap().role == Role::Real
            })
            .count();
        assert_eq!(real, 75);
    }
    assert_eq!((outcome.ending, outcome.correct), (Ending::Completed, 450));
    let earned = outcome.earned.unwrap();
    assert_eq!((earned.base, earned.bonus), (Amount(1_000_000), Amount(9_000_000)));
}

#[test]
fn a_timed_trial_counts_down_shows_masks_and_tells() {
    let study =
        study(Box::new(HypeTime::default()), Raters { qualification: None, ..Raters::default() }, 300);
    let (session, _) = Session::open(&study, "r", 0, 0).unwrap();
    let Step::Show(trial) = session.step() else { panic!("nothing is asked") };
    let [countdown, image, masks] = trial.parts.as_slice() else { panic!("{:?}", trial.parts) };
    assert_eq!(*countdown, Part::Countdown { from: 3, each: Millis(500) });
    assert!(matches!(image, Part::Stimulus { exposure: Some(Millis(500)), .. }));
    assert_eq!(*masks, Part::Masks { count: 4, each: Millis(30) });
    assert!(trial.feedback.is_some());
    assert_eq!(trial.presentation().0, (1_500 + 500 + 120) * 1_000);
}

#[test]
fn the_qualification_needs_both_classes() {
    let study = study(Box::new(HypeInfinity::default()), paid(), 200);
    // Right for all real images, which are half: 50 % overall, 0 % for fakes.
    let (mut session, _) = Session::open(&study, "r", 3, 0).unwrap();
    while let Step::Show(trial) = session.step().clone() {
        session.handle_answer(trial.number, json!({ "judgment": "real" }), Timing::default()).unwrap();
    }
    let Step::Finished(outcome) = session.step() else { panic!("not finished") };
    assert_eq!((outcome.ending, outcome.answered, outcome.correct), (Ending::Disqualified, 100, 0));
    assert_eq!(outcome.earned.unwrap().base, Amount(1_000_000));
    let (_, passed) = answer_all(&study, 3, |trial| trial % 10 < 8);
    assert_eq!(passed.ending, Ending::Completed);
}

#[test]
fn qualification_fakes_come_equally_from_all_models_and_are_not_judged_again() {
    let raters = Raters { qualification: Some(Qualification::default()), ..Raters::default() };
    let study = study(Box::new(HypeInfinity::default()), raters, 120);
    let mut shown_in: BTreeMap<&str, BTreeSet<u32>> = BTreeMap::new();
    for place in 0..study.places() {
        let (answered, _) = answer_all(&study, place, |_| true);
        let mut fakes: BTreeMap<u16, usize> = BTreeMap::new();
        for trial in &answered {
            let id = trial.shown.stimuli[0];
            let set = study.stimuli().get(id).unwrap().set;
            let phase = if trial.shown.phase == Phase::Main { "main" } else { "qualification" };
            shown_in.entry(phase).or_default().insert(id.0);
            if phase == "qualification" {
                *fakes.entry(set.0).or_default() += 1;
            }
        }
        assert_eq!(fakes, BTreeMap::from([(0, 50), (1, 25), (2, 25)]));
    }
    assert!(shown_in["main"].is_disjoint(&shown_in["qualification"]));
    assert_eq!(shown_in["qualification"].len(), 100);
}

#[test]
fn images_are_shown_equally_often_over_raters() {
    let raters = Raters { qualification: None, per_model: 13, ..Raters::default() };
    let study = study(Box::new(HypeInfinity::default()), raters, 90);
    let mut dealt: BTreeMap<(u16, u32), u32> = BTreeMap::new();
    for place in 0..study.places() {
        let model = study.place(place).models[0];
        for trial in answer_all(&study, place, |_| true).0 {
            *dealt.entry((model.0, trial.shown.stimuli[0].0)).or_default() += 1;
        }
    }
    for model in [1, 2] {
        let counts: Vec<u32> =
            dealt.iter().filter(|((of, _), _)| *of == model).map(|(_, &count)| count).collect();
        assert_eq!(counts.len(), 180, "every image of the model and every real one is shown");
        assert!(counts.iter().max().unwrap() - counts.iter().min().unwrap() <= 1, "{counts:?}");
    }
}

#[test]
fn within_raters_every_rater_judges_every_model() {
    let raters =
        Raters { qualification: None, per_model: 4, design: RaterDesign::Within, ..Raters::default() };
    let study = study(Box::new(HypeInfinity::default()), raters, 120);
    assert_eq!(study.places(), 4);
    let (answered, outcome) = answer_all(&study, 1, |_| false);
    let mut models: BTreeMap<u16, usize> = BTreeMap::new();
    answered.iter().for_each(|trial| *models.entry(trial.shown.model.unwrap().0).or_default() += 1);
    assert_eq!(models, BTreeMap::from([(1, 100), (2, 100)]));
    assert_eq!(outcome.correct, 0);
}
