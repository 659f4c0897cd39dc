use proptest::prelude::*;

use super::*;

/// Scores and standard errors of tables 5 and 2 of HYPE; 4,000,000 draws by numpy agree.
#[test]
fn orders_of_published_tables() {
    let found = order_probability(&[23.3, 14.8, 14.5, 13.2], &[1.6, 1.6, 1.7, 2.3]).unwrap();
    assert!((found - 0.3098).abs() < 1e-4, "{found}");
    let found = order_probability(&[50.7, 40.3, 10.0, 3.8], &[1.3, 0.9, 1.6, 0.6]).unwrap();
    assert!((found - 0.999_86).abs() < 1e-5, "{found}");
    let found = best_probabilities(&[23.3, 14.8, 14.5, 13.2], &[1.6, 1.6, 1.7, 2.3]).unwrap();
    assert!((found[0] - 0.999_688).abs() < 5e-5 && (found[3] - 1.495e-4).abs() < 3e-5, "{found:?}");
}

#[test]
fn equal_estimates_come_in_any_order() {
    let mut ways = 1.0;
    for count in 1..=8_u32 {
        ways *= f64::from(count);
        let (means, errors) = (vec![0.4; count as usize], vec![0.03; count as usize]);
        assert!((order_probability(&means, &errors).unwrap() * ways - 1.0).abs() < 1e-9);
        for found in best_probabilities(&means, &errors).unwrap() {
            assert!((found * f64::from(count) - 1.0).abs() < 1e-9);
        }
    }
}

#[test]
fn very_different_errors_and_many_models() {
    // A sharp estimate between wide ones: the wide ones have to lie on its sides.
    let found = order_probability(&[0.0, 0.1, 0.0], &[1.0, 1e-6, 2.0]).unwrap();
    let want = normal_cdf(-0.1) * normal_cdf(0.05);
    assert!((found - want).abs() < 1e-7, "{found} {want}");
    let means: Vec<f64> = (0..60).map(|place| -f64::from(place)).collect();
    let found = order_probability(&means, &[0.1; 60]).unwrap();
    assert!((found - 1.0).abs() < 1e-9);
    let found = best_probabilities(&means, &[0.1; 60]).unwrap();
    assert!((found[0] - 1.0).abs() < 1e-9 && found[1] < 1e-9);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    #[test]
    fn orders_are_exhaustive(
        means in prop::array::uniform3(-2.0..2.0_f64),
        log_errors in prop::array::uniform3(-4.0..1.0_f64),
    ) {
        let errors = log_errors.map(f64::exp);
        let order = |places: [usize; 3]| {
            order_probability(&places.map(|place| means[place]), &places.map(|place| errors[place])).unwrap()
        };
        let best = best_probabilities(&means, &errors).unwrap();
        for (place, [second, third]) in [[1, 2], [0, 2], [0, 1]].into_iter().enumerate() {
            let first = order([place, second, third]) + order([place, third, second]);
            prop_assert!((first - best[place]).abs() < 1e-8, "{first} {}", best[place]);
        }
        prop_assert!((best.iter().sum::<f64>() - 1.0).abs() < 1e-8);
        let pair = order_probability(&means[..2], &errors[..2]).unwrap();
        let want = normal_cdf((means[0] - means[1]) / errors[0].hypot(errors[1]));
        prop_assert!((pair - want).abs() < 1e-8);
    }
}

#[test]
fn bad_estimates_are_refused() {
    assert!(matches!(order_probability(&[], &[]), Err(StatError::TooFew { .. })));
    assert!(matches!(order_probability(&[1.0], &[]), Err(StatError::Lengths { .. })));
    assert!(matches!(best_probabilities(&[1.0, f64::NAN], &[1.0, 1.0]), Err(StatError::NotFinite { .. })));
    assert!(matches!(best_probabilities(&[1.0, 2.0], &[1.0, 0.0]), Err(StatError::Parameter { .. })));
}
