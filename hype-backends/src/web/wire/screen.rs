//! Screens and receipts, as `docs/reference/protocol.md` describes them.

use std::collections::BTreeMap;
use std::sync::Arc;

use hype_core::model::note::Enlargement;
use hype_core::model::trial::{Form, PlateDot, Required};
use hype_core::protocol::playback::Unequal;
use hype_core::{Ending, MediaKind};
#[cfg(feature = "schemas")]
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

/// A screen of the page.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
pub struct Screen {
    /// The language of the page.
    pub language: Arc<str>,
    /// The study.
    pub study: Arc<StudyInfo>,
    /// The pay of a rater who leaves now; `None` outside of sessions and without payment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub leaving: Option<LeavingPay>,
    /// The kind of screen, with its content.
    #[serde(flatten)]
    pub shown: ScreenKind,
}

/// Facts about the study that raters may see.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
pub struct StudyInfo {
    /// The title above every screen; `None` for the page's general one.
    pub title: Option<Arc<str>>,
    /// A contact for questions.
    pub contact: Option<Arc<str>>,
}

/// A kind of screen, with its content.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[serde(tag = "screen", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ScreenKind {
    /// Says what the task is, to people who have not accepted it yet.
    Preview(Box<PreviewScreen>),
    /// Stands in a panel's frame while the session goes on in a window of its own.
    Aside {
        /// The state of the session, as far as it is known.
        session: SessionElsewhere,
    },
    /// Asks for consent.
    Consent(Arc<ConsentScreen>),
    /// Explains the task.
    Instructions(Box<InstructionsScreen>),
    /// Lets the rater wait, before the first trial, until the study needs raters.
    Waiting(WaitingScreen),
    /// Shows a trial.
    Trial(Box<TrialScreen>),
    /// Ends the session.
    End(EndScreen),
    /// States that there is no session.
    Closed {
        /// Why.
        reason: ClosedReason,
    },
}

/// The state of a session in another window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum SessionElsewhere {
    /// There is none yet.
    None,
    /// It is not over.
    Open,
}

/// A description of a task that a worker has not accepted yet. It cannot be answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
pub struct PreviewScreen {
    /// The raters' work, by paragraphs.
    pub guidance: Vec<Vec<Worded>>,
    /// The text that raters agree to.
    pub consent: Vec<Arc<str>>,
    /// The entry test, if there is one.
    pub test: Option<EntryTest>,
    /// The minutes that a typical rater takes.
    pub minutes: Option<u32>,
    /// The payment offered.
    pub pay: Option<PayOffer>,
    /// The requirements on the rater's device.
    pub needs: Option<Needs>,
    /// The languages to choose from.
    pub languages: Vec<Arc<str>>,
}

/// The information that a rater reads before agreeing to take part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
pub struct ConsentScreen {
    /// The text.
    pub paragraphs: Vec<Arc<str>>,
    /// The text's digest, which the page sends back with the consent.
    pub text: String,
    /// The minimum age to confirm.
    pub minimum_age: Option<u8>,
    /// The languages to choose from.
    pub languages: Vec<Arc<str>>,
    /// The minutes that a typical rater takes.
    pub minutes: Option<u32>,
    /// The payment offered.
    pub pay: Option<PayOffer>,
    /// The requirements on the rater's device.
    pub needs: Option<Needs>,
    /// The offer for waiting before the first trial; `None` if raters do not have to wait.
    pub waiting: Option<WaitOffer>,
    /// How people who do not want to take part return to the panel, if it has a way.
    pub declined: Option<WayBack>,
}

/// How a rater returns to the panel.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
pub struct WayBack {
    /// A code for the panel.
    pub code: Option<Arc<str>>,
    /// Where to redirect the rater.
    pub redirect: Option<Arc<str>>,
}

/// The form by which a session is handed in at the panel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
pub struct HandIn {
    /// The address to send it to.
    pub action: String,
    /// Its fields.
    pub fields: BTreeMap<Arc<str>, String>,
}

/// The payment offered, in decimal numbers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
pub struct PayOffer {
    /// ISO 4217.
    pub currency: Arc<str>,
    /// For the qualification or for taking part.
    pub base: String,
    /// For each correct answer.
    pub per_correct: String,
    /// Whether an entry test comes first. People who fail it get the base, and so do those who leave once they have passed it.
    pub tested: bool,
    /// For people whose answers before the task exclude them; `None` if no answers do.
    pub screened_out: Option<String>,
}

/// The pay of a rater who leaves now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
pub struct LeavingPay {
    /// ISO 4217.
    pub currency: Arc<str>,
    /// A decimal number.
    pub amount: String,
}

/// A text in the page's language or in another one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
pub struct Worded {
    /// The text.
    pub text: Arc<str>,
    /// Its language, if it is not the page's.
    pub language: Option<Arc<str>>,
}

