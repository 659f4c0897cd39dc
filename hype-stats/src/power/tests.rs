//! Values by statsmodels 0.15.0, scipy 1.17.1 and R 4.2.

use super::*;
use crate::bootstrap::draws::Draws;
use crate::distributions::{NoncentralT, normal_quantile};
use crate::equivalence::{EquivalenceRegion, StudentEstimate};
use crate::studentized_range::StudentizedRange;
use crate::ttest::Alternative::{self, Greater, Less, TwoSided};

#[track_caller]
fn near(got: f64, want: f64, tolerance: f64) {
    assert!((got - want).abs() <= tolerance, "got {got}, want {want}");
}

#[test]
fn means() {
    let student = |effect: f64, each: f64, alternative, alpha| {
        t_test(effect * (0.5 * each).sqrt(), 2.0 * each - 2.0, alternative, alpha).unwrap()
    };
    near(student(0.5, 64.0, TwoSided, 0.05), 0.801_460, 1e-6);
    near(student(0.727_729, 30.0, TwoSided, 0.05), 0.791_482, 1e-6);
    near(t_test(0.5 * 34.0_f64.sqrt(), 33.0, TwoSided, 0.05).unwrap(), 0.807_778, 1e-6);
    // Table 3 of HYPE: scores 27.6 and 19.0 with standard deviations that are √30 · √(30/29) times 2.4 and 1.8.
    let spread = 30.0 / 29.0_f64.sqrt();
    let groups = [2.4, 1.8].map(|error| PlannedGroup { count: 30.0, standard_deviation: error * spread });
    let found = welch(27.6 - 19.0, groups, TwoSided, 0.05).unwrap();
    near(found.degrees_of_freedom, 53.7834, 1e-4);
    near(found.noncentrality, 2.818_484, 1e-6);
    near(found.power, 0.790_418, 1e-6);
    let one_sided = student(0.5, 64.0, Greater, 0.025);
    near(one_sided, student(-0.5, 64.0, Less, 0.025), 1e-13);
    near(one_sided, 0.801_460, 1e-5);
}

#[test]
fn widths() {
    for (half, count) in [(1.0, 204.0), (2.0, 53.0), (3.0, 25.0), (5.0, 11.0)] {
        assert!(interval_width(7.242, count, 0.95).unwrap() <= 2.0 * half);
        assert!(interval_width(7.242, count - 1.0, 0.95).unwrap() > 2.0 * half);
    }
}

/// Widths of figure 4 of HYPE for made-up scores, whose resampling agrees within 0.0006.
#[test]
fn widths_of_bootstrap_intervals() {
    let scores: Vec<f64> = (1..=60)
        .map(|place| {
            (100.0 * (0.25 + 0.3 * (f64::from(place) * 0.618_033_988_749_894_9).fract())).round() / 100.0
        })
        .collect();
    let deviation = crate::describe::population_standard_deviation(&scores).unwrap();
    near(deviation, 0.086_814_0, 5e-8);
    let counts = [10.0, 20.0, 30.0, 40.0, 60.0, 80.0, 100.0, 120.0];
    let wanted = [0.1076, 0.0761, 0.0621, 0.0538, 0.0439, 0.0380, 0.0340, 0.0311];
    for (count, want) in counts.into_iter().zip(wanted) {
        near(percentile_width(deviation, count, 0.95).unwrap(), want, 5.1e-5);
    }
}

#[test]
fn standard_deviations_of_pilots() {
    // scipy 1.17.1.
    near(deviation_limit(1.0, 12.0, 0.8).unwrap(), 1.254_581_752_322, 1e-9);
    near(deviation_limit(7.2, 30.0, 0.8).unwrap(), 8.178_640_955_868, 1e-8);
}

const TABLE_5: [f64; 4] = [23.3, 14.8, 14.5, 13.2];

