//! ImagenHub's scores, generalised to other raters of the same items.

use super::population::{MODELS, imagenhub, in_order};
use super::studies::{Found, LENIENCE, NOISE, SAME_ITEMS, Tried, Truth, outputs};

#[track_caller]
fn check(rubric: &str, conditions: i32) {
    let scores = MODELS.map(|quality| imagenhub(quality, LENIENCE, NOISE, conditions));
    let truth = ["O", "SC", "PQ"]
        .into_iter()
        .enumerate()
        .flat_map(|(place, score)| in_order(score, [scores[0][place], scores[1][place], scores[2][place]]));
    let tried = Tried {
        design: &format!("task: {{ kind: rating }}\nrubric: {{ kind: imagenhub.{rubric} }}"),
        quality: SAME_ITEMS,
        stimuli: outputs(3),
        raters: 60,
        found: &[Found { by: "{ kind: imagenhub, generalize_to: raters }", what: &["O", "SC", "PQ"] }],
        truth: Truth::Population(truth.collect()),
    };
    tried.check();
}

#[test]
fn text_guided_generation() {
    check("text_guided_generation", 1);
}

#[test]
fn mask_guided_editing() {
    check("mask_guided_editing", 2);
}

#[test]
fn text_guided_editing() {
    check("text_guided_editing", 2);
}

#[test]
fn subject_driven_generation() {
    check("subject_driven_generation", 2);
}

#[test]
fn subject_driven_editing() {
    check("subject_driven_editing", 2);
}

#[test]
fn multi_concept_composition() {
    check("multi_concept_composition", 3);
}

#[test]
fn control_guided_generation() {
    check("control_guided_generation", 2);
}
