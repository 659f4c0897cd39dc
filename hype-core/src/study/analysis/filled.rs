//! Which places of the plan have a rater who counts, and which items lack raters because some places do not.

use std::collections::{HashMap, HashSet};

use crate::model::findings::Note;
use crate::plugin::task::Inputs;
use crate::study::Study;
use crate::words::counted;

/// The places whose session was completed by a rater who counts.
#[derive(Debug, Default)]
pub(super) struct Filled(HashSet<u32>);

impl Filled {
    pub(super) fn add(&mut self, place: u32) {
        self.0.insert(place);
    }

    /// A note on items with too few raters, for designs that count raters by item.
    pub(super) fn note(&self, study: &Study) -> Option<Note> {
        let per_item = u64::from(study.raters().per_item?);
        let by_item = study.task().by_item()?;
        let places = study.places();
        let empty = (0..places).filter(|place| !self.0.contains(place)).count();
        if empty == 0 {
            return None;
        }
        let mut raters: HashMap<u64, u64> = HashMap::new();
        for number in 0..places {
            let place = study.place(number);
            let inputs = Inputs {
                design: study.design(),
                place: &place,
                study_chance: study.chance(),
                briefing: None,
            };
            for unit in by_item.units(&inputs) {
                *raters.entry(unit).or_default() += u64::from(self.0.contains(&number));
            }
        }
        let missing: Vec<u64> =
            raters.values().filter(|&&count| count < per_item).map(|count| per_item - count).collect();
        let mut text =
            format!("{empty} of the plan's {} have no rater who counts", counted(places, "session"));
        match missing.iter().max() {
            Some(most) => {
                text += &format!(
                    ": {} of {} fall short of their {}, by {most} at most and {} in all",
                    missing.len(),
                    counted(raters.len(), "item"),
                    counted(per_item, "rater"),
                    missing.iter().sum::<u64>()
                );
            }
            None if raters.is_empty() => text += ", so that items fall short of their raters",
            None => text += ", but every item still has enough raters",
        }
        Some(Note::warning("short-of-raters", text))
    }
}
