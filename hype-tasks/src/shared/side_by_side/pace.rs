//! How items are shared out among raters, and how long a session is.

use hype_core::model::trial::Rest;
use hype_core::{Design, Diagnostics, Millis, RaterDesign, Raters};

use super::course::Course;
use super::deal::Deck;
use crate::tasks::hype_time::range;

/// The settings of a session's length that tasks counting raters by item share.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pace {
    pub(crate) per_session: u32,
    pub(crate) practice: u32,
    pub(crate) rest_every: Option<u32>,
    pub(crate) rest_s: u32,
}

impl Pace {
    /// Checks the settings, and that practice does not show what is judged later.
    pub(crate) fn check(self, units: u64, at: &mut Diagnostics) {
        range(at, "per_session", self.per_session, 1, 10_000);
        range(at, "practice", self.practice, 0, 1_000);
        if let Some(every) = self.rest_every {
            range(at, "rest_every", every, 1, 10_000);
        }
        range(at, "rest_s", self.rest_s, 0, 3_600);
        let Some(deck) = Deck::new(units, self.per_session) else { return };
        let unseen = units - u64::from(deck.hand_size());
        if u64::from(self.practice) > unseen {
            at.field("practice")
                .note(
                "practice-repeats",
                format!(
                    "of {} practice trials {} show what the same rater judges later, since there is nothing else",
                    self.practice,
                    u64::from(self.practice) - unseen
                ),
            )
                .help("add items, or ask for fewer trials");
        }
    }

    /// How units are dealt; `None` if there are none.
    pub(crate) fn deck(self, units: u64) -> Option<Deck> {
        Deck::new(units, self.per_session)
    }

    /// The course of a session with so many units to deal.
    pub(crate) fn course(self, units: u64) -> Course {
        let main = self.deck(units).map_or(0, Deck::hand_size);
        let practice = u64::from(self.practice).min(units) as u32;
        let rest = (self.rest_s > 0).then(|| Rest { at_most: Millis(self.rest_s.saturating_mul(1_000)) });
        Course { practice, main, rest_every: self.rest_every, rest, exposure: None, feedback: None }
    }

    /// A bound on the trials of a session.
    pub(crate) fn trials(self, units: u64) -> u32 {
        let Course { practice, main, .. } = self.course(units);
        practice.saturating_add(main)
    }

    /// Sessions until every unit has had its raters.
    pub(crate) fn sessions(self, units: u64, design: &Design<'_>) -> u32 {
        self.deck(units).map_or(0, |deck| deck.raters(design.raters.per_item.unwrap_or(0)))
    }
}

/// Raters of a task that shares items out: five for each, nobody is tested first, and all judge every model.
pub(crate) fn raters() -> Raters {
    Raters {
        per_item: Some(5),
        design: RaterDesign::Within,
        qualification: None,
        payment: None,
        ..Raters::default()
    }
}

/// Checks the `raters` section of a task that shares items out, at the path of that section.
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
    if design.raters.design == RaterDesign::Between {
        at.field("design")
            .error("not-between", "every rater sees the models side by side, so none can judge one alone")
            .help("write `design: within`, or leave it out");
    }
}
