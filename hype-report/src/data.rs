//! The table behind a figure: what its chart draws and what its CSV file holds.

use std::sync::Arc;

use hype_tables::harmless;

/// A value of a table.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Cell {
    /// No value.
    #[default]
    Empty,
    /// A text.
    Text(Arc<str>),
    /// A number, finite.
    Number(f64),
}

impl Cell {
    /// The number, if it is one.
    #[must_use]
    pub const fn number(&self) -> Option<f64> {
        match self {
            Self::Number(number) => Some(*number),
            _ => None,
        }
    }

    /// The text, if it is one.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The cell as it stands in a CSV file: numbers with all their digits.
    #[must_use]
    pub fn exact(&self) -> String {
        match self {
            Self::Empty => String::new(),
            Self::Text(text) => text.to_string(),
            Self::Number(number) => number.to_string(),
        }
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Self::Text(text.into())
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self::Text(text.into())
    }
}

impl From<&Arc<str>> for Cell {
    fn from(text: &Arc<str>) -> Self {
        Self::Text(Arc::clone(text))
    }
}

/// Numbers that are not finite are not values.
impl From<f64> for Cell {
    fn from(number: f64) -> Self {
        if number.is_finite() { Self::Number(number) } else { Self::Empty }
    }
}

impl From<u64> for Cell {
    fn from(number: u64) -> Self {
        Self::Number(number as f64)
    }
}

impl<T: Into<Self>> From<Option<T>> for Cell {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Empty, Into::into)
    }
}

/// A table in which each row belongs to a part of a figure, such as `estimate` or `rater`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Data {
    columns: Vec<&'static str>,
    rows: Vec<Vec<Cell>>,
}

/// A row of a table.
#[derive(Debug, Clone, Copy)]
pub struct DataRow<'a> {
    data: &'a Data,
    cells: &'a [Cell],
}

impl<'a> DataRow<'a> {
    /// The part of the figure that it belongs to.
    #[must_use]
    pub fn part(&self) -> &'a str {
        self.cells[0].text().unwrap_or_default()
    }

    /// The cell of a column; empty if the table has no such column.
    #[must_use]
    pub fn cell(&self, column: &str) -> &'a Cell {
        static EMPTY: Cell = Cell::Empty;
        let place = self.data.columns.iter().position(|name| *name == column);
        place.and_then(|place| self.cells.get(place)).unwrap_or(&EMPTY)
    }

    /// The number of a column.
    #[must_use]
    pub fn number(&self, column: &str) -> Option<f64> {
        self.cell(column).number()
    }

    /// The text of a column, or an empty text.
    #[must_use]
    pub fn text(&self, column: &str) -> &'a str {
        self.cell(column).text().unwrap_or_default()
    }
}

/// The column that says which part of a figure a row belongs to.
pub const PART: &str = "part";

impl Data {
    /// An empty table. Its first column is [`PART`].
    #[must_use]
    pub fn new<const N: usize>(columns: [&'static str; N]) -> Self {
        Self { columns: [&[PART][..], &columns].concat(), rows: Vec::new() }
    }

    /// Adds a row to a part.
    pub fn push<const N: usize>(&mut self, part: &str, cells: [Cell; N]) {
        debug_assert_eq!(self.columns.len(), N + 1, "a row has a cell for each column");
        let mut row = Vec::with_capacity(N + 1);
        row.push(Cell::from(part));
        row.extend(cells);
        self.rows.push(row);
    }

    /// Adds a row to a part, whose other columns are empty.
    pub(crate) fn add<const N: usize>(&mut self, part: &str, cells: [(&str, Cell); N]) {
        let mut row = vec![Cell::Empty; self.columns.len()];
        row[0] = Cell::from(part);
        for (column, cell) in cells {
            let place = self.columns.iter().position(|name| *name == column);
            debug_assert!(place.is_some(), "there is no column {column}");
            if let Some(place) = place {
                row[place] = cell;
            }
        }
        self.rows.push(row);
    }

    /// The names of the columns.
    #[must_use]
    pub fn columns(&self) -> &[&'static str] {
        &self.columns
    }

    /// The rows.
    pub fn records(&self) -> impl Iterator<Item = DataRow<'_>> {
        self.rows.iter().map(|cells| DataRow { data: self, cells })
    }

    /// The rows of a part.
    pub fn part<'a>(&'a self, part: &'a str) -> impl Iterator<Item = DataRow<'a>> {
        self.records().filter(move |row| row.cells[0].text() == Some(part))
    }

    /// The rows whose cell in a column is this text.
    pub(crate) fn only(&self, column: &str, text: &str) -> Self {
        let own = self.records().filter(|row| row.text(column) == text);
        Self { columns: self.columns.clone(), rows: own.map(|row| row.cells.to_vec()).collect() }
    }

    /// Writes texts of the columns that name models otherwise, where `label` has another one.
    pub(crate) fn relabel(&mut self, label: &impl Fn(&str) -> Option<String>) {
        let is_named = |column: &&'static str| ["model", "against", "first", "second"].contains(column);
        let places: Vec<usize> = (0..self.columns.len()).filter(|&at| is_named(&self.columns[at])).collect();
        for row in &mut self.rows {
            for &at in &places {
                if let Some(own) = row[at].text().and_then(label) {
                    row[at] = own.into();
                }
            }
        }
    }

    /// Whether a part has rows.
    #[must_use]
    pub fn has(&self, part: &str) -> bool {
        self.part(part).next().is_some()
    }

    /// The table as CSV (RFC 4180), with all digits of its numbers.
    #[must_use]
    pub fn csv(&self) -> String {
        let mut text = String::new();
        csv_line(&mut text, self.columns.iter().copied());
        for row in &self.rows {
            csv_line(&mut text, row.iter().map(Cell::exact));
        }
        text
    }
}

/// Writes a line of CSV that no spreadsheet computes.
pub(crate) fn csv_line(text: &mut String, cells: impl IntoIterator<Item = impl AsRef<str>>) {
    for (place, cell) in cells.into_iter().enumerate() {
        if place > 0 {
            text.push(',');
        }
        let cell = harmless(cell.as_ref());
        if cell.contains(['"', ',', '\n', '\r']) {
            text.push('"');
            text.push_str(&cell.replace('"', "\"\""));
            text.push('"');
        } else {
            text.push_str(&cell);
        }
    }
    text.push('\n');
}
