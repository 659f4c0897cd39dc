//! Properties that hold for any ratings.

use proptest::prelude::*;

use super::*;

fn some_ratings() -> impl Strategy<Value = Triplets> {
    proptest::collection::vec((0..12_u32, 0..5_u32, (1..6_u8).prop_map(f64::from)), 0..60)
}

fn same(left: Result<f64, StatError>, right: Result<f64, StatError>) -> Result<(), TestCaseError> {
    match (left, right) {
        (Ok(left), Ok(right)) => prop_assert!((left - right).abs() < 1e-12, "{left} {right}"),
        (left, right) => prop_assert_eq!(left, right),
    }
    Ok(())
}

/// Krippendorff's definition, with the matrix of coincidences.
fn alpha_by_definition(ratings: &[Triplet], metric: ScaleDifference) -> Option<f64> {
    let mut coincidences = [[0.0; 6]; 6];
    for item in 0..12 {
        let values: Vec<usize> =
            ratings.iter().filter(|row| row.0 == item).map(|row| row.2 as usize).collect();
        for (place, &left) in values.iter().enumerate() {
            for (_, &right) in values.iter().enumerate().filter(|(other, _)| *other != place) {
                coincidences[left][right] += 1.0 / (values.len() - 1) as f64;
            }
        }
    }
    let margins: Vec<f64> = coincidences.iter().map(|row| row.iter().sum()).collect();
    let n: f64 = margins.iter().sum();
    let difference = |left: usize, right: usize| {
        let (low, high) = (left.min(right), left.max(right));
        match metric {
            ScaleDifference::Nominal => f64::from(u8::from(low != high)),
            ScaleDifference::Ordinal => {
                let between: f64 = margins[low..=high].iter().sum();
                (between - 0.5 * (margins[low] + margins[high])).powi(2)
            }
            ScaleDifference::Interval => ((high - low) as f64).powi(2),
            ScaleDifference::Ratio => ((high - low) as f64 / (high + low) as f64).powi(2),
        }
    };
    let (mut observed, mut expected) = (0.0, 0.0);
    for left in 1..6 {
        for right in (1..6).filter(|&right| right != left) {
            observed += coincidences[left][right] * difference(left, right);
            expected += margins[left] * margins[right] * difference(left, right) / (n - 1.0);
        }
    }
    (expected > 0.0).then_some(1.0 - observed / expected)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(128) })]

    #[test]
    fn alpha_is_its_definition(ratings in some_ratings()) {
        let counts = counts_of(&ratings);
        for metric in METRICS {
            if let Ok(found) = krippendorff_alpha(&counts, metric) {
                let want = alpha_by_definition(&ratings, metric).unwrap();
                prop_assert!((found.alpha - want).abs() < 1e-12, "{metric:?}: {} {want}", found.alpha);
            }
        }
    }

    #[test]
    fn order_and_parts_change_no_bit(ratings in some_ratings(), cut in 0..60_usize, turn in 0..60_usize) {
        let mut turned = ratings.clone();
        turned.rotate_left(turn.min(ratings.len()));
        let (left, right) = ratings.split_at(cut.min(ratings.len()));
        let mut merged = counts_of(right);
        merged.merge(&counts_of(left)).unwrap();
        let all = ratings_of(&[right, left].concat());
        for coefficient in COEFFICIENTS {
            let want = coefficient.estimate(&counts_of(&ratings));
            prop_assert_eq!(coefficient.estimate(&counts_of(&turned)), want.clone());
            prop_assert_eq!(coefficient.estimate(&merged), want.clone());
            prop_assert_eq!(coefficient.estimate(&all.item_counts().unwrap()), want);
        }
        prop_assert_eq!(merged.ratings(), ratings.len() as u64);
    }

    #[test]
    fn names_do_not_matter(ratings in some_ratings(), shift in 1..12_u32) {
        let renamed: Triplets = ratings
            .iter()
            .map(|&(item, rater, value)| ((item * 5 + shift) % 12, (rater + 2) % 5, value))
            .collect();
        for coefficient in COEFFICIENTS {
            same(coefficient.estimate(&counts_of(&renamed)), coefficient.estimate(&counts_of(&ratings)))?;
        }
        let recoded: Triplets =
            ratings.iter().map(|&(item, rater, value)| (item, rater, value * 3.0 % 5.0 - 20.0)).collect();
        for coefficient in &COEFFICIENTS[..2] {
            same(coefficient.estimate(&counts_of(&recoded)), coefficient.estimate(&counts_of(&ratings)))?;
        }
    }

    #[test]
    fn perfect_agreement_is_one(values in proptest::collection::vec(0..5_u8, 2..30), raters in 2..6_u32) {
        prop_assume!(values.iter().any(|value| *value != values[0]));
        let ratings: Triplets = (0..).zip(&values)
            .flat_map(|(item, &value)| (0..raters).map(move |rater| (item, rater, f64::from(value))))
            .collect();
        for coefficient in COEFFICIENTS {
            prop_assert_eq!(coefficient.estimate(&counts_of(&ratings)), Ok(1.0));
        }
        let column: Vec<f64> = values.iter().copied().map(f64::from).collect();
        for weights in [Weights::Unweighted, Weights::Linear, Weights::Quadratic] {
            let kappa = cohen_kappa(&column, &column, weights).unwrap().kappa;
            prop_assert!((kappa - 1.0).abs() < 1e-14);
        }
        let rows = ratings_of(&ratings).complete().unwrap().rows;
        prop_assert_eq!(kendall_w(&rows).unwrap().w, 1.0);
        prop_assert_eq!(icc(&rows, IccModel::Agreement, IccUnit::Single).unwrap().icc, 1.0);
    }

    /// Scott's pi has the margins of both raters together; nominal alpha corrects it for 2 n ratings.
    #[test]
    fn fleiss_of_two_raters_is_scotts_pi(pairs in proptest::collection::vec((0..4_u8, 0..4_u8), 2..40)) {
        let ratings: Triplets = (0..).zip(&pairs)
            .flat_map(|(item, &(a, b))| [(item, 0, f64::from(a)), (item, 1, f64::from(b))])
            .collect();
        let counts = counts_of(&ratings);
        let n = pairs.len() as f64;
        let observed = pairs.iter().filter(|(a, b)| a == b).count() as f64 / n;
        let values = pairs.iter().flat_map(|&(a, b)| [a, b]);
        let share = |value| values.clone().filter(|other| *other == value).count() as f64 / (2.0 * n);
        let expected: f64 = (0..4).map(|value| share(value).powi(2)).sum();
        prop_assume!(expected < 1.0);
        let pi = (observed - expected) / (1.0 - expected);
        let found = AgreementCoefficient::FleissKappa.estimate(&counts).unwrap();
        prop_assert!((found - pi).abs() < 1e-12);
        let alpha = krippendorff_alpha(&counts, ScaleDifference::Nominal).unwrap().alpha;
        prop_assert!((1.0 - alpha - (1.0 - pi) * (2.0 * n - 1.0) / (2.0 * n)).abs() < 1e-12);
        // With the same margins for both raters Cohen's kappa has the same value.
        let mut both: Vec<(f64, f64)> = pairs.iter().map(|&(a, b)| (f64::from(a), f64::from(b))).collect();
        both.extend(pairs.iter().map(|&(a, b)| (f64::from(b), f64::from(a))));
        let (first, second): (Vec<f64>, Vec<f64>) = both.into_iter().unzip();
        let kappa = cohen_kappa(&first, &second, Weights::Unweighted).unwrap().kappa;
        prop_assert!((kappa - pi).abs() < 1e-12);
    }

    #[test]
    fn bootstraps_are_finite_or_counted(ratings in some_ratings(), seed in 0..1000_u64) {
        let all = ratings_of(&ratings);
        let counts = counts_of(&ratings);
        for coefficient in COEFFICIENTS {
            let resamples = Resamples::seeded(30, seed);
            let crossed = CrossedResamples::seeded(30, seed);
            for found in [
                bootstrap_items(&counts, coefficient, resamples),
                bootstrap_raters(&all, coefficient, resamples),
                bootstrap_items_and_raters(&all, coefficient, crossed),
            ].into_iter().flatten() {
                prop_assert_eq!(found.replicates().len() + found.undefined(), 30);
                prop_assert!(found.replicates().iter().all(|value| *value <= 1.0));
            }
        }
    }

    /// A rater who adds a constant to every rating reduces agreement but not consistency.
    #[test]
    fn a_constant_of_a_rater_costs_agreement_alone(
        values in proptest::collection::vec((-50..50_i32, -3..4_i32), 3..20),
        constant in 1..40_i32,
    ) {
        prop_assume!(values.iter().any(|(_, error)| *error != values[0].1));
        prop_assume!(values.iter().any(|(value, _)| *value != values[0].0));
        let rows = |constant: i32| -> Vec<[f64; 2]> {
            values.iter().map(|&(v, e)| [f64::from(v), f64::from(v + e + constant)]).collect()
        };
        let of = |constant, model| icc(&rows(constant), model, IccUnit::Single).unwrap();
        let (before, after) = (of(0, IccModel::Consistency), of(constant, IccModel::Consistency));
        prop_assert!((before.icc - after.icc).abs() < 1e-9);
        if let (Ok(before), Ok(after)) = (before.interval(0.9), after.interval(0.9)) {
            prop_assert!((before.lower - after.lower).abs() < 1e-9);
            prop_assert!(after.lower <= after.upper && after.upper <= 1.0);
        }
        let (far, farther) = (of(1000, IccModel::Agreement), of(1000 + constant, IccModel::Agreement));
        prop_assert!(farther.icc.abs() < far.icc.abs() + 1e-12);
    }
}
