//! Values by confseq 0.0.11, whose bets are on a grid of 1/1000 and widened by one of its steps.

use proptest::prelude::*;

use super::*;
use crate::describe::Moments;

fn fraction(place: u32) -> f64 {
    (f64::from(place) * 0.618_033_988_749_894_9).fract()
}

#[track_caller]
fn near(got: f64, want: f64, tolerance: f64) {
    assert!((got - want).abs() <= tolerance, "got {got}, want {want}");
}

#[test]
fn normal_mixture() {
    let sequence = NormalMixture::new(30.0, 0.95).unwrap();
    near(sequence.rho(), 0.514_333_050_4, 1e-10);
    for (count, half) in [(10, 1.001_935_7), (30, 0.554_150_8), (60, 0.395_235_0), (120, 0.285_465_2)] {
        near(sequence.half_width(count), half, 6e-8);
    }
    let values: Moments = (1..=60).map(fraction).collect();
    let interval = sequence.interval(&values).unwrap();
    near(interval.upper - interval.lower, 2.0 * 0.395_235 * values.standard_deviation().unwrap(), 1e-7);
    near(0.5 * (interval.upper + interval.lower), values.mean().unwrap(), 1e-14);
}

#[test]
fn betting_on_shares_and_scores() {
    let mut shares = Betting::new(0.95).unwrap();
    for count in 1..=1000_u32 {
        shares.push(f64::from(u8::from(fraction(count) < 0.38))).unwrap();
        let want = match count {
            30 => [0.142, 0.628],
            120 => [0.242, 0.526],
            1000 => [0.317, 0.442],
            _ => continue,
        };
        let found = shares.latest();
        assert!((0.0..=0.002).contains(&(found.lower - want[0])), "{count} {found:?}");
        assert!((0.0..=0.002).contains(&(want[1] - found.upper)), "{count} {found:?}");
    }
    let mut scores = Betting::new(0.95).unwrap();
    for place in 1..=30 {
        scores.push((100.0 * (0.25 + 0.3 * fraction(place))).round() / 100.0).unwrap();
    }
    let found = scores.latest();
    assert!((0.0..=0.002).contains(&(found.lower - 0.316)), "{found:?}");
    assert!((0.0..=0.002).contains(&(0.531 - found.upper)), "{found:?}");
    assert_eq!(scores.count(), 30);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn sequences_are_intervals(values in prop::collection::vec(0.0..=1.0_f64, 1..60), level in 0.5..0.999_f64) {
        let mut sequence = Betting::new(level).unwrap();
        let mut before = sequence.interval();
        for &value in &values {
            sequence.push(value).unwrap();
            let (now, latest) = (sequence.interval(), sequence.latest());
            prop_assert!(now.lower >= before.lower && now.upper <= before.upper);
            prop_assert!(latest.lower <= now.lower + 1e-12 && latest.upper >= now.upper - 1e-12);
            before = now;
        }
    }
}

#[test]
fn bad_values_are_refused() {
    assert!(NormalMixture::new(0.0, 0.95).is_err());
    assert!(NormalMixture::new(30.0, 1.0).is_err());
    let sequence = NormalMixture::new(30.0, 0.95).unwrap();
    assert!(sequence.half_width(0).is_infinite());
    assert!(sequence.interval(&[1.0, 1.0].into_iter().collect()).is_err());
    assert!(sequence.interval(&[1.0].into_iter().collect()).is_err());
    assert!(Betting::new(0.0).is_err());
    assert!(Betting::new(0.9).unwrap().push(1.1).is_err());
}

/// At both limits of a 95 % interval the e-value is 1 / 0.05; at the mean of the values it is below 1.
#[test]
fn evidence_and_interval_agree() {
    let mut scores = Betting::new(0.95).unwrap();
    assert_eq!(scores.e_value(0.3).unwrap(), 0.5);
    (1..=60).for_each(|place| scores.push(0.25 + 0.3 * fraction(place)).unwrap());
    let found = scores.latest();
    near(scores.e_value(found.lower).unwrap(), 20.0, 1e-6);
    near(scores.e_value(found.upper).unwrap(), 20.0, 1e-6);
    assert!(scores.e_value(0.4).unwrap() < 1.0);
    assert!(scores.e_value(1.5).is_err());
}
