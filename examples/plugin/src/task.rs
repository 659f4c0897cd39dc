//! The task `two_interval`: which of two images is real?

use std::sync::Arc;

use hype_core::RaterDesign;
use hype_core::model::trial::{ChoiceOption, Form, Part, Phase};
use hype_core::{
    Answer, Defaults, Design, Diagnostics, Ending, Fact, Inputs, Micros, Millis, Next, Profile, Question,
    Raters, Refusal, Role, SetId, StartError, Stimuli, StimulusId, Streams, Task, Timing, Trial, Truth, Use,
    Verdict, register_task,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::aggregator::MedianByModel;
use crate::rubric::TwoIntervalRubric;

/// The key of the answer.
pub(crate) const REAL: &str = "real";

/// The time that a typical rater takes to choose.
const CHOICE: Millis = Millis(1_500);

/// Two-interval forced choice: a real and a generated image one after the other, in either order.
///
/// The fields are the settings in YAML. What a spec leaves out is taken from [`Default`], and a field that is none of
/// these is refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TwoInterval {
    /// Pairs for each model that a rater judges.
    #[schemars(range(min = 2, max = 10_000))]
    pub trials: u32,
    /// How long each image is shown, in milliseconds.
    #[schemars(range(min = 1, max = 60_000))]
    pub exposure_ms: u32,
    /// How long the mask after each image is shown, in milliseconds.
    #[schemars(range(min = 1, max = 1_000))]
    pub mask_ms: u32,
}

impl Default for TwoInterval {
    fn default() -> Self {
        Self { trials: 40, exposure_ms: 500, mask_ms: 100 }
    }
}

/// A rater's answer: the interval that is taken for the real one.
///
/// Its fields are the questions of a trial by their ids.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Choice {
    /// `first` or `second`.
    pub real: Interval,
}

/// One of the two images, by when it was shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Interval {
    /// The first image.
    First,
    /// The second image.
    Second,
}

/// Everything that changes during a session, and what was drawn at its start.
#[derive(Debug, Clone, PartialEq)]
pub struct TwoIntervalState {
    pairs: Arc<[Pair]>,
    answered: usize,
}

/// What one trial shows.
#[derive(Debug, Clone, PartialEq)]
struct Pair {
    model: SetId,
    block: u16,
    in_block: u32,
    shown: [StimulusId; 2],
    real: Interval,
}

impl TwoIntervalState {
    fn current(&self) -> Option<&Pair> {
        self.pairs.get(self.answered)
    }
}

impl Task for TwoInterval {
    type State = TwoIntervalState;
    type Answer = Choice;

    const VERSION: u32 = 1;

    fn check(&self, design: &Design<'_>, at: &mut Diagnostics) {
        let ranges = [
            ("trials", self.trials, 2, 10_000),
            ("exposure_ms", self.exposure_ms, 1, 60_000),
            ("mask_ms", self.mask_ms, 1, 1_000),
        ];
        for (field, got, least, most) in ranges {
            if !(least..=most).contains(&got) {
                at.field(field)
                    .error("out-of-range", format!("{field} is {got}"))
                    .help(format!("use a number from {least} to {most}"));
            }
        }
        let mut needs = |needed: u32, there: usize, whose: &str| {
            if u64::from(needed) > there as u64 {
                at.error(
                    "too-few-images",
                    format!("each rater sees {needed} images of {whose}, but there are {there}"),
                )
                .help("add images or ask for fewer trials; no image is shown twice to a rater");
            }
        };
        needs(self.trials_at_most(design), real_images(design.stimuli).count(), "the real ones");
        for model in design.stimuli.models() {
            let name = design.stimuli.set(model).map_or("", |set| &*set.name);
            needs(self.trials, design.stimuli.members(model).len(), name);
        }
    }

