//! Notes in a session's log on how answers were given. They do not affect the session.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::model::digest::Digest;
use crate::model::inspection::TrialInspection;
use crate::model::played::TrialPlayed;
use crate::model::units::{Amount, Micros};

/// A note on how a session went.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Noted {
    /// Since the session was opened.
    pub at: Micros,
    /// The note.
    pub note: SessionNote,
}

/// The kinds of notes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum SessionNote {
    /// The rater agreed to take part.
    Consented(Consented),
    /// A page took over the session: the first page, a reloaded one, or a second tab.
    Attached(Attached),
    /// The environment of the rater's page.
    Environment(Environment),
    /// How a trial with a limited exposure was displayed.
    Displayed(Displayed),
    /// How large the images of a trial were. It holds for later trials as well, until the next such note.
    Scaled(Scaled),
    /// The rater looked closely at the images of a trial.
    Inspected(TrialInspection),
    /// The clips of a trial were played, or its texts read.
    Played(TrialPlayed),
    /// The rater answered the question on the instructions.
    Comprehension(Comprehension),
    /// The page reported a response time that the server's clock contradicts.
    Overrun(Overrun),
    /// The rater waits, before the first trial, until the study needs raters.
    Waited(Waited),
}

/// How long a rater has waited until the study needs raters: one note when the wait begins, one at the beginning of each
/// later minute, and one at the end. See [`Wait`](crate::protocol::waiting::Wait).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Waited {
    /// The number of minutes that have begun and that the page has asked in.
    pub minutes: u32,
    /// The pay for all of them that the rater was promised when they began.
    pub pay: Amount,
    /// Whether the wait is over.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub over: bool,
}

/// An answer to the question on the instructions. The rater begins after the first right one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Comprehension {
    /// The position of the chosen option, from 0.
    pub option: u32,
    /// Whether it is right.
    pub right: bool,
}

/// A response time that the server's clock contradicts: it is longer than the time between the previous report and the
/// answer. The page's clock is wrong, or a program answers in its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Overrun {
    /// The trial's number.
    pub trial: u32,
    /// The longest response time that the server's clock allows.
    pub seen: Micros,
}

/// A rater's consent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Consented {
    /// The digest of the text that was accepted.
    pub text: Digest,
    /// The language of the text, as a BCP 47 tag.
    pub language: Arc<str>,
    /// Whether the rater confirmed the minimum age; `None` if the study has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub adult: Option<bool>,
    /// The published instrument that the rater read in a translation, such as `heim`; `None` if all published wording was
    /// shown as published.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub translated: Option<Arc<str>>,
}

/// A page took over the session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attached {
    /// A random name of the page, drawn each time it is loaded.
    pub tab: Arc<str>,
    /// Milliseconds since 1970 by the server's clock, so another process can continue the session.
    pub unix_ms: u64,
}

/// The environment of the rater's page, as measured by the page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Environment {
    /// Width of the page in CSS pixels.
    #[schemars(range(max = Self::SIDE_AT_MOST))]
    pub width: u32,
    /// Height of the page in CSS pixels.
    #[schemars(range(max = Self::SIDE_AT_MOST))]
    pub height: u32,
    /// Device pixels for each CSS pixel.
    pub pixel_ratio: f64,
    /// Whether touch is the only input.
    pub touch: bool,
    /// Refresh rate of the screen, in hertz.
    pub refresh_hz: f64,
    /// Refresh interval, as the median of many measurements.
    pub frame_us: u32,
    /// Spread of the refresh intervals as a share of the median.
    pub frame_spread: f64,
    /// The resolution of the page's clock.
    pub grain_us: u32,
    /// Whether the rater asks for reduced motion.
    pub reduced_motion: bool,
}

impl Environment {
    /// The largest width or height of a page, in CSS pixels.
    pub const SIDE_AT_MOST: u32 = 100_000;
}

/// How a trial with parts of limited duration was displayed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Displayed {
    /// The trial's number.
    pub trial: u32,
    /// How many times the trial was shown before.
    pub showing: u32,
    /// The page's measurements.
    pub display: Display,
}

