//! The settings of HYPE-time: exposures, staircase, countdown, masks, and their checks.

use hype_core::{Bounded, Diagnostics, Fact};
use hype_stats::staircase::{self, Range, Reachability, Rule};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::HypeTime;

/// The share of slips that `check` grants an observer when it asks whether a target can be reached.
const LAPSE: f64 = 0.0;
/// The chance of being right by guessing between real and generated.
const GUESS: f64 = 0.5;

/// The range of exposures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Exposure {
    /// The shortest exposure, in milliseconds.
    pub floor_ms: Bounded<1, 60_000>,
    /// The longest exposure, in milliseconds.
    pub ceiling_ms: Bounded<2, 60_000>,
    /// The exposure that every block begins with, in milliseconds.
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
    /// A message that says what is wrong.
    pub(super) fn range(&self) -> Result<Range, String> {
        Range::new(self.floor_ms.get(), self.ceiling_ms.get(), self.start_ms.get())
            .map_err(|error| error.to_string())
    }
}

/// A countdown before each image.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Countdown {
    /// The first number.
    pub from: Bounded<1, 10>,
    /// How long each number is shown, in milliseconds.
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
    pub each_ms: Bounded<1, 1_000>,
}

impl Default for Masks {
    fn default() -> Self {
        Self { count: Bounded::new(4), each_ms: Bounded::new(30) }
    }
}

/// A named staircase rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum StaircasePreset {
    /// Each correct answer 10 ms harder, each wrong one 30 ms easier: target 0.75.
    #[default]
    Weighted,
    /// As the paper prints it: target 0.25, which cannot be reached.
    PaperLiteral,
    /// Three consecutive correct answers 30 ms harder, each wrong one 10 ms easier: target 0.630.
    ThreeCorrect,
    /// Three consecutive correct answers 10 ms harder, each wrong one 10 ms easier: target 0.794.
    #[serde(rename = "transformed-3-1")]
    Transformed31,
    /// Three correct answers in all 10 ms harder, each wrong one 10 ms easier: target 0.75.
    #[serde(rename = "cumulative-3-1")]
    Cumulative31,
    /// Two consecutive correct answers 10 ms harder, each wrong one 10 ms easier: target 0.707.
    TwoDownOneUp,
    /// Three consecutive correct answers 17 ms harder, each wrong one 23 ms easier: target 0.8315.
    #[serde(rename = "garcia-perez-3")]
    GarciaPerez3,
}

impl StaircasePreset {
    fn rule(self) -> Rule {
        match self {
            Self::Weighted => staircase::Preset::Weighted,
            Self::PaperLiteral => staircase::Preset::PaperLiteral,
            Self::ThreeCorrect => staircase::Preset::ThreeCorrect,
            Self::Transformed31 => staircase::Preset::Transformed31,
            Self::Cumulative31 => staircase::Preset::Cumulative31,
            Self::TwoDownOneUp => staircase::Preset::TwoDownOneUp,
            Self::GarciaPerez3 => staircase::Preset::GarciaPerez3,
        }
        .rule()
    }
}

/// How correct answers are counted toward a harder trial.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum CountingRule {
    /// A wrong answer sets the count back to zero.
    #[default]
    Consecutive,
    /// A wrong answer leaves the count as it is.
    Cumulative,
}

/// The staircase: a preset by its name, or the free form by its numbers.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct StaircaseSettings {
    /// A named rule; `weighted` where the free form is not used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preset: Option<StaircasePreset>,
    /// Free form: how many correct answers make the next trial harder (1 if left out).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub correct_to_harder: Option<Bounded<1, 1_000>>,
    /// Free form: by how much a harder trial is shorter, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step_harder_ms: Option<Bounded<1, 60_000>>,
    /// Free form: by how much the trial after a wrong answer is longer, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step_easier_ms: Option<Bounded<1, 60_000>>,
    /// Free form: whether a wrong answer sets the count of correct ones back (`consecutive` if left out).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counting: Option<CountingRule>,
    /// Whether a rule is taken whose target no rater can settle at.
    pub allow_unreachable_target: bool,
}

impl StaircaseSettings {
    /// A preset.
    #[must_use]
    pub fn preset(preset: StaircasePreset) -> Self {
        Self { preset: Some(preset), ..Self::default() }
    }

    fn is_free(&self) -> bool {
        self.correct_to_harder.is_some()
            || self.step_harder_ms.is_some()
            || self.step_easier_ms.is_some()
            || self.counting.is_some()
    }

    /// The rule.
    ///
    /// # Errors
    /// A message that says what is wrong.
    pub fn rule(&self) -> Result<Rule, String> {
        if !self.is_free() {
            return Ok(self.preset.unwrap_or_default().rule());
        }
        if self.preset.is_some() {
            return Err("a staircase is either a preset or the free form, not both".into());
        }
        let (Some(harder), Some(easier)) = (self.step_harder_ms, self.step_easier_ms) else {
            return Err("the free form needs both step_harder_ms and step_easier_ms".into());
        };
        let counting = match self.counting.unwrap_or_default() {
            CountingRule::Consecutive => staircase::Counting::Consecutive,
            CountingRule::Cumulative => staircase::Counting::Cumulative,
        };
        Rule::new(self.correct_to_harder.map_or(1, Bounded::get), harder.get(), easier.get(), counting)
            .map_err(|error| error.to_string())
    }

