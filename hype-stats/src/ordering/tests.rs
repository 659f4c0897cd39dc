use proptest::prelude::*;

use super::*;
use crate::bootstrap::draws::Draws;
use crate::describe::{mean, standard_error};
use crate::distributions::normal_quantile;
use crate::equivalence::StudentEstimate;
use crate::proof::{row, sized};

/// Estimates with the covariance matrix of their errors, row by row.
fn of_covariance(
    estimates: &[f64],
    covariance: &[f64],
    degrees: f64,
    better: Better,
) -> Result<PairwiseOrder, StatError> {
    let models = estimates.len();
    PairwiseOrder::new(models, better, |a, b| {
        let at = |row: usize, column: usize| covariance[row * models + column];
        let error = (at(a, a) + at(b, b) - 2.0 * at(a, b)).sqrt();
        StudentEstimate::new(estimates[a] - estimates[b], error, degrees)
    })
}

fn sets(found: Vec<RankSet>) -> Vec<(usize, usize)> {
    found.into_iter().map(|set| (set.best, set.worst)).collect()
}

/// Four estimates with errors of 1 and the normal distribution. One-sided p values by hand: 0 against
/// 1: z = 3.5 / √2, p = 0.00667; 0 against 2 and 3: below 1e-3; 1 against 2: z = 2 / √2, p = 0.0786; 1
/// against 3: z = 4 / √2, p = 0.00234; 2 against 3: p = 0.0786.
#[test]
fn a_family_of_comparisons_by_hand() {
    let estimates = [9.5, 6.0, 4.0, 2.0];
    let mut covariance = [0.0; 16];
    (0..4).for_each(|at| covariance[5 * at] = 1.0);
    let order = of_covariance(&estimates, &covariance, f64::INFINITY, Better::Higher).unwrap();
    // Holm over 12: 0.00234 is third of 12 (times 10 below 5 %), 0.00667 fourth (times 9: 0.06).
    assert_eq!(sets(order.simultaneous(0.95).unwrap()), [(1, 2), (1, 3), (2, 4), (3, 4)]);
    // Over 6 for the first model: 0.00667 is third (times 4: 0.027). For the second, 0.00234 is first
    // (times 6: 0.014) and 0.00667 second (times 5: 0.033).
    assert_eq!(sets(order.marginal(0.95).unwrap()), [(1, 1), (2, 3), (2, 4), (3, 4)]);
    let reversed = of_covariance(&estimates, &covariance, f64::INFINITY, Better::Lower).unwrap();
    assert_eq!(sets(reversed.marginal(0.95).unwrap()), [(4, 4), (2, 3), (1, 3), (1, 2)]);
}

#[test]
fn correlated_errors_cancel() {
    // Variances 1, correlation 0.99: the difference 0.5 has the error √0.02.
    let order = of_covariance(&[0.5, 0.0], &[1.0, 0.99, 0.99, 1.0], 29.0, Better::Lower).unwrap();
    assert_eq!(sets(order.simultaneous(0.95).unwrap()), [(2, 2), (1, 1)]);
    let independent = of_covariance(&[0.5, 0.0], &[1.0, 0.0, 0.0, 1.0], 29.0, Better::Lower).unwrap();
    assert_eq!(sets(independent.simultaneous(0.95).unwrap()), [(1, 2), (1, 2)]);
}

#[test]
fn bad_input_is_refused() {
    let order = |estimates: &[f64], covariance: &[f64], degrees| {
        of_covariance(estimates, covariance, degrees, Better::Higher)
    };
    assert!(matches!(order(&[1.0], &[1.0], 9.0), Err(StatError::TooFew { of: "models", .. })));
    assert!(matches!(order(&[1.0, f64::NAN], &[1.0; 4], 9.0), Err(StatError::Parameter { .. })));
    assert!(matches!(order(&[1.0, 2.0], &[1.0, 0.0, 0.0, 1.0], 0.0), Err(StatError::Parameter { .. })));
    let found = order(&[1.0, 2.0], &[1.0, 0.0, 0.0, 1.0], 9.0).unwrap();
    assert!(found.marginal(1.0).is_err() && found.simultaneous(0.0).is_err());
    assert!(matches!(order_shares(&[1.0; 3], 2, Better::Higher), Err(StatError::Lengths { .. })));
    assert!(matches!(order_shares(&[1.0; 3], 1, Better::Higher), Err(StatError::TooFew { .. })));
    assert!(matches!(order_shares(&[f64::NAN; 4], 2, Better::Higher), Err(StatError::TooFew { .. })));
}

