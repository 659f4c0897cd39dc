//! `hype import`: ratings made elsewhere become the tidy table that `aggregate` reads.

use std::fs::File;
use std::io::{BufReader, Read, Write as _};
use std::path::Path;

use csv::StringRecord;
use hype_core::diagnostics::nearest;
use hype_core::score::{Row, ScoreTable};

use super::args::ImportArguments;
use super::export::{SCORE_COLUMNS, write_score_rows};
use super::failure::Failure;
use super::output::writer;

/// Rows that are read before they are written.
const CHUNK: usize = 1 << 16;

pub(crate) fn run(arguments: &ImportArguments) -> Result<(), Failure> {
    let columns = Columns {
        rater: &arguments.rater,
        model: &arguments.model,
        values: &arguments.value,
        measure: arguments.measure.as_deref(),
        item: arguments.item.as_deref(),
        block: arguments.block.as_deref(),
    };
    let mut reader = TidyReader::open(&arguments.table, &columns)?;
    let mut out = csv::Writer::from_writer(writer(arguments.output.as_deref())?);
    out.write_record(SCORE_COLUMNS)?;
    let mut scores = ScoreTable::default();
    let mut rows = 0;
    loop {
        let more = reader.read(&mut scores, CHUNK)?;
        write_score_rows(&scores, &mut out)?;
        rows += scores.len();
        scores.clear_rows();
        if !more {
            break;
        }
    }
    out.into_inner().map_err(|error| Failure::Message(error.to_string()))?.flush()?;
    if arguments.output.is_some() {
        println!("{rows} values of {} raters and {} models", scores.raters.len(), scores.models.len());
    }
    Ok(())
}

/// The names of the columns of a table.
pub(crate) struct Columns<'a> {
    pub(crate) rater: &'a str,
    pub(crate) model: &'a str,
    pub(crate) values: &'a [String],
    pub(crate) measure: Option<&'a str>,
    pub(crate) item: Option<&'a str>,
    pub(crate) block: Option<&'a str>,
}

/// Reads a tidy table in chunks.
pub(crate) struct TidyReader {
    name: String,
    reader: csv::Reader<Box<dyn Read>>,
    record: StringRecord,
    rater: usize,
    model: usize,
    values: Vec<(String, usize)>,
    measure: Option<usize>,
    item: Option<usize>,
    block: Option<usize>,
}

impl TidyReader {
    /// Opens a table and finds its columns; `-` is standard input.
    pub(crate) fn open(path: &Path, columns: &Columns<'_>) -> Result<Self, Failure> {
        let name = path.display().to_string();
        let input: Box<dyn Read> = if name == "-" {
            Box::new(std::io::stdin())
        } else {
            Box::new(BufReader::new(File::open(path).map_err(|error| Failure::about(path, &error))?))
        };
        let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(input);
        let headers = reader.headers().map_err(|error| Failure::about(path, &error))?.clone();
        let find = |wanted: &str| -> Result<usize, Failure> {
            let mut places = headers.iter().enumerate().filter(|(_, header)| *header == wanted);
            match (places.next(), places.next()) {
                (Some((place, _)), None) => Ok(place),
                (Some(_), Some(_)) => {
                    Err(Failure::Message(format!("{name}: two columns are called `{wanted}`")))
                }
                (None, _) => {
                    let hint = nearest(wanted, headers.iter())
                        .map_or_else(|| ".".into(), |near| format!("; did you mean `{near}`?"));
                    Err(Failure::Message(format!(
                        "{name}: there is no column `{wanted}`{hint} The columns are {}",
                        headers.iter().collect::<Vec<_>>().join(", ")
                    )))
                }
            }
        };
        let optional = |wanted: Option<&str>| wanted.map(&find).transpose();
        if columns.measure.is_some() && columns.values.len() > 1 {
            return Err(Failure::Message(
                "a table is either wide (several --value) or long (--measure), not both".into(),
            ));
        }
        Ok(Self {
            rater: find(columns.rater)?,
            model: find(columns.model)?,
            values: columns
                .values
                .iter()
                .map(|value| Ok((value.clone(), find(value)?)))
                .collect::<Result<_, Failure>>()?,
            measure: optional(columns.measure)?,
            item: optional(columns.item)?,
            block: optional(columns.block)?,
            record: StringRecord::new(),
            reader,
            name,
        })
    }

    /// The names of the value columns.
    pub(crate) fn value_names(&self) -> impl Iterator<Item = &str> {
        self.values.iter().map(|(name, _)| name.as_str())
    }

    /// Reads until the table holds at least `rows` rows; says whether there may be more. Empty values are passed
    /// over as missing.
    pub(crate) fn read(&mut self, into: &mut ScoreTable, rows: usize) -> Result<bool, Failure> {
        let until = into.len() + rows;
        while into.len() < until {
            let more = self
                .reader
                .read_record(&mut self.record)
                .map_err(|error| Failure::Message(format!("{}: {error}", self.name)))?;
            if !more {
                return Ok(false);
            }
            self.add_row(into)?;
        }
        Ok(true)
    }

    fn add_row(&self, into: &mut ScoreTable) -> Result<(), Failure> {
        let record = &self.record;
        let fault = |reason: String| {
            let line = record.position().map_or(0, csv::Position::line);
            Failure::Message(format!("{}, line {line}: {reason}", self.name))
        };
        let cell = |place: usize| record.get(place).unwrap_or_default();
        let (rater, model) = (cell(self.rater), cell(self.model));
        if rater.is_empty() || model.is_empty() {
            return Err(fault("the rater or the model is empty".into()));
        }
        let block = match self.block.map(cell) {
            None => 0,
            Some(text) => text
                .parse()
                .map_err(|_| fault(format!("the block {text:?} is no whole number from 0 to 65535")))?,
        };
        for (name, place) in &self.values {
            let text = cell(*place);
            if text.is_empty() {
                continue;
            }
            let value: f64 = text
                .parse()
                .ok()
                .filter(|value: &f64| value.is_finite())
                .ok_or_else(|| fault(format!("the {name} {text:?} is no finite number")))?;
            let measure = self.measure.map_or(name.as_str(), cell);
            if measure.is_empty() {
                return Err(fault("the measure is empty".into()));
            }
            into.push(&Row {
                rater,
                model,
                against: "",
                item: self.item.map_or("", cell),
                block,
                measure,
                value,
            });
        }
        Ok(())
    }
}
