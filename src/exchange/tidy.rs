//! Tidy tables: one row per value, or one column per measure.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use hype_core::model::score::{PREFERENCE, ScoreTable};
use hype_core::words::counted;
use hype_core::{MeasureScale, Row};
use hype_tables::{RowCells, RowMeasure, RowRun};

use super::answer::{Answer, AnswerCells};
use super::fault::{Faults, ImportError, ImportFault};
use super::importing::{Facts, ImportReport, Importing, Sink};
use super::layout::FACTS;
use super::source::TableSource;
use super::spellings::Copies;
use super::table::{Next, Table, TableFormat};
use super::wide::missing;
use super::winner::Winner;

/// The number of rows that an import collects before it passes them on.
const CHUNK: usize = 1 << 14;

/// The names of a table's columns.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ColumnNames {
    /// The column of raters. Without one, the n-th row of every item has the rater `vote-n`, who is made up.
    pub rater: MaybeColumn,
    /// The column of models.
    pub model: String,
    /// The column of models with which those in `model` were compared.
    pub against: MaybeColumn,
    /// The columns of values: several in a wide table, none if `winner` is given.
    pub values: Vec<String>,
    /// The column of measures in a long table.
    pub measure: MaybeColumn,
    /// The column of items.
    pub item: MaybeColumn,
    /// The column of blocks, numbered from 0.
    pub block: MaybeColumn,
    /// The column that says which of two models won, in place of values.
    pub winner: Option<Winner>,
    /// The texts of answers in order, separated by `|` and scored from 1: of all columns of values, or of `COLUMN=`.
    pub options: Vec<String>,
}

/// An optional column.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum MaybeColumn {
    /// Not read.
    #[default]
    None,
    /// Read if the table has this column.
    IfThere(String),
    /// Required.
    Named(String),
}

impl MaybeColumn {
    pub(super) fn place(&self, table: &Table) -> Result<Option<usize>, ImportError> {
        match self {
            Self::None => Ok(None),
            Self::IfThere(name) if !table.has(name) => Ok(None),
            Self::IfThere(name) | Self::Named(name) => table.column(name).map(Some),
        }
    }
}

/// Reads a tidy table in chunks, with one chunk in memory.
pub struct TidyReader {
    table: Table,
    columns: ColumnNames,
    places: Places,
    /// The cells of rows that need no second look, if there are such rows.
    plain: Option<RowCells>,
    faults: Faults,
    rows: u64,
    /// By column of values.
    cells: Vec<AnswerCells>,
    missing: Vec<EmptyValues>,
    /// Rows that compare a model with itself, which are left out.
    self_compared: u64,
    copies: Copies,
    /// By item the rows without a rater.
    votes: HashMap<String, u64>,
    /// For each row that the last reading added, what the table states about it; empty if it states nothing.
    facts: Vec<Facts>,
    /// The last cells of facts, with their meaning.
    last_facts: Option<([String; 2], Facts)>,
    has_made_up_raters: bool,
    scales: BTreeMap<String, MeasureScale>,
}

/// The values of a column that are not there, which are left out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct EmptyValues {
    /// The column.
    pub column: String,
    /// How many.
    pub count: u64,
    /// How they are written, if not by empty cells, and how often.
    pub words: BTreeMap<String, u64>,
    /// The lines of the first ones.
    pub lines: Vec<u64>,
}

/// The number of lines that [`EmptyValues`] lists.
const LISTED: usize = 3;

impl EmptyValues {
    fn add(&mut self, line: u64, text: &str) {
        self.count += 1;
        if !text.is_empty() {
            *self.words.entry(text.to_owned()).or_default() += 1;
        }
        if self.lines.len() < LISTED {
            self.lines.push(line);
        }
    }
}

impl std::fmt::Display for EmptyValues {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let lines: Vec<String> = self.lines.iter().map(u64::to_string).collect();
        let more = if self.count > LISTED as u64 { ", …" } else { "" };
        let word = if self.count == 1 { "line" } else { "lines" };
        let lines = lines.join(", ");
        if self.words.is_empty() {
            let values = counted(self.count, "empty value");
            return write!(f, "{values} in column `{}` ({word} {lines}{more})", self.column);
        }
        let mut words: Vec<&str> = Vec::new();
        for text in self.words.keys() {
            if !words.iter().any(|known| known.eq_ignore_ascii_case(text)) {
                words.push(text);
            }
        }
        if self.words.values().sum::<u64>() < self.count {
            words.push("empty");
        }
        let values = counted(self.count, "missing value");
        write!(f, "{values} in column `{}` ({} on {word} {lines}{more})", self.column, words.join(", "))
    }
}

