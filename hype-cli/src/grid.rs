//! A table for the terminal, laid out to fit its width.
//!
//! Cells are wrapped between words. A no-break space keeps text on one line, such as an interval, and is printed as a
//! space. Names that are longer than their column may be broken anywhere. If the table is still too wide, columns move
//! to another table below, which repeats the first column.

use crate::terminal::{columns, escaped};

/// The separator of columns.
const GAP: &str = "   ";

/// The margin before the first column and after the last one.
const MARGIN: usize = 1;

/// Words without digits may be broken into pieces of this many columns.
const PIECE: usize = 10;

/// Keeps the words of an interval together.
pub(crate) const NO_BREAK: char = '\u{a0}';

/// A table with a header and rows, all with the same number of cells.
#[derive(Debug, Clone)]
pub(crate) struct Grid {
    header: Vec<String>,
    rows: Vec<Vec<String>>,
    right: Vec<bool>,
}

impl Grid {
    /// Creates a table without rows, with columns aligned to the left.
    pub(crate) fn new<T: AsRef<str>>(header: impl IntoIterator<Item = T>) -> Self {
        let header: Vec<String> = header.into_iter().map(|cell| clean(cell.as_ref())).collect();
        Self { right: vec![false; header.len()], rows: Vec::new(), header }
    }

    /// Aligns the columns from `first` on, counted from 0, to the right.
    pub(crate) fn right_from(mut self, first: usize) -> Self {
        self.right.iter_mut().skip(first).for_each(|right| *right = true);
        self
    }

    /// Aligns one column to the right.
    pub(crate) fn right(&mut self, column: usize) {
        if let Some(right) = self.right.get_mut(column) {
            *right = true;
        }
    }

    /// Adds a row. Missing cells are empty.
    pub(crate) fn row<T: AsRef<str>>(&mut self, cells: impl IntoIterator<Item = T>) {
        let mut row: Vec<String> = cells.into_iter().map(|cell| clean(cell.as_ref())).collect();
        row.resize(self.header.len(), String::new());
        self.rows.push(row);
    }

    /// Whether the table fits into `width` columns without breaking a word or moving a column.
    pub(crate) fn fits(&self, width: usize) -> bool {
        let whole: Vec<usize> = (0..self.header.len()).map(|column| self.longest(column, columns)).collect();
        total(&whole) <= width
    }

    /// The lines of the table, at most `width` columns wide if words and intervals allow.
    pub(crate) fn lines(&self, width: usize) -> Vec<String> {
        let columns_of = |all: &[usize]| Self {
            header: pick(&self.header, all),
            rows: self.rows.iter().map(|row| pick(row, all)).collect(),
            right: pick(&self.right, all),
        };
        let least: Vec<usize> = (0..self.header.len()).map(|column| self.longest(column, least)).collect();
        let mut lines = Vec::new();
        let mut shown = vec![0];
        for column in 1..self.header.len() {
            shown.push(column);
            if total(&pick(&least, &shown)) > width && shown.len() > 2 {
                shown.pop();
                lines.extend(columns_of(&shown).laid_out(width));
                shown = vec![0, column];
            }
        }
        lines.extend(columns_of(&shown).laid_out(width));
        lines
    }

    /// The longest word of a column, by a measure of words.
    fn longest(&self, column: usize, measure: fn(&str) -> usize) -> usize {
        self.cells(column).flat_map(|cell| cell.split(' ')).map(measure).max().unwrap_or(0)
    }

    fn cells(&self, column: usize) -> impl Iterator<Item = &str> {
        let cells = self.rows.iter().filter_map(move |row| row.get(column));
        self.header.get(column).into_iter().chain(cells).map(String::as_str)
    }

    fn laid_out(&self, width: usize) -> Vec<String> {
        let widths = self.widths(width);
        let rule = "─".repeat(total(&widths));
        let mut lines = vec![rule.clone()];
        self.row_lines(&self.header, &widths, &mut lines);
        lines.push(rule.clone());
        for row in &self.rows {
            self.row_lines(row, &widths, &mut lines);
        }
        lines.push(rule);
        lines
    }

    /// The widths of the columns. If the natural widths do not fit, the widest columns are narrowed first. Words are
    /// broken only if wrapping between words is not enough.
    fn widths(&self, width: usize) -> Vec<usize> {
        let count = self.header.len();
        let cell = |column: usize| self.cells(column).map(columns).max().unwrap_or(0);
        let mut widths: Vec<usize> = (0..count).map(cell).collect();
        for measure in [columns as fn(&str) -> usize, least] {
            let floors: Vec<usize> = (0..count).map(|column| self.longest(column, measure)).collect();
            while total(&widths) > width {
                let wide = (0..count).filter(|&column| widths[column] > floors[column]);
                let Some(widest) = wide.max_by_key(|&column| widths[column]) else { break };
                widths[widest] -= 1;
            }
        }
        widths
    }

    fn row_lines(&self, row: &[String], widths: &[usize], lines: &mut Vec<String>) {
        let cells: Vec<Vec<String>> =
            row.iter().zip(widths).map(|(cell, &width)| wrapped(cell, width)).collect();
        let height = cells.iter().map(Vec::len).max().unwrap_or(0);
        for number in 0..height {
            let mut line = " ".repeat(MARGIN);
            for (column, (cell, &width)) in cells.iter().zip(widths).enumerate() {
                if column > 0 {
                    line.push_str(GAP);
                }
                let text = cell.get(number).map_or("", String::as_str);
                let blanks = " ".repeat(width.saturating_sub(columns(text)));
                let (before, after) = if self.right[column] { (&*blanks, "") } else { ("", &*blanks) };
                line.extend([before, text, after]);
            }
            line.truncate(line.trim_end().len());
            lines.push(line.replace(NO_BREAK, " "));
        }
    }
}

