//! Values by mpmath 1.4.1 with 60 digits.

use proptest::prelude::*;

use super::*;

#[track_caller]
fn check(got: f64, want: f64, tolerance: f64) {
    assert!(
        (got - want).abs() <= tolerance * want.abs(),
        "got {got:e}, want {want:e}, relative error {:e}",
        got / want - 1.0
    );
}

#[test]
fn student_t_tails() {
    for (degrees, t, sf) in [
        (1.0, 0.3, 4.072_264_209_222_576_6e-1),
        (1.0, 1e10, 3.183_098_861_837_906_7e-11),
        (2.5, 4.0, 1.950_648_792_065_912_3e-2),
        (3.0, 0.001, 4.996_324_474_847_304_7e-1),
        (10.0, 2.2, 2.622_053_422_467_657_5e-2),
        (10.0, 40.0, 1.140_428_871_542_877_3e-12),
        (34.7, 8.0, 1.093_432_975_608_895_9e-9),
        (116.0, 12.0, 2.308_038_009_504_979_5e-22),
        (116.0, 1e-9, 4.999_999_996_019_165_7e-1),
        (1e4, 5.0, 2.915_163_306_831_323_6e-7),
        (1e6, 3.0, 1.349_931_270_710_898_5e-3),
        (1e6, 30.0, 6.010_047_116_831_718_9e-198),
        (1e12, 9.0, 1.128_588_407_850_458_9e-19),
    ] {
        let distribution = StudentT::new(degrees).unwrap();
        check(distribution.sf(t), sf, 1e-13);
        check(distribution.cdf(-t), sf, 1e-13);
        check(distribution.cdf(t), 1.0 - sf, 1e-14);
        check(distribution.upper_quantile(sf).unwrap(), t, if t < 1e-6 { 1e-6 } else { 1e-12 });
    }
    let normal = StudentT::new(f64::INFINITY).unwrap();
    check(normal.sf(-3.3), 9.995_165_758_576_162_2e-1, 1e-15);
    assert_eq!(normal.quantile(0.5).unwrap(), 0.0);
    assert_eq!(StudentT::new(7.0).unwrap().quantile(0.5).unwrap(), 0.0);
    assert_eq!(StudentT::new(7.0).unwrap().quantile(0.0).unwrap(), f64::NEG_INFINITY);
    assert_eq!(StudentT::new(7.0).unwrap().sf(f64::INFINITY), 0.0);
    assert_eq!(StudentT::new(7.0).unwrap().sf(f64::NEG_INFINITY), 1.0);
    assert_eq!(StudentT::new(7.0).unwrap().sf(0.0), 0.5);
}

#[test]
fn fisher_f_tails() {
    for (numerator, denominator, f, cdf, sf) in [
        (1.0, 1.0, 0.5, 3.918_265_520_306_072_7e-1, 6.081_734_479_693_927_3e-1),
        (2.0, 87.0, 4.289, 9.832_691_824_648_646_8e-1, 1.673_081_753_513_532_5e-2),
        (8.0, 218.0, 18.938, 1.0, 1.716_389_617_827_455_8e-21),
        (12.0, 315.0, 87.475, 1.0, 1.252_930_318_208_611_6e-92),
        (3.3, 15.7, 0.02, 2.519_443_676_194_875_7e-3, 9.974_805_563_238_051_2e-1),
        (40.0, 3.0, 1e5, 9.999_999_554_850_085_3e-1, 4.451_499_146_696_266_1e-8),
        (500.0, 700.0, 1.3, 9.992_894_726_727_553_9e-1, 7.105_273_272_446_062_9e-4),
        (500.0, 700.0, 0.5, 2.136_557_997_845_290_5e-16, 9.999_999_999_999_997_9e-1),
        (5.0, 1e6, 20.0, 1.0, 5.297_601_769_867_510_7e-20),
    ] {
        let distribution = FisherF::new(numerator, denominator).unwrap();
        check(distribution.cdf(f), cdf, 1e-13);
        check(distribution.sf(f), sf, 1e-13);
        if cdf < 0.9 {
            check(distribution.quantile(cdf).unwrap(), f, 1e-12);
        }
        if sf < 0.9 {
            check(distribution.upper_quantile(sf).unwrap(), f, 1e-12);
        }
    }
    let distribution = FisherF::new(3.0, 4.0).unwrap();
    assert_eq!(distribution.sf(0.0), 1.0);
    assert_eq!(distribution.sf(f64::INFINITY), 0.0);
    assert_eq!(distribution.quantile(1.0).unwrap(), f64::INFINITY);
    assert!(distribution.sf(f64::NAN).is_nan());
}

