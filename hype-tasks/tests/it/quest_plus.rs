//! QUEST+ in HYPE-time: exposures follow the definition on every machine, sessions resume, blocks end by their rule,
//! scores are those of the posterior, and faulty settings are refused.

#![allow(missing_docs, clippy::unwrap_used, clippy::float_cmp, reason = "a test")]

use crate::sessions::Sitting;
use hype_core::model::note::Disturbance;
use hype_core::{
    Design, Diagnostics, Ending, Raters, ScoreTable, Session, Spec, Step, Study, Task as _, TaskSpec,
};
use hype_core::{PassMark, PassRule, Qualification, RaterDesign};
use hype_sim::fixtures::{self, stimuli};
use hype_sim::{rubric_conformance, task_conformance};
use hype_stats::staircase::Censoring;
use hype_tasks::tasks::hype_time::{
    Adaptive, AdaptiveFunction, CatchTrials, Estimator, Exposure, Interest, QuestPlusDesign, StopRule,
};
use hype_tasks::{HypeTime, HypeTimeRubric};
use serde::Deserialize;
use serde_json::json;

fn task(adaptive: Adaptive) -> HypeTime {
    HypeTime {
        blocks: 2.into(),
        trials_per_block: 30.into(),
        adaptive: Some(adaptive),
        ..HypeTime::default()
    }
}

/// Short blocks with few exposures to choose from, for suites that play many sessions.
fn short(adaptive: Adaptive) -> HypeTime {
    HypeTime {
        trials_per_block: 12.into(),
        exposure: Exposure { floor_ms: 100.into(), ceiling_ms: 104.into(), ..Exposure::default() },
        ..task(adaptive)
    }
}

fn stopping() -> Adaptive {
    Adaptive { stop: Some(StopRule { sd_ms: 120.0, at_least: 5.into() }), ..Adaptive::default() }
}

fn raters(design: RaterDesign) -> Raters {
    Raters { per_model: 2, design, qualification: None, ..Raters::default() }
}

fn study(task: HypeTime) -> Study {
    let spec = Spec::new("quest", 3, Box::new(task)).with_raters(raters(RaterDesign::Between));
    Study::new(spec, stimuli(200, &[("a", 200), ("b", 200)])).unwrap()
}

task_conformance!(
    between,
    task = short(Adaptive::default()),
    stimuli = stimuli(60, &[("a", 40), ("b", 40)]),
    raters = Raters {
        qualification: Some(Qualification {
            trials: 10,
            pass: PassMark { rule: PassRule::Overall, at_least: 0.6 },
        }),
        ..raters(RaterDesign::Between)
    }
);

task_conformance!(
    with_catch_trials_within,
    task = HypeTime {
        catch: Some(CatchTrials { trials: 8.into(), ..CatchTrials::default() }),
        ..short(Adaptive { of_interest: Interest::All, ..Adaptive::default() })
    },
    stimuli = stimuli(80, &[("a", 60), ("b", 60)]),
    raters = raters(RaterDesign::Within)
);

task_conformance!(
    with_blocks_of_any_length,
    task = HypeTime {
        exposure: Exposure { floor_ms: 100.into(), ceiling_ms: 140.into(), ..Exposure::default() },
        ..short(Adaptive { stop: Some(StopRule { sd_ms: 11.0, at_least: 5.into() }), ..Adaptive::default() })
    },
    stimuli = stimuli(60, &[("a", 40), ("b", 40)]),
    raters = raters(RaterDesign::Between)
);

rubric_conformance!(
    rubric,
    rubric = HypeTimeRubric { estimator: Estimator::PosteriorMean },
    task = short(Adaptive::default()),
    stimuli = stimuli(60, &[("a", 40), ("b", 40)]),
    raters = raters(RaterDesign::Between)
);

/// Exposures by the definition, from `tests/data/make_quest_plus.py`.
#[derive(Deserialize)]
struct Golden {
    function: AdaptiveFunction,
    of_interest: Interest,
    floor_ms: u32,
    ceiling_ms: u32,
    right: Vec<bool>,
    exposures_ms: Vec<u32>,
    mean_ms: f64,
    sd_ms: f64,
}

impl Golden {
    fn all() -> Vec<Self> {
        serde_json::from_str(include_str!("../data/quest_plus.json")).unwrap()
    }

    fn task(&self) -> HypeTime {
        HypeTime {
            blocks: 1.into(),
            trials_per_block: u32::try_from(self.right.len()).unwrap().into(),
            exposure: Exposure {
                floor_ms: self.floor_ms.into(),
                ceiling_ms: self.ceiling_ms.into(),
                ..Exposure::default()
            },
            adaptive: Some(Adaptive {
                function: self.function,
                of_interest: self.of_interest,
                ..Adaptive::default()
            }),
            ..HypeTime::default()
        }
    }
}

