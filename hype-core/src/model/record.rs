//! Records of sessions, which rubrics score.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::model::answer::Answer;
use crate::model::digest::Digest;
use crate::model::ids::{SetId, StimulusId};
use crate::model::note::{Displayed, Disturbed, Noted, SessionNote, Waited};
use crate::model::trial::{Phase, Timing};
use crate::model::units::{Amount, Millis};

/// The place of a session in the study's plan: its number and the models to judge.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// The place's number in the plan, from 0; it seeds the session.
    pub number: u32,
    /// The models that this rater judges, in order.
    pub models: Vec<SetId>,
    /// The number of earlier raters of the same models, which determines balanced draws.
    pub turn: u32,
}

/// How a session was opened; the first event of its log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    /// The rater's key in this study.
    pub rater: Arc<str>,
    /// The place that the session fills.
    pub place: Place,
    /// The number of earlier raters who did not complete this place or were excluded by a rule of the task.
    pub attempt: u32,
    /// The digest of the study: spec, stimuli and seed.
    pub study: Digest,
    /// The task's kind.
    pub task: Arc<str>,
    /// The task's version.
    pub task_version: u32,
    /// The briefing that a learning task had learned from earlier sessions when this one was opened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub briefing: Option<Value>,
    /// The short digest of the study in which the rater had qualified; this session then has no qualification.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub qualified_in: Option<Arc<str>>,
    /// The random generator's name.
    pub generator: Arc<str>,
    /// The version of `hype-core` that opened the session.
    pub software: Arc<str>,
}

/// The display of a trial, logged with the answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Shown {
    /// The phase; `catch`, `gold` and `repeat` for trials that raters see in the main phase.
    pub phase: Phase,
    /// The block within the phase.
    pub block: u16,
    /// The stimuli, in order.
    pub stimuli: Vec<StimulusId>,
    /// The model under judgment, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<SetId>,
    /// The requested exposure, if it was limited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exposure_ms: Option<Millis>,
}

/// One answered trial.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Answered {
    /// The trial's number in the session, from 0.
    pub trial: u32,
    /// The display of the trial.
    pub shown: Shown,
    /// The answer.
    pub answer: Answer,
    /// Whether it was right, if there is a right answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub correct: Option<bool>,
    /// When it was given.
    pub timing: Timing,
}

impl Answered {
    /// The answer to a question if it is a text: the value of the chosen option.
    #[must_use]
    pub fn choice(&self, question: &str) -> Option<&str> {
        self.answer.text(question)
    }

    /// The answer to a question if it is a number.
    #[must_use]
    pub fn number(&self, question: &str) -> Option<f64> {
        self.answer.number(question)
    }
}

/// One of several answers that a rater gave to a trial.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AnswerVersion {
    /// How many answers to the trial came before it.
    pub revision: u32,
    /// The answer, with the response time since the trial was shown for it.
    pub answered: Answered,
}

/// How a session ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Ending {
    /// All trials were answered.
    Completed,
    /// The qualification was not passed.
    Disqualified,
    /// The rater left before the end.
    Left,
    /// The answers to a survey before the task screened the rater out.
    #[serde(rename = "screened-out")]
    ScreenedOut,
}

/// The result of a session, stored at its end and read without replay.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Outcome {
    /// How it ended.
    pub ending: Ending,
    /// Trials answered in all phases.
    pub answered: u32,
    /// Right answers in the main phase, including those to catch and gold trials.
    pub correct: u32,
    /// Money earned by the session itself, base and bonus, if the study pays. [`SessionRecord::earned`] has the pay for waiting
    /// as well.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub earned: Option<Earned>,
}

/// The remains of a session whose answers were erased on request: what its place, the counts and the payment need, and
/// nothing that the rater answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Erased {
    /// When it was erased, in milliseconds since 1970.
    pub unix_ms: u64,
    /// The number of trials that had been answered.
    pub answers: u32,
    /// How the session had ended; `None` if it had not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ending: Option<Ending>,
    /// Money that the rater has earned, if the study pays.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub earned: Option<Earned>,
    /// Whether the session filled its place.
    pub filled: bool,
}

/// Money that a rater has earned.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Earned {
    /// For the qualification or for taking part.
    pub base: Amount,
    /// For right answers.
    pub bonus: Amount,
    /// For waiting until the study needed the rater.
    #[serde(default, skip_serializing_if = "Amount::is_zero")]
    pub waiting: Amount,
}

impl Earned {
    /// Returns the payment in addition to the base, all in one: panels cannot tell two bonuses of a session apart.
    #[must_use]
    pub const fn beside_base(&self) -> Amount {
        self.bonus.plus(self.waiting)
    }

    /// Returns the session's earnings with the pay for waiting, if its rater waited.
    #[must_use]
    pub fn with_waiting(earned: Option<Self>, waiting: Option<Amount>) -> Option<Self> {
        match waiting {
            Some(waiting) => Some(Self { waiting, ..earned.unwrap_or_default() }),
            None => earned,
        }
    }

