//! SSIM and others of a pair of 2048 × 2048 in colour.

use criterion::{Criterion, criterion_group, criterion_main};
use hype_metrics::pixels::{
    Image, SimilarityWindow, mean_squared_error, multiscale_similarity, structural_similarity,
};

mod support;

use support::processor_time;

const SIDE: usize = 2048;

fn pixels(criterion: &mut Criterion) {
    let samples =
        |step: usize| -> Vec<u8> { (0..SIDE * SIDE * 3).map(|place| ((place * step) >> 7) as u8).collect() };
    let (left, right) = (samples(37), samples(41));
    let image = |samples| Image::new(samples, SIDE, SIDE, 3).expect("an image");
    let (left, right) = (image(&left), image(&right));
    let mut group = criterion.benchmark_group("RGB 2048 × 2048");
    group.sample_size(10);
    group.bench_function("SSIM, Gaussian (at most 0.17 s)", |bencher| {
        bencher.iter(|| structural_similarity(&left, &right, SimilarityWindow::Gaussian));
    });
    group.bench_function("SSIM, Gaussian, processor time", |bencher| {
        processor_time(bencher, || structural_similarity(&left, &right, SimilarityWindow::Gaussian));
    });
    group.bench_function("SSIM, uniform 7 × 7", |bencher| {
        bencher.iter(|| structural_similarity(&left, &right, SimilarityWindow::Uniform7));
    });
    group.bench_function("MS-SSIM", |bencher| bencher.iter(|| multiscale_similarity(&left, &right)));
    group.bench_function("MSE", |bencher| bencher.iter(|| mean_squared_error(&left, &right)));
    group.finish();
}

criterion_group!(benches, pixels);
criterion_main!(benches);
