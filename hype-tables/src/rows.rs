//! Records that are rows of scores as they stand.

use hype_core::{Row, ScoreTable};

use super::number::{number_of, short_decimal};
use super::records::{Cells, ReadRecord, RecordReader};

/// Which cells of a record make a row of scores: one value, without a block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowCells {
    /// The number of cells of every record.
    pub cells: usize,
    /// The cell of the rater.
    pub rater: usize,
    /// The cell of the model.
    pub model: usize,
    /// The cell of the model that it was compared with.
    pub against: Option<usize>,
    /// The cell of the item.
    pub item: Option<usize>,
    /// The measure of the value.
    pub measure: RowMeasure,
    /// The cell of the value.
    pub value: usize,
}

/// The measure of a record's value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RowMeasure {
    /// The same for all records.
    Named(String),
    /// The measure that this cell names.
    InCell(usize),
}

/// Rows on consecutive lines: the number of the first in its table, and its line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "what reads rows otherwise creates it")]
pub struct RowRun {
    /// The number of the first row in the table of scores.
    pub row: usize,
    /// Its line.
    pub line: u64,
}

/// The rows that [`RecordReader::read_rows`] added.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AddedRows {
    /// How many.
    pub count: u64,
    /// The record after them, if it was not a row; it is then in view.
    pub then: Option<ReadRecord>,
}

impl RecordReader {
    /// Adds records to a table until it has `until` rows, or up to a record that is not a row as it stands: it has another
    /// number of cells, lacks a name or the value, has a value that is not a number, or compares a model with itself. The
    /// lines of the rows are added to `runs`.
    ///
    /// # Errors
    ///
    /// Those of [`RecordReader::read`].
    pub fn read_rows(
        &mut self,
        of: &RowCells,
        into: &mut ScoreTable,
        until: usize,
        runs: &mut Vec<RowRun>,
    ) -> std::io::Result<AddedRows> {
        let mut count = 0;
        while into.len() < until {
            let (mut left, mut last) = (until - into.len(), into.last());
            runs.push(RowRun { row: into.len(), line: self.next_line() });
            count += self.cut_all(of.cells, |cells| {
                if left == 0 {
                    return false;
                }
                left -= 1;
                let expected = last.and_then(|last| expected_after(last, of, cells, into));
                if let Some((numbers, value)) = expected {
                    into.push_interned(numbers, 0, value);
                    last = Some(numbers);
                    return true;
                }
                let is_added = add(of, cells, into);
                last = into.last();
                is_added
            });
            if into.len() >= until {
                break;
            }
            let found = self.read()?;
            runs.push(RowRun { row: into.len(), line: self.line() });
            if found != ReadRecord::Record || !add(of, self.cells(), into) {
                return Ok(AddedRows { count, then: Some(found) });
            }
            count += 1;
        }
        Ok(AddedRows { count, then: None })
    }
}

/// The numbers and the value of a record with a short number whose names are expected after those of the last row.
#[inline(always)]
fn expected_after(
    last: [u32; 4],
    of: &RowCells,
    cells: Cells<'_>,
    into: &ScoreTable,
) -> Option<([u32; 4], f64)> {
    let optional = |place: Option<usize>| place.map_or(&[][..], |place| cells.bytes(place));
    if !optional(of.against).is_empty() {
        return None;
    }
    let value = short_decimal(cells.bytes(of.value))?;
    let measure = match &of.measure {
        RowMeasure::Named(name) => name.as_bytes(),
        RowMeasure::InCell(place) => cells.bytes(*place),
    };
    let names = [cells.bytes(of.rater), cells.bytes(of.model), optional(of.item), measure];
    // Names after an apostrophe may be those of harmless cells.
    let is_written = |name: &[u8]| name.first() != Some(&b'\'');
    if [0, 1, 3].iter().any(|&place| names[place].is_empty()) || !names.iter().all(|name| is_written(name)) {
        return None;
    }
    Some((into.expect_after(last, names)?, value))
}

