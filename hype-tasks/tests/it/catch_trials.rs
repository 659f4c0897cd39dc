//! Catch trials of HYPE-time: raters cannot recognize them, they affect neither staircases nor scores, and their
//! verdict has three states.

#![allow(missing_docs, clippy::unwrap_used, reason = "a test")]

use std::collections::BTreeSet;

use crate::sessions::{Display, Sitting};
use hype_core::RaterDesign;
use hype_core::model::note::{Disturbance, SessionNote};
use hype_core::model::trial::{Part, Phase};
use hype_core::{
    Answered, CheckState, Consequence, Event, Micros, Millis, Raters, Role, ScoreTable, Session,
    SessionRecord, Study,
};
use hype_sim::fixtures::stimuli;
use hype_sim::task_conformance;
use hype_tasks::HypeTime;
use hype_tasks::tasks::hype_time::CatchTrials;

fn task(catch: Option<CatchTrials>) -> HypeTime {
    HypeTime { blocks: 3.into(), trials_per_block: 20.into(), catch, ..HypeTime::default() }
}

fn raters(design: RaterDesign) -> Raters {
    Raters { per_model: 4, design, qualification: None, ..Raters::default() }
}

fn study(catch: Option<CatchTrials>, design: RaterDesign) -> Study {
    let mut spec = hype_core::Spec::new("catch", 3, Box::new(task(catch)));
    spec = spec.with_raters(raters(design));
    Study::new(spec, stimuli(200, &[("a", 60), ("b", 60)])).unwrap()
}

fn watched() -> Study {
    study(Some(CatchTrials::default()), RaterDesign::Between)
}

task_conformance!(
    between,
    task = HypeTime {
        blocks: 2.into(),
        trials_per_block: 12.into(),
        catch: Some(CatchTrials { trials: 8.into(), ..CatchTrials::default() }),
        ..HypeTime::default()
    },
    stimuli = stimuli(60, &[("a", 40), ("b", 40)]),
    raters = Raters { per_model: 2, qualification: None, ..Raters::default() }
);

task_conformance!(
    within,
    task = HypeTime {
        blocks: 2.into(),
        trials_per_block: 12.into(),
        catch: Some(CatchTrials { trials: 10.into(), ..CatchTrials::default() }),
        ..HypeTime::default()
    },
    stimuli = stimuli(60, &[("a", 40), ("b", 40)]),
    raters = Raters { per_model: 2, design: RaterDesign::Within, qualification: None, ..Raters::default() }
);

fn is_catch(answered: &Answered) -> bool {
    answered.shown.phase == Phase::Catch
}

fn role(study: &Study, answered: &Answered) -> Role {
    study.stimuli().set_of(answered.shown.stimuli[0]).unwrap().role
}

#[test]
fn raters_see_trials_like_any_other() {
    let study = watched();
    let mut sitting = Sitting::open(&study, 1);
    let mut catches = 0;
    let mut in_block = 0;
    while let Some(trial) = sitting.trial() {
        let catch = sitting.truth().logged_as.is_some();
        catches += u32::from(catch);
        assert_eq!(trial.phase, Phase::Main, "a page may show the phase");
        in_block = if trial.in_block == 0 { 0 } else { in_block + 1 };
        assert_eq!((trial.in_block, trial.block_trials), (in_block, 24), "four more in each block of 20");
        let [countdown, Part::Stimulus { exposure, .. }, masks] = trial.parts.as_slice() else {
            panic!("{:?}", trial.parts)
        };
        assert!(matches!(countdown, Part::Countdown { .. }));
        assert!(matches!(masks, Part::Masks { count: 4, .. }));
        assert_eq!(*exposure == Some(Millis(16)), catch);
        assert_eq!(trial.feedback.unwrap().shown, Millis(500));
        assert_eq!(trial.rest.is_some(), trial.in_block == 0 && trial.block > 0);
        assert!(sitting.upcoming().contains(&trial.stimuli().next().unwrap()), "it is loaded with its block");
        sitting.answer(true);
    }
    assert_eq!(catches, 12);
    let record = sitting.record();
    assert_eq!(record.trials.iter().filter(|trial| is_catch(trial)).count(), 12);
    assert_eq!(record.main_trials().count(), 60);
    assert_eq!(record.outcome.unwrap().correct, 72, "right answers to them are paid in the same way");
}

