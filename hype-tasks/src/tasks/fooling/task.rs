//! The task `fooling`.

use std::sync::Arc;

use hype_core::model::guidance::Guidance;
use hype_core::model::trial::{Feedback, Form, Question, Rest, Truth};
use hype_core::plugin::task::Pace;
use hype_core::{
    Bounded, Defaults, Description, Design, Diagnostics, Effort, Fact, Inputs, Micros, Millis, Next, Profile,
    Raters, Refusal, StartError, StimulusId, Streams, Task, Timing, Trial, Verdict, register_task,
};
use serde_json::json;

use super::allocation;
use super::scoring::FoolingRubric;
use super::settings::{CHOICE, Fooling, FoolingAnswer};
use crate::shared::settings;
use crate::shared::side_by_side::{Schedule, Sequence, image_options};

/// The time that a typical rater takes to choose once the images have been seen.
const ANSWER: Millis = Millis(2_000);
/// The share of trials in which a typical rater finds the real image.
const RIGHT: f64 = 0.75;

impl Fooling {
    fn schedule(&self, models: u32) -> Schedule {
        let (rest_s, feedback_ms) = (self.rest_s.get(), self.feedback_ms.get());
        Schedule {
            practice: self.practice.get(),
            main: self.trials.get().saturating_mul(models),
            rest_every: Some(self.trials.get()),
            rest: (rest_s > 0).then_some(Rest { at_most: Millis(rest_s * 1_000) }),
            exposure: self.exposure_ms.map(|exposure| Millis(exposure.get())),
            feedback: (feedback_ms > 0).then_some(Feedback { shown: Millis(feedback_ms) }),
        }
    }
}

impl Task for Fooling {
    type State = Sequence;
    type Answer = FoolingAnswer;

    const VERSION: u32 = 1;

    fn check(&self, design: &Design<'_>, at: &mut Diagnostics) {
        allocation::check(self, design, at);
    }

    fn start(&self, inputs: &Inputs<'_>, chance: &Streams) -> Result<Sequence, StartError> {
        let layouts = allocation::draw(self, inputs, chance)?;
        let models = u32::try_from(inputs.place.models.len()).unwrap_or(u32::MAX);
        let text = format!("Which image is {}?", self.ask.word());
        let question = Question::new(CHOICE, &text, Form::Choice { options: image_options(2) });
        Ok(Sequence::new(self.schedule(models), Arc::new([question]), layouts))
    }

    fn next(&self, state: &Sequence) -> Next {
        state.next()
    }

    fn truth(&self, state: &Sequence) -> Truth {
        state.truth()
    }

    fn answer(&self, state: &mut Sequence, answer: FoolingAnswer, _: &Timing) -> Result<Verdict, Refusal> {
        state.check_choice(CHOICE, &answer.choice)?;
        let is_right = |right: &str| right == answer.choice;
        let correct = state.current().and_then(|layout| layout.answer.as_ref()?.text(CHOICE).map(is_right));
        state.advance();
        Ok(Verdict { correct })
    }

    fn defaults(&self) -> Defaults {
        Defaults::new(
            FoolingRubric::default(),
            "by_model",
            Raters { per_model: 25, qualification: None, payment: None, ..Raters::default() },
        )
    }

    fn profile(&self, design: &Design<'_>) -> Profile {
        let mut profile = Profile::new(self.trials_at_most(design));
        profile.effort = self.effort(design);
        profile.pace = self.pace();
        profile.guidance = Some(self.guidance());
        profile.facts = self.facts();
        profile.settings = settings::in_words(&profile.facts);
        profile
    }

    fn following(&self, state: &Sequence) -> Option<Trial> {
        state.following()
    }

    fn describe(&self) -> Description {
        Description::asking([CHOICE])
    }

    fn upcoming(&self, state: &Sequence) -> Vec<StimulusId> {
        state.upcoming()
    }
}

impl Fooling {
    fn trials_at_most(&self, design: &Design<'_>) -> u32 {
        let Schedule { practice, main, .. } = self.schedule(design.models_of_a_rater());
        practice.saturating_add(main)
    }

    fn effort(&self, design: &Design<'_>) -> Option<Effort> {
        let Schedule { practice, main, .. } = self.schedule(design.models_of_a_rater());
        let trial = u64::from(self.exposure_ms.map_or(3_000, Bounded::get)) + u64::from(ANSWER.0);
        let feedback = u64::from(practice) * u64::from(self.feedback_ms.get());
        let trials = u64::from(practice) + u64::from(main);
        Some(Effort {
            duration: Micros(trials.saturating_mul(trial).saturating_add(feedback).saturating_mul(1_000)),
            correct: RIGHT * f64::from(main),
        })
    }

    fn facts(&self) -> Vec<Fact> {
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

    fn guidance(&self) -> Guidance {
        let word = self.ask.word();
        let mut guidance = Guidance::from(
            "You will see two images side by side, A and B. One is real, the other was made by a computer.",
        )
        .then(format!("Choose the one that you take for {word}; if you cannot tell, guess."));
        if self.exposure_ms.is_some() {
            guidance =
                guidance.then("The images are shown briefly; then take all the time you need to answer.");
        }
        match (self.practice.get(), self.feedback_ms.get() > 0) {
            (0, _) => guidance,
            (1, false) => guidance.then("The first pair is for practice."),
            (1, true) => {
                guidance.then("The first pair is for practice, and you are told whether you were right.")
            }
            (pairs, false) => guidance.then(format!("The first {pairs} pairs are for practice.")),
            (pairs, true) => guidance.then(format!(
                "The first {pairs} pairs are for practice, and you are told whether you were right."
            )),
        }
    }

    fn pace(&self) -> Pace {
        Pace { limits_exposure: self.exposure_ms.is_some(), masks: false }
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
