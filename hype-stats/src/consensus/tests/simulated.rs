//! Truth is recovered from simulated raters.

use super::*;

/// Items with known truth, each answered by five of the raters according to confusion matrices.
///
/// The first third of the raters confuses each label with the next one more often than not; the others
/// are right four times in five.
pub(super) fn crowd(items: u32, raters: u32, labels: u32, seed: u64) -> (LabelVotes, Vec<u32>) {
    let mut draws = Draws::new(seed, 0);
    let mut below = |bound: u32| (draws.unit() * f64::from(bound)) as u32;
    let (mut rows, mut truths) = (Rows::new(), Vec::new());
    for item in 0..items {
        let truth = below(labels);
        let first = below(raters);
        for place in 0..5 {
            let rater = (first + place) % raters;
            let label = match (rater < raters / 3, below(10)) {
                (true, 0..6) => (truth + 1) % labels,
                (true, 6..9) | (false, 0..8) => truth,
                _ => below(labels),
            };
            rows.push((item, rater, label));
        }
        truths.push(truth);
    }
    (votes(&rows), truths)
}

fn correct(consensus: &LabelPosteriors, truths: &[u32]) -> f64 {
    let right =
        consensus.labels().iter().zip(truths).filter(|&(label, truth)| *label == Some(*truth)).count();
    right as f64 / truths.len() as f64
}

#[test]
fn known_confusions_are_recovered_and_beat_the_majority() {
    let (votes, truths) = crowd(6_000, 9, 3, 1);
    let majority = correct(&majority_vote(&votes).unwrap().consensus, &truths);
    let found = dawid_skene(&votes, EmOptions::default()).unwrap();
    assert!(found.fit.converged);
    let model = correct(&found.consensus, &truths);
    assert!(model > majority + 0.05, "{model} by the model, {majority} by the majority");
    for truth in 0..3 {
        // 0.6 + 0.1 / 3, 0.3 + 0.1 / 3 and 0.8 + 0.2 / 3, each from some 1,100 votes: six standard
        // errors are 0.09.
        assert!((found.confusion(1, truth)[(truth + 1) % 3] - 0.633).abs() < 0.09);
        assert!((found.confusion(1, truth)[truth] - 0.333).abs() < 0.09);
        assert!((found.confusion(7, truth)[truth] - 0.867).abs() < 0.07);
        assert!((found.class_priors[truth] - 1.0 / 3.0).abs() < 0.04);
    }
    // The posterior's expectations of raters agree with their behaviour.
    let accuracy = found.consensus.accuracies()[7].unwrap();
    assert!((accuracy - 0.867).abs() < 0.04, "{accuracy}");
}

#[test]
fn glad_orders_abilities_and_difficulties() {
    let mut draws = Draws::new(3, 0);
    let mut rows = Rows::new();
    let abilities: Vec<f64> = (0..10).map(|rater| 0.2 + 0.2 * f64::from(rater)).collect();
    let log_easiness = |item: u32| f64::from(item % 4) - 1.0;
    for item in 0..800 {
        for (rater, ability) in (0..).zip(&abilities) {
            let wrong = draws.unit() > 1.0 / (1.0 + (-ability * log_easiness(item).exp()).exp());
            let step = 1 + u32::from(draws.unit() < 0.5);
            rows.push((item, rater, (item + if wrong { step } else { 0 }) % 3));
        }
    }
    let found = glad(&votes(&rows), &GladOptions::default()).unwrap();
    assert!(found.fit.converged, "{} iterations", found.fit.iterations());
    for (rater, pair) in found.abilities.windows(2).enumerate() {
        // Neighbours are 0.2 apart, with standard errors of about 0.05.
        assert!(pair[0] < pair[1] + 0.05, "raters {rater} and its neighbour: {:?}", found.abilities);
    }
    assert!(found.abilities[0] < found.abilities[5] && found.abilities[5] < found.abilities[9]);
    let mean = |class: usize| {
        let values = (0..800).filter(|item| item % 4 == class).map(|item| found.difficulties[item].ln());
        values.sum::<f64>() / 200.0
    };
    assert!((0..3).all(|class| mean(class) > mean(class + 1)), "{:?}", (0..4).map(mean).collect::<Vec<_>>());
}

#[test]
fn mace_finds_those_who_guess() {
    let mut draws = Draws::new(4, 0);
    let mut rows = Rows::new();
    for item in 0..400 {
        for rater in 0..8 {
            let chance = draws.unit();
            let habit = u32::from(draws.unit() < 0.3);
            let label = match rater {
                // One always says 2, one guesses among 0 and 1, the others know nine in ten.
                6 => 2,
                7 => habit,
                _ if chance < 0.9 => item % 4,
                _ => (draws.unit() * 4.0) as u32,
            };
            rows.push((item, rater, label));
        }
    }
    let votes = votes(&rows);
    let found = mace(&votes, MaceOptions::default()).unwrap();
    assert!(found.fit.converged);
    for rater in 0..6 {
        assert!((found.competences[rater] - 0.9).abs() < 0.07, "{:?}", found.competences);
    }
    assert!(found.competences[6] < 0.05 && found.competences[7] < 0.08, "{:?}", found.competences);
    assert!(found.strategy(6)[2] > 0.85 && (found.strategy(7)[1] - 0.3).abs() < 0.1);
}

#[test]
fn restarts_are_drawn_from_the_seed_and_the_best_is_kept() {
    let (votes, _) = crowd(60, 9, 3, 2);
    let best = |restarts, seed| {
        let options = MaceOptions { restarts, seed, ..short_mace() };
        let found = mace(&votes, options).unwrap();
        assert!(found.best_start < restarts);
        found
    };
    assert_eq!(best(4, 7), best(4, 7));
    let last = |found: &Mace| found.fit.history[found.fit.iterations() - 1];
    assert!(last(&best(12, 7)) >= last(&best(1, 7)) - 1e-6);
}