#[test]
fn they_come_at_drawn_places_never_first_and_never_in_a_row() {
    for design in [RaterDesign::Between, RaterDesign::Within] {
        let catch = CatchTrials { trials: 14.into(), ..CatchTrials::default() };
        let study = study(Some(catch), design);
        let mut places_seen = BTreeSet::new();
        for place in 0..study.places() {
            let record = Sitting::open(&study, place).through(|_| true).record();
            let mut images = BTreeSet::new();
            assert!(
                record.trials.iter().all(|trial| images.insert(trial.shown.stimuli[0])),
                "an image twice"
            );
            let real =
                record.trials.iter().filter(|trial| is_catch(trial) && role(&study, trial) == Role::Real);
            assert_eq!(real.count(), 7);
            let blocks: Vec<&[Answered]> =
                record.trials.chunk_by(|a, b| a.shown.block == b.shown.block).collect();
            let mut counts = Vec::new();
            for block in blocks {
                assert!(!is_catch(&block[0]) && !is_catch(block.last().unwrap()));
                assert!(!block.windows(2).any(|pair| is_catch(&pair[0]) && is_catch(&pair[1])));
                assert_eq!(block.iter().filter(|trial| !is_catch(trial)).count(), 20);
                counts.push(block.iter().filter(|trial| is_catch(trial)).count());
                let model = block[0].shown.model;
                for trial in block {
                    let set = study.stimuli().get(trial.shown.stimuli[0]).unwrap().set;
                    assert!(role(&study, trial) == Role::Real || Some(set) == model);
                    assert_eq!(trial.shown.model, model);
                }
            }
            assert!(counts.iter().max().unwrap() - counts.iter().min().unwrap() <= 1, "{counts:?}");
            let numbers: Vec<u32> =
                record.trials.iter().filter(|trial| is_catch(trial)).map(|trial| trial.trial).collect();
            places_seen.insert(numbers);
        }
        assert_eq!(places_seen.len() as u32, study.places(), "positions differ between sessions");
    }
}

#[test]
fn staircases_and_scores_are_as_without_them() {
    // Any rule by which main trials are answered; catch trials are answered the other way.
    let right = |main: usize| !main.is_multiple_of(3);
    for design in [RaterDesign::Between, RaterDesign::Within] {
        let (without, with) = (study(None, design), study(Some(CatchTrials::default()), design));
        for place in 0..without.places() {
            let plain = Sitting::open(&without, place).through(|main| right(main.unwrap())).record();
            let caught = Sitting::open(&with, place).through(|main| main.is_none_or(right)).record();
            let seen = |record: &SessionRecord| -> Vec<_> {
                record.main_trials().map(|trial| (trial.shown.clone(), trial.correct)).collect()
            };
            assert_eq!(seen(&plain), seen(&caught));
            assert_eq!(scores(&without, &plain), scores(&with, &caught));
        }
    }
}

fn scores(study: &Study, record: &SessionRecord) -> Vec<(String, String, u64)> {
    let mut table = ScoreTable::default();
    let context = study.scoring();
    study.rubric().score(record, &context, &mut table).unwrap();
    table.rows().map(|row| (row.measure.to_owned(), row.item.to_owned(), row.value.to_bits())).collect()
}

#[test]
fn a_disturbed_one_is_shown_again_with_another_image() {
    let study = watched();
    let mut sitting = Sitting::open(&study, 0);
    let mut images = BTreeSet::new();
    let mut disturbed = 0;
    while let Some(trial) = sitting.trial() {
        assert!(images.insert(trial.stimuli().next().unwrap()), "an image was shown twice");
        if sitting.truth().logged_as.is_some() && disturbed < 5 {
            let before = (sitting.truth(), trial.exposure(), trial.in_block);
            sitting.disturb(Disturbance::Late);
            disturbed += 1;
            let again = sitting.trial().unwrap();
            assert_eq!((sitting.truth(), again.exposure(), again.in_block), before);
            assert!(images.insert(again.stimuli().next().unwrap()), "the image is another one");
            assert!(sitting.upcoming().contains(&again.stimuli().next().unwrap()));
        }
        sitting.answer(true);
    }
    assert_eq!(disturbed, 5);
    let record = sitting.record();
    assert_eq!((record.disturbed.len(), record.trials.len()), (5, 72));
    let log: Vec<Event> = sitting.log().to_vec();
    for cut in 1..=log.len() {
        Session::replay(&study, log[..cut].iter().cloned()).unwrap();
    }
}

