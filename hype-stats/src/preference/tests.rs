use proptest::prelude::*;

use super::*;
use crate::StatError;
use crate::bootstrap::Resamples;
use crate::clustered::{Clustered, Target};

#[track_caller]
fn close(got: f64, want: f64, tolerance: f64) {
    assert!((got - want).abs() <= tolerance * want.abs().max(1.0), "got {got:e}, want {want:e}");
}

#[track_caller]
fn all_close(got: &[f64], want: &[f64], tolerance: f64) {
    assert_eq!(got.len(), want.len());
    for (got, want) in got.iter().zip(want) {
        close(*got, *want, tolerance);
    }
}

fn table<const N: usize>(wins: [[u64; N]; N], ties: [[u64; N]; N]) -> Comparisons {
    Comparisons::from_wins(&wins, &ties).unwrap()
}

fn fit(ties: Ties, table: &Comparisons) -> PreferenceFit {
    BradleyTerry::new(ties).fit(table).unwrap()
}

/// Comparisons in both orders with ties, from which every model and option has an estimate.
fn votes() -> Comparisons {
    let mut table = Comparisons::new(4).unwrap();
    for (row, (first, second)) in
        [(0, 1), (1, 0), (0, 2), (2, 0), (1, 2), (3, 1), (2, 3), (3, 0)].into_iter().enumerate()
    {
        let row = row as u64;
        table.push_count(first, second, ComparisonOutcome::First, 9 + row * 5 % 7).unwrap();
        table.push_count(first, second, ComparisonOutcome::Second, 4 + row * 3 % 5).unwrap();
        table.push_count(first, second, ComparisonOutcome::Tie, 1 + row % 3).unwrap();
    }
    table
}

#[test]
fn two_models_have_the_logarithm_of_wins_over_losses() {
    // θ_a - θ_b = ln(w / l) with variance 1/w + 1/l.
    for (wins, losses) in [(30, 10), (1, 1), (999_999, 1), (3, 80)] {
        let fit = fit(Ties::Half, &table([[0, wins], [losses, 0]], [[0; 2]; 2]));
        let (won, lost) = (wins as f64, losses as f64);
        close(fit.theta[0] - fit.theta[1], (won / lost).ln(), 1e-11);
        close(fit.covariance.difference(0, 1), (1.0 / won + 1.0 / lost).sqrt(), 1e-9);
        close(fit.covariance.standard_error(0), 0.5 * (1.0 / won + 1.0 / lost).sqrt(), 1e-9);
        let total = won + lost;
        let of_winner = (-lost / total).ln_1p();
        close(fit.log_likelihood, won * of_winner + lost * (lost / total).ln(), 1e-12);
        close(fit.deviance, 0.0, 1e-8);
        assert_eq!(fit.degrees_of_freedom, 0);
        all_close(&fit.probabilities(0, 1), &[won / total, lost / total, 0.0], 1e-12);
    }
}

#[test]
fn ties_are_half_wins_or_left_out() {
    let tied = table([[0, 20], [10, 0]], [[0, 6], [6, 0]]);
    let half = fit(Ties::Half, &tied);
    close(half.theta[0] - half.theta[1], (23.0_f64 / 13.0).ln(), 1e-11);
    let left_out = fit(Ties::LeftOut, &tied);
    close(left_out.theta[0] - left_out.theta[1], 2.0_f64.ln(), 1e-11);
}

