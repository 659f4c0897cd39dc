//! Boundaries by recursive integration with numpy, and of the published tables.

mod alarms;

use super::*;
use crate::distributions::normal_upper_quantile;

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
    let z = normal_upper_quantile(0.025).unwrap();
    assert!((design.looks()[0].boundary - z).abs() < 1e-14);
}

#[test]
fn narrow_steps_change_little() {
    let wide = GroupSequential::new(&[0.5, 1.0], Spending::OBrienFleming, 0.05).unwrap();
    let narrow = GroupSequential::new(&[0.4998, 0.5, 1.0], Spending::OBrienFleming, 0.05).unwrap();
    let last = |design: &GroupSequential| design.looks().last().unwrap().boundary;
    assert!((last(&wide) - last(&narrow)).abs() < 1e-3);
}

#[test]
fn bad_looks_are_refused() {
    let of = |information: &[f64]| GroupSequential::new(information, Spending::default(), 0.05);
    assert!(matches!(of(&[]), Err(StatError::TooFew { .. })));
    for information in [&[0.0, 1.0][..], &[0.5, 0.5], &[0.6, 0.5], &[0.5, 1.1], &[f64::NAN]] {
        assert!(matches!(of(information), Err(StatError::Parameter { .. })), "{information:?}");
    }
    assert!(GroupSequential::new(&[1.0], Spending::default(), 1.0).is_err());
}