/// The instructions that a rater reads before the first trial.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
pub struct InstructionsScreen {
    /// The guidance, by paragraphs.
    pub paragraphs: Vec<Vec<Worded>>,
    /// The entry test, if there is one.
    pub test: Option<EntryTest>,
    /// The minutes that a typical rater takes.
    pub minutes: Option<u32>,
    /// The payment offered.
    pub pay: Option<PayOffer>,
    /// The questions of the first trial, whose keys the page explains.
    pub questions: Vec<ScreenQuestion>,
    /// Examples with their right answers.
    pub examples: Vec<Example>,
    /// The question on the instructions, if there is one.
    pub comprehension: Option<ComprehensionQuestion>,
    /// Whether images are shown for a limited time.
    pub timed: bool,
    /// Whether images follow each other fast enough to look like flashes.
    pub flashes: bool,
    /// Whether raters can look at images closely.
    pub zoom: bool,
    /// The requirements on the rater's device.
    pub needs: Option<Needs>,
}

/// The screen of a rater who waits until the study needs raters. The page asks every few seconds whether the wait is over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
pub struct WaitingScreen {
    /// The minutes that have begun.
    pub minutes: u32,
    /// The minutes after which the study begins by itself.
    pub minutes_at_most: u32,
    /// The minutes until then, the begun one among them.
    pub minutes_left: u32,
    /// The pay for the minutes that have begun, as a decimal number.
    pub pay: String,
    /// The pay for an hour of waiting, as a decimal number.
    pub per_hour: String,
    /// ISO 4217.
    pub currency: Arc<str>,
}

/// An offer to raters who may have to wait.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
pub struct WaitOffer {
    /// The most minutes that a rater waits.
    pub minutes_at_most: u32,
    /// The pay for an hour of waiting, as a decimal number.
    pub per_hour: String,
    /// ISO 4217.
    pub currency: Arc<str>,
}

/// The trials that decide whether a rater takes part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
pub struct EntryTest {
    /// The number of trials, half of which show real images.
    pub trials: u32,
    /// The minimum number of right answers.
    pub needed: u32,
    /// Whether that number is needed on real and on generated images separately, rather than in total.
    pub each_class: bool,
}

/// An example image with its right answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
pub struct Example {
    /// Its name.
    pub image: Arc<str>,
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// The right answer in words.
    pub answer: Worded,
    /// Why it is right.
    pub note: Option<Worded>,
}

/// The question on the instructions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
pub struct ComprehensionQuestion {
    /// The text of the question.
    pub question: Worded,
    /// The options, in the order shown.
    pub options: Vec<Worded>,
    /// How many times the rater has answered it wrong.
    pub wrong: u32,
}

/// Requirements of a timed task for the rater's device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
pub struct Needs {
    /// Width in CSS pixels.
    pub width: u32,
    /// Height in CSS pixels.
    pub height: u32,
    /// Refresh rate in hertz.
    pub refresh_hz: u32,
    /// Whether a keyboard is required.
    pub keyboard: bool,
}

/// A trial to show.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
pub struct TrialScreen {
    /// The trial.
    pub trial: ScreenTrial,
    /// Every image that a timed block may show, or those of an untimed trial, sorted by name.
    pub block: Arc<[Arc<str>]>,
    /// The rater's progress.
    pub progress: SessionProgress,
    /// Whether the rater can return to the trial before it.
    pub back: bool,
    /// The answer that the rater gave before, if the rater has returned to the trial.
    pub given: Option<GivenAnswer>,
    /// The trial after it, if the answer cannot change it and neither limits exposures.
    pub following: Option<Box<FollowingTrial>>,
}

/// The answer to a trial to which the rater has returned.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
pub struct GivenAnswer {
    /// The answer.
    pub answer: Value,
    /// The number that a new answer has among those to the trial.
    pub revision: u32,
}

/// A trial that a page may show before its server has the answer to the current one.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
pub struct FollowingTrial {
    /// The trial.
    pub trial: ScreenTrial,
    /// Its images, sorted by name.
    pub block: Arc<[Arc<str>]>,
    /// The rater's progress once the current trial is answered.
    pub progress: SessionProgress,
    /// Whether the rater can then return to the current trial.
    pub back: bool,
}

/// A rater's progress.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
pub struct SessionProgress {
    /// Trials answered.
    pub answered: u32,
    /// The largest number of trials in a session.
    pub at_most: u32,
}

/// A trial with opaque names in place of stimuli.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
pub struct ScreenTrial {
    /// Its number in the session.
    pub number: u32,
    /// How often it was shown before, each time disturbed.
    pub showing: u32,
    /// The phase.
    pub phase: hype_core::Phase,
    /// The block within the phase.
    pub block: u16,
    /// Trials in the block.
    pub block_trials: u32,
    /// Its place in the block.
    pub in_block: u32,
    /// The longest rest to offer before it.
    pub rest_ms: Option<u32>,
    /// The parts that are shown.
    pub parts: Vec<ScreenPart>,
    /// How its images are enlarged unless their exposure is limited.
    pub enlarge: Enlargement,
    /// Whether raters can look at its images closely. Never in tasks with a limited exposure.
    pub zoom: bool,
    /// How its clips are played or its texts read; absent if it shows images.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub playback: Option<ScreenPlayback>,
    /// The questions, in order.
    pub questions: Vec<ScreenQuestion>,
    /// How long after its questions appear a press does not answer yet.
    pub answer_after_ms: u32,
    /// How long the page shows whether the answer was right.
    pub feedback_ms: Option<u32>,
}

