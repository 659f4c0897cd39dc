//! The task passes hype-sim's conformance suite on two designs, and the metric that for metrics.

use hype::core::RaterDesign;
use hype::core::Raters;
use hype::sim::{fixtures, metric_conformance, task_conformance};
use hype_example_plugin::{Colourfulness, YesNo};

task_conformance!(
    one_model_for_each_rater,
    task = YesNo { pairs: 8.into(), ..YesNo::default() },
    stimuli = fixtures::stimuli(10, &[("good", 9), ("weak", 8)]),
);

task_conformance!(
    every_model_for_each_rater,
    task = YesNo { pairs: 5.into(), exposure_ms: 100.into() },
    stimuli = fixtures::stimuli(15, &[("good", 5), ("middling", 6), ("weak", 7)]),
    raters = Raters { per_model: 3, design: RaterDesign::Within, qualification: None, ..Raters::default() },
);

metric_conformance!(colourfulness, metric = Colourfulness::default());

/// Grey has no colour. Half red and half blue: rg is 255 and 0, yb 127.5 and -255; the standard deviations are 127.5 and
/// 191.25, the means 127.5 and -63.75.
#[test]
fn colourfulness_matches_the_publication() {
    use hype::prelude::{Metric as _, MetricUnit, Observed};
    let colourfulness = |samples: &[u8]| {
        let pixels = hype::core::RgbPixels { width: samples.len() as u32 / 3, height: 1, samples };
        let unit = MetricUnit { output: Observed::Pixels(pixels), other: None };
        Colourfulness::default().row(&unit).map(|row| row[0])
    };
    assert_eq!(colourfulness(&[90; 12]), Ok(0.0));
    let expected = 127.5_f64.hypot(191.25) + 0.3 * 127.5_f64.hypot(63.75);
    assert!(colourfulness(&[255, 0, 0, 0, 0, 255]).is_ok_and(|found| (found - expected).abs() < 1e-12));
}
