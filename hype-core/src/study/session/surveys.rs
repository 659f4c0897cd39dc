//! The surveys of a session: page after page, before the task and after it.

use crate::model::answer::Answer;
use crate::model::trial::{Phase, Trial, Truth, check_answers};
use crate::plugin::survey::{SurveyPage, SurveySpec};
use crate::plugin::task::Verdict;
use crate::protocol::chance::Streams;

/// The surveys of one phase, and how far the rater has come.
#[derive(Debug, Clone)]
pub(super) struct Surveys {
    phase: Phase,
    surveys: Vec<OpenSurvey>,
    /// The current survey; the number of surveys after the last.
    at: usize,
}

#[derive(Debug, Clone)]
struct OpenSurvey {
    survey: Box<dyn SurveySpec>,
    chance: Streams,
    pages: Vec<SurveyPage>,
    given: Vec<Answer>,
}

/// The consequence of an answer to a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Surveyed {
    /// The session goes on.
    GoesOn,
    /// The rater is screened out.
    ScreenedOut,
}

impl Surveys {
    pub(super) fn open(phase: Phase, specs: &[Box<dyn SurveySpec>], session: &Streams) -> Self {
        let name = if phase == Phase::Before { "survey before" } else { "survey after" };
        let surveys = (0..).zip(specs).map(|(number, survey)| {
            let chance = session.child(name, number);
            let pages = survey.pages(&chance);
            OpenSurvey { survey: survey.clone(), chance, pages, given: Vec::new() }
        });
        let surveys = surveys.filter(|open| !open.pages.is_empty());
        Self { phase, surveys: surveys.collect(), at: 0 }
    }

    /// The current page as a trial that sessions number, and its right answer; `None` after the last.
    pub(super) fn page(&self) -> Option<(Trial, Truth)> {
        let current = self.surveys.get(self.at)?;
        let page = current.pages.get(current.given.len())?;
        let trial = Trial::new(page.parts.clone(), page.questions.clone());
        let block = u16::try_from(self.at).unwrap_or(u16::MAX);
        let trial = trial.in_block(block, current.given.len() as u32, current.pages.len() as u32);
        let truth = Truth { answer: page.right.clone(), ..Truth::default() };
        Some((Trial { phase: self.phase, ..trial }, truth))
    }

    /// Records the answer to the current page.
    ///
    /// # Errors
    /// If it is not a valid answer. Nothing has changed then.
    pub(super) fn answer(&mut self, answer: &Answer) -> Result<(Verdict, Surveyed), String> {
        let Some(current) = self.surveys.get_mut(self.at) else { return Err("no survey is open".into()) };
        let Some(page) = current.pages.get(current.given.len()) else {
            return Err("the survey has no further page".into());
        };
        check_answers(&page.questions, answer)?;
        let verdict = Verdict { correct: page.right.as_ref().map(|right| right == answer) };
        current.given.push(answer.clone());
        if current.given.len() < current.pages.len() {
            return Ok((verdict, Surveyed::GoesOn));
        }
        self.at += 1;
        match current.survey.screens_out(&current.chance, &current.given) {
            true => Ok((verdict, Surveyed::ScreenedOut)),
            false => Ok((verdict, Surveyed::GoesOn)),
        }
    }
}
