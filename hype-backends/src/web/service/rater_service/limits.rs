//! Limits of what a session may write, so that no rater can fill the disk.

use hype_core::Micros;
use hype_core::model::inspection::Inspection;
use hype_core::model::note::{Display, Overrun};
use hype_core::model::trial::Part;

use super::{CachedSession, Fault, RaterService};
use crate::web::wire::request::AnswerReport;

/// The number of events allowed for each trial. A page writes two, and two more for each disturbed showing.
const EVENTS_OF_TRIAL: u64 = 64;

/// The number of events allowed beside those of trials: the notes of the longest wait, and others such as reloads of the page.
const EVENTS_BESIDE: u64 = 512 + 1_024;

/// The wait requested of the page, in seconds.
const WAIT: u32 = 60;

impl RaterService {
    /// Refuses repeatable reports of a session that has written far more events than a page does. Answers need no such
    /// limit, since each trial takes one.
    pub(crate) fn check_event_limit(&self, cached: &CachedSession) -> Result<(), Fault> {
        let most = EVENTS_BESIDE + EVENTS_OF_TRIAL * u64::from(self.presenter.at_most);
        if cached.session.events() < most { Ok(()) } else { Err(Fault::TooMany { seconds: WAIT }) }
    }

    /// Refuses close looks where raters cannot look closely.
    pub(crate) fn check_inspection(&self, inspection: Option<&Inspection>) -> Result<(), Fault> {
        match inspection {
            Some(_) if !self.presenter.zoom => {
                Err(Fault::Refused("this study does not let raters look at images closely".into()))
            }
            _ => Ok(()),
        }
    }
}

/// How much longer than the server saw a response time may be: computers' clocks differ in speed by less than this share.
const DRIFT: f64 = 0.01;

/// And by this time, in which a computer's clock is set.
const STEP: Micros = Micros(100_000);

impl RaterService {
    /// What the server's clock says of an answer that took longer than it allows, presentation and response together.
    pub(crate) fn overrun(
        &self,
        cached: &CachedSession,
        answer: &AnswerReport,
        at: Micros,
    ) -> Option<Overrun> {
        let waited = at.0.saturating_sub(cached.asked.0);
        let parts = answer.display.iter().flat_map(|display| &display.parts);
        let presented = parts.map(|part| part.onset_us.saturating_add(part.shown_us)).max().unwrap_or(0);
        let reported = presented.saturating_add(answer.rt_us);
        let allowed = waited + STEP.0 + (waited as f64 * DRIFT) as u64;
        let seen = Micros(waited.saturating_sub(presented));
        (self.is_timed && reported > allowed).then_some(Overrun { trial: answer.trial, seen })
    }
}

/// Refuses a display report with more images than the current trial shows.
pub(crate) fn check_display(
    cached: &CachedSession,
    reported: u32,
    display: Option<&Display>,
) -> Result<(), Fault> {
    let trial = cached.trial().filter(|trial| trial.number == reported);
    let (Some(trial), Some(display)) = (trial, display) else { return Ok(()) };
    let shown: usize = trial.parts.iter().map(images).sum();
    if display.parts.len() <= shown {
        return Ok(());
    }
    Err(Fault::Refused(format!(
        "the display report has {} images where the trial shows {shown}",
        display.parts.len()
    )))
}

/// The number of images or countdown numbers in a part.
fn images(part: &Part) -> usize {
    match part {
        Part::Countdown { from, .. } => usize::from(*from),
        Part::Masks { count, .. } => usize::from(*count),
        Part::Gallery { candidates, .. } => candidates.len(),
        _ => 1,
    }
}
