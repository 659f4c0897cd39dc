//! The course of a session: practice, then the main phase with its rests.

use std::sync::Arc;

use hype_core::model::trial::{Candidate, Feedback, Form, Part, Phase, Question, Rest, Trial, Truth};
use hype_core::{Condition, Ending, Millis, Next, Refusal, SetId, StimulusId};
use serde_json::Value;

use super::page::label;

/// How many trials a session has, and how they go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Course {
    /// Trials before the main phase.
    pub(crate) practice: u32,
    /// Trials of the main phase.
    pub(crate) main: u32,
    /// Trials between rests.
    pub(crate) rest_every: Option<u32>,
    /// The rest.
    pub(crate) rest: Option<Rest>,
    /// How long images are shown.
    pub(crate) exposure: Option<Millis>,
    /// How raters are told in practice whether they were right.
    pub(crate) feedback: Option<Feedback>,
}

/// What one trial shows.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Showing {
    pub(crate) conditions: Arc<[Condition]>,
    /// From left to right, each with its set.
    pub(crate) images: Vec<(StimulusId, SetId)>,
    /// The model under judgment, where it is one.
    pub(crate) model: Option<SetId>,
    /// The right answer, where there is one.
    pub(crate) answer: Option<Arc<Value>>,
}

impl Showing {
    /// Shows images from left to right, without a right answer.
    pub(crate) fn new(conditions: Arc<[Condition]>, images: Vec<(StimulusId, SetId)>) -> Self {
        Self { conditions, images, model: None, answer: None }
    }
}

/// The state of a session that sets images side by side: what it shows, and how far it has come.
#[derive(Debug, Clone, PartialEq)]
pub struct Sequence {
    course: Course,
    questions: Arc<[Question]>,
    showings: Vec<Showing>,
    at: u32,
}

impl Sequence {
    /// A session that shows all this, the practice first.
    pub(crate) fn new(course: Course, questions: Arc<[Question]>, showings: Vec<Showing>) -> Self {
        Self { course, questions, showings, at: 0 }
    }

    /// What is shown at present.
    pub(crate) fn current(&self) -> Option<&Showing> {
        self.showings.get(self.at as usize)
    }

    /// The present trial's number in the main phase; `None` in practice.
    pub(crate) fn in_main(&self) -> Option<u32> {
        self.at.checked_sub(self.course.practice)
    }

    /// Adds what is shown next, if there is more.
    pub(crate) fn extend(&mut self, showing: Option<Showing>) {
        self.showings.extend(showing);
    }

    /// Goes on to the next trial.
    pub(crate) fn advance(&mut self) {
        self.at += 1;
    }

    /// What comes next.
    pub(crate) fn next(&self) -> Next {
        self.current().map_or(Next::End(Ending::Completed), |showing| Next::Trial(self.trial(showing)))
    }

    /// What the present phase still shows.
    pub(crate) fn upcoming(&self) -> Vec<StimulusId> {
        let end = if self.in_main().is_none() { self.course.practice as usize } else { self.showings.len() };
        let showings = self.showings.get(self.at as usize..end).unwrap_or_default();
        showings.iter().flat_map(|showing| showing.images.iter().map(|&(id, _)| id)).collect()
    }

    /// What raters do not see of the present trial.
    pub(crate) fn truth(&self) -> Truth {
        self.current().map_or(Truth::default(), |showing| Truth {
            model: showing.model,
            role: None,
            answer: showing.answer.clone(),
            shown: showing.images.iter().map(|&(_, set)| set).collect(),
            ..Truth::default()
        })
    }

    /// Refuses an answer to a choice that is none of its options.
    pub(crate) fn check_choice(&self, question: &str, answer: &str) -> Result<(), Refusal> {
        let offered = self.questions.iter().any(|asked| match &asked.form {
            Form::Choice { options } => {
                &*asked.id == question && options.iter().any(|option| &*option.value == answer)
            }
            _ => false,
        });
        let refusal = || Refusal(format!("`{answer}` is no option of the question `{question}`"));
        if offered { Ok(()) } else { Err(refusal()) }
    }

    /// The questions of every trial.
    pub(crate) fn questions(&self) -> &[Question] {
        &self.questions
    }

    fn trial(&self, showing: &Showing) -> Trial {
        let Course { practice, main, rest_every, rest, exposure, feedback } = self.course;
        let (phase, at, of) = match self.in_main() {
            None => (Phase::Practice, self.at, practice),
            Some(at) => (Phase::Main, at, main),
        };
        let every = rest_every.filter(|_| phase == Phase::Main).unwrap_or(of).max(1);
        let (block, in_block) = (at / every, at % every);
        let images = (0..).map(label).zip(&showing.images);
        let candidates = images.map(|(label, &(stimulus, _))| Candidate { label, stimulus }).collect();
        let mut parts: Vec<Part> = showing.conditions.iter().cloned().map(Part::Condition).collect();
        parts.push(Part::Gallery { images: candidates, exposure });
        Trial {
            number: 0,
            phase,
            block: u16::try_from(block).unwrap_or(u16::MAX),
            block_trials: every.min(of.saturating_sub(block * every)),
            in_block,
            rest: rest.filter(|_| in_block == 0 && block > 0),
            parts,
            questions: Arc::clone(&self.questions),
            feedback: feedback.filter(|_| phase == Phase::Practice),
        }
    }
}