/// The verdict on a session with this many catch trials right, each displayed according to `display` by its number
/// among them.
fn verdict(study: &Study, right: usize, display: impl Fn(usize) -> Option<Display>) -> (CheckState, String) {
    let mut sitting = Sitting::open(study, 2);
    let mut catches = 0;
    while let Some(trial) = sitting.trial() {
        if sitting.truth().logged_as.is_none() {
            sitting.answer(true);
            continue;
        }
        if let Some(display) = display(catches) {
            sitting.note(SessionNote::Displayed(display.of(&trial, sitting.showing())));
        }
        catches += 1;
        sitting.answer(catches <= right);
    }
    let record = sitting.record();
    let check = study.checks(&record).swap_remove(0);
    assert_eq!(&*check.name, "catch");
    let excluded = study.exclusion(&record);
    assert_eq!(
        excluded.is_some(),
        check.state == CheckState::Fail && check.consequence == Consequence::Exclude
    );
    (check.state, check.why.to_string())
}

#[test]
fn eleven_of_twelve_right_exceed_chance() {
    let study = watched();
    let told = |right| verdict(&study, right, |_| None);
    assert_eq!(told(6), (CheckState::Pass, "6 of 12 catch trials right".into()));
    assert_eq!(told(10).0, CheckState::Pass);
    let why = "11 of 12 catch trials right, which chance gives with a probability of 3.2e-3";
    assert_eq!(told(11), (CheckState::Fail, why.into()));
    assert_eq!(told(12).0, CheckState::Fail);
    assert_eq!(told(0).0, CheckState::Pass, "wrong answers alone do not indicate a machine");
}

#[test]
fn those_shown_longer_than_asked_do_not_count() {
    let study = watched();
    let frame = 16_667;
    // One frame at 60 Hz is 0.7 ms more than requested, and the closest possible.
    let exact = Display::at(frame, 1);
    assert_eq!(verdict(&study, 12, |_| Some(exact)).0, CheckState::Fail);
    // Two frames, or one frame at 30 Hz, are longer than requested.
    for long in [Display::at(frame, 2), Display::at(33_333, 1), Display { suspect: true, ..exact }] {
        let (state, why) = verdict(&study, 12, |_| Some(long));
        assert_eq!(state, CheckState::Unclear);
        assert_eq!(why, "only 0 of 12 catch trials were as short as requested, too few to decide");
        let some = |of| move |number| Some(if number < of { exact } else { long });
        assert_eq!(verdict(&study, 12, some(7)), fail_of_seven());
        assert_eq!(verdict(&study, 12, some(6)).0, CheckState::Unclear);
        assert_eq!(verdict(&study, 6, some(7)).0, CheckState::Pass, "six of seven are chance");
    }
    // If the page reports displays, a trial without one may have been shown for any time.
    assert_eq!(verdict(&study, 12, |number| (number < 6).then_some(exact)).0, CheckState::Unclear);
    // At 144 Hz three frames are 20.8 ms, two are 13.9 ms.
    assert_eq!(verdict(&study, 12, |_| Some(Display::at(6_944, 3))).0, CheckState::Unclear);
    assert_eq!(verdict(&study, 12, |_| Some(Display::at(6_944, 2))).0, CheckState::Fail);
}

fn fail_of_seven() -> (CheckState, String) {
    let why = "7 of 7 catch trials right, which chance gives with a probability of 7.8e-3";
    (CheckState::Fail, why.into())
}

#[test]
fn failing_may_only_flag() {
    let flag = CatchTrials { failing: Consequence::Flag, ..CatchTrials::default() };
    let study = study(Some(flag), RaterDesign::Between);
    assert_eq!(verdict(&study, 12, |_| None).0, CheckState::Fail);
}

#[test]
fn measurements_without_a_page_count_too() {
    let study = watched();
    let told = |shown: u64| {
        let mut sitting = Sitting::open(&study, 0);
        while sitting.trial().is_some() {
            sitting.answer_after(true, Micros(shown));
        }
        study.checks(&sitting.record())[0].state
    };
    assert_eq!((told(17_000), told(24_334)), (CheckState::Fail, CheckState::Unclear));
}

#[test]
fn findings_describe_the_protocol() {
    let plain = study(None, RaterDesign::Between).card().protocol;
    assert!(!plain.iter().any(|fact| &*fact.name == "catch_trials"));
    let facts = watched().card().protocol;
    let fact = facts.iter().find(|fact| &*fact.name == "catch_trials").unwrap();
    assert_eq!(fact.value["right_to_fail"], 11);
    assert_eq!(fact.value["exposure_ms"], 16);
}
