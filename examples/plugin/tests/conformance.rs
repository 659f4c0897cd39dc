//! The task behaves as tasks have to: hype-sim's suite, run on two designs.

use hype_core::RaterDesign;
use hype_core::Raters;
use hype_example_plugin::TwoInterval;
use hype_sim::{fixtures, task_conformance};

task_conformance!(
    one_model_for_each_rater,
    task = TwoInterval { trials: 8, ..TwoInterval::default() },
    stimuli = fixtures::stimuli(10, &[("good", 9), ("weak", 8)]),
);

task_conformance!(
    every_model_for_each_rater,
    task = TwoInterval { trials: 5, exposure_ms: 100, mask_ms: 50 },
    stimuli = fixtures::stimuli(15, &[("good", 5), ("middling", 6), ("weak", 7)]),
    raters = Raters { per_model: 3, design: RaterDesign::Within, qualification: None, ..Raters::default() },
);