    // All chance comes from the streams that are handed in, each purpose from one of its own, so that a draw that is
    // added later does not change the others.
    fn start(&self, inputs: &Inputs<'_>, chance: &Streams) -> Result<TwoIntervalState, StartError> {
        let stimuli = inputs.design.stimuli;
        let mut real: Vec<StimulusId> = real_images(stimuli).collect();
        chance.stream("real").shuffle(&mut real);
        let mut real = real.into_iter();
        let mut pairs = Vec::new();
        for (block, &model) in inputs.place.models.iter().enumerate() {
            let chance = chance.child("model", u64::from(model.0));
            let mut generated = stimuli.members(model).to_vec();
            chance.stream("generated").shuffle(&mut generated);
            let mut orders: Vec<Interval> = (0..self.trials)
                .map(|trial| match trial % 2 {
                    0 => Interval::First,
                    _ => Interval::Second,
                })
                .collect();
            chance.stream("orders").shuffle(&mut orders);
            for ((in_block, order), generated) in (0..).zip(orders).zip(generated) {
                let Some(real) = real.next() else { break };
                pairs.push(Pair {
                    model,
                    block: block as u16,
                    in_block,
                    shown: match order {
                        Interval::First => [real, generated],
                        Interval::Second => [generated, real],
                    },
                    real: order,
                });
            }
        }
        if pairs.len() != self.trials as usize * inputs.place.models.len() {
            return Err(StartError("there are too few images for the draw".to_owned()));
        }
        Ok(TwoIntervalState { pairs: pairs.into(), answered: 0 })
    }

    fn next(&self, state: &TwoIntervalState) -> Next {
        let Some(pair) = state.current() else {
            return Next::End(Ending::Completed);
        };
        let exposure = Some(Millis(self.exposure_ms));
        let masks = Part::Masks { count: 1, each: Millis(self.mask_ms) };
        let [first, second] = pair.shown.map(|stimulus| Part::Image { stimulus, exposure });
        Next::Trial(Trial {
            // The session numbers the trials.
            number: 0,
            phase: Phase::Main,
            block: pair.block,
            block_trials: self.trials,
            in_block: pair.in_block,
            rest: None,
            parts: vec![first, masks.clone(), second, masks],
            questions: question(),
            feedback: None,
        })
    }

    // Synthetic raters read the right answer here; a person's page never sees it.
    fn truth(&self, state: &TwoIntervalState) -> Truth {
        let pair = state.current();
        Truth {
            model: pair.map(|pair| pair.model),
            answer: pair.and_then(|pair| Answer::of(&Choice { real: pair.real })),
            ..Truth::default()
        }
    }

    fn answer(&self, state: &mut TwoIntervalState, answer: Choice, _: &Timing) -> Result<Verdict, Refusal> {
        let correct = state.current().map(|pair| pair.real == answer.real);
        state.answered += 1;
        Ok(Verdict { correct })
    }

    // The default of `Raters` is HYPE's protocol, whose qualification this task does not have.
    fn defaults(&self) -> Defaults {
        let raters = Raters { qualification: None, ..Raters::default() };
        Defaults::new(TwoIntervalRubric::default(), MedianByModel::default(), raters)
    }

    fn profile(&self, design: &Design<'_>) -> Profile {
        let trials = self.trials_at_most(design);
        let shown_ms = 2 * (u64::from(self.exposure_ms) + u64::from(self.mask_ms));
        let duration = Micros(u64::from(trials) * (shown_ms + u64::from(CHOICE.0)) * 1_000);
        Profile::new(trials).effort(duration, 0.75 * f64::from(trials)).facts(vec![Fact {
            name: "chance_level".into(),
            label: "share of right choices by guessing".into(),
            value: json!(0.5),
        }])
    }
}

impl TwoInterval {
    fn trials_at_most(&self, design: &Design<'_>) -> u32 {
        let models = match design.raters.design {
            RaterDesign::Between => 1,
            RaterDesign::Within => design.stimuli.models().count() as u32,
        };
        self.trials.saturating_mul(models)
    }
}

register_task!(
    TwoInterval,
    "two_interval",
    summary = "Two images, one real and one generated, one after the other: which one is real?",
    citation = "Green & Swets 1966, Signal Detection Theory and Psychophysics, chapter 2",
    example = "{ kind: two_interval, trials: 40, exposure_ms: 500, mask_ms: 100 }",
);

fn real_images(stimuli: &Stimuli) -> impl Iterator<Item = StimulusId> {
    stimuli.sets_with(Role::Real, Use::Main).flat_map(|set| stimuli.members(set).iter().copied())
}

fn question() -> Arc<[Question]> {
    let options = vec![
        ChoiceOption::new("first", "The first", Some('1')),
        ChoiceOption::new("second", "The second", Some('2')),
    ];
    Arc::new([Question::new(REAL, "Which of the two images is real?", Form::Choice { options })])
}