struct Places {
    rater: Option<usize>,
    model: usize,
    against: Option<usize>,
    values: Vec<usize>,
    measure: Option<usize>,
    item: Option<usize>,
    block: Option<usize>,
    /// Of [`FACTS`].
    facts: [Option<usize>; 2],
}

impl Places {
    /// The cells of a row with one value and nothing else about it.
    fn plain(&self, columns: usize, names: &[String]) -> Option<RowCells> {
        match (&*self.values, names, self.block, self.facts, self.rater) {
            (&[value], [name], None, [None, None], Some(rater)) => Some(RowCells {
                cells: columns,
                rater,
                model: self.model,
                against: self.against,
                item: self.item,
                measure: self.measure.map_or_else(|| RowMeasure::Named(name.clone()), RowMeasure::InCell),
                value,
            }),
            _ => None,
        }
    }
}

impl TidyReader {
    /// Opens a table and finds its columns.
    ///
    /// # Errors
    /// If the table cannot be read or lacks a column.
    pub fn open(
        source: impl Into<TableSource>,
        columns: ColumnNames,
        format: TableFormat,
    ) -> Result<Self, ImportError> {
        if matches!(columns.measure, MaybeColumn::Named(_)) && columns.values.len() > 1 {
            return Err(ImportError::Options(
                "a table is either wide (several columns of values) or long (a column of measures)".into(),
            ));
        }
        if columns.winner.is_some() && columns.against == MaybeColumn::None {
            return Err(ImportError::Options(
                "comparisons need two models: name the column of the second one with --against".into(),
            ));
        }
        let table = Table::open(source, format)?;
        let winner = columns.winner.iter().map(|winner| &winner.column);
        let places = Places {
            rater: match &columns.rater {
                MaybeColumn::Named(name) => Some(table.column_by(
                    name,
                    "--rater COLUMN; a table without raters is read by `hype import csv` without --rater, where --rater is",
                )?),
                other => other.place(&table)?,
            },
            model: table.column_by(&columns.model, "--model")?,
            against: columns.against.place(&table)?,
            values: columns
                .values
                .iter()
                .chain(winner.clone())
                .map(|name| table.column_by(name, if columns.winner.is_some() { "--winner" } else { "--value" }))
                .collect::<Result<_, _>>()?,
            measure: columns.measure.place(&table)?,
            item: columns.item.place(&table)?,
            block: columns.block.place(&table)?,
            facts: {
                let place = |name: &str| table.has(name).then(|| table.column(name)).transpose();
                [place(FACTS[0].name)?, place(FACTS[1].name)?]
            },
        };
        let header = |&place: &usize| table.headers()[place].clone();
        let missing =
            places.values.iter().map(header).map(|column| EmptyValues { column, ..EmptyValues::default() });
        let missing = missing.collect();
        let read_as = |name: &String| AnswerCells::new(name, &columns.options, table.decimal_comma);
        let cells: Vec<AnswerCells> = columns.values.iter().map(read_as).collect();
        Ok(Self {
            cells,
            self_compared: 0,
            copies: Copies::default(),
            votes: HashMap::new(),
            plain: places
                .plain(table.headers().len(), &columns.values)
                .filter(|_| columns.options.is_empty()),
            table,
            columns,
            places,
            faults: Faults::default(),
            rows: 0,
            missing,
            facts: Vec::new(),
            last_facts: None,
            has_made_up_raters: false,
            scales: BTreeMap::new(),
        })
    }

    /// The names of the measures of a wide table.
    pub fn value_names(&self) -> impl Iterator<Item = &str> {
        let winner = self.columns.winner.iter().map(|_| PREFERENCE);
        self.columns.values.iter().map(String::as_str).chain(winner)
    }

    /// Whether the table has a column of this name.
    #[must_use]
    pub fn has_column(&self, name: &str) -> bool {
        self.table.column(name).is_ok()
    }

    /// Whether the rows name their measures.
    #[must_use]
    pub const fn is_long(&self) -> bool {
        self.places.measure.is_some()
    }

    /// Ignores blocks: all rows belong to the same block.
    #[must_use]
    pub fn without_blocks(mut self) -> Self {
        self.places.block = None;
        let plain = self.places.plain(self.table.headers().len(), &self.columns.values);
        self.plain = plain.filter(|_| self.columns.options.is_empty());
        self
    }

    /// Whether the table has a column of models that others were compared with.
    #[must_use]
    pub const fn compares(&self) -> bool {
        self.places.against.is_some()
    }

    /// The columns with empty values so far, which were left out.
    pub fn empty_values(&self) -> impl Iterator<Item = &EmptyValues> {
        self.missing.iter().filter(|missing| missing.count > 0)
    }

