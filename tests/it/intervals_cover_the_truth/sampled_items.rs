//! Intervals that generalise to other raters and other items: every study draws its own items.

use super::population::{MODELS, differences, imagenhub, in_order};
use super::studies::{Found, Tried, Truth, of_models};
use crate::proof::sized;

#[test]
fn scores_of_imagenhub_with_other_items() {
    let (rater, trial, item, output) = (0.08_f64, 0.1, 0.12, 0.08_f64);
    let [overall, consistency, looks] = imagenhub(MODELS[1], rater.hypot(item).hypot(output), trial, 2);
    let tried = Tried {
        design: "
task: { kind: rating }
rubric: { kind: imagenhub.text_guided_editing }",
        quality: &format!("{{ rater_sd: {rater}, trial_sd: {trial}, item_sd: {item}, output_sd: {output} }}"),
        stimuli: of_models(40, &["b"]),
        raters: 40,
        found: &[Found { by: "{ kind: imagenhub }", what: &["O", "SC", "PQ"] }],
        truth: Truth::Population(vec![("O", "b", overall), ("SC", "b", consistency), ("PQ", "b", looks)]),
    };
    tried.check();
}

/// Values far enough from the limits that none is censored: means are the models' qualities.
#[test]
fn means_and_differences_with_raters_and_items_random() {
    let tried = Tried {
        design: "
task: { kind: rating }
rubric: { kind: likert, questions: [{ id: quality, text: How good?, number: { minimum: 0, maximum: 1 } }] }",
        quality: "{ rater_sd: 0.05, trial_sd: 0.06, item_sd: 0.05, output_sd: 0.04 }",
        stimuli: of_models(32, &["a", "b"]),
        raters: 32,
        found: &[
            Found { by: "{ kind: components }", what: &["quality", "quality: differences"] },
            Found { by: "{ kind: by_model }", what: &["quality"] },
            Found {
                by: "{ kind: by_model, generalize_to: raters-and-items, bootstrap: { resamples: RESAMPLES } }",
                what: &["quality"],
            },
        ],
        truth: Truth::Population(
            [in_order("quality", MODELS), differences("quality: differences", MODELS)].concat(),
        ),
    };
    tried.check();
}

/// Raters are identical, since the interval generalises to other items with the same raters.
#[test]
fn labels_by_the_majority() {
    let tried = Tried {
        design: "
task: { kind: rating }
rubric:
  kind: likert
  questions: [{ id: good, text: Is it good?, options: [{ label: no, score: 0 }, { label: yes, score: 1 }] }]",
        quality: "{ rater_sd: 0, trial_sd: 0.15, item_sd: 0.1, output_sd: 0.1 }",
        stimuli: of_models(100, &["a", "b"]),
        raters: 5,
        found: &[Found { by: "{ kind: consensus }", what: &["good"] }],
        truth: Truth::Items(of_models(sized(2_500, 10_000), &["a", "b"])),
    };
    tried.check();
}