#[test]
fn two_models_meet_all_shares_of_davidsons_model() {
    // π_a : π_b : ν √(π_a π_b) = w : l : t, so θ_a - θ_b = ln(w / l) and ν = t / √(w l); the
    // variance of ln ν is 1/t + (1/w + 1/l) / 4 by the delta method.
    let (won, lost, tied) = (20.0_f64, 10.0_f64, 6.0_f64);
    let fit = fit(Ties::Davidson, &table([[0, 20], [10, 0]], [[0, 6], [6, 0]]));
    close(fit.theta[0] - fit.theta[1], (won / lost).ln(), 1e-11);
    close(fit.log_nu.unwrap(), (tied / (won * lost).sqrt()).ln(), 1e-11);
    close(fit.covariance.difference(0, 1), (1.0 / won + 1.0 / lost).sqrt(), 1e-10);
    close(fit.deviance, 0.0, 1e-10);
    all_close(&fit.probabilities(0, 1), &[won / 36.0, lost / 36.0, tied / 36.0], 1e-12);
}

#[test]
fn the_order_effect_of_two_models() {
    // As first a wins w of n and b wins v of m: δ + d and δ - d are the two log odds.
    let mut table = Comparisons::new(2).unwrap();
    table.push_count(0, 1, ComparisonOutcome::First, 30).unwrap();
    table.push_count(0, 1, ComparisonOutcome::Second, 10).unwrap();
    table.push_count(1, 0, ComparisonOutcome::First, 12).unwrap();
    table.push_count(1, 0, ComparisonOutcome::Second, 15).unwrap();
    let fit = BradleyTerry::new(Ties::Half).with_order_effect().fit(&table).unwrap();
    let (of_a, of_b) = (3.0_f64.ln(), 0.8_f64.ln());
    close(fit.order_effect.unwrap(), 0.5 * (of_a + of_b), 1e-11);
    close(fit.theta[0] - fit.theta[1], 0.5 * (of_a - of_b), 1e-11);
    let variance = 0.25 * (1.0 / 30.0 + 0.1 + 1.0 / 12.0 + 1.0 / 15.0);
    close(fit.covariance.order_effect().unwrap(), f64::sqrt(variance), 1e-10);
}

#[test]
fn models_by_another_name_have_the_same_strengths() {
    let votes = votes();
    let swapped = [2, 0, 3, 1];
    let mut renamed = Comparisons::new(4).unwrap();
    for first in 0..4 {
        for second in 0..4 {
            for outcome in ComparisonOutcome::ALL {
                let count = votes.count_of(first, second, outcome);
                if count > 0 {
                    renamed.push_count(swapped[first], swapped[second], outcome, count).unwrap();
                }
            }
        }
    }
    for ties in [Ties::Half, Ties::LeftOut, Ties::Davidson] {
        let model = BradleyTerry::new(ties).with_order_effect();
        let (fit, other) = (model.fit(&votes).unwrap(), model.fit(&renamed).unwrap());
        close(fit.theta.iter().sum(), 0.0, 1e-14);
        close(fit.log_likelihood, other.log_likelihood, 1e-12);
        close(fit.order_effect.unwrap(), other.order_effect.unwrap(), 1e-10);
        for (model, &name) in swapped.iter().enumerate() {
            close(fit.theta[model], other.theta[name as usize], 1e-10);
            let other = other.covariance.standard_error(name as usize);
            close(fit.covariance.standard_error(model), other, 1e-10);
        }
    }
}

#[test]
fn gradients_vanish_at_the_fit() {
    // Expected wins equal observed wins at the maximum, and expected ties observed ties.
    let votes = votes();
    let fit = BradleyTerry::new(Ties::Davidson).with_order_effect().fit(&votes).unwrap();
    let (mut ties, mut firsts) = (0.0, 0.0);
    let mut scores = [0.0; 4];
    for first in 0..4 {
        for second in 0..4 {
            let counts = ComparisonOutcome::ALL.map(|outcome| votes.count_of(first, second, outcome) as f64);
            let total: f64 = counts.iter().sum();
            if total > 0.0 {
                let expected = fit.probabilities(first, second).map(|p| p * total);
                ties += counts[2] - expected[2];
                let lead = counts[0] - counts[1] - (expected[0] - expected[1]);
                firsts += lead;
                scores[first] += lead;
                scores[second] -= lead;
            }
        }
    }
    all_close(&[ties, firsts], &[0.0; 2], 1e-10);
    all_close(&scores, &[0.0; 4], 1e-10);
}

