//! The settings of HYPE-time: blocks, exposures, countdown, masks and catch trials.

use hype_core::{Bounded, Consequence, MediaKind};
use hype_stats::staircase::{Range, Reach};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::shared::session_plan::Shape;

mod adaptive;
mod staircase;

pub use self::adaptive::{Adaptive, AdaptiveFunction, AdaptiveKind, Interest, StopRule};
pub(super) use self::adaptive::{LAPSES, LEVELS, SLOPES, TARGET, THRESHOLDS};
pub use self::staircase::{CountingRule, StaircaseDesign, StaircasePreset, StaircaseSettings};
pub(super) use self::staircase::{GUESS, LAPSE};

/// The largest share of raters who see nothing that may fail by catch trials: with it, no rater is excluded on evidence that one
/// honest rater of a hundred gives. The number of trials, which a spec can set, decides how many machines fail.
pub(super) const CATCH_ALPHA: f64 = 0.01;

/// The longest exposure of a text in milliseconds: in half a minute people read 120 words, more than its field holds well.
pub(super) const TEXT_CEILING_MS: u32 = 30_000;

/// HYPE-time. The default is the published protocol with the `weighted` staircase.
///
/// Texts take seconds to read. In studies of texts the defaults are ten times those of images: exposures from 1,000 to
/// 10,000 ms, blocks that begin at 5,000 ms, and a staircase of 100 ms harder and 300 ms easier; exposures end at 30,000 ms.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct HypeTime {
    /// Blocks for each model, each a separate staircase, or adaptive procedure, on different images.
    pub blocks: Bounded<1, 100>,
    /// Trials in a block, half of them real; an even number. The largest number if `adaptive` has a `stop`.
    pub trials_per_block: Bounded<2, 10_000>,
    /// The range of exposures and the first one of each block.
    pub exposure: Exposure,
    /// The rule by which exposures change.
    pub staircase: StaircaseSettings,
    /// A Bayesian adaptive procedure in place of the staircase; none by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub adaptive: Option<Adaptive>,
    /// The countdown before each image; `null` for none.
    pub countdown: Option<Countdown>,
    /// The masks right after each image; `null` for none.
    pub masks: Option<Masks>,
    /// How long feedback is shown after an answer, in milliseconds; 0 for no feedback.
    pub feedback_ms: Bounded<0, 10_000>,
    /// The longest rest, in seconds, which the rater may cut short; 0 for none.
    pub rest_s: Bounded<0, 3_600>,
    /// Trials at an exposure too short for people, at which only a machine can be better than chance; none by
    /// default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub catch: Option<CatchTrials>,
}

impl Default for HypeTime {
    fn default() -> Self {
        Self {
            blocks: Bounded::new(3),
            trials_per_block: Bounded::new(150),
            exposure: Exposure::default(),
            staircase: StaircaseSettings::default(),
            adaptive: None,
            countdown: Some(Countdown::default()),
            masks: Some(Masks::default()),
            feedback_ms: Bounded::new(500),
            rest_s: Bounded::new(60),
            catch: None,
        }
    }
}

impl HypeTime {
    /// The defaults for studies of texts: ten times the published exposures and steps.
    #[must_use]
    pub fn for_texts() -> Self {
        let exposure = Exposure {
            floor_ms: Bounded::new(1_000),
            ceiling_ms: Bounded::new(10_000),
            start_ms: Bounded::new(5_000),
        };
        let staircase = StaircaseSettings {
            step_harder_ms: Some(Bounded::new(100)),
            step_easier_ms: Some(Bounded::new(300)),
            ..StaircaseSettings::default()
        };
        Self { exposure, staircase, ..Self::default() }
    }

    /// Gives what the section `written` leaves out the defaults of a kind of media.
    pub(super) fn fill(&mut self, kind: MediaKind, written: &Value) {
        if kind != MediaKind::Text {
            return;
        }
        let texts = Self::for_texts();
        let is_left_out = |field: &str| written.pointer(field).is_none();
        if is_left_out("/exposure/floor_ms") {
            self.exposure.floor_ms = texts.exposure.floor_ms;
        }
        if is_left_out("/exposure/ceiling_ms") {
            self.exposure.ceiling_ms = texts.exposure.ceiling_ms;
        }
        if let Some(adaptive) = &mut self.adaptive {
            if let Some(stop) = adaptive.stop.as_mut().filter(|_| is_left_out("/adaptive/stop/sd_ms")) {
                stop.sd_ms = 10.0 * StopRule::default().sd_ms;
            }
            return;
        }
        if is_left_out("/exposure/start_ms") {
            self.exposure.start_ms = texts.exposure.start_ms;
        }
        if self.staircase.preset.is_none() && !self.staircase.is_free() {
            let allow_unreachable_target = self.staircase.allow_unreachable_target;
            self.staircase = StaircaseSettings { allow_unreachable_target, ..texts.staircase };
        }
    }