#[test]
fn chi_squared_tails() {
    for (degrees, x, cdf, sf) in [
        (1.0, 1e-8, 7.978_845_594_730_577_6e-5, 9.999_202_115_440_526_9e-1),
        (1.0, 0.5, 5.204_998_778_130_465_4e-1, 4.795_001_221_869_534_6e-1),
        (1.0, 80.0, 1.0, 3.744_097_384_202_898_8e-19),
        (2.0, 1400.0, 1.0, 9.859_676_543_759_770_9e-305),
        (3.0, 7.8, 9.496_689_021_401_466_5e-1, 5.033_109_785_985_335_5e-2),
        (6.0, 29.04, 9.999_402_143_645_090_9e-1, 5.978_563_549_091_247_8e-5),
        (50.0, 20.0, 4.694_938_142_679_970_6e-5, 9.999_530_506_185_732e-1),
        (50.0, 200.0, 1.0, 7.857_610_724_654_743_6e-20),
        (1000.0, 900.0, 1.071_723_809_128_974_2e-2, 9.892_827_619_087_102_6e-1),
        (1000.0, 1500.0, 1.0, 1.045_464_038_597_965_7e-22),
        (1e6, 1_005_000.0, 9.997_923_219_905_329_7e-1, 2.076_780_094_670_300_3e-4),
        (0.5, 0.1, 5.165_553_208_304_656_3e-1, 4.834_446_791_695_343_7e-1),
    ] {
        let distribution = ChiSquared::new(degrees).unwrap();
        check(distribution.cdf(x), cdf, 1e-13);
        check(distribution.sf(x), sf, 2e-13);
        if cdf < 0.9 {
            check(distribution.quantile(cdf).unwrap(), x, 1e-12);
        }
        if sf < 0.9 {
            check(distribution.upper_quantile(sf).unwrap(), x, 1e-12);
        }
    }
}

#[test]
fn beta_tails() {
    for (a, b, x, cdf, sf) in [
        (0.5, 0.5, 0.1, 2.048_327_646_991_334_6e-1, 7.951_672_353_008_665_4e-1),
        (2.0, 3.0, 0.2, 0.1808, 0.8192),
        (28.0, 24.0, 0.5, 2.879_246_738_659_233_5e-1, 7.120_753_261_340_766_5e-1),
        (1380.5, 3620.5, 0.25, 1.323_423_758_569_012_5e-5, 9.999_867_657_624_143_1e-1),
        (0.5, 10.5, 1e-6, 3.613_101_065_976_136_1e-3, 9.963_868_989_340_238_6e-1),
        (1.0, 1.0, 0.3, 0.3, 0.7),
        (300.0, 2.0, 0.9, 5.809_175_882_042_903_1e-13, 9.999_999_999_994_190_8e-1),
    ] {
        let distribution = Beta::new(a, b).unwrap();
        check(distribution.cdf(x), cdf, 1e-13);
        check(distribution.sf(x), sf, 1e-13);
        check(distribution.quantile(cdf).unwrap(), x, 1e-12);
        if sf < 0.9 {
            check(distribution.upper_quantile(sf).unwrap(), x, 1e-12);
        }
    }
}