fn table_5() -> [PlannedGroup; 4] {
    [1.6, 1.6, 1.7, 2.3]
        .map(|error| PlannedGroup { count: 30.0, standard_deviation: error * 30.0 / 29.0_f64.sqrt() })
}

/// Pairs of table 5 of HYPE, also by 20,000 and 400,000 independent simulations with numpy.
#[test]
fn pairs_of_a_published_table() {
    let simulated = SimulatedStudies { studies: 20_000, seed: 15 };
    let found = pairs(&TABLE_5, &table_5(), PairProcedure::TukeyKramer, 0.05, simulated).unwrap();
    for (found, [few, many]) in
        found.pairs.iter().zip([[0.761, 0.761_95], [0.789, 0.793_42], [0.871, 0.872_06]])
    {
        // 4.5 standard errors of either simulation.
        near(*found, few, 0.0185);
        near(*found, many, 0.014);
    }
    assert!(found.all <= 0.1 && found.any >= found.pairs[2]);
    assert_eq!(found, pairs(&TABLE_5, &table_5(), PairProcedure::TukeyKramer, 0.05, simulated).unwrap());
}

/// A pair of equal spread has a noncentral t, whose critical value is that of the studentized range over √2.
#[test]
fn simulated_pairs_agree_with_closed_forms() {
    let simulated = SimulatedStudies { studies: 20_000, seed: 15 };
    let group = PlannedGroup { count: 12.0, standard_deviation: 2.0 };
    let means = [0.0, 1.0, 2.5];
    let found = pairs(&means, &[group; 3], PairProcedure::TukeyKramer, 0.05, simulated).unwrap();
    let critical = StudentizedRange::new(3, 33.0).unwrap().upper_quantile(0.05).unwrap() / 2.0_f64.sqrt();
    for (found, difference) in found.pairs.iter().zip([1.0, 2.5, 1.5]) {
        let exact = NoncentralT::new(33.0, difference / (2.0 * (2.0_f64 / 12.0).sqrt())).unwrap();
        near(*found, exact.sf(critical) + exact.cdf(-critical), 0.016);
    }
    let groups = [group, PlannedGroup { count: 20.0, standard_deviation: 5.0 }];
    let found = pairs(&[0.0, 3.0], &groups, PairProcedure::GamesHowell, 0.05, simulated).unwrap();
    near(found.pairs[0], welch(3.0, groups, TwoSided, 0.05).unwrap().power, 0.016);
    assert_eq!((found.any, found.all), (found.pairs[0], found.pairs[0]));
    for procedure in [PairProcedure::TukeyKramer, PairProcedure::GamesHowell] {
        let found = pairs(&[0.0; 4], &[group; 4], procedure, 0.05, simulated).unwrap();
        // Games and Howell's procedure is slightly liberal.
        near(found.any, 0.05, 0.01);
    }
}

const SHARES: VarianceShares = VarianceShares::TYPICAL;

#[test]
fn raters_and_stimuli_as_published() {
    use CrossedDesign::{Counterbalanced, Crossed, Nested};
    let published =
        |design, p, q| crossed(design, 0.5, SHARES, [p, q], MeanSquares::Published, 0.05).unwrap();
    near(published(Crossed, 30.0, 30.0).power, 0.843_497, 1e-6);
    near(published(Counterbalanced, 30.0, 30.0).power, 0.826_536, 1e-6);
    near(published(Nested, 30.0, 30.0).power, 0.396_610, 1e-6);
    let found = published(Nested, 60.0, 100.0);
    near(found.noncentrality, 2.772_080, 1e-6);
    near(found.degrees_of_freedom, 119.2956, 1e-4);
    near(found.power, 0.785_160, 1e-6);
    near(published(Crossed, 10.0, 10.0).degrees_of_freedom, 14.0, 0.05);
}

