//! A cohort of people with machines among them: catch trials detect the machines, and people as rarely as computed;
//! the findings show estimates with and without them; people's staircases agree with theory.
//!
//! Seeds are fixed. Bounds of four standard errors would fail once in 16,000 comparisons with other seeds.

#![allow(missing_docs, clippy::unwrap_used, reason = "a test")]

use hype_backends::collect_with;
use hype_core::model::findings::CheckFindings;
use hype_core::plugin::store::all_sessions;
use hype_core::study::backend::Unwatched;
use hype_core::{
    Check, CheckState, Consequence, Findings, Raters, SessionRecord, Spec, StoreExt as _, Study, analyse,
};
use hype_sim::{Behaviour, Behaviours, Observer, Population, fixtures};
use hype_stats::staircase::Range;
use hype_stats::staircase::theory::Theory;
use hype_store::MemoryStore;
use hype_tasks::HypeTime;
use hype_tasks::tasks::hype_time::{CatchTrials, StaircaseSettings};

const TRIALS: u32 = 30;

fn study(failing: Consequence, per_model: u32) -> Study {
    let catch = Some(CatchTrials { failing, ..CatchTrials::default() });
    let task = HypeTime { blocks: 1.into(), trials_per_block: TRIALS.into(), catch, ..HypeTime::default() };
    let mut spec = Spec::new("machines", 11, Box::new(task));
    spec = spec.with_raters(Raters { per_model, qualification: None, replacements: 5, ..Raters::default() });
    Study::new(spec, fixtures::stimuli(40, &[("a", 40), ("b", 40)])).unwrap()
}

fn with_machines() -> Population {
    let behaviours = Behaviours { machines: 0.1, ..Behaviours::default() };
    Population { behaviours, ..Population::default() }
}

fn collect(study: &Study, population: &Population) -> (MemoryStore, Findings) {
    let store = MemoryStore::new();
    collect_with(study, &store, &Unwatched, None, |wanted, chance| {
        Ok(Box::new(population.rater(wanted.stimuli, chance).unwrap()))
    })
    .unwrap();
    let found = hype_store::block_on(analyse(study, &store)).unwrap();
    (store, found)
}

/// Every session's rater with the verdict of the catch trials.
fn told(study: &Study, population: &Population, store: &MemoryStore) -> Vec<(Behaviour, Check)> {
    let names = hype_store::block_on(all_sessions(store)).unwrap();
    let records = names
        .iter()
        .map(|name| SessionRecord::from_events(hype_store::block_on(store.load(name)).unwrap()).unwrap());
    let told = records.map(|record| {
        let (place, attempt) = (record.header.place.number, record.header.attempt);
        let chance = study.session_chance(place, attempt).child("rater", 0);
        (population.traits(&chance).behaviour, study.checks(&record).swap_remove(0))
    });
    told.collect()
}

/// The number of raters with a behaviour, and how many of them fail.
fn failing(told: &[(Behaviour, Check)], behaviour: Behaviour) -> (f64, f64) {
    let those = || told.iter().filter(|(one, _)| *one == behaviour);
    (those().count() as f64, those().filter(|(_, check)| check.state == CheckState::Fail).count() as f64)
}

fn of_catch(found: &Findings) -> &CheckFindings {
    let [check] = found.checks.as_slice() else { panic!("{:?}", found.checks) };
    assert_eq!(&*check.name, "catch");
    check
}

#[test]
fn machines_fail_and_people_pass_as_often_as_computed() {
    let (study, population) = (study(Consequence::Exclude, 400), with_machines());
    let (store, found) = collect(&study, &population);
    let told = told(&study, &population, &store);
    let settings = CatchTrials::default();
    for (behaviour, accuracy, least) in [(Behaviour::Machine, 0.98, 60.0), (Behaviour::Honest, 0.5, 790.0)] {
        let (raters, failed) = failing(&told, behaviour);
        assert!(raters >= least, "{raters} raters who are {behaviour:?}");
        let share = settings.failing_at(accuracy);
        let error = (share * (1.0 - share) * raters).sqrt();
        assert!((failed - share * raters).abs() <= 4.0 * error, "{behaviour:?}: {failed} of {raters}");
    }
    let (_, machines) = failing(&told, Behaviour::Machine);
    let (_, people) = failing(&told, Behaviour::Honest);
    let check = of_catch(&found);
    assert_eq!((check.failed, check.unclear), ((machines + people) as u64, 0));
    assert_eq!(check.passed + check.failed, told.len() as u64);
    assert_eq!(check.flagged.len() as u64, check.failed);
    // Raters who fail are excluded and replaced, and the findings show both estimates.
    let collected = found.collected.as_ref().unwrap();
    assert_eq!((collected.completed, collected.excluded), (told.len() as u64, check.failed));
    assert_eq!(collected.completed - collected.excluded, 800);
    assert!(found.exclusions.iter().all(|one| &*one.rule == "catch"));
    for estimate in &found.measures[0].estimates {
        let with = estimate.with_excluded.as_ref().unwrap();
        assert_eq!(estimate.raters, 400);
        assert!(with.raters > 430, "{}", with.raters);
        assert!(
            estimate.value - with.value > 3.0,
            "machines need no time: {} and {}",
            estimate.value,
            with.value
        );
    }
}

#[test]
fn flagging_rules_exclude_no_one() {
    let (study, population) = (study(Consequence::Flag, 60), with_machines());
    let (store, found) = collect(&study, &population);
    let told = told(&study, &population, &store);
    let check = of_catch(&found);
    assert!(check.failed >= 5 && check.failed == check.flagged.len() as u64);
    assert_eq!((told.len(), found.exclusions.len()), (120, 0));
    assert!(found.measures[0].estimates.iter().all(|estimate| estimate.with_excluded.is_none()));
}

#[test]
fn staircases_settle_where_theory_says() {
    let study = study(Consequence::Exclude, 500);
    let observer = Observer { threshold_ms: Some(300.0), ..Observer::default() };
    let population =
        Population { default_observer: observer.clone(), rater_sd: 0.0, ..Population::default() };
    let (_, found) = collect(&study, &population);
    let acuity = observer.acuity().unwrap();
    let rule = StaircaseSettings::default().rule().unwrap();
    let theory =
        Theory::new(rule, Range::HYPE, |ms| acuity.timed(ms, 1.0), TRIALS).unwrap().exact.mean_last_half_ms;
    let measure = found.measures.iter().find(|one| &*one.measure.name == "mean_last_half_ms").unwrap();
    for estimate in &measure.estimates {
        let error = estimate.sem.unwrap();
        assert!((estimate.value - theory).abs() < 4.0 * error, "{} ± {error}, not {theory}", estimate.value);
    }
}
