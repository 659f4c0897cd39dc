//! A selection of rows by the cells of a column.

use hype_tables::{Cells, number_of};

/// Which rows of a table are read: those with one of some cells in a column, or those without.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowFilter {
    column: String,
    cells: Vec<String>,
    is_kept: bool,
}

impl RowFilter {
    /// Reads `COLUMN=CELL|CELL…`, or `COLUMN!=CELL|CELL…` for the rows without these cells.
    ///
    /// # Errors
    /// If there is no `=`; the error says what is right.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (column, cells) = text
            .split_once('=')
            .ok_or("write COLUMN=CELL|CELL… for rows with these cells, or COLUMN!=CELL for rows without")?;
        let (column, is_kept) = column.strip_suffix('!').map_or((column, true), |column| (column, false));
        let cells = cells.split('|').map(|cell| cell.trim().to_owned()).collect();
        Ok(Self { column: column.trim().to_owned(), cells, is_kept })
    }

    pub(super) fn column(&self) -> &str {
        &self.column
    }

    /// Whether a row is read, by the place of the column. Cells that are numbers equal the same numbers.
    pub(super) fn keeps(&self, cells: Cells<'_>, place: usize) -> bool {
        let cell = cells.trimmed(place);
        let is_same = |wanted: &String| {
            let numbers = number_of(wanted).zip(number_of(cell));
            wanted == cell || numbers.is_some_and(|(wanted, cell)| wanted.total_cmp(&cell).is_eq())
        };
        self.cells.iter().any(is_same) == self.is_kept
    }
}