    /// What was assumed about the file and its cells so far, for one line each.
    #[must_use]
    pub fn assumptions(&self) -> Vec<String> {
        let mut notes = self.table.notes();
        notes.extend(self.cells.iter().flat_map(AnswerCells::notes));
        notes
    }

    /// What is left out or to be looked at in the rows so far: comparisons of a model with itself, and exact copies of rows.
    #[must_use]
    pub fn remarks(&self) -> Vec<(&'static str, String)> {
        let mut remarks = Vec::new();
        if self.self_compared > 0 {
            let text =
                format!("{} of a model with itself: left out", counted(self.self_compared, "comparison"));
            remarks.push(("self-comparisons", text));
        }
        remarks.extend(self.copies.note().map(|note| ("copied-rows", note)));
        remarks
    }

    /// Whether the table states anything about its values, such as that raters are made up.
    #[must_use]
    pub fn states_facts(&self) -> bool {
        self.places.rater.is_none() || self.places.facts.iter().any(Option::is_some)
    }

    /// Whether a rater in the rows read so far is a place in a list of answers, and not a person.
    #[must_use]
    pub const fn has_made_up_raters(&self) -> bool {
        self.has_made_up_raters
    }

    /// What the table states about the scale of a measure, in the rows read so far.
    #[must_use]
    pub fn scale(&self, measure: &str) -> Option<MeasureScale> {
        self.scales.get(measure).copied()
    }

    /// Reads until the table has at least `rows` more rows, and returns whether there may be further rows. Empty values
    /// are skipped as missing.
    ///
    /// # Errors
    /// If the file cannot be read or contains faults. It is then read to its end, and the error lists all faults.
    pub fn read(&mut self, into: &mut ScoreTable, rows: usize) -> Result<bool, ImportError> {
        let (first, until) = (into.len(), into.len() + rows);
        let mut runs = Vec::new();
        let more = self.read_rows(into, until, &mut runs)?;
        if self.places.rater.is_some() && self.places.item.is_some() {
            let table = &self.table;
            self.copies.add(into, first, |row| {
                let run =
                    runs.partition_point(|run: &RowRun| run.row <= row).checked_sub(1).map(|at| runs[at]);
                run.map_or(0, |run| table.line_of(run.line + (row - run.row) as u64))
            });
        }
        Ok(more)
    }

    fn read_rows(
        &mut self,
        into: &mut ScoreTable,
        until: usize,
        runs: &mut Vec<RowRun>,
    ) -> Result<bool, ImportError> {
        self.facts.clear();
        while into.len() < until || !self.faults.is_empty() {
            let next = match self.plain.as_ref().filter(|_| self.faults.is_empty()) {
                None => self.table.read()?,
                Some(plain) => {
                    let (added, then) = self.table.read_rows(plain, into, until, runs)?;
                    self.rows += added;
                    let Some(next) = then else { break };
                    next
                }
            };
            match next {
                Next::End if self.faults.is_empty() => return Ok(false),
                Next::End => return Err(std::mem::take(&mut self.faults).into_error()),
                Next::Fault(fault) => self.faults.push(fault),
                Next::Record => {
                    let row = into.len();
                    self.add_row(into);
                    let line = self.table.text_line();
                    runs.extend((row..into.len()).map(|row| RowRun { row, line }));
                }
            }
        }
        Ok(true)
    }

    /// What the current row states about its values; `None` if the table states nothing.
    fn row_facts(&mut self) -> Result<Option<Facts>, ImportFault> {
        if !self.states_facts() {
            return Ok(None);
        }
        let cells =
            self.places.facts.map(|place| place.map_or("", |place| self.table.cells().trimmed(place)));
        if let Some((known, facts)) = &self.last_facts
            && *known == cells
        {
            return Ok(Some(*facts));
        }
        let mut facts = Facts::read(cells).map_err(|(number, help)| {
            let reason = format!("{:?} is not a known {}", cells[number], FACTS[number].name);
            self.table.fault(self.places.facts[number], &reason, &help)
        })?;
        facts.is_made_up |= self.places.rater.is_none();
        self.last_facts = Some((cells.map(str::to_owned), facts));
        Ok(Some(facts))
    }

