//! The state of a session's page, from the session's log.

use std::sync::Arc;

use hype_core::model::note::{ImageScale, Noted, SessionNote};
use hype_core::protocol::waiting::Wait;
use hype_core::{Answered, Event, Micros, Timing};

use crate::web::service::wording::Instruments;

/// The longest time by which a page that cannot reach its server may be ahead of it.
const AHEAD_AT_MOST: Micros = Micros(60_000_000);

/// The page's state in addition to the session's step: the fold of its log.
#[derive(Debug)]
pub(crate) struct PageState {
    /// The page that the session is open in; empty for a session without a page.
    pub(crate) tab: Arc<str>,
    /// When the session was opened, since the Unix epoch; `None` for a session without a page.
    pub(super) opened: Option<Micros>,
    /// Whether the rater has left the instructions.
    pub(crate) begun: bool,
    /// The wait before the first trial, if the rater had to wait.
    pub(super) wait: Option<Wait>,
    /// When the current trial can have appeared first, since the session was opened.
    pub(crate) asked: Micros,
    pub(crate) language: Arc<str>,
    /// How the rater reads published instruments.
    pub(crate) instruments: Instruments,
    /// How many times the rater has answered the question on the instructions wrong.
    pub(crate) misunderstood: u32,
    /// The trial answered last, and whether the answer was right if the rater gets feedback.
    pub(crate) last: Option<(u32, Option<bool>)>,
    /// The scale of images that the log states last.
    pub(crate) scale: Option<ImageScale>,
}

impl Default for PageState {
    fn default() -> Self {
        Self {
            tab: Arc::default(),
            opened: None,
            begun: false,
            wait: None,
            asked: Micros(0),
            language: Arc::from("en"),
            instruments: Instruments::AsPublished,
            misunderstood: 0,
            last: None,
            scale: None,
        }
    }
}

impl PageState {
    /// Takes the next event of the log.
    pub(super) fn take(&mut self, event: &Event) {
        match event {
            Event::Noted(Noted { at, note }) => self.take_note(*at, note),
            Event::Answered(answered) => {
                self.last = Some((answered.trial, None));
                self.asked = asked_after(self.asked, answered);
            }
            Event::Corrected(version) => {
                self.last = Some((version.answered.trial, None));
                self.asked = asked_after(self.asked, &version.answered);
            }
            _ => {}
        }
    }

    fn take_note(&mut self, at: Micros, note: &SessionNote) {
        match note {
            SessionNote::Attached(attached) => {
                self.tab = Arc::clone(&attached.tab);
                self.opened.get_or_insert(Micros((attached.unix_ms * 1_000).saturating_sub(at.0)));
            }
            SessionNote::Consented(consented) => {
                self.language = Arc::clone(&consented.language);
                self.instruments = Instruments::of(consented);
            }
            SessionNote::Environment(_) => (self.begun, self.asked) = (true, at),
            SessionNote::Comprehension(answer) => self.misunderstood += u32::from(!answer.right),
            SessionNote::Scaled(scaled) => self.scale = Some(scaled.scale),
            SessionNote::Waited(waited) => {
                // If the wait is over, the first trial can appear.
                let after = Wait::after(self.wait, at, *waited);
                self.asked = after.over_at().unwrap_or(self.asked);
                self.wait = Some(after);
            }
            _ => {}
        }
    }
}

/// When the trial after an answer can have appeared first. A page that knows the following trial shows it before the answer
/// has arrived: then not before the answer was given, as the page reports, which was `asked` and the response time at the
/// earliest. The response times of a session together are therefore never longer than the session.
fn asked_after(asked: Micros, answered: &Answered) -> Micros {
    let Timing { at, rt, .. } = answered.timing;
    if answered.shown.exposure_ms.is_some() {
        return at;
    }
    let ahead = Micros(at.0.saturating_sub(AHEAD_AT_MOST.0));
    asked.saturating_add(rt).max(ahead).min(at)
}
