//! Levels of facets in tables of ratings made elsewhere.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use hype_core::model::facet::level_number;
use hype_core::{Facet, Levels, LevelsByName};

use super::fault::{Faults, ImportError, ImportFault};
use super::source::TableSource;
use super::table::{Next, Table, TableFormat};
use super::tidy::MaybeColumn;

/// The columns of a table whose cells are levels of facets.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "programs name the columns of their tables")]
pub struct LevelColumns {
    /// The facets.
    pub facets: Vec<String>,
    /// The column of items.
    pub item: MaybeColumn,
    /// The column of raters.
    pub rater: MaybeColumn,
}

/// Facets, with the levels of items and of raters.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct TableFacets {
    /// The facets, with their levels in the order of numbers if all are numbers, or of names.
    pub facets: Vec<Facet>,
    /// The levels of items.
    pub items: LevelsByName,
    /// The levels of raters.
    pub raters: LevelsByName,
}

/// Reads which items or raters have which levels of facets. A facet is one of items if each item has the same level in all rows, else
/// one of raters. Empty cells are not levels. Memory grows with the items and raters, not with the rows.
///
/// # Errors
/// If the table cannot be read, lacks a column or contains faults, or if the levels of a facet are those of neither items nor raters.
pub fn levels(
    source: impl Into<TableSource>,
    columns: &LevelColumns,
    format: TableFormat,
) -> Result<TableFacets, ImportError> {
    let mut table = Table::open(source, format)?;
    let mut item = Named::new(columns.item.place(&table)?, &columns.facets);
    let mut rater = Named::new(columns.rater.place(&table)?, &columns.facets);
    let places: Vec<usize> =
        columns.facets.iter().map(|facet| table.column(facet)).collect::<Result<_, _>>()?;
    let mut faults = Faults::default();
    loop {
        match table.read()? {
            Next::End => break,
            Next::Fault(fault) => faults.push(fault),
            Next::Record => {
                item.add(&table, &places);
                rater.add(&table, &places);
            }
        }
    }
    let mut found = TableFacets::default();
    for (facet, name) in columns.facets.iter().enumerate() {
        let (own, into) = match (item.of_facet(facet), rater.of_facet(facet)) {
            (Ok(own), _) => (own, &mut found.items),
            (Err(_), Ok(own)) => (own, &mut found.raters),
            (Err(fault), Err(other)) => {
                let missing = || {
                    table.fault(
                        Some(places[facet]),
                        "nothing has a level",
                        "name the column of items or raters, and fill in their levels",
                    )
                };
                faults.push(fault.or(other).cloned().unwrap_or_else(missing));
                continue;
            }
        };
        let (name, levels): (Arc<str>, BTreeSet<&str>) =
            (name.as_str().into(), own.values().copied().collect());
        let mut levels: Vec<Arc<str>> = levels.into_iter().map(Into::into).collect();
        if levels.iter().all(|level| level_number(level).is_some()) {
            levels.sort_by(|a, b| {
                level_number(a).partial_cmp(&level_number(b)).unwrap_or(std::cmp::Ordering::Equal)
            });
        }
        for (of, level) in own {
            into.entry(of.into()).or_insert_with(Levels::new).insert(Arc::clone(&name), level.into());
        }
        found.facets.push(Facet { name, levels, scale: None });
    }
    if faults.is_empty() { Ok(found) } else { Err(faults.into_error()) }
}

/// The levels of what a column names, items or raters.
struct Named {
    column: Option<usize>,
    /// By name the line on which it came first.
    lines: HashMap<String, u64>,
    /// By facet and name.
    levels: Vec<HashMap<String, String>>,
    /// By facet, that something has two levels.
    conflicts: Vec<Option<ImportFault>>,
}

impl Named {
    fn new(column: Option<usize>, facets: &[String]) -> Self {
        Self {
            column,
            lines: HashMap::new(),
            levels: vec![HashMap::new(); facets.len()],
            conflicts: vec![None; facets.len()],
        }
    }

    /// Adds the levels of a row.
    fn add(&mut self, table: &Table, places: &[usize]) {
        let Some(column) = self.column else { return };
        let name = table.cell(column);
        if name.is_empty() {
            return;
        }
        if !self.lines.contains_key(name) {
            self.lines.insert(name.to_owned(), table.line());
        }
        for (facet, &place) in places.iter().enumerate() {
            let level = table.cell(place);
            if level.is_empty() || self.conflicts[facet].is_some() {
                continue;
            }
            match self.levels[facet].get(name) {
                Some(known) if known == level => {}
                Some(known) => {
                    let line = self.lines.get(name).copied().unwrap_or_default();
                    let reason = format!("{name:?} has the level {level:?}, and {known:?} since line {line}");
                    let help =
                        "a facet belongs to items or to raters, which have one level each: name their column";
                    self.conflicts[facet] = Some(table.fault(Some(place), &reason, help));
                    self.levels[facet] = HashMap::new();
                }
                None => {
                    self.levels[facet].insert(name.to_owned(), level.to_owned());
                }
            }
        }
    }

    /// The level of each name, if each has one; otherwise the fault that one has two, if that is why.
    fn of_facet(&self, facet: usize) -> Result<HashMap<&str, &str>, Option<&ImportFault>> {
        let own = &self.levels[facet];
        match &self.conflicts[facet] {
            Some(fault) => Err(Some(fault)),
            None if own.is_empty() => Err(None),
            None => Ok(own.iter().map(|(name, level)| (&**name, &**level)).collect()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The facets of a table of the rater, the item and two facets, in words.
    fn read(rows: &str) -> Result<Vec<String>, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.csv");
        std::fs::write(&path, format!("rater,item,kind,age\n{rows}")).unwrap();
        let columns = LevelColumns {
            facets: vec!["kind".into(), "age".into()],
            item: MaybeColumn::Named("item".into()),
            rater: MaybeColumn::Named("rater".into()),
        };
        let found = levels(&path, &columns, TableFormat::default()).map_err(|error| error.to_string())?;
        let of = |levels: &LevelsByName, facet: &str| {
            levels.values().filter(|own| own.contains_key(facet)).count()
        };
        Ok(found
            .facets
            .iter()
            .map(|facet| {
                let (items, raters) = (of(&found.items, &facet.name), of(&found.raters, &facet.name));
                format!("{}: {} ({items} items, {raters} raters)", facet.name, facet.levels.join(" "))
            })
            .collect())
    }

    #[test]
    fn facets_are_of_what_has_one_level_each() {
        let rows = "r1,i1,text,30\nr1,i2,people,30\nr2,i1,text,9\nr2,i2,people,9\nr3,i3,,9\n";
        assert_eq!(
            read(rows).unwrap(),
            ["kind: people text (2 items, 0 raters)", "age: 9 30 (0 items, 3 raters)"]
        );
    }

    #[test]
    fn levels_of_neither_items_nor_raters_are_refused_with_their_lines() {
        let said = read("r1,i1,text,30\nr1,i1,people,30\n").unwrap_err();
        for part in ["line 3", "column `kind`", "\"i1\" has the level \"people\", and \"text\" since line 2"]
        {
            assert!(said.contains(part), "{said}");
        }
        let said = read("r1,i1,text,\n").unwrap_err();
        assert!(said.contains("column `age`") && said.contains("nothing has a level"), "{said}");
    }
}
