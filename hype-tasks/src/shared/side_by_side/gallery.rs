//! Sessions that show many models at a time, item by item.

use std::sync::Arc;

use hype_core::model::guidance::Guidance;
use hype_core::model::trial::Question;
use hype_core::{
    Answer, Bounded, Check, Design, Diagnostics, Effort, Fact, Inputs, Micros, Millis, Profile,
    SessionRecord, SetId, StartError, Stimuli, Streams,
};
use serde_json::json;

use super::known::Compares;
use super::length::SessionLength;
use super::matched::{MatchedSets, Size, contenders};
use super::page::MOST_IMAGES;
use super::schedule::{Layout, Sequence};
use crate::shared::attention::{Attention, Winners};
use crate::shared::settings;
use hype_core::protocol::draw::Allocated;

/// The common settings of tasks that show many models at a time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct GalleryDesign<'a> {
    pub(crate) length: SessionLength,
    pub(crate) real: bool,
    pub(crate) conditions: bool,
    /// How many models are shown at a time; `None` for all.
    pub(crate) models_per_trial: Option<Bounded<2, 26>>,
    pub(crate) attention: Attention<'a>,
}

impl GalleryDesign<'_> {
    /// The numbers of models and of matched sets.
    fn size(self, stimuli: &Stimuli) -> Size {
        Size::of(stimuli, self.real)
    }

    /// The number of images that a trial shows.
    pub(crate) fn images(self, stimuli: &Stimuli) -> usize {
        let contenders = self.size(stimuli).contenders;
        self.models_per_trial.map_or(contenders, |images| contenders.min(images.get() as usize))
    }

    /// Checks models, items, the length of sessions, gold trials and repeats, at the path of the task.
    pub(crate) fn check(self, stimuli: &Stimuli, at: &mut Diagnostics) {
        let size = self.size(stimuli);
        size.check(stimuli, self.real, at);
        let most = MOST_IMAGES.min(size.contenders);
        match self.models_per_trial {
            Some(images) if size.contenders >= 2 && images.get() as usize > most => {
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
        self.length.check(size.matched_sets as u64, at);
        if size.matched_sets > 0 {
            self.attention.check(&self.compares(&contenders(stimuli, self.real), stimuli), stimuli, at);
        }
    }

    fn compares<'a>(self, contenders: &'a [SetId], stimuli: &Stimuli) -> Compares<'a> {
        Compares {
            contenders,
            images: self.images(stimuli),
            conditions: self.conditions,
            scored: self.length.schedule(self.size(stimuli).matched_sets as u64).main,
        }
    }

    /// Begins a session: the items allocated to the rater in random order, with the models of each in random order.
    ///
    /// If not all models are shown at a time, they take turns on each item separately. `right` is the right answer to a gold
    /// trial whose winner has a given place.
    pub(crate) fn begin(
        self,
        questions: Arc<[Question]>,
        right: impl Fn(usize) -> Answer,
        inputs: &Inputs<'_>,
        chance: &Streams,
    ) -> Result<Sequence, StartError> {
        let study_chance = inputs.study_chance;
        let matched_sets = MatchedSets::new(inputs.design.stimuli, self.real, self.conditions, study_chance);
        let images = self.images(inputs.design.stimuli) as u32;
        let schedule = self.length.schedule(matched_sets.len() as u64);
        let Some(allocated) = self.allocated(matched_sets.len(), inputs) else {
            return Err(StartError("there are no images to compare".into()));
        };
        let mut own: Vec<(usize, u64)> = allocated.own().zip(allocated.replications(0)).collect();
        chance.stream("order").shuffle(&mut own);
        let replications = allocated.replications(schedule.practice).skip(own.len());
        let all: Vec<(usize, u64)> =
            allocated.beyond(schedule.practice).zip(replications).chain(own).collect();
        let layouts = all.into_iter().zip(0..).map(|((item, replication), trial)| {
            let matched_set = matched_sets.get(item);
            let cyclic = study_chance.child("models", item as u64);
            let turn = u32::try_from(replication).unwrap_or(u32::MAX);
            let models = Allocated::new(&matched_set.images, images, turn, &cyclic);
            let mut shown: Vec<_> = models.iter().flat_map(Allocated::own).collect();
            chance.child("trial", trial).stream("places").shuffle(&mut shown);
            Layout::new(matched_set.conditions, shown)
        });
        let compares = self.compares(matched_sets.contenders(), inputs.design.stimuli);
        let slots = self.attention.slots(&compares, inputs, chance, right)?;
        Ok(Sequence::new(schedule, questions, layouts.collect()).in_order(slots))
    }

    /// The matched sets that the session at a place judges.
    pub(crate) fn units(self, inputs: &Inputs<'_>) -> Vec<u64> {
        let allocated = self.allocated(self.size(inputs.design.stimuli).matched_sets, inputs);
        allocated.iter().flat_map(Allocated::own).map(|matched_set| matched_set as u64).collect()
    }

    fn allocated(self, matched_sets: usize, inputs: &Inputs<'_>) -> Option<Allocated<usize>> {
        let all: Vec<usize> = (0..matched_sets).collect();
        let allocation = self.length.schedule(matched_sets as u64).main;
        Allocated::new(&all, allocation, inputs.place.turn, &inputs.study_chance.child("items", 0))
    }

    /// How many sessions judge every matched set as often as the design asks.
    pub(crate) fn sessions(self, design: &Design<'_>) -> u32 {
        self.length.sessions(self.size(design.stimuli).matched_sets as u64, design)
    }

    /// Returns the demands of a session on a rater, given the time for each page and for each image on it.
    pub(crate) fn profile(
        self,
        page: Millis,
        image: Millis,
        guidance: Guidance,
        stimuli: &Stimuli,
    ) -> Profile {
        let images = self.images(stimuli);
        let scored = self.length.trials(self.size(stimuli).matched_sets as u64);
        let trials = scored.saturating_add(self.attention.trials());
        let trial = u64::from(page.0).saturating_add((images as u64).saturating_mul(u64::from(image.0)));
        let duration = Micros(u64::from(trials).saturating_mul(trial).saturating_mul(1_000));
        let mut profile = Profile::new(trials);
        profile.effort = Some(Effort { duration, correct: f64::from(self.attention.golds()) });
        profile.guidance = Some(self.attention.guide(guidance));
        profile.facts = std::iter::once(self.fact(stimuli)).chain(self.attention.facts(images)).collect();
        profile.settings = settings::in_words(&profile.facts);
        profile
    }

    /// The checks of a session's gold trials and repeats.
    pub(crate) fn checks(
        self,
        session: &SessionRecord,
        stimuli: &Stimuli,
        winners: &dyn Winners,
    ) -> Vec<Check> {
        self.attention.checks(session, self.images(stimuli), winners)
    }

    /// The facts about the design that findings report.
    fn fact(self, stimuli: &Stimuli) -> Fact {
        let size = self.size(stimuli);
        Fact {
            name: "line_ups".into(),
            label: "items, models, models shown at a time, and trials of each rater".into(),
            value: json!({
                "items": size.matched_sets,
                "models": size.contenders,
                "shown": self.images(stimuli),
                "per_session": self.length.schedule(size.matched_sets as u64).main,
            }),
        }
    }
}