#[test]
fn groups_without_common_scale_are_named() {
    let check = |wins: [[u64; 4]; 4], want: StatError| {
        let table = table(wins, [[0; 4]; 4]);
        assert_eq!(BradleyTerry::new(Ties::Half).fit(&table).unwrap_err(), want);
        assert!(BradleyTerry::new(Ties::Davidson).with_ridge(0.5).unwrap().fit(&table).is_err());
        let ridge = BradleyTerry::new(Ties::Half).with_ridge(0.5).unwrap().fit(&table).unwrap();
        assert!(ridge.theta.iter().all(|theta| theta.abs() < 20.0));
        assert!(ridge.covariance.standard_errors().iter().all(|error| *error > 0.0 && *error < 1.0));
    };
    let statistic = "Bradley-Terry model";
    check(
        [[0, 3, 0, 0], [2, 0, 0, 0], [0, 0, 0, 1], [0, 0, 5, 0]],
        StatError::Disconnected { statistic, groups: vec![vec![0, 1], vec![2, 3]] },
    );
    check(
        [[0, 3, 0, 0], [2, 0, 0, 0], [7, 0, 0, 1], [0, 0, 5, 0]],
        StatError::Separated { statistic, groups: vec![vec![2, 3], vec![0, 1]] },
    );
    let error = BradleyTerry::new(Ties::Half).fit(&table([[0, 1], [0, 0]], [[0; 2]; 2])).unwrap_err();
    assert_eq!(
        error.to_string(),
        "Bradley-Terry model is infinite, because these groups never lost to those after them: [[0], [1]]"
    );
}

#[test]
fn ties_join_groups_unless_they_are_left_out() {
    let tied = table([[0, 3], [0, 0]], [[0, 2], [2, 0]]);
    assert_eq!(tied.connection(), Connection::Strong);
    close(fit(Ties::Half, &tied).theta[0], 0.5 * 4.0_f64.ln(), 1e-11);
    let refused = BradleyTerry::new(Ties::LeftOut).fit(&tied);
    assert!(matches!(refused, Err(StatError::Separated { .. })));
    // Davidson's ν and the lead grow together: no loss is ever expected, and ties keep their share.
    let refused = BradleyTerry::new(Ties::Davidson).fit(&tied);
    assert!(matches!(refused, Err(StatError::Degenerate { .. })), "{refused:?}");
    let ring = table([[0, 3, 0], [0, 0, 3], [3, 0, 0]], [[0, 2, 2], [2, 0, 2], [2, 2, 0]]);
    all_close(&fit(Ties::Davidson, &ring).theta, &[0.0; 3], 1e-12);
    // Two models that beat a third, tied once with each other and it: rounds of ties equal wins.
    let open = table([[0, 0, 3], [0, 0, 3], [0, 0, 0]], [[0, 1, 1], [1, 0, 1], [1, 1, 0]]);
    assert!(matches!(BradleyTerry::new(Ties::Davidson).fit(&open), Err(StatError::Degenerate { .. })));
}

