//! Cohorts with the published thresholds give intervals of about the published width, and the two models of the
//! paper are told apart.

#![allow(dead_code, clippy::unwrap_used, clippy::expect_used, unreachable_pub, missing_docs, reason = "a test")]

#[path = "support/studies.rs"]
mod studies;

use hype::tasks::HypeTime;

/// Zhou et al. 2019, table 1: FFHQ, StyleGAN with and without truncation: 363.2 ms (300.0 to 424.3) and 240.7 ms
/// (184.7 to 302.7), standard deviations of the bootstrap distribution 32.1 and 29.9 ms, 30 raters each.
const PUBLISHED: [(&str, f64, f64); 2] = [("trunc", 363.2, 124.3), ("no_trunc", 240.7, 118.0)];

/// The spread of ln thresholds over raters that gives a standard deviation of about 32.1 sqrt(30) = 176 ms around
/// 363 ms.
const RATER_SD: f64 = 0.45;

/// Simulated studies; the mean width of their intervals has a standard error of about 4 ms.
const STUDIES: u64 = 12;

#[test]
fn thirty_raters_a_model() {
    let mut widths = [0.0; 2];
    let mut told_apart = 0;
    for seed in 0..STUDIES {
        // The median rater's threshold is below the mean of a log-normal population; the target of 75 % lies
        // a little over the observer's threshold.
        let thresholds = PUBLISHED.map(|(model, mean, _)| (model, mean / (RATER_SD * RATER_SD / 2.0_f64).exp()));
        let study = studies::study(Box::new(HypeTime::default()), 30, seed, &thresholds, RATER_SD);
        let found = studies::findings(&study, 2);
        for (width, (model, _, _)) in widths.iter_mut().zip(PUBLISHED) {
            let interval = studies::estimate(&found, "mode_ms", model).interval.clone().unwrap();
            *width += (interval.high - interval.low) / STUDIES as f64;
        }
        let pair = &found.measures[0].comparisons[0];
        assert_eq!((&*pair.a, &*pair.b), ("trunc", "no_trunc"));
        told_apart += u32::from(pair.p.unwrap() < 0.05);
    }
    for (width, (model, _, published)) in widths.iter().zip(PUBLISHED) {
        println!("{model}: mean width {width:.1} ms, published {published} ms");
        assert!((width / published - 1.0).abs() < 0.3, "{model}: {width} ms");
    }
    println!("told apart in {told_apart} of {STUDIES} studies");
    assert!(told_apart >= 10, "{told_apart} of {STUDIES}");
}
