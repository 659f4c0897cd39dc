//! Facets of items, whose levels have results of their own.

use std::collections::{BTreeMap, BTreeSet};

use crate::error::BoardError;
use crate::folder::Board;

/// The columns of items that are no facets.
const OTHERS: [&str; 5] = ["item", "prompt", "instruction", "source", "cluster"];
/// Facets with more levels have no results of their own.
const MOST: usize = 8;

/// A column of the table of items, by item.
pub(crate) struct Facet {
    pub(crate) name: String,
    of_items: BTreeMap<String, String>,
}

impl Facet {
    pub(crate) fn levels(&self) -> BTreeSet<&str> {
        self.of_items.values().map(String::as_str).filter(|level| !level.is_empty()).collect()
    }

    pub(crate) fn level_of(&self, item: &str) -> Option<&str> {
        self.of_items.get(item).map(String::as_str)
    }
}

impl Board {
    /// The columns of the table of items with a few levels.
    pub(crate) fn facets(&self) -> Result<Vec<Facet>, BoardError> {
        let path = self.path(&self.settings.items);
        if !path.exists() {
            return Ok(Vec::new());
        }
        let damaged = |error: &csv::Error| BoardError::damaged(&path, error);
        let mut reader = csv::Reader::from_path(&path).map_err(|error| damaged(&error))?;
        let headers = reader.headers().map_err(|error| damaged(&error))?.clone();
        let Some(key) = headers.iter().position(|header| header == "item") else { return Ok(Vec::new()) };
        let mut facets: Vec<(usize, Facet)> = headers
            .iter()
            .enumerate()
            .filter(|(_, header)| !OTHERS.contains(header))
            .map(|(place, header)| (place, Facet { name: header.to_owned(), of_items: BTreeMap::new() }))
            .collect();
        for row in reader.records() {
            let row = row.map_err(|error| damaged(&error))?;
            let cell = |place: usize| row.get(place).unwrap_or_default().to_owned();
            for (place, facet) in &mut facets {
                facet.of_items.insert(cell(key), cell(*place));
            }
        }
        let facets = facets.into_iter().map(|(_, facet)| facet);
        Ok(facets.filter(|facet| (2..=MOST).contains(&facet.levels().len())).collect())
    }
}
