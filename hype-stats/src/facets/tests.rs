//! Tables and text of the HYPE paper, whose standard deviations are its standard errors times √30 · √(30/29), and
//! statsmodels 0.15.0. ANOVA-type statistics and Banerjee's margins are computed from their matrices in NumPy 2.4.6, with the
//! distributions and the root finder of SciPy 1.18.0.

use super::*;
use crate::anova::{one_way, welch};
use crate::multiple::holm;
use crate::pairwise::tukey_kramer;

/// Table 4: BigGAN with and without truncation, and SN-GAN.
const TABLE_4: [[(f64, f64); 3]; 5] = [
    [(18.4, 2.3), (20.2, 2.2), (12.0, 1.6)],
    [(19.9, 2.6), (19.7, 2.2), (5.8, 0.9)],
    [(17.4, 2.1), (22.9, 2.1), (13.6, 1.9)],
    [(7.3, 1.8), (6.9, 1.4), (3.6, 1.0)],
    [(1.9, 0.7), (2.2, 0.6), (2.8, 1.5)],
];

fn cell((mean, error): (f64, f64)) -> Group {
    Group::new(30, mean, error * 30.0 / 29.0_f64.sqrt()).unwrap()
}

#[track_caller]
fn near(got: f64, want: f64, tolerance: f64) {
    assert!((got - want).abs() <= tolerance, "got {got}, want {want}");
}

#[test]
fn classes_of_table_4() {
    let wanted = [
        (4.2445, 0.01742, 0.05227, 5.2113, 0.0833, 0.0185),
        (15.2696, 2e-6, 1e-5, 25.6728, 0.0, 0.0),
        (5.1009, 0.00804, 0.03216, 5.1642, 0.4002, 0.0058),
        (1.9287, 0.15151, 0.30301, 2.5747, 0.1792, 0.2529),
        (0.1965, 0.82200, 0.82200, 0.1532, 0.8120, 0.9115),
    ];
    let cells = TABLE_4.map(|row| row.map(cell));
    let tables = cells.each_ref().map(|row| one_way(row).unwrap());
    let adjusted_all = holm(&tables.map(|table| table.p)).unwrap();
    for (place, (f, p, adjusted, welch_f, truncated, plain)) in wanted.into_iter().enumerate() {
        near(tables[place].f, f, 6e-5);
        near(tables[place].p, p, 6e-6);
        near(adjusted_all[place], adjusted, 6e-6);
        near(welch(&cells[place]).unwrap().f, welch_f, 6e-5);
        let pairs = tukey_kramer(&cells[place], 0.95).unwrap();
        // Pairs are (0, 1), (0, 2), (1, 2), and SN-GAN is the third model.
        near(pairs[1].p, truncated, if truncated > 0.0 { 6e-5 } else { 1e-3 });
        near(pairs[2].p, plain, if plain > 0.0 { 6e-5 } else { 1e-3 });
    }
    let found = interaction(&cells).unwrap();
    near(found.f, 3.501_870_239_875, 1e-11);
    near(found.df_numerator, 6.582_745_548_7, 1e-9);
    near(found.df_denominator, 317.290_402_774_3, 1e-7);
    near(found.p, 1.594_058_529_754e-3, 1e-13);
    for (model, (mean, error)) in
        [(12.98, 0.914_028_6), (14.38, 0.824_035_49), (7.56, 0.650_623_04)].into_iter().enumerate()
    {
        let found = weighted_sum(&cells.each_ref().map(|row| row[model]), &[0.2; 5], 0.95).unwrap();
        near(found.value, mean, 1e-12);
        assert!(!found.is_banerjee);
        near(found.standard_error, error, 1e-7);
        near(0.5 * (found.interval.lower + found.interval.upper), mean, 1e-12);
        assert!(found.degrees_of_freedom > 29.0 && found.degrees_of_freedom <= 145.0);
    }
}

#[test]
fn training_of_section_4_5() {
    // The standard deviation with which F is 63.3, as published.
    let groups = [29.5, 45.9, 50.3].map(|mean| Group::new(30, mean, 7.546_381_073).unwrap());
    near(one_way(&groups).unwrap().f, 63.3, 1e-7);
    let found = trend(&[4e3, 9e3, 25e3], &groups, TrendScale::Log, 0.95).unwrap();
    near(found.slope.value, 11.050_426_068_433, 1e-11);
    near(found.slope.standard_error, 1.060_901_084_200, 1e-11);
    near(found.slope.degrees_of_freedom, 58.0, 1e-10);
    near(found.slope.p, 6.704_480_861_7e-15, 1e-22);
    let departure = found.departure.unwrap();
    near(departure.f, 18.105_365_730_829, 1e-10);
    near(departure.p, 7.722_602_260_54e-5, 1e-14);
    near(departure.df_numerator, 1.0, 1e-10);
    near(departure.df_denominator, 58.0, 1e-10);
    assert!(trend(&[1.0, 2.0], &groups[..2], TrendScale::Log, 0.95).unwrap().departure.is_none());
}

