//! Opinion scores and subject models on 100,000 scores.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use hype_stats::opinion::{RatingsBuilder, Screening, alternating_projection, mean_opinion_scores, screen};

/// 2,000 stimuli, 500 subjects, 50 for each stimulus.
fn builder() -> RatingsBuilder {
    let mut builder = RatingsBuilder::new();
    for stimulus in 0..2_000_usize {
        for seat in 0..50_usize {
            // Strides without a common factor with 500 mix subjects without repeating one.
            let stride = [1, 3, 7, 9, 11, 13, 17, 19][stimulus % 8];
            let subject = (stimulus * 2_654_435_761 % 1_009 + seat * stride) % 500;
            let noise = (stimulus * 2_654_435_761 + seat * 40_503) % 97;
            let score = (stimulus % 5) as f64 * 0.6 + (subject % 7) as f64 * 0.1 + noise as f64 / 48.0;
            builder.add(stimulus, subject, 0, score.round().clamp(1.0, 5.0)).expect("a finite score");
        }
    }
    builder
}

fn opinion(criterion: &mut Criterion) {
    let builder = builder();
    let ratings = builder.clone().build().expect("distinct cells");
    criterion.bench_function("build a table of 100,000 scores", |bencher| {
        bencher.iter(|| black_box(&builder).clone().build().expect("distinct cells"));
    });
    criterion.bench_function("mean opinion scores with screening of 100,000 scores", |bencher| {
        bencher.iter(|| {
            let screened = screen(black_box(&ratings), Screening::default()).expect("scores");
            mean_opinion_scores(&screened.ratings).expect("scores")
        });
    });
    criterion.bench_function("alternating projection of 100,000 scores", |bencher| {
        bencher.iter(|| alternating_projection(black_box(&ratings)).expect("convergence"));
    });
}

criterion_group!(benches, opinion);
criterion_main!(benches);
