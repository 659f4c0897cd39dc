//! Restricted maximum likelihood of unbalanced crossed designs.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use hype_stats::components::{Observation, Responses, restricted_maximum_likelihood};

/// Every fifth cell is missing.
fn responses(models: usize, raters: usize, items: usize) -> Responses {
    let mut rows = Vec::new();
    for place in (0..models * raters * items).filter(|place| place * 2_654_435_761 % 1_009 % 5 > 0) {
        let (model, rater, item) = (place / (raters * items), place / items % raters, place % items);
        let effect = |a: usize, b: usize| ((a * 97 + b * 57 + 31) * 7_919 % 1_009) as f64 / 1_009.0;
        let value = effect(rater, 0)
            + effect(item, 1)
            + effect(rater, model + 2)
            + effect(item, model + 9)
            + effect(rater, item + 99)
            + effect(place, place % 89);
        rows.push(Observation { model, rater, item, value });
    }
    Responses::new(rows).expect("a design")
}

fn components(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("restricted likelihood");
    group.sample_size(10);
    for (models, raters, items) in [(1, 50, 500), (3, 30, 100)] {
        let responses = responses(models, raters, items);
        group.bench_function(format!("{models} models, {raters} raters, {items} items"), |bencher| {
            bencher.iter(|| restricted_maximum_likelihood(black_box(&responses)).expect("components"));
        });
    }
    group.finish();
}

criterion_group!(benches, components);
criterion_main!(benches);
