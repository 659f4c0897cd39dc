use chacha20::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};

use super::*;
use crate::components::{EstimationMethod, Responses, Source, variance_components};
use crate::distributions::normal_quantile;
use crate::equivalence::MeanEvidence;
use crate::preference::{BradleyTerry, CellVotes, ComparisonOutcome, Comparisons, Ties};
use crate::proof;
use crate::ttest::{self, Alternative};

fn unit(source: &mut ChaCha8Rng) -> f64 {
    ((source.next_u64() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
}

fn normal(source: &mut ChaCha8Rng) -> f64 {
    normal_quantile(unit(source)).unwrap()
}

fn close(a: f64, b: f64) {
    assert!((a - b).abs() <= 1e-12 * b.abs().max(1.0), "{a} is not {b}");
}

/// Contributions to the mean of each column, from rows of raters, with `None` where a rater has no value.
fn means(rows: &[Vec<Option<f64>>]) -> (Vec<f64>, Contributions) {
    let columns = rows[0].len();
    let mut contributions = Contributions::new(columns);
    let estimates = (0..columns)
        .map(|column| {
            let own: Vec<(u32, f64)> = rows
                .iter()
                .enumerate()
                .filter_map(|(rater, row)| Some((rater as u32, row[column]?)))
                .collect();
            let mean = own.iter().map(|(_, value)| value).sum::<f64>() / own.len() as f64;
            for &(rater, value) in &own {
                contributions.push(rater, 0, column, (value - mean) / own.len() as f64);
            }
            mean
        })
        .collect();
    (estimates, contributions)
}

#[test]
fn raters_of_every_model_are_compared_by_the_paired_t() {
    let (a, b) = ([0.61, 0.43, 0.85, 0.27, 0.66], [0.52, 0.47, 0.61, 0.11, 0.70]);
    let rows: Vec<Vec<Option<f64>>> = a.iter().zip(b).map(|(&a, b)| vec![Some(a), Some(b)]).collect();
    let (estimates, contributions) = means(&rows);
    let clustered = contributions.clustered(Target::Raters).unwrap();
    let variance = clustered.difference(0, 1).unwrap();
    let want = ttest::paired(&a, &b, Alternative::TwoSided, 0.95).unwrap();
    close(variance.standard_error(), want.standard_error);
    close(variance.p(estimates[0] - estimates[1]).unwrap(), want.p);
    let interval = variance.interval(want.difference, 0.95).unwrap();
    close(interval.lower, want.low);
    close(interval.upper, want.high);
    let one = ttest::paired(&a, &vec![0.0; a.len()], Alternative::TwoSided, 0.95).unwrap();
    close(clustered.of(0).unwrap().p(estimates[0]).unwrap(), one.p);
}

#[test]
fn different_raters_are_compared_by_welchs_t() {
    let (a, b) = ([310.0, 190.0, 420.0, 255.0], [250.0, 100.0, 120.0, 180.0, 140.0, 95.0]);
    let rows: Vec<Vec<Option<f64>>> = a
        .iter()
        .map(|&value| vec![Some(value), None])
        .chain(b.iter().map(|&value| vec![None, Some(value)]))
        .collect();
    let (estimates, contributions) = means(&rows);
    let variance = contributions.clustered(Target::Raters).unwrap().difference(0, 1).unwrap();
    let want = ttest::welch(&a, &b, Alternative::TwoSided, 0.95).unwrap();
    close(variance.standard_error(), want.standard_error);
    close(variance.degrees_of_freedom()[0], want.degrees_of_freedom);
    close(variance.p(estimates[0] - estimates[1]).unwrap(), want.p);
}

/// A complete table of raters and items with effects of both, and the contributions to its mean.
fn table(
    raters: usize,
    items: usize,
    [of_raters, of_items, noise]: [f64; 3],
    source: &mut ChaCha8Rng,
) -> (f64, Vec<Vec<f64>>, Contributions) {
    let effects: Vec<f64> = (0..raters).map(|_| of_raters * normal(source)).collect();
    let others: Vec<f64> = (0..items).map(|_| of_items * normal(source)).collect();
    let rows: Vec<Vec<f64>> = effects
        .iter()
        .map(|rater| others.iter().map(|item| rater + item + noise * normal(source)).collect())
        .collect();
    let count = (raters * items) as f64;
    let mean = rows.iter().flatten().sum::<f64>() / count;
    let mut contributions = Contributions::new(1);
    for (rater, row) in rows.iter().enumerate() {
        for (item, value) in row.iter().enumerate() {
            contributions.push(rater as u32, item as u32, 0, (value - mean) / count);
        }
    }
    (mean, rows, contributions)
}

#[test]
fn a_complete_table_has_the_variance_of_its_mean_squares() {
    let mut source = ChaCha8Rng::seed_from_u64(4);
    let (raters, items) = (7, 11);
    let (_, rows, contributions) = table(raters, items, [0.8, 0.6, 1.0], &mut source);
    let responses = rows
        .iter()
        .enumerate()
        .flat_map(|(rater, row)| row.iter().enumerate().map(move |(item, &value)| (rater, item, value)));
    let components = variance_components(&Responses::of_one_model(responses).unwrap()).unwrap();
    assert_eq!(components.method, EstimationMethod::MeanSquares);
    let of = |source| components.of(source).unwrap().variance;
    let (r, i) = (raters as f64, items as f64);
    let want = of(Source::Rater) / r + of(Source::Item) / i + of(Source::Residual) / (r * i);
    let variance = contributions.clustered(Target::RatersAndItems).unwrap().of(0).unwrap();
    close(variance.variance(), want);
    assert_eq!(variance.degrees_of_freedom(), [6.0, 10.0]);
    let raters_alone = contributions.clustered(Target::Raters).unwrap().of(0).unwrap();
    close(raters_alone.variance(), of(Source::Rater) / r + of(Source::Residual) / (r * i));
}

#[test]
fn the_p_value_is_the_level_at_which_the_interval_touches_zero() {
    let mut source = ChaCha8Rng::seed_from_u64(9);
    for shape in [[0.0, 0.0, 1.0], [0.5, 0.0, 1.0], [0.0, 0.7, 1.0], [1.0, 1.0, 0.3]] {
        let (_, _, contributions) = table(5, 20, shape, &mut source);
        let variance = contributions.clustered(Target::RatersAndItems).unwrap().of(0).unwrap();
        for estimate in [0.01, 0.3, 1.0, 5.0] {
            let p = variance.p(estimate).unwrap();
            assert!((0.0..=1.0).contains(&p));
            let margin = variance.margin(1.0 - p).unwrap();
            assert!((margin - estimate).abs() < 1e-7 * estimate, "{shape:?}: {margin} for {estimate}");
        }
    }
}

#[test]
fn equal_contributions_have_no_test() {
    let mut contributions = Contributions::new(1);
    (0..4).for_each(|rater| contributions.push(rater, 0, 0, 0.0));
    let variance = contributions.clustered(Target::Raters).unwrap().of(0).unwrap();
    assert!(variance.is_zero());
    assert!(matches!(variance.p(0.0), Err(crate::StatError::Degenerate { .. })));
    let lonely = Contributions::new(1).clustered(Target::Raters).unwrap().of(0);
    assert!(matches!(lonely, Err(crate::StatError::TooFew { got: 0, .. })));
}

/// Votes between equal models by raters and on items with preferences of their own.
fn votes(
    raters: u32,
    items: u32,
    models: u32,
    [of_raters, of_items]: [f64; 2],
    source: &mut ChaCha8Rng,
) -> Vec<CellVotes> {
    let table = |rows: u32, sd: f64, source: &mut ChaCha8Rng| -> Vec<Vec<f64>> {
        (0..rows).map(|_| (0..models).map(|_| sd * normal(source)).collect()).collect()
    };
    let (tastes, quality) = (table(raters, of_raters, source), table(items, of_items, source));
    let mut cells = Vec::new();
    for rater in 0..raters {
        for item in 0..items {
            for first in 0..models {
                for second in first + 1..models {
                    let value = |model: u32| {
                        tastes[rater as usize][model as usize] + quality[item as usize][model as usize]
                    };
                    let chance = (1.0 + (value(second) - value(first)).exp()).recip();
                    let counts = if unit(source) < chance { [1, 0, 0] } else { [0, 1, 0] };
                    cells.push(CellVotes { rater, item, first, second, counts });
                }
            }
        }
    }
    cells
}

fn table_of(models: usize, cells: &[CellVotes]) -> Comparisons {
    let mut votes = Comparisons::new(models).unwrap();
    for cell in cells {
        for (outcome, &count) in ComparisonOutcome::ALL.into_iter().zip(&cell.counts) {
            votes.push_count(cell.first, cell.second, outcome, count).unwrap();
        }
    }
    votes
}

#[test]
fn contributions_may_come_in_any_order_and_in_parts() {
    let mut source = ChaCha8Rng::seed_from_u64(13);
    let mut rows = Vec::new();
    for rater in 0..7_u32 {
        for item in 0..5_u32 {
            for estimate in 0..3_usize {
                if unit(&mut source) < 0.8 {
                    rows.push((rater, item, estimate, normal(&mut source)));
                }
            }
        }
    }
    let clustered = |rows: &[(u32, u32, usize, f64)]| {
        let mut contributions = Contributions::new(3);
        rows.iter()
            .for_each(|&(rater, item, estimate, value)| contributions.push(rater, item, estimate, value));
        contributions.clustered(Target::RatersAndItems).unwrap()
    };
    let want = clustered(&rows);
    // Half of each value first, in an order that leaves no cell together.
    let mut parts: Vec<(u32, u32, usize, f64)> = rows
        .iter()
        .chain(&rows)
        .map(|&(rater, item, estimate, value)| (rater, item, estimate, value / 2.0))
        .collect();
    parts.sort_by_key(|&(rater, item, estimate, _)| (estimate, item, rater.wrapping_mul(5) % 7));
    parts.rotate_left(11);
    let found = clustered(&parts);
    assert_eq!((found.raters(), found.items()), (Some(7), Some(5)));
    for estimate in 0..3 {
        let [found, want] = [&found, &want].map(|clustered| clustered.of(estimate).unwrap());
        close(found.standard_error(), want.standard_error());
        found.degrees_of_freedom().iter().zip(want.degrees_of_freedom()).for_each(|(&a, b)| close(a, b));
    }
    for (a, b) in [(0, 1), (2, 0)] {
        let [found, want] = [&found, &want].map(|clustered| clustered.difference(a, b).unwrap());
        close(found.standard_error(), want.standard_error());
    }
}

/// How often the interval of a mean covers it, in percent.
fn coverage_of_means(raters: usize, items: usize, shape: [f64; 3], studies: u32, target: Target) -> f64 {
    let mut source = ChaCha8Rng::seed_from_u64(31);
    let covered = (0..studies).filter(|_| {
        let (mean, _, contributions) = table(raters, items, shape, &mut source);
        let variance = contributions.clustered(target).unwrap().of(0).unwrap();
        mean.abs() <= variance.margin(0.95).unwrap()
    });
    100.0 * covered.count() as f64 / f64::from(studies)
}

/// Intervals over raters and items, at the designs that people run. The Monte-Carlo error of a row is 0.7 points, of the
/// long proof 0.2.
#[test]
fn means_over_raters_and_items_are_covered() {
    let studies = proof::sized(1_000, 10_000);
    let designs = proof::sized(
        vec![(3, 30), (3, 100), (10, 30), (30, 20)],
        [3, 5, 10, 15, 30, 100]
            .iter()
            .flat_map(|&raters| [10, 30, 100, 200].map(|items| (raters, items)))
            .filter(|(raters, items)| raters * items <= 6_000)
            .collect(),
    );
    let error = proof::sized(2.1, 0.7);
    for (raters, items) in designs {
        for shape in [[0.0, 0.0, 1.0], [0.3, 0.3, 1.0], [1.0, 0.0, 1.0], [0.0, 1.0, 1.0], [1.0, 1.0, 1.0]] {
            let covers = coverage_of_means(raters, items, shape, studies, Target::RatersAndItems);
            proof::row(&[
                &format!("{raters} raters, {items} items"),
                &format!("sd of raters {}, of items {}", shape[0], shape[1]),
                &format!("{covers:.1} %"),
            ]);
            assert!(covers >= 94.5 - error, "{raters} × {items} {shape:?}: {covers}");
            let is_null = shape == [0.0, 0.0, 1.0];
            assert!(
                raters < 10 || is_null || covers <= 96.5 + error,
                "{raters} × {items} {shape:?}: {covers}"
            );
        }
    }
}

/// Equal models: the share of studies in which any pair differs, with Bonferroni's correction, and the coverage of the
/// difference of the first two.
#[test]
fn equal_models_rarely_differ() {
    let studies = proof::sized(400, 4_000);
    let error = proof::sized(3.3, 1.1);
    let designs: &[(u32, u32, u32, [f64; 2], Target)] = &[
        (3, 20, 3, [0.5, 0.0], Target::Raters),
        (5, 20, 3, [0.5, 0.0], Target::Raters),
        (10, 20, 3, [0.5, 0.0], Target::Raters),
        (3, 20, 3, [0.3, 0.7], Target::RatersAndItems),
        (10, 20, 3, [0.3, 0.7], Target::RatersAndItems),
        (30, 20, 3, [0.3, 0.7], Target::RatersAndItems),
    ];
    for &(raters, items, models, shape, target) in designs {
        let mut source = ChaCha8Rng::seed_from_u64(77);
        let (mut rejected, mut covered, mut fitted) = (0, 0, 0);
        for _ in 0..studies {
            let cells = votes(raters, items, models, shape, &mut source);
            let clustered = table_of(models as usize, &cells);
            let Ok(fit) = BradleyTerry::new(Ties::Half).fit(&clustered) else { continue };
            let errors = fit.crossed(cells.iter().copied(), target).unwrap();
            fitted += 1;
            let pairs: Vec<(usize, usize)> =
                (0..models as usize).flat_map(|a| (a + 1..models as usize).map(move |b| (a, b))).collect();
            let least = pairs
                .iter()
                .map(|&(a, b)| errors.difference(a, b).unwrap().p(fit.theta[a] - fit.theta[b]).unwrap())
                .fold(1.0, f64::min);
            rejected += u32::from(least * pairs.len() as f64 <= 0.05);
            let margin = errors.difference(0, 1).unwrap().margin(0.95).unwrap();
            covered += u32::from((fit.theta[0] - fit.theta[1]).abs() <= margin);
        }
        let percent = |count: u32| 100.0 * f64::from(count) / f64::from(fitted);
        proof::row(&[
            &format!("{raters} raters, {items} items, {models} models, {target:?}"),
            &format!("sd of raters {}, of items {}", shape[0], shape[1]),
            &format!("type I {:.1} %, covers {:.1} %", percent(rejected), percent(covered)),
        ]);
        assert!(fitted > studies * 9 / 10, "{fitted}");
        assert!(percent(rejected) <= 5.5 + error, "{raters} {target:?}: {}", percent(rejected));
        assert!(percent(covered) >= 94.5 - error, "{raters} {target:?}: {}", percent(covered));
    }
}

#[test]
fn one_sided_p_values_and_intervals_invert_each_other() {
    let rows: Vec<Vec<f64>> =
        vec![vec![0.2, 0.5, 0.4], vec![0.1, 0.9, 0.6], vec![0.3, 0.8, 0.3], vec![0.2, 0.6, 0.7]];
    let mean = rows.iter().flatten().sum::<f64>() / 12.0;
    let mut contributions = Contributions::new(1);
    for (rater, row) in rows.iter().enumerate() {
        for (item, value) in row.iter().enumerate() {
            contributions.push(rater as u32, item as u32, 0, (value - mean) / 12.0);
        }
    }
    for target in [Target::Raters, Target::Items, Target::RatersAndItems] {
        let variance = contributions.clustered(target).unwrap().of(0).unwrap();
        let evidence = ClusteredEstimate::new(mean, variance).unwrap();
        for level in [0.5, 0.9, 0.99] {
            let range = evidence.interval(level).unwrap();
            let tail = 0.5 * (1.0 - level);
            for p in [
                evidence.p_at_most(range.lower).unwrap(),
                evidence.p_at_least(range.upper).unwrap(),
                0.5 * evidence.p_equal(range.lower).unwrap(),
            ] {
                assert!((p - tail).abs() < 1e-9, "{target:?} at {level}: {p}");
            }
        }
        let at = |value: f64| evidence.p_at_most(value).unwrap() + evidence.p_at_least(value).unwrap();
        assert!((at(0.3) - 1.0).abs() < 1e-12 && (at(mean) - 1.0).abs() < 1e-12);
    }
    let same = ClusteredVariance::of_error(0.0, 4.0).unwrap();
    assert!(ClusteredEstimate::new(0.4, same).is_err());
}