#[test]
fn exposures_and_scores_follow_the_definition_on_every_machine() {
    for golden in Golden::all() {
        let study = study(golden.task());
        let sitting = Sitting::open(&study, 0).through(|main| golden.right[main.unwrap()]);
        let record = sitting.record();
        let shown: Vec<u32> =
            record.main_trials().map(|answered| answered.shown.exposure_ms.unwrap().0).collect();
        assert_eq!(shown, golden.exposures_ms);
        let table = scores(&study, &sitting);
        close(value(&table, "posterior_mean_ms"), golden.mean_ms);
        close(value(&table, "posterior_sd_ms"), golden.sd_ms);
        assert_eq!(value(&table, "block_trials"), golden.right.len() as f64);
        assert_eq!((value(&table, "at_floor"), value(&table, "at_ceiling")), (0.0, 0.0));
    }
}

fn close(got: f64, want: f64) {
    assert!((got - want).abs() < 1e-8 * want, "{got}, not {want}");
}

fn scores(study: &Study, sitting: &Sitting) -> ScoreTable {
    let mut table = ScoreTable::default();
    let context = study.scoring();
    study.rubric().score(&sitting.record(), &context, &mut table).unwrap();
    table
}

/// The values of a measure, by block.
fn values(table: &ScoreTable, measure: &str) -> Vec<f64> {
    table.rows().filter(|row| row.measure == measure).map(|row| row.value).collect()
}

fn value(table: &ScoreTable, measure: &str) -> f64 {
    let found = values(table, measure);
    assert_eq!(found.len(), 1, "{measure}");
    found[0]
}

#[test]
fn sessions_continue_from_any_event() {
    let study = study(HypeTime {
        catch: Some(CatchTrials { trials: 8.into(), ..CatchTrials::default() }),
        ..task(Adaptive::default())
    });
    let right = |number: u32| !(number % 7).is_multiple_of(4);
    let mut whole = Sitting::open(&study, 0);
    while let Some(trial) = whole.trial() {
        if trial.number == 11 {
            whole.disturb(Disturbance::Hidden);
        }
        whole.answer(right(trial.number));
    }
    let log = whole.log();
    for cut in 1..log.len() {
        let mut session = Session::replay(&study, log[..cut].iter().cloned()).unwrap();
        let Some(expected) = log[cut..].iter().find_map(|event| match event {
            hype_core::Event::Answered(answered) => Some(answered),
            _ => None,
        }) else {
            break;
        };
        let Step::Show(trial) = session.step().clone() else { panic!("over after event {cut}") };
        assert_eq!((trial.number, trial.exposure()), (expected.trial, expected.shown.exposure_ms), "{cut}");
        let answer = serde_json::to_value(&expected.answer).unwrap();
        session.handle_answer(trial.number, answer, expected.timing).unwrap();
        let replayed = Session::replay(&study, log[..=cut].iter().cloned());
        assert!(replayed.is_ok());
    }
}

#[test]
fn neither_catch_trials_nor_disturbances_change_exposures() {
    let plain = task(Adaptive::default());
    let watched =
        HypeTime { catch: Some(CatchTrials { trials: 8.into(), ..CatchTrials::default() }), ..plain.clone() };
    let exposures = |task: &HypeTime, disturbed: bool| -> Vec<u32> {
        let study = study(task.clone());
        let mut sitting = Sitting::open(&study, 0);
        let mut main = 0;
        while let Some(trial) = sitting.trial() {
            if disturbed && trial.number % 5 == 2 {
                sitting.disturb(Disturbance::Hidden);
            }
            let counted = sitting.truth().logged_as.is_none();
            sitting.answer(!counted || main % 4 != 1);
            main += u32::from(counted);
        }
        let record = sitting.record();
        record.main_trials().map(|answered| answered.shown.exposure_ms.unwrap().0).collect()
    };
    let undisturbed = exposures(&plain, false);
    assert_eq!(undisturbed.len(), 60);
    assert_eq!(exposures(&watched, false), undisturbed);
    assert_eq!(exposures(&watched, true), undisturbed);
}

#[test]
fn blocks_end_when_the_posterior_is_narrow() {
    let stop = StopRule { sd_ms: 40.0, at_least: 10.into() };
    let study = study(HypeTime {
        trials_per_block: 60.into(),
        ..task(Adaptive { stop: Some(stop), ..Adaptive::default() })
    });
    // The first block is answered like a rater with a threshold about 200 ms, the second one at random.
    let mut sitting = Sitting::open(&study, 0);
    let mut in_second = 0;
    while let Some(trial) = sitting.trial() {
        let right = if trial.block == 0 {
            trial.exposure().unwrap().0 >= 200
        } else {
            in_second += 1;
            in_second % 3 != 0
        };
        sitting.answer(right);
    }
    let table = scores(&study, &sitting);
    let (trials, sds) = (values(&table, "block_trials"), values(&table, "posterior_sd_ms"));
    assert!(trials[0] >= 10.0 && trials[0] < 40.0 && sds[0] <= 40.0, "{trials:?} {sds:?}");
    assert!(trials[1] <= 60.0 && (sds[1] <= 40.0 || trials[1] == 60.0), "{trials:?} {sds:?}");
    let Step::Finished(outcome) = Session::replay(&study, sitting.log().to_vec()).unwrap().step().clone()
    else {
        panic!("not finished")
    };
    assert_eq!(outcome.ending, Ending::Completed);
}

