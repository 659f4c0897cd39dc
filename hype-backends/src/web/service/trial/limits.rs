//! Limits of what a report may say.

use hype_core::model::note::{Display, Disturbance, Overrun};
use hype_core::model::trial::{Form, Part, TextMark};
use hype_core::protocol::playback::played_in_trial;
use hype_core::{AnswerValue, MediaKind, Micros};

use super::TrialService;
use crate::web::service::cached_session::CachedSession;
use crate::web::service::fault::Fault;
use crate::web::wire::request::AnswerReport;

/// How much longer than the server saw a response time may be: computers' clocks differ in speed by less than this share.
const DRIFT: f64 = 0.01;

/// And by this time, in which a computer's clock is set.
const STEP: Micros = Micros(100_000);

impl TrialService {
    /// Refuses an answer to a trial that is not shown, or with reports that its page cannot make.
    pub(super) fn check_answer(&self, cached: &CachedSession, answer: &AnswerReport) -> Result<(), Fault> {
        let is_other_showing = cached.trial().is_some_and(|current| {
            current.number == answer.trial && cached.session.showing() != answer.showing
        });
        if !cached.is_at_trial() || is_other_showing {
            return Err(Fault::NotThisTrial);
        }
        check_display(cached, answer.trial, answer.display.as_ref())?;
        if answer.inspection.is_some() && !self.context.presenter.zoom {
            return Err(Fault::Refused("this study does not let raters look at images closely".into()));
        }
        self.check_marks(cached, answer)?;
        self.check_played(cached, answer)
    }

    /// Refuses marks beyond the end of a text that the trial shows.
    fn check_marks(&self, cached: &CachedSession, answer: &AnswerReport) -> Result<(), Fault> {
        let previous = cached.session.previous().map(|(trial, _)| trial);
        let answered = cached.trial().into_iter().chain(previous).find(|trial| trial.number == answer.trial);
        let Some(trial) = answered else { return Ok(()) };
        for question in trial.questions.iter().filter(|one| matches!(one.form, Form::Marks { .. })) {
            let given = answer.answer.get(&*question.id).cloned().map(AnswerValue::from);
            for mark in given.as_ref().and_then(TextMark::all).unwrap_or_default() {
                let text = trial.stimuli().nth(mark.text as usize);
                let length = text.map_or(0, |text| self.context.presenter.images.characters(text));
                if mark.end > length {
                    return Err(Fault::Refused(format!(
                        "the answer to `{}` has a mark up to character {} of a text with {length}",
                        question.id, mark.end
                    )));
                }
            }
        }
        Ok(())
    }

    /// Refuses an answer to a trial with clips or texts whose page does not report all of them, and such a report on images.
    fn check_played(&self, cached: &CachedSession, answer: &AnswerReport) -> Result<(), Fault> {
        let stimuli = self.context.study.stimuli();
        let current = cached.trial().filter(|current| current.number == answer.trial && answer.revision == 0);
        let shown = current.map_or(0, |current| played_in_trial(current, stimuli).len());
        let reported = answer.played.as_ref().map_or(0, |played| played.members.len());
        if current.is_some() && shown != reported {
            return Err(Fault::Refused(format!(
                "the report of playback has {reported} clips or texts where the trial shows {shown}"
            )));
        }
        Ok(())
    }

    /// Refuses stalls in studies without clips.
    pub(super) fn check_stall(&self, reason: Disturbance) -> Result<(), Fault> {
        if reason == Disturbance::Stalled && self.context.study.stimuli().kind() != MediaKind::Video {
            return Err(Fault::Refused("only clips can stall".into()));
        }
        Ok(())
    }

    /// Returns the overrun of an answer that took longer than the server's clock allows, presentation and response together.
    pub(super) fn overrun(
        &self,
        cached: &CachedSession,
        answer: &AnswerReport,
        at: Micros,
    ) -> Option<Overrun> {
        let waited = at.0.saturating_sub(cached.page.asked.0);
        let parts = answer.display.iter().flat_map(|display| &display.parts);
        let presented = parts.map(|part| part.onset_us.saturating_add(part.shown_us)).max().unwrap_or(0);
        let reported = presented.saturating_add(answer.rt_us);
        let allowed = waited + STEP.0 + (waited as f64 * DRIFT) as u64;
        let seen = Micros(waited.saturating_sub(presented));
        (self.context.is_timed && reported > allowed).then_some(Overrun { trial: answer.trial, seen })
    }
}

/// Refuses a display report with more images than the current trial shows.
pub(super) fn check_display(
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