#[test]
fn cells_of_different_sizes() {
    let cells = [
        [vec![-0.65, -0.17, 1.66], vec![1.16, -1.14, 0.49, -0.12, 0.65], vec![-0.61, 1.24, 1.24, 2.58]],
        [vec![1.32, 1.51, -0.49, 3.25, -0.92, 2.1], vec![1.57, 1.02], vec![2.14, 2.13, 3.18]],
    ];
    let found = interaction(&cells).unwrap();
    near(found.f, 0.121_333_298_546, 1e-11);
    near(found.p, 0.872_192_799_232_191, 1e-9);
    near(found.df_numerator, 1.784_116_763_5, 1e-9);
    near(found.df_denominator, 12.043_192_161_2, 1e-9);
    let found = trend(&[1.0, 2.0, 5.0], &cells[0], TrendScale::Identity, 0.95).unwrap();
    let slope = found.slope;
    near(slope.value, 0.240_697_674_418_604_6, 1e-13);
    near(slope.standard_error, 0.220_610_478_523_076, 1e-13);
    near(slope.degrees_of_freedom, 5.148_530_780_024_28, 1e-11);
    // The first level has three raters.
    assert!(slope.is_banerjee);
    near(slope.interval.upper - slope.value, 0.773_237_521_883_549, 1e-11);
    near(slope.p, 0.364_726_012_508_188, 1e-10);
    let departure = found.departure.unwrap();
    near(departure.f, 0.170_313_310_959_789, 1e-12);
    near(departure.p, 0.713_281_598_013_358, 1e-9);
    near(departure.df_denominator, 4.708_986_796_070_03, 1e-10);
}

/// The test of two levels of two models is Welch's of their differences, and Banerjee's test and interval say the same.
#[test]
fn tests_and_intervals_agree() {
    let pair = [vec![3.1, 4.2, 5.9, 4.4], vec![6.0, 7.5, 9.1, 8.0, 5.5]];
    let welch = crate::ttest::welch(&pair[0], &pair[1], crate::ttest::Alternative::TwoSided, 0.95).unwrap();
    let found = weighted_sum(&pair, &[1.0, -1.0], 0.95).unwrap();
    near(found.p, welch.p, 1e-13);
    near(found.degrees_of_freedom, welch.degrees_of_freedom, 1e-12);
    let few = [vec![3.1, 4.2], vec![6.0, 7.5, 9.1], vec![1.0, 1.5, 2.5, 0.7]];
    for weights in [[1.0, -1.0, 0.0], [0.2, 0.3, 0.5], [-0.9, 1.4, -0.5]] {
        let found = weighted_sum(&few, &weights, 0.95).unwrap();
        let least = weighted_sum(&few, &weights, 1.0 - found.p).unwrap().interval;
        near(least.lower.abs().min(least.upper.abs()), 0.0, 1e-9);
    }
}

#[test]
fn summaries_are_as_good_as_values() {
    let values = [vec![3.1, 4.2, 5.9, 4.4], vec![6.0, 7.5, 9.1], vec![2.0, 2.5, 4.0]];
    let summaries: Vec<Group> = values
        .iter()
        .map(|values| {
            let mean = crate::describe::mean(values).unwrap();
            Group::new(values.len() as u64, mean, crate::describe::standard_deviation(values).unwrap())
                .unwrap()
        })
        .collect();
    near(one_way(&values).unwrap().f, one_way(&summaries).unwrap().f, 1e-12);
    near(welch(&values).unwrap().p, welch(&summaries).unwrap().p, 1e-12);
    let of_values = tukey_kramer(&values, 0.95).unwrap();
    near(of_values[2].p, tukey_kramer(&summaries, 0.95).unwrap()[2].p, 1e-12);
}

#[test]
fn bad_cells_are_refused() {
    let cell = cell((10.0, 2.0));
    assert!(matches!(interaction(&[[cell, cell]]), Err(StatError::TooFew { of: "levels", .. })));
    assert!(matches!(interaction(&[[cell], [cell]]), Err(StatError::TooFew { of: "models", .. })));
    assert!(matches!(interaction(&[vec![cell, cell], vec![cell]]), Err(StatError::Lengths { .. })));
    assert!(matches!(interaction(&[[[1.0, 1.0], [2.0, 2.0]]; 2]), Err(StatError::Degenerate { .. })));
    assert!(weighted_sum(&[cell], &[1.0], 0.95).is_err());
    assert!(matches!(
        weighted_sum(&[[1.0, 1.0], [2.0, 2.0]], &[1.0; 2], 0.95),
        Err(StatError::Degenerate { .. })
    ));
    let of = |at: &[f64], scale| trend(at, &[cell, cell], scale, 0.95);
    assert!(of(&[0.0, 1.0], TrendScale::Identity).is_ok());
    assert!(matches!(of(&[0.0, 1.0], TrendScale::Log), Err(StatError::Parameter { .. })));
    assert!(matches!(of(&[1.0, 1.0], TrendScale::Log), Err(StatError::Parameter { .. })));
    assert!(matches!(of(&[1.0, f64::NAN], TrendScale::Log), Err(StatError::Parameter { .. })));
    assert!(matches!(of(&[1.0], TrendScale::Log), Err(StatError::Lengths { .. })));
    assert!(Group::new(0, 1.0, 1.0).is_err());
    assert!(Group::new(3, 1.0, -1.0).is_err());
    assert!(Group::new(3, f64::NAN, 1.0).is_err());
    assert!(matches!(welch(&[Group::new(1, 1.0, 0.0).unwrap(), cell]), Err(StatError::TooFew { .. })));
}