/// A part of a trial.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[serde(tag = "part", rename_all = "kebab-case")]
#[non_exhaustive]
#[expect(missing_docs, reason = "the fields are those of `hype_core::model::trial::Part`")]
pub enum ScreenPart {
    /// A countdown.
    Countdown { from: u8, each_ms: u32 },
    /// An image.
    Image {
        image: Arc<str>,
        width: u32,
        height: u32,
        exposure_ms: Option<u32>,
        #[serde(skip_serializing_if = "MediaKind::is_image")]
        #[cfg_attr(feature = "schemas", schemars(default))]
        media: MediaKind,
    },
    /// Masks, one after the other.
    Masks { images: Vec<Arc<str>>, each_ms: u32 },
    /// A condition.
    Condition {
        kind: hype_core::ConditionKind,
        label: Option<Arc<str>>,
        text: Option<Arc<str>>,
        image: Option<Arc<str>>,
        #[serde(skip_serializing_if = "Option::is_none")]
        clip: Option<ClipSize>,
    },
    /// Images side by side.
    Gallery { images: Vec<GalleryImage>, exposure_ms: Option<u32> },
    /// A plate of coloured dots, for the page to draw.
    Plate { dots: Arc<[PlateDot]> },
}

/// The size in pixels of a clip that is a condition; absent for other conditions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
pub struct ClipSize {
    /// Width.
    pub width: u32,
    /// Height.
    pub height: u32,
}

/// An image of a gallery.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
pub struct GalleryImage {
    /// The label beneath it.
    pub label: Arc<str>,
    /// Its name.
    pub image: Arc<str>,
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// The kind of media; absent for an image.
    #[serde(skip_serializing_if = "MediaKind::is_image")]
    #[cfg_attr(feature = "schemas", schemars(default))]
    pub media: MediaKind,
}

/// How the page plays the clips of a trial and lets its texts be read.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
pub struct ScreenPlayback {
    /// Whether the rater can play clips again.
    pub replay: bool,
    /// The share of each clip or text to see before an answer.
    pub finish: f64,
    /// Clips of different lengths.
    pub unequal: Unequal,
    /// The time that clips may stand still or be out of step before the trial is void.
    pub stalls_at_most_ms: u32,
    /// The least time of reading each text; absent if there is none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schemas", schemars(default))]
    pub reading_ms: Vec<u64>,
}

/// A question of a trial.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
pub struct ScreenQuestion {
    /// The key of its answer.
    pub id: Arc<str>,
    /// The text of the question.
    pub text: Arc<str>,
    /// Help with answering it.
    pub help: Option<Arc<str>>,
    /// The form of the answer.
    pub form: Form,
    /// The language of the texts, if it is not the page's.
    pub language: Option<Arc<str>>,
    /// When it has to be answered.
    pub required: Required,
}

/// The last screen of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
pub struct EndScreen {
    /// How the session ended.
    pub ending: Ending,
    /// Whether it ended because the operator excludes the rater.
    pub excluded: bool,
    /// The pay earned.
    pub earned: Option<EarnedPay>,
    /// The completion code for the panel.
    pub code: Option<Arc<str>>,
    /// Where to redirect the rater.
    pub redirect: Option<Arc<str>>,
    /// The form by which the session is handed in at the panel, in place of a redirect.
    pub hand_in: Option<HandIn>,
    /// Whether the rater has come again through another submission of the panel.
    pub again: bool,
    /// Whether to show a button for the next rater.
    pub next_rater: bool,
}

/// The pay earned, in decimal numbers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
pub struct EarnedPay {
    /// ISO 4217.
    pub currency: Arc<str>,
    /// For the qualification or for taking part.
    pub base: String,
    /// For correct answers.
    pub bonus: String,
    /// For waiting until the study began; `None` if the rater did not wait.
    pub waiting: Option<String>,
}

/// Why there is no session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ClosedReason {
    /// Every place is taken.
    Full,
    /// The study is over.
    Over,
    /// The operator has paused the study.
    Paused,
    /// The rater has already taken part.
    TookPart,
    /// The rater has taken part in another study whose participants cannot take part in this one.
    Excluded,
    /// The rater has not passed the qualification of the study whose qualified people this one asks for.
    NotQualified,
    /// The one-time link was used before.
    LinkUsed,
    /// The address has no valid one-time link.
    LinkInvalid,
    /// The address has no valid id of a panel's participant.
    ParticipantInvalid,
    /// The session is past its age limit.
    Expired,
}

/// The response to a report that was stored.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
pub struct Receipt {
    /// Always true; a report that could not be stored is refused instead.
    pub saved: bool,
    /// Whether the answer was right, if the trial gives feedback.
    pub correct: Option<bool>,
    /// The next screen.
    pub next: Screen,
}
