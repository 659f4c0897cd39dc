//! For every preset, sessions through the state machine that serves people agree with the exact theory.

#![allow(
    dead_code,
    clippy::unwrap_used,
    clippy::expect_used,
    unreachable_pub,
    missing_docs,
    reason = "a test"
)]

use crate::studies;

use hype::core::plugin::store::all_sessions;
use hype::core::{SessionRecord, StoreExt as _};
use hype::sim::{Observer, Population};
use hype::stats::staircase::theory::Theory;
use hype::stats::staircase::{self, Preset, Range};
use hype::tasks::HypeTime;
use hype::tasks::tasks::hype_time::StaircaseSettings;

/// The largest accepted distance of a mean from theory, in standard errors. One of 15,000 comparisons exceeds it by
/// chance; there are 21.
const STANDARD_ERRORS: f64 = 4.0;

const RATERS: u32 = 60;

fn observer(ms: f64) -> f64 {
    0.5 + 0.48 / (1.0 + (300.0 / ms).powi(5))
}

/// Raters who are all the observer above.
fn population() -> Population {
    let default_observer = Observer { threshold_ms: Some(300.0), ..Observer::default() };
    Population { default_observer, rater_sd: 0.0, ..Population::default() }
}

#[test]
fn every_preset_converges_to_the_markov_chain() {
    for preset in Preset::ALL {
        let named = serde_json::from_value(serde_json::Value::from(preset.name())).unwrap();
        let settings =
            StaircaseSettings { allow_unreachable_target: true, ..StaircaseSettings::preset(named) };
        let task = HypeTime { staircase: settings, ..HypeTime::default() };
        let study = studies::study(Box::new(task), RATERS, 11, &["model"], population());
        let store = studies::collect(&study, 2);
        let theory = Theory::new(preset.rule(), Range::HYPE, observer, 150).unwrap();
        let (mut halves, mut right, mut last) = (Vec::new(), Vec::new(), Vec::new());
        for session in hype::block_on(all_sessions(&store)).unwrap() {
            let record = SessionRecord::from_events(hype::block_on(store.load(&session)).unwrap()).unwrap();
            let trials: Vec<_> = record.main_trials().collect();
            for block in trials.chunks(150) {
                let levels: Vec<u32> = block.iter().map(|trial| trial.shown.exposure_ms.unwrap().0).collect();
                halves.push(staircase::mean_last_half(&levels).unwrap());
                last.push(f64::from(levels[149]));
                let correct = block.iter().filter(|trial| trial.correct == Some(true)).count();
                right.push(correct as f64 / 150.0);
            }
        }
        assert_eq!(halves.len(), 3 * RATERS as usize);
        agrees(preset, "mean of the last half", &halves, theory.exact.mean_last_half_ms);
        agrees(preset, "last level", &last, theory.exact.mean_last_trial_ms);
        agrees(preset, "share of right answers", &right, theory.exact.accuracy);
    }
}

fn agrees(preset: Preset, what: &str, sample: &[f64], exact: f64) {
    let mean = hype::stats::describe::mean(sample).unwrap();
    let error = hype::stats::describe::standard_error(sample).unwrap();
    assert!(
        (mean - exact).abs() <= STANDARD_ERRORS * error + 1e-9,
        "{preset}: {what} is {mean} ± {error}, theory says {exact}"
    );
}
