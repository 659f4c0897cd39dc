//! Maps from the numbers of names in a table of scores to those of an aggregation.

use std::sync::Arc;

use hype_core::ScoreTable;
use hype_core::model::score::Names;

/// The names in the tables so far.
#[derive(Debug, Clone, Default)]
pub(crate) struct KnownNames {
    pub(crate) raters: Names,
    pub(crate) models: Names,
    pub(crate) items: Names,
    pub(crate) measures: Names,
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
