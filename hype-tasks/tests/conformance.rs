//! The tasks pass the behaviour suite that every task has to pass.

#![allow(missing_docs, reason = "a test")]

use hype_core::Raters;
use hype_core::spec::{Pass, PassRule, Qualification, RaterDesign};
use hype_sim::fixtures::stimuli;
use hype_sim::task_conformance;
use hype_tasks::hype_time::StaircaseSettings;
use hype_tasks::{HypeInfinity, HypeTime};

fn raters(design: RaterDesign) -> Raters {
    let pass = Pass { rule: PassRule::Overall, at_least: 0.6 };
    Raters {
        per_model: 2,
        design,
        qualification: Some(Qualification { trials: 10, pass }),
        ..Raters::default()
    }
}

fn short() -> HypeTime {
    HypeTime { blocks: 2, trials_per_block: 12, ..HypeTime::default() }
}

fn cumulative() -> HypeTime {
    let staircase =
        serde_json::from_str::<StaircaseSettings>(r#"{ "preset": "cumulative-3-1" }"#).unwrap_or_default();
    HypeTime { staircase, ..short() }
}

task_conformance!(
    hype_time_between,
    task = short(),
    stimuli = stimuli(60, &[("a", 40), ("b", 40)]),
    raters = raters(RaterDesign::Between)
);

task_conformance!(
    hype_time_within,
    task = cumulative(),
    stimuli = stimuli(60, &[("a", 40), ("b", 40)]),
    raters = raters(RaterDesign::Within)
);

task_conformance!(
    hype_infinity_between,
    task = HypeInfinity { generated: 7, real: 9 },
    stimuli = stimuli(60, &[("a", 40), ("b", 40)]),
    raters = raters(RaterDesign::Between)
);

task_conformance!(
    hype_infinity_within,
    task = HypeInfinity { generated: 7, real: 9 },
    stimuli = stimuli(60, &[("a", 40), ("b", 40), ("c", 30)]),
    raters = raters(RaterDesign::Within)
);
