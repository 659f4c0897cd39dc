//! Images rated one by one, generalised to other raters of the same items.

use super::population::{Known, compared, each, graded, number};
use super::studies::{Found, LENIENCE, NOISE, SAME_ITEMS, Tried, Truth, outputs, with_real};

const ITEMS: u32 = 3;
const RATERS: u32 = 60;
const FIVE: [f64; 5] = [1.0, 2.0, 3.0, 4.0, 5.0];

/// The mean score of a model's images.
fn mean(scores: &[f64], quality: f64) -> f64 {
    graded(scores, quality, LENIENCE.hypot(NOISE))
}

#[track_caller]
fn check_opinions(design: &str, truth: Known) {
    let tried = Tried {
        design,
        quality: SAME_ITEMS,
        stimuli: outputs(ITEMS),
        raters: RATERS,
        found: &[Found { by: "{ kind: opinion }", what: &["opinion"] }],
        truth: Truth::Population(truth),
    };
    tried.check();
}

fn opinions() -> Known {
    each("opinion", |quality| mean(&FIVE, quality))
}

#[test]
fn aspects_of_heim() {
    let tried = Tried {
        design: "
task: { kind: rating }
rubric: { kind: heim.image, aspects: [alignment, subject_clarity, aesthetics, originality] }",
        quality: SAME_ITEMS,
        stimuli: outputs(ITEMS),
        raters: RATERS,
        found: &[Found {
            by: "{ kind: by_model, generalize_to: raters }",
            what: &["alignment", "subject_clarity", "aesthetics", "originality"],
        }],
        truth: Truth::Population(
            ["alignment", "aesthetics", "originality"]
                .into_iter()
                .flat_map(|aspect| each(aspect, |quality| mean(&FIVE, quality)))
                .chain(each("subject_clarity", |quality| mean(&FIVE[..3], quality)))
                .collect(),
        ),
    };
    tried.check();
}

#[test]
fn photorealism_of_real_and_generated_images() {
    let tried = Tried {
        design: "
task: { kind: rating, real: true }
rubric: { kind: heim.photorealism }",
        quality: SAME_ITEMS,
        stimuli: with_real(ITEMS),
        raters: RATERS,
        found: &[Found { by: "{ kind: by_model, generalize_to: raters }", what: &["photorealism"] }],
        truth: Truth::Population(each("photorealism", |quality| mean(&FIVE, quality))),
    };
    tried.check();
}

#[test]
fn answers_to_custom_questions() {
    let tried = Tried {
        design: "
task: { kind: rating }
rubric:
  kind: likert
  questions:
    - { id: options, text: How good is it?, options: [Bad, { label: Fair, score: 2.5 }, Good, Excellent] }
    - { id: number, text: How good is it?, number: { minimum: 0, maximum: 100 } }",
        quality: SAME_ITEMS,
        stimuli: outputs(ITEMS),
        raters: RATERS,
        found: &[Found { by: "{ kind: by_model, generalize_to: raters }", what: &["options", "number"] }],
        truth: Truth::Population(
            each("options", |quality| mean(&[1.0, 2.5, 3.0, 4.0], quality))
                .into_iter()
                .chain(each("number", |quality| 100.0 * number(quality, LENIENCE.hypot(NOISE))))
                .collect(),
        ),
    };
    tried.check();
}

#[test]
fn opinions_of_images() {
    check_opinions("task: { kind: rating }\nrubric: { kind: opinion, method: acr }", opinions());
}

#[test]
fn opinions_of_degradations() {
    check_opinions("task: { kind: rating }\nrubric: { kind: opinion, method: dcr }", opinions());
}

#[test]
fn opinions_of_images_next_to_their_sources() {
    let truth = each("opinion", |quality| compared(quality, 0.8, NOISE));
    check_opinions(
        "task: { kind: rating, reference: beside }\nrubric: { kind: opinion, method: ccr }",
        truth,
    );
}
