//! Output of results. All printing goes through this module.
//!
//! Text for people passes through [`escaped_lines`], so that names in specs and files cannot control the terminal. If
//! standard output is no longer read, as with `head`, the program ends silently ([`Failure::Unread`]).

use std::borrow::Cow;
use std::fmt::{self, Display};
use std::io::{self, Write as _};
use std::path::Path;

use hype::exchange::Output;
use serde::Serialize;

use super::failure::Failure;
use super::grid::Grid;
use super::terminal::{escaped_lines, output_width};

/// Begins a file that is written completely or not at all, or standard output if `path` is `None`.
pub(crate) fn begin(path: Option<&Path>) -> Result<Output, Failure> {
    Output::begin(path).map_err(|error| stopped(&error))
}

/// Renames the file to its final name, or copies it to standard output.
pub(crate) fn finish(mut out: Output) -> Result<(), Failure> {
    out.flush().and_then(|()| out.finish()).map_err(|error| stopped(&error))
}

/// Lines that are printed together, without control characters other than line breaks.
#[derive(Debug)]
pub(crate) struct Page {
    text: String,
    width: usize,
}

/// A page as wide as standard output.
impl Default for Page {
    fn default() -> Self {
        Self::of_width(output_width())
    }
}

impl Page {
    /// Creates a page whose tables fit into this many columns.
    pub(crate) const fn of_width(width: usize) -> Self {
        Self { text: String::new(), width }
    }

    /// The width available to tables, in columns.
    pub(crate) const fn width(&self) -> usize {
        self.width
    }

    /// Adds a line, or several.
    pub(crate) fn line(&mut self, text: impl Display) {
        self.text.push_str(&text.to_string());
        self.text.push('\n');
    }

    /// Adds a table.
    pub(crate) fn table(&mut self, table: &Grid) {
        table.lines(self.width).iter().for_each(|line| self.line(line));
    }

    /// Everything on the page.
    pub(crate) fn text(&self) -> Cow<'_, str> {
        escaped_lines(&self.text)
    }

    /// Prints all lines.
    pub(crate) fn print(&self) -> Result<(), Failure> {
        print_bytes(self.text().as_bytes())
    }
}

/// Prints one line.
pub(crate) fn print(text: fmt::Arguments<'_>) -> Result<(), Failure> {
    let mut page = Page::default();
    page.line(text);
    page.print()
}

/// The failure for an output error, which already names its file.
fn stopped(error: &io::Error) -> Failure {
    match error.kind() {
        io::ErrorKind::BrokenPipe => Failure::Unread,
        _ => Failure::Message(error.to_string()),
    }
}

/// The failure for an error of standard output.
fn unprinted(error: &io::Error) -> Failure {
    stopped(&io::Error::new(error.kind(), format!("standard output: {error}")))
}

/// Prints a value as indented JSON.
pub(crate) fn print_json<T: Serialize>(value: &T) -> Result<(), Failure> {
    let mut text = serde_json::to_vec_pretty(value).map_err(|error| Failure::Message(error.to_string()))?;
    text.push(b'\n');
    print_bytes(&text)
}

/// Prints bytes as they are.
pub(crate) fn print_bytes(bytes: &[u8]) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    out.write_all(bytes).and_then(|()| out.flush()).map_err(|error| unprinted(&error))
}
