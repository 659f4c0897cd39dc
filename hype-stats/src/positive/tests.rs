use super::*;
use crate::bootstrap::draws::Draws;
use crate::proof::{row, sized};

#[test]
fn intervals_match_independent_computations() {
    // numpy 2 and scipy 1.15: m exp(± t s) with t from scipy.stats.t.
    let cases: [(&[f64], [f64; 2]); 2] = [
        (&[180.0, 250.0, 310.0, 420.0, 900.0], [173.664_150_564_047_25, 977.426_829_018_453_6]),
        (&[200.0, 210.0, 190.0, 205.0, 800.0, 195.0], [127.302_343_144_622_4, 706.978_346_013_268_7]),
    ];
    for (values, [lower, upper]) in cases {
        let found = PositiveMean::new(values).unwrap();
        let range = found.interval(0.95).unwrap();
        assert!((range.lower - lower).abs() < 1e-9 * lower, "{range:?}");
        assert!((range.upper - upper).abs() < 1e-9 * upper, "{range:?}");
        assert!((found.p_at_most(range.lower).unwrap() - 0.025).abs() < 1e-9);
        assert!((found.p_at_least(range.upper).unwrap() - 0.025).abs() < 1e-9);
        assert_eq!(found.p_at_most(-1.0).unwrap(), 0.0);
        assert_eq!(found.p_at_least(0.0).unwrap(), 1.0);
    }
}

#[test]
fn values_that_are_not_positive_or_all_equal_have_no_such_mean() {
    assert!(matches!(PositiveMean::new(&[1.0, 0.0]), Err(StatError::Parameter { .. })));
    assert!(matches!(PositiveMean::new(&[3.0, 3.0, 3.0]), Err(StatError::Degenerate { .. })));
    assert!(matches!(PositiveMean::new(&[3.0]), Err(StatError::TooFew { .. })));
    assert!(matches!(PositiveMean::new(&[3.0, f64::NAN]), Err(StatError::NotFinite { .. })));
}

#[test]
fn two_groups_are_cut_where_they_are_apart() {
    let values = [200.0, 210.0, 190.0, 800.0, 205.0, 195.0];
    let found = two_groups(&logarithms(&values).unwrap()).unwrap();
    assert_eq!(found.counts, [5, 1]);
    assert!((found.means[1].exp() - 800.0).abs() < 1e-9);
    assert_eq!(two_groups(&[1.0, 1.1, 5.0, 5.1]), None);
    assert_eq!(two_groups(&[1.0, 1.4, 2.1, 2.3, 3.2, 3.6]), None);
    assert_eq!(two_groups(&[2.0; 8]), None);
    assert_eq!(two_groups(&[]), None);
}

/// How values are drawn, with their true mean.
type Times = (&'static str, fn(&mut Draws) -> f64, f64);

fn exponential(draws: &mut Draws) -> f64 {
    -(1.0 - draws.unit()).ln()
}

/// Distributions of raters' times.
const TIMES: [Times; 6] = [
    ("log-normal 0.4", |draws| (0.4 * draws.normal()).exp(), 1.083_287_067_674_958_6),
    ("log-normal 0.8", |draws| (0.8 * draws.normal()).exp(), 1.377_127_764_335_957),
    ("gamma 2", |draws| (0..2).map(|_| exponential(draws)).sum(), 2.0),
    ("gamma 6", |draws| (0..6).map(|_| exponential(draws)).sum(), 6.0),
    ("Weibull 1.5", |draws| exponential(draws).powf(1.0 / 1.5), 0.902_745_292_950_933_6),
    ("normal, 0.3 of the mean", |draws| (1.0 + 0.3 * draws.normal()).max(0.01), 1.0),
];

#[test]
fn intervals_of_times_cover_their_mean() {
    let mut draws = Draws::new(20_261_127, 0);
    let studies = sized(1500, 20_000);
    for (name, draw, truth) in TIMES {
        let cells: Vec<String> = [3, 5, 10, 30, 100]
            .into_iter()
            .map(|raters| {
                let (mut covered, mut split) = (0, 0);
                for _ in 0..studies {
                    let values: Vec<f64> = (0..raters).map(|_| draw(&mut draws)).collect();
                    let range = PositiveMean::new(&values).unwrap().interval(0.95).unwrap();
                    covered += usize::from(range.lower <= truth && truth <= range.upper);
                    split += usize::from(raters <= 30 && two_groups(&logarithms(&values).unwrap()).is_some());
                }
                let share = |count: usize| count as f64 / studies as f64;
                let error = (0.935 * 0.065 / studies as f64).sqrt();
                assert!(share(covered) > 0.93 - 3.0 * error, "{name}, {raters} raters: {}", share(covered));
                assert!(share(split) < 0.05 + 3.0 * error, "{name}, {raters} raters: {}", share(split));
                format!("{:.1}, groups {:.1}", 100.0 * share(covered), 100.0 * share(split))
            })
            .collect();
        let cells: Vec<&str> = std::iter::once(name).chain(cells.iter().map(String::as_str)).collect();
        row(&cells);
    }
}
