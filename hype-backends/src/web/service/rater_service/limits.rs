//! Limits of what one session may write, so that no rater fills the disk.

use hype_core::model::note::Display;
use hype_core::model::trial::Part;

use super::{CachedSession, Fault, RaterService};

/// Events for each trial that a session may have. A page writes two, and two for each showing that was disturbed.
const EVENTS_OF_TRIAL: u64 = 64;

/// Events beside those of trials: pages that were loaded again.
const EVENTS_BESIDE: u64 = 1_024;

/// When to try again, in seconds: not soon.
const LATER: u32 = 60;

impl RaterService {
    /// Refuses reports that could be repeated for ever of a session that has written far more than a page does.
    /// Answers are bounded by themselves.
    pub(in crate::web) fn leave_room(&self, cached: &CachedSession) -> Result<(), Fault> {
        let most = EVENTS_BESIDE + EVENTS_OF_TRIAL * u64::from(self.presenter.at_most);
        if cached.session.events() < most { Ok(()) } else { Err(Fault::TooMany { seconds: LATER }) }
    }
}

/// Refuses a display of more images than its trial shows, if that is the current one.
pub(in crate::web) fn fitting(
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
    Err(Fault::Refused(format!("{} images were displayed where a trial has {shown}", display.parts.len())))
}

/// How many images or numbers a part shows.
fn images(part: &Part) -> usize {
    match part {
        Part::Countdown { from, .. } => usize::from(*from),
        Part::Masks { count, .. } => usize::from(*count),
        Part::Gallery { images, .. } => images.len(),
        _ => 1,
    }
}
