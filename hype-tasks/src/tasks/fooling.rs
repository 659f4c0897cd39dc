//! Fooling: which of two images is real?
//!
//! A two-alternative forced choice between a real and a generated image side by side. Isola, Zhu, Zhou & Efros 2017,
//! "Image-to-Image Translation with Conditional Adversarial Networks", CVPR, section 4.1, and Zhu, Park, Isola & Efros
//! 2017, "Unpaired Image-to-Image Translation using Cycle-Consistent Adversarial Networks", ICCV, section 5.1: ten
//! trials of practice with feedback, then forty without, each pair shown for one second, one model for each rater.

use std::sync::{Arc, LazyLock};

use hype_core::model::trial::{Feedback, Form, Question, Rest, Truth};
use hype_core::plugin::task::Pace;
use hype_core::{
    Design, Diagnostics, Effort, ErasedAggregator, ErasedRubric, Fact, Inputs, Micros, Millis, Next,
    RaterDesign, Raters, Refusal, Role, StartError, StimulusId, Streams, Task, Timing, Verdict,
    register_task,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::aggregators::by_model::ByModel;
use crate::shared::side_by_side::{Course, Sequence, image_options, label};
use crate::tasks::hype_time::range;

mod draw;
mod rubric;

pub use self::rubric::FoolingRubric;

/// The key of the answer.
const CHOICE: &str = "choice";
/// The time that a typical rater takes to choose once the images have been seen.
const ANSWER: Millis = Millis(2_000);
/// The share of trials in which a typical rater finds the real image.
const RIGHT: f64 = 0.75;

/// Which of two images is real: a two-alternative forced choice. The default is the published protocol.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Fooling {
    /// Trials for each rater and model.
    #[schemars(range(min = 1, max = 10_000))]
    pub trials: u32,
    /// Trials for practice before them, after which the rater is told whether the answer was right; never scored.
    #[schemars(range(max = 1_000))]
    pub practice: u32,
    /// Which image raters look for.
    pub ask: Ask,
    /// How long the two images are shown, in milliseconds; `null` until the answer.
    #[schemars(range(min = 1, max = 60_000))]
    pub exposure_ms: Option<u32>,
    /// Whether a generated image stands beside the real image of the same item, and not beside any.
    pub same_item: bool,
    /// How long the rater is told in practice whether the answer was right, in milliseconds; 0 to tell nothing.
    #[schemars(range(max = 10_000))]
    pub feedback_ms: u32,
    /// The longest rest between models, in seconds, where raters judge several; 0 for none.
    #[schemars(range(max = 3_600))]
    pub rest_s: u32,
}

impl Default for Fooling {
    fn default() -> Self {
        Self {
            trials: 40,
            practice: 10,
            ask: Ask::Real,
            exposure_ms: Some(1_000),
            same_item: false,
            feedback_ms: 1_000,
            rest_s: 60,
        }
    }
}

/// Which image raters look for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Ask {
    /// The real one.
    #[default]
    Real,
    /// The generated one.
    Fake,
}

impl Ask {
    /// The role of the image that raters look for.
    const fn role(self) -> Role {
        match self {
            Self::Real => Role::Real,
            Self::Fake => Role::Generated,
        }
    }

    const fn word(self) -> &'static str {
        match self {
            Self::Real => "real",
            Self::Fake => "fake",
        }
    }
}

/// What a rater answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FoolingAnswer {
    /// The letter beneath the image that is taken for what was asked about.
    pub choice: String,
}

impl Fooling {
    /// How many models a rater judges.
    fn models(design: &Design<'_>) -> u32 {
        match design.raters.design {
            RaterDesign::Between => 1,
            RaterDesign::Within => u32::try_from(design.stimuli.models().count()).unwrap_or(u32::MAX),
        }
    }

    fn course(&self, models: u32) -> Course {
        let rest_s = self.rest_s;
        Course {
            practice: self.practice,
            main: self.trials.saturating_mul(models),
            rest_every: Some(self.trials),
            rest: (rest_s > 0).then(|| Rest { at_most: Millis(rest_s.saturating_mul(1_000)) }),
            exposure: self.exposure_ms.map(Millis),
            feedback: (self.feedback_ms > 0).then_some(Feedback { shown: Millis(self.feedback_ms) }),
        }
    }
}

/// The answer that names the image at a place.
fn answer_at(place: usize) -> Arc<Value> {
    static ANSWERS: LazyLock<[Arc<Value>; 2]> =
        LazyLock::new(|| [0, 1].map(|place| Arc::new(json!({ CHOICE: &*label(place) }))));
    Arc::clone(&ANSWERS[place.min(1)])
}

impl Task for Fooling {
    type State = Sequence;
    type Answer = FoolingAnswer;

