//! The task `rating`.

use hype_core::RaterDesign;
use hype_core::model::guidance::Guidance;
use hype_core::{
    ByItem, Check, Defaults, Description, Design, Diagnostics, Effort, Ending, Fact, Inputs, Micros, Next,
    Profile, RatedStimuli, Raters, Refusal, SessionRecord, StartError, Stimuli, Streams, Task, Timing, Trial,
    Truth, Verdict, register_task,
};
use serde_json::json;

use crate::questionnaires::{Opinion, PageAnswers};
use crate::shared::UNTIMED_ANSWER;
use crate::shared::settings;

use super::allocation::ImageAllocation;
use super::settings::{Rating, Reference};
use super::state::RatingState;
use super::{attention, check, questions, state};

impl Task for Rating {
    type State = RatingState;
    type Answer = PageAnswers;

    const VERSION: u32 = 1;

    fn check(&self, design: &Design<'_>, at: &mut Diagnostics) {
        check::task(self, design, at);
    }

    fn check_raters(&self, design: &Design<'_>, at: &mut Diagnostics) {
        check::raters(design, at);
    }

    fn start(&self, inputs: &Inputs<'_>, chance: &Streams) -> Result<RatingState, StartError> {
        state::draw(self, inputs, chance)
    }

    fn next(&self, state: &RatingState) -> Next {
        state.trial().map_or(Next::End(Ending::Completed), |trial| Next::Trial(trial.clone()))
    }

    fn truth(&self, state: &RatingState) -> Truth {
        state.truth().cloned().unwrap_or_default()
    }

    fn answer(&self, state: &mut RatingState, answer: PageAnswers, _: &Timing) -> Result<Verdict, Refusal> {
        state.answer(&answer)
    }

    fn defaults(&self) -> Defaults {
        Defaults::new(
            Opinion::default(),
            "by_model",
            Raters {
                per_item: Some(3),
                design: RaterDesign::Within,
                qualification: None,
                payment: None,
                ..Raters::default()
            },
        )
    }

    fn profile(&self, design: &Design<'_>) -> Profile {
        let mut profile = Profile::new(self.trials_at_most(design));
        profile.effort = self.effort(design);
        profile.guidance = Some(self.guidance());
        profile.facts = self.facts(design);
        profile.settings = settings::in_words(&profile.facts);
        profile
    }

    fn checks(&self, session: &SessionRecord, stimuli: &Stimuli) -> Vec<Check> {
        attention::of(self, session, stimuli)
    }

    fn following(&self, state: &RatingState) -> Option<Trial> {
        state.following().cloned()
    }

    fn describe(&self) -> Description {
        let beside_source = self.reference == Reference::Beside;
        Description::asking_the_rubric(RatedStimuli { reals: self.real, beside_source })
    }

    fn by_item(&self) -> Option<&dyn ByItem> {
        Some(self)
    }
}

impl ByItem for Rating {
    fn unit(&self) -> &'static str {
        "stimulus"
    }

    fn sessions(&self, design: &Design<'_>) -> u32 {
        ImageAllocation::of(self, design.stimuli).sessions(design.raters.per_item.unwrap_or(0))
    }

    fn units(&self, inputs: &Inputs<'_>) -> Vec<u64> {
        let hand = state::images(self, inputs);
        hand.into_iter().map(|image| u64::from(image.0)).collect()
    }
}

impl Rating {
    fn trials_at_most(&self, design: &Design<'_>) -> u32 {
        let images =
            u32::try_from(ImageAllocation::of(self, design.stimuli).in_session()).unwrap_or(u32::MAX);
        images.saturating_add(self.golds()).saturating_add(self.repeated())
    }

    fn effort(&self, design: &Design<'_>) -> Option<Effort> {
        let allocation = ImageAllocation::of(self, design.stimuli);
        let &first = allocation.images().first()?;
        let questions = questions::asked(self, design.rubric, design.stimuli, first).len().max(1) as u64;
        let trials = u64::from(self.trials_at_most(design));
        Some(Effort {
            duration: Micros(trials.saturating_mul(questions * u64::from(UNTIMED_ANSWER.0) * 1_000)),
            correct: f64::from(self.golds()),
        })
    }

    fn facts(&self, design: &Design<'_>) -> Vec<Fact> {
        let allocation = ImageAllocation::of(self, design.stimuli);
        let per_item = design.raters.per_item.unwrap_or(0);
        let mut facts = vec![Fact {
            name: "shares".into(),
            label: "images, images for each rater, and sessions that give each image its raters".into(),
            value: json!({
                "images": allocation.images().len(),
                "in_session": allocation.in_session(),
                "raters_per_image": per_item,
                "sessions": allocation.sessions(per_item),
            }),
        }];
        if let Some(gold) = &self.gold {
            facts.push(Fact {
                name: "gold".into(),
                label: "gold images in a session, and the least share right of raters who count".into(),
                value: json!({ "per_session": gold.per_session, "pass": gold.pass }),
            });
        }
        if let Some(repeats) = &self.repeats {
            facts.push(Fact {
                name: "repeats".into(),
                label: "images of a session that come a second time".into(),
                value: json!(repeats),
            });
        }
        if let Some(least) = self.variance_at_least {
            facts.push(Fact {
                name: "variance".into(),
                label: "least variance of the answers of raters who count".into(),
                value: json!(least),
            });
        }
        facts
    }

    fn guidance(&self) -> Guidance {
        let guidance = Guidance::from(
            "You will see images one after the other. Look at each as long as you like, then answer every question \
             below it. There are no trick questions: answer what you see, not what you think we would like to hear.",
        );
        if self.repeats.is_some() {
            guidance
                .then("Some images come a second time; answer them as if you saw them for the first time.")
        } else {
            guidance
        }
    }
}

register_task!(
    Rating,
    "rating",
    summary = "Images rated one by one: each with its conditions and every question of the rubric",
    citation = "Lee et al. 2023, HEIM, NeurIPS; Ku et al. 2023, ImagenHub; ITU-T P.800, P.910",
    example =
        "{ kind: rating, per_session: 50, gold: { per_session: 5, pass: 0.7 }, repeats: { per_session: 3 } }",
);
