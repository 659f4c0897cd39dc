//! Comparisons between two models, counted as they stream in: by rater and ordered pair of models, and by item where items
//! vary or several criteria were asked.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use hype_core::model::findings::{Exclusion, GeneralizeTo};
use hype_core::model::score::NO_MODEL;
use hype_core::{AggregateError, Measure, ScoreTable};
use hype_stats::preference::JointOutcome;

use crate::shared::names::{KnownNames, NameMaps};
use crate::shared::score_rows::{distinct, unusable};

/// Measure, rater, item, first model, second model. The item is `NO_ITEM` where it is not kept.
type Key = [u32; 5];

const NO_ITEM: u32 = u32::MAX;

/// What is counted of one rater's comparisons of two models on an item.
pub trait PairTally: Clone + Default + Send + 'static {
    /// What the value of a row has to be, for errors.
    const RULE: &'static str;

    /// Counts the value of a row; `None` if it is not valid.
    fn count(&mut self, value: f64) -> Option<()>;

    /// Adds the counts of another tally.
    fn merge(&mut self, other: &Self);

    /// How many comparisons were counted.
    fn comparisons(&self) -> u64;

    /// Their mean outcome: positive if the first model was preferred, negative if the second was.
    fn mean_outcome(&self) -> f64;
}

/// Comparisons counted so far.
#[derive(Debug, Clone)]
pub struct PairCounts<T> {
    measures: Vec<Measure>,
    names: KnownNames,
    maps: NameMaps,
    counts: HashMap<Key, T>,
    generalize_to: GeneralizeTo,
    /// By measure.
    items: HashMap<u32, HashSet<u32>>,
}

/// The comparisons of one measure.
#[derive(Debug, Clone)]
pub(super) struct PairSample<T> {
    pub(super) measure: Measure,
    pub(super) models: Vec<Arc<str>>,
    /// In the order of raters, items, first and second models.
    pub(super) cells: Vec<PairCell<T>>,
    /// What the results of these comparisons can generalize to.
    pub(super) generalize_to: GeneralizeTo,
    pub(super) items: u64,
}

/// The comparisons of one rater between two models on an item, all by their numbers in a sample.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct PairCell<T> {
    pub(super) rater: u32,
    pub(super) item: u32,
    pub(super) first: u32,
    pub(super) second: u32,
    pub(super) tally: T,
}

impl<T: PairTally> PairCounts<T> {
    /// No comparisons yet, of these measures.
    pub(super) fn new(measures: Vec<Measure>, generalize_to: GeneralizeTo) -> Self {
        Self {
            measures,
            names: KnownNames::default(),
            maps: NameMaps::default(),
            counts: HashMap::new(),
            generalize_to,
            items: HashMap::new(),
        }
    }

    pub(super) fn generalize_to(&self) -> GeneralizeTo {
        self.generalize_to
    }

    pub(super) fn measures(&self) -> &[Measure] {
        &self.measures
    }

    /// Whether items are kept apart: where they vary, and where comparisons by several criteria are matched.
    fn keeps_items(&self) -> bool {
        self.generalize_to != GeneralizeTo::Raters || self.measures.len() > 1
    }

