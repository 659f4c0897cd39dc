//! Times the pyramid, the analysis and one iteration of the synthesis; the aim is 64 masks of
//! 256 x 256 pixels at 25 iterations in 30 seconds on two cores, 35 ms an iteration.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use hype_images::texture::{Model, Plane, Pyramid, Statistics, Synthesizer, TextureError, white_noise};

/// Noise with correlated rows and columns, on which every adjustment has an effect.
fn source(side: usize) -> Result<Plane, TextureError> {
    let noise = white_noise(1, side * side);
    let values = (0..side * side)
        .map(|at| {
            let near = noise[at] + noise[(at + 1) % (side * side)] + noise[(at + side) % (side * side)];
            (40.0 * near + 128.0).clamp(0.0, 255.0)
        })
        .collect();
    Plane::new(side, side, values)
}

fn texture(criterion: &mut Criterion) {
    for side in [256, 512] {
        if let Err(error) = at(criterion, side) {
            panic!("planes of {side} pixels: {error}");
        }
    }
}

fn at(criterion: &mut Criterion, side: usize) -> Result<(), TextureError> {
    let mut group = criterion.benchmark_group("texture");
    group.sample_size(20);
    let plane = source(side)?;
    let pyramid = Pyramid::new(side, side, 4, 4)?;
    group.bench_function(BenchmarkId::new("pyramid", side), |bench| {
        bench.iter(|| black_box(pyramid.decompose(black_box(&plane))));
    });
    group.bench_function(BenchmarkId::new("analysis", side), |bench| {
        bench.iter(|| black_box(Statistics::of(black_box(&plane), Model::default())));
    });
    let synthesizer = Synthesizer::new(Statistics::of(&plane, Model::default())?, side, side)?;
    let mut run = synthesizer.run(synthesizer.noise(1))?;
    group.bench_function(BenchmarkId::new("iteration", side), |bench| {
        bench.iter(|| {
            black_box(run.step());
        });
    });
    group.finish();
    Ok(())
}

criterion_group!(benches, texture);
criterion_main!(benches);
