//! The allocation of items to raters, and the length of a session.

use hype_core::model::trial::Rest;
use hype_core::{Bounded, Design, Diagnostics, Millis, RaterDesign, Raters};

use super::schedule::Schedule;
use hype_core::protocol::draw::CyclicDesign;

/// The settings of a session's length that tasks counting raters by item share.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SessionLength {
    pub(crate) per_session: Bounded<1, 10_000>,
    pub(crate) practice: Bounded<0, 1_000>,
    pub(crate) rest_every: Option<Bounded<1, 10_000>>,
    pub(crate) rest_s: Bounded<0, 3_600>,
}

impl SessionLength {
    /// Checks that practice does not show images that are judged later.
    pub(crate) fn check(self, units: u64, at: &mut Diagnostics) {
        let Some(cyclic) = self.design(units) else { return };
        let unseen = units - u64::from(cyclic.block_size());
        let practice = u64::from(self.practice.get());
        if practice > unseen {
            at.field("practice")
                .note(
                "practice-repeats",
                format!(
                    "of {} practice trials, {} show images that the same rater judges later, as there are no others",
                    self.practice,
                    practice - unseen
                ),
            )
                .help("add items, or ask for fewer trials");
        }
    }

    /// How units are allocated to raters; `None` without units.
    pub(crate) fn design(self, units: u64) -> Option<CyclicDesign> {
        CyclicDesign::new(units, self.per_session.get())
    }

    /// The schedule of a session with a given number of units to allocate.
    pub(crate) fn schedule(self, units: u64) -> Schedule {
        let main = self.design(units).map_or(0, CyclicDesign::block_size);
        let practice = u64::from(self.practice.get()).min(units) as u32;
        let rest_s = self.rest_s.get();
        let rest = (rest_s > 0).then_some(Rest { at_most: Millis(rest_s * 1_000) });
        Schedule {
            practice,
            main,
            rest_every: self.rest_every.map(Bounded::get),
            rest,
            exposure: None,
            feedback: None,
        }
    }

    /// A bound on the trials of a session.
    pub(crate) fn trials(self, units: u64) -> u32 {
        let Schedule { practice, main, .. } = self.schedule(units);
        practice.saturating_add(main)
    }

    /// The number of sessions that give every unit its raters.
    pub(crate) fn sessions(self, units: u64, design: &Design<'_>) -> u32 {
        self.design(units).map_or(0, |cyclic| cyclic.raters(design.raters.per_item.unwrap_or(0)))
    }
}

/// The raters of a task that allocates items: five for each item, without qualification, and each judges every model.
pub(crate) fn raters() -> Raters {
    Raters {
        per_item: Some(5),
        design: RaterDesign::Within,
        qualification: None,
        payment: None,
        ..Raters::default()
    }
}

/// Checks the `raters` section of a task that allocates items, at the path of that section.
pub(crate) fn check_raters(design: &Design<'_>, at: &mut Diagnostics) {
    if design.raters.qualification.is_some() {
        at.field("qualification")
            .error("no-qualification", "this task has no qualification")
            .help("write `qualification: null`");
    }
    if design.raters.per_item.is_none() {
        at.field("per_model")
            .error("not-by-model", "this task counts raters by item, not by model")
            .help("write `per_item`: how many raters judge each item");
    }
    if design.raters.cells == RaterDesign::Within {
        at.field("cells")
            .error("levels-side-by-side", "stimuli of several levels would be shown side by side")
            .help("leave `cells` out, and declare facets of items with `of: items`");
    }
    if design.raters.design == RaterDesign::Between {
        at.field("design")
            .error(
                "not-between",
                "every rater sees the models side by side, so a rater cannot judge a single model",
            )
            .help("write `design: within`, or leave it out");
    }
}
