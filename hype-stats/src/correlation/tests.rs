use proptest::prelude::*;

use super::*;

/// Pairs, ρ with its exact p value, and τ-b with its own.
type ExactCase = (&'static [f64], &'static [f64], f64, f64, f64, f64);

const EXACT_CASES: [ExactCase; 8] = [
    (&[1.0, 2.0, 3.0], &[2.0, 3.0, 9.0], 1.0, 1.0 / 3.0, 1.0, 1.0 / 3.0),
    (
        &[1.0, 2.0, 3.0, 4.0],
        &[1.0, 1.0, 2.0, 2.0],
        0.8944271909999159,
        1.0 / 3.0,
        0.8164965809277261,
        1.0 / 3.0,
    ),
    (
        &[3.0, 1.0, 2.0, 2.0, 5.0],
        &[1.0, 4.0, 2.0, 2.0, 0.0],
        -1.0,
        0.016666666666666666,
        -1.0,
        0.016666666666666666,
    ),
    (
        &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
        &[2.0, 1.0, 4.0, 3.0, 6.0, 5.0],
        0.8285714285714287,
        0.058333333333333334,
        0.6,
        0.1361111111111111,
    ),
    (
        &[0.3, 0.3, 0.1, 0.9, 0.5, 0.5, 0.7],
        &[1.0, 2.0, 2.0, 4.0, 3.0, 5.0, 5.0],
        0.7592592592592594,
        0.05952380952380952,
        0.5789473684210525,
        0.11428571428571428,
    ),
    (
        &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0],
        &[3.0, 1.0, 2.0, 6.0, 4.0, 5.0, 8.0, 7.0],
        0.8333333333333335,
        0.015376984126984126,
        0.6428571428571428,
        0.03115079365079365,
    ),
    (
        &[1.0, 1.0, 2.0, 3.0, 4.0, 4.0, 5.0, 6.0],
        &[2.0, 1.0, 1.0, 3.0, 3.0, 5.0, 4.0, 6.0],
        0.8902439024390245,
        0.005357142857142857,
        0.7692307692307694,
        0.009325396825396825,
    ),
    (
        &[9.0, 1.0, 8.0, 2.0, 7.0, 3.0, 6.0, 4.0, 5.0],
        &[1.0, 3.0, 2.0, 9.0, 4.0, 8.0, 5.0, 6.0, 7.0],
        -0.6333333333333333,
        0.07603615520282186,
        -0.611111111111111,
        0.02474096119929453,
    ),
];

const NINE_TENTHS: (f64, f64) = (-0.168_895_658_609_996, 0.996_068_592_475_051_3);

#[test]
fn exact_p_of_kendall_by_enumeration() {
    // Inversions of the 24 orders of four values: 1, 3, 5, 6, 5, 3, 1 have 0, 1, …, 6.
    let orders: [(&[f64], f64); 4] = [
        (&[1.0, 2.0, 3.0, 4.0], 2.0 / 24.0),
        (&[2.0, 1.0, 3.0, 4.0], 8.0 / 24.0),
        (&[2.0, 1.0, 4.0, 3.0], 18.0 / 24.0),
        (&[4.0, 1.0, 2.0, 3.0], 1.0),
    ];
    for (y, p) in orders {
        let found = kendall(&[1.0, 2.0, 3.0, 4.0], y, KendallMethod::Auto).unwrap();
        assert!(found.exact && (found.p - p).abs() < 1e-15, "{found:?} {p}");
    }
    let rising: Vec<f64> = (0..200_u32).map(f64::from).collect();
    let found = kendall(&rising, &rising, KendallMethod::Auto).unwrap();
    assert!(found.exact && found.tau >= 1.0 && found.p >= 0.0 && found.p < 1e-300);
}

/// By scipy 1.17.1, whose own exact enumeration counts |statistic| ≥ |observed| up to a relative 1e-14:
///
/// `permutation_test((y,), lambda y: spearmanr(x, y)[0], permutation_type="pairings", n_resamples=inf)`
/// with the two-sided p as the share of |statistic| in `null_distribution`; `kendalltau` likewise.
#[test]
fn exact_p_values_match_all_permutations() {
    for (x, y, rho, rho_p, tau, tau_p) in EXACT_CASES {
        let found = spearman(x, y, SpearmanMethod::Auto, 0.95).unwrap();
        assert!(found.exact && (found.rho - rho).abs() < 1e-14, "{x:?} {y:?} {found:?}");
        assert!((found.p - rho_p).abs() < 1e-14, "{x:?} {y:?} {found:?} {rho_p}");
        let found = kendall(x, y, KendallMethod::Auto).unwrap();
        assert!(found.exact && (found.tau - tau).abs() < 1e-14, "{x:?} {y:?} {found:?}");
        assert!((found.p - tau_p).abs() < 1e-14, "{x:?} {y:?} {found:?} {tau_p}");
    }
}

/// R's `prho` gives 4/5! for |ρ| = 0.9 of five and 2/n! for a perfect order: Kendall (1970), table 2.
#[test]
fn tabulated_p_values_of_spearman() {
    let p = |x: &[f64], y: &[f64]| spearman(x, y, SpearmanMethod::Auto, 0.95).unwrap().p;
    let rising: Vec<f64> = (0..9).map(f64::from).collect();
    for (count, orders) in [(3, 6.0), (4, 24.0), (5, 120.0), (7, 5_040.0), (9, 362_880.0)] {
        let found = p(&rising[..count], &rising[..count]);
        assert!((found - 2.0 / orders).abs() < 1e-16, "{count} {found}");
    }
    assert!((p(&rising[..5], &[0.0, 2.0, 1.0, 3.0, 4.0]) - 10.0 / 120.0).abs() < 1e-15);
}

