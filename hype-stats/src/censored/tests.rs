use proptest::prelude::*;

use super::*;
use crate::bootstrap::draws::Draws;
use crate::distributions::normal_quantile;
use crate::proof::{row, sized};
use crate::ttest::{Alternative, paired};
use Reading::{AtLeast, AtMost, Between, Exact};

const THRESHOLDS: [Reading; 10] = [
    Exact(212.0),
    Exact(305.0),
    AtLeast(700.0),
    Exact(480.0),
    AtMost(100.0),
    Exact(390.0),
    AtLeast(700.0),
    Exact(333.0),
    Exact(158.0),
    Exact(610.0),
];

#[track_caller]
fn check(readings: &[Reading], want: [f64; 5]) -> CensoredNormal {
    let found = censored_normal(readings).unwrap();
    let got = [
        found.mean,
        found.standard_deviation,
        found.mean_error,
        found.standard_deviation_error,
        found.log_likelihood,
    ];
    for (got, want) in got.iter().zip(want) {
        assert!((got / want - 1.0).abs() < 1e-10, "{got} {want}");
    }
    found
}

/// Mean, deviation, their errors and the log-likelihood: the root of the gradient in μ and ln σ and the
/// inverse of the second derivatives, by mpmath 1.4.1 with 40 digits (`findroot`, `diff`, `ncdf`).
#[test]
fn maximum_and_information_in_high_precision() {
    let found = check(
        &THRESHOLDS,
        [
            414.129_372_972_949_65,
            282.751_855_120_375_85,
            92.362_065_672_105_588,
            82.695_501_058_058_406,
            -52.727_721_505_220_182,
        ],
    );
    assert_eq!((found.exact, found.censored), (7, 3));
    // Ends of the profile interval, by scipy 1.17.1: brentq around minimize_scalar over ln σ.
    let interval = found.interval(0.95).unwrap();
    assert!((interval.lower - 183.798_785_047).abs() < 1e-3, "{interval:?}");
    assert!((interval.upper - 666.314_177_982).abs() < 1e-3, "{interval:?}");

    // lifelines 0.30 fits the same to exp(y / 100) (LogNormalFitter.fit_interval_censoring): mean 283.942,
    // deviation 176.476, errors 69.478 and 61.775.
    check(
        &[
            Between(100.0, 200.0),
            Between(200.0, 300.0),
            Between(200.0, 300.0),
            Exact(350.0),
            AtLeast(500.0),
            Between(300.0, 500.0),
            AtMost(100.0),
        ],
        [
            283.945_274_070_344_53,
            176.477_052_052_639_5,
            69.478_757_142_312_893,
            61.775_713_299_392_75,
            -16.129_461_241_282_47,
        ],
    );
}

#[test]
fn exact_values_have_students_interval() {
    let values = [212.0, 305.0, 480.0, 390.0, 333.0];
    let found = censored_normal(&values.map(Exact)).unwrap();
    let test = paired(&values, &vec![0.0; values.len()], Alternative::TwoSided, 0.95).unwrap();
    let interval = found.interval(0.95).unwrap();
    assert!((found.mean - 344.0).abs() < 1e-10);
    assert!((found.standard_deviation / (test.standard_error * 2.0) - 1.0).abs() < 1e-12);
    assert!((interval.lower - test.low).abs() < 1e-5 && (interval.upper - test.high).abs() < 1e-5);
}

