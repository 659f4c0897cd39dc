//! Times of the bootstrap on one core: the mean of 30 values, and 30 raters × 100 images.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use hype_stats::bootstrap::{Crossed, CrossedResamples, Resamples, mean, studentized_mean};

const RESAMPLES: usize = 10_000;

fn one_core(criterion: &mut Criterion) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a pool of one thread");
    let values: Vec<f64> = (0..30).map(|i| f64::from((i * 37) % 101) / 101.0).collect();
    criterion.bench_function(
        "mean of 30, percentile interval of 10,000 resamples (at most 0.7 ms on one core)",
        |bencher| {
            bencher.iter(|| {
                pool.install(|| {
                    mean(black_box(&values), Resamples::seeded(RESAMPLES, 7))
                        .and_then(|distribution| distribution.percentile(0.95))
                })
            });
        },
    );
    criterion.bench_function(
        "mean of 30, bootstrap-t interval of 10,000 resamples (at most 2 ms on one core)",
        |bencher| {
            bencher.iter(|| {
                pool.install(|| {
                    studentized_mean(black_box(&values), Resamples::seeded(RESAMPLES, 7))
                        .and_then(|distribution| distribution.interval(0.95))
                })
            });
        },
    );
    let cell = |place: usize| f64::from(u8::from((place * 37) % 101 < 40));
    let complete: Vec<Option<f64>> = (0..3_000).map(|place| Some(cell(place))).collect();
    let sparse: Vec<Option<f64>> = (0..3_000).map(|place| (place % 3 > 0).then(|| cell(place))).collect();
    for (name, cells) in [
        ("30 raters × 100 images, 10,000 resamples (at most 10 ms on one core)", complete),
        ("30 raters × 100 images, a third of the cells empty", sparse),
    ] {
        let crossed = Crossed::from_matrix(30, 100, &cells).expect("3,000 cells");
        criterion.bench_function(name, |bencher| {
            bencher.iter(|| {
                pool.install(|| {
                    crossed
                        .bootstrap(CrossedResamples::seeded(RESAMPLES, 7))
                        .and_then(|distribution| distribution.percentile(0.95))
                })
            });
        });
    }
}

criterion_group!(benches, one_core);
criterion_main!(benches);
