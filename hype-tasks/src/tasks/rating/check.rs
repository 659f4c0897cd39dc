//! The checks of a design.

use hype_core::RaterDesign;
use hype_core::words::counted;
use hype_core::{Design, Diagnostics};

use super::allocation::ImageAllocation;
use super::settings::Rating;
use crate::shared::attention::check_room;

mod gold;
mod pages;

/// Checks the task, at its path.
pub(super) fn task(rating: &Rating, design: &Design<'_>, at: &mut Diagnostics) {
    let allocation = ImageAllocation::of(rating, design.stimuli);
    sizes(rating, design, &allocation, at);
    gold::sets(rating, design, at);
    pages::conditions_tell(rating, design, at);
    // The following concerns other sections of the spec.
    let mut elsewhere = Diagnostics::new();
    pages::all(rating, design, &mut elsewhere);
    gold::answers(rating, design, &mut elsewhere);
    at.extend(elsewhere);
}

/// Checks the raters' protocol, at its path.
pub(super) fn raters(design: &Design<'_>, at: &mut Diagnostics) {
    if design.raters.qualification.is_some() {
        at.field("qualification")
            .error("no-qualification", "this task has no qualification")
            .help("write `qualification: null`; gold images show whether raters pay attention");
    }
    if design.raters.design == RaterDesign::Between {
        at.field("design")
            .error("not-between", "raters of this task rate images of all models")
            .help("write `design: within`");
    }
    if design.raters.per_item.is_none() {
        at.field("per_model")
            .error("not-by-model", "this task counts raters by image, not by model")
            .help("write `per_item`: how many raters rate each image");
    }
}

fn sizes(rating: &Rating, design: &Design<'_>, allocation: &ImageAllocation, at: &mut Diagnostics) {
    let in_session = allocation.in_session();
    if allocation.images().is_empty() {
        // The check of the stimuli reports that there are no models.
        return;
    }
    match rating.per_session {
        Some(wanted) if wanted.get() as usize > in_session && rating.one_output_per_item => {
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
        Some(wanted) if wanted.get() as usize > in_session => {
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
        check_room(in_session as u64, "image", repeats.per_session.get(), repeats.apart.get(), at);
    }
}
