//! Rating: items one by one, each image with its conditions and every question of the rubric on one page.
//!
//! The questions are the rubric's. Raters are counted by item: each image reaches its number of raters, and no rater
//! sees an image twice but for declared repeats. HEIM (Lee et al. 2023), ImagenHub (Ku et al. 2023) and mean opinion
//! scores (ITU-T P.800, P.910) are collected this way.

use std::sync::Arc;

use hype_core::study::spec::RaterDesign;
use hype_core::{
    Check, ConditionKind, Design, Diagnostics, Effort, Ending, ErasedAggregator, ErasedRubric, Fact, Inputs,
    Micros, Next, Raters, Refusal, SessionRecord, StartError, Stimuli, Streams, Task, Timing, Truth, Verdict,
    register_task,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::aggregators::by_model::ByModel;
use crate::questionnaires::Opinion;
use crate::tasks::hype_time::UNTIMED_ANSWER;

mod answer;
mod check;
mod deal;
mod plan;
mod questions;
mod settings;
mod watch;

pub use self::answer::{Given, Ratings};
pub use self::plan::RatingState;
pub use self::settings::{Gold, Reference, Repeats, RestEvery};

use self::deal::Deal;

/// Images rated one by one. The default is ImagenHub's: each of three raters rates every image.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Rating {
    /// Images for each rater, gold images and repeats not counted; `null` for all in one session.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub per_session: Option<u32>,
    /// Whether the images of real sets are rated too, as judgments of photorealism need.
    pub real: bool,
    /// Whether a rater sees at most one output for each item: the models take turns, so that each rater sees them
    /// equally often.
    pub one_output_per_item: bool,
    /// Which kinds of conditions are shown; `null` for all that an item has.
    pub conditions: Option<Vec<ConditionKind>>,
    /// Where the source image of an item is shown.
    pub reference: Reference,
    /// Images with known answers among the others; `null` for none.
    pub gold: Option<Gold>,
    /// Images that come a second time, to see whether the rater answers alike; `null` for none.
    pub repeats: Option<Repeats>,
    /// The rest that is offered now and then; `null` for none.
    pub rest: Option<RestEvery>,
}

impl Default for Rating {
    fn default() -> Self {
        Self {
            per_session: None,
            real: false,
            one_output_per_item: false,
            conditions: None,
            reference: Reference::default(),
            gold: None,
            repeats: None,
            rest: Some(RestEvery::default()),
        }
    }
}

impl Rating {
    /// Gold images of a session.
    fn golds(&self) -> u32 {
        self.gold.as_ref().map_or(0, |gold| gold.per_session)
    }

    /// Images of a session that come a second time.
    fn repeated(&self) -> u32 {
        self.repeats.as_ref().map_or(0, |repeats| repeats.per_session)
    }
}

impl Task for Rating {
    type State = RatingState;
    type Answer = Ratings;

    const VERSION: u32 = 1;

    fn check(&self, design: &Design<'_>, at: &mut Diagnostics) {
        check::task(self, design, at);
    }

    fn check_raters(&self, design: &Design<'_>, at: &mut Diagnostics) {
        check::raters(design, at);
    }

    fn start(&self, inputs: &Inputs<'_>, chance: &Streams) -> Result<RatingState, StartError> {
        plan::draw(self, inputs, chance)
    }

    fn next(&self, state: &RatingState) -> Next {
        state.trial().map_or(Next::End(Ending::Completed), |trial| Next::Trial(trial.clone()))
    }

    fn truth(&self, state: &RatingState) -> Truth {
        state.truth().cloned().unwrap_or_default()
    }

    fn answer(&self, state: &mut RatingState, answer: Ratings, _: &Timing) -> Result<Verdict, Refusal> {
        state.answer(&answer)
    }

    fn trials_at_most(&self, design: &Design<'_>) -> u32 {
        let images = u32::try_from(Deal::of(self, design.stimuli).in_session()).unwrap_or(u32::MAX);
        images.saturating_add(self.golds()).saturating_add(self.repeated())
    }

    fn rubric(&self) -> Box<dyn ErasedRubric> {
        Box::new(Opinion::default())
    }

    fn aggregator(&self) -> Box<dyn ErasedAggregator> {
        Box::new(ByModel::default())
    }

    fn raters(&self) -> Raters {
        Raters {
            per_item: Some(3),
            design: RaterDesign::Within,
            qualification: None,
            payment: None,
            ..Raters::default()
        }
    }

    fn effort(&self, design: &Design<'_>) -> Option<Effort> {
        let deal = Deal::of(self, design.stimuli);
        let &first = deal.images().first()?;
        let questions = questions::asked(self, design.rubric, design.stimuli, first).len().max(1) as u64;
        let trials = u64::from(self.trials_at_most(design));
        Some(Effort {
            duration: Micros(trials.saturating_mul(questions * u64::from(UNTIMED_ANSWER.0) * 1_000)),
            correct: f64::from(self.golds()),
        })
    }

    fn facts(&self, design: &Design<'_>) -> Vec<Fact> {
        let deal = Deal::of(self, design.stimuli);
        let per_item = design.raters.per_item.unwrap_or(0);
        let mut facts = vec![Fact {
            name: "shares".into(),
            label: "images, images for each rater, and sessions that give each image its raters".into(),
            value: json!({
                "images": deal.images().len(),
                "in_session": deal.in_session(),
                "raters_per_image": per_item,
                "sessions": deal.sessions(per_item),
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
        facts
    }

    fn sessions_by_item(&self, design: &Design<'_>) -> u32 {
        Deal::of(self, design.stimuli).sessions(design.raters.per_item.unwrap_or(0))
    }

    fn units(&self, inputs: &Inputs<'_>) -> Vec<u64> {
        let hand = plan::images(self, inputs);
        hand.into_iter().map(|image| u64::from(image.0)).collect()
    }

    fn guidance(&self, _: &Design<'_>) -> Option<Arc<str>> {
        let mut text = String::from(
            "You will see images one after the other. Look at each as long as you like, then answer every question \
             below it. There are no trick questions: answer what you see, not what you think we would like to hear.",
        );
        if self.repeats.is_some() {
            text += " Some images come a second time; answer them as if you saw them for the first time.";
        }
        Some(text.into())
    }

    fn checks(&self, session: &SessionRecord, stimuli: &Stimuli) -> Vec<Check> {
        watch::of(self, session, stimuli)
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
