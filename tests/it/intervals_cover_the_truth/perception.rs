//! Judgments that are right or wrong.

use super::population::{UNTIMED, error_rate, in_order};
use super::studies::{Found, SAME_ITEMS, Tried, Truth, with_real};

#[test]
fn thresholds_of_hype_time() {
    let tried = Tried {
        design: "
task: { kind: hype_time, blocks: 1, trials_per_block: 150 }
raters: { qualification: null, payment: null }",
        quality: SAME_ITEMS,
        stimuli: with_real(75),
        raters: 40,
        found: &[Found { by: "{ kind: by_model, measures: [mode_ms] }", what: &["mode_ms"] }],
        truth: Truth::Raters(8_000),
    };
    tried.check();
}

#[test]
fn error_rates_of_hype_infinity() {
    let tried = Tried {
        design: "
task: { kind: hype_infinity, generated: 6, real: 6 }
raters: { qualification: null, payment: null }",
        quality: SAME_ITEMS,
        stimuli: with_real(12),
        raters: 60,
        found: &[Found { by: "{ kind: by_model, measures: [error] }", what: &["error"] }],
        truth: Truth::Population(in_order(
            "error",
            UNTIMED.map(|[fakes, reals]| 0.5 * (error_rate(fakes) + error_rate(reals))),
        )),
    };
    tried.check();
}

#[test]
fn fooling_rates() {
    let tried = Tried {
        design: "
task: { kind: fooling, trials: 12, practice: 0, exposure_ms: null }",
        quality: SAME_ITEMS,
        stimuli: with_real(12),
        raters: 40,
        found: &[
            Found { by: "{ kind: by_model, measures: [fooled] }", what: &["fooled"] },
            Found {
                by: "{ kind: by_model, measures: [fooled], bootstrap: { resamples: RESAMPLES } }",
                what: &["fooled"],
            },
        ],
        // For a pair of a real and a generated image, the error rate is the mean of the two classes' error rates.
        truth: Truth::Population(in_order(
            "fooled",
            UNTIMED.map(|both| error_rate(0.5 * (both[0] + both[1]))),
        )),
    };
    tried.check();
}
