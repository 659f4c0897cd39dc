//! Synthetic raters with known strengths: trials and scores recover the strengths.

#![allow(missing_docs, clippy::unwrap_used, clippy::float_cmp, reason = "a test")]

use std::collections::BTreeMap;

use hype_core::{Rater as _, Response, ScoreTable, SessionRecord, Stimuli, Study, TaskSpec};
use hype_sim::{Observer, Population, fixtures};
use hype_stats::preference::{BradleyTerry, ComparisonOutcome, Comparisons, Ties};
use hype_tasks::tasks::contrast::{Contrast, PairSelection};
use hype_tasks::{BestOf, Fooling, Ranking};

use crate::side_by_side::{by_item, play_all, study};

const MODELS: [&str; 4] = ["a", "b", "c", "d"];
const QUALITIES: [f64; 4] = [0.25, 0.4, 0.55, 0.6];

fn population(models: &[&str], qualities: &[f64]) -> Population {
    let mut population = Population { rater_sd: 0.0, ..Population::default() };
    for (model, &quality) in models.iter().zip(qualities) {
        population
            .observers
            .insert((*model).into(), Observer { quality: Some(quality), ..Observer::default() });
    }
    population.quality.indifference = 0.0;
    population
}

/// Strengths of models on the scale of Bradley and Terry.
fn strengths(population: &Population, qualities: &[f64]) -> Vec<f64> {
    qualities.iter().map(|quality| (quality / population.quality.trial_sd).exp()).collect()
}

fn collect(study: &Study, population: &Population) -> Vec<SessionRecord> {
    let mut raters = BTreeMap::new();
    play_all(study, |place, trial, truth| {
        let chance = study.session_chance(place, 0).child("rater", 0);
        let rater =
            raters.entry(place).or_insert_with(|| population.rater(study.stimuli(), &chance).unwrap());
        let mut stream = chance.stream("responses");
        stream.seek(u64::from(trial.number));
        match rater.respond(trial, Some(truth), &mut stream) {
            Response::Answer { answer, .. } => answer.to_json(),
            Response::Leave => panic!("nobody leaves"),
        }
    })
}

fn scored(study: &Study, records: &[SessionRecord]) -> ScoreTable {
    let mut table = ScoreTable::default();
    let context = study.scoring();
    for record in records {
        study.rubric().score(record, &context, &mut table).unwrap();
    }
    table
}

/// The mean of each model's values.
fn means(table: &ScoreTable, measure: &str) -> BTreeMap<String, (f64, f64)> {
    let mut sums: BTreeMap<String, (f64, f64)> = BTreeMap::new();
    for row in table.rows().filter(|row| row.measure == measure) {
        let sum = sums.entry(row.model.to_owned()).or_default();
        *sum = (sum.0 + row.value, sum.1 + 1.0);
    }
    sums.into_iter().map(|(model, (sum, count))| (model, (sum / count, count))).collect()
}

fn simulated(task: &dyn TaskSpec, stimuli: Stimuli, per_item: u32) -> (ScoreTable, Population) {
    let population = population(&MODELS, &QUALITIES);
    let study = by_item(task, stimuli, per_item, 7);
    (scored(&study, &collect(&study, &population)), population)
}

#[test]
fn win_rates_match_the_strengths() {
    let (table, population) = simulated(&Contrast::default(), fixtures::items(100, &MODELS, &[]), 10);
    let strength = strengths(&population, &QUALITIES);
    let mut wins: BTreeMap<(usize, usize), (f64, f64)> = BTreeMap::new();
    let place = |model: &str| MODELS.iter().position(|known| *known == model).unwrap();
    for row in table.rows() {
        let (a, b) = (place(row.model), place(row.against));
        let value = if a < b { row.value } else { 1.0 - row.value };
        let sum = wins.entry((a.min(b), a.max(b))).or_default();
        *sum = (sum.0 + value, sum.1 + 1.0);
    }
    assert_eq!(wins.len(), 6);
    for ((a, b), (won, count)) in wins {
        let expected = strength[a] / (strength[a] + strength[b]);
        let error = (expected * (1.0 - expected) / count).sqrt();
        assert_eq!(count, 1_000.0);
        assert!(
            (won / count - expected).abs() < 3.5 * error,
            "{a} beats {b}: {won} of {count}, not {expected}"
        );
    }
}

#[test]
fn mean_ranks_match_the_strengths() {
    let task = Ranking { ties: false, ..Ranking::default() };
    let (table, population) = simulated(&task, fixtures::items(100, &MODELS, &[]), 10);
    let strength = strengths(&population, &QUALITIES);
    for (model, (rank, count)) in means(&table, "rank") {
        let own = strength[MODELS.iter().position(|known| *known == model).unwrap()];
        // Each other model is before this one as often as it would win against it; the model itself counts half.
        let expected: f64 = 0.5 + strength.iter().map(|other| other / (own + other)).sum::<f64>();
        let error = (1.25 / count).sqrt();
        assert!((rank - expected).abs() < 3.5 * error, "{model}: {rank}, not {expected}");
    }
}

