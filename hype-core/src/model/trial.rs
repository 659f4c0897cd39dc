//! Trials: what a rater is shown and asked, complete enough for any page, terminal or simulator to play.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::model::answer::Answer;
use crate::model::ids::{SetId, StimulusId};
use crate::model::item::{Condition, Content};
use crate::model::stimulus::Role;
use crate::model::units::{Micros, Millis};

mod form;

pub use self::form::{ChoiceOption, Form, Required, TextMark, Trigger, check_answers, check_given};

/// The value of the option that calls the stimuli of a gallery equal.
pub const TIE: &str = "tie";

/// The value of the option that calls all stimuli of a gallery bad.
pub const BOTH_BAD: &str = "both-bad";

/// The phase of a session.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Phase {
    /// Decides whether the rater takes part in the main phase; never scored.
    Qualification,
    /// Makes the rater familiar with the task; never scored.
    Practice,
    /// Scored.
    #[default]
    Main,
    /// Catch trials, which people cannot answer better than by chance; never scored. Only logs distinguish them: the
    /// trials themselves belong to the main phase.
    Catch,
    /// Trials with a known answer, such as a real image next to a blank one; never scored. Only logs distinguish them.
    Gold,
    /// Trials of the main phase that come again with the images in other places; never scored. Only logs distinguish them.
    Repeat,
    /// Questions about the rater before the task begins; never scored.
    Before,
    /// Questions about the rater and the session after the task has ended; never scored.
    After,
}

impl Phase {
    /// Whether raters see it as the main phase.
    #[must_use]
    pub const fn looks_main(self) -> bool {
        matches!(self, Self::Main | Self::Catch | Self::Gold | Self::Repeat)
    }

    /// Whether it belongs to a survey, and not to the task.
    #[must_use]
    pub const fn is_survey(self) -> bool {
        matches!(self, Self::Before | Self::After)
    }
}

/// One presentation with its questions.
///
/// It holds everything that a page needs, durations included, and nothing that reveals the right answer.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Trial {
    /// Its number in the session, from 0, which the answer refers to.
    pub number: u32,
    /// The phase that it belongs to.
    pub phase: Phase,
    /// The block within the phase, from 0.
    pub block: u16,
    /// Trials in this block, for a progress display.
    pub block_trials: u32,
    /// Its place in the block, from 0.
    pub in_block: u32,
    /// A rest to offer before the trial, if one is due.
    pub rest: Option<Rest>,
    /// The parts that are shown, in order.
    pub parts: Vec<Part>,
    /// The questions that are asked once the parts have been shown; stimuli and galleries without a limit stay visible.
    pub questions: Arc<[Question]>,
    /// How the rater learns whether the answer was right; `None` for no feedback.
    pub feedback: Option<Feedback>,
}

/// A rest between blocks that the rater may cut short.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rest {
    /// The maximum duration of the rest.
    pub at_most: Millis,
}

/// One part of a presentation.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Part {
    /// A countdown `from`, …, 2, 1, each number shown for `each`.
    Countdown {
        /// The first number.
        from: u8,
        /// How long each number is shown.
        each: Millis,
    },
    /// A single stimulus.
    Stimulus {
        /// The stimulus.
        stimulus: StimulusId,
        /// How long it is shown; `None` until the answer.
        exposure: Option<Millis>,
    },
    /// Perceptual masks, one after the other.
    Masks {
        /// The number of masks.
        count: u8,
        /// How long each is shown.
        each: Millis,
    },
    /// A condition of the item under judgment, visible until the answer.
    Condition(Condition),
    /// Stimuli side by side.
    Gallery {
        /// The stimuli, in the order shown.
        candidates: Vec<Candidate>,
        /// How long they are shown; `None` until the answer.
        exposure: Option<Millis>,
    },
    /// A plate of coloured dots on a white square, visible until the answer. It is not a stimulus: the page draws it.
    Plate {
        /// The dots, which do not overlap.
        dots: Arc<[PlateDot]>,
    },
}

/// A dot of a plate. Lengths are in units of 1/10,000 of the plate's side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[expect(clippy::exhaustive_structs, reason = "code that draws a plate makes it")]
pub struct PlateDot {
    /// From the left edge to the centre.
    pub x: u16,
    /// From the upper edge to the centre.
    pub y: u16,
    /// The radius.
    pub radius: u16,
    /// Red, green and blue of sRGB.
    pub colour: [u8; 3],
}

/// One stimulus of a gallery.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// The label beneath it, such as `A`; options of choices and candidates of rankings refer to it by their values.
    pub label: Arc<str>,
    /// The stimulus.
    pub stimulus: StimulusId,
}

/// Feedback on whether the answer was right.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Feedback {
    /// How long it is shown.
    pub shown: Millis,
}

/// One question of a trial.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Question {
    /// The key of its answer.
    pub id: Arc<str>,
    /// The text of the question.
    pub text: Arc<str>,
    /// Help on how to answer it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub help: Option<Arc<str>>,
    /// The form of the answer.
    pub form: Form,
    /// The scale of the options or numbers.
    #[serde(default, skip_serializing_if = "Scale::is_absolute")]
    pub scale: Scale,
    /// When it has to be answered.
    #[serde(default, skip_serializing_if = "Required::is_always")]
    pub required: Required,
}

/// The scale that the options or numbers of a question measure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Scale {
    /// The quality of the stimulus under judgment, from worst to best.
    #[default]
    Absolute,
    /// How much better the second stimulus of a gallery is than the first, from far worse to far better. The middle
    /// means equally good.
    Difference,
}

impl Scale {
    /// Whether a single stimulus is judged.
    #[must_use]
    pub const fn is_absolute(&self) -> bool {
        matches!(self, Self::Absolute)
    }
}

