//! The task passes hype-sim's conformance suite on two designs.

use hype::core::RaterDesign;
use hype::core::Raters;
use hype::sim::{fixtures, task_conformance};
use hype_example_plugin::YesNo;

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
