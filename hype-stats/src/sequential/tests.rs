//! Boundaries by recursive integration with numpy, and of the published tables.

mod alarms;

use proptest::prelude::*;

use super::*;
use crate::distributions::{normal_cdf, normal_upper_quantile};

fn even(looks: u32) -> Vec<f64> {
    (1..=looks).map(|look| f64::from(look) / f64::from(looks)).collect()
}

#[track_caller]
fn boundaries(information: &[f64], spending: Spending, want: &[f64]) {
    let design = GroupSequential::new(information, spending, 0.05).unwrap();
    assert_eq!(design.looks().len(), want.len());
    for (look, want) in design.looks().iter().zip(want) {
        assert!((look.boundary - want).abs() < 6e-5, "{look:?}, want {want}");
    }
}

#[test]
fn published_boundaries() {
    boundaries(&even(1), Spending::OBrienFleming, &[1.959_964]);
    boundaries(&even(2), Spending::OBrienFleming, &[2.9626, 1.9686]);
    boundaries(&even(3), Spending::OBrienFleming, &[3.7103, 2.5114, 1.9930]);
    boundaries(&even(5), Spending::OBrienFleming, &[4.8769, 3.3570, 2.6803, 2.2898, 2.0310]);
    boundaries(&even(5), Spending::Pocock, &[2.4380, 2.4268, 2.4102, 2.3966, 2.3860]);
}

#[test]
fn default_looks_are_not_even() {
    let looks = [20.0, 40.0, 60.0, 90.0, 120.0].map(|raters| raters / 120.0);
    let design = GroupSequential::new(&looks, Spending::default(), 0.05).unwrap();
    assert!((design.looks()[0].boundary - 5.367).abs() < 5e-4);
    let last = design.looks()[4];
    assert!((last.spent - 0.05).abs() < 1e-15 && (last.p - 2.0 * normal_sf(last.boundary)).abs() < 1e-15);
}

#[test]
fn one_look_is_the_plain_test() {
    let design = GroupSequential::new(&[1.0], Spending::Pocock, 0.05).unwrap();
    let found = design.exit_probabilities(2.8).unwrap();
    let z = normal_upper_quantile(0.025).unwrap();
    assert!((found.upper[0] - normal_sf(z - 2.8)).abs() < 1e-14);
    assert!((found.lower[0] - normal_cdf(-z - 2.8)).abs() < 1e-14);
    assert_eq!(found.expected_information, 1.0);
}

/// A mean of 0.4 standard deviations at twelve looks; 2,000,000 simulations with numpy agree.
#[test]
fn expected_number_of_raters() {
    let design = GroupSequential::new(&even(12), Spending::OBrienFleming, 0.05).unwrap();
    let found = design.exit_probabilities(0.4 * 120.0_f64.sqrt()).unwrap();
    assert!((found.power - 0.990_63).abs() < 2e-4, "{found:?}");
    assert!((120.0 * found.expected_information - 65.57).abs() < 0.06, "{found:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn the_level_is_spent_as_declared(
        steps in prop::collection::vec(0.01..1.0_f64, 1..9),
        alpha in 0.001..0.3_f64,
        pocock in any::<bool>(),
        drift in 0.0..4.0_f64,
    ) {
        let total: f64 = steps.iter().sum();
        let information: Vec<f64> = steps
            .iter()
            .scan(0.0, |sum, step| {
                *sum += step / total;
                Some(f64::min(*sum, 1.0))
            })
            .collect();
        let spending = if pocock { Spending::Pocock } else { Spending::OBrienFleming };
        let design = GroupSequential::new(&information, spending, alpha).unwrap();
        let null = design.exit_probabilities(0.0).unwrap();
        let mut spent = 0.0;
        for (look, (upper, lower)) in design.looks().iter().zip(null.upper.iter().zip(&null.lower)) {
            prop_assert!((upper - lower).abs() < 1e-12);
            spent += upper + lower;
            prop_assert!((spent - look.spent).abs() < 1e-10, "{spent} {look:?}");
        }
        // No rule has more power than the plain test of all values, and looks save information.
        let there = design.exit_probabilities(drift).unwrap();
        let z = normal_upper_quantile(0.5 * alpha).unwrap();
        let plain = normal_sf(z - drift) + normal_sf(z + drift);
        prop_assert!(there.power >= null.power - 1e-9 && there.power <= plain + 1e-9);
        prop_assert!(there.expected_information <= null.expected_information + 1e-9);
    }
}

#[test]
fn narrow_steps_change_little() {
    let wide = GroupSequential::new(&[0.5, 1.0], Spending::OBrienFleming, 0.05).unwrap();
    let narrow = GroupSequential::new(&[0.4998, 0.5, 1.0], Spending::OBrienFleming, 0.05).unwrap();
    let last = |design: &GroupSequential| design.looks().last().unwrap().boundary;
    assert!((last(&wide) - last(&narrow)).abs() < 1e-3);
    let total = narrow.exit_probabilities(0.0).unwrap().power;
    assert!((total - 0.05).abs() < 1e-10, "{total}");
}

#[test]
fn bad_looks_are_refused() {
    let of = |information: &[f64]| GroupSequential::new(information, Spending::default(), 0.05);
    assert!(matches!(of(&[]), Err(StatError::TooFew { .. })));
    for information in [&[0.0, 1.0][..], &[0.5, 0.5], &[0.6, 0.5], &[0.5, 1.1], &[f64::NAN]] {
        assert!(matches!(of(information), Err(StatError::Parameter { .. })), "{information:?}");
    }
    assert!(GroupSequential::new(&[1.0], Spending::default(), 1.0).is_err());
    assert!(of(&[1.0]).unwrap().exit_probabilities(f64::NAN).is_err());
}