#[test]
fn intervals_of_spearman_have_width() {
    let rising: Vec<f64> = (0..30).map(f64::from).collect();
    let interval = |count: usize, y: &[f64]| {
        spearman(&rising[..count], &y[..count], SpearmanMethod::Auto, 0.95).unwrap().interval
    };
    assert!(interval(3, &rising).is_none());
    for count in [4, 9, 10, 30] {
        let found = interval(count, &rising).unwrap();
        assert!(found.lower < 0.9999 && found.upper == 1.0, "{count} {found:?}");
        let falling: Vec<f64> = rising.iter().map(|value| -value).collect();
        let mirrored = interval(count, &falling).unwrap();
        assert!(mirrored.lower == -1.0 && (mirrored.upper + found.lower).abs() < 1e-12);
    }
    // tanh(artanh 0.9 ± 1.959963984540054 √((1 + 0.405) / 2)) by mpmath 1.4.1.
    let found = interval(5, &[0.0, 2.0, 1.0, 3.0, 4.0]).unwrap();
    assert!((found.lower - NINE_TENTHS.0).abs() < 1e-14 && (found.upper - NINE_TENTHS.1).abs() < 1e-14);
}

#[test]
fn perfect_lines() {
    let x = [1.0, 2.0, 4.0, 8.0, 9.0];
    let falling: Vec<f64> = x.iter().map(|x| -0.25 * x).collect();
    let found = pearson(&x, &falling, 0.95).unwrap();
    assert!((found.r + 1.0).abs() < 1e-15 && found.p < 1e-20);
    assert_eq!(spearman(&x, &falling, SpearmanMethod::Auto, 0.95).unwrap().rho, -1.0);
    assert!((kendall(&x, &falling, KendallMethod::Auto).unwrap().tau + 1.0).abs() < 1e-15);
    let three = pearson(&x[..3], &[1.0, 5.0, 2.0], 0.95).unwrap();
    assert_eq!((three.low, three.high), (-1.0, 1.0));
}

#[test]
fn extreme_sizes_do_not_overflow() {
    let x = [1e200, -1e200, 3e200, 2e200];
    let y = [1e-200, -1e-200, 3e-200, 2e-200];
    assert!((pearson(&x, &y, 0.95).unwrap().r - 1.0).abs() < 1e-15);
}

#[test]
fn bad_input_is_refused() {
    let x = [1.0, 2.0, 3.0];
    assert!(matches!(pearson(&x, &x[1..], 0.9), Err(StatError::Lengths { .. })));
    assert!(matches!(pearson(&x[1..], &x[1..], 0.9), Err(StatError::TooFew { of: "pairs", .. })));
    assert!(matches!(pearson(&x, &[0.1; 3], 0.9), Err(StatError::Degenerate { .. })));
    assert!(matches!(pearson(&x, &x, 0.0), Err(StatError::Parameter { .. })));
    let rho = |x, y| spearman(x, y, SpearmanMethod::Auto, 0.9);
    assert!(matches!(rho(&x, &[f64::NAN; 3]), Err(StatError::NotFinite { .. })));
    let auto = KendallMethod::Auto;
    assert!(matches!(kendall(&x, &[0.1; 3], auto), Err(StatError::Degenerate { .. })));
}

proptest! {
    #[test]
    fn kendall_counts_what_all_pairs_count(
        pairs in proptest::collection::vec((-3_i32..4, -3_i32..4), 3..40),
    ) {
        let x: Vec<f64> = pairs.iter().map(|pair| f64::from(pair.0)).collect();
        let y: Vec<f64> = pairs.iter().map(|pair| f64::from(pair.1)).collect();
        let mut excess = 0;
        let (mut untied_x, mut untied_y) = (0, 0);
        for (index, a) in pairs.iter().enumerate() {
            for b in &pairs[..index] {
                excess += (a.0 - b.0).signum() * (a.1 - b.1).signum();
                untied_x += (a.0 - b.0).signum().abs();
                untied_y += (a.1 - b.1).signum().abs();
            }
        }
        match kendall(&x, &y, KendallMethod::Auto) {
            Ok(found) => {
                let want = f64::from(excess) / (f64::from(untied_x) * f64::from(untied_y)).sqrt();
                prop_assert!((found.tau - want).abs() < 1e-14);
                prop_assert!((0.0..=1.0).contains(&found.p));
            }
            Err(_) => prop_assert!(untied_x == 0 || untied_y == 0),
        }
    }

    #[test]
    fn coefficients_do_not_depend_on_scale(
        pairs in proptest::collection::vec((-1.0..1.0_f64, -1.0..1.0_f64), 4..30),
    ) {
        let (x, y): (Vec<f64>, Vec<f64>) = pairs.into_iter().unzip();
        let scaled: Vec<f64> = x.iter().map(|x| 3.0 - 7.0 * x).collect();
        let (one, other) = (pearson(&x, &y, 0.9).unwrap(), pearson(&scaled, &y, 0.9).unwrap());
        prop_assert!((one.r + other.r).abs() < 1e-12);
        prop_assert!((one.low + other.high).abs() < 1e-9);
        prop_assert!(one.low <= one.r && one.r <= one.high);
        let rho = |x: &[f64]| spearman(x, &y, SpearmanMethod::StudentT, 0.9).unwrap();
        let (one, other) = (rho(&x), rho(&scaled));
        prop_assert!((one.rho + other.rho).abs() < 1e-12);
        let (one, other) = (one.interval.unwrap(), other.interval.unwrap());
        prop_assert!((one.lower + other.upper).abs() < 1e-9 && one.lower < one.upper);
    }
}
