//! Effects that all raters of a study share: the quality of each item, and of each output within its model.

use hype_core::{Stimuli, StimulusId, Streams};
use rand_distr::{Distribution as _, StandardNormal};

use super::Quality;

/// The effects of a study's items and of the outputs for them, the same for all its raters.
///
/// An effect is drawn on demand, so stimuli that a rater does not see cost nothing.
#[derive(Debug, Clone)]
pub(crate) struct ItemEffects {
    chance: Streams,
    item_sd: f64,
    output_sd: f64,
    /// The number of each stimulus's item; `None` for stimuli without an item.
    items: Vec<Option<u32>>,
}

impl ItemEffects {
    /// The effects in a study with the given random streams; `None` if their standard deviations are 0.
    pub(crate) fn new(quality: &Quality, stimuli: &Stimuli, study_chance: &Streams) -> Option<Self> {
        let any = quality.item_sd > 0.0 || quality.output_sd > 0.0;
        any.then(|| Self {
            chance: study_chance.child("synthetic items", 0),
            item_sd: quality.item_sd,
            output_sd: quality.output_sd,
            items: stimuli.all().iter().map(|stimulus| stimulus.item.map(|item| item.0)).collect(),
        })
    }

    /// The quality of a stimulus compared with others of its set.
    pub(crate) fn of(&self, stimulus: StimulusId) -> f64 {
        let draw = |kind: &str, number: u32| -> f64 {
            StandardNormal.sample(&mut self.chance.child(kind, u64::from(number)).stream("effect"))
        };
        let mut effect = 0.0;
        if self.item_sd > 0.0 {
            effect += self.item_sd
                * match self.items.get(stimulus.0 as usize).copied().flatten() {
                    Some(item) => draw("item", item),
                    None => draw("alone", stimulus.0),
                };
        }
        if self.output_sd > 0.0 {
            effect += self.output_sd * draw("output", stimulus.0);
        }
        effect
    }
}
