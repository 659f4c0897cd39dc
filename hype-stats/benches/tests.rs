//! Times of the tests on one core.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};

fn placeholder(criterion: &mut Criterion) {
    criterion.bench_function("start", |bencher| bencher.iter(|| black_box(1)));
}

criterion_group!(benches, placeholder);
criterion_main!(benches);
