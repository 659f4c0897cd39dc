//! The schedule of a session: practice, then the main phase with its rests.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use hype_core::model::trial::{Candidate, Feedback, Form, Part, Phase, Question, Rest, Trial, Truth};
use hype_core::{Answer, Condition, Ending, Millis, Next, Refusal, SetId, StimulusId};

use super::page::label;

/// The number of trials in a session, and their timing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Schedule {
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
    /// The feedback in practice trials.
    pub(crate) feedback: Option<Feedback>,
}

/// The layout of one trial.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Layout {
    pub(crate) conditions: Arc<[Condition]>,
    /// From left to right, each with its set.
    pub(crate) images: Vec<(StimulusId, SetId)>,
    /// The model under judgment, if there is a single one.
    pub(crate) model: Option<SetId>,
    /// The right answer, if there is one.
    pub(crate) answer: Option<Answer>,
}

impl Layout {
    /// Shows images from left to right, without a right answer.
    pub(crate) fn new(conditions: Arc<[Condition]>, images: Vec<(StimulusId, SetId)>) -> Self {
        Self { conditions, images, model: None, answer: None }
    }

    /// The same images, each so many places further to the right, and those at the end at the beginning: no image keeps its
    /// place, and two exchange theirs.
    fn turned(&self, places: usize) -> Self {
        let mut turned = self.clone();
        turned.images.rotate_right(places % self.images.len().max(1));
        turned
    }
}

/// A trial of the main phase.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Slot {
    /// The scored one with this number.
    Scored(u32),
    /// One whose winner is known by its place.
    Gold {
        /// The images shown, with the right answer.
        layout: Layout,
        /// The place of the winner.
        winner: usize,
    },
    /// A scored one that comes again.
    Again {
        /// Its number.
        number: u32,
        /// By how many places its images are moved.
        turned: usize,
    },
}

impl Slot {
    /// The phase that logs name, if it is not the main one.
    fn logged_as(&self) -> Option<Phase> {
        match self {
            Self::Scored(_) => None,
            Self::Gold { .. } => Some(Phase::Gold),
            Self::Again { .. } => Some(Phase::Repeat),
        }
    }
}

/// The state of a session that shows images side by side: its trials and its progress.
#[derive(Debug, Clone, PartialEq)]
pub struct Sequence {
    schedule: Schedule,
    questions: Arc<[Question]>,
    /// Of practice and of scored trials, in order.
    layouts: Vec<Layout>,
    /// The main phase.
    slots: Arc<[Slot]>,
    at: u32,
}

impl Sequence {
    /// Begins a session with these layouts, practice first.
    pub(crate) fn new(schedule: Schedule, questions: Arc<[Question]>, layouts: Vec<Layout>) -> Self {
        Self { schedule, questions, layouts, slots: (0..schedule.main).map(Slot::Scored).collect(), at: 0 }
    }

    /// The same session with another order of its main phase.
    pub(crate) fn in_order(self, slots: Arc<[Slot]>) -> Self {
        Self { slots, ..self }
    }

