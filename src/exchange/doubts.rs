//! Rows that look like answers and may be none: those that sum up others, and codes of missing answers.

use std::collections::BTreeMap;
use std::sync::Arc;

use hype_core::model::score::ScoreTable;

use super::fault::ImportFault;
use super::table::Table;

/// Names of models in rows of means and sums.
const MEANS: [&str; 7] = ["mean", "average", "avg", "median", "total", "sum", "mittelwert"];
/// Names of models in rows that stand under a row of means. Alone they can be models: Stable Diffusion is called SD.
const SPREADS: [&str; 3] = ["sd", "std", "stdev"];
/// Codes that programs write for answers that are missing.
const CODES: [f64; 6] = [-999.0, -99.0, -9.0, -1.0, 99.0, 999.0];
/// The values that are looked at for codes.
const LOOKED_AT: usize = 1 << 14;

/// The fault of the first row from one on that sums up others, by the name of its model, which is in a column at a place.
pub(super) fn sums_up(
    table: &Table,
    place: Option<usize>,
    rows: &ScoreTable,
    from: usize,
    line_of: impl Fn(usize) -> u64,
) -> Option<ImportFault> {
    let called = |names: &[&str]| -> Vec<u32> {
        let is_one = |name: &str| names.iter().any(|sum| name.eq_ignore_ascii_case(sum));
        let all = rows.models.all().iter().enumerate();
        all.filter(|(_, name)| is_one(name)).map(|(number, _)| number as u32).collect()
    };
    let sums = Some(called(&MEANS)).filter(|means| !means.is_empty())?;
    let models = rows.columns().model;
    let row = (from..rows.len()).find(|&row| sums.contains(&models[row]))?;
    let model = rows.models.name(models[row])?;
    let column = place.map_or("COLUMN", |place| &table.headers()[place]);
    let count = |sums: &[u32]| models.iter().filter(|model| sums.contains(model)).count();
    let most = count(&sums);
    let spreads = called(&SPREADS).into_iter().filter(|&spread| count(&[spread]) <= most);
    let left_out: Vec<String> = sums
        .iter()
        .copied()
        .chain(spreads)
        .filter_map(|model| rows.models.name(model))
        .map(|model| format!("--where '{column}!={model}'"))
        .collect();
    Some(table.fault_on(
        line_of(row),
        place,
        &format!("the model is called {model:?}, as in a row that sums up others"),
        &format!("delete the row, or leave it out with {}", left_out.join(" ")),
    ))
}

/// The values of each measure at the beginning of a table.
#[derive(Default)]
pub(super) struct Values {
    looked_at: usize,
    of_measures: BTreeMap<Arc<str>, OfMeasure>,
}

#[derive(Default)]
struct OfMeasure {
    /// The number of each of [`CODES`].
    codes: [u32; CODES.len()],
    /// The least and the greatest of the other values.
    range: Option<[f64; 2]>,
}

impl Values {
    /// Adds the rows of a table from one on.
    pub(super) fn add(&mut self, table: &ScoreTable, from: usize) {
        let columns = table.columns();
        let until = table.len().min(from + LOOKED_AT.saturating_sub(self.looked_at));
        for row in from..until {
            let value = columns.value[row];
            let Some(name) = table.measures.name(columns.measure[row]) else { continue };
            let OfMeasure { codes, range } = self.of_measures.entry(Arc::clone(name)).or_default();
            match CODES.iter().position(|code| code.total_cmp(&value).is_eq()) {
                Some(code) => codes[code] += 1,
                None => {
                    let [least, most] = range.unwrap_or([value; 2]);
                    *range = Some([least.min(value), most.max(value)]);
                }
            }
        }
        self.looked_at += until.saturating_sub(from);
    }

    /// Notes on codes far from values that are answers on a short scale.
    pub(super) fn notes<'v>(&'v self, table: &'v Table) -> impl Iterator<Item = String> + 'v {
        self.of_measures.iter().flat_map(move |(measure, OfMeasure { codes, range })| {
            let short = range.filter(|[least, most]| *least >= 0.0 && *most <= 11.0 && least < most);
            let found = CODES.into_iter().zip(*codes).filter(|&(_, count)| count > 0);
            short.into_iter().flat_map(move |[least, most]| {
                found.clone().map(move |(code, count)| {
                    let times = if count == 1 { "once".to_owned() } else { format!("{count} times") };
                    let remedy = match table.has(measure) {
                        true => format!("add --where '{measure}!={code}'"),
                        false => "write NA".to_owned(),
                    };
                    format!(
                        "{code} is there {times} in `{measure}`, whose other values are {least} to {most}: if it stands for a missing \
                         answer, {remedy}"
                    )
                })
            })
        })
    }
}
