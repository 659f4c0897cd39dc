//! Apache Parquet, column by column, one row group per chunk of rows.

use std::io::Write;
use std::sync::Arc;

use parquet::basic::{LogicalType, Repetition, Type as Physical};
use parquet::column::writer::ColumnWriter;
use parquet::data_type::ByteArray;
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;
use serde_json::Value;

use super::as_cell;
use crate::exchange::error::ExportError;
use crate::exchange::layout::{ColumnType, ExportColumn};

/// The number of rows in a row group.
const CHUNK: usize = 1 << 16;

impl From<ParquetError> for ExportError {
    fn from(error: ParquetError) -> Self {
        Self::Parquet(error.to_string())
    }
}

/// Writes rows as Parquet.
pub(super) struct ParquetWriter<W: Write + Send> {
    out: SerializedFileWriter<W>,
    columns: Vec<Cells>,
    rows: usize,
}

/// The cells of one column in the current chunk: which of them have values, and these values.
struct Cells {
    there: Vec<i16>,
    values: Values,
}

enum Values {
    Texts(Vec<ByteArray>),
    Integers(Vec<i64>),
    Numbers(Vec<f64>),
    Booleans(Vec<bool>),
}

impl Cells {
    fn new(kind: ColumnType) -> Self {
        let values = match kind {
            ColumnType::Text | ColumnType::Json => Values::Texts(Vec::new()),
            ColumnType::Integer => Values::Integers(Vec::new()),
            ColumnType::Number => Values::Numbers(Vec::new()),
            ColumnType::Boolean => Values::Booleans(Vec::new()),
        };
        Self { there: Vec::new(), values }
    }

    fn push(&mut self, value: &Value) {
        fn take<T>(into: &mut Vec<T>, value: Option<T>) -> bool {
            let there = value.is_some();
            into.extend(value);
            there
        }
        let text = || ByteArray::from(as_cell(value).into_bytes());
        let there = match &mut self.values {
            Values::Texts(texts) => take(texts, (!value.is_null()).then(text)),
            Values::Integers(numbers) => take(numbers, value.as_i64()),
            Values::Numbers(numbers) => take(numbers, value.as_f64()),
            Values::Booleans(truths) => take(truths, value.as_bool()),
        };
        self.there.push(i16::from(there));
    }

    fn clear(&mut self) {
        self.there.clear();
        match &mut self.values {
            Values::Texts(texts) => texts.clear(),
            Values::Integers(numbers) => numbers.clear(),
            Values::Numbers(numbers) => numbers.clear(),
            Values::Booleans(truths) => truths.clear(),
        }
    }
}

impl<W: Write + Send> ParquetWriter<W> {
    pub(super) fn begin(out: W, columns: &[ExportColumn]) -> Result<Self, ExportError> {
        let fields = columns.iter().map(field).collect::<Result<Vec<_>, _>>()?;
        let schema = Type::group_type_builder("rows").with_fields(fields).build()?;
        let properties = WriterProperties::builder()
            .set_created_by(hype_core::study::analysis::software().to_string())
            .build();
        Ok(Self {
            out: SerializedFileWriter::new(out, Arc::new(schema), Arc::new(properties))?,
            columns: columns.iter().map(|column| Cells::new(column.kind)).collect(),
            rows: 0,
        })
    }

    pub(super) fn write(&mut self, row: &[Value]) -> Result<(), ExportError> {
        self.columns.iter_mut().zip(row).for_each(|(cells, value)| cells.push(value));
        self.rows += 1;
        if self.rows < CHUNK { Ok(()) } else { self.write_group() }
    }

    fn write_group(&mut self) -> Result<(), ExportError> {
        let mut group = self.out.next_row_group()?;
        let mut columns = self.columns.iter_mut();
        while let (Some(mut writer), Some(cells)) = (group.next_column()?, columns.next()) {
            let there = Some(cells.there.as_slice());
            match (writer.untyped(), &cells.values) {
                (ColumnWriter::ByteArrayColumnWriter(out), Values::Texts(texts)) => {
                    out.write_batch(texts, there, None)?;
                }
                (ColumnWriter::Int64ColumnWriter(out), Values::Integers(numbers)) => {
                    out.write_batch(numbers, there, None)?;
                }
                (ColumnWriter::DoubleColumnWriter(out), Values::Numbers(numbers)) => {
                    out.write_batch(numbers, there, None)?;
                }
                (ColumnWriter::BoolColumnWriter(out), Values::Booleans(truths)) => {
                    out.write_batch(truths, there, None)?;
                }
                _ => return Err(ExportError::Parquet("a column has another type than its schema".into())),
            }
            writer.close()?;
            cells.clear();
        }
        group.close()?;
        self.rows = 0;
        Ok(())
    }

    pub(super) fn finish(mut self) -> Result<W, ExportError> {
        if self.rows > 0 {
            self.write_group()?;
        }
        Ok(self.out.into_inner()?)
    }
}

fn field(column: &ExportColumn) -> Result<Arc<Type>, ParquetError> {
    let (physical, logical) = match column.kind {
        ColumnType::Text | ColumnType::Json => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
        ColumnType::Integer => (Physical::INT64, None),
        ColumnType::Number => (Physical::DOUBLE, None),
        ColumnType::Boolean => (Physical::BOOLEAN, None),
    };
    let field = Type::primitive_type_builder(column.name, physical)
        .with_logical_type(logical)
        .with_repetition(Repetition::OPTIONAL)
        .build()?;
    Ok(Arc::new(field))
}