    pub(crate) fn shape(&self) -> Shape {
        Shape {
            blocks: self.blocks.get(),
            real_in_block: self.trials_per_block.get() / 2,
            generated_in_block: self.trials_per_block.get() / 2,
        }
    }

    /// The staircase of every block; `None` if there is an adaptive procedure, or the settings are not valid.
    pub(super) fn staircase_design(&self) -> Option<StaircaseDesign> {
        if self.adaptive.is_some() {
            return None;
        }
        let (rule, range) = (self.staircase.rule().ok()?, self.exposure.range().ok()?);
        let trials_per_block = self.trials_per_block.get();
        let reach = Reach::new(rule, range, trials_per_block);
        Some(StaircaseDesign { rule, range, trials_per_block, reach })
    }
}

/// The range of exposures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Exposure {
    /// The shortest exposure, in milliseconds.
    pub floor_ms: Bounded<1, 60_000>,
    /// The longest exposure, in milliseconds.
    pub ceiling_ms: Bounded<2, 60_000>,
    /// The exposure that every block begins with, in milliseconds; an adaptive procedure chooses it itself.
    pub start_ms: Bounded<1, 60_000>,
}

impl Default for Exposure {
    fn default() -> Self {
        Self { floor_ms: Bounded::new(100), ceiling_ms: Bounded::new(1_000), start_ms: Bounded::new(500) }
    }
}

impl Exposure {
    /// The range for a staircase.
    ///
    /// # Errors
    /// A message that describes the fault.
    pub(super) fn range(&self) -> Result<Range, String> {
        Range::new(self.floor_ms.get(), self.ceiling_ms.get(), self.start_ms.get())
            .map_err(|error| error.to_string())
    }
}

/// A countdown before each image.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Countdown {
    /// The first number, after which the others come down to 1.
    pub from: Bounded<1, 10>,
    /// How long each is shown, in milliseconds.
    pub each_ms: Bounded<1, 10_000>,
}

impl Default for Countdown {
    fn default() -> Self {
        Self { from: Bounded::new(3), each_ms: Bounded::new(500) }
    }
}

/// Perceptual masks right after each image.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Masks {
    /// How many.
    pub count: Bounded<1, 20>,
    /// How long each is shown, in milliseconds.
    pub each_ms: Bounded<1, 10_000>,
}

impl Default for Masks {
    fn default() -> Self {
        Self { count: Bounded::new(4), each_ms: Bounded::new(30) }
    }
}

/// Catch trials: exposures too short for people, among those of the main phase, half of them real. A rater who is better
/// than chance at them is a machine, or has a display that shows images for longer than it reports.
///
/// Raters cannot recognize them: they have the countdown, masks, question, feedback and pay of any other trial, at positions
/// drawn for each session, never first in a block and never two in a row, with images that are not shown elsewhere in
/// the session. They affect neither staircases nor scores.
///
/// # Method
/// The check `catch` is the exact one-sided binomial test against one half. Trials whose display was suspect, or longer
/// than asked by more than half a refresh interval, do not count. It fails if p is at most 1 %, and is unclear if
/// so few trials count that even all right answers would not suffice.
///
/// # Power
/// At most 1 % of raters who see nothing fail, and fewer with the default, as answers are whole
/// numbers: 11 of 12 right answers are needed, which 0.32 % reach by chance. A rater biased to one answer fails even
/// less often, as half of the images are real. A machine with an accuracy of 98 % fails with a probability of 97.7 %,
/// one with 90 % with 65.9 %; with 24 trials and 19 right answers required, more than 99.9 % and 97.2 %.
///
/// It does not detect a machine that recognizes catch trials and guesses on purpose: the exposure is visible in
/// the data sent to the page.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CatchTrials {
    /// The number in a session, which is even.
    pub trials: Bounded<2, 1_000>,
    /// How long an image is shown, in milliseconds; under the floor of the staircase. One frame at 60 Hz takes 16.7 ms.
    pub exposure_ms: Bounded<1, 1_000>,
    /// The consequence for raters who fail: `exclude` removes them from the estimates, which are shown with and without them, and
    /// gives their places to others; `flag` only reports it.
    pub failing: Consequence,
}

impl Default for CatchTrials {
    fn default() -> Self {
        Self { trials: Bounded::new(12), exposure_ms: Bounded::new(16), failing: Consequence::Exclude }
    }
}