#[test]
fn parameters_that_would_be_infinite_are_refused() {
    let degenerate = |model: BradleyTerry, table: &Comparisons| {
        let error = model.fit(table).unwrap_err();
        assert!(matches!(error, StatError::Degenerate { .. }), "{error:?}");
    };
    let davidson = BradleyTerry::new(Ties::Davidson);
    degenerate(davidson, &table([[0, 3], [2, 0]], [[0; 2]; 2]));
    degenerate(davidson, &table([[0; 2]; 2], [[0, 3], [3, 0]]));
    degenerate(davidson.with_ridge(1.0).unwrap(), &table([[0; 2]; 2], [[0, 3], [3, 0]]));
    // Without the order in the table no effect of it can be estimated.
    degenerate(davidson.with_order_effect(), &table([[0, 3], [2, 0]], [[0, 1], [1, 0]]));
    let ordered = BradleyTerry::new(Ties::Half).with_order_effect();
    // The same model is always first: the effect of the order and the lead cannot be distinguished.
    let mut votes = Comparisons::new(2).unwrap();
    votes.push_count(0, 1, ComparisonOutcome::First, 5).unwrap();
    votes.push_count(0, 1, ComparisonOutcome::Second, 4).unwrap();
    degenerate(ordered, &votes);
    // The first always wins.
    let mut votes = Comparisons::new(2).unwrap();
    votes.push_count(0, 1, ComparisonOutcome::First, 5).unwrap();
    votes.push_count(1, 0, ComparisonOutcome::First, 4).unwrap();
    degenerate(ordered, &votes);
    degenerate(ordered.with_ridge(1.0).unwrap(), &votes);
    votes.push(1, 0, ComparisonOutcome::Second).unwrap();
    degenerate(ordered, &votes);
    votes.push(0, 1, ComparisonOutcome::Second).unwrap();
    assert!(ordered.fit(&votes).is_ok());
    assert!(ordered.with_ridge(0.0).is_err() && ordered.with_ridge(f64::NAN).is_err());
    let empty = BradleyTerry::new(Ties::Half).with_ridge(1.0).unwrap().fit(&Comparisons::new(2).unwrap());
    assert!(matches!(empty, Err(StatError::TooFew { .. })));
}

#[test]
fn a_ridge_shrinks_as_its_equation_says() {
    // For two models with the difference d: w - (w + l) p(d) = 2 α θ_a = α d.
    let fit =
        BradleyTerry::new(Ties::Half).with_ridge(0.7).unwrap().fit(&table([[0, 9], [0, 0]], [[0; 2]; 2]));
    let difference = {
        let fit = fit.unwrap();
        fit.theta[0] - fit.theta[1]
    };
    close(9.0 - 9.0 / (1.0 + (-difference).exp()), 0.7 * difference, 1e-11);
}

#[test]
fn long_chains_of_near_separation_are_fitted() {
    // Neighbours at odds of 10⁶ to 1: strengths span 39 · 13.8 units of θ.
    let mut chain = Comparisons::new(40).unwrap();
    for model in 0..39 {
        chain.push_count(model, model + 1, ComparisonOutcome::First, 1_000_000).unwrap();
        chain.push_count(model, model + 1, ComparisonOutcome::Second, 1).unwrap();
    }
    let fit = fit(Ties::Half, &chain);
    close(fit.theta[0] - fit.theta[39], 39.0 * 1e6_f64.ln(), 1e-9);
    close(fit.covariance.difference(0, 39), (39.0_f64 * (1.0 + 1e-6)).sqrt(), 1e-6);
}

/// Votes of raters, each determined by the rater's number.
fn raters(numbers: std::ops::Range<u32>, each: u32) -> ClusteredComparisons {
    let mut votes = ClusteredComparisons::new(4).unwrap();
    for rater in numbers {
        let numbers: Vec<u32> =
            (0..each).map(|row| rater.wrapping_mul(2_654_435_761) / 7 + row * 97).collect();
        let first: Vec<u32> = numbers.iter().map(|number| number % 4).collect();
        let second: Vec<u32> = numbers.iter().map(|number| (number % 4 + 1 + number / 4 % 3) % 4).collect();
        let outcomes: Vec<ComparisonOutcome> = numbers
            .iter()
            .map(|number| ComparisonOutcome::ALL[[0, 0, 1, 2, 0, 1, 1][(number / 12 % 7) as usize]])
            .collect();
        votes.add(&vec![rater * 3; each as usize], &first, &second, &outcomes).unwrap();
    }
    votes
}

