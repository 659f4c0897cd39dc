//! The checks of catch trials before a study begins.

use hype_core::words::counted;
use hype_core::{Design, Diagnostics, SetId};

use super::by_chance;
use crate::shared::session_plan::{self, Shape};
use crate::tasks::hype_time::settings::{CATCH_ALPHA, CatchTrials, HypeTime};

/// The longest exposure without a warning that people may see the image: two frames at 60 Hz.
const SHORT_MS: u32 = 33;

/// Checks the catch trials of a task, at the path of the task.
pub(in crate::tasks::hype_time) fn check(task: &HypeTime, design: &Design<'_>, at: &mut Diagnostics) {
    let Some(catch) = &task.catch else { return };
    at.within("catch", |at| {
        let found = at.len();
        check_numbers(catch, task, at);
        if at.iter().skip(found).all(|one| one.severity != hype_core::Severity::Error) {
            check_room(catch, task.shape(), design, at);
        }
    });
}

fn check_numbers(catch: &CatchTrials, task: &HypeTime, at: &mut Diagnostics) {
    if catch.trials.get() % 2 == 1 {
        at.field("trials")
            .error(
                "odd-trials",
                format!("{} catch trials cannot be half real and half generated", catch.trials),
            )
            .help("use an even number");
    }
    let (shown, floor) = (catch.exposure_ms.get(), task.exposure.floor_ms.get());
    if shown >= floor {
        at.field("exposure_ms")
            .error(
                "visible-catch",
                format!("{shown} ms is not too short for people: staircases go down to {floor} ms"),
            )
            .help("use one frame: 16 ms at 60 Hz");
    } else if shown > SHORT_MS {
        at.field("exposure_ms")
            .warning("visible-catch", format!("people may see enough in {shown} ms to be better than chance"))
            .help("use one frame, 16 ms at 60 Hz, or set `failing: flag`");
    }
    if task.masks.is_none() {
        at.warning("catch-without-masks", "without masks people continue to see an image after its exposure")
            .help("keep the masks, or set `failing: flag`");
    }
    if catch.right_to_fail(catch.trials.get()).is_none() {
        let chance = by_chance(catch.trials.get(), catch.trials.get());
        at.field("trials")
            .error(
                "catch-cannot-fail",
                format!(
                    "no rater can fail: all of {} are right by chance with a probability of {chance:.3}, more than {}",
                    counted(catch.trials.get(), "catch trial"),
                    CATCH_ALPHA
                ),
            )
            .help("use more catch trials; with 12 a rater fails at 11 right");
    }
}

/// Checks that there are enough positions and images.
fn check_room(catch: &CatchTrials, shape: Shape, design: &Design<'_>, at: &mut Diagnostics) {
    let blocks = u64::from(shape.blocks) * u64::from(design.models_of_a_rater());
    if blocks == 0 {
        return;
    }
    let in_block = u64::from(catch.trials.get()).div_ceil(blocks);
    let places = u64::from(shape.trials_in_block()).saturating_sub(1);
    if in_block > places {
        at.field("trials")
            .error(
                "too-many-catch-trials",
                format!(
                    "{} do not fit between the trials of {}: there is room for {}",
                    counted(catch.trials.get(), "catch trial"),
                    counted(blocks, "block"),
                    places * blocks
                ),
            )
            .help("a few per cent of all trials are enough");
    }
    let half = u64::from(catch.trials.get() / 2);
    for (model, needed, left) in session_plan::real_images(shape, design) {
        let whose = format!("real images{}", session_plan::for_cell(design, model));
        too_few(&whose, half, needed, left, at);
    }
    // The classes of a model's catch trials are random, so each model may need as many images as its blocks have
    // catch trials.
    let of_model = half.min(in_block * u64::from(shape.blocks));
    let name = |model: SetId| design.stimuli.set(model).map_or("", |set| &*set.name);
    for model in design.stimuli.models() {
        let (needed, left) = session_plan::images_of(shape, design, model);
        too_few(&format!("images of {}", name(model)), of_model, needed, left, at);
    }
}

/// Reports if the main phase leaves too few images. Too few images for the main phase itself are reported elsewhere.
fn too_few(what: &str, wanted: u64, needed: u64, left: usize, at: &mut Diagnostics) {
    let Some(over) = (left as u64).checked_sub(needed).filter(|&over| over < wanted) else { return };
    at.field("trials")
        .error(
            "too-few-images",
            format!(
                "catch trials show up to {wanted} {what} that a session shows nowhere else, but its {needed} leave \
                 {over} of {left}"
            ),
        )
        .help(format!("add images or make the task smaller (missing: {})", wanted - over));
}