#[test]
fn values_without_an_estimate_are_refused() {
    let reason = |readings: &[Reading]| match censored_normal(readings) {
        Err(StatError::Degenerate { reason, .. }) => reason,
        other => panic!("{other:?}"),
    };
    for readings in [[AtLeast(5.0), AtLeast(7.0)], [AtMost(5.0), AtMost(7.0)]] {
        assert_eq!(reason(&readings), "all values are censored on one side");
    }
    for readings in [
        [Exact(5.0), Exact(5.0)],
        [Exact(5.0), AtLeast(3.0)],
        [Between(1.0, 3.0), Between(2.0, 4.0)],
        [AtMost(5.0), AtLeast(5.0)],
    ] {
        assert!(reason(&readings).starts_with("one number agrees"), "{readings:?}");
    }
    assert_eq!(reason(&[AtMost(1.0), AtLeast(2.0)]), "the values do not bound the standard deviation");
    assert!(matches!(censored_normal(&[Exact(1.0)]), Err(StatError::TooFew { .. })));
    let infinite = censored_normal(&[Exact(1.0), AtMost(f64::INFINITY)]);
    assert!(matches!(infinite, Err(StatError::NotFinite { index: 1, .. })));
    let reversed = censored_normal(&[Exact(1.0), Between(3.0, 2.0)]);
    assert!(matches!(reversed, Err(StatError::Parameter { .. })));
    assert!(censored_normal(&THRESHOLDS).unwrap().interval(1.0).is_err());
}

/// By a golden-section search of the likelihood in the logarithms of mean and shape, and of its profile for the ends, in Python
/// with the incomplete gamma functions of Numerical Recipes, section 6.2.
#[test]
fn means_of_positive_values_and_their_intervals_are_positive() {
    let readings = [
        Exact(212.0),
        Exact(305.0),
        Exact(140.0),
        AtMost(100.0),
        AtMost(100.0),
        AtMost(100.0),
        AtMost(100.0),
        AtMost(100.0),
    ];
    let found = censored_gamma(&readings).unwrap();
    let interval = found.interval(0.95).unwrap();
    assert!(censored_normal(&readings).unwrap().interval(0.95).unwrap().lower < 0.0);
    for (got, want) in
        [(found.mean, 108.224_168), (interval.lower, 32.482_321), (interval.upper, 441.621_910)]
    {
        assert!((got / want - 1.0).abs() < 1e-5, "{got} {want}");
    }
    let found = censored_gamma(&THRESHOLDS).unwrap();
    let interval = found.interval(0.95).unwrap();
    for (got, want) in
        [(found.mean, 454.825_751), (interval.lower, 270.812_307), (interval.upper, 1_016.068_041)]
    {
        assert!((got / want - 1.0).abs() < 1e-5, "{got} {want}");
    }
    let found = censored_gamma(&[212.0, 305.0, 480.0].map(Exact)).unwrap();
    assert!((found.mean / (997.0 / 3.0) - 1.0).abs() < 1e-8, "the mean of exact values: {found:?}");
    let refused = censored_gamma(&[Exact(5.0), AtMost(0.0)]);
    assert!(matches!(refused, Err(StatError::Parameter { expected: "above 0", .. })));
}

/// Log-normal values censored at either end: the interval covers the mean in at least 92 %, less the Monte-Carlo error.
#[test]
fn means_of_censored_positive_values_are_covered() {
    let studies = sized(100, 2_000);
    let slack = 4.5 * (0.08_f64 * 0.92 / studies as f64).sqrt();
    for (raters, sigma, low, high) in [
        (10, 0.6, 0.6, f64::INFINITY),
        (10, 0.6, 0.0, 2.0),
        (30, 0.6, 1.0, f64::INFINITY),
        (30, 0.6, 0.6, 2.0),
        (30, 1.0, 0.5, 4.0),
    ] {
        let mut draws = Draws::new(5, raters as u64);
        let (mut covered, mut defined) = (0.0, 0.0);
        let truth = (0.5_f64 * sigma * sigma).exp();
        for _ in 0..studies {
            let readings: Vec<Reading> = (0..raters)
                .map(|_| (sigma * normal_quantile(draws.unit().max(1e-18)).unwrap()).exp())
                .map(|value| match value {
                    value if value < low => AtMost(low),
                    value if value > high => AtLeast(high),
                    value => Exact(value),
                })
                .collect();
            let Ok(found) = censored_gamma(&readings) else { continue };
            let interval = found.interval(0.95).unwrap();
            assert!(interval.lower > 0.0, "{interval:?}");
            defined += 1.0;
            covered += f64::from(u8::from(interval.lower <= truth && truth <= interval.upper));
        }
        let cover = covered / defined;
        row(&[
            &raters.to_string(),
            &sigma.to_string(),
            &format!("{low} to {high}"),
            &format!("{:.1} %", 100.0 * cover),
        ]);
        assert!(cover > 0.92 - slack, "{raters} {sigma} {low} {high}: {cover}");
    }
}

