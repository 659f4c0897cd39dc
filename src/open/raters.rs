//! Levels of raters, from tables with a row for each rater.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufReader, ErrorKind, Read};
use std::path::Path;
use std::sync::Arc;

use csv::ReaderBuilder;
use hype_core::LevelsByName;
use hype_core::diagnostics::{Diagnostics, nearest};
use hype_core::model::facet::level_number;
use hype_core::study::spec::{FacetOf, FacetSpec, FacetSpecs};
use hype_core::words::counted;

use super::items::{Faults, tell};
use crate::separator;

/// The column with the names of raters.
const RATER: &str = "rater";
/// What a panel's export says in the place of a level where it must not or can no longer tell.
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
    let file = match File::open(folder.join(table)) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            at.warning(
                "no-table",
                format!("{table} does not exist, so that nothing is known of raters' {name}"),
            )
            .help(format!("it needs a row for each rater and the columns `{key}` and `{column}`"));
            return None;
        }
        Err(error) => {
            at.error("unreadable", format!("{table} cannot be read: {error}"))
                .help("the path is relative to the spec's folder");
            return None;
        }
    };
    let (found, faults) = rows(BufReader::new(file), key, column, |cell| level(spec, column, cell));
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
fn rows(
    file: impl Read,
    key: &str,
    column: &str,
    level_of: impl Fn(&str) -> Result<Option<Arc<str>>, String>,
) -> (LevelOf, Faults) {
    let mut reader = ReaderBuilder::new().trim(csv::Trim::All).from_reader(file);
    let headers = match reader.headers() {
        Ok(headers) => headers.clone(),
        Err(error) => return (LevelOf::new(), vec![row_fault(&error)]),
    };
    if let Some(found) = separator::in_header(&headers) {
        let fault = format!(
            "the cells are separated by {found}, but a comma was expected; save the table with commas"
        );
        return (LevelOf::new(), vec![(1, fault)]);
    }
    let place = |wanted: &str| headers.iter().position(|header| header == wanted);
    let (Some(rater_at), Some(level_at)) = (place(key), place(column)) else {
        let missing = [key, column].into_iter().filter(|wanted| place(wanted).is_none());
        let fault = |wanted: &str| {
            let hint = nearest(wanted, headers.iter());
            let hint = hint.map_or_else(String::new, |near| format!("; `{near}` is there"));
            (1, format!("there is no column `{wanted}`{hint}"))
        };
        return (LevelOf::new(), missing.map(fault).collect());
    };
    let (mut levels, mut faults) = (LevelOf::new(), Vec::new());
    for record in reader.records() {
        let record = match record {
            Ok(record) => record,
            Err(error) => {
                faults.push(row_fault(&error));
                continue;
            }
        };
        let line = record.position().map_or(0, csv::Position::line);
        let rater = &record[rater_at];
        if rater.is_empty() {
            faults.push((line, format!("the column `{key}` is empty")));
            continue;
        }
        match level_of(&record[level_at]) {
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
    (levels, faults)
}

/// The line and the text of a fault that prevents a row from being read.
fn row_fault(error: &csv::Error) -> (u64, String) {
    let line = error.position().map_or(1, csv::Position::line);
    let text = match error.kind() {
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => format!(
            "the row has {}, but the first row has {expected_len}; quote cells that contain commas",
            counted(*len, "cell")
        ),
        csv::ErrorKind::Utf8 { err, .. } => format!("cell {} is not UTF-8", err.field() + 1),
        _ => error.to_string(),
    };
    (line, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_rows(spec: &FacetSpec, table: &str) -> (LevelOf, Faults) {
        rows(table.as_bytes(), "rater", "age", |cell| level(spec, "age", cell))
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
    fn faults_say_where_they_are() {
        for (table, wanted) in [
            ("age,name\n1,a\n", vec![(1, "there is no column `rater`")]),
            ("Age,rater\n1,a\n", vec![(1, "there is no column `age`; `Age` is there")]),
            ("age;rater\n", vec![(1, "the cells are separated by semicolons")]),
            (
                "age,rater\n1,a\n2,\n3,a\n",
                vec![
                    (3, "the column `rater` is empty"),
                    (4, "`a` has the level 3 here, but 1 in an earlier row"),
                ],
            ),
            ("age,rater\n1\n", vec![(2, "the row has 1 cell, but the first row has 2")]),
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