    /// All of it.
    #[must_use]
    pub const fn total(&self) -> Amount {
        self.base.plus(self.beside_base())
    }
}

/// A session in the form that rubrics score.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionRecord {
    /// How it was opened.
    pub header: Header,
    /// Its answered trials, in order. A trial that was corrected has its last answer; its response time is the sum of those of
    /// all answers.
    pub trials: Vec<Answered>,
    /// All answers to the trials that were corrected, in order.
    pub corrections: Vec<AnswerVersion>,
    /// Presentations that were disturbed, in order; they are not scored.
    pub disturbed: Vec<Disturbed>,
    /// Notes on how it went, in order.
    pub notes: Vec<Noted>,
    /// Its result; `None` while it runs, and if it was erased.
    pub outcome: Option<Outcome>,
    /// The remains of the session, if its answers were erased on request.
    pub erased: Option<Erased>,
}

impl SessionRecord {
    /// Returns the record of a session whose opening alone is known.
    #[must_use]
    pub fn opened(header: Header) -> Self {
        Self {
            header,
            trials: Vec::new(),
            corrections: Vec::new(),
            disturbed: Vec::new(),
            notes: Vec::new(),
            outcome: None,
            erased: None,
        }
    }

    /// Whether a version is the next answer to the trial answered last.
    pub(super) fn can_be_corrected(&self, version: &AnswerVersion) -> bool {
        let Some(last) = self.trials.last() else { return false };
        let before = self.corrections.last().filter(|before| before.answered.trial == last.trial);
        last.trial == version.answered.trial
            && version.revision == before.map_or(0, |before| before.revision) + 1
    }

    /// Replaces the answer to the trial answered last.
    pub(super) fn correct(&mut self, version: AnswerVersion) {
        let Some(last) = self.trials.last_mut() else { return };
        if version.revision == 1 {
            self.corrections.push(AnswerVersion { revision: 0, answered: last.clone() });
        }
        let rt = last.timing.rt.saturating_add(version.answered.timing.rt);
        *last = version.answered.clone();
        last.timing.rt = rt;
        self.corrections.push(version);
    }

    /// The answers to surveys, in order: what the rater was asked before and after the task.
    pub fn survey_answers(&self) -> impl Iterator<Item = &Answered> {
        self.trials.iter().filter(|trial| trial.shown.phase.is_survey())
    }

    /// Whether any trial of the task was answered, in whatever phase.
    #[must_use]
    pub fn has_begun(&self) -> bool {
        self.trials.iter().any(|trial| !trial.shown.phase.is_survey())
    }

    /// How trials with a limited exposure were displayed, in order, without disturbed presentations.
    pub fn displays(&self) -> impl Iterator<Item = &Displayed> {
        let void = |shown: &Displayed| {
            self.disturbed.iter().any(|void| (void.trial, void.showing) == (shown.trial, shown.showing))
        };
        self.notes.iter().filter_map(move |noted| match &noted.note {
            SessionNote::Displayed(shown) if !void(shown) => Some(shown),
            _ => None,
        })
    }

    /// The scored trials: those of the main phase, without catch trials, gold trials and repeats that logs tell apart.
    pub fn main_trials(&self) -> impl Iterator<Item = &Answered> {
        self.trials.iter().filter(|trial| trial.shown.phase == Phase::Main)
    }

    /// Money that the rater has earned so far, even if the answers were erased since: what the session's [outcome](Outcome) says,
    /// and the pay for waiting.
    #[must_use]
    pub fn earned(&self) -> Option<Earned> {
        if let Some(erased) = &self.erased {
            return erased.earned;
        }
        let earned = self.outcome.as_ref().and_then(|outcome| outcome.earned);
        let waiting = self.notes.iter().rev().find_map(|noted| match noted.note {
            SessionNote::Waited(Waited { pay, .. }) => Some(pay),
            _ => None,
        });
        Earned::with_waiting(earned, waiting)
    }

    /// Whether the rater has passed the study's qualification, or had qualified in another study. A rater who passes answers the
    /// trials after it, or leaves with the pay for it; a session that stops right after the last trial of the qualification does
    /// not say how that went.
    #[must_use]
    pub fn has_qualified(&self) -> bool {
        let is_paid_for_it = self.outcome.as_ref().is_some_and(|outcome| {
            outcome.ending == Ending::Left && outcome.earned.is_some_and(|earned| earned.base.0 > 0)
        });
        let mut phases = self.trials.iter().map(|trial| trial.shown.phase);
        let is_tested = phases.any(|phase| phase == Phase::Qualification);
        let has_passed = phases.any(Phase::looks_main) || is_paid_for_it;
        self.header.qualified_in.is_some() || (is_tested && has_passed)
    }

    /// Whether all trials were answered.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        matches!(&self.outcome, Some(outcome) if outcome.ending == Ending::Completed)
    }
}