#[test]
fn every_vote_thrice_thirds_the_variances() {
    let once = raters(0..30, 12);
    let mut thrice = once.clone();
    thrice.merge(&once).unwrap();
    thrice.merge(&once).unwrap();
    let model = BradleyTerry::new(Ties::Davidson);
    let (fit, repeated) = (model.fit(once.table()).unwrap(), model.fit(thrice.table()).unwrap());
    all_close(&fit.theta, &repeated.theta, 1e-10);
    for model in 0..4 {
        let ratio = fit.covariance.of(model, model) / repeated.covariance.of(model, model);
        close(ratio, 3.0, 1e-9);
    }
}

#[test]
fn intervals_are_theta_and_quantiles_of_the_normal() {
    let fit = fit(Ties::Half, &votes());
    let interval = fit.intervals(&fit.covariance, 0.95).unwrap()[2];
    let error = fit.covariance.standard_error(2);
    close(interval.lower, fit.theta[2] - 1.959_963_984_540_054 * error, 1e-12);
    close(interval.upper, fit.theta[2] + 1.959_963_984_540_054 * error, 1e-12);
    assert!(fit.intervals(&fit.covariance, 1.0).is_err());
}

#[test]
fn a_resample_is_the_fit_to_the_raters_drawn() {
    let votes = raters(0..12, 20);
    let model = BradleyTerry::new(Ties::Davidson).with_order_effect();
    let drawn: Vec<u32> = vec![0, 1, 1, 2, 5, 5, 5, 7, 8, 9, 10, 11];
    let all: Vec<u32> = (0..12).collect();
    let replicates = model.bootstrap(&votes, Resamples::Explicit(&[&drawn[..], &all].concat())).unwrap();
    let mut table = Comparisons::new(4).unwrap();
    for &rater in &drawn {
        table.merge(raters(rater..rater + 1, 20).table()).unwrap();
    }
    let by_hand = model.fit(&table).unwrap();
    let estimate = model.fit(votes.table()).unwrap();
    for model in 0..4 {
        let replicates = replicates.theta(model).unwrap();
        close(replicates.replicates()[0], by_hand.theta[model], 1e-9);
        close(replicates.replicates()[1], estimate.theta[model], 1e-12);
        assert_eq!(replicates.estimate(), estimate.theta[model]);
    }
}

#[test]
fn threads_do_not_change_a_bootstrap() {
    let votes = raters(0..25, 16);
    let model = BradleyTerry::new(Ties::Half);
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| model.bootstrap(&votes, Resamples::seeded(700, 9)).unwrap())
    };
    let replicates = on(1);
    assert_eq!(replicates, on(2));
    assert_eq!((replicates.resamples(), replicates.degenerate()), (700, 0));
}

#[test]
fn degenerate_resamples_are_counted() {
    // The only win of the second model is one rater's, who is missing from 0.8⁵ of the resamples.
    let mut votes = ClusteredComparisons::new(2).unwrap();
    for rater in 0..5 {
        let end = if rater == 3 { ComparisonOutcome::Second } else { ComparisonOutcome::First };
        votes.add(&[rater; 2], &[0; 2], &[1; 2], &[ComparisonOutcome::First, end]).unwrap();
    }
    let replicates = BradleyTerry::new(Ties::Half).bootstrap(&votes, Resamples::seeded(4_000, 1)).unwrap();
    // Four standard deviations of a count with p = 0.32768.
    assert!(replicates.degenerate().abs_diff(1_311) < 119, "{}", replicates.degenerate());
    assert_eq!(replicates.theta(0).unwrap().undefined(), replicates.degenerate());
    assert!(replicates.intervals(0.9).unwrap()[0].upper.is_finite());
    let one = BradleyTerry::new(Ties::Half).bootstrap(&raters(0..1, 200), Resamples::seeded(10, 1));
    assert!(matches!(one, Err(StatError::TooFew { .. })));
}

