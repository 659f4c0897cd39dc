//! The rows of frames, as text that readers of tables take.

use std::fmt;
use std::io::Read;
use std::sync::Arc;

use arrow_array::{Array as _, RecordBatch};
use arrow_schema::Schema;
use hype::exchange::TableRows;

use crate::cells::{Cells, is_readable, put_text};

/// How many rows become text at a time.
const CHUNK: usize = 1 << 12;

/// A frame cannot be read as a table.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum FrameError {
    /// Two columns have one name.
    TwoColumns(String),
    /// No column can be read.
    NoColumns,
}

impl fmt::Display for FrameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TwoColumns(name) => write!(f, "the frame has two columns `{name}`"),
            Self::NoColumns => {
                f.write_str("the frame has no column of texts, numbers or truth values: a table needs some")
            }
        }
    }
}

impl std::error::Error for FrameError {}

/// The rows of a frame.
#[derive(Debug, Clone)]
pub struct FrameRows {
    name: String,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    batches: Vec<RecordBatch>,
    /// The places of the readable columns, with their names.
    columns: Vec<(usize, String)>,
    /// Columns with one cell for all rows.
    constants: Vec<(String, String)>,
}

impl FrameRows {
    /// The rows of batches of one schema, with columns that have the same text in all rows. Columns of types that have no text, such
    /// as lists and dates, are left out, and the name of the table says so.
    ///
    /// # Errors
    /// If there are two columns of one name, or none.
    pub fn new(
        schema: &Schema,
        batches: Vec<RecordBatch>,
        constants: Vec<(String, String)>,
    ) -> Result<Self, FrameError> {
        let (mut columns, mut left_out) = (Vec::new(), Vec::new());
        for (place, field) in schema.fields().iter().enumerate() {
            let is_known = schema.fields()[..place].iter().any(|other| other.name() == field.name());
            if is_known || constants.iter().any(|(name, _)| name == field.name()) {
                return Err(FrameError::TwoColumns(field.name().clone()));
            }
            match is_readable(field.data_type()) {
                true => columns.push((place, field.name().clone())),
                false => left_out.push(format!("`{}` ({})", field.name(), field.data_type())),
            }
        }
        if columns.is_empty() {
            return Err(FrameError::NoColumns);
        }
        let name = match left_out.is_empty() {
            true => "the frame".to_owned(),
            false => format!("the frame without {}", left_out.join(", ")),
        };
        Ok(Self { name, shared: Arc::new(Shared { batches, columns, constants }) })
    }
}

impl TableRows for FrameRows {
    fn name(&self) -> &str {
        &self.name
    }

    fn text(&self) -> Box<dyn Read> {
        let mut text = Vec::new();
        let own = self.shared.columns.iter().map(|(_, name)| name);
        let names = own.chain(self.shared.constants.iter().map(|(name, _)| name));
        for (place, name) in names.enumerate() {
            if place > 0 {
                text.push(b',');
            }
            put_text(name, &mut text);
        }
        end_line(&mut text, 0);
        Box::new(Lines { shared: Arc::clone(&self.shared), batch: 0, row: 0, text, at: 0 })
    }
}

/// Ends the line that began at a byte. An empty line would be no row.
fn end_line(text: &mut Vec<u8>, began: usize) {
    if text.len() == began {
        text.extend_from_slice(b"\"\"");
    }
    text.push(b'\n');
}

/// The lines of a frame's rows, a chunk at a time.
struct Lines {
    shared: Arc<Shared>,
    batch: usize,
    row: usize,
    text: Vec<u8>,
    at: usize,
}

impl Lines {
    fn write_chunk(&mut self) {
        self.text.clear();
        self.at = 0;
        let Shared { batches, columns, constants } = &*self.shared;
        while self.text.is_empty()
            && let Some(batch) = batches.get(self.batch)
        {
            let until = batch.num_rows().min(self.row + CHUNK);
            let part = batch.slice(self.row, until - self.row);
            let cells: Vec<_> = columns
                .iter()
                .map(|&(place, _)| {
                    let column = part.column(place);
                    (Cells::of(column.as_ref()), column.nulls())
                })
                .collect();
            let mut end = Vec::new();
            for (_, cell) in constants {
                end.push(b',');
                put_text(cell, &mut end);
            }
            for row in 0..part.num_rows() {
                let began = self.text.len();
                for (place, (cells, nulls)) in cells.iter().enumerate() {
                    if place > 0 {
                        self.text.push(b',');
                    }
                    if nulls.is_none_or(|nulls| nulls.is_valid(row)) {
                        cells.put(row, &mut self.text);
                    }
                }
                self.text.extend_from_slice(&end);
                end_line(&mut self.text, began);
            }
            self.row = until;
            if until == batch.num_rows() {
                (self.batch, self.row) = (self.batch + 1, 0);
            }
        }
    }
}