#[test]
fn infinite_samples_are_limits() {
    let few =
        |q| crossed(CrossedDesign::Crossed, 0.5, SHARES, [3.0, q], MeanSquares::Matching, 0.05).unwrap();
    near(few(f64::INFINITY).power, 0.132_985, 1e-6);
    near(few(f64::INFINITY).degrees_of_freedom, 2.0, 0.0);
    for design in [
        CrossedDesign::Crossed,
        CrossedDesign::Counterbalanced,
        CrossedDesign::StimuliInCondition,
        CrossedDesign::RatersInCondition,
        CrossedDesign::Nested,
    ] {
        for [p, q] in [[12.0, f64::INFINITY], [f64::INFINITY, 12.0]] {
            let at =
                |p: f64, q: f64| crossed(design, 0.5, SHARES, [p, q], MeanSquares::Matching, 0.05).unwrap();
            near(at(p.min(1e9), q.min(1e9)).power, at(p, q).power, 1e-6);
        }
    }
    let both = [f64::INFINITY, f64::INFINITY];
    assert!(crossed(CrossedDesign::Crossed, 0.5, SHARES, both, MeanSquares::Matching, 0.05).is_err());
}

/// The estimated variance of a difference in simulated crossed designs has the spread that the matching mean squares
/// imply, and not the one of the published ones.
#[test]
fn degrees_of_freedom_of_a_crossed_design_hold_in_simulation() {
    const STUDIES: usize = 20_000;
    const SIDE: usize = 10;
    let mut draws = Draws::new(15, 0);
    let mut normal = |variance: f64| normal_quantile(draws.unit().max(1e-300)).unwrap() * variance.sqrt();
    let (mut sum, mut squares) = (0.0, 0.0);
    for _ in 0..STUDIES {
        // Differences of the two answers of a rater to a stimulus: slopes count twice, errors add up.
        let rows: [f64; SIDE] = std::array::from_fn(|_| normal(4.0 * SHARES.raters_by_condition));
        let columns: [f64; SIDE] = std::array::from_fn(|_| normal(4.0 * SHARES.stimuli_by_condition));
        let cells: [[f64; SIDE]; SIDE] = std::array::from_fn(|row| {
            std::array::from_fn(|column| rows[row] + columns[column] + normal(2.0 * SHARES.error))
        });
        let side = SIDE as f64;
        let row_means = cells.map(|row| row.iter().sum::<f64>() / side);
        let column_means: [f64; SIDE] =
            std::array::from_fn(|column| cells.iter().map(|row| row[column]).sum::<f64>() / side);
        let mean = row_means.iter().sum::<f64>() / side;
        let spread = |means: &[f64; SIDE]| means.iter().map(|found| (found - mean).powi(2)).sum::<f64>();
        let within: f64 = (0..SIDE * SIDE)
            .map(|cell| (cell / SIDE, cell % SIDE))
            .map(|(row, column)| (cells[row][column] - row_means[row] - column_means[column] + mean).powi(2))
            .sum();
        let mean_square = within / (side - 1.0).powi(2);
        let (c, s) = (side * spread(&row_means) / (side - 1.0), side * spread(&column_means) / (side - 1.0));
        let variance = (c + s - mean_square) / (side * side);
        sum += variance;
        squares += variance * variance;
    }
    let mean = sum / STUDIES as f64;
    let simulated = 2.0 * mean * mean / (squares / STUDIES as f64 - mean * mean);
    let found = |mean_squares| {
        crossed(CrossedDesign::Crossed, 0.5, SHARES, [10.0, 10.0], mean_squares, 0.05).unwrap()
    };
    near(mean.sqrt(), 0.5 / found(MeanSquares::Matching).noncentrality, 0.003);
    // The standard error of the simulated degrees of freedom is 1.5 %.
    near(simulated / found(MeanSquares::Matching).degrees_of_freedom, 1.0, 0.05);
    assert!(simulated / found(MeanSquares::Published).degrees_of_freedom > 1.08);
}

