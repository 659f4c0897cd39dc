//! Tidy tables: one row per value, one column per measure, or columns whose names say what they are about.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;

use hype_core::model::score::{PREFERENCE, ScoreTable};
use hype_core::words::counted;
use hype_core::{MeasureScale, Row};
use hype_tables::{RowCells, RowRun, is_missing};

pub use self::missing::EmptyValues;
use self::places::{Places, RowNames, ValueCells};
use super::answer::{Answer, AnswerCells};
use super::doubts::{Values, sums_up};
use super::fault::{Faults, ImportError, ImportFault};
use super::importing::{Facts, ImportReport, Importing, Sink};
use super::layout::FACTS;
use super::lists;
use super::pattern::{NamePattern, Named};
use super::source::TableSource;
use super::spellings::Copies;
use super::table::{Next, RowFilter, Table, TableFormat};
use super::winner::Winner;

mod missing;
mod places;

/// The number of rows that an import collects before it passes them on.
const CHUNK: usize = 1 << 14;

/// The names of a table's columns.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ColumnNames {
    /// The column of raters. Without one, the n-th row of every item has the rater `vote-n`, who is made up.
    pub rater: MaybeColumn,
    /// The column of models.
    pub model: MaybeColumn,
    /// The column of models with which those in `model` were compared.
    pub against: MaybeColumn,
    /// The columns of values: several in a wide table, none if `winner` or `columns` is given.
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
    /// How the columns of values are named, if their names say what they are about.
    pub columns: Option<NamePattern>,
    /// Columns whose cells name several things, such as paths, and how.
    pub parts: Vec<(String, NamePattern)>,
    /// The rows to read; all, if there are no filters.
    pub only: Vec<RowFilter>,
    /// Whether cells hold several answers, such as `4|5|3`, `[4, 5, 3]` or `{"Q0": 3}`.
    pub has_lists: bool,
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
    /// Several columns, whose cells are joined by a hyphen.
    Joined(Vec<String>),
    /// No column: the name is the same in all rows.
    Same(String),
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
    found: Found,
    copies: Copies,
    values: Values,
    /// The last cells of facts, with their meaning.
    last_facts: Option<([String; 2], Facts)>,
}

