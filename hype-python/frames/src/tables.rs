//! Tables of hype as frames.

use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, Float64Array, Int64Array, RecordBatch, StringArray};
use arrow_schema::{ArrowError, DataType, Field, Schema};
use hype::exchange::layout::ColumnType;
use serde_json::Value;

/// A frame of a table's rows: texts, whole numbers, numbers and truth values, with nulls where there is nothing.
///
/// # Errors
/// If a row has another number of cells than there are columns.
pub fn frame(columns: &[(&str, ColumnType)], rows: &[Vec<Value>]) -> Result<RecordBatch, ArrowError> {
    let arrays: Vec<ArrayRef> = columns
        .iter()
        .enumerate()
        .map(|(place, (_, kind))| array(*kind, rows.iter().map(|row| row.get(place).unwrap_or(&Value::Null))))
        .collect();
    let fields: Vec<Field> = columns
        .iter()
        .zip(&arrays)
        .map(|((name, _), array)| Field::new(*name, array.data_type().clone(), true))
        .collect();
    let options = arrow_array::RecordBatchOptions::new().with_row_count(Some(rows.len()));
    RecordBatch::try_new_with_options(Arc::new(Schema::new(fields)), arrays, &options)
}

fn array<'a>(kind: ColumnType, cells: impl Iterator<Item = &'a Value>) -> ArrayRef {
    match kind {
        ColumnType::Integer => Arc::new(cells.map(Value::as_i64).collect::<Int64Array>()),
        ColumnType::Number => Arc::new(cells.map(Value::as_f64).collect::<Float64Array>()),
        ColumnType::Boolean => Arc::new(cells.map(Value::as_bool).collect::<BooleanArray>()),
        _ => Arc::new(cells.map(text).collect::<StringArray>()),
    }
}

/// A cell as text: nested values as JSON.
fn text(cell: &Value) -> Option<String> {
    match cell {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}

/// The columns of a frame as lists of JSON values, for those who read no Arrow. Only the types that [`frame`] makes are read.
#[must_use]
pub fn columns(frame: &RecordBatch) -> Vec<(String, Vec<Value>)> {
    use arrow_array::cast::AsArray as _;
    use arrow_array::types::{Float64Type, Int64Type};
    let schema = frame.schema();
    let column = |(field, array): (&Arc<Field>, &ArrayRef)| {
        let cells: Vec<Value> = match array.data_type() {
            DataType::Int64 => array.as_primitive::<Int64Type>().iter().map(Value::from).collect(),
            DataType::Float64 => array.as_primitive::<Float64Type>().iter().map(Value::from).collect(),
            DataType::Boolean => array.as_boolean().iter().map(Value::from).collect(),
            DataType::Utf8 => array.as_string::<i32>().iter().map(Value::from).collect(),
            _ => vec![Value::Null; array.len()],
        };
        (field.name().clone(), cells)
    };
    schema.fields().iter().zip(frame.columns()).map(column).collect()
}

/// The type of the cells of a column that [`frame`] made.
#[must_use]
pub fn kind_of(kind: &DataType) -> ColumnType {
    match kind {
        DataType::Int64 => ColumnType::Integer,
        DataType::Float64 => ColumnType::Number,
        DataType::Boolean => ColumnType::Boolean,
        _ => ColumnType::Text,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn tables_become_frames_and_lists() {
        let columns_of = [
            ("model", ColumnType::Text),
            ("value", ColumnType::Number),
            ("raters", ColumnType::Integer),
            ("counts", ColumnType::Boolean),
            ("stimulus", ColumnType::Json),
        ];
        let rows = [
            vec![json!("a"), json!(0.5), json!(3), json!(true), json!(["x", "y"])],
            vec![json!(null), json!(2), json!(null), json!(null), json!("z")],
        ];
        let made = frame(&columns_of, &rows).unwrap();
        assert_eq!(
            columns(&made),
            [
                ("model".to_owned(), vec![json!("a"), json!(null)]),
                ("value".to_owned(), vec![json!(0.5), json!(2.0)]),
                ("raters".to_owned(), vec![json!(3), json!(null)]),
                ("counts".to_owned(), vec![json!(true), json!(null)]),
                ("stimulus".to_owned(), vec![json!("[\"x\",\"y\"]"), json!("z")]),
            ]
        );
    }

    #[test]
    fn a_table_without_rows_has_its_columns() {
        let made = frame(&[("a", ColumnType::Text)], &[]).unwrap();
        assert_eq!((made.num_rows(), made.num_columns()), (0, 1));
    }
}
