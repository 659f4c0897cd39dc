//! Notes in a session's log on how answers were given. They do not affect the session.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::model::digest::Digest;
use crate::model::units::Micros;

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
    /// A page took the session over: the first one, a reloaded one, a second tab.
    Attached(Attached),
    /// What the rater's page runs on.
    Environment(Environment),
    /// How a trial with a limited exposure was displayed.
    Displayed(Displayed),
}

/// A rater's consent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Consented {
    /// The digest of the text that was accepted.
    pub text: Digest,
    /// The language that it was read in, as a BCP 47 tag.
    pub language: Arc<str>,
    /// Whether the rater confirmed the minimum age; `None` if the study has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub adult: Option<bool>,
}

/// A page took the session over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attached {
    /// A random name of the page, drawn each time it is loaded.
    pub tab: Arc<str>,
    /// Milliseconds since 1970 by the server's clock, so that another process can continue the session.
    pub unix_ms: u64,
}

/// What the rater's page runs on, as it measured itself.
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
    /// Whether the page is used by touch alone.
    pub touch: bool,
    /// Refresh rate of the screen, in hertz.
    pub refresh_hz: f64,
    /// Refresh interval: the median of many.
    pub frame_us: u32,
    /// Spread of the refresh intervals as a share of the median.
    pub frame_spread: f64,
    /// The step of the page's clock.
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
    /// How often the trial had been shown before.
    pub showing: u32,
    /// What the page measured.
    pub display: Display,
}

/// What a page measured while it displayed a trial.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Display {
    /// The refresh interval that frames were planned with.
    pub frame_us: u32,
    /// The step of the page's clock.
    pub grain_us: u32,
    /// Frames that the page was not called for.
    pub skipped: u32,
    /// The latest that a frame's callback came.
    pub worst_late_us: u32,
    /// Whether an onset or an end came late by more than about half a frame.
    pub suspect: bool,
    /// The parts with a limit, in the order shown.
    #[schemars(length(max = Self::PARTS_AT_MOST))]
    pub parts: Vec<PartDisplayed>,
}

/// How one part of a trial was displayed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PartDisplayed {
    /// The part's index in the trial.
    pub part: u16,
    /// The index of the stimulus, the mask or the number in the part.
    pub image: u16,
    /// The duration asked for.
    pub requested_ms: u32,
    /// The frames planned for it: the duration over the refresh interval, rounded, at least one.
    pub planned_frames: u32,
    /// The frames shown, by the timestamps of the page's callbacks.
    pub frames: u32,
    /// From the beginning of the presentation to the frame that drew it.
    pub onset_us: u64,
    /// How long it was shown.
    pub shown_us: u64,
}

impl Display {
    /// The most stimuli, masks and numbers of a countdown that a display reports.
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
    /// How often the trial had been shown before.
    pub showing: u32,
    /// What disturbed it.
    pub reason: Disturbance,
    /// Since the session was opened.
    pub at: Micros,
}

/// What disturbs a trial with a limited exposure.
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
}