/// The contents of the rows so far.
struct Found {
    /// By column of values.
    cells: Vec<AnswerCells>,
    missing: Vec<EmptyValues>,
    /// Values that compare a model with itself, which are left out.
    self_compared: u64,
    /// By item the rows without a rater.
    votes: HashMap<String, u64>,
    /// For each row that the last reading added, what the table states about it; empty if it states nothing.
    facts: Vec<Facts>,
    has_made_up_raters: bool,
    scales: BTreeMap<String, MeasureScale>,
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
        let mut table = Table::open(source, format)?;
        table.keep_only(&columns.only)?;
        let places = Places::find(&table, &columns)?;
        if columns.winner.is_some() && !places.compares() {
            return Err(ImportError::Options(
                "comparisons need two models: name the column of the second one with --against".into(),
            ));
        }
        let names = || places.values.iter().map(|value| value.column.as_str());
        let found = Found {
            cells: names()
                .map(|name| AnswerCells::new(name, &columns.options, table.decimal_comma))
                .collect(),
            missing: names().map(EmptyValues::of).collect(),
            self_compared: 0,
            votes: HashMap::new(),
            facts: Vec::new(),
            has_made_up_raters: false,
            scales: BTreeMap::new(),
        };
        let mut reader = Self {
            plain: None,
            table,
            columns,
            places,
            faults: Faults::default(),
            rows: 0,
            found,
            copies: Copies::default(),
            values: Values::default(),
            last_facts: None,
        };
        reader.plain = reader.plain_cells();
        Ok(reader)
    }

    fn plain_cells(&self) -> Option<RowCells> {
        let columns = &self.columns;
        let as_it_stands = columns.options.is_empty() && columns.only.is_empty() && !columns.has_lists;
        self.places.plain(self.table.headers().len()).filter(|_| as_it_stands)
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
        self.plain = self.plain_cells();
        self
    }

    /// Whether the table has a column of models that others were compared with.
    #[must_use]
    pub fn compares(&self) -> bool {
        self.places.compares()
    }

    /// The columns with empty values so far, which were left out.
    pub fn empty_values(&self) -> impl Iterator<Item = &EmptyValues> {
        self.found.missing.iter().filter(|missing| missing.count > 0)
    }

    /// Returns the assumptions about the file and its cells so far, for one line each.
    #[must_use]
    pub fn assumptions(&self) -> Vec<String> {
        let mut notes = self.table.notes();
        notes.extend(self.places.note(&self.table));
        // The columns of one pattern are read in the same way.
        let read = if self.columns.columns.is_some() { 1 } else { self.found.cells.len() };
        let cells = self.found.cells.iter().map(AnswerCells::notes).filter(|notes| !notes.is_empty());
        notes.extend(cells.take(read).flatten());
        notes.extend(self.values.notes(&self.table).chain(self.values.items()));
        notes
    }

    /// Returns remarks on rows so far that are left out or doubtful: comparisons of a model with itself, and exact copies of rows.
    #[must_use]
    pub fn remarks(&self) -> Vec<(&'static str, String)> {
        let mut remarks = Vec::new();
        if self.found.self_compared > 0 {
            let compared = counted(self.found.self_compared, "comparison");
            remarks.push(("self-comparisons", format!("{compared} of a model with itself: left out")));
        }
        remarks.extend(self.copies.note().map(|note| ("copied-rows", note)));
        remarks
    }

    /// Whether the table states anything about its values, such as that raters are made up.
    #[must_use]
    pub fn states_facts(&self) -> bool {
        self.places.makes_up_raters() || self.places.facts.iter().any(Option::is_some)
    }

    /// Whether a rater in the rows read so far is a place in a list of answers, and not a person.
    #[must_use]
    pub const fn has_made_up_raters(&self) -> bool {
        self.found.has_made_up_raters
    }

    /// Returns the scale of a measure as the rows read so far state it.
    #[must_use]
    pub fn scale(&self, measure: &str) -> Option<MeasureScale> {
        self.found.scales.get(measure).copied()
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
        let table = &self.table;
        let line_of = |row: usize| {
            let run = runs.partition_point(|run: &RowRun| run.row <= row).checked_sub(1).map(|at| runs[at]);
            run.map_or(0, |run| table.line_of(run.line + (row - run.row) as u64))
        };
        let sums = |kind| sums_up(table, (kind, self.places.place_of(kind)), into, first, line_of);
        if let Some(fault) = ["model", "rater", "item"].into_iter().find_map(sums) {
            return Err(ImportError::Faults { listed: vec![fault], unlisted: 0, all: 1 });
        }
        if !self.places.rater.is_absent() && self.places.names_items() {
            self.copies.add(into, first, line_of);
        }
        self.values.add(into, first);
        Ok(more)
    }

    fn read_rows(
        &mut self,
        into: &mut ScoreTable,
        until: usize,
        runs: &mut Vec<RowRun>,
    ) -> Result<bool, ImportError> {
        self.found.facts.clear();
        while into.len() < until || !self.faults.is_empty() {
            let is_plain = self.faults.is_empty() && !self.found.cells.iter().any(AnswerCells::looks_at_all);
            let next = match self.plain.as_ref().filter(|_| is_plain) {
                None => self.table.read()?,
                Some(plain) => {
                    let (added, then) = self.table.read_rows(plain, into, until, runs)?;
                    self.rows += added;
                    self.found.cells.iter_mut().for_each(|cells| cells.has_numbers |= added > 0);
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

    /// Returns the facts that the current row states about its values; `None` if the table states nothing.
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
        facts.is_made_up |= self.places.makes_up_raters();
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
        self.rows += 1;
        let mut faults = Vec::new();
        let names = self.places.names(&self.table, &mut faults);
        let block = match self.places.block.map_or("", |place| self.table.cell(place)) {
            "" => 0,
            text => text.parse().unwrap_or_else(|_| {
                let reason = format!("the block {text:?} is not a whole number from 0 to 65535");
                faults.push(self.table.fault(self.places.block, &reason, ""));
                0
            }),
        };
        let of_row = OfRow { table: &self.table, places: &self.places, columns: &self.columns, facts, block };
        let names = of_row.complete(names, &mut self.found.votes);
        if names.compares_itself() {
            self.found.self_compared += 1;
            return;
        }
        let is_without_faults = self.faults.is_empty();
        let mut to = Target { into, is_without_faults, faults: &mut faults };
        for number in 0..self.places.values.len() {
            self.found.add(&of_row, &names, number, &mut to);
        }
        faults.into_iter().for_each(|fault| self.faults.push(fault));
    }
}

/// Where the values and faults of a row go.
struct Target<'a> {
    into: &'a mut ScoreTable,
    /// Whether no earlier row had a fault.
    is_without_faults: bool,
    faults: &'a mut Vec<ImportFault>,
}

/// An answer in a cell, with the question and the rater that it names.
type CellPart<'t> = (Option<String>, Option<String>, Cow<'t, str>);

