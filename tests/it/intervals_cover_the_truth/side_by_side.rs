//! Images judged side by side.

use super::population::{Known, davidson, differences, in_order, ranks, shares, strengths, win_rates};
use super::studies::{Found, NOISE, SAME_ITEMS, Tried, Truth, outputs};

const ITEMS: u32 = 12;
/// The threshold below which two images are called equal.
const EQUAL: f64 = 0.06;

/// Strengths and their differences, and win rates.
fn of_pairs(strengths: [f64; 3], win_rates: [f64; 3]) -> Truth {
    let all: [Known; 3] = [
        in_order("strength", strengths),
        differences("strength: differences", strengths),
        in_order("win_rate", win_rates),
    ];
    Truth::Population(all.concat())
}

#[test]
fn strengths_and_win_rates_of_pairs() {
    let tried = Tried {
        design: "
task: { kind: contrast, per_session: 12 }",
        quality: SAME_ITEMS,
        stimuli: outputs(ITEMS),
        raters: 20,
        found: &[
            Found {
                by: "{ kind: contrast, bootstrap: { resamples: RESAMPLES } }",
                what: &["strength", "strength: differences", "win_rate"],
            },
            Found {
                by: "{ kind: contrast, intervals: information, bootstrap: { resamples: RESAMPLES } }",
                what: &["strength", "strength: differences"],
            },
            Found { by: "{ kind: contrast, generalize_to: raters }", what: &["strength", "win_rate"] },
        ],
        truth: of_pairs(strengths(NOISE), win_rates(NOISE, 0.0)),
    };
    tried.check();
}

#[test]
fn strengths_and_win_rates_of_pairs_that_may_tie() {
    let tried = Tried {
        design: "
task: { kind: contrast, per_session: 12, tie: true }",
        quality: &format!("{{ trial_sd: {NOISE}, indifference: {EQUAL} }}"),
        stimuli: outputs(ITEMS),
        raters: 20,
        found: &[Found { by: "{ kind: contrast, generalize_to: raters }", what: &["strength", "win_rate"] }],
        truth: of_pairs(davidson(NOISE, EQUAL), win_rates(NOISE, EQUAL)),
    };
    tried.check();
}

#[test]
fn strengths_of_adaptively_chosen_pairs() {
    let tried = Tried {
        design: "
task: { kind: contrast, per_session: 12, pairs: active }",
        quality: SAME_ITEMS,
        stimuli: outputs(ITEMS),
        raters: 20,
        found: &[Found { by: "{ kind: contrast, generalize_to: raters }", what: &["strength"] }],
        truth: Truth::Population(in_order("strength", strengths(NOISE))),
    };
    tried.check();
}

#[test]
fn strengths_and_ranks_of_orders() {
    let tried = Tried {
        design: "
task: { kind: ranking, ties: false, per_session: 6 }",
        quality: SAME_ITEMS,
        stimuli: outputs(ITEMS),
        raters: 30,
        found: &[Found { by: "{ kind: ranking, generalize_to: raters }", what: &["rank", "strength"] }],
        truth: Truth::Population(
            [in_order("rank", ranks(NOISE)), in_order("strength", strengths(NOISE))].concat(),
        ),
    };
    tried.check();
}

#[test]
fn shares_of_the_best() {
    let tried = Tried {
        design: "
task: { kind: best_of, per_session: 12 }",
        quality: SAME_ITEMS,
        stimuli: outputs(ITEMS),
        raters: 60,
        found: &[Found {
            by: "{ kind: by_model, measures: [votes], generalize_to: raters }",
            what: &["votes"],
        }],
        truth: Truth::Population(in_order("votes", shares(NOISE))),
    };
    tried.check();
}
