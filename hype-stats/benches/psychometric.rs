//! Times of psychometric fits on one core: a posterior of the beta-binomial model, and a fit by maximum likelihood.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use hype_stats::psychometric::bayesian::{self, Experiment, Options, PsychometricParameter};
use hype_stats::psychometric::{Axis, FitOptions, Lapse, Sigmoid, Tally, fit};

/// Answers of a rater whose threshold is in the middle of ten levels.
fn tallies() -> Vec<Tally> {
    [
        (100, 21),
        (140, 24),
        (180, 23),
        (220, 29),
        (260, 31),
        (300, 34),
        (340, 36),
        (380, 37),
        (420, 39),
        (460, 39),
    ]
    .map(|(level, correct)| Tally::new(f64::from(level), correct, 40))
    .to_vec()
}

fn one_core(criterion: &mut Criterion) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a pool of one thread");
    let tallies = tallies();
    let forced = Experiment::ForcedChoice { alternatives: 2 };
    let options = Options::new(Sigmoid::Logistic, Axis::Linear, forced).expect("two alternatives");
    criterion.bench_function(
        "posterior of ten levels with overdispersion (at most 15 ms on one core)",
        |bencher| bencher.iter(|| pool.install(|| bayesian::fit(black_box(&tallies), &options))),
    );
    let block = Options::new(Sigmoid::Logistic, Axis::Logarithmic, forced)
        .and_then(|options| options.fix(PsychometricParameter::Overdispersion, 0.0))
        .expect("no overdispersion");
    criterion.bench_function("most probable function of ten levels (at most 2 ms on one core)", |bencher| {
        bencher.iter(|| pool.install(|| bayesian::most_probable(black_box(&tallies), &block)));
    });
    let options = FitOptions::new(Sigmoid::Gumbel, Axis::Logarithmic, 0.5, Lapse::Free { greatest: 0.06 });
    let options = options.expect("rates below 1");
    criterion.bench_function("maximum-likelihood fit of ten levels", |bencher| {
        bencher.iter(|| fit(black_box(&tallies), &options));
    });
}

criterion_group!(benches, one_core);
criterion_main!(benches);
