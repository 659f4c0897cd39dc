//! Cells of columns as text.

use std::io::Write as _;

use arrow_array::cast::AsArray as _;
use arrow_array::types::{
    Decimal128Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type,
    UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, Decimal128Array, PrimitiveArray, StringViewArray};
use arrow_schema::DataType;

/// Whether cells of a type have a text.
pub(crate) fn is_readable(kind: &DataType) -> bool {
    match kind {
        DataType::Dictionary(_, values) => is_readable(values),
        kind => {
            kind.is_integer()
                || matches!(
                    kind,
                    DataType::Null
                        | DataType::Boolean
                        | DataType::Float32
                        | DataType::Float64
                        | DataType::Decimal128(..)
                        | DataType::Utf8
                        | DataType::LargeUtf8
                        | DataType::Utf8View
                )
        }
    }
}

/// A column of a batch.
pub(crate) enum Cells<'a> {
    /// Nothing but missing values.
    Missing,
    Booleans(&'a arrow_array::BooleanArray),
    Int8(&'a PrimitiveArray<Int8Type>),
    Int16(&'a PrimitiveArray<Int16Type>),
    Int32(&'a PrimitiveArray<Int32Type>),
    Int64(&'a PrimitiveArray<Int64Type>),
    UInt8(&'a PrimitiveArray<UInt8Type>),
    UInt16(&'a PrimitiveArray<UInt16Type>),
    UInt32(&'a PrimitiveArray<UInt32Type>),
    UInt64(&'a PrimitiveArray<UInt64Type>),
    Float32(&'a PrimitiveArray<Float32Type>),
    Float64(&'a PrimitiveArray<Float64Type>),
    Decimals(&'a Decimal128Array),
    Texts(&'a arrow_array::StringArray),
    LargeTexts(&'a arrow_array::LargeStringArray),
    TextViews(&'a StringViewArray),
    /// The cells of a dictionary as they are written, and for each row the place of its own.
    Dictionary(Vec<Vec<u8>>, Vec<Option<usize>>),
}

impl<'a> Cells<'a> {
    /// The cells of a column, which are missing if its type is not readable.
    pub(crate) fn of(column: &'a dyn Array) -> Self {
        match column.data_type() {
            DataType::Boolean => Self::Booleans(column.as_boolean()),
            DataType::Int8 => Self::Int8(column.as_primitive()),
            DataType::Int16 => Self::Int16(column.as_primitive()),
            DataType::Int32 => Self::Int32(column.as_primitive()),
            DataType::Int64 => Self::Int64(column.as_primitive()),
            DataType::UInt8 => Self::UInt8(column.as_primitive()),
            DataType::UInt16 => Self::UInt16(column.as_primitive()),
            DataType::UInt32 => Self::UInt32(column.as_primitive()),
            DataType::UInt64 => Self::UInt64(column.as_primitive()),
            DataType::Float32 => Self::Float32(column.as_primitive()),
            DataType::Float64 => Self::Float64(column.as_primitive()),
            DataType::Decimal128(..) => Self::Decimals(column.as_primitive::<Decimal128Type>()),
            DataType::Utf8 => Self::Texts(column.as_string()),
            DataType::LargeUtf8 => Self::LargeTexts(column.as_string()),
            DataType::Utf8View => Self::TextViews(column.as_string_view()),
            DataType::Dictionary(..) => Self::of_dictionary(column),
            _ => Self::Missing,
        }
    }

    fn of_dictionary(column: &dyn Array) -> Self {
        let dictionary = column.as_any_dictionary();
        let values = dictionary.values();
        if values.is_empty() {
            return Self::Missing;
        }
        let cells = Cells::of(values.as_ref());
        let written = (0..values.len())
            .map(|row| {
                let mut cell = Vec::new();
                if !values.is_null(row) {
                    cells.put(row, &mut cell);
                }
                cell
            })
            .collect();
        let places = dictionary.normalized_keys();
        let keys = dictionary.keys();
        let place = |(row, place): (usize, usize)| (!keys.is_null(row)).then_some(place);
        Self::Dictionary(written, places.into_iter().enumerate().map(place).collect())
    }

    /// Adds the cell of a row that is not null.
    pub(crate) fn put(&self, row: usize, out: &mut Vec<u8>) {
        // Writing to memory cannot fail.
        let _ = match self {
            Self::Missing => Ok(()),
            Self::Booleans(cells) => write!(out, "{}", cells.value(row)),
            Self::Int8(cells) => write!(out, "{}", cells.value(row)),
            Self::Int16(cells) => write!(out, "{}", cells.value(row)),
            Self::Int32(cells) => write!(out, "{}", cells.value(row)),
            Self::Int64(cells) => write!(out, "{}", cells.value(row)),
            Self::UInt8(cells) => write!(out, "{}", cells.value(row)),
            Self::UInt16(cells) => write!(out, "{}", cells.value(row)),
            Self::UInt32(cells) => write!(out, "{}", cells.value(row)),
            Self::UInt64(cells) => write!(out, "{}", cells.value(row)),
            Self::Float32(cells) => write!(out, "{}", cells.value(row)),
            Self::Float64(cells) => write!(out, "{}", cells.value(row)),
            Self::Decimals(cells) => write!(out, "{}", cells.value_as_string(row)),
            Self::Texts(cells) => {
                put_text(cells.value(row), out);
                Ok(())
            }
            Self::LargeTexts(cells) => {
                put_text(cells.value(row), out);
                Ok(())
            }
            Self::TextViews(cells) => {
                put_text(cells.value(row), out);
                Ok(())
            }
            Self::Dictionary(written, places) => {
                out.extend(places[row].and_then(|place| written.get(place)).into_iter().flatten());
                Ok(())
            }
        };
    }
}

/// The texts of a column, each at least once; `None` if its cells are not texts.
#[must_use]
pub fn texts(column: &dyn Array) -> Option<Vec<String>> {
    let owned = |texts: &mut dyn Iterator<Item = Option<&str>>| texts.flatten().map(str::to_owned).collect();
    match column.data_type() {
        DataType::Utf8 => Some(owned(&mut column.as_string::<i32>().iter())),
        DataType::LargeUtf8 => Some(owned(&mut column.as_string::<i64>().iter())),
        DataType::Utf8View => Some(owned(&mut column.as_string_view().iter())),
        DataType::Dictionary(..) => {
            // Of a part of a frame, the dictionary may have texts that no row has.
            let dictionary = column.as_any_dictionary();
            let all = texts(dictionary.values().as_ref())?;
            if dictionary.values().is_empty() || dictionary.values().null_count() > 0 {
                return Some(all);
            }
            let keys = dictionary.keys();
            let used = dictionary.normalized_keys().into_iter().enumerate();
            Some(used.filter(|&(row, _)| !keys.is_null(row)).map(|(_, place)| all[place].clone()).collect())
        }
        _ => None,
    }
}

/// Adds a text as a cell of CSV on one line. A cell that begins like a formula gets the apostrophe that readers of tables take away.
pub(crate) fn put_text(text: &str, out: &mut Vec<u8>) {
    let marked = text.starts_with(['=', '+', '-', '@', '\'']) || text.starts_with(char::is_control);
    let is_plain = !marked && !text.bytes().any(|byte| matches!(byte, b',' | b'"' | b'\n' | b'\r'));
    if is_plain {
        return out.extend_from_slice(text.as_bytes());
    }
    out.push(b'"');
    let cell = hype_tables::harmless(text);
    for byte in cell.bytes() {
        match byte {
            b'"' => out.extend_from_slice(b"\"\""),
            b'\n' | b'\r' => out.push(b' '),
            other => out.push(other),
        }
    }
    out.push(b'"');
}
