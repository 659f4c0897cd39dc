//! What is wrong with a design, as `check` says it.

use hype_core::study::spec::RaterDesign;
use hype_core::words::counted;
use hype_core::{Design, Diagnostics, ErasedRubric};

use super::Rating;
use super::deal::Deal;

mod gold;
mod pages;

/// HEIM asks for as many raters of each image at least.
const HEIM_RATERS: u32 = 5;
/// HEIM asks for as many images for each aspect at least.
const HEIM_IMAGES: usize = 100;

/// Checks the task, at its path.
pub(super) fn task(rating: &Rating, design: &Design<'_>, at: &mut Diagnostics) {
    numbers(rating, at);
    let deal = Deal::of(rating, design.stimuli);
    sizes(rating, design, &deal, at);
    gold::sets(rating, design, at);
    pages::conditions_tell(rating, design, at);
    // What follows concerns other sections of the spec.
    let mut elsewhere = Diagnostics::new();
    pages::all(rating, design, &mut elsewhere);
    gold::answers(rating, design, &mut elsewhere);
    if is_heim(design.rubric) {
        heim_images(design, &mut elsewhere);
    }
    at.extend(elsewhere);
}

/// Checks the raters' protocol, at its path.
pub(super) fn raters(design: &Design<'_>, at: &mut Diagnostics) {
    if design.raters.qualification.is_some() {
        at.field("qualification")
            .error("no-qualification", "this task has no qualification")
            .help("write `qualification: null`; gold images show whether raters look");
    }
    if design.raters.design == RaterDesign::Between {
        at.field("design")
            .error("not-between", "raters of this task rate images of all models")
            .help("write `design: within`");
    }
    match design.raters.per_item {
        None => {
            at.field("per_model")
                .error("not-by-model", "this task counts raters by image, not by model")
                .help("write `per_item`: how many raters rate each image");
        }
        Some(few) if few < HEIM_RATERS && is_heim(design.rubric) => {
            at.field("per_item")
                .warning(
                    "few-raters",
                    format!("{} for each image, where HEIM has five at least", counted(few, "rater")),
                )
                .help("write `per_item: 5`");
        }
        Some(_) => {}
    }
}

fn is_heim(rubric: &dyn ErasedRubric) -> bool {
    rubric.typetag_name().starts_with("heim.")
}

fn numbers(rating: &Rating, at: &mut Diagnostics) {
    if rating.per_session == Some(0) {
        at.field("per_session")
            .error("out-of-range", "a session without images")
            .help("use a number from 1, or leave it out for all images in one session");
    }
    let share = |field: &str, share: f64, at: &mut Diagnostics| {
        if !(0.0..=1.0).contains(&share) {
            at.field(field).error("out-of-range", format!("{share} is no share")).help("use 0 to 1");
        }
    };
    if let Some(gold) = &rating.gold {
        at.within("gold", |at| {
            if gold.per_session == 0 {
                at.field("per_session").error("out-of-range", "no gold images").help("write `gold: null`");
            }
            share("pass", gold.pass, at);
        });
    }
    if let Some(repeats) = &rating.repeats {
        at.within("repeats", |at| {
            if repeats.per_session == 0 {
                at.field("per_session").error("out-of-range", "no repeats").help("write `repeats: null`");
            }
            if !(1..=1_000).contains(&repeats.apart) {
                at.field("apart")
                    .error("out-of-range", format!("repeats {} images apart", repeats.apart))
                    .help("use a number from 1 to 1000, so that raters do not merely recall their answers");
            }
            repeats.min_agreement.into_iter().for_each(|least| share("min_agreement", least, at));
        });
    }
    if let Some(rest) = rating.rest {
        at.within("rest", |at| {
            if rest.every == 0 {
                at.field("every").error("out-of-range", "a rest after every 0 images").help("use 1 or more");
            }
            if !(1..=3_600).contains(&rest.at_most_s) {
                at.field("at_most_s")
                    .error("out-of-range", format!("a rest of {} s", rest.at_most_s))
                    .help("use 1 to 3600 s, or `rest: null` for none");
            }
        });
    }
}

fn sizes(rating: &Rating, design: &Design<'_>, deal: &Deal, at: &mut Diagnostics) {
    let in_session = deal.in_session();
    if deal.images().is_empty() {
        // The stimuli's own check says that there are no models.
        return;
    }
    match rating.per_session {
        Some(wanted) if wanted as usize > in_session && rating.one_output_per_item => {
            at.field("per_session")
                .warning(
                    "short-sessions",
                    format!(
                        "sessions have {}, not {wanted}: a rater sees one output of each item at most",
                        counted(in_session, "image")
                    ),
                )
                .help("make `per_session` smaller, or allow several outputs of an item");
        }
        Some(wanted) if wanted as usize > in_session => {
            at.field("per_session")
                .warning(
                    "short-sessions",
                    format!("sessions have {}, as there are no more", counted(in_session, "image")),
                )
                .help("leave `per_session` out for all images in one session");
        }
        _ => {}
    }
    if rating.one_output_per_item && design.stimuli.items().is_empty() {
        at.field("one_output_per_item")
            .error("no-items", "without items no two images are outputs for the same one")
            .help("add the section `items`, or leave `one_output_per_item` out");
    }
    if let Some(repeats) = &rating.repeats {
        let needed = u64::from(repeats.per_session) + u64::from(repeats.apart);
        if (in_session as u64) < needed {
            at.field("repeats")
                .error(
                    "too-few-images",
                    format!(
                        "{}, {} apart, need sessions of {}, but they have {in_session}",
                        counted(repeats.per_session, "repeat"),
                        counted(repeats.apart, "image"),
                        counted(needed, "image")
                    ),
                )
                .help("repeat fewer images, or put them less apart");
        }
    }
}

fn heim_images(design: &Design<'_>, at: &mut Diagnostics) {
    let stimuli = design.stimuli;
    let sizes = stimuli.models().map(|model| (stimuli.members(model).len(), model));
    if let Some((least, model)) = sizes.min().filter(|&(least, _)| least < HEIM_IMAGES) {
        let name = stimuli.set(model).map_or("", |set| &*set.name);
        at.within("rubric", |at| {
            at.warning(
                "few-images",
                format!(
                    "{} of {name}, where HEIM has {HEIM_IMAGES} at least for each aspect",
                    counted(least, "image")
                ),
            )
            .help("add images; estimates of few images have wide intervals");
        });
    }
}