/// A row that is being read.
struct OfRow<'t> {
    table: &'t Table,
    places: &'t Places,
    columns: &'t ColumnNames,
    facts: Option<Facts>,
    block: u16,
}

impl<'t> OfRow<'t> {
    /// The names of a row, with those that nothing names.
    fn complete(&self, mut names: RowNames<'t>, votes: &mut HashMap<String, u64>) -> RowNames<'t> {
        let is_unnamed = self.places.rows_are_items() || self.places.makes_up_raters();
        if names.item.is_empty() && is_unnamed {
            names.item = format!("line-{}", self.table.line()).into();
        }
        if let (None, Some(vote)) = (&names.rater, &names.vote) {
            names.rater = Some(format!("vote-{vote}").into());
        }
        if names.rater.is_none() && self.places.rows_are_raters() {
            names.rater = Some(format!("line-{}", self.table.line()).into());
        }
        let is_vote = names.rater.is_none() && !self.columns.has_lists;
        if is_vote && self.columns.columns.is_none() {
            names.rater = Some(next_vote(votes, &names.item).into());
        }
        names
    }

    /// The answers of a cell, each with the question and the rater that it names.
    fn parts(&self, text: &'t str, place: usize) -> Result<Vec<CellPart<'t>>, ImportFault> {
        if !self.columns.has_lists || is_missing(text) {
            return Ok(vec![(None, None, text.into())]);
        }
        let parts = lists::parts(text).map_err(|reason| {
            let help = "write several answers as `4|5|3` or `[4, 5, 3]`";
            self.table.fault(Some(place), &reason, help)
        })?;
        Ok(parts.into_iter().map(|part| (part.question, part.rater, part.text.into())).collect())
    }

    /// The raters of so many answers: as many names in the cell of raters, or one name, who answered several times.
    fn raters(&self, names: &RowNames<'_>, answers: usize) -> Vec<String> {
        let Some(rater) = &names.rater else { return Vec::new() };
        let listed = lists::parts(rater).unwrap_or_default();
        match answers > 1 && listed.len() == answers {
            true => listed.into_iter().map(|part| part.text).collect(),
            false => vec![rater.clone().into_owned(); answers],
        }
    }
}

impl Found {
    /// Adds the answers in a column of values.
    fn add<'t>(&mut self, row: &OfRow<'t>, names: &RowNames<'t>, number: usize, to: &mut Target<'_>) {
        let (table, places) = (row.table, row.places);
        let value = &places.values[number];
        let text = match value.text(table) {
            Ok(text) => text,
            Err(fault) => return to.faults.push(fault),
        };
        let mut names = names.with(&value.about);
        if let (true, Some(vote)) = (value.about.get(Named::Rater).is_none(), value.about.get(Named::Vote)) {
            names.rater = Some(format!("vote-{vote}").into());
        }
        if names.compares_itself() {
            self.self_compared += 1;
            return;
        }
        for (name, cell) in [("rater", names.rater.as_deref()), ("model", Some(&*names.model))] {
            if cell.is_some_and(str::is_empty) {
                let fault = table.fault(places.place_of(name), &format!("the {name} is empty"), "name one");
                if !to.faults.contains(&fault) {
                    to.faults.push(fault);
                }
            }
        }
        let parts = match row.parts(text, value.place()) {
            Ok(parts) => parts,
            Err(fault) => return to.faults.push(fault),
        };
        let is_list = parts.len() > 1 && parts.iter().all(|(question, ..)| question.is_none());
        let raters = if is_list { row.raters(&names, parts.len()) } else { Vec::new() };
        let are_different = raters.windows(2).any(|pair| pair[0] != pair[1]);
        for (index, (question, own, text)) in parts.iter().enumerate() {
            if let (Some(own), Some(_)) = (own, &names.rater) {
                let reason = format!("an answer names the rater `{own}`, and so does the row");
                return to.faults.push(table.fault(Some(value.place()), &reason, "leave out --rater"));
            }
            let vote;
            let rater = match (own.as_ref().or(raters.get(index)), &names.rater) {
                (Some(rater), _) => rater.as_str(),
                (None, Some(rater)) => rater,
                (None, None) => {
                    vote = next_vote(&mut self.votes, &format!("{}\0{}", names.item, names.model));
                    &vote
                }
            };
            let repeat = if is_list && names.rater.is_some() && !are_different { index } else { 0 };
            let measure = match (question, places.measure) {
                (Some(question), _) => question,
                (None, Some(place)) => table.cell(place),
                (None, None) => names.measure.as_deref().unwrap_or_else(|| places.usual_measure(value)),
            };
            let row_of = Row {
                rater,
                model: &names.model,
                against: &names.against,
                item: &names.item,
                block: row.block.saturating_add(u16::try_from(repeat).unwrap_or(u16::MAX)),
                measure,
                value: 0.0,
            };
            let is_made_up = |facts: Facts| facts.is_made_up && own.is_none();
            let facts = row.facts.map(|facts| Facts { is_made_up: is_made_up(facts), ..facts });
            self.answer(row, number, (row_of, facts), text, to);
        }
    }

    /// Adds one answer.
    fn answer(
        &mut self,
        of_row: &OfRow<'_>,
        number: usize,
        (mut row, facts): (Row<'_>, Option<Facts>),
        text: &str,
        to: &mut Target<'_>,
    ) {
        let (table, places) = (of_row.table, of_row.places);
        let value: &ValueCells = &places.values[number];
        let read = match of_row.columns.winner.as_ref().filter(|_| value.is_winner) {
            None => self.cells[number].read(text, table.line()),
            Some(_) if text.is_empty() => Ok(Answer::Missing),
            Some(_) if row.against.is_empty() => Err(("there is no second model".into(), String::new())),
            Some(winner) => winner.preference(text, row.model, row.against).map(Answer::Value),
        };
        if read == Ok(Answer::Missing) {
            self.missing[number].add(table.line(), text);
            if to.faults.is_empty() && !row.measure.is_empty() {
                to.into.push_missing(&row);
            }
            return;
        }
        if row.measure.is_empty() {
            to.faults.push(table.fault(places.measure, "the measure is empty", "name one"));
        }
        match read {
            Err((reason, help)) => to.faults.push(table.fault(Some(value.place()), &reason, &help)),
            Ok(Answer::Value(read)) if to.faults.is_empty() && to.is_without_faults => {
                row.value = read;
                to.into.push(&row);
                if let Some(facts) = facts {
                    self.facts.push(facts);
                    self.has_made_up_raters |= facts.is_made_up;
                    let new = facts.scale.filter(|_| !self.scales.contains_key(row.measure));
                    self.scales.extend(new.map(|scale| (row.measure.to_owned(), scale)));
                }
            }
            Ok(_) => {}
        }
    }
}

/// The made-up rater of the next row of an item.
fn next_vote(votes: &mut HashMap<String, u64>, item: &str) -> String {
    let number = votes.entry(item.to_owned()).or_default();
    *number += 1;
    format!("vote-{number}")
}

/// Reads wide or long tables, or tables of comparisons, each with the names of its columns, and passes on their values.
///
/// # Errors
/// If a table cannot be read, lacks a column, or contains faults. The error lists the faults with their lines.
pub fn import_tables(
    tables: Vec<(PathBuf, ColumnNames)>,
    format: TableFormat,
    sink: &mut Sink<'_>,
) -> Result<ImportReport, ImportError> {
    let mut importing = Importing::new("row", sink);
    for (path, columns) in tables {
        let mut reader = TidyReader::open(&path, columns, format)?;
        let mut chunk = ScoreTable::default();
        let mut more = true;
        while more {
            more = reader.read(&mut chunk, CHUNK)?;
            for (place, row) in chunk.rows().enumerate() {
                importing.facts = reader.found.facts.get(place).copied();
                importing.row(&row)?;
            }
            chunk.clear_rows();
        }
        importing.report.files += 1;
        importing.report.rows += reader.rows;
        reader.tell(&mut importing);
    }
    importing.finish()
}

impl TidyReader {
    /// Tells an import what was left out and assumed.
    fn tell(&self, importing: &mut Importing<'_>) {
        let self_compared = (self.found.self_compared > 0)
            .then(|| ("comparisons of a model with itself".to_owned(), self.found.self_compared));
        let filtered = (self.table.filtered() > 0)
            .then(|| ("rows that --where leaves out".to_owned(), self.table.filtered()));
        let missing = self.empty_values().flat_map(EmptyValues::reasons);
        for (reason, count) in missing.chain(self_compared).chain(filtered) {
            *importing.report.left_out.entry(reason).or_default() += count;
        }
        let mut notes = self.assumptions();
        notes.extend(self.copies.note());
        if self.places.makes_up_raters() && self.found.has_made_up_raters {
            let which = if self.columns.has_lists { "answer" } else { "row" };
            notes.push(format!(
                "the table names no raters: the n-th {which} of every item is attributed to `vote-n`, and results are about items"
            ));
        }
        if self.places.rows_are_raters() {
            notes.push("each row is one rater, named after its line".into());
        }
        for note in notes {
            if !importing.report.notes.contains(&note) {
                importing.note(note);
            }
        }
    }
}