/// Means of the same raters, by t with R - 1 degrees of freedom for each difference: sets that leave out a
/// true rank come up in at most 5 % of studies, also where all models are equal, and well separated models
/// have one rank each.
#[test]
fn true_ranks_are_covered() {
    let studies = sized(300, 10_000);
    let slack = 4.5 * (0.05_f64 * 0.95 / studies as f64).sqrt();
    for models in [2, 3, 5, 10] {
        for raters in [3, 5, 10, 30] {
            for step in [0.0, 0.5, 100.0] {
                let (mut wrong, mut wrong_marginal, mut sharp) = (0.0, 0.0, 0.0);
                let mut draws = Draws::new(3, (models * 100 + raters) as u64);
                for _ in 0..studies {
                    let order = study(models, raters, step, &mut draws);
                    let (all, each) = (order.simultaneous(0.95).unwrap(), order.marginal(0.95).unwrap());
                    let covers = |(model, set): (usize, &RankSet)| {
                        // Equal models may have any rank among theirs.
                        let (best, worst) = if step > 0.0 { (model + 1, model + 1) } else { (1, models) };
                        set.best <= best && worst <= set.worst
                    };
                    let share = 1.0 / studies as f64;
                    wrong += share * f64::from(u8::from(!all.iter().enumerate().all(covers)));
                    wrong_marginal += share * f64::from(u8::from(!covers((0, &each[0]))));
                    sharp += share * f64::from(u8::from(all.iter().all(|set| set.best == set.worst)));
                }
                let text = |share: f64| format!("{:.1} %", 100.0 * share);
                row(&[
                    &models.to_string(),
                    &raters.to_string(),
                    &step.to_string(),
                    &text(1.0 - wrong),
                    &text(1.0 - wrong_marginal),
                ]);
                assert!(wrong <= 0.05 + slack, "{models} {raters} {step}: {wrong}");
                assert!(wrong_marginal <= 0.05 + slack, "{models} {raters} {step}: {wrong_marginal}");
                assert!(step < 100.0 || raters < 5 || sharp > 0.99, "{models} {raters}: {sharp}");
            }
        }
    }
}

/// The first model is the best. Raters differ in level, and by model with a standard deviation that grows
/// with its number.
fn study(models: usize, raters: usize, step: f64, draws: &mut Draws) -> PairwiseOrder {
    let mut normal = || normal_quantile(draws.unit().max(1e-18)).unwrap();
    let values: Vec<Vec<f64>> = (0..raters)
        .map(|_| {
            let level = 3.0 * normal();
            let value = |model: usize| level - step * model as f64 + (1.0 + 0.2 * model as f64) * normal();
            (0..models).map(value).collect()
        })
        .collect();
    PairwiseOrder::new(models, Better::Higher, |first, second| {
        let differences: Vec<f64> = values.iter().map(|row| row[first] - row[second]).collect();
        StudentEstimate::new(mean(&differences)?, standard_error(&differences)?, (raters - 1) as f64)
    })
    .unwrap()
}

#[test]
fn orders_of_resamples_are_counted() {
    let values = [
        3.0,
        2.0,
        1.0, //
        3.0,
        2.0,
        1.0, //
        1.0,
        2.0,
        2.0, //
        0.0,
        -0.0,
        0.0, //
        2.0,
        3.0,
        1.0, //
        f64::NAN,
        1.0,
        2.0,
    ];
    let found = order_shares(&values, 3, Better::Higher).unwrap();
    assert_eq!((found.resamples, found.undefined), (5, 1));
    for (lead, want) in found.lead.iter().zip([7.0 / 15.0, 11.0 / 30.0, 1.0 / 6.0]) {
        assert!((lead - want).abs() < 1e-15);
    }
    assert_eq!(found.orders[0].order, [[0], [1], [2]]);
    assert!((found.orders[0].share - 0.4).abs() < 1e-15 && found.orders.len() == 4);
    assert!(found.orders.iter().any(|one| one.order == [vec![1, 2], vec![0]]));
    assert!(found.orders.iter().any(|one| one.order == [vec![0, 1, 2]]));
    let reversed = order_shares(&values, 3, Better::Lower).unwrap();
    assert_eq!(reversed.orders[0].order, [[2], [1], [0]]);
}

proptest! {
    #[test]
    fn marginal_sets_are_at_most_as_wide_and_contain_the_estimated_rank(
        estimates in proptest::collection::vec(-4.0..4.0_f64, 2..8), degrees in 2.0..40.0_f64,
    ) {
        let models = estimates.len();
        let mut covariance = vec![0.0; models * models];
        (0..models).for_each(|at| covariance[at * (models + 1)] = 1.0);
        let order =
            of_covariance(&estimates, &covariance, degrees, Better::Higher).unwrap();
        let (all, each) = (order.simultaneous(0.9).unwrap(), order.marginal(0.9).unwrap());
        for (model, estimate) in estimates.iter().enumerate() {
            let rank = 1 + estimates.iter().filter(|other| *other > estimate).count();
            prop_assert!(all[model].best <= each[model].best && each[model].worst <= all[model].worst);
            prop_assert!(each[model].best <= rank && rank <= each[model].worst);
        }
    }

    #[test]
    fn shares_add_to_one(values in proptest::collection::vec(-3_i8..3, 12..60)) {
        let values: Vec<f64> = values.into_iter().map(f64::from).collect();
        let whole = &values[..values.len() / 3 * 3];
        for better in [Better::Higher, Better::Lower] {
            let found = order_shares(whole, 3, better).unwrap();
            prop_assert!((found.lead.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            prop_assert!((found.orders.iter().map(|one| one.share).sum::<f64>() - 1.0).abs() < 1e-12);
            prop_assert!(found.orders.windows(2).all(|pair| pair[0].share >= pair[1].share));
        }
    }
}