    pub(super) fn add(&mut self, scores: &ScoreTable) -> Result<(), AggregateError> {
        self.maps.extend(scores, &mut self.names);
        let wanted: Vec<bool> = scores
            .measures
            .all()
            .iter()
            .map(|name| self.measures.iter().any(|measure| measure.name == *name))
            .collect();
        let keeps_items = self.keeps_items();
        let columns = scores.columns();
        for row in 0..scores.len() {
            if !wanted[columns.measure[row] as usize] {
                continue;
            }
            let to = &self.maps;
            if columns.against[row] == NO_MODEL || columns.against[row] == columns.model[row] {
                return Err(about(scores, row, "a comparison needs another model in `against`"));
            }
            let measure = to.measures.get(columns.measure[row]);
            let item = to.items.get(columns.item[row]);
            let is_named = self.names.items.name(item).is_some_and(|name| !name.is_empty());
            let key = [
                measure,
                to.raters.get(columns.rater[row]),
                if is_named && keeps_items { item } else { NO_ITEM },
                to.models.get(columns.model[row]),
                to.models.get(columns.against[row]),
            ];
            let value = columns.value[row];
            let counted = self.counts.entry(key).or_default().count(value);
            if counted.is_none() {
                let is_number = value.is_finite();
                return Err(if is_number { about(scores, row, T::RULE) } else { unusable(scores, row) });
            }
            if is_named {
                self.items.entry(measure).or_default().insert(item);
            }
        }
        Ok(())
    }

    pub(super) fn merge(&mut self, other: &Self) {
        let to = NameMaps::between(&other.names, &mut self.names);
        for (&[measure, rater, item, first, second], tally) in &other.counts {
            let key = [
                to.measures.get(measure),
                to.raters.get(rater),
                if item == NO_ITEM { NO_ITEM } else { to.items.get(item) },
                to.models.get(first),
                to.models.get(second),
            ];
            self.counts.entry(key).or_default().merge(tally);
        }
        for (&measure, items) in &other.items {
            let seen = self.items.entry(to.measures.get(measure)).or_default();
            seen.extend(items.iter().map(|&item| to.items.get(item)));
        }
    }

    /// The numbers of excluded raters who have compared something.
    pub(super) fn excluded(&self, exclusions: &[Exclusion]) -> HashSet<u32> {
        exclusions.iter().filter_map(|exclusion| self.names.raters.number(&exclusion.rater)).collect()
    }

    /// The error that there is nothing to compute findings from.
    pub(super) fn no_scores(&self, unless_named: &str) -> AggregateError {
        let wanted = self.measures.first().map_or(unless_named, |measure| &*measure.name);
        let names = self.names.measures.all();
        let known = if names.is_empty() { "none at all".into() } else { names.join(", ") };
        AggregateError::NoScores { measure: wanted.to_owned(), known }
    }

    /// The comparisons of one measure without those of some raters; `None` if there are none. Models are in the order of
    /// their names, raters and items in the order of theirs, so that the result does not depend on chunks or workers.
    pub(super) fn sample(&self, measure: &Measure, without: &HashSet<u32>) -> Option<PairSample<T>> {
        let number = self.names.measures.number(&measure.name)?;
        let own: Vec<(&Key, &T)> =
            self.counts.iter().filter(|(key, _)| key[0] == number && !without.contains(&key[1])).collect();
        let mut models: Vec<u32> = own.iter().flat_map(|(key, _)| [key[3], key[4]]).collect();
        models.sort_unstable_by_key(|&model| self.names.models.name(model));
        models.dedup();
        if models.is_empty() {
            return None;
        }
        let raters = self.raters_in_order(own.iter().map(|(key, _)| key[1]));
        let items = self.items_in_order(own.iter().map(|(key, _)| key[2]));
        let model_place = places(&models);
        let mut cells: Vec<PairCell<T>> = own
            .into_iter()
            .map(|(key, tally)| PairCell {
                rater: raters[&key[1]],
                item: items[&key[2]],
                first: model_place[&key[3]],
                second: model_place[&key[4]],
                tally: tally.clone(),
            })
            .collect();
        cells.sort_unstable_by_key(|cell| (cell.rater, cell.item, cell.first, cell.second));
        Some(PairSample {
            measure: measure.clone(),
            models: models
                .iter()
                .map(|&model| self.names.models.name(model).cloned().unwrap_or_default())
                .collect(),
            cells,
            generalize_to: self.target_over(&items),
            items: self.items.get(&number).map_or(0, HashSet::len) as u64,
        })
    }

