//! The log of the page's server on standard error.

use std::io::{self, Write};

use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::fmt;

use super::args::{LogArguments, LogFormat, LogLevel};
use super::progress;

/// Writes what the server logs to standard error from now on. It contains neither the ids of people nor secrets.
pub(crate) fn start(arguments: &LogArguments) {
    let level = match arguments.log_level {
        LogLevel::Off => return,
        LogLevel::Error => LevelFilter::ERROR,
        LogLevel::Warn => LevelFilter::WARN,
        LogLevel::Info => LevelFilter::INFO,
        LogLevel::Debug => LevelFilter::DEBUG,
    };
    let lines = fmt().with_max_level(level).with_writer(Line::default);
    let started = match arguments.log_format {
        LogFormat::Text => lines.try_init(),
        LogFormat::Json => lines.json().flatten_event(true).try_init(),
    };
    // A program with plugins may have set up its own log, which then receives these events.
    drop(started);
}

/// A line of the log, which is written above the progress bar when it is complete.
#[derive(Default)]
struct Line(Vec<u8>);

impl Write for Line {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        progress::say_above(String::from_utf8_lossy(&self.0).trim_end());
    }
}