/// Adds a record, unless it is not a row as it stands.
#[inline(never)]
fn add(of: &RowCells, cells: Cells<'_>, into: &mut ScoreTable) -> bool {
    if cells.len() != of.cells {
        return false;
    }
    let optional = |place: Option<usize>| place.map_or("", |place| cells.trimmed(place));
    let (rater, model) = (cells.trimmed(of.rater), cells.trimmed(of.model));
    let (against, item) = (optional(of.against), optional(of.item));
    let measure = match &of.measure {
        RowMeasure::Named(name) => name,
        RowMeasure::InCell(place) => cells.trimmed(*place),
    };
    let Some(value) = number_of(cells.trimmed(of.value)) else { return false };
    let is_named = !rater.is_empty() && !model.is_empty() && !measure.is_empty();
    let is_row = is_named && (against.is_empty() || against != model);
    if is_row {
        into.push(&Row { rater, model, against, item, block: 0, measure, value });
    }
    is_row
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use proptest::prelude::*;

    use super::*;

    fn reader(text: &str) -> RecordReader {
        RecordReader::new(Box::new(Cursor::new(text.to_owned().into_bytes())), b',', true)
    }

    /// The columns rater, model, against, item, measure and value.
    fn long() -> RowCells {
        RowCells {
            cells: 6,
            rater: 0,
            model: 1,
            against: Some(2),
            item: Some(3),
            measure: RowMeasure::InCell(4),
            value: 5,
        }
    }

    /// The result of a read: a row as it stands, or the line of another record.
    #[derive(Debug, PartialEq)]
    enum Found {
        Row([String; 5], f64),
        Other(u64),
    }

    fn row(row: &Row<'_>) -> Found {
        let names = [row.rater, row.model, row.against, row.item, row.measure];
        Found::Row(names.map(str::to_owned), row.value)
    }

    fn by_rows(text: &str, of: &RowCells, until: usize) -> Vec<Found> {
        let (mut records, mut scores, mut all) = (reader(text), ScoreTable::default(), Vec::new());
        loop {
            let added = records.read_rows(of, &mut scores, until, &mut Vec::new()).unwrap();
            assert_eq!(added.count, scores.len() as u64);
            all.extend(scores.rows().map(|one| row(&one)));
            scores.clear_rows();
            match added.then {
                Some(ReadRecord::End) => return all,
                Some(ReadRecord::Record | ReadRecord::NotText) => all.push(Found::Other(records.line())),
                None => assert_eq!(added.count, until as u64),
            }
        }
    }

    fn by_records(text: &str) -> Vec<Found> {
        let (mut records, mut all) = (reader(text), Vec::new());
        while records.read().unwrap() == ReadRecord::Record {
            let cells: Vec<&str> =
                (0..records.cells().len()).map(|at| records.cells().get(at).trim()).collect();
            let found = match (&*cells, cells.last().and_then(|cell| cell.parse().ok())) {
                (&[rater, model, against, item, measure, _], Some(value))
                    if ![rater, model, measure].contains(&"") && model != against =>
                {
                    row(&Row { rater, model, against, item, block: 0, measure, value })
                }
                _ => Found::Other(records.line()),
            };
            all.push(found);
        }
        all
    }

    #[test]
    fn a_named_measure_applies_to_all_rows() {
        let of = RowCells {
            cells: 3,
            against: None,
            item: None,
            measure: RowMeasure::Named("realism".into()),
            value: 2,
            ..long()
        };
        let mut scores = ScoreTable::default();
        let added =
            reader("a,x,1\n\na,y,2\nb,x,\n").read_rows(&of, &mut scores, 10, &mut Vec::new()).unwrap();
        assert_eq!(added, AddedRows { count: 2, then: Some(ReadRecord::Record) });
        let rows: Vec<_> = scores.rows().map(|row| (row.rater, row.model, row.measure, row.value)).collect();
        assert_eq!(rows, [("a", "x", "realism", 1.0), ("a", "y", "realism", 2.0)]);
    }

    #[test]
    fn rows_with_a_missing_name_are_not_added_even_after_another() {
        let of = RowCells {
            against: None,
            item: None,
            cells: 4,
            measure: RowMeasure::InCell(2),
            value: 3,
            ..long()
        };
        let mut scores = ScoreTable::default();
        scores.push(&Row::new("a", "", "m", 1.0));
        let added = reader("a,,m,2\n").read_rows(&of, &mut scores, 10, &mut Vec::new()).unwrap();
        assert_eq!(added, AddedRows { count: 0, then: Some(ReadRecord::Record) });
        assert_eq!(scores.len(), 1);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(512))]

        #[test]
        fn rows_and_other_records_are_found_in_their_order(
            lines in proptest::collection::vec(
                prop_oneof![
                    6 => "[ab]{1,9},[xy],[xyz]?,[ä ]?i?,m, ?[0-9]",
                    1 => "\"a\nb\",x,,i,m,1",
                    1 => "[ab]?,[xy]?,y,,[m ]?,[0-9]?",
                    1 => "a,x,,i,m,\"[0-9]\"",
                    1 => "a,x,,i,m,1,?[ z]?",
                    1 => "a?",
                ],
                0..30,
            ),
            until in 1_usize..9,
        ) {
            let text: String = lines.iter().flat_map(|line| [line, "\n"]).collect();
            prop_assert_eq!(by_rows(&text, &long(), until), by_records(&text));
        }
    }
}