    pub(super) fn facts(&self, exposure: &Exposure) -> Vec<Fact> {
        let Ok(rule) = self.rule() else { return Vec::new() };
        let reachable = rule.reachability(GUESS, LAPSE).is_ok_and(|reach| reach.is_reachable());
        let fact = |name: &str, label: &str, value| Fact { name: name.into(), label: label.into(), value };
        vec![
            fact(
                "staircase_rule",
                "staircase",
                json!({
                    "correct_to_harder": rule.correct_to_harder(),
                    "step_harder_ms": rule.step_harder_ms(),
                    "step_easier_ms": rule.step_easier_ms(),
                    "counting": rule.counting().name(),
                }),
            ),
            fact(
                "staircase_target",
                "target of the staircase (share of right answers)",
                json!(rule.target()),
            ),
            fact("staircase_target_reachable", "the target can be reached", json!(reachable)),
            fact("exposure", "exposures in ms", json!(exposure)),
        ]
    }
}

/// Checks the settings of HYPE-time that need no stimuli.
pub(super) fn check_task(task: &HypeTime, at: &mut Diagnostics) {
    task.blocks.check("blocks", at);
    task.trials_per_block.check("trials_per_block", at);
    if task.trials_per_block.get() % 2 == 1 {
        at.field("trials_per_block")
            .error(
                "odd-trials",
                format!("{} trials cannot be half real and half generated", task.trials_per_block),
            )
            .help("use an even number");
    }
    task.feedback_ms.check("feedback_ms", at);
    task.rest_s.check("rest_s", at);
    if let Some(countdown) = task.countdown {
        at.within("countdown", |at| {
            countdown.from.check("from", at);
            countdown.each_ms.check("each_ms", at);
        });
    }
    if let Some(masks) = task.masks {
        at.within("masks", |at| {
            masks.count.check("count", at);
            masks.each_ms.check("each_ms", at);
        });
    }
    at.within("exposure", |at| check_exposure(&task.exposure, at));
    at.within("staircase", |at| check_staircase(task, at));
}

fn check_exposure(exposure: &Exposure, at: &mut Diagnostics) {
    exposure.floor_ms.check("floor_ms", at);
    exposure.ceiling_ms.check("ceiling_ms", at);
    exposure.start_ms.check("start_ms", at);
    if ![exposure.floor_ms.holds(), exposure.ceiling_ms.holds(), exposure.start_ms.holds()]
        .iter()
        .all(|&holds| holds)
    {
        return;
    }
    if exposure.floor_ms.get() >= exposure.ceiling_ms.get() {
        at.field("ceiling_ms")
            .error(
                "empty-range",
                format!(
                    "the ceiling of {} ms is not over the floor of {} ms",
                    exposure.ceiling_ms, exposure.floor_ms
                ),
            )
            .help("the published range is 100 to 1000 ms");
    } else if !(exposure.floor_ms.get()..=exposure.ceiling_ms.get()).contains(&exposure.start_ms.get()) {
        at.field("start_ms")
            .error("out-of-range", format!("a block cannot start at {} ms", exposure.start_ms))
            .help(format!("start within {} to {} ms", exposure.floor_ms, exposure.ceiling_ms));
    }
}

fn check_staircase(task: &HypeTime, at: &mut Diagnostics) {
    let settings = &task.staircase;
    settings.correct_to_harder.iter().for_each(|count| count.check("correct_to_harder", at));
    for (field, step) in
        [("step_harder_ms", settings.step_harder_ms), ("step_easier_ms", settings.step_easier_ms)]
    {
        step.iter().for_each(|step| step.check(field, at));
    }
    let rule = match settings.rule() {
        Ok(rule) => rule,
        Err(reason) => {
            at.error("bad-staircase", reason).help(
                "write `{ preset: weighted }`, or `{ correct_to_harder: 1, step_harder_ms: 10, step_easier_ms: 30, \
                 counting: consecutive }`",
            );
            return;
        }
    };
    let width = task.exposure.ceiling_ms.get().saturating_sub(task.exposure.floor_ms.get());
    for (field, step) in
        [("step_harder_ms", rule.step_harder_ms()), ("step_easier_ms", rule.step_easier_ms())]
    {
        if width > 0 && step > width {
            at.field(if settings.is_free() { field } else { "preset" })
                .error(
                    "step-too-large",
                    format!("a step of {step} ms leaves the range of {width} ms at once"),
                )
                .help("use steps that are small beside the range of exposures");
        }
    }
    let Ok(reach) = rule.reachability(GUESS, LAPSE) else { return };
    if reach.is_reachable() {
        return;
    }
    let field = if settings.preset.is_some() { "preset" } else { "step_harder_ms" };
    let ends = match reach {
        Reachability::AtOrOverUpper { .. } => "so every block would end at the ceiling",
        _ => "so guessing alone drives every block to the floor",
    };
    let message = format!(
        "the rule's target of {:.3} right answers cannot be reached by a choice of two, where guessing is right half \
         of the time: {ends}",
        rule.target()
    );
    if settings.allow_unreachable_target {
        at.field(field).warning("unreachable-target", message);
    } else {
        at.field(field).error("unreachable-target", message).help(
            "use `preset: weighted`, whose target is 0.75, or say `allow_unreachable_target: true` to run it all the \
             same",
        );
    }
}
