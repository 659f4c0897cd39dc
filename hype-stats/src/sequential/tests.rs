//! Boundaries by recursive integration with numpy, and of the published tables.

mod alarms;

use super::*;
use crate::bootstrap::draws::Draws;
use crate::distributions::normal_upper_quantile;
use crate::proof::{row, sized};

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

#[test]
fn effects_after_stopping_match_quadrature() {
    // scipy 1.15: `quad` of the density at the first look, and `brentq`; drifts at full information.
    let design = GroupSequential::new(&[0.5, 1.0], Spending::OBrienFleming, 0.05).unwrap();
    for (look, statistic, [lower, estimate, upper]) in [
        (0, 3.2, [1.753_675_750_9, 4.525_483_399_6, 7.297_291_048_3]),
        (1, 2.2, [0.223_159_886_9, 2.192_016_007_9, 4.154_975_657_3]),
        (1, -1.5, [-3.459_288_760_4, -1.498_975_267_5, 0.461_903_581_0]),
    ] {
        let root: f64 = design.looks()[look].information.sqrt();
        let found = design.after(look, statistic, 0.95).unwrap();
        for (got, want) in [(found.lower, lower), (found.estimate, estimate), (found.upper, upper)] {
            assert!((got / root - want).abs() < 1e-6, "{look}, {statistic}: {}, not {want}", got / root);
        }
    }
    assert!(matches!(design.after(2, 1.0, 0.95), Err(StatError::Parameter { .. })));
    assert!(matches!(design.after(0, f64::NAN, 0.95), Err(StatError::Parameter { .. })));
}

#[test]
fn half_of_the_estimates_after_stopping_are_above_the_effect() {
    let looks = [0.2, 0.4, 0.6, 0.8, 1.0];
    let studies = sized(600, 20_000);
    let mut draws = Draws::new(13, 0);
    for effect in [0.0, 1.0, 2.5] {
        let design = GroupSequential::new(&looks, Spending::Pocock, 0.05).unwrap();
        let (mut above, mut naive, mut covered) = (0, 0.0, 0);
        for _ in 0..studies {
            let (mut path, mut before) = (0.0, 0.0);
            for (place, look) in design.looks().iter().enumerate() {
                let step: f64 = look.information - before;
                path += effect * step + step.sqrt() * draws.normal();
                before = look.information;
                let (root, z) = (look.information.sqrt(), path / look.information.sqrt());
                if z.abs() < look.boundary && place + 1 < looks.len() {
                    continue;
                }
                let found = design.after(place, z, 0.95).unwrap();
                above += usize::from(found.estimate > effect * root);
                covered += usize::from(found.lower <= effect * root && effect * root <= found.upper);
                naive += z / root;
                break;
            }
        }
        let share = |count: usize| 100.0 * count as f64 / f64::from(studies);
        let (half, covers) = (share(above), share(covered));
        let mean = naive / f64::from(studies);
        row(&[&effect.to_string(), &format!("{half:.1}"), &format!("{covers:.1}"), &format!("{mean:.2}")]);
        let error = 100.0 / f64::from(studies).sqrt();
        assert!((half - 50.0).abs() < 0.5 + 1.5 * error, "{effect}: {half} % above");
        assert!(covers > 94.5 - error, "{effect}: {covers} %");
    }
}