#[test]
fn shares_of_votes_match_the_strengths_and_sum_to_one() {
    let (table, population) = simulated(&BestOf::default(), fixtures::items(100, &MODELS, &[]), 10);
    let strength = strengths(&population, &QUALITIES);
    let shares = means(&table, "votes");
    assert!((shares.values().map(|(share, _)| share).sum::<f64>() - 1.0).abs() < 1e-12);
    for (place, model) in MODELS.iter().enumerate() {
        let expected = strength[place] / strength.iter().sum::<f64>();
        let (share, count) = shares[*model];
        let error = (expected * (1.0 - expected) / count).sqrt();
        assert!((share - expected).abs() < 3.5 * error, "{model}: {share}, not {expected}");
    }
}

#[test]
fn fooling_rates_are_what_the_observer_does_not_see() {
    let population = Population { rater_sd: 0.0, ..Population::default() };
    for (exposure_ms, ask) in [(Some(300), "real"), (None, "fake")] {
        let task: Fooling =
            serde_json::from_value(serde_json::json!({ "exposure_ms": exposure_ms, "ask": ask })).unwrap();
        let stimuli = fixtures::stimuli(200, &[("a", 200), ("b", 200)]);
        let acuities = population.acuities(&stimuli).unwrap();
        let study = study(&task, stimuli, hype_core::Task::defaults(&task).raters, 7);
        let table = scored(&study, &collect(&study, &population));
        let found = means(&table, "fooled");
        for (set, acuity) in acuities {
            let right = match exposure_ms {
                Some(exposure) => acuity.timed(f64::from(exposure), 1.0),
                None => acuity.untimed(None, 1.0),
            };
            let (fooled, count) = found[&*study.stimuli().set(set).unwrap().name];
            let error = (right * (1.0 - right) / count).sqrt();
            assert_eq!(count, 1_000.0);
            assert!((fooled - (1.0 - right)).abs() < 3.5 * error, "{fooled}, not {}", 1.0 - right);
        }
        let left = means(&table, "left");
        assert!(left.values().all(|(share, _)| (share - 0.5).abs() < 0.05), "{left:?}");
    }
}

/// The error of the win probabilities after each session: the root of the mean square over all
/// pairs of twelve models, each e times as strong as the one before.
fn errors(pairs: PairSelection, seed: u64) -> Vec<f64> {
    const COUNT: usize = 12;
    let names: Vec<String> = (0..COUNT).map(|model| format!("m{model:02}")).collect();
    let models: Vec<&str> = names.iter().map(String::as_str).collect();
    let qualities: Vec<f64> = (0..COUNT).map(|model| model as f64 / COUNT as f64).collect();
    let mut population = population(&models, &qualities);
    population.quality.trial_sd = 1.0 / COUNT as f64;
    let task = Contrast { pairs, ..Contrast::default() };
    let study = by_item(&task, fixtures::items(10, &models, &[]), 1, seed);
    let mut table = Comparisons::new(COUNT).unwrap();
    let fit = BradleyTerry::new(Ties::Half).with_ridge(0.02).unwrap();
    let after = |record: &SessionRecord| {
        for row in scored(&study, std::slice::from_ref(record)).rows() {
            let place = |model: &str| models.iter().position(|known| *known == model).unwrap() as u32;
            let outcome = if row.value == 1.0 { ComparisonOutcome::First } else { ComparisonOutcome::Second };
            table.push(place(row.model), place(row.against), outcome).unwrap();
        }
        let theta = fit.fit(&table).unwrap().theta;
        let chance = |ahead: f64| 1.0 / (1.0 + (-ahead).exp());
        let pairs = (0..COUNT).flat_map(|a| (a + 1..COUNT).map(move |b| (a, b)));
        let squares: Vec<f64> =
            pairs.map(|(a, b)| (chance(theta[b] - theta[a]) - chance((b - a) as f64)).powi(2)).collect();
        (squares.iter().sum::<f64>() / squares.len() as f64).sqrt()
    };
    collect(&study, &population).iter().map(after).collect()
}

#[test]
fn the_active_choice_needs_fewer_votes_for_the_same_error() {
    const SEEDS: u64 = 10;
    let mean = |pairs: PairSelection| {
        let all: Vec<Vec<f64>> = (0..SEEDS).map(|seed| errors(pairs.clone(), seed)).collect();
        (0..all[0].len())
            .map(|session| all.iter().map(|one| one[session]).sum::<f64>() / SEEDS as f64)
            .collect()
    };
    let (balanced, active): (Vec<f64>, Vec<f64>) =
        (mean(PairSelection::Balanced), mean(PairSelection::Active));
    let votes =
        |errors: &[f64], error: f64| 30 * (1 + errors.iter().position(|found| *found <= error).unwrap());
    for error in [0.15, 0.1, 0.07, 0.06] {
        let (balanced, active) = (votes(&balanced, error), votes(&active, error));
        println!("an error of {error} takes {active} active votes and {balanced} balanced ones");
        assert!(active * 3 <= balanced * 2, "{error}: {active} active votes, {balanced} balanced ones");
    }
}
