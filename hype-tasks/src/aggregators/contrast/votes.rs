//! Votes counted as they stream in: three counts for each rater and ordered pair of models, and for each item if items vary.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use hype_core::model::findings::{Exclusion, GeneralizeTo};
use hype_core::model::score::NO_MODEL;
use hype_core::plugin::aggregator::Aggregation;
use hype_core::{AggregateError, Measure, ScoreTable};
use hype_stats::StatError;
use hype_stats::preference::{CellVotes, ClusteredComparisons, ComparisonOutcome};

use crate::aggregators::measures::is_preference;
use crate::shared::names::{KnownNames, NameMaps};
use crate::shared::score_rows::unusable;

/// Measure, rater, item, first model, second model. The item is `NO_ITEM` unless items vary.
type Key = [u32; 5];

const NO_ITEM: u32 = u32::MAX;

/// Votes counted so far.
#[derive(Debug, Clone)]
pub struct PreferenceVotes {
    measures: Vec<Measure>,
    names: KnownNames,
    maps: NameMaps,
    counts: HashMap<Key, [u64; 3]>,
    generalize_to: GeneralizeTo,
    /// By measure.
    items: HashMap<u32, HashSet<u32>>,
}

/// The votes of one measure.
#[derive(Debug, Clone)]
pub(super) struct Sample {
    pub(super) measure: Measure,
    pub(super) models: Vec<Arc<str>>,
    pub(super) votes: ClusteredComparisons,
    /// The same votes by rater and item, in this order.
    pub(super) cells: Vec<CellVotes>,
    /// What the results of these votes can generalize to.
    pub(super) generalize_to: GeneralizeTo,
    pub(super) items: u64,
    /// For each rater and model, the sum of wins, with ties as half wins, and the number of votes.
    pub(super) by_rater: BTreeMap<u32, Vec<(f64, f64)>>,
}

