//! Checks that a rubric fits the task and that the study follows the recommendations of the rubric's protocol.

use crate::diagnostics::Diagnostics;
use crate::plugin::description::Description;
use crate::plugin::rubric::{Recommended, RubricSpec};
use crate::plugin::task::{Design, TaskSpec};
use crate::words::counted;

/// Checks that the task asks what the rubric reads, and that the study is as large as its protocol recommends. Faults
/// are reported at the path of the spec.
pub(super) fn check(
    rubric: &dyn RubricSpec,
    task: &dyn TaskSpec,
    description: &Description,
    design: &Design<'_>,
    at: &mut Diagnostics,
) {
    if let Some(why) = rubric.reads().missing(description.asks()) {
        let message = format!(
            "the rubric {} cannot score the task {}, {why}",
            rubric.typetag_name(),
            task.typetag_name()
        );
        at.within("rubric", |at| {
            at.error("wrong-rubric", message).help(
                "leave out `rubric` to use the default of the task, or use a task that asks what the rubric reads",
            );
        });
    }
    let Some(Recommended { source, raters, stimuli }) = rubric.recommended() else { return };
    if let Some(few) = design.raters.per_item.filter(|&few| few < raters) {
        at.within("raters", |at| {
            at.field("per_item")
                .warning(
                    "few-raters",
                    format!(
                        "{} for each item, but {source} recommends at least {raters}",
                        counted(few, "rater")
                    ),
                )
                .help(format!("write `per_item: {raters}`"));
        });
    }
    let sizes = design.stimuli.models().map(|model| (design.stimuli.members(model).len(), model));
    if let Some((few, model)) = sizes.min().filter(|&(few, _)| few < stimuli) {
        let name = design.stimuli.set(model).map_or("", |set| &*set.name);
        at.within("rubric", |at| {
            at.warning(
                "few-images",
                format!("{} of {name}, but {source} recommends at least {stimuli}", counted(few, "image")),
            )
            .help("add images; estimates from few images have wide intervals");
        });
    }
}
