//! Times of the tests on one core.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use hype_stats::anova::one_way;
use hype_stats::correlation::{KendallMethod, SpearmanMethod, kendall, spearman};
use hype_stats::equivalence::MeanEvidence;
use hype_stats::facets::interaction;
use hype_stats::pairwise::{games_howell, tukey_kramer};
use hype_stats::positive::PositiveMean;
use hype_stats::sequential::{GroupSequential, Spending};
use hype_stats::studentized_range::StudentizedRange;

/// Four groups of thirty values whose means lie `distance` apart.
fn groups(distance: f64) -> Vec<Vec<f64>> {
    let value = |group: u32, index: u32| {
        f64::from((index * 37 + group * 11) % 101) / 101.0 + distance * f64::from(group)
    };
    (0..4).map(|group| (0..30).map(|index| value(group, index)).collect()).collect()
}

fn comparisons(criterion: &mut Criterion) {
    for (name, distance) in [("close", 0.05), ("far", 0.8)] {
        let groups = groups(distance);
        criterion.bench_function(&format!("Tukey-Kramer, 4 × 30, {name} means (at most 1 ms)"), |bencher| {
            bencher.iter(|| tukey_kramer(black_box(&groups), 0.95));
        });
        criterion.bench_function(&format!("Games-Howell, 4 × 30, {name} means"), |bencher| {
            bencher.iter(|| games_howell(black_box(&groups), 0.95));
        });
    }
    let groups = groups(0.05);
    criterion.bench_function("one-way analysis of variance, 4 × 30", |bencher| {
        bencher.iter(|| one_way(black_box(&groups)));
    });
}

fn tails(criterion: &mut Criterion) {
    for (means, degrees) in [(4, 116.0), (4, 2.0), (100, 20.0), (4, f64::INFINITY)] {
        let name = format!("studentized range, {means} means, {degrees} degrees of freedom");
        criterion.bench_function(&name, |bencher| {
            bencher.iter(|| StudentizedRange::new(means, black_box(degrees)).map(|range| range.sf(4.0)));
        });
    }
}

fn ranks(criterion: &mut Criterion) {
    let x: Vec<f64> = (0..5_000_u32).map(f64::from).collect();
    let y: Vec<f64> = (0..5_000_u32).map(|index| f64::from(index * 37 % 4_999)).collect();
    criterion.bench_function("Kendall, 5,000 pairs", |bencher| {
        bencher.iter(|| kendall(black_box(&x), &y, KendallMethod::Auto));
    });
    let (x, y) = (&x[..9], [3.0, 1.0, 4.0, 1.5, 5.0, 9.0, 2.0, 6.0, 5.5]);
    criterion.bench_function("exact Spearman, 9 pairs (at most 10 ms)", |bencher| {
        bencher.iter(|| spearman(black_box(x), &y, SpearmanMethod::Auto, 0.95));
    });
    let tied = [3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0, 6.0, 5.0];
    criterion.bench_function("exact Kendall, 9 pairs with ties (at most 10 ms)", |bencher| {
        bencher.iter(|| kendall(black_box(x), &tied, KendallMethod::Auto));
    });
}

/// Measures the statistics behind the findings of cells, of times, and of a study that a rule has stopped.
fn inference(criterion: &mut Criterion) {
    let cells = [groups(0.05), groups(0.1), groups(0.2)];
    criterion.bench_function("ANOVA-type statistic, 3 × 4 cells of 30 (at most 50 µs)", |bencher| {
        bencher.iter(|| interaction(black_box(&cells)));
    });
    let times: Vec<f64> = (0..1_000_u32).map(|index| 200.0 + f64::from(index * 37 % 701)).collect();
    criterion.bench_function("interval of a mean of 1,000 times (at most 100 µs)", |bencher| {
        bencher.iter(|| PositiveMean::new(black_box(&times))?.interval(0.95));
    });
    let looks = [20.0, 40.0, 60.0, 90.0, 120.0].map(|raters| raters / 120.0);
    let design = GroupSequential::new(&looks, Spending::OBrienFleming, 0.05).expect("looks that ascend");
    criterion.bench_function(
        "median-unbiased estimate after the fourth of five looks (at most 50 ms)",
        |bencher| {
            bencher.iter(|| design.after(black_box(3), 2.4, 0.95));
        },
    );
}

criterion_group!(benches, comparisons, tails, ranks, inference);
criterion_main!(benches);
