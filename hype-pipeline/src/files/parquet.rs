//! Tables of Apache Parquet.

use std::fs::File;
use std::path::Path;

use parquet::file::reader::{FileReader as _, SerializedFileReader};
use parquet::record::Field;

use super::table::Builder;
use super::{NAMES, NamedRows};

/// Reads a table: a column that names rows if there is one, and columns of numbers or of lists of numbers.
pub(super) fn read(path: &Path) -> Result<NamedRows, String> {
    let file = File::open(path).map_err(|error| error.to_string())?;
    let reader = SerializedFileReader::new(file).map_err(|error| error.to_string())?;
    let schema = reader.metadata().file_metadata().schema_descr().root_schema().clone();
    let header: Vec<String> = schema.get_fields().iter().map(|field| field.name().to_owned()).collect();
    let name = NAMES.iter().find_map(|name| header.iter().position(|column| column == name));
    let mut table = Builder::new(name, header, 0);
    for (number, row) in reader.get_row_iter(None).map_err(|error| error.to_string())?.enumerate() {
        let row = row.map_err(|error| format!("row {number}: {error}"))?;
        let (mut named, mut values) = (None, Vec::new());
        for (column, (heading, field)) in row.get_column_iter().enumerate() {
            if Some(column) == name {
                named = Some(match field {
                    Field::Str(text) => text.clone(),
                    other => other.to_string(),
                });
            } else {
                numbers(field, &mut values)
                    .map_err(|reason| format!("row {number}, column {heading}: {reason}"))?;
            }
        }
        table.push(named.as_deref(), values);
    }
    Ok(table.finish())
}

/// Adds the number, or the numbers of a list; nothing for a missing value.
fn numbers(field: &Field, values: &mut Vec<f64>) -> Result<(), String> {
    values.push(match *field {
        Field::Null => return Ok(()),
        Field::Bool(value) => f64::from(u8::from(value)),
        Field::Byte(value) => f64::from(value),
        Field::Short(value) => f64::from(value),
        Field::Int(value) => f64::from(value),
        Field::Long(value) => value as f64,
        Field::UByte(value) => f64::from(value),
        Field::UShort(value) => f64::from(value),
        Field::UInt(value) => f64::from(value),
        Field::ULong(value) => value as f64,
        Field::Float(value) => f64::from(value),
        Field::Double(value) => value,
        Field::ListInternal(ref list) => {
            return list.elements().iter().try_for_each(|one| numbers(one, values));
        }
        ref other => return Err(format!("{other} is not a number")),
    });
    Ok(())
}
