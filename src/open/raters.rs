//! Levels of raters, from tables with a row for each rater.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use hype_core::LevelsByName;
use hype_core::diagnostics::{Diagnostics, nearest};
use hype_core::model::facet::level_number;
use hype_core::study::spec::{FacetOf, FacetSpec, FacetSpecs};

use super::items::{Faults, tell};
use crate::exchange::{ImportError, Next, Table, TableFormat};

/// The column with the names of raters.
const RATER: &str = "rater";
/// The placeholders in a panel's export for levels that it must not or can no longer tell.
const WITHHELD: [&str; 2] = ["CONSENT_REVOKED", "DATA_EXPIRED"];

/// The level of each rater who has one.
type LevelOf = BTreeMap<Arc<str>, Arc<str>>;

/// The levels of raters.
#[derive(Default)]
pub(super) struct Known {
    /// By rater.
    pub(super) raters: LevelsByName,
    /// By the ids of a panel's participants.
    pub(super) participants: LevelsByName,
}

/// Reads the levels of raters for the facets of raters, whose tables are relative to a folder. A table that does not exist yet is
/// a warning.
pub(super) fn levels(specs: &FacetSpecs, folder: &Path, at: &mut Diagnostics) -> Known {
    let mut known = Known::default();
    for (name, spec) in specs.iter().filter(|(_, spec)| spec.of == FacetOf::Raters) {
        let Some(table) = &spec.table else { continue };
        let found = at.within("facets", |at| {
            at.within(name, |at| at.within("table", |at| read(name, spec, table, folder, at)))
        });
        let all = if spec.participants.is_some() { &mut known.participants } else { &mut known.raters };
        for (rater, level) in found.unwrap_or_default() {
            all.entry(rater).or_default().insert(name.into(), level);
        }
    }
    known
}

/// Reads the levels of one facet; `None` if the table cannot be used.
fn read(name: &str, spec: &FacetSpec, table: &str, folder: &Path, at: &mut Diagnostics) -> Option<LevelOf> {
    let column = spec.column.as_deref().unwrap_or(name);
    let key = spec.participants.as_deref().unwrap_or(RATER);
    let path = folder.join(table);
    if !path.exists() {
        at.warning("no-table", format!("{table} does not exist, and nothing is known of raters' {name}"))
            .help(format!("it needs a row for each rater and the columns `{key}` and `{column}`"));
        return None;
    }
    let (found, faults) = match rows(&path, key, column, |cell| level(spec, column, cell)) {
        Ok(read) => read,
        Err(error) => {
            at.error("unreadable", format!("{table} cannot be read: {error}"))
                .help("the path is relative to the spec's folder");
            return None;
        }
    };
    tell(&faults, table, at);
    let mut levels: Vec<Arc<str>> = found.values().cloned().collect();
    spec.sort(&mut levels);
    spec.check_levels(name, &levels, at);
    faults.is_empty().then_some(found)
}

/// The level that a cell says, if it says one.
fn level(spec: &FacetSpec, column: &str, cell: &str) -> Result<Option<Arc<str>>, String> {
    let is_withheld = spec.participants.is_some() && WITHHELD.contains(&cell);
    if cell.is_empty() || is_withheld {
        return Ok(None);
    }
    if spec.bands.is_empty() {
        return Ok(Some(cell.into()));
    }
    match level_number(cell) {
        Some(number) => Ok(spec.band(number)),
        None => Err(format!("`{column}` is `{cell}`, but `bands` need a number")),
    }
}

