//! Shrunken rates of single images agree with values by minimization in scipy 1.17.1.

use crate::reference::text;
use hype_stats::shrinkage::{BetaBinomial, ItemCount, RateDistribution};

/// The generated images of a model, with how many of their answers were "real".
fn images(text: &str, model: &str) -> Vec<(String, ItemCount)> {
    let mut found = Vec::new();
    for line in text.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        if fields[1] == model && fields[2] == "1" {
            let [trials, generated]: [u64; 2] = [4, 5].map(|column| fields[column].parse().unwrap());
            found.push((fields[3].to_owned(), ItemCount { successes: trials - generated, trials }));
        }
    }
    found
}

fn close(got: f64, want: f64, tolerance: f64) {
    assert!((got - want).abs() <= tolerance, "got {got}, want {want}");
}

#[test]
fn shrunken_rates_of_published_images() {
    let Some(text) = text("hype_infinity/ffhq256_per_image.csv") else { return };
    for (model, a, b, likelihood) in [
        ("stylenat", 1.023_154_776, 2.569_604_349, 1_460.191_465_282),
        ("efficient-vdvae", 0.837_701_508, 8.049_140_999, 781.509_172_543),
    ] {
        let images = images(&text, model);
        let counts: Vec<ItemCount> = images.iter().map(|(_, count)| *count).collect();
        let fit = BetaBinomial::fit(&counts).unwrap();
        let RateDistribution::Beta { a: found_a, b: found_b } = fit.distribution() else { panic!("{fit:?}") };
        close(found_a, a, 1e-6);
        close(found_b, b, 1e-6);
        close(fit.negative_log_likelihood(), likelihood, 1e-8);
        if model == "stylenat" {
            assert_eq!(images.len(), 1_423);
            assert_eq!(counts.iter().filter(|count| count.successes == count.trials).count(), 276);
            let rates = fit.rates(&counts, 0.9).unwrap();
            let rate = |name: &str| rates[images.iter().position(|(image, _)| image == name).unwrap()];
            let always = rate("021228.png");
            close(always.estimate, 0.661_571_728, 1e-7);
            close(always.interval.lower, 0.371_845_02, 1e-7);
            close(always.interval.upper, 0.900_246_99, 1e-7);
            close(rate("097629.png").estimate, 0.119_071_739, 1e-7);
        }
    }
}