#[test]
fn normal_tails() {
    for (z, below, above) in [
        (-37.0, 5.725_571_222_524_576_8e-300, 1.0),
        (-20.5, 1.076_467_325_879_096e-93, 1.0),
        (-8.0, 6.220_960_574_271_784_1e-16, 9.999_999_999_999_993_8e-1),
        (-3.3, 4.834_241_423_837_775_1e-4, 9.995_165_758_576_162_2e-1),
        (-1.0, 1.586_552_539_314_570_5e-1, 8.413_447_460_685_429_5e-1),
        (-0.01, 4.960_106_436_853_684e-1, 5.039_893_563_146_316e-1),
        (0.7, 7.580_363_477_769_269_7e-1, 2.419_636_522_230_730_3e-1),
        (2.0, 9.772_498_680_518_207_9e-1, 2.275_013_194_817_920_7e-2),
        (5.0, 9.999_997_133_484_281_2e-1, 2.866_515_718_791_939_1e-7),
    ] {
        check(normal_cdf(z), below, 3e-13);
        check(normal_sf(z), above, 3e-13);
        check(normal_cdf(-z), above, 3e-13);
        if below < 0.9 {
            check(normal_quantile(below).unwrap(), z, 2e-14);
        }
        if above < 0.9 {
            check(normal_upper_quantile(above).unwrap(), z, 2e-14);
        }
    }
    assert_eq!(normal_quantile(0.5).unwrap(), 0.0);
    assert_eq!(normal_quantile(1.0).unwrap(), f64::INFINITY);
    assert!(normal_quantile(f64::NAN).is_err());
}

#[test]
fn errors_of_stirlings_formula() {
    for (a, want) in [
        (1e-3, 2.542_270_467_967_094_5),
        (0.5, 1.534_264_097_200_273_5e-1),
        (1.0, 8.106_146_679_532_725_8e-2),
        (3.7, 2.246_877_058_014_314_6e-2),
        (9.99, 8.338_896_797_734_330_1e-3),
        (10.0, 8.330_563_433_362_871_3e-3),
        (123.4, 6.753_091_646_594_011_1e-4),
    ] {
        assert!((stirling_error(a) - want).abs() < 4e-15);
    }
}

#[test]
fn parameters_out_of_range_are_refused() {
    for bad in [0.0, -1.0, f64::NAN] {
        assert!(StudentT::new(bad).is_err());
        assert!(ChiSquared::new(bad).is_err());
        assert!(FisherF::new(bad, 2.0).is_err());
        assert!(FisherF::new(2.0, bad).is_err());
        assert!(Beta::new(bad, 2.0).is_err());
        assert!(Beta::new(2.0, bad).is_err());
    }
    for bad in [-0.1, 1.1, f64::NAN] {
        assert!(StudentT::new(3.0).unwrap().quantile(bad).is_err());
        assert!(ChiSquared::new(3.0).unwrap().quantile(bad).is_err());
        assert!(Beta::new(3.0, 3.0).unwrap().quantile(bad).is_err());
    }
}

proptest! {
    #[test]
    fn tails_add_up_and_quantiles_invert(
        log_a in -1.0..12.0_f64,
        log_b in -1.0..12.0_f64,
        log_p in -300.0..-0.7_f64,
    ) {
        let (a, b, p) = (log_a.exp(), log_b.exp(), log_p.exp());
        let f = FisherF::new(a, b).unwrap();
        for (x, back) in [
            (f.upper_quantile(p).unwrap(), f.sf(f.upper_quantile(p).unwrap())),
            (f.quantile(p).unwrap(), f.cdf(f.quantile(p).unwrap())),
        ] {
            if x > 1e-300 && x < 1e300 {
                prop_assert!((back / p - 1.0).abs() < 1e-9, "F({a}, {b}) {x} {p:e} {back:e}");
                prop_assert!((f.cdf(x) + f.sf(x) - 1.0).abs() < 1e-14);
            }
        }
        let chi = ChiSquared::new(a).unwrap();
        prop_assert!((chi.sf(chi.upper_quantile(p).unwrap()) / p - 1.0).abs() < 1e-9);
        let t = StudentT::new(a).unwrap();
        let x = t.upper_quantile(p).unwrap();
        if x < 1e150 {
            prop_assert!((t.sf(x) / p - 1.0).abs() < 1e-9, "t({a}) {x} {p:e} {:e}", t.sf(x));
        }
    }
}

