//! Facts about the answers to a measure, from which their model follows.

use std::collections::{BTreeMap, BTreeSet};

use hype_core::Row;

/// The most values of ordered levels.
pub(super) const MOST_LEVELS: usize = 11;

/// Answers of one measure.
#[derive(Debug, Default)]
pub(super) struct Facts {
    pub(super) rows: u64,
    /// The values, up to one more than levels have.
    pub(super) values: Vec<f64>,
    pub(super) least: f64,
    /// Whether a row compares two models.
    pub(super) compares: bool,
    pub(super) models: BTreeSet<String>,
    /// The levels of facets, by column.
    pub(super) levels: BTreeMap<String, BTreeSet<String>>,
    /// The models of each rater.
    pub(super) raters: BTreeMap<String, BTreeSet<String>>,
    /// The models of each item.
    pub(super) items: BTreeMap<String, BTreeSet<String>>,
    /// Of the sessions: the models that one rater judged about one item, and the sum of their values.
    session: BTreeMap<(String, u16), (BTreeSet<String>, f64)>,
    position: u64,
    /// Whether each of these sums is 1, and whether it is that of ranks.
    choices: Option<[bool; 2]>,
}

impl Facts {
    /// Adds a row with the levels of its facets, and returns its number among those of its session, from 1.
    pub(super) fn add<'l>(&mut self, row: &Row<'_>, levels: impl Iterator<Item = (&'l str, &'l str)>) -> u64 {
        self.least = if self.rows == 0 { row.value } else { self.least.min(row.value) };
        self.rows += 1;
        if self.values.len() <= MOST_LEVELS && !self.values.iter().any(|&known| same(known, row.value)) {
            self.values.push(row.value);
        }
        self.compares |= !row.against.is_empty();
        for model in [row.model, row.against] {
            if !model.is_empty() {
                self.models.insert(model.to_owned());
                self.raters.entry(row.rater.to_owned()).or_default().insert(model.to_owned());
                self.items.entry(row.item.to_owned()).or_default().insert(model.to_owned());
            }
        }
        for (column, level) in levels.filter(|(_, level)| !level.is_empty()) {
            self.levels.entry(column.to_owned()).or_default().insert(level.to_owned());
        }
        let group = self.session.entry((row.item.to_owned(), row.block)).or_default();
        group.0.insert(row.model.to_owned());
        group.1 += row.value;
        self.position += 1;
        self.position
    }

    /// Ends a session.
    pub(super) fn end_session(&mut self) {
        self.position = 0;
        for (models, sum) in std::mem::take(&mut self.session).into_values() {
            let count = models.len() as f64;
            let [chosen, ranked] = self.choices.unwrap_or([true; 2]);
            let several = models.len() > 1;
            self.choices = Some([
                chosen && several && same(sum, 1.0),
                ranked && several && same(sum, count * (count + 1.0) / 2.0),
            ]);
        }
    }

    /// Whether raters chose one of the models that they saw together.
    pub(super) fn is_choice(&self) -> bool {
        self.choices.is_some_and(|[chosen, _]| chosen)
    }

    /// Whether raters put models that they saw together in order.
    pub(super) fn is_ranking(&self) -> bool {
        self.choices.is_some_and(|[_, ranked]| ranked)
    }

    /// Whether all values are among these.
    pub(super) fn has_only(&self, allowed: &[f64]) -> bool {
        self.values.iter().all(|&value| allowed.iter().any(|&one| same(one, value)))
    }

    /// The number of raters with their models, or of items with theirs.
    pub(super) fn pairs(groups: &BTreeMap<String, BTreeSet<String>>) -> u64 {
        groups.values().map(|models| models.len() as u64).sum()
    }
}

fn same(one: f64, other: f64) -> bool {
    (one - other).abs() < 1e-9
}