#[test]
fn rankings_of_two_are_bradley_and_terrys_model() {
    let mut rankings = Rankings::new(3).unwrap();
    let mut table = Comparisons::new(3).unwrap();
    for (winner, loser, count) in [(0, 1, 7), (1, 0, 3), (1, 2, 5), (2, 1, 5), (2, 0, 2), (0, 2, 9)] {
        for _ in 0..count {
            rankings.push(&[winner, loser]).unwrap();
            table.push(winner, loser, ComparisonOutcome::First).unwrap();
        }
    }
    let (ranked, compared) = (PlackettLuce::new().fit(&rankings).unwrap(), fit(Ties::Half, &table));
    all_close(&ranked.theta, &compared.theta, 1e-11);
    close(ranked.log_likelihood, compared.log_likelihood, 1e-13);
    all_close(&ranked.covariance.standard_errors(), &compared.covariance.standard_errors(), 1e-11);
    let alpha = 0.3;
    let ranked = PlackettLuce::new().with_ridge(alpha).unwrap().fit(&rankings).unwrap();
    let compared = BradleyTerry::new(Ties::Half).with_ridge(alpha).unwrap().fit(&table).unwrap();
    all_close(&ranked.theta, &compared.theta, 1e-11);
    all_close(&ranked.covariance.standard_errors(), &compared.covariance.standard_errors(), 1e-11);
}

#[test]
fn luces_choices_by_hand() {
    // Every order of three as often as the model with strengths 4 : 2 : 1 wants: 35 times 4/7 · 2/3,
    // 4/7 · 1/3, 2/7 · 4/5, 2/7 · 1/5, 1/7 · 4/6, 1/7 · 2/6, times 3.
    let mut rankings = Rankings::new(3).unwrap();
    for (ranking, count) in
        [([0, 1, 2], 40), ([0, 2, 1], 20), ([1, 0, 2], 24), ([1, 2, 0], 6), ([2, 0, 1], 10), ([2, 1, 0], 5)]
    {
        for _ in 0..count {
            rankings.push(&ranking).unwrap();
        }
    }
    let fit = PlackettLuce::new().fit(&rankings).unwrap();
    let two = 2.0_f64.ln();
    all_close(&fit.theta, &[two, 0.0, -two], 1e-11);
    assert_eq!(fit.intervals(0.9).unwrap().len(), 3);
}

#[test]
fn rankings_that_never_turn_are_refused() {
    let mut rankings = Rankings::new(3).unwrap();
    let model = PlackettLuce::new();
    assert!(matches!(model.fit(&rankings), Err(StatError::TooFew { .. })));
    rankings.push(&[1, 2]).unwrap();
    rankings.push(&[2, 1]).unwrap();
    let groups = vec![vec![0], vec![1, 2]];
    let statistic = "Plackett-Luce model";
    assert_eq!(model.fit(&rankings), Err(StatError::Disconnected { statistic, groups: groups.clone() }));
    rankings.push(&[0, 2, 1]).unwrap();
    assert_eq!(model.fit(&rankings), Err(StatError::Separated { statistic, groups }));
    assert!(model.with_ridge(0.1).unwrap().fit(&rankings).is_ok());
    assert!(model.with_ridge(-0.1).is_err());
}