impl PreferenceVotes {
    pub(super) fn new(context: &Aggregation, generalize_to: GeneralizeTo) -> Self {
        Self {
            measures: context.measures.iter().filter(|measure| is_preference(measure)).cloned().collect(),
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

    pub(super) fn add(&mut self, scores: &ScoreTable) -> Result<(), AggregateError> {
        self.maps.extend(scores, &mut self.names);
        let wanted: Vec<bool> = scores
            .measures
            .all()
            .iter()
            .map(|name| self.measures.iter().any(|measure| measure.name == *name))
            .collect();
        let columns = scores.columns();
        for row in 0..scores.len() {
            if !wanted[columns.measure[row] as usize] {
                continue;
            }
            let Some(place) = place_of(columns.value[row]) else { return Err(no_vote(scores, row)) };
            let to = &self.maps;
            if columns.against[row] == NO_MODEL || columns.against[row] == columns.model[row] {
                return Err(no_opponent(scores, row));
            }
            let measure = to.measures.get(columns.measure[row]);
            let item = to.items.get(columns.item[row]);
            let is_named = self.names.items.name(item).is_some_and(|name| !name.is_empty());
            let key = [
                measure,
                to.raters.get(columns.rater[row]),
                if is_named && self.generalize_to != GeneralizeTo::Raters { item } else { NO_ITEM },
                to.models.get(columns.model[row]),
                to.models.get(columns.against[row]),
            ];
            self.counts.entry(key).or_default()[place] += 1;
            if is_named {
                self.items.entry(measure).or_default().insert(item);
            }
        }
        Ok(())
    }

    pub(super) fn merge(&mut self, other: &Self) {
        let to = NameMaps::between(&other.names, &mut self.names);
        for (&[measure, rater, item, first, second], counts) in &other.counts {
            let key = [
                to.measures.get(measure),
                to.raters.get(rater),
                if item == NO_ITEM { NO_ITEM } else { to.items.get(item) },
                to.models.get(first),
                to.models.get(second),
            ];
            let into = self.counts.entry(key).or_default();
            into.iter_mut().zip(counts).for_each(|(into, count)| *into += count);
        }
        for (&measure, items) in &other.items {
            let seen = self.items.entry(to.measures.get(measure)).or_default();
            seen.extend(items.iter().map(|&item| to.items.get(item)));
        }
    }

    /// The numbers of excluded raters who have voted.
    pub(super) fn excluded(&self, exclusions: &[Exclusion]) -> HashSet<u32> {
        exclusions.iter().filter_map(|exclusion| self.names.raters.number(&exclusion.rater)).collect()
    }

    pub(super) fn measured(&self) -> String {
        let names = self.names.measures.all();
        if names.is_empty() { "none at all".into() } else { names.join(", ") }
    }

    /// The votes of one measure without those of some raters; `None` if there are none. Models are in the order of
    /// their names, raters in the order of theirs, so that the result does not depend on chunks or workers.
    pub(super) fn sample(
        &self,
        measure: &Measure,
        without: &HashSet<u32>,
    ) -> Option<Result<Sample, StatError>> {
        let number = self.names.measures.number(&measure.name)?;
        let own: Vec<(&Key, &[u64; 3])> =
            self.counts.iter().filter(|(key, _)| key[0] == number && !without.contains(&key[1])).collect();
        let mut models: Vec<u32> = own.iter().flat_map(|(key, _)| [key[3], key[4]]).collect();
        models.sort_unstable_by_key(|&model| self.names.models.name(model));
        models.dedup();
        let mut raters: Vec<u32> = own.iter().map(|(key, _)| key[1]).collect();
        raters.sort_unstable_by_key(|&rater| self.names.raters.name(rater));
        raters.dedup();
        let mut items: Vec<u32> = own.iter().map(|(key, _)| key[2]).collect();
        items.sort_unstable_by_key(|&item| self.names.items.name(item));
        items.dedup();
        if models.is_empty() {
            return None;
        }
        let place = |list: &[u32]| -> HashMap<u32, u32> {
            list.iter().enumerate().map(|(place, &number)| (number, place as u32)).collect()
        };
        let (model_place, rater_place, item_place) = (place(&models), place(&raters), place(&items));
        let mut cells: Vec<CellVotes> = own
            .into_iter()
            .map(|(key, counts)| CellVotes {
                rater: rater_place[&key[1]],
                item: item_place[&key[2]],
                first: model_place[&key[3]],
                second: model_place[&key[4]],
                counts: [counts[2], counts[0], counts[1]],
            })
            .collect();
        cells.sort_unstable_by_key(|cell| (cell.rater, cell.item, cell.first, cell.second));
        // Where an item is missing, or there is but one, items cannot vary.
        let by_item = items.len() > 1 && !items.contains(&NO_ITEM);
        let generalize_to = if by_item { self.generalize_to } else { GeneralizeTo::Raters };
        Some(self.assemble(measure, number, &models, cells, generalize_to))
    }

    fn assemble(
        &self,
        measure: &Measure,
        number: u32,
        models: &[u32],
        cells: Vec<CellVotes>,
        generalize_to: GeneralizeTo,
    ) -> Result<Sample, StatError> {
        let mut votes = ClusteredComparisons::new(models.len())?;
        let mut by_rater: BTreeMap<u32, Vec<(f64, f64)>> = BTreeMap::new();
        for &CellVotes { rater, first, second, counts, .. } in &cells {
            let of_rater = by_rater.entry(rater).or_insert_with(|| vec![(0.0, 0.0); models.len()]);
            for (outcome, count) in ComparisonOutcome::ALL.into_iter().zip(counts) {
                let times = count as usize;
                votes.add(
                    &vec![rater; times],
                    &vec![first; times],
                    &vec![second; times],
                    &vec![outcome; times],
                )?;
                let share = match outcome {
                    ComparisonOutcome::First => 1.0,
                    ComparisonOutcome::Second => 0.0,
                    ComparisonOutcome::Tie => 0.5,
                };
                let total = count as f64;
                for (model, share) in [(first, share), (second, 1.0 - share)] {
                    let (wins, met) = &mut of_rater[model as usize];
                    *wins += share * total;
                    *met += total;
                }
            }
        }
        Ok(Sample {
            measure: measure.clone(),
            models: models
                .iter()
                .map(|&model| self.names.models.name(model).cloned().unwrap_or_default())
                .collect(),
            votes,
            cells,
            generalize_to,
            items: self.items.get(&number).map_or(0, HashSet::len) as u64,
            by_rater,
        })
    }
}

/// The place of a vote's count: for the second, a tie, for the first.
pub(crate) fn place_of(value: f64) -> Option<usize> {
    [0.0, 0.5, 1.0].iter().position(|vote| (vote - value).abs() < 1e-12)
}

fn no_vote(scores: &ScoreTable, row: usize) -> AggregateError {
    if !scores.columns().value[row].is_finite() {
        return unusable(scores, row);
    }
    about(scores, row, "a vote is 1 for the model, 0 for the one that it was compared with, or 0.5 for a tie")
}

fn no_opponent(scores: &ScoreTable, row: usize) -> AggregateError {
    about(scores, row, "a vote needs another model in `against`")
}

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
