//! FID and KID of features of 2048 columns.

use std::time::Duration;

use criterion::{Criterion, SamplingMode, criterion_group, criterion_main};
use hype_metrics::frechet::{frechet_distance, frechet_from_moments};
use hype_metrics::kernel::{SubsetSettings, kernel_distance_of_subsets};
use hype_metrics::{FeatureMoments, Features};

mod support;

use support::{WIDTH, features, processor_time};

const ROWS: usize = 10_000;

fn distances(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("10,000 × 2048");
    group.sample_size(10).sampling_mode(SamplingMode::Flat);
    group.warm_up_time(Duration::from_millis(1)).measurement_time(Duration::from_secs(1));
    let sets = [features(1, ROWS), features(2, ROWS)];
    let [real, generated] =
        [&sets[0], &sets[1]].map(|set| Features::new(set, WIDTH).expect("finite features"));
    group.bench_function("FID from features (at most 2.5 s of processor time)", |bencher| {
        processor_time(bencher, || frechet_distance(&real, &generated));
    });
    let mut moments = [real, generated].map(|set| FeatureMoments::of(&set).expect("features"));
    group.bench_function("FID from moments, processor time", |bencher| {
        let [left, right] = &mut moments;
        processor_time(bencher, || frechet_from_moments(left, right));
    });
    group.bench_function("KID, 100 subsets of 1,000 (at most 1.5 s)", |bencher| {
        bencher.iter(|| kernel_distance_of_subsets(&real, &generated, SubsetSettings::customary(7)));
    });
    group.bench_function("KID, 100 subsets of 1,000, processor time", |bencher| {
        processor_time(bencher, || {
            kernel_distance_of_subsets(&real, &generated, SubsetSettings::customary(7))
        });
    });
    group.finish();
}

criterion_group!(benches, distances);
criterion_main!(benches);