fn clean(cell: &str) -> String {
    escaped(cell).replace('\t', " ")
}

fn pick<T: Clone>(all: &[T], places: &[usize]) -> Vec<T> {
    places.iter().filter_map(|&place| all.get(place).cloned()).collect()
}

fn total(widths: &[usize]) -> usize {
    2 * MARGIN + widths.iter().sum::<usize>() + GAP.len() * widths.len().saturating_sub(1)
}

/// The minimum width of a word: that of a piece if it may be broken. Names may be broken, numbers may not.
fn least(word: &str) -> usize {
    let whole = columns(word);
    if is_name(word) { whole.min(PIECE) } else { whole }
}

/// Whether a word is a name, and neither a number nor an interval.
fn is_name(word: &str) -> bool {
    let number = |part: &str| {
        let part = part.trim_matches(|mark| matches!(mark, '[' | ']' | ',' | '(' | ')' | '%'));
        part.parse::<f64>().is_ok()
    };
    !word.split(NO_BREAK).any(number)
}

/// Wraps a text into lines of at most `width` columns, except for words that may not be broken.
pub(crate) fn wrapped(cell: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in cell.split(' ') {
        for (number, piece) in pieces(word, width).into_iter().enumerate() {
            let last = lines.last_mut().filter(|last| {
                number == 0 && (last.is_empty() || columns(last) + 1 + columns(&piece) <= width)
            });
            match last {
                Some(last) => {
                    if !last.is_empty() {
                        last.push(' ');
                    }
                    last.push_str(&piece);
                }
                None => lines.push(piece),
            }
        }
    }
    lines
}

/// Breaks a name into pieces of at most `width` columns; other words stay whole.
fn pieces(word: &str, width: usize) -> Vec<String> {
    if columns(word) <= width || !is_name(word) {
        return vec![word.to_owned()];
    }
    let mut pieces = vec![String::new()];
    for character in word.chars() {
        let mut buffer = [0; 4];
        let wide = columns(character.encode_utf8(&mut buffer));
        match pieces.last_mut() {
            Some(last) if last.is_empty() || columns(last) + wide <= width => last.push(character),
            _ => pieces.push(character.to_string()),
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid() -> Grid {
        let mut grid = Grid::new(["model", "estimate", "interval"]).right_from(1);
        grid.row(["good", "0.5", "[0.4,\u{a0}0.6]"]);
        grid.row(["a-model-with-a-long-name of two words", "10.25", "[9.75,\u{a0}11.50]"]);
        grid
    }

    #[test]
    fn tables_that_fit_are_aligned() {
        insta::assert_snapshot!(grid().lines(80).join("\n"), @r"
        ──────────────────────────────────────────────────────────────────
         model                                   estimate        interval
        ──────────────────────────────────────────────────────────────────
         good                                         0.5      [0.4, 0.6]
         a-model-with-a-long-name of two words      10.25   [9.75, 11.50]
        ──────────────────────────────────────────────────────────────────
        ");
    }

    #[test]
    fn names_are_wrapped_between_words_and_then_broken() {
        insta::assert_snapshot!(grid().lines(60).join("\n"), @r"
        ────────────────────────────────────────────────────────────
         model                             estimate        interval
        ────────────────────────────────────────────────────────────
         good                                   0.5      [0.4, 0.6]
         a-model-with-a-long-name of two      10.25   [9.75, 11.50]
         words
        ────────────────────────────────────────────────────────────
        ");
        insta::assert_snapshot!(grid().lines(45).join("\n"), @r"
        ─────────────────────────────────────────────
         model              estimate        interval
        ─────────────────────────────────────────────
         good                    0.5      [0.4, 0.6]
         a-model-with-a-l      10.25   [9.75, 11.50]
         ong-name of two
         words
        ─────────────────────────────────────────────
        ");
    }

    #[test]
    fn columns_that_do_not_fit_move_below_with_the_first_one_repeated() {
        let mut grid = Grid::new(["with", "alpha", "beta", "gamma"]).right_from(1);
        for model in ["alpha", "beta"] {
            grid.row([model, "0.5 [0.4,\u{a0}0.6]", "0.25 [0.1,\u{a0}0.3]", "-"]);
        }
        insta::assert_snapshot!(grid.lines(30).join("\n"), @r"
        ────────────────────────
         with             alpha
        ────────────────────────
         alpha   0.5 [0.4, 0.6]
         beta    0.5 [0.4, 0.6]
        ────────────────────────
        ──────────────────────────────
         with            beta   gamma
        ──────────────────────────────
         alpha           0.25       -
                   [0.1, 0.3]
         beta            0.25       -
                   [0.1, 0.3]
        ──────────────────────────────
        ");
    }

    #[test]
    fn no_width_breaks_an_interval() {
        for width in 0..100 {
            let text = grid().lines(width).join("\n");
            assert!(text.contains("[0.4, 0.6]") && text.contains("[9.75, 11.50]"), "{width}:\n{text}");
            let widest = text.lines().map(columns).max();
            assert!(width < 35 || widest.is_some_and(|widest| widest <= width), "{width}:\n{text}");
        }
    }

    #[test]
    fn cells_hold_no_control_characters() {
        let mut grid = Grid::new(["model"]);
        grid.row(["a\u{1b}[2J\nb"]);
        assert!(grid.lines(80).contains(&" a␛[2J␊b".to_owned()));
    }
}