    const VERSION: u32 = 1;

    fn check(&self, design: &Design<'_>, at: &mut Diagnostics) {
        range(at, "trials", self.trials, 1, 10_000);
        range(at, "practice", self.practice, 0, 1_000);
        if let Some(exposure) = self.exposure_ms {
            range(at, "exposure_ms", exposure, 1, 60_000);
        }
        range(at, "feedback_ms", self.feedback_ms, 0, 10_000);
        range(at, "rest_s", self.rest_s, 0, 3_600);
        draw::check(self, design, at);
    }

    fn start(&self, inputs: &Inputs<'_>, chance: &Streams) -> Result<Sequence, StartError> {
        let showings = draw::draw(self, inputs, chance)?;
        let models = u32::try_from(inputs.place.models.len()).unwrap_or(u32::MAX);
        let text = format!("Which image is {}?", self.ask.word());
        let question = Question::new(CHOICE, &text, Form::Choice { options: image_options(2) });
        Ok(Sequence::new(self.course(models), Arc::new([question]), showings))
    }

    fn next(&self, state: &Sequence) -> Next {
        state.next()
    }

    fn truth(&self, state: &Sequence) -> Truth {
        state.truth()
    }

    fn answer(&self, state: &mut Sequence, answer: FoolingAnswer, _: &Timing) -> Result<Verdict, Refusal> {
        state.check_choice(CHOICE, &answer.choice)?;
        let right = state.current().and_then(|showing| showing.answer.as_ref()?.get(CHOICE)?.as_str());
        let correct = right.map(|right| right == answer.choice);
        state.advance();
        Ok(Verdict { correct })
    }

    fn upcoming(&self, state: &Sequence) -> Vec<StimulusId> {
        state.upcoming()
    }

    fn trials_at_most(&self, design: &Design<'_>) -> u32 {
        let Course { practice, main, .. } = self.course(Self::models(design));
        practice.saturating_add(main)
    }

    fn rubric(&self) -> Box<dyn ErasedRubric> {
        Box::new(FoolingRubric::default())
    }

    fn aggregator(&self) -> Box<dyn ErasedAggregator> {
        Box::new(ByModel::default())
    }

    fn raters(&self) -> Raters {
        Raters { per_model: 25, qualification: None, payment: None, ..Raters::default() }
    }

    fn effort(&self, design: &Design<'_>) -> Option<Effort> {
        let Course { practice, main, .. } = self.course(Self::models(design));
        let trial = u64::from(self.exposure_ms.unwrap_or(3_000)) + u64::from(ANSWER.0);
        let feedback = u64::from(practice) * u64::from(self.feedback_ms);
        let trials = u64::from(practice) + u64::from(main);
        Some(Effort {
            duration: Micros(trials.saturating_mul(trial).saturating_add(feedback).saturating_mul(1_000)),
            correct: RIGHT * f64::from(main),
        })
    }

    fn pace(&self) -> Pace {
        Pace { limits_exposure: self.exposure_ms.is_some(), masks: false }
    }

    fn facts(&self, _: &Design<'_>) -> Vec<Fact> {
        let fact = |name: &str, label: &str, value| Fact { name: name.into(), label: label.into(), value };
        vec![
            fact("ask", "the image that raters look for", json!(self.ask)),
            fact("exposure_ms", "how long the pair is shown, in ms", json!(self.exposure_ms)),
            fact(
                "trials",
                "trials for each rater and model, and practice before them",
                json!({ "main": self.trials, "practice": self.practice }),
            ),
        ]
    }

    fn guidance(&self, _: &Design<'_>) -> Option<Arc<str>> {
        let word = self.ask.word();
        let mut text = format!(
            "You will see two images side by side, A and B. One is real, the other was made by a computer. Choose the \
             one that you take for {word}; if you cannot tell, guess."
        );
        if self.exposure_ms.is_some() {
            text.push_str(" The images are shown briefly; then take all the time you need to answer.");
        }
        if self.practice > 0 {
            text.push_str(&match self.practice {
                1 => " The first pair is for practice".to_owned(),
                pairs => format!(" The first {pairs} pairs are for practice"),
            });
            text.push_str(if self.feedback_ms > 0 {
                ", and you are told whether you were right."
            } else {
                "."
            });
        }
        Some(text.into())
    }
}

register_task!(
    Fooling,
    "fooling",
    summary = "Which of two images is real: how often the generated one passes for it",
    citation = "Isola et al. 2017, Image-to-Image Translation with Conditional Adversarial Networks, CVPR; Zhu et al. \
                2017, Unpaired Image-to-Image Translation using Cycle-Consistent Adversarial Networks, ICCV",
    example = "{ kind: fooling, trials: 40, practice: 10, ask: real, exposure_ms: 1000 }",
);