/// The level of each rater by the column `key`, and the faults of the table by line; `level_of` says what a cell of `column` means.
///
/// # Errors
/// If the file is not a table.
fn rows(
    path: &Path,
    key: &str,
    column: &str,
    level_of: impl Fn(&str) -> Result<Option<Arc<str>>, String>,
) -> Result<(LevelOf, Faults), ImportError> {
    let mut table = Table::open(path, TableFormat::default())?;
    let place = |wanted: &str| table.headers().iter().position(|header| header == wanted);
    let (Some(rater_at), Some(level_at)) = (place(key), place(column)) else {
        let missing = [key, column].into_iter().filter(|wanted| place(wanted).is_none());
        let fault = |wanted: &str| {
            let hint = nearest(wanted, table.headers().iter().map(String::as_str));
            let hint = hint.map_or_else(String::new, |near| format!("; `{near}` is there"));
            (1, format!("there is no column `{wanted}`{hint}"))
        };
        return Ok((LevelOf::new(), missing.map(fault).collect()));
    };
    let (mut levels, mut faults) = (LevelOf::new(), Vec::new());
    loop {
        let line = match table.read()? {
            Next::End => return Ok((levels, faults)),
            Next::Fault(fault) => {
                faults.push((table.line(), format!("{}; {}", fault.reason, fault.help)));
                continue;
            }
            Next::Record => table.line(),
        };
        let rater = table.cell(rater_at);
        if rater.is_empty() {
            faults.push((line, format!("the column `{key}` is empty")));
            continue;
        }
        match level_of(table.cell(level_at)) {
            Ok(None) => {}
            Ok(Some(level)) => {
                let known = levels.entry(rater.into()).or_insert_with(|| Arc::clone(&level));
                if *known != level {
                    let fault =
                        format!("`{rater}` has the level {level} here, but {known} in an earlier row");
                    faults.push((line, fault));
                }
            }
            Err(fault) => faults.push((line, fault)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_rows(spec: &FacetSpec, table: &str) -> (LevelOf, Faults) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("levels.csv");
        std::fs::write(&path, table).unwrap();
        rows(&path, "rater", "age", |cell| level(spec, "age", cell)).unwrap()
    }

    #[test]
    fn numbers_are_in_bands_unless_a_panel_withholds_them() {
        let spec =
            FacetSpec { participants: Some("rater".into()), bands: vec![30.0, 50.5], ..FacetSpec::default() };
        let table = "rater,age\na,29\nb,30\nc,50.5\nd,DATA_EXPIRED\ne,old\na,12\nd,40\n";
        let (levels, faults) = read_rows(&spec, table);
        let levels: Vec<(&str, &str)> = levels.iter().map(|(rater, level)| (&**rater, &**level)).collect();
        let want = ["under 30", "30 to under 50.5", "50.5 and over", "30 to under 50.5"];
        assert_eq!(levels, ["a", "b", "c", "d"].into_iter().zip(want).collect::<Vec<_>>());
        assert_eq!(faults, [(6, "`age` is `old`, but `bands` need a number".to_owned())]);
    }

    #[test]
    fn each_rater_has_one_level_or_none() {
        let (levels, faults) =
            read_rows(&FacetSpec::default(), "age,rater,sex\n18-34,r1,\n,r2,f\n 55+ ,r3,m\n18-34,r1,f\n");
        let levels: Vec<(&str, &str)> = levels.iter().map(|(rater, level)| (&**rater, &**level)).collect();
        assert_eq!(levels, [("r1", "18-34"), ("r3", "55+")]);
        assert_eq!(faults, []);
    }

    #[test]
    fn levels_come_in_every_form_of_table() {
        let of = |table: &str| {
            let (levels, faults) = read_rows(&FacetSpec::default(), table);
            assert_eq!(faults, [], "{table}");
            levels.iter().map(|(rater, level)| format!("{rater} {level}")).collect::<Vec<_>>()
        };
        for table in [
            "rater;age\nr1;18-34\nr2;55+\n",
            "rater\tage\nr1\t18-34\nr2\t55+\n",
            "sep=;\nrater;age\nr1;18-34\nr2;55+\n",
            "{\"rater\": \"r1\", \"age\": \"18-34\"}\n{\"rater\": \"r2\", \"age\": \"55+\"}\n",
            "[{\"rater\": \"r1\", \"age\": \"18-34\"}, {\"rater\": \"r2\", \"age\": \"55+\"}]",
        ] {
            assert_eq!(of(table), ["r1 18-34", "r2 55+"]);
        }
    }

    #[test]
    fn faults_say_where_they_are() {
        for (table, wanted) in [
            ("age,name\n1,a\n", vec![(1, "there is no column `rater`")]),
            ("Age,rater\n1,a\n", vec![(1, "there is no column `age`; `Age` is there")]),
            (
                "age,rater\n1,a\n2,\n3,a\n",
                vec![
                    (3, "the column `rater` is empty"),
                    (4, "`a` has the level 3 here, but 1 in an earlier row"),
                ],
            ),
            ("age,rater\n1\n", vec![(2, "the row has 1 cell, but the table has 2 columns")]),
        ] {
            let (_, faults) = read_rows(&FacetSpec::default(), table);
            assert_eq!(faults.len(), wanted.len(), "{faults:?}");
            for ((line, fault), (at, text)) in faults.iter().zip(wanted) {
                assert_eq!(*line, at);
                assert!(fault.starts_with(text), "{fault}");
            }
        }
    }
}