/// At the reference value, two one-sided tests fail together as good as never, so their power is 1 - 2 (1 - that of one).
#[test]
fn equivalence_has_the_power_of_its_two_tests() {
    let studies = SimulatedStudies { studies: 20_000, seed: 3 };
    let group = PlannedGroup { count: 30.0, standard_deviation: 0.09 };
    let shown = |mean, margin: f64| {
        let by_t =
            |mean, deviation: f64| StudentEstimate::new(mean, deviation / 30.0_f64.sqrt(), 29.0).map(Some);
        equivalent(mean, group, EquivalenceRegion::symmetric(0.5, margin), 0.05, by_t, studies).unwrap()
    };
    let one = |distance: f64| t_test(distance * 30.0_f64.sqrt() / 0.09, 29.0, Greater, 0.05).unwrap();
    near(shown(0.5, 0.05), 2.0 * one(0.05) - 1.0, 0.015);
    near(shown(0.52, 0.08), one(0.06), 0.015);
    // Where a model is just at the margin, it is shown in α of studies at the most.
    near(shown(0.58, 0.08), 0.05, 0.007);
    let none = |_, _| Ok(None::<StudentEstimate>);
    let region = EquivalenceRegion::symmetric(0.5, 0.05);
    near(equivalent(0.5, group, region, 0.05, none, studies).unwrap(), 0.0, 0.0);
    let nobody = SimulatedStudies { studies: 0, seed: 3 };
    assert!(equivalent(0.5, group, region, 0.05, none, nobody).is_err());
}

#[test]
fn bad_plans_are_refused() {
    let alternative = Alternative::TwoSided;
    assert!(welch(f64::NAN, [table_5()[0]; 2], alternative, 0.05).is_err());
    assert!(welch(0.5, [table_5()[0]; 2], alternative, 0.0).is_err());
    assert!(
        welch(0.5, [PlannedGroup { count: 1.0, standard_deviation: 1.0 }; 2], alternative, 0.05).is_err()
    );
    let simulated = SimulatedStudies { studies: 9, seed: 1 };
    let of = |means: &[f64], groups: &[PlannedGroup], alpha, simulated| {
        pairs(means, groups, PairProcedure::default(), alpha, simulated)
    };
    assert!(of(&[1.0, 2.0], &table_5()[..2], 0.05, simulated).is_ok());
    assert!(matches!(of(&[1.0], &table_5()[..1], 0.05, simulated), Err(StatError::TooFew { .. })));
    assert!(matches!(of(&[1.0], &table_5(), 0.05, simulated), Err(StatError::Lengths { .. })));
    assert!(of(&[1.0, f64::NAN], &table_5()[..2], 0.05, simulated).is_err());
    assert!(of(&[1.0, 2.0], &table_5()[..2], 1.0, simulated).is_err());
    assert!(of(&[1.0, 2.0], &table_5()[..2], 0.05, SimulatedStudies { studies: 0, seed: 1 }).is_err());
    assert!(percentile_width(0.0, 9.0, 0.95).is_err());
    assert!(deviation_limit(1.0, 1.0, 0.8).is_err());
    assert!(interval_width(1.0, 1.0, 0.95).is_err());
    assert!(count_for(1.0, 2.0, |_| Ok(0.5)).is_err());
    assert!(matches!(count_for(0.8, 2.0, |_| Ok(0.5)), Err(StatError::Degenerate { .. })));
    assert_eq!(count_for(0.8, 2.0, |_| Ok(0.9)), Ok(2.0));
    let negative = VarianceShares { error: -0.1, ..SHARES };
    let two = |design, shares, counts| crossed(design, 0.5, shares, counts, MeanSquares::Matching, 0.05);
    assert!(two(CrossedDesign::Crossed, negative, [9.0, 9.0]).is_err());
    assert!(two(CrossedDesign::Nested, SHARES, [2.0, 9.0]).is_err());
    assert!(two(CrossedDesign::Crossed, VarianceShares::default(), [9.0, 9.0]).is_err());
}
