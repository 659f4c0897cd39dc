use proptest::prelude::*;

use super::average::Evaluator;
use super::range::{NormalRange, Tail};
use super::*;
use crate::distributions::StudentT;

#[track_caller]
fn check(got: f64, want: f64, tolerance: f64) {
    assert!(
        (got - want).abs() <= tolerance * want.abs(),
        "got {got:e}, want {want:e}, relative error {:e}",
        got / want - 1.0
    );
}

#[test]
fn two_means_are_students_t() {
    for degrees in [0.5, 1.0, 2.0, 3.0, 7.3, 30.0, 116.0, 1e4, 1e8, 1e13, f64::INFINITY] {
        let range = StudentizedRange::new(2, degrees).unwrap();
        let t = StudentT::new(degrees).unwrap();
        for q in [1e-6, 1e-3, 0.2, 1.0, 3.0, 7.0, 20.0, 45.0, 1e3, 1e6] {
            let want = t.two_sided(q / 2.0_f64.sqrt());
            if want > 1e-290 {
                check(range.sf(q), want, 2e-12);
                assert!((range.cdf(q) - (1.0 - want)).abs() < 1e-13);
            }
        }
    }
}

/// Values by mpmath 1.4.1 (adaptive quadrature with 30 to 110 digits).
#[test]
fn known_variance() {
    for (means, q, cdf, sf) in [
        (3, 0.5, 6.657_805_486_471_303_6e-2, 9.334_219_451_352_869_6e-1),
        (3, 2.0, 6.665_006_749_598_499_7e-1, 3.334_993_250_401_500_3e-1),
        (3, 6.0, 9.999_344_265_015_669_1e-1, 6.557_349_843_308_836_2e-5),
        (3, 25.0, 1.0, 1.869_582_834_593_973_3e-69),
        (4, 3.6332, 9.500_037_940_298_270_1e-1, 4.999_620_597_017_298_5e-2),
        (10, 0.7, 2.624_614_700_426_703_8e-5, 9.999_737_538_529_957_3e-1),
        (10, 5.0, 9.851_425_621_122_162_9e-1, 1.485_743_788_778_370_6e-2),
        (10, 14.0, 1.0, 1.882_721_400_504_979_8e-21),
        (100, 3.0, 3.359_821_600_712_627_3e-6, 9.999_966_401_783_992_9e-1),
        (100, 8.0, 9.999_280_806_534_505_6e-1, 7.191_934_654_943_736_6e-5),
    ] {
        let range = StudentizedRange::new(means, f64::INFINITY).unwrap();
        check(range.cdf(q), cdf, 5e-12);
        check(range.sf(q), sf, 1e-12);
    }
}

#[test]
fn halving_the_steps_changes_nothing() {
    for means in [2_u32, 3, 5, 12, 40, 100, 300] {
        for degrees in [0.5, 1.0, 2.0, 3.0, 9.0, 60.0, 1e5] {
            let k = f64::from(means);
            let coarse = &mut Evaluator::new(means, degrees);
            let fine = &mut Evaluator::assemble(
                NormalRange::with_step(means, 0.35 / k.max(4.0).sqrt()),
                degrees,
                0.25 / (degrees + k + 11.0).sqrt(),
            );
            for q in [0.01, 0.3, 1.0, 3.0, 5.0, 9.0, 30.0, 1e3] {
                for tail in [Tail::Lower, Tail::Upper] {
                    let want = fine.integrate(q, tail);
                    if want > 1e-280 {
                        check(coarse.integrate(q, tail), want, 1e-11);
                    }
                }
            }
        }
    }
}

#[test]
fn edges() {
    let range = StudentizedRange::new(4, 20.0).unwrap();
    assert_eq!(range.sf(0.0), 1.0);
    assert_eq!(range.sf(-1.0), 1.0);
    assert_eq!(range.cdf(0.0), 0.0);
    assert_eq!(range.sf(f64::INFINITY), 0.0);
    assert_eq!(range.cdf(f64::INFINITY), 1.0);
    assert!(range.sf(f64::NAN).is_nan());
    assert!(range.sf(f64::MAX) >= 0.0);
    check(range.sf(f64::MIN_POSITIVE), 1.0, 1e-14);
    assert_eq!(range.quantile(0.0).unwrap(), 0.0);
    assert_eq!(range.quantile(1.0).unwrap(), f64::INFINITY);
    assert!(range.quantile(1.5).is_err());
    assert!(StudentizedRange::new(1, 20.0).is_err());
    assert!(StudentizedRange::new(usize::MAX, 20.0).is_err());
    assert!(StudentizedRange::new(3, 0.0).is_err());
    assert!(StudentizedRange::new(3, f64::NAN).is_err());
    let heavy = StudentizedRange::new(3, 1e-4).unwrap();
    assert!(heavy.sf(1e10) > 0.99 && heavy.sf(1e10) < 1.0);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    #[test]
    fn quantiles_invert(means in 2_usize..40, log_df in 0.0..10.0_f64, log_p in -60.0..-0.01_f64) {
        let range = StudentizedRange::new(means, log_df.exp()).unwrap();
        let p = log_p.exp();
        let q = range.upper_quantile(p).unwrap();
        prop_assert!((range.sf(q) / p - 1.0).abs() < 1e-10);
        let q = range.quantile(p).unwrap();
        prop_assert!((range.cdf(q) / p - 1.0).abs() < 1e-10);
    }

    /// The range is at least one given difference and at most as likely wide as all together.
    #[test]
    fn tails_lie_between_one_pair_and_all_pairs(
        means in 3_usize..60,
        log_df in -0.7..10.0_f64,
        log_q in -3.0..8.0_f64,
    ) {
        let (degrees, q) = (log_df.exp(), log_q.exp());
        let range = StudentizedRange::new(means, degrees).unwrap();
        let one = StudentT::new(degrees).unwrap().two_sided(q / 2.0_f64.sqrt());
        // Digits are lost where the tails leave the range of normal doubles.
        prop_assume!(one > 1e-290);
        let pairs = (means * (means - 1) / 2) as f64;
        let sf = range.sf(q);
        prop_assert!(sf >= one * (1.0 - 1e-11) && sf <= pairs * one * (1.0 + 1e-11), "{one:e} {sf:e}");
        prop_assert!((sf + range.cdf(q) - 1.0).abs() < 1e-12);
        prop_assert!(range.sf(q * 1.01) <= sf * (1.0 + 1e-13));
    }
}
