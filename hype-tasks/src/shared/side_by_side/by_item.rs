//! Sessions that show many models at a time, item by item.

use std::sync::Arc;

use hype_core::model::trial::Question;
use hype_core::{Diagnostics, Effort, Fact, Inputs, Micros, Millis, StartError, Stimuli, Streams};
use serde_json::json;

use super::course::{Sequence, Showing};
use super::deal::Dealt;
use super::lineups::{Lineups, Size};
use super::pace::Pace;
use super::page::MOST_IMAGES;

/// What tasks that show many models at a time have in common.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ByItem {
    pub(crate) pace: Pace,
    pub(crate) real: bool,
    pub(crate) conditions: bool,
    /// How many models are shown at a time, where it is not all of them.
    pub(crate) models_per_trial: Option<u32>,
}

impl ByItem {
    /// How many models there are, and how many line-ups.
    pub(crate) fn size(self, stimuli: &Stimuli) -> Size {
        Size::of(stimuli, self.real)
    }

    /// How many images a trial shows.
    pub(crate) fn images(self, stimuli: &Stimuli) -> usize {
        let contenders = self.size(stimuli).contenders;
        self.models_per_trial.map_or(contenders, |images| contenders.min(images as usize))
    }

    /// Checks models, items and the length of sessions, at the path of the task.
    pub(crate) fn check(self, stimuli: &Stimuli, at: &mut Diagnostics) {
        let size = self.size(stimuli);
        size.check(stimuli, self.real, at);
        let most = MOST_IMAGES.min(size.contenders);
        match self.models_per_trial {
            Some(images) if size.contenders >= 2 && !(2..=most).contains(&(images as usize)) => {
                at.field("models_per_trial")
                    .error("out-of-range", format!("{images} of {} models at a time", size.contenders))
                    .help(format!("use a number from 2 to {most}"));
            }
            None if size.contenders > MOST_IMAGES => {
                at.error("too-many-models", format!("{} models are too many for one page", size.contenders))
                    .help(format!("show at most {MOST_IMAGES} at a time"));
            }
            _ => {}
        }
        self.pace.check(size.lineups as u64, at);
    }

    /// Begins a session: the items dealt to the rater in random order, with the models of each in random order.
    ///
    /// Where not all models are shown at a time, they take turns on each item by itself.
    pub(crate) fn begin(
        self,
        questions: Arc<[Question]>,
        inputs: &Inputs<'_>,
        chance: &Streams,
    ) -> Result<Sequence, StartError> {
        let study_chance = inputs.study_chance;
        let lineups = Lineups::new(inputs.design.stimuli, self.real, self.conditions, study_chance);
        let images = self.images(inputs.design.stimuli) as u32;
        let course = self.pace.course(lineups.len() as u64);
        let Some(dealt) = self.dealt(lineups.len(), inputs) else {
            return Err(StartError("there are no images to compare".into()));
        };
        let mut own: Vec<(usize, u64)> = dealt.own().zip(dealt.passes(0)).collect();
        chance.stream("order").shuffle(&mut own);
        let passes = dealt.passes(course.practice).skip(own.len());
        let all: Vec<(usize, u64)> = dealt.beyond(course.practice).zip(passes).chain(own).collect();
        let showings = all.into_iter().zip(0..).map(|((item, pass), trial)| {
            let lineup = lineups.get(item);
            let deck = study_chance.child("models", item as u64);
            let turn = u32::try_from(pass).unwrap_or(u32::MAX);
            let models = Dealt::new(&lineup.images, images, turn, &deck);
            let mut shown: Vec<_> = models.iter().flat_map(Dealt::own).collect();
            chance.child("trial", trial).stream("places").shuffle(&mut shown);
            Showing::new(lineup.conditions, shown)
        });
        Ok(Sequence::new(course, questions, showings.collect()))
    }

    /// The line-ups that the session at a place judges.
    pub(crate) fn units(self, inputs: &Inputs<'_>) -> Vec<u64> {
        let dealt = self.dealt(self.size(inputs.design.stimuli).lineups, inputs);
        dealt.iter().flat_map(Dealt::own).map(|lineup| lineup as u64).collect()
    }

    fn dealt(self, lineups: usize, inputs: &Inputs<'_>) -> Option<Dealt<usize>> {
        let all: Vec<usize> = (0..lineups).collect();
        let hand = self.pace.course(lineups as u64).main;
        Dealt::new(&all, hand, inputs.place.turn, &inputs.study_chance.child("items", 0))
    }

    /// How long a session takes a rater who takes so long over a page and over each image on it.
    pub(crate) fn effort(self, page: Millis, image: Millis, stimuli: &Stimuli) -> Effort {
        let images = self.images(stimuli) as u64;
        let trial = u64::from(page.0).saturating_add(images.saturating_mul(u64::from(image.0)));
        let trials = u64::from(self.pace.trials(self.size(stimuli).lineups as u64));
        Effort { duration: Micros(trials.saturating_mul(trial).saturating_mul(1_000)), correct: 0.0 }
    }

    /// What a reader of the findings has to know of the design.
    pub(crate) fn fact(self, stimuli: &Stimuli) -> Fact {
        let size = self.size(stimuli);
        Fact {
            name: "line_ups".into(),
            label: "items, models, models shown at a time, and trials of each rater".into(),
            value: json!({
                "items": size.lineups,
                "models": size.contenders,
                "shown": self.images(stimuli),
                "per_session": self.pace.course(size.lineups as u64).main,
            }),
        }
    }
}
