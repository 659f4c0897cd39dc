use proptest::prelude::*;

use super::*;
use crate::bounded::{BoundedMean, Cluster};
use crate::ttest::{Alternative, paired, welch};

const X: [f64; 7] = [0.46, 0.52, 0.49, 0.55, 0.43, 0.50, 0.47];
const Y: [f64; 8] = [0.44, 0.51, 0.50, 0.58, 0.41, 0.49, 0.45, 0.52];

/// By statsmodels 0.15.0: `DescrStatsW(X).ttost_mean(0.45, 0.55)` and `ttost_ind(X, Y, -0.05, 0.05,
/// usevar="unequal")`; pingouin 0.7.0 `tost(X, Y, bound=0.05, correction=True)` prints 0.032018.
#[test]
fn one_and_two_samples() {
    let t = paired(&X, &[0.0; X.len()], Alternative::TwoSided, 0.95).unwrap();
    let mean = StudentEstimate::new(t.difference, t.standard_error, t.degrees_of_freedom).unwrap();
    let found = equivalence(&mean, EquivalenceRegion::symmetric(0.5, 0.05), 0.05).unwrap();
    assert!((found.lower_p - 0.021_265_049_928_633_442).abs() < 1e-12);
    assert!((found.upper_p - 0.003_223_616_561_528_397_4).abs() < 1e-12);
    assert!(found.p == found.lower_p && found.shown);
    assert!((found.interval.lower - 0.459_368_697_499_145_4).abs() < 1e-12);
    assert!((found.interval.upper - 0.517_774_159_643_711_7).abs() < 1e-12);
    assert!((found.smallest_margin - (0.5 - 0.459_368_697_499_145_4)).abs() < 1e-12);

    let t = welch(&X, &Y, Alternative::TwoSided, 0.9).unwrap();
    let difference = StudentEstimate::new(t.difference, t.standard_error, t.degrees_of_freedom).unwrap();
    let found = equivalence(&difference, EquivalenceRegion::symmetric(0.0, 0.05), 0.05).unwrap();
    assert!((found.lower_p - 0.027_291_464_449_803_62).abs() < 1e-12);
    assert!((found.p - 0.032_017_742_554_411_25).abs() < 1e-12);
    assert!((found.interval.upper - t.high).abs() < 1e-14);
    let one_side = non_inferiority(&difference, 0.0, 0.05, Better::Higher, 0.05).unwrap();
    assert_eq!((one_side.p, one_side.bound), (found.lower_p, found.interval.lower));
    let other_side = non_inferiority(&difference, 0.0, 0.05, Better::Lower, 0.05).unwrap();
    assert_eq!((other_side.p, other_side.bound), (found.upper_p, found.interval.upper));
}

/// Answers that are all equal have no standard error, and show no more than their number allows.
#[test]
fn equal_answers_show_no_equivalence() {
    assert!(matches!(StudentEstimate::new(0.5, 0.0, 4.0), Err(StatError::Degenerate { .. })));
    let one = BoundedMean::new(&[Cluster::successes(50, 100)], 0.0, 1.0).unwrap();
    let alike = BoundedMean::new(&[Cluster::of(&[3.0; 40]); 3], 1.0, 5.0).unwrap();
    for (evidence, reference, width) in [(one, 0.5, 1.0), (alike, 3.0, 4.0)] {
        let region = EquivalenceRegion::symmetric(reference, 0.05 * width);
        let found = equivalence(&evidence, region, 0.05).unwrap();
        assert!(!found.shown && found.p > 0.3, "{found:?}");
        assert!(found.smallest_margin > 0.35 * width, "{found:?}");
    }
    // No yes in 100 raters' answers: at most 3 % by (1 - p)^100 = 0.05.
    let never = BoundedMean::new(&[Cluster::successes(0, 20); 100], 0.0, 1.0).unwrap();
    let found = equivalence(&never, EquivalenceRegion::symmetric(0.0, 0.03), 0.05).unwrap();
    assert!((found.p - 0.97_f64.powi(100)).abs() < 1e-14 && found.shown && found.lower_p == 0.0);
    assert!((found.smallest_margin - (1.0 - 0.05_f64.powf(0.01))).abs() < 1e-12);
}

#[test]
fn bad_input_is_refused() {
    let mean = StudentEstimate::new(0.5, 0.1, 4.0).unwrap();
    let region = EquivalenceRegion::symmetric(0.5, 0.05);
    for alpha in [0.0, 0.5, f64::NAN] {
        assert!(matches!(equivalence(&mean, region, alpha), Err(StatError::Parameter { .. })));
        assert!(smallest_margin(&mean, 0.5, alpha).is_err());
    }
    for margin in [0.0, -1.0, f64::INFINITY, f64::NAN] {
        assert!(equivalence(&mean, EquivalenceRegion::symmetric(0.5, margin), 0.05).is_err());
        assert!(non_inferiority(&mean, 0.0, margin, Better::Lower, 0.05).is_err());
    }
    assert!(StudentEstimate::new(f64::NAN, 0.1, 4.0).is_err());
    assert!(StudentEstimate::new(0.5, 0.1, 0.0).is_err());
}

proptest! {
    /// Equivalence is shown just beyond the smallest margin and not within it.
    #[test]
    fn the_smallest_margin_is_where_the_test_rejects(
        estimate in 0.02..0.98_f64, error in 0.005..0.2_f64, raters in 3_u64..40, alpha in 0.01..0.2_f64,
        yes in proptest::collection::vec(0_u64..=20, 3..12),
    ) {
        let student = StudentEstimate::new(estimate, error, (raters - 1) as f64).unwrap();
        check_margin_of(&student, alpha)?;
        let clusters: Vec<Cluster> = yes.iter().map(|&yes| Cluster::successes(yes, 20)).collect();
        check_margin_of(&BoundedMean::new(&clusters, 0.0, 1.0).unwrap(), alpha)?;
    }
}

fn check_margin_of(evidence: &impl MeanEvidence, alpha: f64) -> Result<(), TestCaseError> {
    let margin = smallest_margin(evidence, 0.5, alpha).unwrap();
    let test =
        |margin| equivalence(evidence, EquivalenceRegion::symmetric(0.5, margin), alpha).unwrap().shown;
    prop_assert!(test(margin * (1.0 + 1e-9) + 1e-9));
    prop_assert!(!test(margin * (1.0 - 1e-9) - 1e-9));
    for better in [Better::Higher, Better::Lower] {
        let needed = non_inferiority(evidence, 0.5, 1.0, better, alpha).unwrap().smallest_margin;
        if needed > 1e-6 {
            let test = |margin| non_inferiority(evidence, 0.5, margin, better, alpha).unwrap().shown;
            prop_assert!(test(needed * (1.0 + 1e-9) + 1e-9));
            prop_assert!(!test(needed * (1.0 - 1e-9) - 1e-9));
        }
    }
    Ok(())
}
