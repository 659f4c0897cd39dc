//! The verdict of a session's catch trials on its rater.

use std::collections::BTreeMap;

use hype_core::model::note::Display;
use hype_core::model::record::Answered;
use hype_core::model::trial::Phase;
use hype_core::words::counted;
use hype_core::{Check, CheckState, Micros, Millis, SessionRecord};

use super::by_chance;
use crate::tasks::hype_time::settings::HypeTime;

/// Half a refresh interval at 60 Hz, for displays whose interval is unknown.
const HALF_FRAME: Micros = Micros(8_333);

/// The check `catch` of a session, if the task has catch trials.
pub(in crate::tasks::hype_time) fn verdict(task: &HypeTime, session: &SessionRecord) -> Option<Check> {
    let catch = task.catch.as_ref()?;
    let displays: BTreeMap<u32, &Display> =
        session.displays().map(|shown| (shown.trial, &shown.display)).collect();
    let image = usize::from(task.countdown.is_some());
    let asked = Millis(catch.exposure_ms.get());
    let answered = || session.trials.iter().filter(|trial| trial.shown.phase == Phase::Catch);
    let judged = || answered().filter(|trial| was_as_short(trial, &displays, image, asked));
    let (all, of) = (answered().count(), judged().count() as u32);
    let right = judged().filter(|trial| trial.correct == Some(true)).count() as u32;
    let trials = counted(of, "catch trial");
    let (state, why) = match catch.right_to_fail(of) {
        None => (
            CheckState::Unclear,
            format!(
                "only {of} of {} were as short as requested, too few to decide",
                counted(all, "catch trial")
            ),
        ),
        Some(least) if right >= least => (
            CheckState::Fail,
            format!(
                "{right} of {trials} right, which chance gives with a probability of {:.1e}",
                by_chance(right, of)
            ),
        ),
        Some(_) => (CheckState::Pass, format!("{right} of {trials} right")),
    };
    Some(Check::new("catch", state, why).with(catch.failing))
}

/// Whether an image was shown no longer than requested, as far as measured.
///
/// Simulated raters see no display, so theirs were. If the page reported displays, a trial without a report
/// was not.
fn was_as_short(
    answered: &Answered,
    displays: &BTreeMap<u32, &Display>,
    image: usize,
    asked: Millis,
) -> bool {
    let asked = Micros::from_millis(asked);
    match (displays.get(&answered.trial), answered.timing.exposure) {
        (Some(display), _) => {
            let half = Micros(u64::from(display.frame_us / 2));
            let shown = display.shown(image);
            !display.suspect && shown.is_some_and(|shown| shown <= asked.saturating_add(half))
        }
        (None, _) if !displays.is_empty() => false,
        (None, Some(shown)) => shown <= asked.saturating_add(HALF_FRAME),
        (None, None) => true,
    }
}
