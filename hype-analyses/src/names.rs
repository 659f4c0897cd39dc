//! Maps from the numbers of names in a table of scores to those of an aggregation.

use std::collections::BTreeMap;
use std::sync::Arc;

use hype_core::ScoreTable;
use hype_core::model::score::Names;
use hype_core::plugin::aggregator::Aggregation;

/// The names in the tables so far.
#[derive(Debug, Clone, Default)]
pub(crate) struct KnownNames {
    pub(crate) raters: Names,
    pub(crate) models: Names,
    pub(crate) items: Names,
    pub(crate) measures: Names,
}

impl KnownNames {
    /// The models in this order, and those that it lacks by name: for each model its place.
    pub(crate) fn places_of_models(&self, order: &[Arc<str>]) -> Vec<u32> {
        let of_order = |name: &Arc<str>| order.iter().position(|known| known == name).unwrap_or(usize::MAX);
        places(&self.models, |name| (of_order(name), Arc::clone(name)))
    }
}

/// The units that vary where results are about other items: clusters of items, or the items that are in none.
#[derive(Debug, Clone, Default)]
pub(crate) struct ItemUnits {
    clusters: Arc<BTreeMap<Arc<str>, Arc<str>>>,
    names: Names,
    /// The unit of each item, by the item's number.
    of: Vec<u32>,
}

impl ItemUnits {
    pub(crate) fn new(context: &Aggregation) -> Self {
        Self { clusters: Arc::clone(&context.item_clusters), ..Self::default() }
    }

    /// Whether any items are clustered.
    pub(crate) fn are_clusters(&self) -> bool {
        !self.clusters.is_empty()
    }

    /// Adds the units of items that are new.
    pub(crate) fn extend(&mut self, items: &Names) {
        for item in &items.all()[self.of.len()..] {
            self.of.push(self.names.intern(&self.name_of(item)));
        }
    }

    /// The unit of an item.
    pub(crate) fn of(&self, item: u32) -> u32 {
        self.of.get(item as usize).copied().unwrap_or(item)
    }

    /// The names of units.
    pub(crate) const fn names(&self) -> &Names {
        &self.names
    }

    /// The name of an item's unit. No cluster has that of an item.
    pub(crate) fn name_of(&self, item: &Arc<str>) -> Arc<str> {
        match self.clusters.get(item) {
            Some(cluster) => format!("\u{1}{cluster}").into(),
            None => Arc::clone(item),
        }
    }
}

/// For each name its place among all of them in the order of the names.
pub(crate) fn places_by_name(names: &Names) -> Vec<u32> {
    places(names, Arc::clone)
}

fn places<K: Ord>(names: &Names, key: impl Fn(&Arc<str>) -> K) -> Vec<u32> {
    let mut sorted: Vec<u32> = (0..names.all().len() as u32).collect();
    sorted.sort_by_cached_key(|&number| key(&names.all()[number as usize]));
    let mut places = vec![0; sorted.len()];
    for (place, number) in (0..).zip(sorted) {
        places[number as usize] = place;
    }
    places
}

/// From the numbers of a table's names to those of the aggregation.
#[derive(Debug, Clone, Default)]
pub(crate) struct NameMaps {
    pub(crate) raters: NameMap,
    pub(crate) models: NameMap,
    pub(crate) items: NameMap,
    pub(crate) measures: NameMap,
}

impl NameMaps {
    /// Adds the names that are new in a table.
    pub(crate) fn extend(&mut self, from: &ScoreTable, into: &mut KnownNames) {
        self.raters.extend(&from.raters, &mut into.raters);
        self.models.extend(&from.models, &mut into.models);
        self.items.extend(&from.items, &mut into.items);
        self.measures.extend(&from.measures, &mut into.measures);
    }
}

#[derive(Debug, Clone, Default)]
pub(crate) struct NameMap {
    to: Vec<u32>,
    last: Option<Arc<str>>,
}

impl NameMap {
    /// The aggregation's number for a table's.
    #[inline]
    pub(crate) fn get(&self, number: u32) -> u32 {
        self.to[number as usize]
    }

    /// Extends the map by the names that are new since the last call. Names are only ever appended, so a table
    /// whose last mapped name is unchanged only needs its new names mapped; any other table is mapped from the start.
    fn extend(&mut self, from: &Names, into: &mut Names) {
        let known = self.to.len();
        let same_table = match &self.last {
            Some(last) => from.all().get(known - 1).is_some_and(|name| Arc::ptr_eq(name, last)),
            None => true,
        };
        if !same_table {
            self.to.clear();
        }
        for name in &from.all()[self.to.len()..] {
            self.to.push(into.intern(name));
        }
        self.last = from.all().last().cloned();
    }
}
