//! What the page is sent: screens, receipts and faults, as `docs/PAGE.md` has them.

use std::sync::Arc;

use hype_core::Ending;
use hype_core::model::trial::{Form, Question};
use serde::Serialize;

/// What a page shows.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Screen {
    /// The language chosen.
    pub language: Arc<str>,
    /// What is known of the study.
    pub study: Arc<About>,
    /// What is shown.
    #[serde(flatten)]
    pub shown: Shown,
}

/// What raters may know of a study.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct About {
    /// Its title.
    pub title: Arc<str>,
    /// Whom to ask.
    pub contact: Option<Arc<str>>,
}

/// One kind of screen.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "screen", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Shown {
    /// The rater is asked to take part.
    Consent(Arc<Consent>),
    /// The rater is told what to do.
    Instructions(Arc<Instructions>),
    /// A trial.
    Trial(Box<TrialScreen>),
    /// The session is over.
    End(End),
    /// There is no session.
    Closed {
        /// Why.
        reason: Closed,
    },
}

/// What a rater reads before agreeing to take part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Consent {
    /// The text.
    pub paragraphs: Vec<Arc<str>>,
    /// The text's digest, which the page sends back with the acceptance.
    pub text: String,
    /// The age to confirm.
    pub minimum_age: Option<u8>,
    /// The languages on offer.
    pub languages: Vec<Arc<str>>,
    /// How long it takes a typical rater.
    pub minutes: Option<u32>,
    /// What is paid.
    pub pay: Option<Pay>,
}

/// What is paid, as decimal numbers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Pay {
    /// ISO 4217.
    pub currency: Arc<str>,
    /// For the qualification or for taking part.
    pub base: String,
    /// For each right answer.
    pub per_correct: String,
}

/// What a rater reads before the first trial.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Instructions {
    /// The text.
    pub paragraphs: Vec<Arc<str>>,
    /// Whether images are shown for a limited time.
    pub timed: bool,
    /// Whether images follow each other so fast that they may be taken for flashes.
    pub flashes: bool,
    /// What the page's machine needs.
    pub needs: Option<Needs>,
}

/// What a timed task needs of the rater's machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Needs {
    /// Width in CSS pixels.
    pub width: u32,
    /// Height in CSS pixels.
    pub height: u32,
    /// Refresh rate in hertz.
    pub refresh_hz: u32,
    /// Whether touch alone is not enough.
    pub keyboard: bool,
}

/// A trial to show.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TrialScreen {
    /// The trial.
    pub trial: Trial,
    /// Every image that a timed block may show, or those of an untimed trial, in an order that means nothing.
    pub block: Arc<[Arc<str>]>,
    /// How far the rater has come.
    pub progress: Progress,
}

/// How far a rater has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Progress {
    /// Trials answered.
    pub answered: u32,
    /// Trials at most.
    pub at_most: u32,
}

/// A trial with names in place of stimuli.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Trial {
    /// Its number in the session.
    pub number: u32,
    /// How often it was shown and disturbed before.
    pub showing: u32,
    /// The phase.
    pub phase: hype_core::Phase,
    /// The block within the phase.
    pub block: u16,
    /// Trials in the block.
    pub block_trials: u32,
    /// Its place in the block.
    pub in_block: u32,
    /// A rest to offer before it.
    pub rest_ms: Option<u32>,
    /// What is shown.
    pub parts: Vec<Part>,
    /// What is asked.
    pub questions: Vec<Asked>,
    /// How long the rater is told whether the answer was right.
    pub feedback_ms: Option<u32>,
}

/// A part of a trial.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "part", rename_all = "kebab-case")]
#[non_exhaustive]
#[expect(missing_docs, reason = "the fields are those of `hype_core::model::trial::Part`")]
pub enum Part {
    /// A countdown.
    Countdown { from: u8, each_ms: u32 },
    /// An image.
    Image { image: Arc<str>, width: u32, height: u32, exposure_ms: Option<u32> },
    /// Masks, one after the other.
    Masks { images: Vec<Arc<str>>, each_ms: u32 },
    /// A condition.
    Condition {
        kind: hype_core::ConditionKind,
        label: Option<Arc<str>>,
        text: Option<Arc<str>>,
        image: Option<Arc<str>>,
    },
    /// Images side by side.
    Gallery { images: Vec<Candidate>, exposure_ms: Option<u32> },
}

/// An image of a gallery.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Candidate {
    /// What the rater reads beneath it.
    pub label: Arc<str>,
    /// Its name.
    pub image: Arc<str>,
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
}

/// A question.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Asked {
    /// The key of its answer.
    pub id: Arc<str>,
    /// What is asked.
    pub text: Arc<str>,
    /// What helps to answer it.
    pub help: Option<Arc<str>>,
    /// What can be answered.
    pub form: Form,
}

impl From<&Question> for Asked {
    fn from(question: &Question) -> Self {
        Self {
            id: Arc::clone(&question.id),
            text: Arc::clone(&question.text),
            help: question.help.clone(),
            form: question.form.clone(),
        }
    }
}

/// The end of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct End {
    /// How it ended.
    pub ending: Ending,
    /// What was earned.
    pub earned: Option<Earned>,
    /// What the rater hands to the panel.
    pub code: Option<Arc<str>>,
    /// Where the rater goes on to.
    pub redirect: Option<Arc<str>>,
    /// Whether the page makes room for the next rater.
    pub next_rater: bool,
}

/// What was earned, as decimal numbers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Earned {
    /// ISO 4217.
    pub currency: Arc<str>,
    /// For the qualification or for taking part.
    pub base: String,
    /// For right answers.
    pub bonus: String,
}

/// Why there is no session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Closed {
    /// Every place is taken.
    Full,
    /// The study is over.
    Over,
    /// The rater has taken part before.
    TookPart,
    /// The one-time link was used before.
    LinkUsed,
    /// A one-time link is needed, and this is none.
    LinkInvalid,
    /// The session was left for too long.
    Expired,
}

/// A report was kept.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Receipt {
    /// Always true: what could not be kept is told by a fault.
    pub saved: bool,
    /// Whether the answer was right, where the trial has feedback.
    pub correct: Option<bool>,
    /// What comes next.
    pub next: Screen,
}