#[test]
fn rankings_are_resampled_by_themselves_or_by_rater() {
    let mut rankings = Rankings::new(4).unwrap();
    for row in 0..60_u32 {
        let first = row * 7 % 4;
        let mut ranking: Vec<u32> = (0..4).map(|place| (first + place * (1 + 2 * (row % 2))) % 4).collect();
        if row % 3 == 0 {
            ranking.sort_unstable();
        }
        ranking.truncate(2 + (row % 3) as usize);
        rankings.push(&ranking).unwrap();
    }
    let model = PlackettLuce::new();
    let all: Vec<u32> = (0..60).collect();
    let shifted: Vec<u32> = (0..60).map(|row| row / 2 * 2).collect();
    let explicit = [all, shifted.clone()].concat();
    let replicates = model.bootstrap(&rankings, Resamples::Explicit(&explicit)).unwrap();
    let mut drawn = Rankings::new(4).unwrap();
    for row in shifted {
        drawn.push(rankings.get(row as usize)).unwrap();
    }
    let (fit, refit) = (model.fit(&rankings).unwrap(), model.fit(&drawn).unwrap());
    for item in 0..4 {
        let replicates = replicates.theta(item).unwrap();
        all_close(replicates.replicates(), &[fit.theta[item], refit.theta[item]], 1e-9);
    }
    // Each ranking its own rater is the same chance.
    let names: Vec<u32> = (0..60).map(|row| row * 11).collect();
    let seeded = Resamples::seeded(300, 4);
    let by_rater = model.bootstrap_clusters(&rankings, &names, seeded).unwrap();
    assert_eq!(by_rater, model.bootstrap(&rankings, seeded).unwrap());
    assert!(model.bootstrap_clusters(&rankings, &names[1..], seeded).is_err());
    assert!(model.bootstrap_clusters(&rankings, &[5; 60], seeded).is_err());
}

/// Any small table with this number of models.
fn tables(models: u32, rows: usize, most: u64) -> impl Strategy<Value = Comparisons> {
    proptest::collection::vec((0..models, 1..models, 0..3_usize, 0..most), 0..rows).prop_map(move |rows| {
        let mut table = Comparisons::new(models as usize).unwrap();
        for (first, shift, end, count) in rows {
            table.push_count(first, (first + shift) % models, ComparisonOutcome::ALL[end], count).unwrap();
        }
        table
    })
}

/// All orders of a ranking whose tied items may stand in any order.
fn orders(groups: &[&[u32]]) -> Vec<Vec<u32>> {
    let Some((first, rest)) = groups.split_first() else { return vec![Vec::new()] };
    if first.is_empty() {
        return orders(rest);
    }
    let mut found = Vec::new();
    for &item in *first {
        let left: Vec<u32> = first.iter().copied().filter(|&other| other != item).collect();
        let remaining: Vec<&[u32]> = std::iter::once(&left[..]).chain(rest.iter().copied()).collect();
        found.extend(orders(&remaining).into_iter().map(|after| [vec![item], after].concat()));
    }
    found
}