impl Question {
    /// A question about a single stimulus, without help.
    #[must_use]
    pub fn new(id: &str, text: &str, form: Form) -> Self {
        Self {
            id: id.into(),
            text: text.into(),
            help: None,
            form,
            scale: Scale::Absolute,
            required: Required::ALWAYS,
        }
    }

    /// Sets the help on how to answer it.
    #[must_use]
    pub fn with_help(self, help: &str) -> Self {
        Self { help: Some(help.into()), ..self }
    }

    /// Sets when it has to be answered.
    #[must_use]
    pub fn required(self, required: Required) -> Self {
        Self { required, ..self }
    }

    /// Makes this a question about how much better the second stimulus of a gallery is than the first.
    #[must_use]
    pub fn of_difference(self) -> Self {
        Self { scale: Scale::Difference, ..self }
    }
}

/// The facts about a trial that are hidden from raters; only the server and synthetic raters know them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Truth {
    /// The model under judgment, if any; also set for generated stimuli of the qualification.
    pub model: Option<SetId>,
    /// Whether the stimulus is real or generated.
    pub role: Option<Role>,
    /// The right answer, if any.
    pub answer: Option<Answer>,
    /// The sets that the stimuli of a gallery belong to, in the order shown; empty without a gallery.
    pub shown: Vec<SetId>,
    /// The phase that the log names in place of the trial's: [`Phase::Catch`], [`Phase::Gold`] or [`Phase::Repeat`]. Raters
    /// cannot distinguish such a trial from others of the main phase and are paid for it in the same way. It is never scored.
    pub logged_as: Option<Phase>,
}

/// When an answer was given, on the driver's clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Timing {
    /// Since the session was opened.
    pub at: Micros,
    /// Response time: from the end of the presentation to the answer.
    pub rt: Micros,
    /// The exposure as measured by the page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exposure: Option<Micros>,
}

impl Trial {
    /// A trial of the main phase, without rest and feedback. Sessions number it.
    #[must_use]
    pub fn new(parts: Vec<Part>, questions: impl Into<Arc<[Question]>>) -> Self {
        Self {
            number: 0,
            phase: Phase::Main,
            block: 0,
            block_trials: 0,
            in_block: 0,
            rest: None,
            parts,
            questions: questions.into(),
            feedback: None,
        }
    }

    /// Sets the block, the position in the block, and the number of trials in the block. Blocks and positions count
    /// from 0.
    #[must_use]
    pub fn in_block(self, block: u16, in_block: u32, block_trials: u32) -> Self {
        Self { block, in_block, block_trials, ..self }
    }

    /// Sets the number in the session.
    #[must_use]
    pub fn numbered(self, number: u32) -> Self {
        Self { number, ..self }
    }

    /// Sets the phase.
    #[must_use]
    pub fn in_phase(self, phase: Phase) -> Self {
        Self { phase, ..self }
    }

    /// Sets the rest to offer before the trial.
    #[must_use]
    pub fn with_rest(self, rest: impl Into<Option<Rest>>) -> Self {
        Self { rest: rest.into(), ..self }
    }

    /// Sets how the rater learns whether the answer was right.
    #[must_use]
    pub fn with_feedback(self, feedback: impl Into<Option<Feedback>>) -> Self {
        Self { feedback: feedback.into(), ..self }
    }

    /// The stimuli under judgment, in the order shown; conditions are not among them.
    #[inline]
    pub fn stimuli(&self) -> impl Iterator<Item = StimulusId> + '_ {
        self.parts.iter().flat_map(|part| {
            let (one, several): (_, &[Candidate]) = match part {
                Part::Stimulus { stimulus, .. } => (Some(*stimulus), &[]),
                Part::Gallery { candidates, .. } => (None, candidates),
                _ => (None, &[]),
            };
            one.into_iter().chain(several.iter().map(|candidate| candidate.stimulus))
        })
    }

    /// All stimuli that the trial shows: first those under judgment, then those of conditions.
    pub fn all_stimuli(&self) -> impl Iterator<Item = StimulusId> + '_ {
        let conditions = self.parts.iter().filter_map(|part| match part {
            Part::Condition(Condition { content: Content::Stimulus(stimulus), .. }) => Some(*stimulus),
            _ => None,
        });
        self.stimuli().chain(conditions)
    }

    /// The candidates of the gallery; empty for a trial without a gallery.
    #[inline]
    #[must_use]
    pub fn gallery(&self) -> &[Candidate] {
        let found = self.parts.iter().find_map(|part| match part {
            Part::Gallery { candidates, .. } => Some(candidates.as_slice()),
            _ => None,
        });
        found.unwrap_or_default()
    }

    /// The exposure of the first stimulus or gallery with a limit.
    #[inline]
    #[must_use]
    pub fn exposure(&self) -> Option<Millis> {
        self.parts.iter().find_map(|part| match part {
            Part::Stimulus { exposure, .. } | Part::Gallery { exposure, .. } => *exposure,
            _ => None,
        })
    }

    /// The total duration of the parts with a limit.
    #[inline]
    #[must_use]
    pub fn presentation(&self) -> Micros {
        self.parts.iter().fold(Micros(0), |sum, part| {
            let (times, each) = match part {
                Part::Countdown { from, each } => (u64::from(*from), *each),
                Part::Stimulus { exposure, .. } | Part::Gallery { exposure, .. } => {
                    (1, exposure.unwrap_or_default())
                }
                Part::Masks { count, each } => (u64::from(*count), *each),
                Part::Condition(_) | Part::Plate { .. } => (0, Millis::default()),
            };
            sum.saturating_add(Micros(times * Micros::from_millis(each).0))
        })
    }
}
