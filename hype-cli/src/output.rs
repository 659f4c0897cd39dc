//! Where results go: standard output or a file; and the one place from which the program prints.
//!
//! Whoever reads standard output may stop, as `head` does. That is told as [`Failure::Unread`], with which the program
//! ends quietly.

use std::fmt::{self, Display, Write as _};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use hype::exchange::Output;
use serde::Serialize;

use super::failure::Failure;

/// Opens the file, or standard output where none is named.
pub(crate) fn writer(path: Option<&Path>) -> Result<Box<dyn Write>, Failure> {
    Ok(match path {
        Some(path) => {
            Box::new(BufWriter::new(File::create(path).map_err(|error| Failure::about(path, &error))?))
        }
        None => Box::new(BufWriter::new(io::stdout().lock())),
    })
}

/// Begins a file that is written whole or not at all, or standard output where none is named.
pub(crate) fn begin(path: Option<&Path>) -> Result<Output, Failure> {
    Output::begin(path).map_err(|error| Failure::about(path.unwrap_or(Path::new("standard output")), &error))
}

/// Gives a file its name, or copies it to standard output.
pub(crate) fn finish(mut out: Output, path: Option<&Path>) -> Result<(), Failure> {
    out.flush().and_then(|()| out.finish()).map_err(|error| match (error.kind(), path) {
        (io::ErrorKind::BrokenPipe, None) => Failure::Unread,
        (_, path) => Failure::about(path.unwrap_or(Path::new("standard output")), &error),
    })
}

/// Lines that are printed together.
#[derive(Debug, Default)]
pub(crate) struct Page(String);

impl Page {
    /// Adds a line, or several.
    pub(crate) fn line(&mut self, text: impl Display) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.0, "{text}");
    }

    /// Prints all lines.
    pub(crate) fn print(&self) -> Result<(), Failure> {
        let mut out = io::stdout().lock();
        out.write_all(self.0.as_bytes())?;
        Ok(out.flush()?)
    }
}

/// Prints one line.
pub(crate) fn print(text: fmt::Arguments<'_>) -> Result<(), Failure> {
    let mut page = Page::default();
    page.line(text);
    page.print()
}

/// Says something on standard error. If nobody hears it, there is nobody to be told.
pub(crate) fn tell(text: fmt::Arguments<'_>) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Prints a value as indented JSON.
pub(crate) fn print_json<T: Serialize>(value: &T) -> Result<(), Failure> {
    let mut out = writer(None)?;
    serde_json::to_writer_pretty(&mut out, value)?;
    writeln!(out)?;
    Ok(out.flush()?)
}
