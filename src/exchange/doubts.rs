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

/// The fault of the first row from one on that sums up others, by the name of its model, or of its rater or item, which are in
/// columns at places. A rater or an item that no column names is not looked at.
pub(super) fn sums_up(
    table: &Table,
    (kind, place): (&str, Option<usize>),
    rows: &ScoreTable,
    from: usize,
    line_of: impl Fn(usize) -> u64,
) -> Option<ImportFault> {
    let columns = rows.columns();
    let (names, numbers) = match (kind, place) {
        ("rater", Some(_)) => (&rows.raters, columns.rater),
        ("item", Some(_)) => (&rows.items, columns.item),
        ("model", _) => (&rows.models, columns.model),
        _ => return None,
    };
    // In small letters, with a capital, and in capitals; names may be many.
    let written =
        |word: &&str| [(*word).to_owned(), word[..1].to_uppercase() + &word[1..], word.to_uppercase()];
    let called = |words: &[&str]| -> Vec<u32> {
        words.iter().flat_map(written).filter_map(|word| names.number(&word)).collect()
    };
    let sums = Some(called(&MEANS)).filter(|means| !means.is_empty())?;
    let row = (from..rows.len()).find(|&row| sums.contains(&numbers[row]))?;
    let name = names.name(numbers[row])?;
    let column = place.map_or("COLUMN", |place| &table.headers()[place]);
    let count = |sums: &[u32]| numbers.iter().filter(|name| sums.contains(name)).count();
    let most = count(&sums);
    let spreads = called(&SPREADS).into_iter().filter(|&spread| count(&[spread]) <= most);
    let left_out: Vec<String> = sums
        .iter()
        .copied()
        .chain(spreads)
        .filter_map(|number| names.name(number))
        .map(|name| format!("--where '{column}!={name}'"))
        .collect();
    Some(table.fault_on(
        line_of(row),
        place,
        &format!("the {kind} is called {name:?}, as in a row that sums up others"),
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
    /// The number of values, and of those about no item.
    values: u32,
    without_item: u32,
}

impl Values {
    /// Adds the rows of a table from one on.
    pub(super) fn add(&mut self, table: &ScoreTable, from: usize) {
        let (columns, no_item) = (table.columns(), table.items.number(""));
        let until = table.len().min(from + LOOKED_AT.saturating_sub(self.looked_at));
        for row in from..until {
            let value = columns.value[row];
            let Some(name) = table.measures.name(columns.measure[row]) else { continue };
            let OfMeasure { codes, range, values, without_item } =
                self.of_measures.entry(Arc::clone(name)).or_default();
            *values += 1;
            *without_item += u32::from(no_item == Some(columns.item[row]));
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

    /// Notes on measures with values about items and values about none.
    pub(super) fn items(&self) -> impl Iterator<Item = String> {
        self.of_measures.iter().filter(|(_, of)| (1..of.values).contains(&of.without_item)).map(|(measure, of)| {
            let OfMeasure { values, without_item, .. } = of;
            format!("{without_item} of {values} values of `{measure}` name no item: fill cells that were merged")
        })
    }

    /// Notes on codes far from values that are answers on a short scale.
    pub(super) fn notes<'v>(&'v self, table: &'v Table) -> impl Iterator<Item = String> + 'v {
        self.of_measures.iter().flat_map(move |(measure, OfMeasure { codes, range, .. })| {
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