#[test]
fn thresholds_beyond_the_exposures_are_censored() {
    let study = study(task(Adaptive::default()));
    for (right, bound, measure, other) in
        [(true, 100.0, "at_floor", "at_ceiling"), (false, 1_000.0, "at_ceiling", "at_floor")]
    {
        let table = scores(&study, &Sitting::open(&study, 0).through(|_| right));
        assert_eq!(values(&table, "posterior_mean_ms"), [bound, bound]);
        assert_eq!(values(&table, measure), [1.0, 1.0]);
        assert_eq!(values(&table, other), [0.0, 0.0]);
    }
}

#[test]
fn unfinished_blocks_have_no_threshold() {
    let study = study(task(Adaptive::default()));
    let mut sitting = Sitting::open(&study, 0);
    for number in 0..45 {
        sitting.answer(number % 4 != 0);
    }
    let table = scores(&study, &sitting);
    assert_eq!(values(&table, "posterior_mean_ms").len(), 1);
    assert_eq!(values(&table, "error").len(), 45);
}

#[test]
fn a_block_is_a_fold_over_its_answers() {
    let described = task(Adaptive::default()).describe();
    let design = described.get::<QuestPlusDesign>().unwrap();
    let mut block = design.block();
    let mut answers = Vec::new();
    for trial in 0..30 {
        answers.push((block.exposure_ms(), trial % 5 != 2));
        block.answer(trial % 5 != 2);
        assert_eq!(design.replayed(answers.iter().copied()).as_ref(), Some(&block));
    }
    assert_eq!((block.trials(), block.is_over(), block.bounds_ms()), (30, true, (100, 1_000)));
    assert_eq!(block.estimate().censoring, Censoring::None);
    assert_eq!(block.restarted(), design.block());
    assert!(design.replayed([(101, true)]).is_none());
}

#[test]
fn old_settings_are_written_as_before() {
    let written = serde_json::to_value(HypeTime::default()).unwrap();
    assert!(written.get("adaptive").is_none());
    let read: HypeTime = serde_json::from_value(json!({ "adaptive": { "kind": "quest_plus" } })).unwrap();
    assert_eq!(read.adaptive, Some(Adaptive::default()));
}

/// The codes and paths of what `check` finds, with the task's own rubric.
fn faults(task: &HypeTime) -> Vec<(String, String)> {
    let stimuli = fixtures::stimuli(400, &[("a", 400), ("b", 400)]);
    let defaults = task.defaults();
    let design = Design { stimuli: &stimuli, raters: &defaults.raters, rubric: &*defaults.rubric };
    let mut at = Diagnostics::new();
    let task: &dyn TaskSpec = task;
    task.check(&design, &mut at);
    at.iter().map(|fault| (fault.code.to_string(), fault.path.clone())).collect()
}

#[test]
fn faulty_settings_are_named() {
    let check = |task: HypeTime, code: &str, path: &str| {
        let found = faults(&task);
        assert!(found.contains(&(code.into(), path.into())), "{code} at {path}: {found:?}");
    };
    assert_eq!(faults(&task(Adaptive::default())), []);
    assert_eq!(faults(&task(stopping())), []);
    let both = serde_json::from_value(json!({
        "adaptive": { "kind": "quest_plus" }, "staircase": { "preset": "weighted" },
    }));
    check(both.unwrap(), "two-procedures", "adaptive");
    let stop = Some(StopRule { at_least: 31.into(), ..StopRule::default() });
    check(task(Adaptive { stop, ..Adaptive::default() }), "never-stops", "adaptive.stop.at_least");
    let start = Exposure { start_ms: 300.into(), ..Exposure::default() };
    check(HypeTime { exposure: start, ..task(Adaptive::default()) }, "unused-start", "exposure.start_ms");
    // A floor and a ceiling around which the unused start does not lie are not a fault.
    let short = Exposure { floor_ms: 20.into(), ceiling_ms: 300.into(), ..Exposure::default() };
    assert_eq!(faults(&HypeTime { exposure: short, ..task(Adaptive::default()) }), []);
}

#[test]
fn estimators_belong_to_their_procedure() {
    let checked = |task: HypeTime, estimator| -> Vec<String> {
        let spec = Spec::new("quest", 3, Box::new(task)).with_raters(raters(RaterDesign::Between));
        let spec = spec.with_rubric(Box::new(HypeTimeRubric { estimator }));
        let found = spec.check_within(&stimuli(400, &[("a", 400), ("b", 400)]), None);
        // Blocks as short as those of an adaptive procedure are out of a staircase's reach.
        let codes = found.iter().map(|fault| fault.code.to_string());
        codes.filter(|code| code != "out-of-reach").collect()
    };
    let quest = || task(Adaptive::default());
    let staircase = || HypeTime { adaptive: None, ..quest() };
    assert_eq!(checked(quest(), Estimator::Mode), ["wrong-estimator"]);
    assert_eq!(checked(staircase(), Estimator::PosteriorMean), ["wrong-estimator"]);
    assert!(checked(quest(), Estimator::PosteriorMean).is_empty());
    assert!(checked(staircase(), Estimator::Fit).is_empty());
}
