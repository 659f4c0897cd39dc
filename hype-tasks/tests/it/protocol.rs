//! Sessions follow the published protocol: what is shown, how often, to which raters, and what it earns.

#![allow(missing_docs, clippy::unwrap_used, clippy::float_cmp, reason = "a test")]

use std::collections::{BTreeMap, BTreeSet};

use hype_core::model::record::Answered;
use hype_core::model::trial::{Part, Phase};
use hype_core::study::session::{Accepted, Background};
use hype_core::{
    Amount, Ending, Event, Millis, Outcome, Raters, Role, Session, SessionRecord, Spec, Step, Study,
    TaskSpec, Timing,
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

/// Answers a session correctly to its end, and returns its whole log.
fn log_of(study: &Study, background: Background) -> Vec<Event> {
    let (mut session, mut log) = Session::open_with(study, "r", 1, 0, background).unwrap();
    while let Step::Show(trial) = session.step().clone() {
        let truth = session.truth().unwrap().role.unwrap();
        let judged = if truth == Role::Real { "real" } else { "generated" };
        match session.handle_answer(trial.number, json!({ "judgment": judged }), Timing::default()).unwrap() {
            Accepted::Recorded(recorded) => log.extend(recorded.into_events()),
            Accepted::Repeated => panic!("repeated"),
        }
    }
    log
}

fn qualified() -> Background {
    Background { qualified_in: Some("0123456789ab".into()), ..Background::default() }
}

#[test]
fn raters_who_qualified_elsewhere_see_what_others_see_after_the_qualification() {
    let tasks: [Box<dyn TaskSpec>; 2] = [Box::new(HypeTime::default()), Box::new(HypeInfinity::default())];
    for task in tasks {
        let study = study(task, paid(), 300);
        let [whole, short] =
            [Background::default(), qualified()].map(|background| log_of(&study, background));
        let [whole_record, record] =
            [&whole, &short].map(|log| SessionRecord::from_events(log.clone()).unwrap());
        let shown = |record: &SessionRecord| -> Vec<_> {
            let trials = record.trials.iter().filter(|trial| trial.shown.phase != Phase::Qualification);
            trials.map(|trial| (trial.shown.clone(), trial.correct)).collect()
        };
        assert_eq!(whole_record.trials.len(), record.trials.len() + 100);
        assert_eq!(shown(&record).len(), record.trials.len());
        assert_eq!(shown(&whole_record), shown(&record), "the main phase differs");
        assert!(whole_record.has_qualified() && record.has_qualified());
        // Who completes earns what others earn, the base included.
        assert_eq!(record.outcome.as_ref().unwrap().earned, whole_record.outcome.as_ref().unwrap().earned);
        let replayed = Session::replay(&study, short.clone()).unwrap();
        assert_eq!(replayed.events(), short.len() as u64);
        // Without the note, the same answers belong to no session.
        let mut forged = short.clone();
        let Event::Opened(header) = &mut forged[0] else { panic!("not opened") };
        header.qualified_in = None;
        assert!(Session::replay(&study, forged).is_err());
        let text = serde_json::to_string(&whole[0]).unwrap();
        assert!(!text.contains("qualified"), "{text}");
        assert_eq!(
            serde_json::from_str::<Event>(&serde_json::to_string(&short[0]).unwrap()).unwrap(),
            short[0]
        );
    }
}

#[test]
fn the_base_is_not_paid_for_a_qualification_that_was_skipped() {
    let study = study(Box::new(HypeInfinity::default()), paid(), 200);
    let left = |background, answers: u32| {
        let (mut session, _) = Session::open_with(&study, "r", 1, 0, background).unwrap();
        for number in 0..answers {
            let judged = match session.truth().unwrap().role.unwrap() {
                Role::Real => "real",
                _ => "generated",
            };
            session.handle_answer(number, json!({ "judgment": judged }), Timing::default()).unwrap();
        }
        let recorded = session.handle_leave(hype_core::Micros(0)).unwrap();
        recorded.finished.unwrap().earned.unwrap()
    };
    let (base, none) = (Amount(1_000_000), Amount(0));
    assert_eq!((left(qualified(), 0).base, left(qualified(), 3).base), (none, none));
    assert_eq!(left(qualified(), 3).bonus, Amount(60_000), "answers are paid");
    assert_eq!((left(Background::default(), 99).base, left(Background::default(), 100).base), (none, base));
}

#[test]
fn a_log_says_whether_its_rater_has_qualified() {
    let study = study(Box::new(HypeInfinity::default()), paid(), 200);
    let log = log_of(&study, Background::default());
    let after = |events: usize| SessionRecord::from_events(log[..events].to_vec()).unwrap().has_qualified();
    // The opening, and a hundred answers.
    assert_eq!([1, 100, 101, 102, log.len()].map(after), [false, false, false, true, true]);
    let (mut session, mut failed) = Session::open(&study, "r", 3, 0).unwrap();
    while let Step::Show(trial) = session.step().clone() {
        let answer = json!({ "judgment": "real" });
        if let Accepted::Recorded(recorded) =
            session.handle_answer(trial.number, answer, Timing::default()).unwrap()
        {
            failed.extend(recorded.into_events());
        }
    }
    assert!(!SessionRecord::from_events(failed).unwrap().has_qualified());
    let (mut session, _) = Session::open(&study, "r", 1, 0).unwrap();
    for event in &log[1..101] {
        session.handle_event(event).unwrap();
    }
    let left = session.handle_leave(hype_core::Micros(0)).unwrap();
    let left = log[..101].iter().cloned().chain(left.into_events());
    assert!(SessionRecord::from_events(left).unwrap().has_qualified(), "the base was paid");
    let raters = Raters { qualification: None, ..paid() };
    let untested = self::study(Box::new(HypeInfinity::default()), raters, 200);
    let log = log_of(&untested, Background::default());
    assert!(!SessionRecord::from_events(log).unwrap().has_qualified(), "no rater was tested");
}