/// Ties count as all orders in equal shares: by enumeration of up to 720 orders, each weighted by its share of the least common
/// multiple of their numbers.
#[test]
fn ties_of_rankings_are_the_mean_over_their_orders() {
    let studies: [&[&[&[u32]]]; 4] = [
        &[&[&[0, 1, 2, 3, 4, 5]], &[&[2], &[0], &[1], &[3], &[5], &[4]], &[&[5], &[4, 3], &[2, 1, 0]]],
        &[&[&[0, 1, 2], &[3, 4, 5]], &[&[3], &[0, 5], &[1]], &[&[4, 2], &[0]]],
        &[&[&[1, 0]], &[&[0], &[1, 2]], &[&[2, 1], &[0]]],
        &[&[&[4, 0, 2, 1], &[3], &[5]], &[&[3, 5], &[4]], &[&[0], &[1], &[2], &[3], &[4], &[5]]],
    ];
    for study in studies {
        let items = 1 + *study.iter().flat_map(|groups| groups.iter().copied().flatten()).max().unwrap();
        let (mut tied, mut strict) =
            (Rankings::new(items as usize).unwrap(), Rankings::new(items as usize).unwrap());
        for groups in study {
            let best_first: Vec<u32> = groups.concat();
            let with_previous: Vec<bool> =
                groups.iter().flat_map(|group| (0..group.len()).map(|place| place > 0)).collect();
            tied.push_tied(&best_first, &with_previous).unwrap();
            let all = orders(groups);
            for order in &all {
                (0..720 / all.len()).for_each(|_| strict.push(order).unwrap());
            }
        }
        let [tied_fit, strict_fit] = [&tied, &strict].map(|one| PlackettLuce::new().fit(one).unwrap());
        all_close(&tied_fit.theta, &strict_fit.theta, 1e-9);
        assert!((720.0 * tied_fit.log_likelihood / strict_fit.log_likelihood - 1.0).abs() < 1e-12);
        let errors = |fit: &RankingFit, times: f64| -> Vec<f64> {
            fit.covariance.standard_errors().iter().map(|error| error * times).collect()
        };
        all_close(&errors(&tied_fit, 1.0), &errors(&strict_fit, 720_f64.sqrt()), 1e-9);
        // The scores of a rater are those of all orders together.
        let count = tied.len() as u32;
        let one = tied_fit.crossed(&tied, &[0, 1, 2], &[0; 3], Target::Raters).unwrap();
        let raters: Vec<u32> = (0..count).flat_map(|rater| vec![rater; 720]).collect();
        let all = strict_fit.crossed(&strict, &raters, &vec![0; raters.len()], Target::Raters).unwrap();
        let of = |all: &Clustered| -> Vec<f64> {
            (0..items as usize).map(|item| all.of(item).unwrap().standard_error()).collect()
        };
        all_close(&of(&one), &of(&all), 1e-9);
    }
    let mut rankings = Rankings::new(12).unwrap();
    let all: Vec<u32> = (0..11).collect();
    let ties: Vec<bool> = all.iter().map(|&item| item > 0).collect();
    assert!(rankings.push_tied(&all, &ties).is_err());
    rankings.push_tied(&all[..10], &ties[..10]).unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn a_fit_is_finite_or_refused_for_a_reason(
        table in tables(4, 14, 40),
        ties in prop_oneof![Just(Ties::Half), Just(Ties::LeftOut), Just(Ties::Davidson)],
        order: bool,
        ridge in prop_oneof![Just(0.0), 0.01..10.0],
    ) {
        let mut model = BradleyTerry::new(ties);
        if order {
            model = model.with_order_effect();
        }
        if ridge > 0.0 {
            model = model.with_ridge(ridge).unwrap();
        }
        match model.fit(&table) {
            Ok(fit) => {
                // Forty comparisons of one kind leave every log odds of a chain below ln 80, which ties and an order effect
                // multiply.
                prop_assert!(fit.parameters().iter().all(|value| value.abs() < 200.0), "{:?}", fit);
                let errors = fit.covariance.standard_errors();
                prop_assert!(errors.iter().all(|error| *error > 0.0 && error.is_finite()), "{:?}", fit);
                prop_assert!(fit.log_likelihood <= 0.0 && fit.deviance.is_finite());
            }
            Err(error) => prop_assert!(!matches!(error, StatError::NoConvergence { .. }), "{}", error),
        }
    }

    #[test]
    fn likelihoods_of_refused_tables_rise_without_limit(table in tables(3, 9, 3), davidson: bool, order: bool) {
        let mut model = BradleyTerry::new(if davidson { Ties::Davidson } else { Ties::Half });
        let mut table = table;
        if order {
            // Both orders of one pair separate the effect of the order from the strengths.
            model = model.with_order_effect();
            table.push(0, 1, ComparisonOutcome::Tie).unwrap();
            table.push(1, 0, ComparisonOutcome::Tie).unwrap();
        }
        let Err(StatError::Separated { .. } | StatError::Degenerate { .. }) = model.fit(&table) else {
            return Ok(());
        };
        // The weaker the ridge, the farther away is the maximum; where even a ridge does not help,
        // parameters other than the strengths rise without limit.
        let reach = |alpha: f64| {
            let fit = model.with_ridge(alpha).unwrap().fit(&table)?;
            Ok::<_, StatError>(fit.parameters().iter().fold(0.0_f64, |most, value| most.max(value.abs())))
        };
        if let (Ok(near), Ok(far)) = (reach(1e-4), reach(1e-8)) {
            prop_assert!(far > near + 0.5, "{near} {far}");
        }
    }
}
