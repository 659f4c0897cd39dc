use proptest::prelude::*;

use super::*;

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
        let found = kendall(&[1.0, 2.0, 3.0, 4.0], y, Tau::B, KendallMethod::Auto).unwrap();
        assert!(found.exact && (found.p - p).abs() < 1e-15, "{found:?} {p}");
    }
    let rising: Vec<f64> = (0..200_u32).map(f64::from).collect();
    let found = kendall(&rising, &rising, Tau::B, KendallMethod::Auto).unwrap();
    assert!(found.exact && found.tau >= 1.0 && found.p >= 0.0 && found.p < 1e-300);
}

#[test]
fn perfect_lines() {
    let x = [1.0, 2.0, 4.0, 8.0, 9.0];
    let falling: Vec<f64> = x.iter().map(|x| -0.25 * x).collect();
    let found = pearson(&x, &falling, 0.95).unwrap();
    assert!((found.r + 1.0).abs() < 1e-15 && found.p < 1e-20);
    assert_eq!(spearman(&x, &falling).unwrap().coefficient, -1.0);
    assert_eq!(kendall(&x, &falling, Tau::C, KendallMethod::Auto).unwrap().tau, -1.0);
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
    assert!(matches!(spearman(&x, &[f64::NAN; 3]), Err(StatError::NotFinite { .. })));
    let auto = KendallMethod::Auto;
    assert!(matches!(kendall(&x, &[0.1; 3], Tau::B, auto), Err(StatError::Degenerate { .. })));
    let tied = kendall(&x, &[1.0, 2.0, 2.0], Tau::B, KendallMethod::Exact);
    assert!(matches!(tied, Err(StatError::Degenerate { .. })));
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
        match kendall(&x, &y, Tau::B, KendallMethod::Auto) {
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
        let (one, other) = (spearman(&x, &y).unwrap(), spearman(&scaled, &y).unwrap());
        prop_assert!((one.coefficient + other.coefficient).abs() < 1e-12);
    }
}
