//! Which places of the plan have a rater who counts, and which items lack raters because some places do not.

use std::collections::{HashMap, HashSet};

use crate::model::findings::Note;
use crate::model::record::SessionRecord;
use crate::plugin::task::Inputs;
use crate::study::Study;
use crate::words::counted;

/// How the places of a plan were used.
#[derive(Debug, Default)]
pub(super) struct Filled {
    /// The places whose session was completed by a rater who counts.
    filled: HashSet<u32>,
    /// The places that such a rater filled whose answers were erased.
    erased: HashSet<u32>,
    /// The sessions that ended without filling their place.
    failed: HashMap<u32, u32>,
}

impl Filled {
    /// Counts a session, whose rater counts or not.
    pub(super) fn count(&mut self, record: &SessionRecord, counts: bool) {
        let place = record.header.place.number;
        match &record.erased {
            _ if counts => drop(self.filled.insert(place)),
            Some(erased) if erased.filled => drop(self.erased.insert(place)),
            None if record.outcome.is_none() => {}
            _ => *self.failed.entry(place).or_default() += 1,
        }
    }

    /// The number of places of the plan that are neither filled nor given up.
    pub(super) fn open(&self, study: &Study) -> u32 {
        let replacements = study.raters().replacements;
        let is_settled = |place: &u32| {
            self.filled.contains(place)
                || self.erased.contains(place)
                || self.failed.get(place).is_some_and(|&failed| failed > replacements)
        };
        study.places() - (0..study.places()).filter(is_settled).count() as u32
    }

    /// A note on items with too few raters, for designs that count raters by item.
    pub(super) fn note(&self, study: &Study) -> Option<Note> {
        let per_item = u64::from(study.raters().per_item?);
        let by_item = study.task().by_item()?;
        let places = study.places();
        let empty = (0..places).filter(|place| !self.filled.contains(place)).count();
        if empty == 0 {
            return None;
        }
        let mut raters: HashMap<u64, u64> = HashMap::new();
        for number in 0..places {
            let place = study.place(number);
            for unit in by_item.units(&Inputs::new(study.design(), &place, study.chance())) {
                *raters.entry(unit).or_default() += u64::from(self.filled.contains(&number));
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
        Some(Note::precision("short-of-raters", text))
    }
}