/// Measurements of a page while it displayed a trial.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Display {
    /// The refresh interval used to plan frames.
    pub frame_us: u32,
    /// The resolution of the page's clock.
    pub grain_us: u32,
    /// Frames without a callback of the page.
    pub skipped: u32,
    /// The greatest delay of a frame's callback.
    pub worst_late_us: u32,
    /// Whether an onset or an end came late by more than about half a frame.
    pub suspect: bool,
    /// The parts with a limit, in the order shown.
    #[schemars(length(max = Self::PARTS_AT_MOST))]
    pub parts: Vec<PartDisplayed>,
}

/// How large the images of a trial were.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Scaled {
    /// The trial's number.
    pub trial: u32,
    /// The scale.
    pub scale: ImageScale,
}

/// The scale of all images on a rater's screen.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ImageScale {
    /// Device pixels for each pixel of an image along one side, to three decimals. A whole number if images were
    /// enlarged.
    #[schemars(extend("exclusiveMinimum" = 0), range(max = Self::AT_MOST))]
    pub factor: f64,
    /// Device pixels for each CSS pixel.
    #[schemars(extend("exclusiveMinimum" = 0), range(max = Self::AT_MOST))]
    pub pixel_ratio: f64,
    /// How the pixels of enlarged images were computed.
    #[serde(default, skip_serializing_if = "Enlargement::is_nearest")]
    pub enlarge: Enlargement,
}

/// How an image is enlarged by a whole factor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Enlargement {
    /// Each pixel becomes a square of equal pixels.
    #[default]
    Nearest,
    /// Pixels are interpolated by a Lanczos kernel of three lobes, on sRGB code values.
    Lanczos,
}

impl Enlargement {
    /// Whether pixels become squares.
    #[must_use]
    pub fn is_nearest(&self) -> bool {
        *self == Self::Nearest
    }
}

impl ImageScale {
    /// The largest factor and the largest pixel ratio of any screen.
    pub const AT_MOST: f64 = 1_000.0;

    /// Whether both numbers are positive and possible.
    #[must_use]
    pub fn is_possible(&self) -> bool {
        [self.factor, self.pixel_ratio].iter().all(|&one| one > 0.0 && one <= Self::AT_MOST)
    }
}

/// How one part of a trial was displayed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PartDisplayed {
    /// The part's index in the trial.
    pub part: u16,
    /// The index of the stimulus, the mask or the number in the part.
    pub image: u16,
    /// The requested duration.
    pub requested_ms: u32,
    /// The planned number of frames: the duration divided by the refresh interval, rounded, at least one.
    pub planned_frames: u32,
    /// The number of frames shown, according to the timestamps of the page's callbacks.
    pub frames: u32,
    /// From the beginning of the presentation to the frame that drew it.
    pub onset_us: u64,
    /// How long it was shown.
    pub shown_us: u64,
}

impl Display {
    /// The maximum number of stimuli, masks and countdown numbers in a display report.
    pub const PARTS_AT_MOST: usize = 256;

    /// Whether every part was shown for the planned number of frames.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        self.parts.iter().all(|part| part.frames == part.planned_frames)
    }

    /// How long a part of the trial was shown, by its index; `None` if it was not shown.
    #[must_use]
    pub fn shown(&self, part: usize) -> Option<Micros> {
        self.parts.iter().find(|shown| usize::from(shown.part) == part).map(|shown| Micros(shown.shown_us))
    }
}

/// A trial was disturbed while it was shown. This presentation is void, and the trial is shown again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Disturbed {
    /// The trial's number.
    pub trial: u32,
    /// How many times the trial was shown before.
    pub showing: u32,
    /// The disturbance.
    pub reason: Disturbance,
    /// Since the session was opened.
    pub at: Micros,
}

/// A cause that disturbs a trial with a limited exposure, or with clips.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Disturbance {
    /// The page was hidden.
    Hidden,
    /// The window lost the focus.
    Blur,
    /// The rater left full screen.
    Fullscreen,
    /// The window's size changed.
    Resize,
    /// The page was zoomed.
    Zoom,
    /// The browser froze the page.
    Freeze,
    /// The window was moved to another screen.
    Screen,
    /// A frame came too late to display the exposure accurately.
    Late,
    /// Clips stood still or were out of step for longer than the study allows.
    Stalled,
}
