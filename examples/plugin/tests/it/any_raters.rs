//! How to property-test a custom protocol with simulated raters.
//!
//! The protocol here is HYPE-time with another staircase and other exposures, and the task of this plugin. Put your
//! own in their place: `strategies` generates raters of every kind, sensible or not, and reports as they come in over
//! a bad connection. The random seed is fixed: a test that passes does so everywhere.

use hype::backends::play;
use hype::core::Qualification;
use hype::core::{Ending, Raters, ScoreTable, SessionRecord, Spec, Stimuli, Study, TaskSpec};
use hype::sim::strategies::{deliver, populations, schedules};
use hype::sim::{Observer, Population, fixtures};
use hype::stats::staircase::theory::Block;
use hype::stats::staircase::{Chain, Range};
use hype::tasks::HypeTime;
use hype::tasks::tasks::hype_time::{Exposure, StaircaseSettings};
use hype_example_plugin::YesNo;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// A number of cases, the same in every run.
fn cases(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        rng_seed: RngSeed::Fixed(20),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

const TRIALS: u32 = 80;
const BLOCKS: u32 = 2;

/// The protocol under test: two right answers make it 15 ms harder, a wrong one 25 ms easier.
fn protocol() -> HypeTime {
    HypeTime {
        blocks: BLOCKS.into(),
        trials_per_block: TRIALS.into(),
        exposure: Exposure { floor_ms: 50.into(), ceiling_ms: 1_200.into(), start_ms: 400.into() },
        staircase: StaircaseSettings {
            correct_to_harder: Some(2.into()),
            step_harder_ms: Some(15.into()),
            step_easier_ms: Some(25.into()),
            ..StaircaseSettings::default()
        },
        ..HypeTime::default()
    }
}

fn stimuli() -> Stimuli {
    fixtures::stimuli(120, &[("one", 100), ("another", 100)])
}

fn study(task: Box<dyn TaskSpec>, seed: u64, raters: Raters) -> Study {
    let mut spec = Spec::new("own protocol", seed, task);
    spec = spec.with_raters(raters);
    Study::new(spec, stimuli()).unwrap()
}

/// Runs every session of the plan with raters of a population.
fn sessions(study: &Study, population: &Population) -> Vec<SessionRecord> {
    (0..study.places())
        .map(|place| {
            let chance = study.session_chance(place, 0).child("rater", 0);
            let mut rater = population.rater(study.stimuli(), &chance).unwrap();
            let mut log = Vec::new();
            play(study, &mut rater, place, 0, |event| log.push(event)).unwrap();
            SessionRecord::from_events(log).unwrap()
        })
        .collect()
}

proptest! {
    #![proptest_config(cases(32))]

    /// Whatever the raters do, a session ends within the bound and stays within the range.
    #[test]
    fn every_session_ends_within_its_bound(population in populations(), seed: u64) {
        let qualification = Some(Qualification { trials: 10, ..Qualification::default() });
        let raters = Raters { per_model: 3, qualification, ..Raters::default() };
        let study = study(Box::new(protocol()), seed, raters);
        let at_most = study.profile().trials_at_most;
        prop_assert_eq!(at_most, 10 + BLOCKS * TRIALS);
        for session in sessions(&study, &population) {
            let answered = session.trials.len() as u32;
            let Some(outcome) = &session.outcome else {
                return Err(TestCaseError::fail("a session has no end"));
            };
            match outcome.ending {
                Ending::Completed => prop_assert_eq!(answered, at_most),
                Ending::Disqualified => prop_assert_eq!(answered, 10),
                _ => prop_assert!(population.dropout > 0.0 && answered < at_most),
            }
            for trial in session.main_trials() {
                let level = trial.shown.exposure_ms.map(|exposure| exposure.0);
                prop_assert!(level.is_some_and(|level| (50..=1_200).contains(&level)), "{level:?} ms");
            }
        }
    }

    /// Repeated, late, early and invalid reports and restarts of the server change nothing.
    #[test]
    fn sessions_survive_a_bad_connection(reports in schedules(120), seed: u64, place in 0_u32..6) {
        let raters = Raters { per_model: 3, qualification: None, ..Raters::default() };
        let task = YesNo { pairs: 15.into(), ..YesNo::default() };
        if let Err(reason) = deliver(&study(Box::new(task), seed, raters), place, &reports) {
            prop_assert!(false, "{}", reason);
        }
    }
}

/// Identical raters who neither learn nor tire, as the theory of the staircase assumes.
fn honest(threshold_ms: f64, slope: f64) -> Population {
    let default_observer = Observer { threshold_ms: Some(threshold_ms), slope, ..Observer::default() };
    Population { default_observer, rater_sd: 0.0, ..Population::default() }
}

/// The scores of a measure in some sessions.
fn scores(study: &Study, sessions: &[SessionRecord], measure: &str) -> Vec<f64> {
    let spec = study.spec();
    let context = study.scoring();
    let mut table = ScoreTable::default();
    for session in sessions {
        spec.analysis.rubric.score(session, &context, &mut table).unwrap();
    }
    table.rows().filter(|row| row.measure == measure).map(|row| row.value).collect()
}

proptest! {
    #![proptest_config(cases(24))]

    /// For thresholds well inside the range, the mean of the blocks' estimates lies within five standard errors of
    /// the exact theory of the staircase. A sound protocol fails one case in 1.7 million by chance.
    #[test]
    fn estimates_agree_with_theory(threshold_ms in 150.0..500.0, slope in 3.0..10.0, seed: u64) {
        let raters = Raters { per_model: 20, qualification: None, ..Raters::default() };
        let study = study(Box::new(protocol()), seed, raters);
        let population = honest(threshold_ms, slope);
        let found = scores(&study, &sessions(&study, &population), "mean_last_half_ms");
        let blocks = 2 * 20 * BLOCKS;
        prop_assert_eq!(found.len(), blocks as usize);
        let estimate = found.iter().sum::<f64>() / f64::from(blocks);

        let rule = protocol().staircase.rule().unwrap();
        let range = Range::new(50, 1_200, 400).unwrap();
        let observer = population.default_observer.acuity().unwrap().psychometric;
        let chain = Chain::new(rule, range).unwrap();
        let right = chain.probabilities(|level_ms| observer.evaluate(level_ms)).unwrap();
        let theory = Block::new(&chain, &right, TRIALS).unwrap();
        let standard_error = theory.sd_last_half_ms / f64::from(blocks).sqrt();
        prop_assert!(
            (estimate - theory.mean_last_half_ms).abs() < 5.0 * standard_error,
            "{estimate} ms instead of {} ms, with a standard error of {standard_error} ms",
            theory.mean_last_half_ms
        );
    }
}