    /// The current trial's layout.
    pub(crate) fn current(&self) -> Option<Cow<'_, Layout>> {
        self.layout(self.at)
    }

    /// The place of the winner, if the current trial has a known one.
    pub(crate) fn known_winner(&self) -> Option<usize> {
        match self.slot(self.at)? {
            Slot::Gold { winner, .. } => Some(*winner),
            _ => None,
        }
    }

    /// Whether the current trial is scored.
    pub(crate) fn is_scored(&self) -> bool {
        matches!(self.slot(self.at), Some(Slot::Scored(_)))
    }

    /// The trial of the main phase with this number in the session.
    fn slot(&self, number: u32) -> Option<&Slot> {
        self.slots.get(number.checked_sub(self.schedule.practice)? as usize)
    }

    /// The layout of a trial, once it is known.
    fn layout(&self, number: u32) -> Option<Cow<'_, Layout>> {
        let practice = self.schedule.practice;
        let scored = |number: u32| self.layouts.get((practice + number) as usize);
        if number < practice {
            return self.layouts.get(number as usize).map(Cow::Borrowed);
        }
        match self.slot(number)? {
            Slot::Scored(number) => scored(*number).map(Cow::Borrowed),
            Slot::Gold { layout, .. } => Some(Cow::Borrowed(layout)),
            Slot::Again { number, turned } => Some(Cow::Owned(scored(*number)?.turned(*turned))),
        }
    }

    /// Appends a layout, if there is one.
    pub(crate) fn extend(&mut self, layout: Option<Layout>) {
        self.layouts.extend(layout);
    }

    /// Moves to the next trial.
    pub(crate) fn advance(&mut self) {
        self.at += 1;
    }

    /// Returns the next step.
    pub(crate) fn next(&self) -> Next {
        self.current()
            .map_or(Next::End(Ending::Completed), |layout| Next::Trial(self.trial(self.at, &layout)))
    }

    /// The trial after the current one, if it has been laid out.
    pub(crate) fn following(&self) -> Option<Trial> {
        self.layout(self.at + 1).map(|layout| self.trial(self.at + 1, &layout))
    }

    /// The stimuli that remain in the current phase.
    pub(crate) fn upcoming(&self) -> Vec<StimulusId> {
        let practice = self.schedule.practice;
        let end =
            if self.at < practice { practice } else { practice.saturating_add(self.slots.len() as u32) };
        let layouts = (self.at..end).filter_map(|number| self.layout(number));
        layouts.flat_map(|layout| layout.images.iter().map(|&(id, _)| id).collect::<Vec<_>>()).collect()
    }

    /// The part of the current trial that is hidden from raters.
    pub(crate) fn truth(&self) -> Truth {
        self.current().map_or(Truth::default(), |layout| Truth {
            model: layout.model,
            role: None,
            answer: layout.answer.clone(),
            shown: layout.images.iter().map(|&(_, set)| set).collect(),
            logged_as: self.slot(self.at).and_then(Slot::logged_as),
        })
    }

    /// Refuses an answer to a choice that is not one of its options.
    pub(crate) fn check_choice(&self, question: &str, answer: &str) -> Result<(), Refusal> {
        let offered = self.questions.iter().any(|asked| match &asked.form {
            Form::Choice { options } => {
                &*asked.id == question && options.iter().any(|option| &*option.value == answer)
            }
            _ => false,
        });
        let refusal = || Refusal(format!("`{answer}` is not an option of the question `{question}`"));
        if offered { Ok(()) } else { Err(refusal()) }
    }

    /// Refuses an answer that does not choose one option of every question, and of nothing else.
    pub(crate) fn check_choices(&self, answer: &BTreeMap<String, String>) -> Result<(), Refusal> {
        if let Some(open) = self.questions.iter().find(|asked| !answer.contains_key(&*asked.id)) {
            return Err(Refusal(format!("the question `{}` is not answered", open.id)));
        }
        answer.iter().try_for_each(|(question, chosen)| self.check_choice(question, chosen))
    }

    fn trial(&self, number: u32, layout: &Layout) -> Trial {
        let Schedule { practice, rest_every, rest, exposure, feedback, .. } = self.schedule;
        let (phase, at, of) = match number.checked_sub(practice) {
            None => (Phase::Practice, number, practice),
            Some(at) => (Phase::Main, at, self.slots.len() as u32),
        };
        let every = rest_every.filter(|_| phase == Phase::Main).unwrap_or(of).max(1);
        let (block, in_block) = (at / every, at % every);
        let images = (0..).map(label).zip(&layout.images);
        let candidates = images.map(|(label, &(stimulus, _))| Candidate { label, stimulus }).collect();
        let mut parts: Vec<Part> = layout.conditions.iter().cloned().map(Part::Condition).collect();
        parts.push(Part::Gallery { candidates, exposure });
        Trial::new(parts, Arc::clone(&self.questions))
            .in_block(
                u16::try_from(block).unwrap_or(u16::MAX),
                in_block,
                every.min(of.saturating_sub(block * every)),
            )
            .in_phase(phase)
            .with_rest(rest.filter(|_| in_block == 0 && block > 0))
            .with_feedback(feedback.filter(|_| phase == Phase::Practice))
    }
}
