//! Precision and recall of features of 2048 columns. Alone in its process, whose peak memory it prints.

use std::time::Duration;

use criterion::{Criterion, SamplingMode, criterion_group, criterion_main};
use hype_metrics::Features;
use hype_metrics::neighbours::{BallSettings, precision_recall};

mod support;

use support::{WIDTH, features, print_peak_memory, processor_time};

fn neighbours(criterion: &mut Criterion) {
    let sets = [features(1, 10_000), features(2, 10_000)];
    let [real, generated] =
        [&sets[0], &sets[1]].map(|set| Features::new(set, WIDTH).expect("finite features"));
    let mut group = criterion.benchmark_group("10,000 × 2048");
    group.sample_size(10).sampling_mode(SamplingMode::Flat);
    group.warm_up_time(Duration::from_millis(1)).measurement_time(Duration::from_secs(1));
    group.bench_function("precision and recall (at most 4 s and 400 MB)", |bencher| {
        bencher.iter(|| precision_recall(&real, &generated, BallSettings::PRECISION_RECALL));
    });
    group.bench_function("precision and recall, processor time", |bencher| {
        processor_time(bencher, || precision_recall(&real, &generated, BallSettings::PRECISION_RECALL));
    });
    group.finish();
    print_peak_memory("features included");
}

criterion_group!(benches, neighbours);
criterion_main!(benches);
