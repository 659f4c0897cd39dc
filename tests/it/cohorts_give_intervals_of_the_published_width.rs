//! Cohorts with the published thresholds give intervals of about the published width, and the two models of the
//! paper are distinguished.

#![allow(
    dead_code,
    clippy::unwrap_used,
    clippy::expect_used,
    unreachable_pub,
    missing_docs,
    reason = "a test"
)]

use crate::studies;

use hype::sim::{Observer, Population};
use hype::tasks::HypeTime;

/// Zhou et al. 2019, table 1: FFHQ, StyleGAN with and without truncation, 30 raters each: the threshold (300.0 to
/// 424.3 and 184.7 to 302.7 ms), the interval's width, and the standard deviation of the bootstrap distribution, all
/// in ms.
const PUBLISHED: [(&str, f64, f64, f64); 2] =
    [("trunc", 363.2, 124.3, 32.1), ("no_trunc", 240.7, 118.0, 29.9)];

const RATERS: u32 = 30;

/// Simulated studies. The mean width of their intervals has a standard error of about 3 ms. With these spreads a
/// difference of 122 ms is about three standard errors, which Welch's t finds in 85 % of studies; fewer than 16 of 24
/// would occur once in 200 times.
const STUDIES: u64 = 24;
const TOLD_APART: u32 = 16;

/// Log-normal populations of raters with the published mean and, over raters, sqrt(30) times the published
/// standard deviation of the mean.
fn study(seed: u64) -> hype::core::Study {
    let observers = PUBLISHED
        .iter()
        .map(|&(model, mean, _, std)| {
            let variance = (1.0 + (std * f64::from(RATERS).sqrt() / mean).powi(2)).ln();
            let observer = Observer {
                threshold_ms: Some(mean / (variance / 2.0).exp()),
                rater_sd: Some(variance.sqrt()),
                ..Observer::default()
            };
            (model.to_owned(), observer)
        })
        .collect();
    let population = Population { observers, ..Population::default() };
    let sets = PUBLISHED.map(|(model, ..)| model);
    studies::study(Box::new(HypeTime::default()), RATERS, seed, &sets, population)
}

#[test]
fn thirty_raters_a_model() {
    let mut widths = [(0.0, 0_u64); 2];
    let (mut distinguished, mut compared) = (0, 0);
    for seed in 0..STUDIES {
        let study = study(seed);
        let found = studies::findings(&study, 2);
        for ((width, count), (model, ..)) in widths.iter_mut().zip(PUBLISHED) {
            // Now and then more raters have thresholds out of reach than an interval allows for.
            let Some(interval) = &studies::estimate(&found, "mode_ms", model).interval else { continue };
            *width += interval.high - interval.low;
            *count += 1;
        }
        let Some(pair) = found.measures[0].comparisons.first() else { continue };
        compared += 1;
        assert_eq!(&*pair.method, "Welch's t");
        distinguished += u32::from(pair.p.unwrap() < 0.05 && &*pair.a == "trunc");
    }
    for ((width, count), (model, _, published, _)) in widths.iter().zip(PUBLISHED) {
        assert!(*count * 2 >= STUDIES, "{model}: {count} of {STUDIES} studies have an interval");
        let width = width / *count as f64;
        println!("{model}: mean width {width:.1} ms, published {published} ms");
        assert!((width / published - 1.0).abs() < 0.3, "{model}: {width} ms");
    }
    println!("distinguished in {distinguished} of {compared} studies");
    assert!(distinguished * STUDIES as u32 >= TOLD_APART * compared, "{distinguished} of {compared}");
}