    /// The comparisons that were judged by both of two measures, without those of some raters, in the order of raters' and
    /// items' names; with what their results can generalize to.
    pub(super) fn joint(
        &self,
        measures: [&Measure; 2],
        without: &HashSet<u32>,
    ) -> (Vec<JointOutcome>, GeneralizeTo) {
        let [Some(one), Some(other)] = measures.map(|measure| self.names.measures.number(&measure.name))
        else {
            return (Vec::new(), GeneralizeTo::Raters);
        };
        let mut found: Vec<(&Key, [&T; 2])> = self
            .counts
            .iter()
            .filter(|(key, _)| key[0] == one && !without.contains(&key[1]))
            .filter_map(|(key, tally)| {
                let [_, rater, item, first, second] = *key;
                Some((key, [tally, self.counts.get(&[other, rater, item, first, second])?]))
            })
            .collect();
        let name = |key: &Key| {
            let models = [key[3], key[4]].map(|model| self.names.models.name(model));
            (self.names.raters.name(key[1]), self.names.items.name(key[2]), models)
        };
        found.sort_by(|(one, _), (other, _)| name(one).cmp(&name(other)));
        let raters = self.raters_in_order(found.iter().map(|(key, _)| key[1]));
        let items = self.items_in_order(found.iter().map(|(key, _)| key[2]));
        let outcomes = found.into_iter().map(|(key, tallies)| JointOutcome {
            rater: raters[&key[1]],
            item: items[&key[2]],
            count: tallies[0].comparisons().min(tallies[1].comparisons()) as f64,
            outcomes: tallies.map(PairTally::mean_outcome),
        });
        (outcomes.collect(), self.target_over(&items))
    }

    /// What results over these items can generalize to: where an item is missing, or there is but one, items cannot vary.
    fn target_over(&self, items: &HashMap<u32, u32>) -> GeneralizeTo {
        let by_item = items.len() > 1 && !items.contains_key(&NO_ITEM);
        if by_item { self.generalize_to } else { GeneralizeTo::Raters }
    }

    fn raters_in_order(&self, raters: impl Iterator<Item = u32>) -> HashMap<u32, u32> {
        let mut raters: Vec<u32> = raters.collect();
        raters.sort_unstable_by_key(|&rater| self.names.raters.name(rater));
        raters.dedup();
        places(&raters)
    }

    fn items_in_order(&self, items: impl Iterator<Item = u32>) -> HashMap<u32, u32> {
        let mut items: Vec<u32> = items.collect();
        items.sort_unstable_by_key(|&item| self.names.items.name(item));
        items.dedup();
        places(&items)
    }
}

impl<T> PairSample<T> {
    /// The number of raters who compared something.
    pub(super) fn raters(&self) -> u64 {
        distinct(self.cells.iter().map(|cell| cell.rater))
    }

    /// The number of raters who compared a model.
    pub(super) fn raters_of(&self, model: usize) -> u64 {
        distinct(self.of_model(model).map(|cell| cell.rater))
    }

    /// The cells in which a model was compared.
    pub(super) fn of_model(&self, model: usize) -> impl Iterator<Item = &PairCell<T>> {
        let is_in = move |cell: &&PairCell<T>| [cell.first, cell.second].contains(&(model as u32));
        self.cells.iter().filter(is_in)
    }
}

fn places(list: &[u32]) -> HashMap<u32, u32> {
    list.iter().enumerate().map(|(place, &number)| (number, place as u32)).collect()
}

/// The error about one row.
fn about(scores: &ScoreTable, row: usize, reason: &str) -> AggregateError {
    let text = scores.rows().nth(row).map_or_else(String::new, |row| {
        format!(
            "rater {}, {} against {}, item {}: {} is {}: {reason}",
            row.rater,
            row.model,
            if row.against.is_empty() { "nobody" } else { row.against },
            row.item,
            row.measure,
            row.value
        )
    });
    AggregateError::Other(text)
}