/// Values by mpmath 1.4.1 (quadrature over the scale with 30 digits).
#[test]
fn noncentral_t_tails() {
    for (degrees, shift, t, cdf, sf) in [
        (1.0, 0.5, 1.5, 0.685_827_028_993_783_7, 0.314_172_971_006_216_3),
        (2.5, 1.0, -1.2, 0.029_700_854_429_913_769, 0.970_299_145_570_086_2),
        (3.0, 2.0, 10.0, 0.982_294_969_097_062_9, 0.017_705_030_902_937_119),
        (126.0, 2.828_427_124_746_19, 2.0, 0.204_435_480_262_036_96, 0.795_564_519_737_963),
        (0.5, 40.0, 3.0, 8.605_193_121_493_140_7e-21, 1.0),
        (5.0, 40.0, 45.0, 0.556_529_548_046_200_65, 0.443_470_451_953_799_35),
        (9.0, 40.0, 30.0, 0.068_549_488_061_575_05, 0.931_450_511_938_424_95),
        (9.0, 40.0, 200.0, 0.999_992_500_075_473_05, 7.499_924_526_949_405_3e-6),
        (1000.0, 40.0, 38.0, 0.063_000_859_768_773_236, 0.936_999_140_231_226_76),
        (20.0, 2.0, -3.0, 2.944_553_532_800_623e-6, 0.999_997_055_446_467_2),
        (58.0, -1.5, 12.0, 1.0, 3.313_248_703_523_701_9e-22),
        (4.0, -6.0, 0.3, 0.999_999_999_797_366_17, 2.026_338_285_876_271_8e-10),
        (2.0, 3.0, 1e5, 0.999_999_999_000_020_34, 9.999_796_558_019_520_5e-10),
    ] {
        let distribution = NoncentralT::new(degrees, shift).unwrap();
        check(distribution.cdf(t), cdf, 2e-12);
        check(distribution.sf(t), sf, 2e-12);
    }
    let distribution = NoncentralT::new(7.0, 1.5).unwrap();
    assert_eq!(distribution.sf(f64::INFINITY), 0.0);
    assert_eq!(distribution.cdf(f64::INFINITY), 1.0);
    assert_eq!(distribution.sf(f64::NEG_INFINITY), 1.0);
    assert!(distribution.cdf(f64::NAN).is_nan());
    check(distribution.cdf(0.0), normal_cdf(-1.5), 1e-13);
    check(NoncentralT::new(f64::INFINITY, 1.5).unwrap().sf(2.0), normal_sf(0.5), 1e-14);
    check(NoncentralT::new(9e13, 1.5).unwrap().sf(2.0), normal_sf(0.5), 1e-10);
    assert!(NoncentralT::new(0.0, 1.0).is_err());
    assert!(NoncentralT::new(4.0, f64::NAN).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn noncentral_distributions_agree(
        log_df in -0.7..8.0_f64,
        shift in -40.0..40.0_f64,
        log_t in -4.0..5.0_f64,
    ) {
        let (degrees, t) = (log_df.exp(), log_t.exp());
        let signed = NoncentralT::new(degrees, shift).unwrap();
        prop_assert!((signed.cdf(t) + signed.sf(t) - 1.0).abs() < 1e-12);
        let central = StudentT::new(degrees).unwrap();
        // Digits are lost where the tails leave the range of normal doubles.
        prop_assume!(central.sf(t) > 1e-290);
        let without = NoncentralT::new(degrees, 0.0).unwrap().sf(t);
        prop_assert!((without / central.sf(t) - 1.0).abs() < 1e-11);
        prop_assert!(NoncentralT::new(degrees, shift + 0.1).unwrap().sf(t) >= signed.sf(t) * (1.0 - 1e-12));
    }
}

#[test]
fn many_counts_of_one_start_agree_with_single_ones() {
    for start in [1e-12, 0.3, 1.0, 8.5, 9.999, 10.0, 123.4, 1e9, 1e20] {
        let rising = Rising::new(start);
        for count in [0.0, 1.0, 2.0, 8.0, 9.0, 10.0, 11.0, 12.0, 500.0] {
            assert_eq!(rising.ln(count), ln_rising(start, count), "{start} {count}");
        }
    }
}