/// Normal values censored where a staircase ends: the interval covers the mean in at least 93.5 %, less the
/// Monte-Carlo error, and the estimate is nearer to it than the mean of the limits.
#[test]
fn means_of_censored_values_are_covered() {
    let studies = sized(200, 5_000);
    let slack = 4.5 * (0.065_f64 * 0.935 / studies as f64).sqrt();
    for (raters, limit) in [(5, 2.0), (5, 1.0), (10, 1.0), (10, 0.5), (30, 1.0), (30, 0.25)] {
        let mut draws = Draws::new(4, raters as u64);
        let (mut covered, mut bias, mut naive, mut defined) = (0.0, 0.0, 0.0, 0.0);
        for _ in 0..studies {
            let value = |draws: &mut Draws| normal_quantile(draws.unit().max(1e-18)).unwrap();
            let values: Vec<f64> = (0..raters).map(|_| value(&mut draws)).collect();
            let readings: Vec<Reading> =
                values.iter().map(|&v| if v > limit { AtLeast(limit) } else { Exact(v) }).collect();
            let Ok(found) = censored_normal(&readings) else { continue };
            let interval = found.interval(0.95).unwrap();
            defined += 1.0;
            covered += f64::from(u8::from(interval.lower <= 0.0 && 0.0 <= interval.upper));
            bias += found.mean;
            naive += values.iter().map(|v| v.min(limit)).sum::<f64>() / raters as f64;
        }
        let cover = covered / defined;
        row(&[
            &raters.to_string(),
            &limit.to_string(),
            &format!("{:.1} %", 100.0 * cover),
            &format!("{:.3}", bias / defined),
            &format!("{:.3}", naive / defined),
        ]);
        assert!(cover > 0.935 - slack, "{raters} {limit}: {cover}");
        assert!(raters < 10 || bias.abs() < naive.abs(), "{raters} {limit}: {bias} {naive}");
    }
}

proptest! {
    #[test]
    fn the_estimate_moves_and_mirrors_with_the_values(
        values in proptest::collection::vec((-3.0..3.0_f64, 0_u8..4), 3..20), shift in -5.0..5.0_f64,
    ) {
        let of = |scale: f64, shift: f64| {
            let place = |value: f64| shift + scale * value;
            let readings: Vec<Reading> = values
                .iter()
                .map(|&(value, kind)| match (kind, scale > 0.0) {
                    (0, _) => Exact(place(value)),
                    (1, true) | (2, false) => AtMost(place(value)),
                    (1 | 2, _) => AtLeast(place(value)),
                    (_, true) => Between(place(value), place(value + 1.0)),
                    (_, false) => Between(place(value + 1.0), place(value)),
                })
                .collect();
            censored_normal(&readings)
        };
        match (of(1.0, 0.0), of(-70.0, shift)) {
            (Ok(one), Ok(other)) => {
                prop_assert!((shift - 70.0 * one.mean - other.mean).abs() < 1e-5 * other.standard_deviation);
                prop_assert!((70.0 * one.mean_error / other.mean_error - 1.0).abs() < 1e-5);
                prop_assert!((70.0 * one.standard_deviation / other.standard_deviation - 1.0).abs() < 1e-5);
                let (one, other) = (one.interval(0.9).unwrap(), other.interval(0.9).unwrap());
                prop_assert!(one.lower < one.upper && other.lower < other.upper);
                if one.upper.is_finite() {
                    prop_assert!((shift - 70.0 * one.upper - other.lower).abs() < 1e-3 * (1.0 + other.lower.abs()));
                }
            }
            (Err(one), Err(other)) => prop_assert_eq!(one.to_string(), other.to_string()),
            (one, other) => prop_assert!(false, "{one:?} {other:?}"),
        }
    }
}
