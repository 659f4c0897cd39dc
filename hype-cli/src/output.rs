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
use super::terminal::{escaped_lines, has_colours, is_utf8, output_width, plain};

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
    /// The lines that draw a model, with the place of its colour.
    dotted: Vec<(usize, usize)>,
}

/// The colours of models in the order of their sets, which stand out from light and dark ground, and that of marks.
const MODELS: [u8; 6] = [32, 166, 36, 98, 140, 125];
const MARK: u8 = 166;

/// A page as wide as standard output.
impl Default for Page {
    fn default() -> Self {
        Self::of_width(output_width())
    }
}

impl Page {
    /// Creates a page whose tables fit into this many columns.
    pub(crate) const fn of_width(width: usize) -> Self {
        Self { text: String::new(), width, dotted: Vec::new() }
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

    /// Adds a line that draws the model at this place, if one is named.
    pub(crate) fn dotted(&mut self, text: impl Display, model: Option<usize>) {
        self.dotted.extend(model.map(|model| (self.text.lines().count(), model)));
        self.line(text);
    }

    /// Adds a table.
    pub(crate) fn table(&mut self, table: &Grid) {
        table.lines(self.width).iter().for_each(|line| self.line(line));
    }

    /// Everything on the page.
    pub(crate) fn text(&self) -> Cow<'_, str> {
        escaped_lines(&self.text)
    }

    /// Prints all lines, with coloured models and marks if standard output has colours.
    pub(crate) fn print(&self) -> Result<(), Failure> {
        match (is_utf8(), has_colours()) {
            (false, _) => print_bytes(plain(&self.text()).as_bytes()),
            (true, false) => print_bytes(self.text().as_bytes()),
            (true, true) => print_bytes(self.coloured().as_bytes()),
        }
    }

    fn coloured(&self) -> String {
        let painted = |colour: u8, text: &str| format!("\x1b[38;5;{colour}m{text}\x1b[39m");
        let line = |(number, line): (usize, &str)| {
            let own = self.dotted.iter().find(|(dotted, _)| *dotted == number);
            let colour = own.and_then(|(_, model)| MODELS.get(*model));
            let is_mark = |sign: char| ('①'..='⑳').contains(&sign);
            let line = match (colour, line.rsplit_once('●')) {
                (Some(&colour), Some((before, after))) => format!("{before}{}{after}", painted(colour, "●")),
                _ => line.to_owned(),
            };
            let signs = line.chars().map(|sign| match is_mark(sign) {
                true => painted(MARK, &sign.to_string()),
                false => sign.to_string(),
            });
            signs.chain(["\n".to_owned()]).collect::<String>()
        };
        self.text().lines().enumerate().map(line).collect()
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
