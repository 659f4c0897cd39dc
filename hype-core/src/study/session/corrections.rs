//! One step back: a rater returns to the trial before and answers it again.

use std::collections::BTreeMap;

use super::{Accepted, Rejected, Session, Step, misshapen};
use crate::model::answer::Answer;
use crate::model::event::Event;
use crate::model::record::{AnswerVersion, Answered};
use crate::model::trial::{Part, Timing, Trial, Truth};
use crate::plugin::task::{Machine, Next};

/// The most corrections of one trial. No rater needs more, and a program could otherwise fill a log without end.
pub const CORRECTIONS_AT_MOST: u32 = 20;

/// The trial that the rater can return to, and the task as it was before its answer.
#[derive(Debug)]
pub(super) struct Previous {
    trial: Trial,
    truth: Option<Truth>,
    machine: Box<dyn Machine>,
    answer: Answer,
    /// Whether the answer counts as a right one.
    counted: bool,
}

impl Previous {
    /// The current trial of a task, if its answer cannot change what comes next and can thus be corrected later.
    pub(super) fn of(
        trial: &Trial,
        truth: Option<&Truth>,
        machine: &dyn Machine,
        answer: &Answer,
    ) -> Option<Self> {
        if !can_be_corrected(trial, machine) {
            return None;
        }
        let (trial, truth, answer) = (trial.clone(), truth.cloned(), answer.clone());
        Some(Self { trial, truth, machine: machine.fork(), answer, counted: false })
    }

    /// The same trial, whose answer counts as a right one or does not.
    pub(super) fn counted(self, counted: bool) -> Self {
        Self { counted, ..self }
    }

    pub(super) fn fork(&self) -> Self {
        Self {
            trial: self.trial.clone(),
            truth: self.truth.clone(),
            machine: self.machine.fork(),
            answer: self.answer.clone(),
            counted: self.counted,
        }
    }
}

/// Whether the answer to the current trial of a task can be corrected later: it can be seen again, no feedback tells the right
/// answer, and no answer to it changes what comes next.
fn can_be_corrected(trial: &Trial, machine: &dyn Machine) -> bool {
    let can_be_seen_again = trial.phase.looks_main() && trial.feedback.is_none() && !is_limited(trial);
    can_be_seen_again && machine.following().is_some()
}

/// Whether a part disappears by itself.
fn is_limited(trial: &Trial) -> bool {
    let disappears = |part: &Part| matches!(part, Part::Countdown { .. } | Part::Masks { .. });
    trial.exposure().is_some() || trial.parts.iter().any(disappears)
}

/// The fingerprints of answers that were corrected, by trial, in order.
pub(super) type Replaced = BTreeMap<u32, Vec<u64>>;

impl Session {
    /// The trial before the current one with the rater's answer, if the rater can return to it.
    #[must_use]
    pub fn previous(&self) -> Option<(&Trial, &Answer)> {
        self.previous.as_ref().map(|previous| (&previous.trial, &previous.answer))
    }

    /// Whether the rater can return to the current trial from the one after it.
    #[must_use]
    pub fn allows_return(&self) -> bool {
        match &self.current {
            Step::Show(trial) => self.corrects && can_be_corrected(trial, &*self.machine),
            Step::Finished(_) => false,
        }
    }

    /// The number of times that the answer to a trial was corrected.
    #[must_use]
    pub fn corrections_of(&self, trial: u32) -> u32 {
        self.replaced.get(&trial).map_or(0, |replaced| replaced.len() as u32)
    }

    /// Records another answer to the trial before the current one, which then replaces the earlier answer. The current trial
    /// stays. `revision` counts the answers to the trial, from 1 for its first correction.
    ///
    /// # Errors
    /// If the study does not allow corrections, the trial is not the [previous](Self::previous) one, or the answer is not valid.
    /// The session is then unchanged.
    pub fn handle_correction(
        &mut self,
        reported: u32,
        revision: u32,
        answer: impl Into<Answer>,
        timing: Timing,
    ) -> Result<Accepted, Rejected> {
        let answer = answer.into();
        if let Some(repeated) = self.is_repeated(reported, revision, &answer) {
            return repeated;
        }
        let refused = |reason: String| Rejected::Refused { reported, reason };
        let previous = self.previous.as_ref().filter(|previous| previous.trial.number == reported);
        let Some(previous) = previous else {
            return Err(refused("this answer cannot be corrected any more".into()));
        };
        if revision > CORRECTIONS_AT_MOST {
            return Err(refused(format!("an answer can be corrected {CORRECTIONS_AT_MOST} times")));
        }
        if let Some(reason) =
            misshapen(&previous.trial, &answer).or_else(|| self.beside.fault(&previous.trial, &answer))
        {
            return Err(refused(reason));
        }
        let mut machine = previous.machine.fork();
        let timing = Timing { at: timing.at.max(self.last), ..timing };
        let verdict =
            machine.answer(&self.beside.without(&answer), &timing).map_err(|refusal| refused(refusal.0))?;
        if !self.leads_here(machine.next()) {
            return Err(refused("another answer would change what comes next".into()));
        }
        let counted = self.counts(&previous.trial, verdict);
        let answered = Answered {
            trial: reported,
            shown: super::shown(&previous.trial, previous.truth.as_ref()),
            answer: answer.clone(),
            correct: verdict.correct,
            timing,
        };
        self.correct = self.correct + u32::from(counted) - u32::from(previous.counted);
        let fingerprint = std::mem::replace(&mut self.fingerprints[reported as usize], answer.fingerprint());
        self.replaced.entry(reported).or_default().push(fingerprint);
        self.machine = machine;
        self.truth = Some(self.machine.truth());
        self.last = timing.at;
        if let Some(previous) = &mut self.previous {
            (previous.answer, previous.counted) = (answer, counted);
        }
        let version = AnswerVersion { revision, answered };
        Ok(Accepted::Recorded(self.record(Event::Corrected(version))))
    }

    /// Returns the result of repeating an answer that the session has, or had; `None` if it is a new answer.
    pub(super) fn is_repeated(
        &self,
        reported: u32,
        revision: u32,
        answer: &Answer,
    ) -> Option<Result<Accepted, Rejected>> {
        let last = *self.fingerprints.get(reported as usize)?;
        let replaced = self.replaced.get(&reported).map_or(&[][..], Vec::as_slice);
        let before = match replaced.len().checked_sub(revision as usize) {
            Some(0) => last,
            Some(_) => *replaced.get(revision as usize)?,
            None if revision as usize == replaced.len() + 1 => return None,
            None => {
                return Some(Err(Rejected::NotAsked { reported, current: self.fingerprints.len() as u32 }));
            }
        };
        Some(match before == answer.fingerprint() {
            true => Ok(Accepted::Repeated),
            false => Err(Rejected::AnsweredOtherwise { reported }),
        })
    }

    /// Whether what a task says comes next is the current trial.
    fn leads_here(&self, next: Next) -> bool {
        match (next, &self.current) {
            (Next::Trial(next), Step::Show(current)) => self.numbered(next) == *current,
            _ => false,
        }
    }
}