impl Read for Lines {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        if self.at == self.text.len() {
            self.write_chunk();
        }
        let some = out.len().min(self.text.len() - self.at);
        out[..some].copy_from_slice(&self.text[self.at..self.at + some]);
        self.at += some;
        Ok(some)
    }
}

#[cfg(test)]
mod tests {
    use arrow_array::types::Int32Type;
    use arrow_array::{
        ArrayRef, BooleanArray, DictionaryArray, Float64Array, Int64Array, ListArray, StringArray,
        StringViewArray,
    };

    use super::*;

    fn text_of(columns: Vec<(&str, ArrayRef)>, constants: &[(&str, &str)]) -> (String, String) {
        let batch = RecordBatch::try_from_iter(columns).unwrap();
        let constants = constants.iter().map(|&(name, cell)| (name.into(), cell.into())).collect();
        let halves = [batch.slice(0, 1), batch.slice(1, batch.num_rows() - 1)];
        let rows = FrameRows::new(&batch.schema(), halves.to_vec(), constants).unwrap();
        let mut text = String::new();
        rows.text().read_to_string(&mut text).unwrap();
        (rows.name().to_owned(), text)
    }

    #[test]
    fn every_type_of_a_frame_becomes_cells() {
        let texts = StringArray::from(vec![Some("a,b"), None, Some("say \"x\"\nand y")]);
        let views =
            StringViewArray::from(vec![Some("plain"), Some(""), Some("a view of more than twelve bytes")]);
        let dictionary: DictionaryArray<Int32Type> = [Some("x"), None, Some("x")].into_iter().collect();
        let numbers = Float64Array::from(vec![Some(0.1), Some(3.0), None]);
        let whole = Int64Array::from(vec![-5, 0, i64::MAX]);
        let truths = BooleanArray::from(vec![true, false, true]);
        let (name, text) = text_of(
            vec![
                ("t", Arc::new(texts)),
                ("v", Arc::new(views)),
                ("d", Arc::new(dictionary)),
                ("n", Arc::new(numbers)),
                ("w", Arc::new(whole)),
                ("b", Arc::new(truths)),
            ],
            &[("model", "all")],
        );
        assert_eq!(name, "the frame");
        assert_eq!(
            text,
            "t,v,d,n,w,b,model\n\"a,b\",plain,x,0.1,-5,true,all\n,,,3,0,false,all\n\
             \"say \"\"x\"\" and y\",a view of more than twelve bytes,x,,9223372036854775807,true,all\n"
        );
    }

    #[test]
    fn columns_without_a_text_are_left_out_and_named() {
        let lists = ListArray::from_iter_primitive::<Int32Type, _, _>([Some(vec![Some(1)]), None]);
        let (name, text) =
            text_of(vec![("l", Arc::new(lists)), ("n", Arc::new(Int64Array::from(vec![1, 2])))], &[]);
        assert!(name.starts_with("the frame without `l` (List"), "{name}");
        assert_eq!(text, "n\n1\n2\n");
    }

    #[test]
    fn a_row_without_a_value_in_its_only_column_stays_a_row() {
        let (_, text) = text_of(vec![("n", Arc::new(Int64Array::from(vec![None, Some(2)])))], &[]);
        assert_eq!(text, "n\n\"\"\n2\n");
    }

    #[test]
    fn two_columns_of_one_name_are_refused() {
        let batch = RecordBatch::try_from_iter(vec![("a", Arc::new(Int64Array::from(vec![1])) as ArrayRef)]);
        let batch = batch.unwrap();
        let made = FrameRows::new(&batch.schema(), vec![batch], vec![("a".into(), "x".into())]);
        assert_eq!(made.unwrap_err(), FrameError::TwoColumns("a".into()));
    }
}
