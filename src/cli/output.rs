//! Where results go: standard output or a file.

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

/// Prints a value as indented JSON.
pub(crate) fn print_json<T: Serialize>(value: &T) -> Result<(), Failure> {
    let mut out = writer(None)?;
    serde_json::to_writer_pretty(&mut out, value)?;
    writeln!(out)?;
    Ok(out.flush()?)
}