    fn add_row(&mut self, into: &mut ScoreTable) {
        let facts = match self.row_facts() {
            Ok(facts) => facts,
            Err(fault) => {
                self.faults.push(fault);
                None
            }
        };
        let (table, places) = (&self.table, &self.places);
        self.rows += 1;
        let cells = table.cells();
        let optional = |place: Option<usize>| place.map_or("", |place| cells.trimmed(place));
        let model = cells.trimmed(places.model);
        let (against, mut item) = (optional(places.against), optional(places.item));
        if !against.is_empty() && against == model {
            self.self_compared += 1;
            return;
        }
        let (vote, line);
        let rater = match places.rater {
            Some(rater) => cells.trimmed(rater),
            None => {
                if item.is_empty() {
                    line = format!("line-{}", table.line());
                    item = &line;
                }
                vote = next_vote(&mut self.votes, item);
                &vote
            }
        };
        let mut of_row = Vec::new();
        for (place, name, cell) in [(places.rater, "rater", rater), (Some(places.model), "model", model)] {
            if cell.is_empty() {
                of_row.push(table.fault(place, &format!("the {name} is empty"), "name one"));
            }
        }
        let block = match optional(places.block) {
            "" => 0,
            text => text.parse().unwrap_or_else(|_| {
                let reason = format!("the block {text:?} is not a whole number from 0 to 65535");
                of_row.push(table.fault(places.block, &reason, ""));
                0
            }),
        };
        for (number, &place) in places.values.iter().enumerate() {
            let text = cells.trimmed(place);
            let name = self.columns.values.get(number).map_or(PREFERENCE, String::as_str);
            let measure = places.measure.map_or(name, |place| cells.trimmed(place));
            let value = match self.columns.winner.as_ref().filter(|_| number == self.columns.values.len()) {
                None => self.cells[number].read(text, table.line()),
                Some(_) if text.is_empty() => Ok(Answer::Missing),
                Some(_) if against.is_empty() => Err(("there is no second model".into(), String::new())),
                Some(winner) => winner.preference(text, model, against).map(Answer::Value),
            };
            if value == Ok(Answer::Missing) {
                self.missing[number].add(table.line(), text);
                if of_row.is_empty() && !measure.is_empty() {
                    into.push_missing(&Row { rater, model, against, item, block, measure, value: 0.0 });
                }
                continue;
            }
            if measure.is_empty() {
                of_row.push(table.fault(places.measure, "the measure is empty", "name one"));
            }
            match value {
                Err((reason, help)) => of_row.push(table.fault(Some(place), &reason, &help)),
                Ok(Answer::Value(value)) if of_row.is_empty() && self.faults.is_empty() => {
                    into.push(&Row { rater, model, against, item, block, measure, value });
                    if let Some(facts) = facts {
                        self.facts.push(facts);
                        self.has_made_up_raters |= facts.is_made_up;
                        let new = facts.scale.filter(|_| !self.scales.contains_key(measure));
                        self.scales.extend(new.map(|scale| (measure.to_owned(), scale)));
                    }
                }
                Ok(_) => {}
            }
        }
        of_row.into_iter().for_each(|fault| self.faults.push(fault));
    }
}

/// The made-up rater of the next row of an item.
fn next_vote(votes: &mut HashMap<String, u64>, item: &str) -> String {
    let number = votes.entry(item.to_owned()).or_default();
    *number += 1;
    format!("vote-{number}")
}

/// Reads a wide or long table, or a table of comparisons, and passes on its values.
///
/// # Errors
/// If the table cannot be read, lacks a column, or contains faults. The error lists the faults with their lines.
pub fn import_table(
    path: &Path,
    columns: ColumnNames,
    format: TableFormat,
    sink: &mut Sink<'_>,
) -> Result<ImportReport, ImportError> {
    let mut reader = TidyReader::open(path, columns, format)?;
    let mut importing = Importing::new("row", sink);
    let mut chunk = ScoreTable::default();
    let mut more = true;
    while more {
        more = reader.read(&mut chunk, CHUNK)?;
        for (place, row) in chunk.rows().enumerate() {
            importing.facts = reader.facts.get(place).copied();
            importing.row(&row)?;
        }
        chunk.clear_rows();
    }
    (importing.report.files, importing.report.rows) = (1, reader.rows);
    let left_out = &mut importing.report.left_out;
    for found in reader.empty_values() {
        let empty = found.count - found.words.values().sum::<u64>();
        let words = found.words.iter().map(|(word, count)| (missing(word), *count));
        for (reason, count) in words.chain((empty > 0).then(|| (missing(""), empty))) {
            *left_out.entry(reason).or_default() += count;
        }
    }
    if reader.self_compared > 0 {
        left_out.insert("comparisons of a model with itself".into(), reader.self_compared);
    }
    for note in reader.assumptions().into_iter().chain(reader.copies.note()) {
        importing.note(note);
    }
    if reader.places.rater.is_none() {
        importing.note(
            "the table names no raters: the n-th row of every item is attributed to `vote-n`, and results are about items",
        );
    }
    importing.finish()
}
